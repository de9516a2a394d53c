// SPDX-License-Identifier: Apache-2.0
#include "pl330/channel.hpp"

#include <gtest/gtest.h>

#include <map>

#include "pl330/copy_program.hpp"

namespace weighbridge::pl330 {
namespace {

// Serves reads and writes on channels of their own, in a fixed time each; notes every byte.
class Bus : public Component {
 public:
  Bus(Time read, Time write) : Component("bus"), read_(read), write_(write) {}
  Reply access(const Access& access, Time arrival) override {
    Time& free = access.write ? write_free_ : read_free_;
    free = std::max(free, arrival) + (access.write ? write_ : read_);
    auto& bytes = access.write ? written : loaded;
    for (std::uint32_t i = 0; i < access.bytes; ++i) ++bytes[access.address + i];
    ++(access.write ? stores : loads);
    return {free, free, 0};
  }
  std::map<Address, int> loaded;
  std::map<Address, int> written;
  int loads = 0;
  int stores = 0;

 private:
  Time read_;
  Time write_;
  Time read_free_ = 0;
  Time write_free_ = 0;
};

const ChannelParameters kParameters{
    .start = 0, .instruction = 1, .mfifo_bytes = 1024, .loads_ahead = 4};

Time run(Bus& bus, std::span<const std::uint8_t> code, ChannelParameters parameters = kParameters) {
  Channel channel(parameters, bus, code);
  Scheduler scheduler;
  scheduler.add(channel, 0);
  scheduler.run();
  return channel.finished();
}

class CopyTest : public testing::TestWithParam<std::uint32_t> {};

TEST_P(CopyTest, MovesEveryByteOnce) {
  Bus bus(100, 100);
  const std::uint32_t bytes = GetParam();
  run(bus, build_copy(0x1000, 0xC0000000, bytes).code);
  ASSERT_EQ(bus.loaded.size(), bytes);
  ASSERT_EQ(bus.written.size(), bytes);
  EXPECT_EQ(bus.loaded.begin()->first, 0x1000U);
  EXPECT_EQ(bus.written.rbegin()->first, 0xC0000000U + bytes - 1);
  for (const auto& [address, times] : bus.written) EXPECT_EQ(times, 1) << address;
}

INSTANTIATE_TEST_SUITE_P(Sizes, CopyTest,
                         testing::Values(1, 7, 8, 24, 100, 128, 256, 3000, 32768, 65536, 262144));

TEST(ChannelTest, SteadyStateIsTheSlowerSideNotTheSum) {
  const auto code = build_copy(0, 0xC0000000, 32768).code;
  for (const auto& [read, write] : {std::pair{300, 200}, {200, 300}}) {
    Bus bus(read, write);
    const Time time = run(bus, code);
    EXPECT_NEAR(static_cast<double>(time), 256 * 300, 600);
  }
}

TEST(ChannelTest, OneLoadAtATimeGivesTheSum) {
  auto parameters = kParameters;
  parameters.loads_ahead = 1;
  Bus bus(300, 200);
  const Time time = run(bus, build_copy(0, 0xC0000000, 32768).code, parameters);
  EXPECT_NEAR(static_cast<double>(time), 256 * 500, 600);
}

TEST(ChannelTest, SmallFifoHoldsLoadsBack) {
  auto parameters = kParameters;
  parameters.mfifo_bytes = 128;
  Bus bus(300, 200);
  const Time time = run(bus, build_copy(0, 0xC0000000, 32768).code, parameters);
  EXPECT_NEAR(static_cast<double>(time), 256 * 500, 600);
  parameters.mfifo_bytes = 64;
  EXPECT_THROW(run(bus, build_copy(0, 0xC0000000, 128).code, parameters), std::runtime_error);
}

TEST(ChannelTest, EarlyEndDoesNotWaitForTheStoresUnderWay) {
  auto parameters = kParameters;
  parameters.mfifo_bytes = 256;
  const auto code = build_copy(0, 0xC0000000, 32768).code;
  Bus patient(10, 300);
  const Time whole = run(patient, code, parameters);
  parameters.early_end = true;
  Bus hasty(10, 300);
  EXPECT_NEAR(static_cast<double>(whole - run(hasty, code, parameters)), 2 * 300, 20);
}

TEST(ChannelTest, BeatsTakeTheirTimeToIssue) {
  auto parameters = kParameters;
  parameters.beat = 10;
  Bus bus(1, 1);
  const Time time = run(bus, build_copy(0, 0xC0000000, 32768).code, parameters);
  EXPECT_NEAR(static_cast<double>(time), 256 * 2 * 16 * 10, 1000);
}

TEST(ChannelTest, LoopsAreNestedAsWritten) {
  Bus bus(1, 1);
  run(bus, assemble(parse_text("DMAMOV CCR, SB16 SS64 SAI SP0 SC7 DB16 DS64 DAI DP0 DC7\n"
                               "DMALP lc0, 5\nDMALP lc1, 3\nDMALD\nDMAST\nDMALPEND lc1\n"
                               "DMALPEND lc0\nDMAEND\n")));
  EXPECT_EQ(bus.stores, 15);
}

TEST(ChannelTest, WriteBarrierWaitsForResponses) {
  Bus bus(10, 1000);
  Channel channel(kParameters, bus,
                  assemble(parse_text("DMAMOV CCR, SB1 SS64 SAI SP0 SC0 DB1 DS64 DAI DP0 DC0\n"
                                      "DMALD\nDMAST\nDMAWMB\nDMAEND\n")));
  Scheduler scheduler;
  scheduler.add(channel, 0);
  EXPECT_GE(scheduler.run(), 1010);
}

TEST(ChannelTest, StoreWithoutDataAndRunningPastTheEndAreErrors) {
  Bus bus(1, 1);
  EXPECT_THROW(run(bus, assemble(parse_text("DMAST\nDMAEND\n"))), std::runtime_error);
  EXPECT_THROW(run(bus, assemble(parse_text("DMANOP\n"))), std::runtime_error);
  EXPECT_THROW(run(bus, assemble(parse_text("DMASEV 0\nDMAEND\n"))), std::runtime_error);
}

}  // namespace
}  // namespace weighbridge::pl330
