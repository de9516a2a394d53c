// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The slave end of a Verilated master's AXI port, a cycle at a time: its bursts go piece by piece
// through the twin's port and memory system, which say when their beats and answers come.
#pragma once

#include <cstdint>
#include <deque>

#include "components/block_dma.hpp"
#include "components/logic_pins.h"

namespace weighbridge {

class AxiSlave {
 public:
  // Of the parameters: a beat's bytes, outstanding bursts, and whether they allocate in caches.
  AxiSlave(const BlockDmaParameters& parameters, BufferedPort& port, Address window);

  [[nodiscard]] Time period() const { return period_; }
  // Before the edge at `edge`: the slave's outputs for the cycle that it ends.
  void drive(LogicPins& pins, Time edge);
  // After the master's outputs have settled: the handshakes of that cycle.
  void sample(const LogicPins& pins, Time edge);

 private:
  struct Burst {
    Address address;
    std::uint32_t beats;  // still to be asked for, or to come
    std::uint8_t id;
    Time due = 0;  // of the answer to a write
  };

  [[nodiscard]] Access piece(const Burst& burst, std::uint32_t beats, bool write) const;
  // A port's FIFO has room for another piece.
  [[nodiscard]] bool room(const std::deque<Time>& left) const;
  void note(std::deque<Time>& left, Time time) const;
  void read_ahead();
  void take_beat();

  BlockDmaParameters p_;
  BufferedPort& port_;
  Address window_;
  Time period_;
  Time edge_ = 0;

  std::deque<Burst> asked_;        // reads whose pieces have not all been asked for
  std::deque<Burst> returning_;    // reads by the beats that the master has not had
  std::deque<Time> beats_;         // when the beats of those asked for have crossed
  std::deque<Time> read_left_;     // when the latest pieces had left the FIFO
  std::deque<Burst> writing_;      // by the beats still to come
  Access crossing_;                // the piece whose beats are coming
  std::uint32_t piece_beats_ = 0;  // that have come
  Time crossed_ = 0;
  std::deque<Time> write_left_;
  std::deque<Burst> answers_;
};

}  // namespace weighbridge
