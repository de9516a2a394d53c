// SPDX-License-Identifier: Apache-2.0
#include "components/parallel_bus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "components/memory.hpp"

namespace weighbridge {
namespace {

constexpr Time kCycle = 1000;

// What reached the APB's target, and when.
class Target : public Component {
 public:
  Target() : Component("target") {}
  Reply access(const Access& access, Time arrival) override {
    seen.push_back(access);
    at.push_back(arrival);
    return {arrival + stall, arrival + stall};
  }
  std::vector<Access> seen;
  std::vector<Time> at;
  Time stall = 0;
};

class BusTest : public testing::Test {
 protected:
  // The bus before an APB on which a transfer takes `occupied` cycles.
  ParallelBus& bus(std::uint32_t occupied) {
    const Clock clock(kCycle);
    if (occupied < 2) {
      target_.stall = occupied * kCycle;
      bus_ = std::make_unique<ParallelBus>("bus", parameters(), target_);
      return *bus_;
    }
    apb_ = std::make_unique<Apb>(
        "apb",
        Apb::Parameters{.clock = clock, .request_slices = occupied - 2, .response_slices = 0},
        target_);
    bus_ = std::make_unique<ParallelBus>("bus", parameters(), *apb_);
    return *bus_;
  }

  static ParallelBus::Parameters parameters() {
    return {.clock = Clock(kCycle),
            .width = 2,
            .address_cycles = 1,
            .latency_cycles = 2,
            .wait_cycles = 2,
            .read_cycles = 2,
            .gap_cycles = 2};
  }

  static Access word(Address address, bool is_write) {
    return {.address = address, .bytes = 4, .beat_bytes = 4, .write = is_write};
  }

  Target target_;
  std::unique_ptr<Apb> apb_;
  std::unique_ptr<ParallelBus> bus_;
};

// Back to back, a write takes max(7, A + 4) clocks, A being what a transfer occupies of the APB.
TEST_F(BusTest, PeriodOfWritesFollowsTheOccupationOfTheApb) {
  for (std::uint32_t occupied = 1; occupied <= 12; ++occupied) {
    ParallelBus& bus = this->bus(occupied);
    std::vector<Time> ends;
    for (Address i = 0; i < 10; ++i) ends.push_back(bus.access(word(4 * i, true), 0).accepted);
    EXPECT_EQ(ends[9] - ends[8], std::max(7U, occupied + 4) * kCycle) << occupied;
  }
}

// A burst of two words leaves two transfers behind it, the first beside its own last beats.
TEST_F(BusTest, PeriodOfBurstsOfTwoWords) {
  for (std::uint32_t occupied = 2; occupied <= 12; ++occupied) {
    ParallelBus& bus = this->bus(occupied);
    Access two = word(0, true);
    two.bytes = two.beat_bytes = 8;
    std::vector<Time> ends;
    for (Address i = 0; i < 10; ++i) {
      two.address = 8 * i;
      ends.push_back(bus.access(two, 0).accepted);
    }
    EXPECT_EQ(ends[9] - ends[8], std::max(9U, 2 * occupied + 4) * kCycle) << occupied;
    ASSERT_EQ(target_.seen.size(), 20U);
    for (Address i = 0; i < 20; ++i) EXPECT_EQ(target_.seen[i].address, 4 * i);
    target_.seen.clear();
  }
}

TEST_F(BusTest, AMasterThatPausesIsNotHeldBack) {
  ParallelBus& bus = this->bus(4);
  for (Time at = 0; at < 10 * 9 * kCycle; at += 9 * kCycle) {
    EXPECT_EQ(bus.access(word(0, true), at).accepted, at + 5 * kCycle);
  }
}

TEST_F(BusTest, WritesArriveOnceAndInOrderWhateverTheStall) {
  for (Time stall = 0; stall <= 12; ++stall) {
    for (Time gap = 2; gap <= 8; ++gap) {
      Target target;
      target.stall = stall * kCycle;
      auto p = parameters();
      p.gap_cycles = static_cast<double>(gap);
      ParallelBus bus("bus", p, target);
      for (Address i = 0; i < 20; ++i) bus.access(word(4 * i, true), 0);
      ASSERT_EQ(target.seen.size(), 20U);
      for (Address i = 0; i < 20; ++i) EXPECT_EQ(target.seen[i].address, 4 * i);
      // Never before the one before has ended.
      for (std::size_t i = 1; i < 20; ++i) EXPECT_GE(target.at[i], target.at[i - 1] + target.stall);
    }
  }
}

TEST_F(BusTest, AReadWaitsForTheWriteBeforeIt) {
  ParallelBus& bus = this->bus(4);
  const Time alone = bus.access(word(0, false), 0).done;
  bus.restart();
  apb_->restart();
  target_.at.clear();
  bus.access(word(0, true), 0);
  EXPECT_GT(bus.access(word(0, false), 0).done, 7 * kCycle + alone);
  EXPECT_GE(target_.at[1], target_.at[0] + 4 * kCycle);
}

TEST_F(BusTest, BusyIsChipSelectLowAndItsGap) {
  ParallelBus& bus = this->bus(2);
  for (int i = 0; i < 10; ++i) bus.access(word(0, true), 0);
  EXPECT_EQ(bus.activity().busy, 70 * kCycle);
  EXPECT_EQ(bus.activity().transactions, 10U);
  EXPECT_EQ(apb_->activity().busy, 20 * kCycle);
}

}  // namespace
}  // namespace weighbridge
