// SPDX-License-Identifier: GPL-2.0-only
//
// The other end of the wire: a network interface of this machine, by the clock on the wall.
#pragma once

#include <chrono>
#include <string>

#include "window.hpp"

namespace weighbridge::microcontroller {

class Tap {
 public:
  // Throws std::invalid_argument where the interface cannot be had.
  explicit Tap(const std::string& name);
  ~Tap();
  Tap(const Tap&) = delete;
  Tap& operator=(const Tap&) = delete;

  void send(const Bytes& frame) const;
  // Frames that have come go into the window at `at`; waits for them as long as the simulation,
  // which is `seconds` old, is ahead of the wall's clock.
  void exchange(Window& window, Time at, double seconds) const;

 private:
  int file_ = -1;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace weighbridge::microcontroller
