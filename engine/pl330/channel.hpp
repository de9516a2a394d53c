// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// One channel of a PL330, executing microcode. Loads run ahead of stores as far as the MFIFO and
// the read queue allow, so a copy's steady state is the slower of its two sides, not their sum.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/fields.hpp"
#include "core/scheduler.hpp"
#include "pl330/microcode.hpp"

namespace weighbridge::pl330 {

struct ChannelParameters {
  Fields f = {};
  Time start = f.time("start", "from DMAGO to the first instruction, the program's fetch included");
  Time instruction = f.time("instruction", "of the issue of one");
  std::uint32_t mfifo_bytes = f.bytes("mfifo_bytes", "that it holds", {16, kMiB});
  std::uint32_t loads_ahead =
      f.count("loads_ahead", "bursts read and not yet handed to a store", {1, 4096});
  Time beat = f.time("beat", "of the issue of one of a burst", allowed::time_or_none);
  bool early_end = false;   // the program signals its end with stores still under way
  bool bufferable = false;  // and marks them so
};

// Where a program cannot go on: the controller would say so, and why.
class ChannelFault : public std::runtime_error {
 public:
  enum class Why { past_end, lost, fifo_size, fifo_empty, unmodelled };
  ChannelFault(Why why, const std::string& text) : std::runtime_error(text), why(why) {}
  const Why why;
};

class Channel : public Process {
 public:
  Channel(const ChannelParameters& parameters, Component& bus,
          std::span<const std::uint8_t> program);

  // Executes one instruction; waits where a load finds no room. kNever after DMAEND. Throws
  // ChannelFault.
  Time step(Time now) override;

  // When the last write's response arrived or the program signalled its end; meaningful once step()
  // has returned kNever.
  [[nodiscard]] Time finished() const { return finished_; }
  // Of the next instruction, or of the one at fault, in the program.
  [[nodiscard]] std::size_t offset() const {
    return next_ < offset_of_index_.size() ? offset_of_index_[next_] : index_of_offset_.size();
  }

 private:
  struct Loaded {
    std::uint32_t bytes;
    Time ready;
  };

  Time load(Time now);
  Time store(Time now);

  ChannelParameters p_;
  Component& bus_;
  std::vector<Instruction> program_;
  std::vector<std::int32_t> index_of_offset_;  // -1 inside an instruction
  std::vector<std::size_t> offset_of_index_;
  std::size_t next_ = 0;
  std::uint32_t source_ = 0;
  std::uint32_t target_ = 0;
  ChannelControl control_;
  std::uint32_t counters_[2] = {0, 0};
  std::deque<Loaded> fifo_;      // read, not yet stored
  std::deque<Loaded> draining_;  // handed to a store; `ready` is when the space is free again
  std::uint32_t held_ = 0;       // bytes of the MFIFO in use
  Time finished_ = 0;
};

}  // namespace weighbridge::pl330
