// SPDX-License-Identifier: GPL-2.0-only
#include "memory_port.hpp"

#include <algorithm>

namespace weighbridge::processor {

unsigned Attributes::kind() const {
  if (ordered) return 0;
  if (device) return 1;
  return 2U + (inner ? 1U : 0U) + (outer ? 2U : 0U) + (allocate ? 4U : 0U);
}

Attributes Attributes::of(unsigned kind) {
  if (kind == 0) return {.ordered = true};
  if (kind == 1) return {.device = true};
  const unsigned bits = kind - 2;
  return {.inner = (bits & 1U) != 0, .outer = (bits & 2U) != 0, .allocate = (bits & 4U) != 0};
}

MemoryPort::MemoryPort(System& system, const std::string& processor,
                       const PortParameters& parameters)
    : twin_(ProcessorParameters{system.master(processor).fields}),
      p_(parameters),
      memory_(system.master(processor).ports.at(0)),
      device_(system.master(processor).ports.at(1)) {
  for (const auto& component : system.components()) {
    if (auto* cache = dynamic_cast<Cache*>(component.get())) {
      (cache == memory_ ? inner_ : outer_) = cache;
    }
  }
  if (inner_ == nullptr || outer_ == nullptr) {
    throw std::invalid_argument("the platform's processor has no two levels of cache");
  }
}

Access MemoryPort::access_of(const Burst& burst, bool write) {
  Access access;
  access.address = burst.address;
  access.bytes = burst.bytes;
  access.write = write;
  access.inner = burst.attributes.inner;
  access.outer = burst.attributes.outer;
  access.allocate = !write || burst.attributes.allocate;
  return access;
}

// Neighbours in a line become one burst. What is strongly ordered is joined within an instruction.
bool MemoryPort::joins(const Burst& burst, std::uint32_t pc, Address address, std::uint32_t bytes,
                       const Attributes& attributes) {
  if (!burst.open || burst.attributes.kind() != attributes.kind()) return false;
  if (attributes.ordered && (burst.pc != pc || burst.bytes % 8 == 0)) return false;
  const Address end = burst.address + burst.bytes;
  const bool behind = address == end && (address + bytes - 1) / kLine == burst.address / kLine;
  return behind;
}

Time MemoryPort::load(Time now, std::uint32_t pc, Address address, std::uint32_t bytes,
                      const Attributes& attributes, Registers targets) {
  ++accesses_;
  if (attributes.normal() && attributes.inner && inner_->enabled()) {
    return cached_load(now, address, bytes, attributes, targets);
  }
  // Accesses to a device stay in order.
  if (attributes.device && write_.open && write_.attributes.device) end_write();
  if (!attributes.ordered) {
    now = room_for_read(now);
    if (read_.open && !read_.blocking && now > read_.start + p_.join_window) end_read();
  }
  // Reads of a device that are under way together follow each other without waiting, wherever they
  // are: to the way there they are one burst.
  const bool follows = attributes.device && read_.open && read_.attributes.device;
  if (follows || joins(read_, pc, address, bytes, attributes)) {
    read_.bytes += bytes;
    read_.targets |= targets;
    ++read_.loads;
    return now;
  }
  now = next(now, pc);
  end_read();
  read_ = {true, attributes.ordered, pc, now, address, bytes, attributes, targets};
  blocking_ = attributes.ordered;
  return now;
}

// A load past the first level finds a place among those on their way, or waits for one.
Time MemoryPort::room_for_read(Time now) {
  while (!reads_.empty() && reads_.front() <= now) reads_.pop_front();
  if (read_.open && reads_.size() + read_.loads >= p_.reads_in_flight) end_read();
  while (reads_.size() >= p_.reads_in_flight) {
    now = std::max(now, reads_.front());
    reads_.pop_front();
  }
  return now;
}

Time MemoryPort::cached_load(Time now, Address address, std::uint32_t bytes,
                             const Attributes& attributes, Registers targets) {
  past_inner_ = false;
  const Address line = address / kLine * kLine;
  const auto coming = std::find_if(coming_.begin(), coming_.end(),
                                   [&](const Coming& one) { return one.line == line; });
  if (coming != coming_.end() && coming->there > now) {
    pending_.push_back({targets, coming->there});
    return now;
  }
  if (!replaced.empty()) check(address);
  // The store buffer is looked into: what it holds of the line is there.
  if (write_.open && write_.attributes.normal() && write_.address / kLine * kLine == line) {
    end_write();
  }
  Access access{.address = address, .bytes = bytes};
  access.inner = true;
  access.outer = attributes.outer;
  if (inner_->contains(address)) {
    memory_->access(access, now);
    return now;
  }
  // A miss. Where all places for lines on their way are taken it waits for one.
  Coming& place =
      coming_[next_coming_++ % std::min<std::size_t>(coming_.size(), twin_.loads_in_flight)];
  const Time start = std::max(now, place.there);
  place = {line, memory_->access(access, start).done};
  pending_.push_back({targets, place.there});
  return start;
}

void MemoryPort::preload(Time now, Address address, const Attributes& attributes) {
  if (!attributes.normal() || !attributes.inner || !inner_->enabled()) return;
  if (inner_->contains(address)) return;
  cached_load(now, address, 1, attributes, 0);
}

void MemoryPort::end_read() {
  if (!read_.open) return;
  read_.open = false;
  if (read_.blocking) {
    blocking_ = false;
    return;  // waited for in next()
  }
  Time start = read_.start;
  if (!stores_.empty()) start = std::max(start, stores_.back());
  const bool memory = read_.address < memory_bytes;
  past_inner_ = past_inner_ || memory;
  // A load from the device waits behind writes to it; with the second level off any load does.
  const bool behind = !memory || !outer_->enabled();
  if (behind && !drained_.empty()) start = std::max(start, drained_.back());
  if (memory && !replaced.empty()) check(read_.address);
  Access access = access_of(read_, false);
  access.critical_first = true;
  const Time done = way(read_.address).access(access, start).done;
  for (std::uint32_t i = 0; i < read_.loads; ++i) reads_.push_back(done);
  pending_.push_back({read_.targets, done});
}

// Nothing may overtake a strongly ordered access: the core stands until it has been answered.
Time MemoryPort::next(Time now, std::uint32_t pc) {
  if (blocking_ && read_.open && read_.pc != pc) {
    const Burst burst = read_;
    end_read();
    return ordered(now, burst, false);
  }
  if (write_.open && write_.blocking && write_.pc != pc) {
    write_.open = false;
    blocking_ = false;
    return ordered(now, write_, true);
  }
  if (blocking_ && read_.open && read_.pc == pc) {
    // Another piece of the same instruction that does not fit in.
    const Burst burst = read_;
    end_read();
    return ordered(now, burst, false);
  }
  return now;
}

Time MemoryPort::ordered(Time now, const Burst& burst, bool write) {
  Time start = std::max(now, burst.start);
  for (const auto* queue : {&stores_, &drained_}) {
    if (!queue->empty()) start = std::max(start, queue->back());
  }
  return way(burst.address).access(access_of(burst, write), start).done;
}

Time MemoryPort::wait(Time now, Registers registers) {
  if (read_.open && !read_.blocking && (read_.targets & registers) != 0) end_read();
  std::erase_if(pending_, [&](const Pending& one) {
    if ((one.registers & registers) != 0) now = std::max(now, one.ready);
    return one.ready <= now;
  });
  return now;
}

Time MemoryPort::store(Time now, std::uint32_t pc, Address address, std::uint32_t bytes,
                       const Attributes& attributes, Registers data) {
  ++accesses_;
  const bool vector = data >> kFirstDouble != 0;
  if (vector) now = std::max(now, waiting_until_);
  Time ready = now;
  if (data != 0 && !idle()) ready = wait(now, data);
  if (vector) waiting_until_ = ready;
  const Time stalled = std::max(now, std::exchange(stalled_until_, 0));
  if (joins(write_, pc, address, bytes, attributes)) {
    write_.bytes += bytes;
    write_.start = std::max(write_.start, ready);
    if (!attributes.ordered && (address + bytes) % kLine == 0) end_write();
    return std::max(stalled, std::exchange(stalled_until_, 0));
  }
  if (attributes.ordered) {
    now = next(std::max(stalled, ready), ~0U);
    end_write();
    const Time issue = address < memory_bytes ? 0 : twin_.ordered_write;
    write_ = {true, true, pc, now + issue, address, bytes, attributes, 0};
    blocking_ = true;
    return now;
  }
  end_write();
  write_ = {true, false, pc, ready, address, bytes, attributes, 0};
  if ((address + bytes) % kLine == 0) end_write();
  return std::max(stalled, std::exchange(stalled_until_, 0));
}

void MemoryPort::end_write() {
  if (!write_.open) return;
  write_.open = false;
  if (write_.blocking) return;
  if (write_.attributes.device || write_.address >= memory_bytes) {
    write_device(write_);
  } else {
    write_memory(write_);
  }
}

// Through the store buffer into the caches, or past them.
void MemoryPort::write_memory(const Burst& burst) {
  if (!replaced.empty()) check(burst.address);
  Time start = burst.start;
  if (stores_.size() >= p_.store_slots) {
    start = std::max(start, stores_.front());
    stalled_until_ = std::max(stalled_until_, stores_.front());
    stores_.pop_front();
  }
  const bool held = (burst.attributes.inner && inner_->enabled()) ||
                    (burst.attributes.outer && outer_->enabled());
  // Reads and writes past all caches take turns.
  if (!held && !reads_.empty()) start = std::max(start, reads_.back());
  const Reply reply = memory_->access(access_of(burst, true), start);
  stores_.push_back(held ? reply.accepted : reply.done);
}

// Writes to a device are posted by lines where the second level is on. Where it is off each waits
// for its response in the buffer.
void MemoryPort::write_device(const Burst& burst) {
  Access access = access_of(burst, true);
  access.inner = access.outer = false;
  Time start = burst.start;
  if (!outer_->enabled()) {
    // Buffered by beats: a burst takes as many places.
    for (std::uint32_t at = 0; at < burst.bytes; at += p_.load_beat) {
      Access piece = access;
      piece.address += at;
      piece.bytes = std::min(p_.load_beat, burst.bytes - at);
      if (drained_.size() >= twin_.store_entries) {
        stalled_until_ = std::max(stalled_until_, drained_[drained_.size() - twin_.store_entries]);
      }
      posted_free_ = device_->access(piece, std::max(start, posted_free_)).done;
      drained_.push_back(posted_free_);
    }
  } else {
    // Fewer where loads go past the first level, whose buffers they share.
    const std::size_t depth = past_inner_ ? twin_.posted_lines_outer : twin_.posted_lines_inner;
    if (drained_.size() >= depth) {
      stalled_until_ = std::max(stalled_until_, drained_[drained_.size() - depth]);
    }
    access.posted = true;
    const Time issue = std::max(start, posted_free_);
    const Reply reply = device_->access(access, issue);
    const bool idle = posted_free_ < 0 || start > posted_free_ + reply.wake;
    posted_free_ =
        std::max(reply.accepted, reply.done + twin_.posted_response) + (idle ? reply.wake : 0);
    drained_.push_back(posted_free_);
  }
  while (drained_.size() > 64) drained_.pop_front();
}

Time MemoryPort::drain(Time now) {
  now = next(now, ~0U);
  end_read();
  end_write();
  stalled_until_ = 0;
  for (const auto* queue : {&stores_, &drained_, &reads_}) {
    for (const Time time : *queue) now = std::max(now, time);
  }
  for (const Pending& one : pending_) now = std::max(now, one.ready);
  pending_.clear();
  return now;
}

Time MemoryPort::fetch(Time now, Address line, bool outer) {
  Access access{.address = line, .bytes = static_cast<std::uint32_t>(kLine)};
  access.inner = false;
  access.outer = outer;
  return outer_->access(access, now).done;
}

void MemoryPort::check(Address address) {
  const Address line = address / kLine * kLine;
  if (!replaced.contains(line)) return;
  if (inner_->contains(line) || outer_->contains(line)) {
    if (stale) stale({line, "the processor sees a line in its cache that DMA has written since"});
  } else {
    replaced.erase(line);
  }
}

}  // namespace weighbridge::processor
