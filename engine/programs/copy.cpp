// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "programs/copy.hpp"

#include <algorithm>

namespace weighbridge {
namespace {

Access memory_access(const Buffer& buffer, std::uint64_t offset, std::uint32_t bytes, bool write) {
  Access access;
  access.address = buffer.at(offset);
  access.bytes = bytes;
  access.write = write;
  access.inner = buffer.inner;
  access.outer = buffer.outer;
  access.allocate = !write || buffer.allocate;  // loads always fill
  return access;
}

}  // namespace

Buffer stack_of(const Buffer& buffer) {
  constexpr std::uint64_t kBelow = 4096;
  Buffer stack = buffer;
  stack.base -= kBelow;
  stack.frames.clear();
  return stack;
}

FabricCopy::FabricCopy(const ProcessorParameters& parameters, const ProcessorPorts& ports,
                       const Buffer& buffer, std::uint64_t buffer_offset, Address fabric,
                       bool fabric_ordered, Direction direction, std::uint32_t bytes, Code code)
    : p_(parameters),
      ports_(ports),
      buffer_(buffer),
      buffer_offset_(buffer_offset),
      fabric_(fabric),
      fabric_ordered_(fabric_ordered),
      direction_(direction),
      bytes_(bytes),
      code_(code) {
  drained_.fill(0);
}

Time FabricCopy::begin(Time now) {
  started_ = true;
  if (fabric_ordered_ && !buffer_.ordered) {
    return now + (code_ == Code::word_loop ? p_.loop_call : p_.ordered_call);
  }
  // The call's own stack and literals live in memory of the buffer's kind.
  Time t = now + p_.call;
  const std::uint32_t accesses = (buffer_.ordered ? p_.call_accesses_ordered : p_.call_accesses) +
                                 (bytes_ >= p_.long_bytes ? p_.long_accesses : 0);
  Buffer stack = stack_of(buffer_);
  for (std::uint32_t i = 0; i < accesses; ++i) {
    t = ports_.memory->access(memory_access(stack, (i % 2) * ports_.line, kUnit, false), t).done;
  }
  if (!ports_.instruction_cache) {
    stack.inner = stack.outer = false;
    for (std::uint32_t i = 0; i < p_.call_fetches; ++i) {
      t = ports_.memory->access(memory_access(stack, i * ports_.line, ports_.line, false), t).done;
    }
  }
  if (direction_ == Direction::fpga_to_cpu && !buffer_.ordered && bytes_ >= p_.block_bytes) {
    t += p_.block_setup;
  }
  return t;
}

// A line moves in two halves; how far the second overlaps the first depends on the copy's path.
Time FabricCopy::with_second_half(Time now, Time first_done, std::uint32_t bytes) const {
  if (bytes < ports_.line) return first_done;
  const double exposed = bytes_ < p_.block_bytes ? p_.second_half_short : p_.second_half_block;
  return first_done + static_cast<Time>(static_cast<double>(first_done - now) * exposed);
}

// When the next `bytes` of the source have been loaded.
Time FabricCopy::load(Time now, std::uint32_t bytes) {
  const Access load = memory_access(buffer_, buffer_offset_ + done_, bytes, false);
  const Time done = ports_.memory->access(load, now).done;
  if (buffer_.cached()) return done;
  return with_second_half(now, done, bytes);
}

// When the processor can go on after storing `bytes` at the copy's position.
Time FabricCopy::store(Time now, std::uint32_t bytes) {
  const Access access = memory_access(buffer_, buffer_offset_ + done_, bytes, true);
  const Reply reply = ports_.memory->access(access, now);
  if (buffer_.inner) return now;  // hidden behind the next load
  if (buffer_.outer) return reply.accepted;
  return with_second_half(now, reply.done, bytes);
}

Time FabricCopy::step(Time now) {
  if (!started_) return begin(now);
  if (done_ >= bytes_) return kNever;
  if (direction_ == Direction::cpu_to_fpga) {
    if (fabric_ordered_) return to_fabric_ordered(now);
    return ports_.posted ? to_fabric_posted(now) : to_fabric_buffered(now);
  }
  return fabric_ordered_ ? from_fabric_ordered(now) : from_fabric_lines(now);
}

// Source lines are preloaded; the processor waits for the one it needs.
Time FabricCopy::load_ahead(Time now) {
  if (!buffer_.cached()) return load(now, std::min(ports_.line, bytes_ - done_));
  const std::uint32_t line = done_ / ports_.line;
  const std::uint32_t ahead = code_ == Code::word_loop ? 0 : p_.preload_lines;
  for (; lines_ <= line + ahead && lines_ * ports_.line < bytes_; ++lines_) {
    const std::uint32_t at = lines_ * ports_.line;
    const Access access =
        memory_access(buffer_, buffer_offset_ + at, std::min(ports_.line, bytes_ - at), false);
    loaded_[lines_ % loaded_.size()] = ports_.memory->access(access, now).done;
  }
  return std::max(now, loaded_[line % loaded_.size()]);
}

// Bytes of the next strongly ordered access; `unit` holds for copies longer than short_bytes.
std::uint32_t FabricCopy::ordered_bytes(std::uint32_t unit) const {
  const std::uint32_t left = bytes_ - done_;
  if (buffer_.ordered) return std::min(kUnit, left);
  if (code_ == Code::word_loop) return std::min(p_.short_unit, left);
  if (bytes_ > p_.short_bytes) return std::min(unit, left);
  return left >= p_.short_unit ? p_.short_unit : std::min(left, p_.odd_unit);
}

// What the instructions around an ordered access add.
Time FabricCopy::after_ordered(Time now, std::uint32_t bytes) const {
  if (buffer_.ordered) return now;
  if (code_ == Code::word_loop) return now + p_.loop_access;
  if (bytes_ > p_.short_bytes) return now;
  return now + (bytes < p_.short_unit ? p_.subword : p_.short_access);
}

// Load, store, wait for the response.
Time FabricCopy::to_fabric_ordered(Time now) {
  const std::uint32_t bytes = ordered_bytes(kUnit);
  Time t = now;
  if (buffer_.ordered) {
    t = load(t, bytes);
  } else if (done_ % ports_.line == 0) {
    t = load_ahead(t);
  }
  const Access to{fabric_ + done_, bytes, kUnit, true};
  t = after_ordered(ports_.device->access(to, t + p_.ordered_write).done, bytes);
  done_ += bytes;
  return t;
}

Time FabricCopy::from_fabric_ordered(Time now) {
  const bool at_once = !buffer_.ordered && code_ == Code::memcpy && bytes_ > p_.short_bytes;
  Time t = now;
  for (std::uint32_t i = 0; i < (at_once ? p_.ordered_reads : 1) && done_ < bytes_; ++i) {
    const std::uint32_t bytes = ordered_bytes(p_.ordered_read);
    const Access from{fabric_ + done_, bytes, kUnit, false};
    t = ports_.device->access(from, now).done;
    if (buffer_.ordered) {
      t = store(t, bytes);
    } else if (done_ % ports_.line == 0) {
      store(t, std::min(ports_.line, bytes_ - done_));
    }
    t = after_ordered(t, bytes);
    done_ += bytes;
  }
  return at_once ? t + p_.ordered_read_line : t;
}

// One line write is under way at a time; a few more wait in buffers without holding the processor.
Time FabricCopy::to_fabric_posted(Time now) {
  const std::uint32_t bytes = std::min(ports_.line, bytes_ - done_);
  const std::uint32_t depth = buffer_.inner ? p_.posted_lines_inner : p_.posted_lines_outer;
  const Time latency = load(now, bytes) - now;
  // Lines that may enter the first level are preloaded; others are waited for.
  Time t = now + (buffer_.inner ? latency / p_.loads_in_flight : latency);
  if (!buffer_.inner && bytes_ < p_.block_bytes) t = with_second_half(now, t, bytes);
  t += p_.line_issue * bytes / ports_.line;
  if (stores_ >= depth) t = std::max(t, drained_[(stores_ - depth) % drained_.size()]);
  const Time start = std::max(t, slot_free_);
  const Access to{fabric_ + done_, bytes, kUnit, true, true};
  const Reply reply = ports_.device->access(to, start);
  const Time response = p_.posted_response + (buffer_.inner ? 0 : p_.posted_behind_load);
  const bool idle = slot_free_ < 0 || t > slot_free_ + reply.wake;
  slot_free_ = std::max(reply.accepted, reply.done + response) + (idle ? reply.wake : 0);
  drained_[stores_++ % drained_.size()] = slot_free_;
  done_ += bytes;
  return t;
}

// Device stores that wait for their response one by one, behind a store buffer. A load that must
// go to memory waits until the buffer has drained.
Time FabricCopy::to_fabric_buffered(Time now) {
  const std::uint32_t bytes = std::min(kUnit, bytes_ - done_);
  Time t = now;
  if (done_ % ports_.line == 0) {
    if (!buffer_.cached()) t = std::max(t, slot_free_);
    t = load(t, std::min(ports_.line, bytes_ - done_));
  }
  t += p_.line_issue * bytes / ports_.line;
  if (stores_ >= p_.store_entries) {
    t = std::max(t, drained_[(stores_ - p_.store_entries) % drained_.size()]);
  }
  const Access to{fabric_ + done_, bytes, kUnit, true};
  slot_free_ = ports_.device->access(to, std::max(t, slot_free_)).done;
  drained_[stores_++ % drained_.size()] = slot_free_;
  done_ += bytes;
  // Uncached sources leave nothing to overlap with: the copy ends with its last store.
  if (done_ >= bytes_ && !buffer_.cached()) t = slot_free_;
  return t;
}

// Loads of whole lines; below block_bytes the copy reads a line in two halves that overlap partly.
Time FabricCopy::from_fabric_lines(Time now) {
  const std::uint32_t bytes = std::min(ports_.line, bytes_ - done_);
  Access from{fabric_ + done_, bytes, kUnit, false};
  from.critical_first = true;
  Time t = ports_.device->access(from, now).done;
  if (bytes == ports_.line) {
    // Nothing is under way yet that the first line's second half could overlap with.
    if (bytes_ < p_.block_bytes) t = done_ == 0 ? t + (t - now) : with_second_half(now, t, bytes);
    t += p_.line_read;
  }
  t = store(t, bytes);
  done_ += bytes;
  return t;
}

UserCopy::UserCopy(const ProcessorParameters& parameters, const ProcessorPorts& ports,
                   const Buffer& source, std::uint64_t source_offset, const Buffer& target,
                   std::uint64_t target_offset, std::uint32_t bytes)
    : p_(parameters),
      ports_(ports),
      source_(source),
      target_(target),
      source_offset_(source_offset),
      target_offset_(target_offset),
      bytes_(bytes) {}

Time UserCopy::step(Time now) {
  if (done_ >= bytes_) return kNever;
  const std::uint32_t bytes = std::min(ports_.line, bytes_ - done_);
  const auto share = [&](Time cost) { return cost * bytes / ports_.line; };
  Time t = now;
  if (source_.cached()) {
    const Time issued = lines_ < p_.loads_in_flight
                            ? now
                            : consumed_[(lines_ - p_.loads_in_flight) % consumed_.size()];
    const Access load = memory_access(source_, source_offset_ + done_, bytes, false);
    t = std::max(t, ports_.memory->access(load, issued).done) + share(p_.copy_line);
  } else {
    t += p_.copy_uncached_wait + share(p_.copy_uncached_load - p_.copy_uncached_wait);
  }
  consumed_[lines_ % consumed_.size()] = t;
  if (target_.cached()) {
    if (lines_ >= p_.stores_in_flight) {
      t = std::max(t, stored_[(lines_ - p_.stores_in_flight) % stored_.size()]);
    }
    const Access store = memory_access(target_, target_offset_ + done_, bytes, true);
    const Reply reply = ports_.memory->access(store, t);
    stored_[lines_ % stored_.size()] = std::max(reply.done, reply.accepted);
  } else {
    t += share(p_.copy_uncached_store);
  }
  ++lines_;
  done_ += bytes;
  return t;
}

void describe(Digest& key, const Buffer& buffer, std::uint64_t bytes) {
  key << buffer.base << buffer.inner << buffer.outer << buffer.ordered << buffer.allocate;
  constexpr std::uint64_t kPage = 4096;
  const std::size_t pages =
      std::min<std::size_t>(buffer.frames.size(), (bytes + kPage - 1) / kPage);
  key << pages;
  key.bytes(std::as_bytes(std::span(buffer.frames).first(pages)));
}

Time copy_by_itself(System& system, const std::string& processor, const ProcessorParameters& p,
                    const ProcessorPorts& ports, const Buffer& source, std::uint64_t source_offset,
                    const Buffer& target, std::uint64_t target_offset, std::uint32_t bytes) {
  const auto copy = [&] {
    UserCopy process(p, ports, source, source_offset, target, target_offset, bytes);
    Scheduler scheduler;
    scheduler.add(process, 0);
    return scheduler.run();
  };
  Digest key;
  key.text("copy by itself");
  system.describe(processor, key);
  key << ports.line << source_offset << target_offset << bytes;
  describe(key, source, source_offset + bytes);
  describe(key, target, target_offset + bytes);
  system.restart();
  system.clear();
  return system.once({ports.memory}, true, bytes, key, copy);
}

void touch(const ProcessorPorts& ports, const Buffer& buffer, std::uint64_t offset,
           std::uint64_t bytes, bool write) {
  for (std::uint64_t at = 0; at < bytes; at += ports.line) {
    // Byte by byte in the programs, so never a whole line at once.
    ports.memory->touch(memory_access(buffer, offset + at, 1, write));
  }
}

void touch_copy(const ProcessorPorts& ports, const Buffer& source, std::uint64_t source_offset,
                const Buffer& target, std::uint64_t target_offset, std::uint32_t bytes) {
  for (std::uint32_t at = 0; at < bytes; at += ports.line) {
    const std::uint32_t line = std::min(ports.line, bytes - at);
    if (source.cached()) {
      ports.memory->touch(memory_access(source, source_offset + at, line, false));
    }
    if (target.cached()) {
      ports.memory->touch(memory_access(target, target_offset + at, line, true));
    }
  }
}

}  // namespace weighbridge
