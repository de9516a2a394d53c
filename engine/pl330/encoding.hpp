// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// What the encoder, the decoder, the parser and the printer of microcode share: the table of
// instructions, and how a fault is told. Nothing outside of this room includes it.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pl330/microcode.hpp"

namespace weighbridge::pl330 {

// What follows the opcode byte.
enum class Operands : std::uint8_t { kNone, kIndex, kLoop, kLoopEnd, kHalfword, kMove, kGo };

struct Format {
  Op op;
  std::string_view mnemonic;
  std::uint8_t opcode;    // with every variable bit 0
  std::uint8_t variable;  // bits of the opcode byte that carry an operand
  Operands operands;
};

// Ordered as Op, so that a format is found by its index. Variable bits: 0x03 condition (0 none,
// 1 single, 3 burst), 0x02 condition of the peripheral forms or a register or a flag.
inline constexpr std::array<Format, 20> kFormats{{
    {Op::kEnd, "DMAEND", 0x00, 0x00, Operands::kNone},
    {Op::kKill, "DMAKILL", 0x01, 0x00, Operands::kNone},
    {Op::kNop, "DMANOP", 0x18, 0x00, Operands::kNone},
    {Op::kReadBarrier, "DMARMB", 0x12, 0x00, Operands::kNone},
    {Op::kWriteBarrier, "DMAWMB", 0x13, 0x00, Operands::kNone},
    {Op::kLoad, "DMALD", 0x04, 0x03, Operands::kNone},
    {Op::kStore, "DMAST", 0x08, 0x03, Operands::kNone},
    {Op::kStoreZero, "DMASTZ", 0x0C, 0x00, Operands::kNone},
    {Op::kLoadPeripheral, "DMALDP", 0x25, 0x02, Operands::kIndex},
    {Op::kStorePeripheral, "DMASTP", 0x29, 0x02, Operands::kIndex},
    {Op::kFlushPeripheral, "DMAFLUSHP", 0x35, 0x00, Operands::kIndex},
    {Op::kWaitPeripheral, "DMAWFP", 0x30, 0x03, Operands::kIndex},
    {Op::kLoop, "DMALP", 0x20, 0x02, Operands::kLoop},
    {Op::kLoopEnd, "DMALPEND", 0x28, 0x17, Operands::kLoopEnd},
    {Op::kSendEvent, "DMASEV", 0x34, 0x00, Operands::kIndex},
    {Op::kWaitEvent, "DMAWFE", 0x36, 0x00, Operands::kIndex},
    {Op::kAddHalfword, "DMAADDH", 0x54, 0x02, Operands::kHalfword},
    {Op::kAddNegativeHalfword, "DMAADNH", 0x5C, 0x02, Operands::kHalfword},
    {Op::kMove, "DMAMOV", 0xBC, 0x00, Operands::kMove},
    {Op::kGo, "DMAGO", 0xA0, 0x02, Operands::kGo},
}};

constexpr bool ordered_as_op() {
  for (std::size_t i = 0; i < kFormats.size(); ++i) {
    if (kFormats[i].op != static_cast<Op>(i)) return false;
  }
  return true;
}
static_assert(ordered_as_op());

[[noreturn]] inline void fail(const std::string& what) { throw std::invalid_argument(what); }

inline void require(bool condition, const char* what) {
  if (!condition) fail(what);
}

inline const Format& format_of(Op op) { return kFormats.at(static_cast<std::size_t>(op)); }

inline bool takes_any_condition(Op op) {
  return op == Op::kLoad || op == Op::kStore || op == Op::kLoopEnd;
}

inline bool takes_peripheral_condition(Op op) {
  return op == Op::kLoadPeripheral || op == Op::kStorePeripheral;
}

// Appends the bytes of an instruction. Throws std::invalid_argument where an operand is out of
// range.
void encode(const Instruction& in, std::vector<std::uint8_t>& code);

}  // namespace weighbridge::pl330
