// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "components/cache.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/contents.hpp"

namespace weighbridge {
namespace {

using Four = std::uint32_t __attribute__((vector_size(16)));
using Two = std::uint64_t __attribute__((vector_size(16)));

// Where a value stands but for some bits, four places at a time; kCount where it does not.
template <std::uint32_t kCount>
std::uint32_t first_of(const std::uint32_t* values, std::uint32_t wanted, std::uint32_t but) {
  Four found{};
  for (std::uint32_t i = 0; i < kCount; i += 4) {
    Four four;
    std::memcpy(&four, values + i, sizeof four);
    const Four places{1U << i, 2U << i, 4U << i, 8U << i};
    found |= static_cast<Four>((four & ~but) == wanted) & places;
  }
  // Not as an array, which goes through the host's memory.
  const auto halves = std::bit_cast<Two>(found);
  const std::uint64_t both = halves[0] | halves[1] | std::uint64_t{1} << kCount;
  return static_cast<std::uint32_t>(std::countr_zero(both | both >> 32));
}

}  // namespace

Cache::Cache(std::string name, const Parameters& parameters, Component& next)
    : Component(std::move(name)), p_(parameters), next_(next) {
  const std::uint32_t sets = p_.bytes / p_.line / p_.ways;
  if (!std::has_single_bit(sets) || !std::has_single_bit(p_.line) || p_.line < 16 || p_.ways == 0 ||
      p_.ways > 64) {
    throw std::invalid_argument("cache '" + this->name() + "': the line and the number of sets (" +
                                std::to_string(sets) +
                                ") must be powers of two, with at most 64 ways");
  }
  line_shift_ = static_cast<unsigned>(std::countr_zero(p_.line));
  set_mask_ = sets - 1;
  lines_.resize(static_cast<std::size_t>(sets) * p_.ways);
  turn_.resize(sets);
  filled_.resize(sets);
  for (std::uint8_t id = 0; id < open_.size(); ++id) lock(id, 0);
  recent_.fill(lines_.data());
}

void Cache::lock(std::uint8_t id, std::uint64_t ways) { open_.at(id) = ~ways & all_ways(); }

inline Cache::Way* Cache::find(Way line) {
  const Way wanted = line << kFlags | kValid;
  // Most accesses are to a line of the last few; its tag tells whether it is still there.
  Way* recent = recent_[line % recent_.size()];
  return (*recent & ~kDirty) == wanted ? recent : search(line, wanted);
}

Cache::Way* Cache::search(Way line, Way wanted) {
  Way* set = set_of(line);
  // The usual numbers of ways are compared all at once.
  std::uint32_t way = p_.ways;
  if (p_.ways == 4) {
    way = first_of<4>(set, wanted, kDirty);
  } else if (p_.ways == 8) {
    way = first_of<8>(set, wanted, kDirty);
  } else {
    way = static_cast<std::uint32_t>(
        std::find_if(set, set + p_.ways, [&](Way held) { return (held & ~kDirty) == wanted; }) -
        set);
  }
  return way == p_.ways ? nullptr : recent_[line % recent_.size()] = &set[way];
}

bool Cache::contains(Address address) { return enabled_ && find(line_of(address)) != nullptr; }

void Cache::drop(Address address) {
  const Way line = line_of(address);
  if (Way* way = find(line)) {
    *way = 0;
    --filled_[line & set_mask_];
  }
}

bool Cache::dirty(Address address) {
  const Way* way = find(line_of(address));
  return way != nullptr && (*way & kDirty) != 0;
}

void Cache::clean(Address address) {
  if (Way* way = find(line_of(address))) *way &= ~kDirty;
}

void Cache::clean_ways(std::uint64_t ways) {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if ((ways >> i % p_.ways & 1U) != 0) lines_[i] &= ~kDirty;
  }
}

void Cache::invalidate_ways(std::uint64_t ways) {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if ((ways >> i % p_.ways & 1U) == 0 || (lines_[i] & kValid) == 0) continue;
    lines_[i] = 0;
    --filled_[i / p_.ways];
  }
}

std::optional<Address> Cache::line_at(std::uint32_t set, std::uint32_t way) const {
  if (set > set_mask_ || way >= p_.ways) return std::nullopt;
  const Way line = lines_[static_cast<std::size_t>(set) * p_.ways + way];
  if ((line & kValid) == 0) return std::nullopt;
  return static_cast<Address>(line >> kFlags) << line_shift_;
}

bool Cache::contents(Contents& contents) {
  if (!contents.enter(*this, true)) return true;
  contents(enabled_);
  contents(open_);
  contents(lines_);
  contents(turn_);
  contents(filled_);
  contents(random_);
  contents(coming_);
  contents(coming_at_);
  contents(coming_takes_);
  return next_.contents(contents);
}

