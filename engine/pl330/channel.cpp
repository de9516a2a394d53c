// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "pl330/channel.hpp"

#include <algorithm>

namespace weighbridge::pl330 {
namespace {

[[noreturn]] void fail(ChannelFault::Why why, const std::string& text) {
  throw ChannelFault(why, "PL330: " + text);
}

}  // namespace

Channel::Channel(const ChannelParameters& parameters, Component& bus,
                 std::span<const std::uint8_t> program)
    : p_(parameters), bus_(bus), program_(disassemble(program)) {
  index_of_offset_.assign(program.size(), -1);
  std::size_t offset = 0;
  for (std::size_t i = 0; i < program_.size(); ++i) {
    index_of_offset_[offset] = static_cast<std::int32_t>(i);
    offset_of_index_.push_back(offset);
    offset += encoded_bytes(program_[i].op);
  }
}

Time Channel::load(Time now) {
  const Burst& burst = control_.source;
  const std::uint32_t bytes = burst.bytes();
  while (!draining_.empty() && draining_.front().ready <= now) {
    held_ -= draining_.front().bytes;
    draining_.pop_front();
  }
  if (held_ + bytes > p_.mfifo_bytes) {
    if (draining_.empty()) {
      fail(ChannelFault::Why::fifo_size, "the MFIFO is too small for one burst");
    }
    return draining_.front().ready;
  }
  if (draining_.size() >= p_.loads_ahead) {
    return draining_[draining_.size() - p_.loads_ahead].ready;
  }
  Access access{source_, bytes, burst.beat_bytes, false};
  access.id = kDmaId;
  const Reply reply = bus_.access(access, now);
  fifo_.push_back({bytes, reply.done});
  held_ += bytes;
  if (burst.increment) source_ += bytes;
  ++next_;
  return now + p_.instruction + burst.beats * p_.beat;
}

Time Channel::store(Time now) {
  const Burst& burst = control_.destination;
  std::uint32_t missing = burst.bytes();
  Time ready = now;
  // A store may need the data of several loads, or part of one.
  while (missing > 0) {
    if (fifo_.empty()) {
      fail(ChannelFault::Why::fifo_empty, "a store without data, the channel hangs");
    }
    Loaded& oldest = fifo_.front();
    const std::uint32_t taken = std::min(missing, oldest.bytes);
    ready = std::max(ready, oldest.ready);
    missing -= taken;
    oldest.bytes -= taken;
    if (oldest.bytes == 0) fifo_.pop_front();
  }
  Access access{target_, burst.bytes(), burst.beat_bytes, true};
  access.bufferable = p_.bufferable;
  access.id = kDmaId;
  const Reply reply = bus_.access(access, ready);
  finished_ = std::max(finished_, reply.done);
  draining_.push_back({burst.bytes(), reply.accepted});
  if (burst.increment) target_ += burst.bytes();
  ++next_;
  return now + p_.instruction + burst.beats * p_.beat;
}

Time Channel::step(Time now) {
  if (next_ >= program_.size()) fail(ChannelFault::Why::past_end, "ran past the program's end");
  const Instruction& instruction = program_[next_];
  switch (instruction.op) {
    case Op::kMove:
      switch (instruction.reg) {
        case Register::kSourceAddress:
          source_ = instruction.immediate;
          break;
        case Register::kDestAddress:
          target_ = instruction.immediate;
          break;
        case Register::kChannelControl:
          control_ = ChannelControl::decode(instruction.immediate);
          break;
      }
      break;
    case Op::kAddHalfword:
      (instruction.reg == Register::kSourceAddress ? source_ : target_) += instruction.immediate;
      break;
    case Op::kAddNegativeHalfword:
      (instruction.reg == Register::kSourceAddress ? source_ : target_) +=
          0xFFFF0000U | instruction.immediate;
      break;
    case Op::kLoad:
      return load(now);
    case Op::kStore:
      return store(now);
    case Op::kLoop:
      counters_[instruction.index] = instruction.immediate - 1;
      break;
    case Op::kLoopEnd:
      if (instruction.flag || counters_[instruction.index] > 0) {
        const std::size_t here = offset_of_index_[next_];
        if (instruction.immediate > here || index_of_offset_[here - instruction.immediate] < 0) {
          fail(ChannelFault::Why::lost, "a loop leads to no instruction");
        }
        if (!instruction.flag) --counters_[instruction.index];
        next_ = static_cast<std::size_t>(index_of_offset_[here - instruction.immediate]);
        return now + p_.instruction;
      }
      break;
    case Op::kNop:
      break;
    case Op::kReadBarrier:
      if (!fifo_.empty() && fifo_.back().ready > now) return fifo_.back().ready;
      break;
    case Op::kWriteBarrier:
      if (finished_ > now) return finished_;
      break;
    case Op::kKill:
    case Op::kEnd:
      finished_ = p_.early_end ? now : std::max(finished_, now);
      return kNever;
    default:
      fail(
          ChannelFault::Why::unmodelled,
          to_text(instruction) + " needs a peripheral or a second channel, which are not modelled");
  }
  ++next_;
  return now + p_.instruction;
}

}  // namespace weighbridge::pl330
