// SPDX-License-Identifier: Apache-2.0
#include "core/trace.hpp"

#include <gtest/gtest.h>

#include "components/bridge.hpp"
#include "components/memory.hpp"

namespace weighbridge {
namespace {

struct Wired {
  Ram ram{"ram"};
  Bridge bridge{"bridge",
                {.clock = Clock(1000),
                 .width = 4,
                 .upstream_width = 8,
                 .burst_beats = 0,
                 .latency = 0,
                 .beat_cycles = 1,
                 .read_cycles = 3,
                 .write_cycles = 2,
                 .read_turnaround_cycles = 1,
                 .write_turnaround_cycles = 1,
                 .bufferable_turnaround_cycles = 0,
                 .posted_cycles = 0,
                 .posted_narrow_cycles = 0,
                 .wake_cycles = 0,
                 .synchronise = true},
                ram};

  explicit Wired(Trace* trace) {
    ram.trace(trace);
    bridge.trace(trace);
  }
  Time run() {
    Time now = 0;
    for (int i = 0; i < 4; ++i) {
      now = bridge.access({.bytes = 32, .write = i % 2 == 0}, now).accepted;
    }
    return now;
  }
};

TEST(Trace, ASliceForEachAccessAndTheBusyTimeThatIsCounted) {
  Trace trace(100);
  Wired traced(&trace);
  Wired silent(nullptr);
  EXPECT_EQ(traced.run(), silent.run());
  trace.book();
  Time busy = 0;
  std::uint64_t accesses = 0;
  for (const Trace::Slice& slice : trace.slices()) {
    if (slice.component != &traced.bridge) continue;
    ++accesses;
    busy += slice.busy;
  }
  EXPECT_EQ(accesses, 4U);
  EXPECT_EQ(busy, silent.bridge.activity().busy);
  EXPECT_GT(busy, 0);
  EXPECT_EQ(trace.dropped(), 0U);
}

TEST(Trace, OnlyWhatIsBookedIsKeptAndCountsFromThePhasesBefore) {
  Trace trace(100);
  Wired wired(&trace);
  wired.run();
  trace.begin();
  trace.advance("software", 5000);
  wired.run();
  trace.discard();
  EXPECT_TRUE(trace.slices().empty());
  wired.bridge.restart();
  wired.bridge.access({.bytes = 8, .write = true}, 2000);
  trace.book();
  trace.advance("moving", 3000);
  ASSERT_EQ(trace.slices().size(), 2U);
  EXPECT_EQ(trace.slices()[0].start, 7000);
  ASSERT_EQ(trace.phases().size(), 2U);
  EXPECT_EQ(trace.phases()[1].start, 5000);
}

TEST(Trace, BeyondItsLimitItCounts) {
  Trace trace(3);
  Wired wired(&trace);
  wired.run();
  trace.book();
  EXPECT_EQ(trace.slices().size(), 3U);
  EXPECT_EQ(trace.dropped(), 5U);
}

}  // namespace
}  // namespace weighbridge
