// SPDX-License-Identifier: GPL-2.0-only
//
// What the microcontroller finds behind its memory controller: the Verilated logic with its wire,
// and beside it the engine's components, which say when the same accesses would have ended.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "core/system.hpp"
#include "fmc_library.hpp"

namespace weighbridge::microcontroller {

using Bytes = std::vector<std::uint8_t>;

// Of its addresses, from the controller's base on.
inline constexpr std::uint32_t kWindowBytes = 1U << 20;

struct Frame {
  Bytes bytes;
  Time end = 0;  // of its last byte on the wire
};

class Window {
 public:
  // library: of cosim/fmc_library.cpp; throws std::invalid_argument where it cannot be loaded.
  Window(const std::string& library, Component& bus, Clock bus_clock, Time wire_period);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // When the controller has taken what is written: it keeps some words, and the bus comes to them
  // in their order. Throws Stopped with what the logic has done wrong.
  Time write(Time at, std::uint32_t offset, unsigned bits, std::uint64_t data);
  // When what is read is there.
  Time read(Time at, std::uint32_t offset, unsigned bits, std::uint64_t& value);
  void run(Time until);

  void arrive(Time at, const Bytes& frame);
  [[nodiscard]] bool ready() const;
  [[nodiscard]] bool quiet() const;

  // Times of the bus are the engine's, not the logic's.
  bool by_twin = false;
  // Gets every frame that has left.
  std::function<void(const Frame&)> sent;

  // How long the bus was busy with the accesses by the logic, and by the engine.
  std::uint64_t accesses = 0;
  std::uint64_t apart = 0;  // by more than a clock
  Time logic_busy = 0;
  Time twin_busy = 0;

 private:
  struct Calls;
  Time done(Time at, Time logic, bool write, unsigned bits);
  // Of RM0468: words that wait in front of the bus.
  static constexpr std::size_t kFifo = 16;
  void look();

  Component& bus_;
  Clock clock_;
  void* library_ = nullptr;
  Calls* calls_;
  fmc_logic* logic_ = nullptr;
  std::deque<Time> waiting_;  // when the bus has ended with each word that was taken
  Time logic_free_ = 0, twin_free_ = 0;
};

}  // namespace weighbridge::microcontroller
