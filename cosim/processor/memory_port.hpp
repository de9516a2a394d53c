// SPDX-License-Identifier: GPL-2.0-only
//
// From the core's loads and stores to accesses of the platform's components, and back to when the
// core can go on: bursts, store buffer, lines on their way.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_set>
#include <vector>

#include "components/cache.hpp"
#include "components/processor.hpp"
#include "core/system.hpp"
#include "decoder.hpp"

namespace weighbridge::processor {

// What a page's descriptor says of it, as the core with its present settings takes it.
struct Attributes {
  bool ordered = false;  // strongly ordered
  bool device = false;
  bool inner = false;  // cacheable in the first level
  bool outer = false;  // cacheable in the second level
  bool allocate = false;

  [[nodiscard]] bool normal() const { return !ordered && !device; }
  // A number below kKinds, and back.
  [[nodiscard]] unsigned kind() const;
  static Attributes of(unsigned kind);
  static constexpr unsigned kKinds = 10;
};

struct PortParameters {
  std::uint32_t store_slots = 4;      // of the core's own store buffer
  std::uint32_t reads_in_flight = 4;  // past the first level
  std::uint32_t load_beat = 8;        // bytes of the core's bus
  Time join_window = 0;               // after its first load in which a burst may still grow
};

// A DMA access that sees what the program has not written back, or a hit on what DMA has replaced.
struct Stale {
  Address address = 0;
  const char* why = "";
};

class MemoryPort {
 public:
  MemoryPort(System& system, const std::string& processor, const PortParameters& parameters);

  // A load or store of an instruction at `pc`, of `bytes` at a physical address. `targets` are the
  // registers that wait for it. Returns when the core can go on.
  Time load(Time now, std::uint32_t pc, Address address, std::uint32_t bytes,
            const Attributes& attributes, Registers targets);
  // A vector store whose data is under way holds back the next one.
  Time store(Time now, std::uint32_t pc, Address address, std::uint32_t bytes,
             const Attributes& attributes, Registers data);
  // A line asked for ahead.
  void preload(Time now, Address address, const Attributes& attributes);

  // Whether nothing is under way that an instruction could wait for.
  [[nodiscard]] bool idle() const { return pending_.empty() && !read_.open && !blocking_; }
  // When an instruction that needs these registers can start.
  Time wait(Time now, Registers registers);
  // When an instruction at `pc` can start, if the one before it may not be overtaken.
  Time next(Time now, std::uint32_t pc);
  // A barrier: everything before has arrived.
  Time drain(Time now);

  // An access to a register in the fabric: when it is there, or its answer back.
  Time fabric(Time now, Address address, bool write) {
    return device_->access({.address = address, .bytes = 4, .write = write}, now).done;
  }
  // A fetch of an instruction's line.
  Time fetch(Time now, Address line, bool outer);

  [[nodiscard]] Cache& inner() { return *inner_; }
  [[nodiscard]] Cache& outer() { return *outer_; }
  [[nodiscard]] std::uint64_t accesses() const { return accesses_; }

  // Addresses below this are the processor's memory.
  Address memory_bytes = 0;
  // Lines that DMA has written behind the caches' back.
  std::unordered_set<Address> replaced;
  std::function<void(const Stale&)> stale;

 private:
  struct Burst {
    bool open = false;
    bool blocking = false;
    std::uint32_t pc = 0;
    Time start = 0;
    Address address = 0;
    std::uint32_t bytes = 0;
    Attributes attributes;
    Registers targets = 0;
    std::uint32_t loads = 1;
  };
  struct Pending {
    Registers registers;
    Time ready;
  };
  struct Coming {
    Address line = ~Address{0};
    Time there = 0;
  };

  [[nodiscard]] Component& way(Address address) const {
    return address < memory_bytes ? *memory_ : *device_;
  }
  [[nodiscard]] static Access access_of(const Burst& burst, bool write);
  static bool joins(const Burst& burst, std::uint32_t pc, Address address, std::uint32_t bytes,
                    const Attributes& attributes);
  Time room_for_read(Time now);
  void end_read();
  void end_write();
  void write_memory(const Burst& burst);
  void write_device(const Burst& burst);
  Time ordered(Time now, const Burst& burst, bool write);
  Time cached_load(Time now, Address address, std::uint32_t bytes, const Attributes& attributes,
                   Registers targets);
  void check(Address address);

  static constexpr Address kLine = 32;

  ProcessorParameters twin_;
  PortParameters p_;
  Component* memory_;
  Component* device_;
  Cache* inner_ = nullptr;
  Cache* outer_ = nullptr;

  Burst read_;
  Burst write_;
  bool blocking_ = false;    // the open burst is strongly ordered
  bool past_inner_ = false;  // the latest load from memory went past the first level
  std::vector<Pending> pending_;
  std::deque<Time> reads_;    // when the latest loads that went past the first level were back
  std::deque<Time> stores_;   // when the store buffer's latest slots are free again
  std::deque<Time> drained_;  // the same for posted or buffered writes to a device
  Time posted_free_ = -1;
  Time stalled_until_ = 0;  // the core found the store buffer full
  Time waiting_until_ = 0;  // a store waits for its data; the next one for the store
  std::array<Coming, 8> coming_{};
  std::size_t next_coming_ = 0;
  std::uint64_t accesses_ = 0;
};

}  // namespace weighbridge::processor
