// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Caches as real tag arrays, and the coherency port through which other masters reach them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/fields.hpp"
#include "core/kinds.hpp"

namespace weighbridge {

enum class Replacement { random, round_robin };
enum class Level { inner, outer };

// Set-associative write-back cache for addresses below 4 GiB; the line, of at least 16 bytes, and
// the number of sets are powers of two. What may not be cached, or arrives while the cache is off,
// passes through with the same latency: the lookup is paid either way.
class Cache : public Component {
 public:
  // A stream is measured after it has gone through its caches once; a larger cache takes minutes.
  static constexpr double kLargest = 16 * kMiB;

  struct Parameters {
    Fields f = {};
    std::uint32_t bytes = f.bytes("bytes", "that it holds", {1, kLargest});
    std::uint32_t ways = f.count("ways", "of a set", {1, 64});
    std::uint32_t line = f.bytes("line", "of a line", allowed::line);
    std::uint32_t prefetch_lines =
        f.count("prefetch_lines", "fetched behind a line that is read, within its page", {0, 63});
    Time latency = f.time("latency", "of a hit, and of a lookup that passes on");
    Time write_latency = f.time("write_latency", "of a write that it takes or passes on");
    Level level = f.choice<Level>("level", "which of an access's two attributes allows it in here",
                                  {{"inner", Level::inner}, {"outer", Level::outer}});
    Replacement replacement = f.choice<Replacement>(
        "replacement", "how a victim is chosen",
        {{"random", Replacement::random}, {"round_robin", Replacement::round_robin}});
  };

  Cache(std::string name, const Parameters& parameters, Component& next);
  Reply access(const Access& access, Time arrival) override;
  void touch(const Access& access) override;
  void restart() override { coming_at_ = coming_takes_ = coming_ = 0; }
  bool contents(Contents& contents) override;

  // Lockdown by master: a bit for each way in which its misses may not put a line.
  void lock(std::uint8_t id, std::uint64_t ways);
  void enable(bool on) { enabled_ = on; }
  [[nodiscard]] bool enabled() const { return enabled_; }
  [[nodiscard]] std::uint32_t line_bytes() const { return p_.line; }
  [[nodiscard]] std::uint32_t bytes() const { return p_.bytes; }
  [[nodiscard]] bool contains(Address address);
  // Drops a line; its contents, if dirty, have gone with the access that asked for it.
  void drop(Address address);
  // Whether it holds the only copy of a line, enabled or not.
  [[nodiscard]] bool dirty(Address address);
  // Marks a line as written back; whoever asks for it writes it.
  void clean(Address address);
  // The same, and dropping, of whole ways: a bit for each.
  void clean_ways(std::uint64_t ways);
  void invalidate_ways(std::uint64_t ways);
  // The address of a line, where the way of a set holds one.
  [[nodiscard]] std::optional<Address> line_at(std::uint32_t set, std::uint32_t way) const;
  // Lookups that found no line.
  [[nodiscard]] std::uint64_t misses() const { return misses_; }
  // Lines that had to be written when they were replaced.
  [[nodiscard]] std::uint64_t evictions() const { return evictions_; }

 private:
  // A way holds the line's number and two flags in one word: half a host cache line holds a set.
  using Way = std::uint32_t;
  static constexpr Way kValid = 1;
  static constexpr Way kDirty = 2;
  static constexpr unsigned kFlags = 2;

  [[nodiscard]] Way* set_of(Way line) {
    return &lines_[static_cast<std::size_t>(line & set_mask_) * p_.ways];
  }
  [[nodiscard]] Way* find(Way line);
  // The same among all ways of the line's set; wanted: what its way holds, but for a flag.
  [[nodiscard]] Way* search(Way line, Way wanted);
  [[nodiscard]] Way line_of(Address address) const {
    return static_cast<Way>(address >> line_shift_);
  }
  [[nodiscard]] std::uint64_t all_ways() const { return ~0ULL >> (64 - p_.ways); }
  // Where a master's line goes: to a free way of those open to the master, or to one that it
  // replaces.
  [[nodiscard]] Way& victim(Way line, std::uint8_t id);
  // Whether an access may be held here.
  [[nodiscard]] bool takes(const Access& access) const {
    return enabled_ && (p_.level == Level::inner ? access.inner : access.outer);
  }
  // The same for access(), which asks for times, and for touch(), which does not.
  // An access to what lies behind.
  template <bool timed>
  Reply pass(const Access& access, Time now);
  // Puts a line in; returns when the line it replaces has been handed on, if that was dirty.
  template <bool timed>
  Time fill(Way line, bool dirty, std::uint8_t id, Time now);
  template <bool timed>
  void prefetch(const Access& access, Time now);
  template <bool timed>
  Reply miss(const Access& access, Way line, Time now);
  template <bool timed>
  Reply fetch(Access access, Way line, Time now);

