// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weighbridge {
namespace {

// Steps a number of times, or for ever, and remembers when.
class Ticker : public Process {
 public:
  Ticker(Time period, int left) : period_(period), left_(left) {}
  Time step(Time now) override {
    at.push_back(now);
    return --left_ == 0 ? kNever : now + period_;
  }
  std::vector<Time> at;

 private:
  Time period_;
  int left_;
};

TEST(SchedulerTest, RunsProcessesInOrderOfTimeUntilAllHaveFinished) {
  Ticker slow(30, 2);
  Ticker fast(10, 5);
  Scheduler scheduler;
  scheduler.add(slow, 0);
  scheduler.add(fast, 5);
  EXPECT_EQ(scheduler.run(), 45);
  EXPECT_EQ(slow.at, (std::vector<Time>{0, 30}));
  EXPECT_EQ(fast.at, (std::vector<Time>{5, 15, 25, 35, 45}));
}

TEST(SchedulerTest, TheBackgroundEndsWithTheOthers) {
  Ticker master(10, 4);
  Ticker background(3, -1);
  Scheduler scheduler;
  scheduler.add(master, 0);
  scheduler.add_background(background, 1);
  EXPECT_EQ(scheduler.run(), 30);
  EXPECT_EQ(background.at.size(), 10U);
  EXPECT_EQ(background.at.back(), 28);
}

}  // namespace
}  // namespace weighbridge
