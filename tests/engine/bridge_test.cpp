// SPDX-License-Identifier: Apache-2.0
#include "components/bridge.hpp"

#include <gtest/gtest.h>

#include "components/memory.hpp"

namespace weighbridge {
namespace {

constexpr Time kPeriod = 10'000;  // 100 MHz

Bridge::Parameters parameters(std::uint32_t width) {
  return {.clock = Clock(kPeriod),
          .width = width,
          .upstream_width = 8,
          .burst_beats = 0,
          .latency = 4'000,
          .beat_cycles = 1,
          .read_cycles = 7,
          .write_cycles = 6,
          .read_turnaround_cycles = 4,
          .write_turnaround_cycles = 4,
          .bufferable_turnaround_cycles = 2,
          .posted_cycles = 5,
          .posted_narrow_cycles = 1,
          .wake_cycles = 3,
          .synchronise = true};
}

class BridgeTest : public testing::Test {
 protected:
  Ram ram_{"ram"};
};

TEST_F(BridgeTest, SingleReadWaitsForTheEdgeTheLatencyAndTheWayBack) {
  Bridge bridge("bridge", parameters(16), ram_);
  // Arrives 2000 later at 2001, starts at the edge 10000, 7 cycles and one beat, 2000 back.
  EXPECT_EQ(bridge.access({.address = 0, .bytes = 8}, 1).done, 10'000 + 8 * kPeriod + 2'000);
}

TEST_F(BridgeTest, NarrowBridgeNeedsABeatMorePerWord) {
  Bridge wide("wide", parameters(8), ram_);
  Bridge narrow("narrow", parameters(4), ram_);
  const Access read{.address = 0, .bytes = 8};
  EXPECT_EQ(narrow.access(read, 0).done - wide.access(read, 0).done, kPeriod);
}

TEST_F(BridgeTest, CriticalWordComesBackBeforeTheRestOfTheLine) {
  Bridge bridge("bridge", parameters(4), ram_);
  const Time line = bridge.access({.address = 0, .bytes = 32}, 0).done;
  bridge.restart();
  const Time word = bridge.access({.address = 0, .bytes = 32, .critical_first = true}, 0).done;
  EXPECT_EQ(line - word, 7 * kPeriod);
}

// 128 bytes in beats of 8: 8 packed beats and 4 cycles of turnaround through 128 bits, 32 beats and
// none through 32 bits.
TEST_F(BridgeTest, BurstOccupiesBeatsAndTurnaround) {
  const Access burst{.address = 0, .bytes = 128, .write = true};
  for (const auto& [width, cycles] : {std::pair{16U, 12}, {8U, 20}, {4U, 32}}) {
    Bridge bridge("bridge", parameters(width), ram_);
    const Time first = bridge.access(burst, 0).accepted;
    EXPECT_EQ(bridge.access(burst, 0).accepted - first, cycles * kPeriod) << width;
  }
}

// Cut into pieces of 16 beats, each with its turnaround; a single beat has none.
TEST_F(BridgeTest, LongestBurstCutsLongerOnes) {
  Bridge::Parameters p = parameters(4);
  p.burst_beats = 16;
  Access burst{.address = 0, .bytes = 128, .write = true};
  const auto occupied = [&] {
    Bridge bridge("bridge", p, ram_);
    const Time first = bridge.access(burst, 0).accepted;
    return (bridge.access(burst, 0).accepted - first) / kPeriod;
  };
  EXPECT_EQ(occupied(), 32 + 2 * 4);
  burst.bufferable = true;
  EXPECT_EQ(occupied(), 32 + 2 * 2);
  burst.bytes = 4;
  EXPECT_EQ(occupied(), 1);
}

TEST_F(BridgeTest, NarrowBeatsAreNotPacked) {
  Bridge bridge("bridge", parameters(16), ram_);
  const Time bytes =
      bridge.access({.address = 0, .bytes = 4, .beat_bytes = 1, .write = true}, 0).done;
  bridge.restart();
  const Time word = bridge.access({.address = 0, .bytes = 4, .write = true}, 0).done;
  EXPECT_EQ(bytes - word, 3 * kPeriod);
}

TEST_F(BridgeTest, ReadsAndWritesDoNotWaitForEachOther) {
  Bridge bridge("bridge", parameters(16), ram_);
  bridge.access({.address = 0, .bytes = 128, .write = true}, 0);
  bridge.access({.address = 0, .bytes = 128}, 0);
  EXPECT_EQ(bridge.activity().waiting, 0);
  bridge.access({.address = 0, .bytes = 128}, 0);
  EXPECT_GT(bridge.activity().waiting, 0);
}

TEST_F(BridgeTest, PostedWriteIsServedWithoutItsLatency) {
  Bridge wide("wide", parameters(16), ram_);
  Bridge narrow("narrow", parameters(4), ram_);
  const Access write{.address = 0, .bytes = 32, .write = true, .posted = true};
  EXPECT_EQ(wide.access(write, 0).done, 5 * kPeriod);
  EXPECT_EQ(narrow.access(write, 0).done, 6 * kPeriod);
  EXPECT_EQ(narrow.access(write, 0).accepted, 16 * kPeriod);  // the bus: 8 beats each
}

TEST(SwitchTest, PassesToTheWindowOfTheAddress) {
  Ram low("low");
  Ram high("high");
  Switch sw("switch", 100, {{0x0, 0x1000, &low}, {0x8000, 0x1000, &high}});
  EXPECT_EQ(sw.access({.address = 0x8FFF, .bytes = 1}, 5).done, 105);
  EXPECT_EQ(low.activity().transactions, 0U);
  EXPECT_EQ(high.activity().transactions, 1U);
  EXPECT_THROW(sw.access({.address = 0x1000, .bytes = 1}, 0), std::out_of_range);
}

}  // namespace
}  // namespace weighbridge
