// SPDX-License-Identifier: Apache-2.0

#include "pl330/microcode.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pl330/copy_program.hpp"

namespace weighbridge::pl330 {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::string fault_of(auto&& call) {
  try {
    call();
  } catch (const std::invalid_argument& fault) {
    return fault.what();
  }
  return "no fault";
}

TEST(Microcode, EncodesAsTheManual) {
  const std::vector<std::pair<std::string, Bytes>> table{
      {"DMAEND", {0x00}},
      {"DMAKILL", {0x01}},
      {"DMANOP", {0x18}},
      {"DMARMB", {0x12}},
      {"DMAWMB", {0x13}},
      {"DMALD", {0x04}},
      {"DMALDS", {0x05}},
      {"DMALDB", {0x07}},
      {"DMAST", {0x08}},
      {"DMASTS", {0x09}},
      {"DMASTB", {0x0B}},
      {"DMASTZ", {0x0C}},
      {"DMALDPS 3", {0x25, 0x18}},
      {"DMALDPB 3", {0x27, 0x18}},
      {"DMASTPS 31", {0x29, 0xF8}},
      {"DMASTPB 31", {0x2B, 0xF8}},
      {"DMAFLUSHP 4", {0x35, 0x20}},
      {"DMAWFP 1, single", {0x30, 0x08}},
      {"DMAWFP 1, burst", {0x32, 0x08}},
      {"DMAWFP 1, periph", {0x31, 0x08}},
      {"DMALP lc0, 1", {0x20, 0x00}},
      {"DMALP lc1, 256", {0x22, 0xFF}},
      {"DMALPEND lc0, 2", {0x38, 0x02}},
      {"DMALPENDS lc0, 2", {0x39, 0x02}},
      {"DMALPENDB lc1, 7", {0x3F, 0x07}},
      {"DMALPEND forever, 2", {0x2C, 0x02}},
      {"DMALPENDS forever, 2", {0x2D, 0x02}},
      {"DMASEV 5", {0x34, 0x28}},
      {"DMAWFE 5", {0x36, 0x28}},
      {"DMAWFE 5, invalid", {0x36, 0x2A}},
      {"DMAADDH SAR, 0x1234", {0x54, 0x34, 0x12}},
      {"DMAADDH DAR, 0x1234", {0x56, 0x34, 0x12}},
      {"DMAADNH SAR, 0xfff0", {0x5C, 0xF0, 0xFF}},
      {"DMAMOV SAR, 0xc0000010", {0xBC, 0x00, 0x10, 0x00, 0x00, 0xC0}},
      {"DMAMOV CCR, SB1 SS8 SAI SP0 SC0 DB1 DS8 DAI DP0 DC0", {0xBC, 0x01, 0x01, 0x40, 0x00, 0x00}},
      {"DMAMOV DAR, 0x0", {0xBC, 0x02, 0x00, 0x00, 0x00, 0x00}},
      {"DMAGO 2, 0xffff0010", {0xA0, 0x02, 0x10, 0x00, 0xFF, 0xFF}},
      {"DMAGO 2, 0xffff0010, ns", {0xA2, 0x02, 0x10, 0x00, 0xFF, 0xFF}},
  };
  for (const auto& [text, bytes] : table) {
    const auto parsed = parse_text(text);
    ASSERT_EQ(parsed.size(), 1U) << text;
    EXPECT_EQ(assemble(parsed), bytes) << text;
    EXPECT_EQ(encoded_bytes(parsed[0].op), bytes.size()) << text;
    EXPECT_EQ(disassemble(bytes), parsed) << text;
    EXPECT_EQ(to_text(parsed[0]), text);
  }
}

TEST(Microcode, ChannelControlHoldsEveryField) {
  const ChannelControl ccr{
      .source = {.increment = true, .beat_bytes = 8, .beats = 16, .protection = 2, .cache = 7},
      .destination =
          {.increment = false, .beat_bytes = 16, .beats = 3, .protection = 5, .cache = 1},
      .swap_bytes = 4};
  const std::uint32_t source = 1U | 3U << 1 | 15U << 4 | 2U << 8 | 7U << 11;
  const std::uint32_t destination = 0U | 4U << 15 | 2U << 18 | 5U << 22 | 1U << 25;
  EXPECT_EQ(ccr.encode(), source | destination | 2U << 28);
  EXPECT_EQ(ChannelControl::decode(ccr.encode()), ccr);
  EXPECT_EQ(fault_of([] { ChannelControl::decode(5U << 1); }), "CCR: reserved beat size");
  EXPECT_EQ(fault_of([] { ChannelControl{.swap_bytes = 3}.encode(); }),
            "CCR: endian swap not within 1, 2, 4, 8 or 16 bytes");
}

// Any bytes either are refused or come back exactly, and as text too.
TEST(Microcode, AcceptedBytesRoundTrip) {
  std::mt19937 random(330);
  std::map<Op, int> seen;
  for (int i = 0; i < 200'000; ++i) {
    Bytes code(6);
    for (auto& byte : code) byte = random() & 0xFFU;
    code[1] &= random();  // registers and channels are small
    Instruction in;
    try {
      in = decode(code, 0);
    } catch (const std::invalid_argument&) {
      continue;
    }
    ++seen[in.op];
    code.resize(encoded_bytes(in.op));
    ASSERT_EQ(assemble(std::vector{in}), code) << to_text(in);
    ASSERT_EQ(parse_text(to_text(in)), std::vector{in}) << to_text(in);
  }
  EXPECT_EQ(seen.size(), 20U);
}

TEST(Microcode, BadBytesNameTheirOffset) {
  EXPECT_EQ(fault_of([] { disassemble(Bytes{0x18, 0xFF}); }), "byte 1: no such opcode");
  EXPECT_EQ(fault_of([] { disassemble(Bytes{0xBC, 0x00, 0x00}); }),
            "byte 0: instruction cut short");
  EXPECT_EQ(fault_of([] { disassemble(Bytes{0x00, 0x18, 0xBC, 3, 0, 0, 0, 0}); }),
            "byte 2: no such register");
  EXPECT_EQ(fault_of([] { disassemble(Bytes{0x28, 0x02}); }), "byte 0: no such opcode");
  EXPECT_EQ(fault_of([] { disassemble(Bytes{0x34, 0x01}); }), "byte 0: reserved bits set");
  EXPECT_EQ(fault_of([] { decode(Bytes{0x00}, 1); }), "byte 1: past the end");
}

TEST(Microcode, BadOperandsNameTheirInstruction) {
  EXPECT_EQ(
      fault_of([] {
        assemble(std::vector<Instruction>{{.op = Op::kEnd}, {.op = Op::kLoop, .immediate = 257}});
      }),
      "instruction 1: loop count outside 1..256");
  EXPECT_EQ(fault_of([] { assemble(std::vector<Instruction>{{.op = Op::kLoadPeripheral}}); }),
            "instruction 0: DMALDP and DMASTP need the suffix S or B");
}

TEST(Microcode, TextResolvesLoops) {
  const auto program = parse_text(
      "; two levels\n"
      "dmalp lc0, 4\n"
      "  DMALPFE\n"
      "    DMALD\n\n"
      "    DMAST\n"
      "  DMALPEND\n"
      "DMALPEND ; outer\n"
      "DMAEND");
  const std::vector<Instruction> expected{
      {.op = Op::kLoop, .immediate = 4},
      {.op = Op::kLoad},
      {.op = Op::kStore},
      {.op = Op::kLoopEnd, .flag = true, .immediate = 2},
      {.op = Op::kLoopEnd, .immediate = 4},
      {.op = Op::kEnd},
  };
  EXPECT_EQ(program, expected);
}

TEST(Microcode, BadTextNamesItsLine) {
  EXPECT_EQ(fault_of([] { parse_text("DMAEND\nDMAFOO"); }), "line 2: no instruction 'DMAFOO'");
  EXPECT_EQ(fault_of([] { parse_text("DMAMOV SAR, 12q"); }),
            "line 1: '12Q' is not a number of 32 bits");
  EXPECT_EQ(fault_of([] { parse_text("DMALP lc0, 300"); }), "line 1: loop count outside 1..256");
  EXPECT_EQ(fault_of([] { parse_text("DMALPEND"); }), "line 1: DMALPEND without a loop to close");
  EXPECT_EQ(fault_of([] { parse_text("DMALD now"); }), "line 1: 'NOW' is one word too many");
  EXPECT_EQ(fault_of([] { parse_text("DMAMOV"); }), "line 1: DMAMOV needs SAR, DAR or CCR");
  EXPECT_EQ(fault_of([] { parse_text("DMAMOV CCR, SX1"); }), "line 1: CCR has no field 'SX1'");
}

// The lengths that the study reports: cyclonev hps-to-fpga, its PL330 program.
TEST(CopyProgram, HasTheStudysLengths) {
  const std::map<std::uint32_t, std::size_t> lengths{
      {2, 21},        {4, 21},        {8, 21},         {16, 21},        {32, 21},
      {64, 21},       {128, 21},      {256, 25},       {512, 25},       {1024, 25},
      {2048, 25},     {4096, 25},     {8192, 25},      {16384, 25},     {32768, 25},
      {64 << 10, 31}, {96 << 10, 37}, {128 << 10, 43}, {256 << 10, 67},
  };
  for (const auto& [bytes, length] : lengths) {
    EXPECT_EQ(build_copy(0x8010'0000, 0xC000'0000, bytes).code.size(), length) << bytes << " B";
  }
}

TEST(CopyProgram, TakesTheShapeItIsGiven) {
  const auto control = [](CopyShape shape) {
    return to_text(build_copy(0, 0xC000'0000, 4096, shape).instructions.at(2));
  };
  EXPECT_EQ(control({.burst_bytes = 64, .beat_bytes = 4}),
            "DMAMOV CCR, SB16 SS32 SAI SP0 SC7 DB16 DS32 DAI DP0 DC7");
  EXPECT_EQ(control({.burst_bytes = 32, .beat_bytes = 8}),
            "DMAMOV CCR, SB4 SS64 SAI SP0 SC7 DB4 DS64 DAI DP0 DC7");
}

TEST(CopyProgram, ReadsAsTheStudysListing) {
  std::string text;
  for (const auto& in : build_copy(0x8010'0000, 0xC000'0000, 2985).instructions) {
    text += to_text(in) + "\n";
  }
  EXPECT_EQ(text,
            "DMAMOV SAR, 0x80100000\n"
            "DMAMOV DAR, 0xc0000000\n"
            "DMAMOV CCR, SB16 SS64 SAI SP0 SC7 DB16 DS64 DAI DP0 DC7\n"
            "DMALP lc0, 23\n"
            "DMALD\n"
            "DMAST\n"
            "DMALPEND lc0, 2\n"
            "DMAMOV CCR, SB5 SS64 SAI SP0 SC7 DB5 DS64 DAI DP0 DC7\n"
            "DMALD\n"
            "DMAST\n"
            "DMAMOV CCR, SB1 SS8 SAI SP0 SC7 DB1 DS8 DAI DP0 DC7\n"
            "DMALD\n"
            "DMAST\n"
            "DMAEND\n");
}

// Bytes that a program moves, by walking it.
std::uint32_t moved(const Program& program) {
  std::uint32_t loads = 0;
  std::uint32_t stores = 0;
  std::uint32_t iterations = 1;
  ChannelControl ccr;
  for (const auto& in : disassemble(program.code)) {
    if (in.op == Op::kMove && in.reg == Register::kChannelControl) {
      ccr = ChannelControl::decode(in.immediate);
    }
    if (in.op == Op::kLoop) iterations = in.immediate;
    if (in.op == Op::kLoopEnd) iterations = 1;
    if (in.op == Op::kLoad) loads += iterations * ccr.source.bytes();
    if (in.op == Op::kStore) stores += iterations * ccr.destination.bytes();
  }
  EXPECT_EQ(loads, stores);
  return loads;
}

TEST(CopyProgram, MovesEveryByteOfEverySize) {
  for (std::uint32_t offset = 0; offset < 8; ++offset) {
    for (std::uint32_t bytes = 1; bytes <= kMaxCopyBytes; bytes += bytes < 1000 ? 1 : 997) {
      ASSERT_EQ(moved(build_copy(0x1000 + offset, 0xC000'0000 + offset, bytes)), bytes);
    }
    EXPECT_EQ(moved(build_copy(offset, offset, kMaxCopyBytes)), kMaxCopyBytes);
  }
}

TEST(CopyProgram, RefusesWhatItCannotCopy) {
  EXPECT_EQ(fault_of([] { build_copy(0, 0, 0); }), "a copy program moves 1..262144 bytes, not 0");
  EXPECT_EQ(fault_of([] { build_copy(0, 0, kMaxCopyBytes + 1); }),
            "a copy program moves 1..262144 bytes, not 262145");
  EXPECT_EQ(fault_of([] { build_copy(1, 2, 64); }),
            "source and destination must be congruent modulo 8");
}

}  // namespace
}  // namespace weighbridge::pl330
