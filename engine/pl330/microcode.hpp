// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Microcode of the ARM CoreLink DMA-330 (PL330): the real encodings, as bytes, as values, as text.
//
//   bytes  <- assemble / disassemble ->  Instruction  <- parse_text / to_text ->  text
//
// Nothing here executes: channel.hpp does, and copy_program.hpp writes programs. The text has one
// instruction a line, comments after ';', and mnemonics in either case:
//
//   DMAMOV SAR, 0xc0000000
//   DMAMOV CCR, SB16 SS64 SAI SP0 SC7 DB16 DS64 DAI DP0 DC7
//   DMALP lc0, 23            ; runs the body 23 times
//   DMALD
//   DMAST
//   DMALPEND lc0, 2          ; 2 bytes back; without the number, to the innermost open loop
//   DMAEND
//
// DMALPFE is not an instruction but a mark where a loop for ever begins: parse_text accepts it and
// the DMALPEND that closes it becomes `DMALPEND forever, 2`.
//
// Source: ARM DDI 0424 (DMA-330 TRM), the instruction set and the channel control registers.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weighbridge::pl330 {

enum class Op : std::uint8_t {
  kEnd,
  kKill,
  kNop,
  kReadBarrier,
  kWriteBarrier,
  kLoad,
  kStore,
  kStoreZero,
  kLoadPeripheral,
  kStorePeripheral,
  kFlushPeripheral,
  kWaitPeripheral,
  kLoop,
  kLoopEnd,
  kSendEvent,
  kWaitEvent,
  kAddHalfword,
  kAddNegativeHalfword,
  kMove,
  kGo,
};

// When an instruction acts, by the type of the peripheral's last request. Loads, stores and
// DMALPEND: any. DMALDP and DMASTP: single or burst. DMAWFP: all but always.
enum class Condition : std::uint8_t { kAlways, kSingle, kBurst, kPeripheral };

enum class Register : std::uint8_t { kSourceAddress = 0, kChannelControl = 1, kDestAddress = 2 };

// One instruction. Operands that an instruction does not have stay at their defaults, so that equal
// instructions compare equal.
//
//   op                        index              immediate                     flag
//   kMove                     -                  32-bit value for `reg`        -
//   kAddHalfword, ...Negative -                  16-bit value for SAR or DAR   -
//   kLoop                     counter 0..1       iterations 1..256             -
//   kLoopEnd                  counter 0..1       bytes to jump back, 0..255    forever (no counter)
//   kGo                       channel 0..7       address of the program        non-secure
//   kSendEvent                event 0..31        -                             -
//   kWaitEvent                event 0..31        -                             invalidate cache
//   k...Peripheral            peripheral 0..31   -                             -
struct Instruction {
  Op op = Op::kNop;
  Condition condition = Condition::kAlways;
  Register reg = Register::kSourceAddress;
  std::uint8_t index = 0;
  bool flag = false;
  std::uint32_t immediate = 0;

  bool operator==(const Instruction&) const = default;
};

// One half of the channel control register: how the source is loaded or the destination stored.
struct Burst {
  bool increment = true;
  unsigned beat_bytes = 1;  // 1, 2, 4, 8 or 16
  unsigned beats = 1;       // 1..16
  unsigned protection = 0;  // AxPROT, 0..7
  // ARCACHE[2:0] for the source; AWCACHE[3], AWCACHE[1:0] for the destination; 0..7.
  unsigned cache = 0;

  unsigned bytes() const { return beat_bytes * beats; }
  bool operator==(const Burst&) const = default;
};

// The channel control register, CCR.
struct ChannelControl {
  Burst source = {};
  Burst destination = {};
  unsigned swap_bytes = 1;  // endian swap within 1 (none), 2, 4, 8 or 16 bytes

  // Throws std::invalid_argument on a field outside its range.
  std::uint32_t encode() const;
  // Throws std::invalid_argument on a reserved value.
  static ChannelControl decode(std::uint32_t value);

  bool operator==(const ChannelControl&) const = default;
};

// Bytes that an instruction takes in memory: 1, 2, 3 or 6.
std::size_t encoded_bytes(Op op);

// Throws std::invalid_argument naming the instruction's index when an operand is out of range.
std::vector<std::uint8_t> assemble(std::span<const Instruction> instructions);

// The instruction at byte `offset` of `code`. Throws std::invalid_argument naming the offset when
// there is no such instruction, a reserved bit is set, or it is cut short.
Instruction decode(std::span<const std::uint8_t> code, std::size_t offset);

// Every instruction from the first byte to the last; faults as `decode`.
std::vector<Instruction> disassemble(std::span<const std::uint8_t> code);

std::string to_text(const Instruction& instruction);

// Throws std::invalid_argument naming the line.
std::vector<Instruction> parse_text(std::string_view text);

}  // namespace weighbridge::pl330