Cache::Way& Cache::victim(Way line, std::uint8_t id) {
  Way* set = set_of(line);
  const std::uint64_t open = open_[id];
  if (filled_[line & set_mask_] < p_.ways) {
    for (std::uint32_t way = 0; way < p_.ways; ++way) {
      if ((open >> way & 1U) != 0 && (set[way] & kValid) == 0) {
        ++filled_[line & set_mask_];
        return set[way];
      }
    }
  }
  std::uint32_t choice = 0;
  if (p_.replacement == Replacement::round_robin) {
    choice = turn_[line & set_mask_];
  } else {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 17;
    random_ ^= random_ << 5;
    // The common numbers of ways are powers of two; a division costs as much as all the rest.
    choice = (p_.ways & (p_.ways - 1)) == 0 ? random_ & (p_.ways - 1) : random_ % p_.ways;
  }
  // A way that is locked hands its turn to the next that is open: the published effects of one to
  // seven locked ways are those of this rule, not of an even choice among the open ones.
  while ((open >> choice & 1U) == 0) choice = choice + 1 == p_.ways ? 0 : choice + 1;
  if (p_.replacement == Replacement::round_robin) {
    turn_[line & set_mask_] = static_cast<std::uint8_t>((choice + 1) % p_.ways);
  }
  return set[choice];
}

template <bool timed>
Reply Cache::pass(const Access& access, Time now) {
  if constexpr (timed) return next_.access(access, now);
  next_.touch(access);
  return {};
}

template <bool timed>
Time Cache::fill(Way line, bool dirty, std::uint8_t id, Time now) {
  Way& way = victim(line, id);
  Time handed_on = now;
  if ((way & kDirty) != 0) {
    const Access eviction{.address = static_cast<Address>(way >> kFlags) << line_shift_,
                          .bytes = p_.line,
                          .write = true,
                          .outer = p_.level == Level::inner};
    handed_on = pass<timed>(eviction, now).accepted;
    ++evictions_;
  }
  way = line << kFlags | (dirty ? kDirty : 0) | kValid;
  recent_[line % recent_.size()] = &way;
  return handed_on;
}

// Takes the lines behind one that is read; nobody waits for them.
template <bool timed>
void Cache::prefetch(const Access& access, Time now) {
  if (p_.prefetch_lines == 0 || open_[access.id] == 0) return;
  constexpr Address kPage = 4096;
  const Address first = static_cast<Address>(line_of(access.address)) << line_shift_;
  for (std::uint32_t i = 1; i <= p_.prefetch_lines; ++i) {
    Access fetch = access;
    fetch.address = first + i * p_.line;
    fetch.bytes = p_.line;
    if (fetch.address / kPage != first / kPage) return;
    if (find(line_of(fetch.address)) != nullptr) continue;
    coming_ = line_of(fetch.address);
    coming_at_ = pass<timed>(fetch, now).done;
    coming_takes_ = coming_at_ - now;
    fill<timed>(coming_, false, access.id, now);
  }
}

Reply Cache::access(const Access& access, Time arrival) {
  const Time latency = access.write ? p_.write_latency : p_.latency;
  if (!takes(access)) {
    return next_.access(access, arrival + latency);
  }
  const Way line = line_of(access.address);
  const Time done = arrival + latency;
  if (Way* found = find(line)) {
    record(access, arrival, 0, 0);  // lookups are pipelined: latency, not occupation
    if (access.write) *found |= kDirty;
    if (access.write) return {done, done, 0};
    // A prefetch that is still on its way gives way to the demand for the same line.
    const Time there = line == coming_ && coming_at_ > done ? done + coming_takes_ : done;
    if (access.allocate) prefetch<true>(access, done);
    return {there, there, 0};
  }
  record(access, arrival, 0, 0);
  ++misses_;
  if (!access.allocate || open_[access.id] == 0) {
    const Time passed = next_.access(access, done).done;
    // After a write the master goes on as soon as the cache has taken it.
    return {access.write ? done : passed, passed, 0};
  }
  return miss<true>(access, line, done);
}

void Cache::touch(const Access& access) {
  if (!takes(access)) return next_.touch(access);
  const Way line = line_of(access.address);
  if (Way* found = find(line)) {
    if (access.write) {
      *found |= kDirty;
    } else if (access.allocate) {
      prefetch<false>(access, 0);
    }
  } else if (!access.allocate || open_[access.id] == 0) {
    next_.touch(access);
  } else {
    miss<false>(access, line, 0);
  }
}

template <bool timed>
Reply Cache::miss(const Access& access, Way line, Time now) {
  // A write of a whole line needs no fetch.
  const bool whole = access.write && access.bytes == p_.line;
  Reply reply = whole ? Reply{now, now} : fetch<timed>(access, line, now);
  // The replaced line leaves while the new one is on its way.
  reply.accepted = std::max(reply.accepted, fill<timed>(line, access.write, access.id, now));
  if (!access.write) prefetch<timed>(access, now);
  return reply;
}

template <bool timed>
Reply Cache::fetch(Access access, Way line, Time now) {
  access.address = static_cast<Address>(line) << line_shift_;
  access.bytes = p_.line;
  access.write = false;
  return pass<timed>(access, now);
}

