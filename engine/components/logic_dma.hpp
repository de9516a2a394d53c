// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
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

#include "components/axi_slave.hpp"
#include "components/block_dma.hpp"
#include "components/logic_pins.h"

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
  struct Library;

  [[nodiscard]] bool busy() const { return held_[0] + held_[1] > 0; }
  void cycle();
  void drive();
  void sample();

  BlockDmaParameters p_;
  bool every_cycle_;
  std::unique_ptr<Library> library_;
  LogicPins pins_{};
  AxiSlave slave_;
  Time period_;
  Time edge_ = 0;                                // that ends the cycle to run next
  std::array<std::deque<Command>, 2> commands_;  // not yet taken by the node
  std::array<std::uint32_t, 2> held_{};          // commands whose result has not been queued
  std::array<std::deque<Time>, 2> finished_;
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
