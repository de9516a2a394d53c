// SPDX-License-Identifier: Apache-2.0
//
// Loops of loads and stores over a working set, as memory benchmarks make them: a chain in which
// each load's address comes from the one before, and passes whose accesses do not wait for each
// other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fields.hpp"
#include "scheduler.hpp"
#include "system.hpp"
#include "transfer.hpp"

namespace weighbridge {

enum class Loop { chain, read, write, copy };

struct LoadJob {
  Loop loop = Loop::chain;
  std::string core;
  std::uint32_t port = 0;  // of the core: 0 through its caches, 1 past them
  Address base = 0;
  std::uint64_t working_set = 0;  // bytes
  std::uint64_t stride = 0;       // of a chain
  bool cached = true;
  bool hog = false;     // another program dirties pages beside
  bool single = false;  // one pass by itself, to the end of its last access
  std::uint64_t seed = 0;
  std::uint32_t runs = 1;
};

struct CoreParameters {
  Fields f = {};
  Time load = f.time("load", "from a load that hits to the next that needs it");
  Time issue = f.time("issue", "from one access to the next that does not need it");
  std::uint32_t line = f.bytes("line", "that the caches move", allowed::line);
  std::uint32_t outstanding =
      f.count("outstanding", "lines, or uncached accesses, under way", allowed::latest);
  std::uint32_t prefetch_lines =
      f.count("prefetch_lines", "fetched ahead of a walk in order; 0: no prefetch", {0, 63});
  Time hog_line = f.time("hog_line", "between two lines that a memory hog dirties");
};

struct CopyEngineParameters {
  Fields f = {};
  std::uint32_t fifo_words = f.count("fifo_words", "that it holds", {1, 65536});
  std::uint32_t burst_words = f.count("burst_words", "of a burst", {1, 65536});
  Time start = f.time("start", "from the processor's first register access to its last poll");
};

// Seconds of an access of a chain, or of a pass over the working set: the median of the runs, each
// a part of one long loop; the runs are in `samples`.
Outcome load_loop(System& system, const LoadJob& job);

struct CopyEngineJob {
  std::string master;
  Address source = 0;
  Address target = 0;
  std::uint32_t bytes = 0;
};

// A block by a DMA engine on the same bus as both ends: it reads into its FIFO, then writes from
// it.
Outcome engine_copy(System& system, const CopyEngineJob& job);

}  // namespace weighbridge