CoherencyPort::CoherencyPort(std::string name, const Parameters& parameters, Cache& inner,
                             Cache& outer)
    : Component(std::move(name)),
      p_(parameters),
      inner_(inner),
      outer_(outer),
      half_latency_(p_.latency / 2),
      written_(p_.writes_buffered, 0) {}

std::unique_ptr<Component> CoherencyPort::make(const Site& site) {
  return std::make_unique<CoherencyPort>(site.name, Parameters{site.fields},
                                         dynamic_cast<Cache&>(*site.to.at(0)),
                                         dynamic_cast<Cache&>(*site.to.at(1)));
}

void CoherencyPort::restart() {
  read_free_ = write_free_ = memory_free_ = 0;
  writes_ = 0;
  std::fill(written_.begin(), written_.end(), 0);
}

bool CoherencyPort::contents(Contents& contents) {
  if (!contents.enter(*this, true)) return true;
  contents(read_free_);
  contents(write_free_);
  contents(memory_free_);
  contents(written_);
  contents(writes_);
  return inner_.contents(contents) && outer_.contents(contents);
}

Reply CoherencyPort::access(const Access& access, Time arrival) {
  const std::uint32_t line = outer_.line_bytes();
  Time& free = access.write ? write_free_ : read_free_;
  const Time there = arrival + half_latency_;
  const Time start = std::max(there, free);
  const Address first = access.address - p_.window;
  if (access.single_beats) return single(access, first, start);
  Time now = start;
  for (Address at = first / line * line; at < first + access.bytes; at += line) {
    if (inner_.contains(at)) {
      if (access.write) {
        inner_.drop(at);
        now += p_.write_inner;
      } else {
        now += p_.read_inner;
        continue;
      }
    } else {
      now += access.write ? p_.write_outer : p_.read_outer;
    }
    const Access piece = piece_of(access, first, at);
    drop(access, at);
    if (outer_.contains(at)) {
      outer_.access(piece, now);
    } else if (access.write) {
      now = write_missed(piece, now);
    } else {
      const std::uint64_t evictions = outer_.evictions();
      now = std::max(now, outer_.access(piece, now).done - p_.read_overlap);
      if (outer_.evictions() != evictions) now += p_.read_eviction;
    }
  }
  free = now;
  record(access, start, now - start, start - there);
  return {now, now + p_.latency - half_latency_, 0};
}

void CoherencyPort::touch(const Access& access) {
  const std::uint32_t line = outer_.line_bytes();
  const Address first = access.address - p_.window;
  for (Address at = first / line * line; at < first + access.bytes; at += line) {
    if (inner_.contains(at)) {
      if (!access.write) continue;
      inner_.drop(at);
    }
    drop(access, at);
    outer_.touch(piece_of(access, first, at));
  }
}

Access CoherencyPort::piece_of(const Access& access, Address first, Address line) const {
  const Address begin = std::max(line, first);
  const Address end = std::min(line + outer_.line_bytes(), first + access.bytes);
  return {.address = begin,
          .bytes = static_cast<std::uint32_t>(end - begin),
          .write = access.write,
          .outer = true,
          .allocate = access.allocate && !p_.write_drops,
          .id = kDmaId};
}

void CoherencyPort::drop(const Access& access, Address line) {
  if (access.write && p_.write_drops && outer_.contains(line)) outer_.drop(line);
}

// No cache holds the line: it goes to memory, or the line that it replaces does. Lines go one at a
// time, behind those that are buffered.
Time CoherencyPort::write_missed(const Access& piece, Time now) {
  const std::uint64_t evictions = outer_.evictions();
  const Reply reply = outer_.access(piece, std::max(now, memory_free_));
  const bool whole = piece.allocate && piece.bytes == outer_.line_bytes();
  if (whole && outer_.evictions() == evictions) return now;  // over a line that was clean
  Time& oldest = written_[writes_++ % p_.writes_buffered];
  memory_free_ = std::max(reply.accepted, reply.done) + p_.write_memory;
  return std::max(now, std::exchange(oldest, memory_free_));
}

// One beat: the port waits for it, with nothing to overlap it with.
Reply CoherencyPort::single(const Access& access, Address address, Time start) {
  Access beat = access;
  beat.address = address;
  beat.id = kDmaId;
  beat.allocate = access.allocate && !p_.write_drops;
  drop(access, address);
  const bool inner = inner_.contains(address);
  const bool held = inner || outer_.contains(address);
  Time now = start + (access.write ? p_.write_single : p_.read_single);
  if (inner && access.write) {
    inner_.drop(address);
    now += p_.write_inner - p_.write_outer;
  }
  const Reply reply = outer_.access(beat, now);
  if (!held && !access.write) {
    now = reply.done - p_.single_overlap;
  } else if (!held && beat.allocate) {
    // The rest of a line that is written in part is fetched, but the write need not wait for all.
    now = std::max(now, reply.done - p_.read_overlap);
  }
  (access.write ? write_free_ : read_free_) = now;
  record(access, start, now - start, 0);
  return {now, now + p_.latency - half_latency_, 0};
}

}  // namespace weighbridge
