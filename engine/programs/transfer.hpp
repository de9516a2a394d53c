// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// One timed transfer as the study's programs do it: fill the source, move to the fabric, move back,
// in chunks no larger than the fabric's memory; the direction that is asked for is the one timed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "components/memory.hpp"
#include "components/processor.hpp"
#include "core/system.hpp"
#include "programs/outcome.hpp"
#include "programs/work.hpp"

namespace weighbridge {

// What the program around a DMA transfer costs, in nanoseconds. `work` is time in cached code and
// grows by `slowdown` where the caches are off; `device` is time on the peripheral bus.
struct DmaSoftware {
  double start_work = 0;  // until DMAGO has been written
  double start_device = 0;
  double poll_work = 0;  // one look at the status
  double poll_device = 0;
  double poll_lead = 0;            // more before the first look
  double dummy_work = 0;           // dummy traffic in the poll loop: once before the start, and
  double dummy_lead = 0;           // more for a look but the first; more before the start
  double dummy_interval = 0;       // between two of the processor's accesses to memory
  double fetch = 0;                // from DMAGO to the program's first instruction
  double system_call = 0;          // entry and exit
  double prepare = 0;              // building a program: fixed,
  double prepare_instruction = 0;  // per instruction,
  double prepare_burst = 0;        // and when there are whole bursts to count
  double slowdown = 1;
  double burst = 128;     // bytes of the program's longest bursts
  double beat = 8;        // and of their beats
  double early_end = 0;   // 1: the program signals its end with stores still under way
  double bufferable = 0;  // 1: its stores may be answered before they have arrived
};

struct TransferJob {
  bool to_fabric = true;
  std::uint32_t bytes = 0;
  std::uint32_t chunk_bytes = 0;  // the fabric's memory; longer transfers restart at its base
  Address fabric = 0;
  std::string processor;
  std::string master;  // the processor itself, or a PL330

  // Processor state.
  bool inner_enabled = true;
  bool outer_enabled = true;
  bool instruction_cache = true;
  std::string inner_cache;  // component names
  std::string outer_cache;

  // Ways of the second level that the processor and the coherent masters may not fill, as masks;
  // set for good, or only from the end of the source's preparation to the end of the transfer.
  std::uint32_t locked_processor = 0;
  std::uint32_t locked_coherent = 0;
  bool lock_prepared = false;

  Buffer buffer;  // the program's own
  bool fabric_ordered = false;
  bool word_loop = false;           // the processor copies word by word instead of calling memcpy
  std::uint32_t checked_bytes = 0;  // of its buffer that the program reads back after each transfer

  // DMA only.
  std::uint64_t kernel_footprint = 0;  // bytes of its own that a system call touches
  bool through_kernel = false;         // a driver copies between `buffer` and `kernel`
  Buffer kernel;
  Address memory_window = 0;  // added to memory addresses to reach the chosen port
  bool prepared = true;
  DmaSoftware software;
  bool dummy_traffic = false;
  std::string memory;  // the SDRAM, where its ports have a schedule
  PortSchedule schedule;
  std::uint32_t poll_samples = 1;   // phases of the poll loop to average over
  Consume consume = Consume::none;  // what the program does with its buffer beside
};

// Runs the job on a system whose caches are cold at first; the timed pass is the second one.
Outcome transfer(System& system, const TransferJob& job);

}  // namespace weighbridge
