// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "pl330/microcode.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "pl330/encoding.hpp"

namespace weighbridge::pl330 {
namespace {

// DMALPEND: clear when the loop runs for ever. The counter's bit is then set, because without it
// the conditional forms would be DMASTP.
constexpr std::uint8_t kCounted = 0x10;
constexpr std::uint8_t kLoopCounter = 0x04;  // DMALPEND: which counter
constexpr std::uint8_t kInvalidate = 0x02;   // DMAWFE's second byte

// --- bits of the opcode byte <-> condition ---------------------------------------------------

std::uint8_t condition_bits(const Instruction& in) {
  const bool single = in.condition == Condition::kSingle;
  const bool burst = in.condition == Condition::kBurst;
  if (in.op == Op::kWaitPeripheral) {
    require(in.condition != Condition::kAlways, "DMAWFP needs single, burst or periph");
    return single ? 0x00 : burst ? 0x02 : 0x01;
  }
  if (takes_peripheral_condition(in.op)) {
    require(single || burst, "DMALDP and DMASTP need the suffix S or B");
    return burst ? 0x02 : 0x00;
  }
  if (takes_any_condition(in.op)) {
    require(in.condition != Condition::kPeripheral, "only DMAWFP takes periph");
    return single ? 0x01 : burst ? 0x03 : 0x00;
  }
  require(in.condition == Condition::kAlways, "this instruction has no condition");
  return 0;
}

Condition condition_from(Op op, std::uint8_t byte) {
  const unsigned bits = byte & 0x03U;
  if (op == Op::kWaitPeripheral) {
    require(bits != 3, "reserved condition");
    return bits == 0 ? Condition::kSingle : bits == 2 ? Condition::kBurst : Condition::kPeripheral;
  }
  if (takes_peripheral_condition(op)) return bits & 2 ? Condition::kBurst : Condition::kSingle;
  if (takes_any_condition(op)) {
    require(bits != 2, "reserved condition");
    return bits == 0 ? Condition::kAlways : bits == 1 ? Condition::kSingle : Condition::kBurst;
  }
  return Condition::kAlways;
}

// --- one instruction <-> bytes ---------------------------------------------------------------

void put(std::vector<std::uint8_t>& code, std::uint32_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) code.push_back((value >> (8 * i)) & 0xFFU);
}

Instruction decode_checked(std::span<const std::uint8_t> code) {
  const std::uint8_t opcode = code.front();
  const auto format = std::ranges::find_if(
      kFormats, [opcode](const Format& f) { return (opcode & ~f.variable) == f.opcode; });
  if (format == kFormats.end()) fail("no such opcode");
  require(code.size() >= encoded_bytes(format->op), "instruction cut short");

  Instruction in{.op = format->op, .condition = condition_from(format->op, opcode)};
  const auto little_endian = [code](std::size_t first, unsigned bytes) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
      value |= static_cast<std::uint32_t>(code[first + i]) << (8 * i);
    }
    return value;
  };
  switch (format->operands) {
    case Operands::kNone:
      break;
    case Operands::kIndex:
      in.index = code[1] >> 3;
      in.flag = in.op == Op::kWaitEvent && (code[1] & kInvalidate) != 0;
      require((code[1] & 0x07U) == (in.flag ? kInvalidate : 0U), "reserved bits set");
      break;
    case Operands::kLoop:
      in.index = opcode >> 1 & 1U;
      in.immediate = code[1] + 1U;
      break;
    case Operands::kLoopEnd:
      in.flag = (opcode & kCounted) == 0;
      require(!in.flag || (opcode & kLoopCounter) != 0, "no such opcode");
      in.index = !in.flag && (opcode & kLoopCounter) != 0;
      in.immediate = code[1];
      break;
    case Operands::kHalfword:
      in.reg = opcode & 2U ? Register::kDestAddress : Register::kSourceAddress;
      in.immediate = little_endian(1, 2);
      break;
    case Operands::kMove:
      require(code[1] <= 2, "no such register");
      in.reg = static_cast<Register>(code[1]);
      in.immediate = little_endian(2, 4);
      if (in.reg == Register::kChannelControl) ChannelControl::decode(in.immediate);
      break;
    case Operands::kGo:
      require(code[1] < 8, "channel above 7");
      in.index = code[1];
      in.flag = (opcode & 2U) != 0;
      in.immediate = little_endian(2, 4);
      break;
  }
  return in;
}

// --- CCR -------------------------------------------------------------------------------------

constexpr unsigned kSourceShift = 0;
constexpr unsigned kDestShift = 14;
constexpr unsigned kSwapShift = 28;

// 1, 2, 4, 8, 16 as 0..4.
std::uint32_t size_code(unsigned bytes, const char* what) {
  require(std::has_single_bit(bytes) && bytes <= 16, what);
  return static_cast<std::uint32_t>(std::countr_zero(bytes));
}

