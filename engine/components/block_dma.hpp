// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// DMA engines in the fabric that work off a queue of commands, a block of memory each.
#pragma once

#include <cstdint>
#include <deque>

#include "components/buffered_port.hpp"
#include "core/fields.hpp"
#include "core/scheduler.hpp"

namespace weighbridge {

// The numbers of a descriptor DMA engine.
struct BlockDmaParameters {
  Fields f = {};
  std::uint32_t beat = f.bytes("width", "of a beat", allowed::width);
  std::uint32_t burst = beat * f.count("burst_beats", "beats of the longest burst", {1, 4096});
  std::uint32_t outstanding_reads =
      f.count("outstanding_reads", "bursts of reads under way", {1, 4096});
  std::uint32_t outstanding_writes =
      f.count("outstanding_writes", "bursts of writes under way", {1, 4096});
  std::uint32_t commands = f.count("commands", "that it queues", {1, 4096});
  double command_cycles = f.cycles("command_cycles", "from a command to its first burst");
  double gather_beats = f.count(
      "gather_beats", "that an idle engine has before it announces a burst to memory", {0, 4096});
  bool allocate = f.flag("allocate", "whether bursts that miss a cache bring their lines in");
};

// One direction of one DMA node, modelled or run as logic.
class BlockEngine {
 public:
  virtual ~BlockEngine() = default;

  // Queues a block; false if every command slot is taken.
  virtual bool enqueue(Address address, std::uint32_t bytes, Time now) = 0;
  // Does what is due at `now`; next() then says when something is due again.
  virtual void step(Time now) = 0;
  [[nodiscard]] virtual Time next() const = 0;
  // Blocks finished and not yet taken.
  [[nodiscard]] std::uint32_t results() const { return results_; }
  void take() { --results_; }

 protected:
  std::uint32_t results_ = 0;
};

// The twin's: it fetches commands in order, keeps several bursts outstanding,
// and starts on the next command while the last bursts of the one before are on their way.
class BlockDma : public BlockEngine {
 public:
  BlockDma(const BlockDmaParameters& parameters, BufferedPort& port, Address window,
           bool to_fabric);

  bool enqueue(Address address, std::uint32_t bytes, Time now) override;
  void step(Time now) override;
  [[nodiscard]] Time next() const override;

 private:
  struct Command {
    Address address;
    std::uint32_t bytes;
  };

  void begin(Time now, double cycles);
  [[nodiscard]] Time ready(Time now) const;
  void issue(Time now);
  void issued(std::uint32_t bytes, Time finished, Time left, Time now);

  BlockDmaParameters p_;
  BufferedPort& port_;
  Address window_;
  bool to_fabric_;
  std::deque<Command> queue_;  // the first is under way
  std::uint32_t held_ = 0;     // commands whose result has not been queued
  std::uint32_t done_ = 0;     // bytes of it
  std::uint32_t in_burst_ = 0;
  bool crossing_ = false;       // a piece to memory crosses the port
  Time due_ = kNever;           // of the next piece
  std::deque<Time> left_;       // when the latest pieces had left the FIFO
  std::deque<Time> bursts_;     // when the latest bursts were answered
  std::deque<Time> completed_;  // ends of commands to come
};

}  // namespace weighbridge
