// SPDX-License-Identifier: Apache-2.0
#include "components/buffered_port.hpp"

#include <gtest/gtest.h>

namespace weighbridge {
namespace {

// Answers after a time that a test may change from access to access.
class Target : public Component {
 public:
  Target() : Component("target") {}
  Reply access(const Access&, Time arrival) override {
    return {arrival + latency, arrival + latency, 0};
  }
  Time latency = 0;
};

constexpr Time kCycle = 10;
constexpr Access kPiece{.address = 0, .bytes = 32, .beat_bytes = 8};

BufferedPort::Parameters parameters(std::uint32_t width, Time latency) {
  return {.clock = Clock(kCycle), .width = width, .fifo = 64, .piece = 32, .latency = latency};
}

TEST(BufferedPortTest, APieceCrossesBeatByBeatOnceItIsThere) {
  Target target;
  target.latency = 100;
  BufferedPort port("port", parameters(8, 6), target);
  EXPECT_EQ(port.depth(), 2U);
  EXPECT_EQ(port.read(kPiece, 0), 106 + 4 * kCycle);
  // The next one is there already when the bus is free.
  EXPECT_EQ(port.read(kPiece, 0), 106 + 8 * kCycle);
  EXPECT_EQ(port.activity().busy, 8 * kCycle);
  EXPECT_EQ(port.activity().waiting, 4 * kCycle);
}

TEST(BufferedPortTest, TheNarrowerOfBusAndMasterSaysHowManyBeats) {
  Target target;
  BufferedPort wide("port", parameters(16, 0), target);
  EXPECT_EQ(wide.read(kPiece, 0), 4 * kCycle);
  Access own = kPiece;
  own.beat_bytes = 16;
  EXPECT_EQ(wide.read(own, 1000), 1000 + 2 * kCycle);
}

TEST(BufferedPortTest, TheTwoDirectionsDoNotHinderEachOther) {
  Target target;
  BufferedPort port("port", parameters(8, 0), target);
  EXPECT_EQ(port.cross(kPiece, 0), 4 * kCycle);
  EXPECT_EQ(port.read(kPiece, 0), 4 * kCycle);
  EXPECT_EQ(port.cross(kPiece, 0), 8 * kCycle);
  port.restart();
  EXPECT_EQ(port.cross(kPiece, 0), 4 * kCycle);
}

TEST(BufferedPortTest, AMasterThatKnowsNoPiecesMovesThemOneByOne) {
  Target target;
  target.latency = 100;
  BufferedPort port("port", parameters(8, 0), target);
  const Access burst{.address = 0, .bytes = 128, .beat_bytes = 8};
  EXPECT_EQ(port.access(burst, 0).done, 4 * (100 + 4 * kCycle));
}

}  // namespace
}  // namespace weighbridge
