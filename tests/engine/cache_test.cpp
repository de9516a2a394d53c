// SPDX-License-Identifier: Apache-2.0
#include "components/cache.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

namespace weighbridge {
namespace {

// A memory that remembers what reached it.
class Recorder : public Component {
 public:
  Recorder() : Component("memory") {}
  Reply access(const Access& access, Time arrival) override {
    (access.write ? writes : reads).push_back(access.address);
    return {arrival + 1000, arrival + 1000, 0};
  }
  std::vector<Address> reads;
  std::vector<Address> writes;
};

Cache::Parameters parameters(Level level, Replacement replacement = Replacement::round_robin) {
  return {.bytes = 1024,
          .ways = 4,
          .line = 32,
          .prefetch_lines = 0,
          .latency = 40,
          .write_latency = 7,
          .level = level,
          .replacement = replacement};
}

Access read(Address address) {
  return {.address = address, .bytes = 8, .inner = true, .outer = true};
}

Access write(Address address) {
  Access access = read(address);
  access.write = true;
  return access;
}

TEST(CacheTest, HoldsALineAfterAMiss) {
  Recorder memory;
  Cache cache("cache", parameters(Level::outer), memory);
  EXPECT_EQ(cache.access(read(64), 0).done, 1040);
  EXPECT_EQ(cache.access(read(72), 0).done, 40);
  EXPECT_EQ(memory.reads, std::vector<Address>{64});
}

TEST(CacheTest, PrefetchHasTheNextLineThereIfThereWasTime) {
  Recorder memory;
  Cache::Parameters p = parameters(Level::outer);
  p.prefetch_lines = 1;
  Cache cache("cache", p, memory);
  cache.access(read(64), 0);
  EXPECT_EQ(memory.reads, (std::vector<Address>{64, 96}));
  EXPECT_EQ(cache.access(read(96), 100).done, 1140);  // still on its way: as a miss
  EXPECT_EQ(cache.access(read(128), 5000).done, 5040);
  cache.access(read(4096 - 32), 9000);
  EXPECT_FALSE(cache.contains(4096));  // not beyond the page
}

TEST(CacheTest, UncachedAndSwitchedOffPassThrough) {
  Recorder memory;
  Cache cache("cache", parameters(Level::outer), memory);
  Access uncached = read(0);
  uncached.outer = false;
  cache.access(uncached, 0);
  EXPECT_FALSE(cache.contains(0));
  cache.enable(false);
  cache.access(read(0), 0);
  cache.enable(true);
  EXPECT_FALSE(cache.contains(0));
}

TEST(CacheTest, DirtyVictimIsWrittenBackOnce) {
  Recorder memory;
  Cache cache("cache", parameters(Level::outer), memory);
  cache.access(write(0), 0);
  for (Address at = 256; at <= 4 * 256; at += 256) cache.access(read(at), 0);  // the same set
  EXPECT_EQ(memory.writes, std::vector<Address>{0});
  EXPECT_FALSE(cache.contains(0));
}

TEST(CacheTest, WriteWithoutAllocationLeavesNoLine) {
  Recorder memory;
  Cache cache("cache", parameters(Level::outer), memory);
  Access access = write(0);
  access.allocate = false;
  EXPECT_EQ(cache.access(access, 0).accepted, 7);
  EXPECT_FALSE(cache.contains(0));
  EXPECT_EQ(memory.writes.size(), 1U);
}

TEST(CacheTest, WholeLineIsNotFetchedToBeOverwritten) {
  Recorder memory;
  Cache cache("cache", parameters(Level::outer), memory);
  Access line = write(0);
  line.bytes = 32;
  cache.access(line, 0);
  EXPECT_TRUE(memory.reads.empty());
  EXPECT_TRUE(cache.contains(0));
}

// Round robin over more than the capacity never hits; random replacement sometimes does.
TEST(CacheTest, ReplacementDecidesHowASweepBeyondTheCapacityFares) {
  for (const auto replacement : {Replacement::round_robin, Replacement::random}) {
    Recorder memory;
    Cache cache("cache", parameters(Level::outer, replacement), memory);
    for (int sweep = 0; sweep < 20; ++sweep) {
      for (Address at = 0; at < 2048; at += 32) cache.access(read(at), 0);
    }
    const double missed = static_cast<double>(memory.reads.size()) / (20 * 64);
    if (replacement == Replacement::round_robin) {
      EXPECT_EQ(missed, 1.0);
    } else {
      EXPECT_LT(missed, 0.95);
      EXPECT_GT(missed, 0.5);
    }
  }
}

// Against a model that is too simple to be wrong: a write-back hierarchy never loses a dirty line.
TEST(CacheTest, NoDirtyLineIsLost) {
  Recorder memory;
  Cache outer("outer", parameters(Level::outer, Replacement::random), memory);
  Cache inner("inner", parameters(Level::inner, Replacement::random), outer);
  std::set<Address> written;
  std::uint32_t random = 1;
  for (int i = 0; i < 20'000; ++i) {
    random = random * 1664525U + 1013904223U;
    const Address at = (random >> 8) % 256 * 32;
    if ((random >> 30) == 0) {
      inner.access(write(at), 0);
      written.insert(at);
    } else {
      inner.access(read(at), 0);
    }
  }
  // Push everything out with clean lines, many times over.
  for (int sweep = 0; sweep < 50; ++sweep) {
    for (Address at = 0x10000; at < 0x10000 + 8192; at += 32) inner.access(read(at), 0);
  }
  const std::set<Address> reached(memory.writes.begin(), memory.writes.end());
  for (const Address at : written) EXPECT_TRUE(reached.contains(at)) << at;
}

TEST(CacheTest, RefusesSetsThatAreNoPowerOfTwo) {
  Recorder memory;
  auto odd = parameters(Level::outer);
  odd.bytes = 960;
  EXPECT_THROW(Cache("odd", odd, memory), std::invalid_argument);
}

class PortTest : public testing::Test {
 protected:
  Recorder memory_;
  Cache outer_{"outer", parameters(Level::outer), memory_};
  Cache inner_{"inner", parameters(Level::inner), outer_};
  CoherencyPort port_{"port",
                      {.window = 0x8000,
                       .latency = 0,
                       .read_inner = 26,
                       .read_outer = 44,
                       .write_inner = 39,
                       .write_outer = 27,
                       .read_single = 33,
                       .write_single = 31,
                       .single_overlap = 0,
                       .read_overlap = 0,
                       .read_eviction = 7,
                       .write_memory = 500,
                       .writes_buffered = 2},
                      inner_,
                      outer_};