std::uint32_t encode_burst(const Burst& burst) {
  require(burst.beats >= 1 && burst.beats <= 16, "CCR: burst length outside 1..16");
  require(burst.protection <= 7, "CCR: protection above 7");
  require(burst.cache <= 7, "CCR: cache control above 7");
  return (burst.increment ? 1U : 0U) |
         size_code(burst.beat_bytes, "CCR: beat not of 1, 2, 4, 8 or 16 bytes") << 1 |
         (burst.beats - 1) << 4 | burst.protection << 8 | burst.cache << 11;
}

Burst decode_burst(std::uint32_t bits) {
  require((bits >> 1 & 7U) <= 4, "CCR: reserved beat size");
  return {.increment = (bits & 1U) != 0,
          .beat_bytes = 1U << (bits >> 1 & 7U),
          .beats = (bits >> 4 & 15U) + 1,
          .protection = bits >> 8 & 7U,
          .cache = bits >> 11 & 7U};
}

}  // namespace

void encode(const Instruction& in, std::vector<std::uint8_t>& code) {
  const Format& format = format_of(in.op);
  const unsigned opcode = format.opcode | condition_bits(in);
  const bool has_flag = in.op == Op::kLoopEnd || in.op == Op::kGo || in.op == Op::kWaitEvent;
  require(has_flag || !in.flag, "this instruction has no flag");
  switch (format.operands) {
    case Operands::kNone:
      put(code, opcode, 1);
      break;
    case Operands::kIndex:
      require(in.index < 32, "event or peripheral above 31");
      put(code, opcode, 1);
      put(code, in.index << 3 | (in.flag ? kInvalidate : 0), 1);
      break;
    case Operands::kLoop:
      require(in.index < 2, "loop counter above 1");
      require(in.immediate >= 1 && in.immediate <= 256, "loop count outside 1..256");
      put(code, opcode | in.index << 1, 1);
      put(code, in.immediate - 1, 1);
      break;
    case Operands::kLoopEnd:
      require(in.index < 2, "loop counter above 1");
      require(in.immediate <= 255, "loop body longer than 255 bytes");
      require(!in.flag || in.index == 0, "a loop for ever has no counter");
      put(code, opcode | (in.flag ? kLoopCounter : kCounted | (in.index ? kLoopCounter : 0)), 1);
      put(code, in.immediate, 1);
      break;
    case Operands::kHalfword:
      require(in.reg != Register::kChannelControl, "CCR cannot be added to");
      require(in.immediate <= 0xFFFF, "immediate above 16 bits");
      put(code, opcode | static_cast<unsigned>(in.reg), 1);
      put(code, in.immediate, 2);
      break;
    case Operands::kMove:
      if (in.reg == Register::kChannelControl) ChannelControl::decode(in.immediate);
      put(code, opcode, 1);
      put(code, static_cast<unsigned>(in.reg), 1);
      put(code, in.immediate, 4);
      break;
    case Operands::kGo:
      require(in.index < 8, "channel above 7");
      put(code, opcode | (in.flag ? 2U : 0U), 1);
      put(code, in.index, 1);
      put(code, in.immediate, 4);
      break;
  }
}

std::uint32_t ChannelControl::encode() const {
  return encode_burst(source) << kSourceShift | encode_burst(destination) << kDestShift |
         size_code(swap_bytes, "CCR: endian swap not within 1, 2, 4, 8 or 16 bytes") << kSwapShift;
}

ChannelControl ChannelControl::decode(std::uint32_t value) {
  require(value >> kSwapShift <= 4, "CCR: reserved endian swap");
  return {.source = decode_burst(value >> kSourceShift),
          .destination = decode_burst(value >> kDestShift),
          .swap_bytes = 1U << (value >> kSwapShift)};
}

std::size_t encoded_bytes(Op op) {
  switch (format_of(op).operands) {
    case Operands::kNone:
      return 1;
    case Operands::kIndex:
    case Operands::kLoop:
    case Operands::kLoopEnd:
      return 2;
    case Operands::kHalfword:
      return 3;
    case Operands::kMove:
    case Operands::kGo:
      return 6;
  }
  fail("no such operation");
}

std::vector<std::uint8_t> assemble(std::span<const Instruction> instructions) {
  std::vector<std::uint8_t> code;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    try {
      encode(instructions[i], code);
    } catch (const std::invalid_argument& fault) {
      fail("instruction " + std::to_string(i) + ": " + fault.what());
    }
  }
  return code;
}

Instruction decode(std::span<const std::uint8_t> code, std::size_t offset) {
  try {
    require(offset < code.size(), "past the end");
    return decode_checked(code.subspan(offset));
  } catch (const std::invalid_argument& fault) {
    fail("byte " + std::to_string(offset) + ": " + fault.what());
  }
}

std::vector<Instruction> disassemble(std::span<const std::uint8_t> code) {
  std::vector<Instruction> instructions;
  for (std::size_t offset = 0; offset < code.size();) {
    instructions.push_back(decode(code, offset));
    offset += encoded_bytes(instructions.back().op);
  }
  return instructions;
}

}  // namespace weighbridge::pl330
