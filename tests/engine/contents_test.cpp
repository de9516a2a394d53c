// SPDX-License-Identifier: Apache-2.0
#include "core/contents.hpp"

#include <gtest/gtest.h>

#include "components/cache.hpp"
#include "core/kinds.hpp"
#include "core/system.hpp"

namespace weighbridge {
namespace {

using Numbers = std::map<std::string, double>;

ComponentSpec part(const std::string& name, const std::string& kind,
                   const std::vector<std::string>& to, const Numbers& numbers) {
  ComponentSpec spec{name, kind, "clock", {}, {}, to, {}, false};
  for (const Field& field : kind_of(spec).fields) {
    if (field.dimension == Dimension::choice) {
      spec.choices[field.name] = field.words.front();
    } else {
      spec.numbers[field.name] = field.range.standard.value_or(field.range.least);
    }
  }
  for (const auto& [field, number] : numbers) spec.numbers[field] = number;
  return spec;
}

struct Questions {
  Numbers cache{{"bytes", 32768}, {"ways", 4}, {"line", 32}, {"latency", 10}};
  Numbers sdram{{"width", 4},      {"burst", 8},     {"banks", 8},      {"row_bytes", 4096},
                {"cas_cycles", 7}, {"activate", 15}, {"precharge", 15}, {"refresh_interval", 7800}};
  double mhz = 800;
  std::uint64_t bytes = 64 * 1024;
  bool timed = true;
  std::size_t slices = 0;
  int simulated = 0;

  struct Answer {
    Time end;
    Activity activity;
    std::vector<std::byte> contents;
    bool operator==(const Answer& other) const {
      return end == other.end && contents == other.contents &&
             activity.transactions == other.activity.transactions &&
             activity.busy == other.activity.busy && activity.bytes == other.activity.bytes &&
             activity.waiting == other.activity.waiting;
    }
  };

  // What a walk over the bytes takes and leaves.
  Answer ask() {
    Description description{"clock", {{"clock", mhz}}, {}, slices};
    description.components = {part("core", "core", {"cache", "sdram"}, {}),
                              part("cache", "cache", {"sdram"}, cache),
                              part("sdram", "sdram", {}, sdram)};
    System system(description);
    Component& port = system.at("cache");
    Digest key;
    key.text("walk");
    key << bytes;
    const Time end = system.once({&port}, timed, bytes, key, [&] {
      ++simulated;
      Time now = 0;
      for (Address at = 0; at < bytes; at += 32) {
        const Access access{.address = at, .bytes = 4, .write = at % 3 == 0, .inner = true};
        if (timed) {
          now = port.access(access, now).done;
        } else {
          port.touch(access);
        }
      }
      return now;
    });
    Contents contents;
    EXPECT_TRUE(port.contents(contents));
    return {end, port.activity(), contents.bytes()};
  }
};

TEST(Contents, AnEqualPhaseIsSimulatedOnceAndLeavesAndTakesTheSame) {
  Questions questions;
  const auto first = questions.ask();
  EXPECT_GT(first.end, 0);
  EXPECT_GT(first.activity.transactions, 0U);
  EXPECT_TRUE(questions.ask() == first);
  EXPECT_EQ(questions.simulated, 1);
  questions.slices = 1;  // a trace wants every access
  EXPECT_TRUE(questions.ask() == first);
  EXPECT_EQ(questions.simulated, 2);
}

TEST(Contents, EveryNumberThatDecidesAPhaseTellsItFromOthers) {
  Questions questions;
  questions.bytes = 48 * 1024;
  questions.ask();
  const auto differs = [&](const auto& change) {
    Questions other = questions;
    other.simulated = 0;
    change(other);
    other.ask();
    EXPECT_EQ(other.simulated, 1);
  };
  differs([](Questions& q) { q.cache["latency"] = 11; });
  differs([](Questions& q) { q.cache["ways"] = 8; });
  differs([](Questions& q) { q.cache["prefetch_lines"] = 1; });
  differs([](Questions& q) { q.sdram["cas_cycles"] = 8; });
  differs([](Questions& q) { q.sdram["row_bytes"] = 8192; });
  differs([](Questions& q) { q.mhz = 801; });
  differs([](Questions& q) { q.bytes += 32; });
  differs([](Questions& q) { q.timed = false; });
}

TEST(Contents, WhatIsLeftDoesNotDependOnNumbersThatAreTimes) {
  Questions questions;
  questions.timed = false;
  questions.bytes = 80 * 1024;
  const auto first = questions.ask();
  questions.cache["latency"] = 20;
  questions.sdram["cas_cycles"] = 9;
  questions.mhz = 600;  // in the same ticks
  EXPECT_TRUE(questions.ask().contents == first.contents);
  EXPECT_EQ(questions.simulated, 1);
  questions.slices = 1;
  EXPECT_TRUE(questions.ask().contents == first.contents);
  EXPECT_EQ(questions.simulated, 2);
}

TEST(Contents, APhaseBehindAComponentWithMoreToItsStateIsAlwaysSimulated) {
  class Other : public Component {
   public:
    Other() : Component("other") {}
    Reply access(const Access& /*access*/, Time arrival) override { return {arrival, arrival}; }
  };
  Other other;
  Contents contents;
  EXPECT_FALSE(other.contents(contents));
}

TEST(Contents, ADigestTellsOrderAndLength) {
  const auto of = [](const std::vector<std::string>& words) {
    Digest digest;
    for (const std::string& word : words) digest.text(word);
    return digest.value();
  };
  EXPECT_NE(of({"ab", "c"}), of({"a", "bc"}));
  EXPECT_NE(of({"a", "b"}), of({"b", "a"}));
  EXPECT_NE(of({std::string(32, '\0')}), of({std::string(33, '\0')}));
  EXPECT_EQ(of({"abc"}), of({"abc"}));
}

}  // namespace
}  // namespace weighbridge
