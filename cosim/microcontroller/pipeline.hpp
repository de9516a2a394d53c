// SPDX-License-Identifier: GPL-2.0-only
//
// When a Cortex-M7 issues the instructions of a block, each after the one before it, two a cycle.
//
// Counted from the stage in which an ALU works: addresses and operands that are shifted are needed
// a stage earlier, what is stored a stage later, and a word that is loaded is there as soon as a
// sum, a byte or a halfword a stage after it. Which two go together, and these distances, are those
// of LLVM's scheduling model of the core (ARMScheduleM7.td). Nothing waits across blocks, and no
// instruction waits for flags: its jump is predicted.
#pragma once

#include <cstdint>
#include <vector>

#include "core/time.hpp"
#include "decoder.hpp"

namespace weighbridge::microcontroller {

// In cycles of the core, but for the last two.
struct PipelineParameters {
  double load_word = 0;    // from a load to an ALU that uses it
  double load_narrow = 0;  // the same of a byte or a halfword
  double multiply = 0;     // from a multiplication to an ALU that uses it
  double divide = 0;       // of a division, while nothing else is issued
  double early = 0;        // before the ALU: addresses, and what is shifted
  double late = 0;         // behind it: what is stored
  double flush = 0;        // of a barrier that empties the pipeline
  double loads = 0;        // in a cycle
  double fetch_bytes = 0;  // in a cycle
};

class Pipeline {
 public:
  Pipeline(const PipelineParameters& parameters, Clock clock) : p_(parameters), clock_(clock) {}

  // Of each instruction from the block's start; one more: of the whole block.
  [[nodiscard]] std::vector<Time> begins(const std::vector<processor::Step>& steps) const;
  // What fetching a block takes beyond executing it. Fetching runs ahead of a block that follows;
  // where a jump leads to a short one, again and again, it decides.
  [[nodiscard]] Time beyond(std::uint32_t pc, std::uint32_t bytes, Time executed) const;

 private:
  PipelineParameters p_;
  Clock clock_;
};

}  // namespace weighbridge::microcontroller
