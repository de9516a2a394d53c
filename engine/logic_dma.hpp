// SPDX-License-Identifier: Apache-2.0
//
// A DMA node that is not modelled but run: Verilated logic, a cycle at a time, whose bursts go
// through the twin's port and memory system.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "block_dma.hpp"
#include "logic_pins.h"

namespace weighbridge {

// The node, and the slave end of its AXI master. Cycles in which nothing can happen are left out
// unless every one is asked for: a node without commands holds its state.
class LogicNode {
 public:
  // Loads the library at `path`; throws std::invalid_argument if it is none of a node.
  LogicNode(const std::string& path, const BlockDmaParameters& parameters, BufferedPort& port,
            Address window, bool every_cycle);
  ~LogicNode();
  LogicNode(const LogicNode&) = delete;
  LogicNode& operator=(const LogicNode&) = delete;

  bool enqueue(bool to_fabric, Address address, std::uint32_t bytes, Time now);
  // Runs the cycle that ends at `now` if it is due.
  void step(Time now);
  [[nodiscard]] Time next() const { return busy() ? edge_ : kNever; }
  // When the oldest block of a direction that nobody has taken was finished, or kNever.
  [[nodiscard]] Time finished(bool to_fabric) const;
  void take(bool to_fabric) { finished_.at(to_fabric ? 0 : 1).pop_front(); }

 private:
  struct Command {
    Address address;
    std::uint32_t bytes;
  };
  struct Burst {
    Address address;
    std::uint32_t beats;  // still to be asked for, or to come
    std::uint8_t id;
    Time due = 0;  // of the answer to a write
  };
  struct Library;

  [[nodiscard]] bool busy() const { return held_[0] + held_[1] > 0; }
  [[nodiscard]] Access piece(const Burst& burst, std::uint32_t beats, bool write) const;
  // A port's FIFO has room for another piece.
  [[nodiscard]] bool room(const std::deque<Time>& left) const;
  void note(std::deque<Time>& left, Time time) const;
  void cycle();
  void read_ahead();
  void drive();
  void sample();
  void take_beat();

  BlockDmaParameters p_;
  BufferedPort& port_;
  Address window_;
  bool every_cycle_;
  std::unique_ptr<Library> library_;
  LogicPins pins_{};
  Time period_;
  Time edge_ = 0;                                // that ends the cycle to run next
  std::array<std::deque<Command>, 2> commands_;  // not yet taken by the node
  std::array<std::uint32_t, 2> held_{};          // commands whose result has not been queued
  std::array<std::deque<Time>, 2> finished_;

  std::deque<Burst> asked_;        // reads whose pieces have not all been asked for
  std::deque<Burst> returning_;    // reads by the beats that the node has not had
  std::deque<Time> beats_;         // when the beats of those asked for have crossed
  std::deque<Time> read_left_;     // when the latest pieces had left the FIFO
  std::deque<Burst> writing_;      // by the beats still to come
  Access crossing_;                // the piece whose beats are coming
  std::uint32_t piece_beats_ = 0;  // that have come
  Time crossed_ = 0;
  std::deque<Time> write_left_;
  std::deque<Burst> answers_;
};

// One direction of such a node.
class LogicLane : public BlockEngine {
 public:
  LogicLane(std::shared_ptr<LogicNode> node, bool to_fabric)
      : node_(std::move(node)), to_fabric_(to_fabric) {}

  bool enqueue(Address address, std::uint32_t bytes, Time now) override {
    return node_->enqueue(to_fabric_, address, bytes, now);
  }
  void step(Time now) override;
  [[nodiscard]] Time next() const override;

 private:
  std::shared_ptr<LogicNode> node_;
  bool to_fabric_;
};

}  // namespace weighbridge
