// SPDX-License-Identifier: GPL-2.0-only
//
// A hostile neighbour of the program's server: control messages, whole, spoilt, late, too long or
// out of order; connections that are refused, flooded, cut off or left half open.
//
// Messages come in episodes. Behind each the server must still serve a client that means well, and
// all that it has said must be what it may say. Now and then the program's memory is what it was.
#pragma once

#include <cstdint>
#include <functional>
#include <random>

#include "core.hpp"
#include "peer.hpp"

namespace weighbridge::microcontroller {

class Fuzz {
 public:
  // The program waits for frames. `pass` lets the board go on for so many microseconds, or until it
  // waits again, if it is not to wait for so long.
  using Pass = std::function<void(double us, bool waits)>;
  Fuzz(Core& core, Window& window, Pass pass, std::uint64_t seed);

  // Throws Finding with the number of the message; Stopped where the program has failed.
  void run(std::uint64_t messages);

  std::uint64_t messages = 0, connections = 0, clients = 0;
  Peer peer;

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  bool chance(unsigned percent) { return below(100) < percent; }
  std::uint8_t byte() { return static_cast<std::uint8_t>(random_()); }
  Bytes noise(std::size_t bytes);
  Bytes text(std::size_t bytes);
  static Bytes announced(const Bytes& text, std::uint64_t bytes);
  Bytes parameters();
  Bytes results();
  Bytes spoilt(Bytes bytes);
  // The next message of a client that means well.
  void sound();
  void hostile();
  void hostile_bytes(unsigned kind);
  void hostile_frame(unsigned kind);
  void connect();
  void drop();
  void episode(std::uint64_t count);
  // One test from its begin to its end.
  void well_meant();
  // Connections that say nothing, as many as there is room for: they are not kept for ever.
  void silent();

  Core& core_;
  void answers(double us = kAnswer) { pass_(us, false); }
  static constexpr double kAnswer = 100;  // us in which most messages are answered

  Pass pass_;
  std::mt19937_64 random_;
  std::uint16_t port_ = 40000;
  unsigned step_ = 0, told_ = 0;
};

}  // namespace weighbridge::microcontroller
