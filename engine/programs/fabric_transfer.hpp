// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Transfers that programs do with one or several DMA controllers in the fabric.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "components/processor.hpp"
#include "core/system.hpp"
#include "programs/outcome.hpp"
#include "programs/work.hpp"

namespace weighbridge {

struct FabricPort {
  std::string component;
  Address memory_window = 0;    // added to memory addresses to reach the chosen port of the memory
  std::uint32_t run_beats = 1;  // beats taken at a time; 1: one outstanding
};

struct FabricJob {
  bool to_fabric = true;
  std::uint32_t bytes = 0;  // over all controllers, each of which moves an equal share
  std::uint32_t beat_bytes = 0;
  std::vector<FabricPort> ports;
  std::string controller;
  std::string processor;
  Address control = 0;  // the controllers' registers, as the processor sees them
  std::uint32_t buffer_align = 0;

  bool outer_enabled = true;
  std::string outer_cache;
  Buffer buffer;  // the program's own; controllers' shares follow each other in it
  bool through_kernel = false;
  Buffer kernel;  // the first controller's; the others' follow at kernel_stride
  std::uint64_t kernel_stride = 0;
  bool allocate = false;         // coherent accesses that miss bring the line into the cache
  bool ordered_control = false;  // register writes wait for their response

  // Nanoseconds.
  double base = 0;        // what is left of start and end when an empty run has been taken off
  double start_work = 0;  // beside the register accesses
  double poll_work = 0;
  double poll_lead = 0;  // from the start to the first look
  double phase = 0;      // within which the end falls against the looks, run by run
  double next_work = 0;  // before the first look at the next controller
  double system_call = 0;
  double drain = 0;  // until what a copy to the kernel has stored has left the processor

  Consume consume = Consume::none;  // what the program does with its buffer beside
};

Outcome fabric_transfer(System& system, const FabricJob& job);

}  // namespace weighbridge