  Time line(bool is_write, Address at) {
    port_.restart();
    return port_.access({.address = 0x8000 + at, .bytes = 32, .write = is_write}, 0).done;
  }
};

TEST_F(PortTest, CostFollowsWhereTheLineIs) {
  EXPECT_GT(line(false, 0), 1000);  // memory
  EXPECT_EQ(line(false, 0), 44);    // brought into the second level
  inner_.access(write(0), 0);
  EXPECT_EQ(line(false, 0), 26);
  EXPECT_EQ(line(true, 0), 39);  // drops the first-level copy
  EXPECT_FALSE(inner_.contains(0));
  EXPECT_EQ(line(true, 0), 27);
}

TEST_F(PortTest, WhatAnInterconnectWritesIsDroppedByTheCaches) {
  auto parameters = CoherencyPort::Parameters{
      .window = 0x8000, .write_inner = 39, .write_outer = 27, .writes_buffered = 2};
  parameters.write_drops = true;
  CoherencyPort interconnect{"interconnect", parameters, inner_, outer_};
  inner_.access(write(0), 0);
  outer_.access(write(32), 0);
  const Access both{.address = 0x8000, .bytes = 64, .write = true};
  memory_.writes.clear();
  interconnect.access(both, 0);
  EXPECT_FALSE(inner_.contains(0));
  EXPECT_FALSE(outer_.contains(0));
  EXPECT_FALSE(outer_.contains(32));
  EXPECT_EQ(memory_.writes, (std::vector<Address>{0, 32}));
  interconnect.access({.address = 0x8000, .bytes = 32}, 0);
  EXPECT_FALSE(outer_.contains(0));  // nor does a read bring in what they lack
}

TEST_F(PortTest, ASingleBeatLeavesNoLineBehind) {
  Access beat{
      .address = 0x8000, .bytes = 4, .outer = true, .allocate = false, .single_beats = true};
  EXPECT_GT(port_.access(beat, 0).done, 1000);
  EXPECT_FALSE(outer_.contains(0));
  outer_.access(read(0), 0);
  port_.restart();
  EXPECT_EQ(port_.access(beat, 0).done, 33);
  beat.write = true;
  EXPECT_EQ(port_.access(beat, 0).done, 31);
}

TEST_F(PortTest, LinesOfABurstAreServedOneAfterAnother) {
  for (Address at = 0; at < 128; at += 32) outer_.access(read(at), 0);
  EXPECT_EQ(port_.access({.address = 0x8000, .bytes = 128}, 0).done, 4 * 44);
  EXPECT_EQ(port_.access({.address = 0x8000, .bytes = 128}, 0).done, 8 * 44);
}

TEST_F(PortTest, WritesToMemoryWaitBehindThoseThatAreBuffered) {
  Access write{.address = 0x8000, .bytes = 32, .write = true, .allocate = false};
  std::vector<Time> done;
  for (int i = 0; i < 4; ++i) {
    done.push_back(port_.access(write, 0).done);
    write.address += 32;
  }
  EXPECT_EQ(done[0], 27);
  EXPECT_EQ(done[1], 54);
  // The third needs the first one's place, and from then on one follows the other.
  EXPECT_GT(done[2], 500);
  EXPECT_GT(done[3] - done[2], 500);
  EXPECT_FALSE(outer_.contains(0));
}

TEST_F(PortTest, AWriteThatAllocatesNeedsMemoryOnlyForADirtyLineThatItReplaces) {
  const auto lines = parameters(Level::outer).bytes / 32;
  Access write{.address = 0x8000, .bytes = 32, .write = true};
  const auto walk = [&] {
    port_.restart();
    Time done = 0;
    for (std::uint32_t i = 0; i < lines; ++i) {
      done = port_.access(write, 0).done;
      write.address += 32;
    }
    return done;
  };
  EXPECT_EQ(walk(), lines * 27);  // into an empty cache
  EXPECT_TRUE(outer_.contains(0));
  EXPECT_GT(walk(), lines / 2 * 500);  // over what the walk before left dirty
}

TEST_F(PortTest, AReadThatReplacesADirtyLineCostsMore) {
  const auto missed = [&](Address at) { return line(false, at) - 1000; };
  const Time clean = missed(0x100);
  for (Address at = 0; at < 0x1000; at += 32) outer_.access(write(at), 0);
  EXPECT_EQ(missed(0x2000), clean + 7);
}

class LockTest : public testing::Test {
 protected:
  // How many of as many lines as the cache has are there after two walks over them.
  static int kept(Cache& cache, std::uint8_t id, Address base) {
    const auto lines = static_cast<Address>(parameters(Level::outer).bytes / 32);
    for (int walk = 0; walk < 2; ++walk) {
      for (Address i = 0; i < lines; ++i) {
        Access access = read(base + i * 32);
        access.id = id;
        cache.access(access, 0);
      }
    }
    int there = 0;
    for (Address i = 0; i < lines; ++i) there += cache.contains(base + i * 32) ? 1 : 0;
    return there;
  }

