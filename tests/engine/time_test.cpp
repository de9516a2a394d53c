// SPDX-License-Identifier: Apache-2.0
#include "core/time.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "core/scheduler.hpp"

namespace weighbridge {
namespace {

TEST(TimebaseTest, ATickIsAPicosecondAtTheUsualClocks) {
  const Timebase base(800);
  EXPECT_EQ(base.from_ns(1.25), 1250);
  EXPECT_EQ(base.period(400), 2500);
  EXPECT_DOUBLE_EQ(base.seconds(2500), 2.5e-9);
}

TEST(TimebaseTest, TwiceTheClockAndHalfTheLatencyCountTheSame) {
  const Timebase slow(800);
  const Timebase fast(1600);
  for (const double mhz : {50.0, 133.3, 150.0, 400.0}) {
    EXPECT_EQ(slow.period(mhz), fast.period(2 * mhz));
  }
  EXPECT_EQ(slow.from_ns(57.3), fast.from_ns(57.3 / 2));
  EXPECT_EQ(slow.seconds(12345), 2 * fast.seconds(12345));
}

TEST(TimebaseTest, ASlowReferenceRoundsNoMoreThanAFewPicoseconds) {
  const Timebase crystal(0.1);
  EXPECT_NEAR(crystal.seconds(crystal.from_ns(8.6)), 8.6e-9, 8.1e-12);
}

TEST(ClockTest, NextEdgeIsWhatDivisionGives) {
  std::uint64_t state = 1;
  const auto below = [&](int bits) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<Time>(state >> (64 - bits));
  };
  for (int i = 0; i < 200'000; ++i) {
    const Time period = 1 + below(1 + i % 40);
    const Clock clock(period);
    // Anywhere, and around an edge.
    const Time edge = below(1 + i % 20) * period;
    for (const Time t : {below(1 + i % 61), edge, edge + 1, std::max<Time>(0, edge - 1)}) {
      EXPECT_EQ(clock.next_edge(t), (t + period - 1) / period * period) << t << " " << period;
    }
  }
}

TEST(ClockTest, NextEdgeIsTheFirstNotBefore) {
  const Clock clock(6667);
  EXPECT_EQ(clock.next_edge(0), 0);
  EXPECT_EQ(clock.next_edge(1), 6667);
  EXPECT_EQ(clock.next_edge(6667), 6667);
  EXPECT_EQ(clock.next_edge(6668), 13334);
}

// Steps every `period` until `end`, noting its name and the time.
class Ticker : public Process {
 public:
  Ticker(char name, Time period, Time end, std::string& log)
      : name_(name), period_(period), end_(end), log_(log) {}
  Time step(Time now) override {
    log_ += name_;
    return now + period_ > end_ ? kNever : now + period_;
  }

 private:
  char name_;
  Time period_;
  Time end_;
  std::string& log_;
};

TEST(SchedulerTest, RunsInOrderOfTimeAndOfAddition) {
  std::string log;
  Ticker a('a', 2, 6, log);
  Ticker b('b', 3, 6, log);
  Scheduler scheduler;
  scheduler.add(a, 0);
  scheduler.add(b, 0);
  EXPECT_EQ(scheduler.run(), 6);
  EXPECT_EQ(log, "ababaab");  // at 0: a b, 2: a, 3: b, 4: a, 6: a b
}

}  // namespace
}  // namespace weighbridge