  Parameters p_;
  Component& next_;
  bool enabled_ = true;
  std::array<std::uint64_t, 2> open_;  // ways in which a master's misses may put a line
  unsigned line_shift_;
  Way set_mask_;
  std::vector<Way> lines_;
  std::array<Way*, 16> recent_;  // where lines were last found, by their number
  std::vector<std::uint8_t> turn_;
  std::vector<std::uint8_t> filled_;  // ways in use, by set
  std::uint32_t random_ = 0x2545F491U;
  std::uint64_t misses_ = 0;
  std::uint64_t evictions_ = 0;
  Way coming_ = 0;      // the line prefetched last
  Time coming_at_ = 0;  // when it is there
  Time coming_takes_ = 0;
};

// The port through which a bus master reads and writes coherently: it is served a line at a time,
// from the first-level cache that holds the line, from the second level, or from memory behind it.
class CoherencyPort : public Component {
 public:
  struct Parameters {
    Fields f = {};
    Address window =
        f.address("window", "added to a memory address by masters that want coherency");
    Time latency = f.time("latency", "there and back, once an access");
    Time read_inner = f.time("read_inner", "of a line read that the first level holds");
    Time read_outer = f.time("read_outer", "of a line read that it does not hold");
    Time write_inner =
        f.time("write_inner", "of a line written that the first level holds, and drops first");
    Time write_outer = f.time("write_outer", "of a line written that it does not hold");
    Time read_single =
        f.time("read_single", "of a single beat read from a line held", allowed::time_or_none);
    Time write_single =
        f.time("write_single", "of a single beat written to a line held", allowed::time_or_none);
    Time single_overlap =
        f.time("single_overlap", "of a single beat's way to memory with the port's own time",
               allowed::time_or_none);
    Time read_overlap =
        f.time("read_overlap", "of a fetch from memory that the port hides behind its own work");
    Time read_eviction =
        f.time("read_eviction", "more where the line read replaces one that must be written",
               allowed::time_or_none);
    Time write_memory =
        f.time("write_memory", "more for a line written to memory than until memory has taken it");
    std::uint32_t writes_buffered =
        f.count("writes_buffered", "lines written to memory that may wait", {1, 1024});
    bool write_drops =
        f.count("write_drops",
                "1: the caches drop a line written, which goes to memory, and take none that they "
                "lack; 0: it is written where it is held",
                Range{0, 1}.or_else(0)) != 0;
    bool lockable = f.flag("lockable", "whether its lines may be kept out of ways of the cache");
  };

  CoherencyPort(std::string name, const Parameters& parameters, Cache& inner, Cache& outer);
  static std::unique_ptr<Component> make(const Site& site);
  Reply access(const Access& access, Time arrival) override;
  void touch(const Access& access) override;
  void restart() override;
  bool contents(Contents& contents) override;

 private:
  // The part of an access, which begins at `first`, that is in the line at `line`.
  [[nodiscard]] Access piece_of(const Access& access, Address first, Address line) const;
  // What a write does to the caches before it goes on, where they do not take it.
  void drop(const Access& access, Address line);
  Reply single(const Access& access, Address address, Time start);
  Time write_missed(const Access& piece, Time now);

  Parameters p_;
  Cache& inner_;
  Cache& outer_;
  Time half_latency_;
  Time read_free_ = 0;
  Time write_free_ = 0;
  Time memory_free_ = 0;
  std::vector<Time> written_;  // when the latest lines were in memory, a ring
  std::size_t writes_ = 0;
};

}  // namespace weighbridge
