// SPDX-License-Identifier: Apache-2.0
//
// The assembler that kernel and firmware have in common, against the engine's.

extern "C" {
#include "pl330_program.h"

#include "pl330_registers.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "pl330/copy_program.hpp"
#include "pl330/microcode.hpp"

namespace weighbridge::pl330 {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint8_t kUntouched = 0xA5;
constexpr std::uint32_t kSlack = 32;  // behind the room that a program is given

struct Written {
  pl330_fault fault;
  Bytes code;
};

// What `write` writes into so much room; nothing behind it may change.
Written written(std::uint32_t room, auto&& write) {
  Bytes buffer(room + kSlack, kUntouched);
  pl330_program program;
  pl330_begin(&program, buffer.data(), room);
  write(&program);
  EXPECT_LE(program.length, room);
  const auto end = buffer.begin() + program.length;
  EXPECT_TRUE(std::all_of(end, buffer.end(), [](std::uint8_t byte) { return byte == kUntouched; }));
  return {program.fault, Bytes(buffer.begin(), end)};
}

Written copied(const pl330_copy& copy, std::uint32_t room = 8192) {
  return written(room, [&](pl330_program* program) { pl330_write_copy(program, &copy); });
}

// The engine's program for the same copy, with the protection and the event that it knows nothing
// of put in.
Bytes expected(const pl330_copy& copy) {
  Program program = build_copy(copy.source, copy.destination, copy.bytes,
                               {.burst_bytes = copy.burst_bytes, .beat_bytes = copy.beat_bytes});
  auto& list = program.instructions;
  for (Instruction& in : list) {
    if (in.op != Op::kMove || in.reg != Register::kChannelControl) continue;
    ChannelControl control = ChannelControl::decode(in.immediate);
    control.source.protection = control.destination.protection = copy.protection;
    in.immediate = control.encode();
  }
  if (copy.event != PL330_NO_EVENT) {
    const auto index = static_cast<std::uint8_t>(copy.event);
    list.insert(list.end() - 1,
                {{.op = Op::kWriteBarrier}, {.op = Op::kSendEvent, .index = index}});
  }
  return assemble(list);
}

class Draw {
 public:
  explicit Draw(std::uint32_t seed) : bits_(seed) {}

  // Not std::uniform_int_distribution, whose numbers differ from host to host.
  std::uint32_t below(std::uint32_t count) { return bits_() % count; }
  std::uint32_t word() { return bits_(); }

  pl330_copy copy() {
    // As many short ones as long ones, and the neighbours of powers of two.
    std::uint32_t bytes = 1U << below(19);
    if (below(2) == 0) bytes += below(bytes);
    if (below(4) == 0) bytes += below(17) - 8;
    bytes = std::clamp<std::uint32_t>(bytes, 1, PL330_MAX_COPY);
    const std::uint32_t source = below(0xFFF00000);
    const std::uint32_t destination = (below(0xFFF00000) & ~7U) + source % 8;
    pl330_copy copy = PL330_STUDY_COPY(source, destination, bytes);
    if (below(2) == 0) {
      copy.beat_bytes = 1U << below(4);
      copy.burst_bytes = copy.beat_bytes * (1 + below(20)) + below(copy.beat_bytes);
    }
    if (below(4) == 0) copy.protection = below(8);
    if (below(4) == 0) copy.event = below(32);
    return copy;
  }

 private:
  std::mt19937 bits_;
};

TEST(Pl330Program, TenThousandCopiesAreTheEnginesToTheByte) {
  Draw draw(1);
  std::set<Bytes> different;
  for (int round = 0; round < 10000; ++round) {
    const pl330_copy copy = draw.copy();
    const Written ours = copied(copy);
    ASSERT_EQ(ours.fault, PL330_OK) << round;
    ASSERT_EQ(ours.code, expected(copy))
        << "copy " << round << ": " << copy.bytes << " bytes from " << copy.source << ", bursts of "
        << copy.burst_bytes << ", beats of " << copy.beat_bytes;
    different.insert(ours.code);
  }
  EXPECT_GT(different.size(), 9900U);
}

TEST(Pl330Program, TheStudiesSizesTakeTheBytesThatTheStudyTells) {
  const std::vector<std::pair<std::uint32_t, std::size_t>> table{
      {2, 21},     {8, 21},     {64, 21},     {128, 21},    {256, 25},
      {32768, 25}, {65536, 31}, {131072, 43}, {262144, 67},
  };
  for (const auto& [bytes, length] : table) {
    const pl330_copy copy = PL330_STUDY_COPY(0x00100000, 0xC0000000, bytes);
    EXPECT_EQ(copied(copy).code.size(), length) << bytes;
  }
}

TEST(Pl330Program, RoomForTheStudiesShapeIsEnough) {
  std::size_t longest = 0;
  for (std::uint32_t head = 0; head < 8; ++head) {
    for (std::uint32_t less = 0; less < 1024; ++less) {
      pl330_copy copy = PL330_STUDY_COPY(head, 0xC0000000 + head, PL330_MAX_COPY - less);
      copy.event = 31;
      longest = std::max(longest, copied(copy).code.size());
    }
  }
  EXPECT_LE(longest, std::size_t{PL330_COPY_BYTES});
  EXPECT_GT(longest, std::size_t{PL330_COPY_BYTES} - 8);
}

TEST(Pl330Program, NoRoomIsAFaultAndWritesNothingBehind) {
  Draw draw(2);
  for (int round = 0; round < 500; ++round) {
    const pl330_copy copy = draw.copy();
    const Bytes whole = copied(copy).code;
    const auto length = static_cast<std::uint32_t>(whole.size());
    EXPECT_EQ(copied(copy, length).fault, PL330_OK);
    const std::uint32_t room = draw.below(length);
    const Written cut = copied(copy, room);
    ASSERT_EQ(cut.fault, PL330_NO_ROOM) << room << " of " << length;
    ASSERT_TRUE(std::equal(cut.code.begin(), cut.code.end(), whole.begin()));
  }
}

TEST(Pl330Program, WhatNoProgramCanCopyIsRefused) {
  const auto fault = [](std::uint32_t source, std::uint32_t destination, std::uint32_t bytes,
                        std::uint32_t burst = 128, std::uint32_t beat = 8) {
    pl330_copy copy = PL330_STUDY_COPY(source, destination, bytes);
    copy.burst_bytes = burst;
    copy.beat_bytes = beat;
    const Written done = copied(copy);
    EXPECT_TRUE(done.code.empty());
    return done.fault;
  };
  EXPECT_EQ(fault(0, 0, 0), PL330_BAD_SIZE);
  EXPECT_EQ(fault(0, 0, PL330_MAX_COPY + 1), PL330_BAD_SIZE);
  EXPECT_EQ(fault(0, 1, 8), PL330_BAD_ADDRESS);
  EXPECT_EQ(fault(0xFFFFFFF8, 0, 9), PL330_BAD_ADDRESS);
  EXPECT_EQ(fault(0, 0xFFFFFFF8, 9), PL330_BAD_ADDRESS);
  EXPECT_EQ(fault(0, 0, 64, 128, 16), PL330_BAD_SHAPE);
  EXPECT_EQ(fault(0, 0, 64, 128, 3), PL330_BAD_SHAPE);
  EXPECT_EQ(fault(0, 0, 64, 128, 0), PL330_BAD_SHAPE);
  EXPECT_EQ(fault(0, 0, 64, 4, 8), PL330_BAD_SHAPE);
  pl330_copy copy = PL330_STUDY_COPY(0xFFFFFFF8, 8, 8);
  EXPECT_EQ(copied(copy).fault, PL330_OK);
  copy.protection = 8;
  EXPECT_EQ(copied(copy).fault, PL330_BAD_OPERAND);
  copy.protection = 0;
  copy.event = 32;
  EXPECT_EQ(copied(copy).fault, PL330_BAD_OPERAND);
}

// Each instruction, with operands inside and outside of their ranges: the same bytes as the
// engine's assembler, or refused as by it.
TEST(Pl330Program, InstructionsAreTheEnginesOrRefusedByBoth) {
  Draw draw(3);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    Instruction in;
    Written ours;
    std::uint32_t a = draw.below(4);
    std::uint32_t b = draw.below(300);
    const std::uint32_t word = draw.word();
    const auto one = [&](auto&& write) { ours = written(16, write); };
    switch (draw.below(9)) {
      case 0:
        in = {.op = Op::kMove, .reg = a % 2 ? Register::kDestAddress : Register::kSourceAddress};
        in.immediate = word;
        one([&](auto* p) { pl330_move(p, a % 2 ? PL330_DAR : PL330_SAR, word); });
        break;
      case 1: {
        std::array<pl330_burst, 2> burst{};
        for (auto& half : burst) {
          half = {draw.below(2), 1U << draw.below(6), draw.below(18), draw.below(9), draw.below(9)};
        }
        const auto half = [](const pl330_burst& given) -> Burst {
          return {.increment = given.increment != 0,
                  .beat_bytes = given.beat_bytes,
                  .beats = given.beats,
                  .protection = given.protection,
                  .cache = given.cache};
        };
        one([&](auto* p) { pl330_move_control(p, &burst[0], &burst[1]); });
        try {
          const ChannelControl control{.source = half(burst[0]), .destination = half(burst[1])};
          in = {.op = Op::kMove, .reg = Register::kChannelControl, .immediate = control.encode()};
        } catch (const std::invalid_argument&) {
          in = {.op = Op::kLoop, .immediate = 0};  // no instruction either
        }
        break;
      }
      case 2:
        in = {.op = Op::kLoad};
        one(pl330_load);
        break;
      case 3:
        in = {.op = Op::kStore};
        one(pl330_store);
        break;
      case 4:
        in = {.op = Op::kWriteBarrier};
        one(pl330_write_barrier);
        break;
      case 5:
        in = {.op = Op::kEnd};
        one(pl330_end);
        break;
      case 6:
        b %= 40;
        in = {.op = Op::kSendEvent, .index = static_cast<std::uint8_t>(b)};
        one([&](auto* p) { pl330_send_event(p, b); });
        break;
      case 7:
        in = {.op = Op::kLoop, .index = static_cast<std::uint8_t>(a), .immediate = b};
        one([&](auto* p) { pl330_loop(p, a, b); });
        break;
      default:
        in = {.op = Op::kLoopEnd, .index = static_cast<std::uint8_t>(a), .immediate = b};
        one([&](auto* p) { pl330_loop_end(p, a, b); });
    }
    Bytes theirs;
    try {
      theirs = assemble(std::vector{in});
    } catch (const std::invalid_argument&) {
      ++refused;
    }
    ASSERT_EQ(ours.code, theirs) << to_text(in);
    ASSERT_EQ(ours.fault, theirs.empty() ? PL330_BAD_OPERAND : PL330_OK);
  }
  EXPECT_GT(refused, 1000);
}

TEST(Pl330Program, AfterAFaultNothingIsWritten) {
  const Written done = written(64, [](pl330_program* program) {
    pl330_load(program);
    pl330_loop(program, 2, 1);
    pl330_store(program);
    pl330_end(program);
  });
  EXPECT_EQ(done.fault, PL330_BAD_OPERAND);
  EXPECT_EQ(done.code, Bytes{0x04});
}

TEST(Pl330Program, DebugWordsHoldTheInstruction) {
  for (std::uint8_t channel = 0; channel < 8; ++channel) {
    for (const bool nonsecure : {false, true}) {
      const Bytes go = assemble(std::vector<Instruction>{
          {.op = Op::kGo, .index = channel, .flag = nonsecure, .immediate = 0x12345678}});
      std::array<std::uint32_t, 2> words{};
      pl330_debug_go(words.data(), channel, nonsecure, 0x12345678);
      EXPECT_EQ(words[0], std::uint32_t{go[1]} << 24 | std::uint32_t{go[0]} << 16);
      EXPECT_EQ(words[1], 0x12345678U);
    }
    std::array<std::uint32_t, 2> words{};
    pl330_debug_kill(words.data(), channel);
    EXPECT_EQ(words[0], 0x00010001U | std::uint32_t{channel} << 8);
  }
  std::array<std::uint32_t, 2> words{};
  pl330_debug_kill(words.data(), PL330_MANAGER);
  EXPECT_EQ(words[0], 0x00010000U);
}

TEST(Pl330Program, EveryFaultHasWordsOfItsOwn) {
  std::set<std::string> texts;
  for (int fault = PL330_OK; fault <= PL330_BAD_OPERAND; ++fault) {
    texts.insert(pl330_fault_text(static_cast<pl330_fault>(fault)));
  }
  EXPECT_EQ(texts.size(), 6U);
  EXPECT_FALSE(texts.contains("no such fault"));
}

}  // namespace
}  // namespace weighbridge::pl330
