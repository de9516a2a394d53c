// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Simulated time. A Time is an integer count of ticks. A tick is one picosecond, or the binary
// fraction of it that a faster reference clock asks for: scaling every clock and every latency of
// a platform by two then scales every result by exactly two, because the counts do not change.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace weighbridge {

using Time = std::int64_t;

// Converts nanoseconds and megahertz to ticks.
class Timebase {
 public:
  explicit Timebase(double reference_mhz = 800.0)
      : ticks_per_ns_(
            std::ldexp(1000.0, std::max(kCoarsest, std::ilogb(reference_mhz / kNominalMhz)))) {}

  [[nodiscard]] Time from_ns(double ns) const { return std::llround(ns * ticks_per_ns_); }
  // In whole ticks, never too short: no result is faster than its clocks allow.
  [[nodiscard]] Time period(double mhz) const {
    constexpr double kRounding = 1e-6;  // of the division
    return static_cast<Time>(std::ceil(1e3 / mhz * ticks_per_ns_ - kRounding));
  }
  [[nodiscard]] double seconds(Time ticks) const {
    return static_cast<double>(ticks) / ticks_per_ns_ * 1e-9;
  }

 private:
  // A reference clock of 512 to 1023 MHz gives a tick of exactly one picosecond.
  static constexpr double kNominalMhz = 512.0;
  // A tick is 16 ps at most: a slow reference is no reason to round what others take.
  static constexpr int kCoarsest = -4;
  double ticks_per_ns_;
};

// A clock domain: edges at every multiple of the period, the first at time zero.
class Clock {
 public:
  Clock() = default;
  explicit Clock(Time period)
      : period_(period), inverse_(~std::uint64_t{0} / static_cast<std::uint64_t>(period)) {}

  [[nodiscard]] Time period() const { return period_; }
  // t: not negative. Each access comes to an edge or two, and the host's processor divides slowly:
  // the product with the inverse is the quotient, or one less.
  [[nodiscard]] Time next_edge(Time t) const {
    const auto last = static_cast<std::uint64_t>(t + period_ - 1);
    const auto period = static_cast<std::uint64_t>(period_);
    const std::uint64_t rest = last - (Wide{last} * inverse_ >> 64) * period;
    return static_cast<Time>(last - (rest < period ? rest : rest - period));
  }
  [[nodiscard]] Time cycles(double count) const {
    return std::llround(count * static_cast<double>(period_));
  }

 private:
  __extension__ typedef unsigned __int128 Wide;  // NOLINT: an alias may have no such mark

  Time period_ = 1;
  std::uint64_t inverse_ = ~std::uint64_t{0};
};

}  // namespace weighbridge
