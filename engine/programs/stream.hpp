// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Streams of blocks: a DMA engine with a queue of commands moves blocks through a port while a
// program takes finished blocks back, works on them and queues them again.
#pragma once

#include <cstdint>
#include <string>

#include "core/system.hpp"
#include "programs/driver_call.hpp"
#include "programs/outcome.hpp"
#include "programs/work.hpp"

namespace weighbridge {

struct StreamJob {
  bool to_fabric = true;      // the direction that is asked for
  bool duplex = false;        // the other one runs as well
  std::uint32_t bytes = 0;    // of a block
  std::uint32_t pieces = 1;   // blocks that make up what the outcome is for
  std::uint32_t blocks = 2;   // in flight, per direction
  std::uint32_t streams = 1;  // DMA nodes on the port
  std::string master;
  std::string logic;         // library of the Verilated node in the master's place, or none
  bool every_cycle = false;  // of that node is run, also while it has nothing to do
  bool single = false;       // one result's blocks by themselves instead of the steady state
  std::string without;       // a phase of the processor's that takes no time
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

// Per block of the direction asked for, in the steady state; or, of a single one, from the
// program's first step to its last. The phases are the processor's time; "transfer by ..." is what
// it waits.
Outcome stream(System& system, const StreamJob& job);

}  // namespace weighbridge
