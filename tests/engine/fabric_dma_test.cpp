// SPDX-License-Identifier: Apache-2.0
#include "components/fabric_dma.hpp"

#include <gtest/gtest.h>

#include "components/memory.hpp"

namespace weighbridge {
namespace {

// Takes an access every 10, answers after 100.
class Port : public Component {
 public:
  Port() : Component("port") {}
  Reply access(const Access& access, Time arrival) override {
    beats += access.bytes / access.beat_bytes;
    ++accesses;
    return {arrival + 10 * (access.bytes / access.beat_bytes), arrival + 100, 0};
  }
  std::uint32_t beats = 0;
  int accesses = 0;
};

const FabricDmaParameters kParameters{.writes_in_flight = 4, .write_response = 0};

Time run(FabricDma& dma) {
  Scheduler scheduler;
  scheduler.add(dma, 0);
  scheduler.run();
  return dma.finished();
}

TEST(FabricDmaTest, WithOneOutstandingEveryBeatWaitsForTheOneBefore) {
  Port port;
  FabricDma reads(kParameters, port, 0, true, 64, 4, 1, false);
  EXPECT_EQ(run(reads), 16 * 100);
  EXPECT_EQ(port.beats, 16U);
}

TEST(FabricDmaTest, NobodyWaitsForTheResponseOfTheLastWrite) {
  Port port;
  FabricDma writes(kParameters, port, 0, false, 64, 4, 1, false);
  EXPECT_EQ(run(writes), 15 * 100);
  EXPECT_EQ(port.beats, 16U);
}

TEST(FabricDmaTest, APortThatBuffersIsFedAsFastAsItTakes) {
  Port port;
  FabricDma dma(kParameters, port, 0, true, 64, 4, 8, false);
  EXPECT_EQ(run(dma), 180);  // the second run starts at 80 and is answered 100 later
  EXPECT_EQ(port.accesses, 2);
}

TEST(FabricDmaTest, AsManyWritesAsMayBeInFlightAreAnsweredInTheTimeOfOne) {
  Port port;
  FabricDma held({.writes_in_flight = 4, .write_response = 80}, port, 0, false, 64, 4, 8, false);
  // Eight beats are taken in 80 and answered 20 + 80 later: 25 a beat, the second run at 200.
  EXPECT_EQ(run(held), 280);
}

TEST(FabricDmaTest, SingleBeatsTakeASlotOfTheMemoryEach) {
  Sdram sdram("sdram", {.clock = Clock(2500),
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
                        .write_latency = 0,
                        .queue = 4});
  const Access run{.address = 0, .bytes = 40, .beat_bytes = 4, .single_beats = true};
  EXPECT_EQ(sdram.access(run, 0).accepted, 13'750 + 10 * 10'000);
  // Another master's access comes between two beats; the run ends a slot later for it.
  const Access other{.address = 64, .bytes = 32};
  EXPECT_LT(sdram.access(other, 20'000).done, 13'750 + 10 * 10'000);
  EXPECT_EQ(sdram.access(run, 0).accepted, 13'750 + 21 * 10'000);
}

TEST(FabricDmaTest, ABeatOfItsOwnGivesARunNoReasonToWait) {
  const Sdram::Parameters parameters{.clock = Clock(2500),
                                     .width = 4,
                                     .burst = 8,
                                     .banks = 8,
                                     .row_bytes = 4096,
                                     .cas_cycles = 11,
                                     .precharge = 13'750,
                                     .activate = 13'750,
                                     .write_recovery = 15'000,
                                     .read_recovery = 7'500,
                                     .refresh = 260'000,
                                     .refresh_interval = 7'800'000,
                                     .read_latency = 0,
                                     .write_latency = 0,
                                     .queue = 0};
  const Access run{.address = 0, .bytes = 40, .beat_bytes = 4, .single_beats = true};
  Sdram sdram("sdram", parameters);
  sdram.access(run, 0);
  // One beat of another master does not wait for the ten.
  const Access beat{.address = 64, .bytes = 4, .beat_bytes = 4, .single_beats = true};
  EXPECT_LT(sdram.access(beat, 20'000).done, 13'750 + 10 * 10'000);

  // A run to another row of the bank waits for precharge, activation and the recovery before.
  Sdram fresh("sdram", parameters);
  const Time first = fresh.access(run, 0).accepted;
  Access other = run;
  other.address = 8 * 4096;
  EXPECT_EQ(fresh.access(other, 0).accepted, first + 7'500 + 2 * 13'750 + 10 * 10'000);
}

}  // namespace
}  // namespace weighbridge
