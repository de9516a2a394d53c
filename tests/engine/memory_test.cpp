// SPDX-License-Identifier: Apache-2.0
#include "components/memory.hpp"

#include <gtest/gtest.h>

namespace weighbridge {
namespace {

Sdram::Parameters ddr3_800() {
  return {.clock = Clock(2500),
          .width = 4,
          .burst = 8,
          .banks = 8,
          .row_bytes = 4096,
          .cas_cycles = 11,
          .precharge = 13'750,
          .activate = 13'750,
          .refresh = 260'000,
          .refresh_interval = 7'800'000,
          .read_latency = 0,
          .write_latency = 5'000,
          .queue = 4,
          .port_beat = 5'000,
          .port_width = 8,
          .port_lead = 4,
          .port_turn = 12'000};
}

TEST(SdramTest, OpenRowSavesTheActivation) {
  Sdram sdram("sdram", ddr3_800());
  // tRCD + CL + 32 bytes in 4 clocks; then CL + 4 clocks; another row of the bank: tRP as well.
  EXPECT_EQ(sdram.access({.address = 0, .bytes = 32}, 0).done, 13'750 + 27'500 + 10'000);
  EXPECT_EQ(sdram.access({.address = 32, .bytes = 32}, 100'000).done, 100'000 + 37'500);
  EXPECT_EQ(sdram.access({.address = 8 * 4096, .bytes = 32}, 200'000).done, 200'000 + 65'000);
}

TEST(SdramTest, StreamsAtTheBusRate) {
  Sdram sdram("sdram", ddr3_800());
  Reply reply;
  for (Address at = 0; at < 4096; at += 128) reply = sdram.access({.address = at, .bytes = 128}, 0);
  // 3.2 GB/s and one activation.
  EXPECT_EQ(reply.accepted, 13'750 + 4096 / 32 * 10'000);
}

TEST(SdramTest, UnalignedAccessTakesTheSlotsItTouches) {
  Sdram sdram("sdram", ddr3_800());
  sdram.access({.address = 0, .bytes = 32}, 0);
  const Time busy = sdram.activity().busy;
  sdram.access({.address = 40, .bytes = 32}, 1'000'000);
  EXPECT_EQ(sdram.activity().busy - busy, 20'000);
}

TEST(SdramTest, ABeatThatIsWiderThanABurstTakesSeveral) {
  Sdram sdram("sdram", ddr3_800());
  sdram.access({.address = 0, .bytes = 32}, 0);
  const Time busy = sdram.activity().busy;
  const Access run{.address = 1024, .bytes = 1024, .beat_bytes = 512, .single_beats = true};
  sdram.access(run, 1'000'000);
  EXPECT_EQ(sdram.activity().busy - busy, 1024 / 32 * 10'000);
}

TEST(SdramTest, RefreshHoldsTheDeviceAndClosesRows) {
  Sdram sdram("sdram", ddr3_800());
  sdram.access({.address = 0, .bytes = 32}, 0);
  const Time done = sdram.access({.address = 32, .bytes = 32}, 7'800'000).done;
  EXPECT_EQ(done, 7'800'000 + 260'000 + 13'750 + 37'500);
}

TEST(SdramTest, WritesAreTakenUntilTheQueueIsFull) {
  Sdram sdram("sdram", ddr3_800());
  Time taken = 0;
  for (Address at = 0; at < 4 * 32; at += 32) {
    taken = sdram.access({.address = at, .bytes = 32, .write = true}, 0).done;
  }
  EXPECT_EQ(taken, 5'000 + 13'750 - 10'000);
  taken = sdram.access({.address = 128, .bytes = 32, .write = true}, 0).done;
  EXPECT_EQ(taken, 5'000 + 13'750);
}

// What an access of the processor's, `into` after a burst of 16 beats has come, takes from its
// port.
Time taken(const PortSchedule& schedule, Time into) {
  Sdram sdram("sdram", ddr3_800());
  sdram.schedule(schedule);
  sdram.access({.address = 0, .bytes = 128, .id = kDmaId}, 100'000);
  sdram.access({.address = 4096, .bytes = 1}, 100'000 + into);
  return sdram.access({.address = 128, .bytes = 128, .id = kDmaId}, 900'000).held;
}

TEST(SdramTest, AProcessorThatGoesFirstTakesItsTurnAndTheBeatUnderWay) {
  const PortSchedule first{.first = PortSchedule::First::processor};
  EXPECT_EQ(taken(first, 0), 12'000);
  EXPECT_EQ(taken(first, 52'000), 14'000);
  EXPECT_EQ(taken(first, 100'000), 0);  // the burst is over
  EXPECT_EQ(taken({.first = PortSchedule::First::other}, 0), 0);
}

TEST(SdramTest, AWeightIsTheBeatsOfATurn) {
  for (const std::uint32_t weight : {1U, 4U, 16U}) {
    const PortSchedule shared{.first = PortSchedule::First::by_weight, .weight = weight};
    EXPECT_EQ(taken(shared, weight * 5'000 - 1), 0) << weight;
    EXPECT_EQ(taken(shared, weight * 5'000), 12'000) << weight;
  }
}

TEST(SdramTest, RefusesGeometryThatIsNoPowerOfTwo) {
  auto odd = ddr3_800();
  odd.banks = 6;
  EXPECT_THROW(Sdram("odd", odd), std::invalid_argument);
}

}  // namespace
}  // namespace weighbridge
