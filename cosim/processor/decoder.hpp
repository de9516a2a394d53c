// SPDX-License-Identifier: GPL-2.0-only
//
// What the cost model has to know of an instruction: its class, the registers it waits for, those
// that it leaves waiting, and whether the emulator must be helped with it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/time.hpp"

namespace weighbridge::processor {

// Of the cost model; each in cycles of the core.
struct InstructionCosts {
  double issue = 0;           // any instruction
  double branch = 0;          // more, of a branch that prediction has right
  double branch_unpredicted;  // more, with branch prediction off
  double multiply = 0;        // more
  double float_ = 0;          // more, of VFP and NEON arithmetic
  double transfer = 0;  // more, for each pair of registers of a load or store beyond the first
  double system = 0;    // more, of an access to the system coprocessor
};

enum class Special : std::uint8_t {
  none,
  coprocessor,
  barrier,
  preload,
  wait_interrupt,
  wait_event
};

// The part of the core that an instruction needs, as far as a pipeline has to know it.
enum class Unit : std::uint8_t {
  alu,
  shift,
  extend,   // of a byte, halfword or field
  reverse,  // of bytes or bits
  load,
  narrow_load,  // of a byte or a halfword
  store,
  multiply,
  divide,
  alone,  // several registers to or from memory, or the system's
  flush   // what follows is fetched anew
};

// Registers as a mask: r0 to r15 in the low bits, d0 to d31 above them.
using Registers = std::uint64_t;
inline constexpr unsigned kFirstDouble = 16;

struct Step {
  std::uint32_t pc = 0;
  std::uint32_t word = 0;  // the encoding; of Thumb's long instructions the first half is high
  std::uint8_t bytes = 4;
  Special special = Special::none;
  Unit unit = Unit::alu;
  bool unconditional = true;
  bool branches = false;
  bool calls = false;
  Registers waits = 0;   // needed before it can go on
  Registers data = 0;    // stored: may still be under way in the core's own registers
  Registers writes = 0;  // loaded, if it loads
  Registers addresses = 0;
  Registers shifted = 0;  // or extended, or reversed, before they are used
  std::int8_t base = -1;  // of a preload: the address is base + offset, with an index or without
  std::int8_t index = -1;
  std::int32_t offset = 0;
  Time cost = 0;
};

class Decoder {
 public:
  Decoder(const InstructionCosts& costs, const Clock& clock);
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // The instructions in `code`, which lies at `pc`.
  std::vector<Step> decode(std::span<const std::uint8_t> code, std::uint32_t pc, bool thumb,
                           bool predicting);
  // An instruction as text; empty where it is none.
  std::string text(std::span<const std::uint8_t> code, std::uint32_t pc, bool thumb);

 private:
  const InstructionCosts costs_;
  const Clock clock_;
  std::size_t arm_ = 0;  // Capstone's handles
  std::size_t thumb_ = 0;
};

}  // namespace weighbridge::processor
