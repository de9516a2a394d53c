// SPDX-License-Identifier: Apache-2.0
//
// Streams of blocks: a DMA engine with a queue of commands moves blocks through a port while a
// program takes finished blocks back, works on them and queues them again.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "buffered_port.hpp"
#include "driver_call.hpp"
#include "scheduler.hpp"
#include "system.hpp"
#include "transfer.hpp"
#include "work.hpp"

namespace weighbridge {

// The numbers of a descriptor DMA engine.
struct BlockDmaParameters {
  std::uint32_t beat;   // bytes
  std::uint32_t burst;  // bytes
  std::uint32_t outstanding_reads;
  std::uint32_t outstanding_writes;
  std::uint32_t commands;  // that it queues
  double command_cycles;   // from a command to its first burst
  bool allocate;           // bursts that miss a cache bring their lines in

  static BlockDmaParameters of(const Fields& fields);
};

// One direction of one DMA node. It fetches commands in order, keeps several bursts outstanding,
// and starts on the next command while the last bursts of the one before are on their way.
class BlockDma {
 public:
  BlockDma(const BlockDmaParameters& parameters, BufferedPort& port, Address window,
           bool to_fabric);

  // Queues a block; false if every command slot is taken.
  bool enqueue(Address address, std::uint32_t bytes, Time now);
  // Does what is due at `now`; next() then says when something is due again.
  void step(Time now);
  [[nodiscard]] Time next() const;
  // Blocks finished and not yet taken.
  [[nodiscard]] std::uint32_t results() const { return results_; }
  void take() { --results_; }

 private:
  struct Command {
    Address address;
    std::uint32_t bytes;
  };

  void begin(Time now);
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
  std::uint32_t results_ = 0;
};

struct StreamJob {
  bool to_fabric = true;      // the direction that is asked for
  bool duplex = false;        // the other one runs as well
  std::uint32_t bytes = 0;    // of a block
  std::uint32_t pieces = 1;   // blocks that make up what the outcome is for
  std::uint32_t blocks = 2;   // in flight, per direction
  std::uint32_t streams = 1;  // DMA nodes on the port
  std::string master;
  std::string port;
  Address window = 0;  // added to memory addresses to reach the port
  std::string processor;
  Address control = 0;  // the nodes' registers, as the processor sees them
  std::string inner_cache;
  std::string outer_cache;

  Buffer block;                      // where the first block lies; the others follow
  bool copies = false;               // the driver copies between `user` and its blocks
  Buffer user;                       // the program's own
  bool maintain = false;             // blocks are cached and the port is not coherent
  double maintain_call = 0;          // nanoseconds for a range of lines
  double clean = 0;                  // nanoseconds per line
  double invalidate = 0;             // nanoseconds per line
  std::uint64_t resident_bytes = 0;  // of others that fill the caches before that

  bool polling = false;  // the program asks until a block is done
  DriverCall enqueue_to_fabric;
  DriverCall dequeue_to_fabric;
  DriverCall enqueue_from_fabric;
  DriverCall dequeue_from_fabric;
  DriverCall wait;  // more where a call waits; `call` is interrupt entry and wake-up

  Consume consume = Consume::none;
};

// Per block of the direction asked for, in the steady state. The phases are the processor's time;
// "transfer by ..." is what it waits.
Outcome stream(System& system, const StreamJob& job);

}  // namespace weighbridge