  Recorder memory_;
  Cache cache_{"cache", parameters(Level::outer), memory_};
  std::uint32_t ways_ = parameters(Level::outer).ways;
  int lines_ = static_cast<int>(parameters(Level::outer).bytes / 32);
};

TEST_F(LockTest, AMasterFillsOnlyTheWaysLeftToIt) {
  EXPECT_EQ(kept(cache_, kProcessorId, 0), lines_);
  Cache locked("locked", parameters(Level::outer), memory_);
  locked.lock(kProcessorId, (1U << (ways_ - 1)) - 1);
  EXPECT_EQ(kept(locked, kProcessorId, 0), lines_ / static_cast<int>(ways_));
  // The other master still has them all.
  EXPECT_EQ(kept(locked, kDmaId, 0x10000), lines_);
}

// Of eight ways with five locked, the first that is open has six turns of eight.
TEST_F(LockTest, ALockedWayHandsItsTurnToTheNextThatIsOpen) {
  constexpr std::uint32_t kWays = 8;
  constexpr int kSets = 4096;
  Cache::Parameters wide = parameters(Level::outer, Replacement::random);
  wide.ways = kWays;
  wide.bytes = kWays * kSets * 32;
  Cache cache("cache", wide, memory_);
  constexpr Address kWay = kSets * 32;
  const auto read_all = [&](Address base, std::uint8_t id) {
    for (Address at = 0; at < kWay; at += 32) {
      Access access = read(base + at);
      access.id = id;
      cache.access(access, 0);
    }
  };
  for (Address way = 0; way < kWays; ++way) read_all(way * kWay, kDmaId);
  cache.lock(kProcessorId, 0b11111);
  read_all(kWays * kWay, kProcessorId);
  std::array<int, kWays> lost{};
  for (Address way = 0; way < kWays; ++way) {
    for (Address at = 0; at < kWay; at += 32) lost[way] += cache.contains(way * kWay + at) ? 0 : 1;
  }
  for (std::uint32_t way = 0; way < 5; ++way) EXPECT_EQ(lost[way], 0);
  EXPECT_NEAR(lost[5], kSets * 6 / 8, kSets / 32);
  EXPECT_NEAR(lost[6], kSets / 8, kSets / 32);
  EXPECT_NEAR(lost[7], kSets / 8, kSets / 32);
}

TEST_F(LockTest, LockedLinesStayAndAreHit) {
  kept(cache_, kDmaId, 0);
  cache_.lock(kProcessorId, (1U << ways_) - 1);
  EXPECT_EQ(kept(cache_, kProcessorId, 0x10000), 0);
  EXPECT_EQ(kept(cache_, kProcessorId, 0), lines_);
}

}  // namespace
}  // namespace weighbridge
