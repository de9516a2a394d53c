// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Traffic of a processor's own beside a transfer: it reads, changes and writes back one byte after
// the other of a buffer, for ever.
#pragma once

#include <cstdint>

#include "core/component.hpp"
#include "core/contents.hpp"
#include "core/scheduler.hpp"

namespace weighbridge {

class DummyTraffic : public Process {
 public:
  // stride: bytes from one place to the next; accesses: as many to each; interval: the mean time
  // between two.
  DummyTraffic(Component& memory, bool inner, bool outer, std::uint32_t stride,
               std::uint32_t accesses, Time interval)
      : memory_(memory),
        inner_(inner),
        outer_(outer),
        stride_(stride),
        accesses_(accesses),
        interval_(static_cast<std::uint64_t>(interval)) {}

  void contents(Contents& contents) {
    contents(made_);
    contents(random_);
  }

  Time step(Time now) override {
    const Access access{.address = kBuffer + made_++ / accesses_ * stride_ % kSwept,
                        .bytes = 1,
                        .write = true,
                        .inner = inner_,
                        .outer = outer_};
    memory_.access(access, now);
    // Never in step with what it disturbs: between half the interval and one and a half.
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    return now + static_cast<Time>(interval_ / 2 + ((random_ >> 32) * interval_ >> 32));
  }

 private:
  static constexpr Address kBuffer = 0x0800'0000;
  static constexpr std::uint64_t kSwept = 2 << 20;

  Component& memory_;
  bool inner_;
  bool outer_;
  std::uint32_t stride_;
  std::uint32_t accesses_;
  std::uint64_t interval_;
  std::uint64_t made_ = 0;
  std::uint64_t random_ = 1;
};

}  // namespace weighbridge
