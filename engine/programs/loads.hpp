// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Loops of loads and stores over a working set, as memory benchmarks make them: a chain in which
// each load's address comes from the one before, and passes whose accesses do not wait for each
// other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/system.hpp"
#include "programs/outcome.hpp"

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
  std::uint64_t held = 0;  // bytes of the largest cache
  bool hog = false;        // another program dirties pages beside
  bool single = false;     // one pass by itself, to the end of its last access
  std::uint64_t seed = 0;
  std::uint32_t runs = 1;
};

// Seconds of an access of a chain, or of a pass over the working set: the median of the runs, each
// a part of one long loop; the runs are in `samples`.
Outcome load_loop(System& system, const LoadJob& job);

}  // namespace weighbridge
