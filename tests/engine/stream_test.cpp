// SPDX-License-Identifier: Apache-2.0
#include "programs/stream.hpp"

#include <gtest/gtest.h>

#include "components/block_dma.hpp"

namespace weighbridge {
namespace {

// Answers after `latency`, every `slow`-th access after ten times as long.
class Target : public Component {
 public:
  explicit Target(Time latency, int slow = 0)
      : Component("target"), latency_(latency), slow_(slow) {}
  Reply access(const Access&, Time arrival) override {
    const Time latency = slow_ != 0 && ++accesses_ % slow_ == 0 ? 10 * latency_ : latency_;
    return {arrival + latency, arrival + latency, 0};
  }

 private:
  Time latency_;
  int slow_;
  int accesses_ = 0;
};

constexpr Time kCycle = 10;
const BlockDmaParameters kDma{.beat = 8,
                              .burst = 128,
                              .outstanding_reads = 4,
                              .outstanding_writes = 4,
                              .commands = 2,
                              .command_cycles = 0,
                              .gather_beats = 0,
                              .allocate = false};

BufferedPort::Parameters with_fifo(std::uint32_t fifo, std::uint32_t piece) {
  return {.clock = Clock(kCycle), .width = 8, .fifo = fifo, .piece = piece, .latency = 0};
}

// Runs to the end of all that is queued.
Time run(BlockDma& dma) {
  Time now = 0;
  while (dma.next() != kNever) dma.step(now = dma.next());
  return now;
}

TEST(BlockDmaTest, AFifoDeepEnoughHidesTheLatencyOfMemory) {
  for (const bool to_fabric : {true, false}) {
    Target target(400);
    BufferedPort port("port", with_fifo(1024, 128), target);
    BlockDma dma(kDma, port, 0, to_fabric);
    ASSERT_TRUE(dma.enqueue(0, 4096, 0));
    EXPECT_EQ(run(dma), 512 * kCycle + 400);
    EXPECT_EQ(dma.results(), 1U);
  }
}

TEST(BlockDmaTest, ALineThatComesLateIsPaidInFullWithoutOne) {
  // Room for two lines: what takes no longer than a line's beats is hidden, the rest is not.
  Target target(40, 4);
  BufferedPort port("port", with_fifo(64, 32), target);
  BlockDma dma(kDma, port, 0, true);
  ASSERT_TRUE(dma.enqueue(0, 1024, 0));
  EXPECT_EQ(run(dma), 40 + 32 * 4 * kCycle + 8 * (400 - 4 * kCycle));
}

TEST(BlockDmaTest, OneBurstOutstandingWaitsForItsAnswer) {
  BlockDmaParameters one = kDma;
  one.outstanding_reads = 1;
  Target target(400);
  BufferedPort port("port", with_fifo(1024, 128), target);
  BlockDma dma(one, port, 0, true);
  ASSERT_TRUE(dma.enqueue(0, 1024, 0));
  EXPECT_EQ(run(dma), 8 * (400 + 16 * kCycle));
}

TEST(BlockDmaTest, CommandsFollowEachOtherWithoutAGap) {
  Target target(400);
  BufferedPort port("port", with_fifo(1024, 128), target);
  BlockDma dma(kDma, port, 0, true);
  ASSERT_TRUE(dma.enqueue(0, 1024, 0));
  ASSERT_TRUE(dma.enqueue(4096, 1024, 0));
  EXPECT_FALSE(dma.enqueue(8192, 1024, 0));  // a slot is held until the command's result is there
  EXPECT_EQ(run(dma), 400 + 2 * 128 * kCycle);
  EXPECT_EQ(dma.results(), 2U);
  dma.take();
  EXPECT_EQ(dma.results(), 1U);
}

}  // namespace
}  // namespace weighbridge
