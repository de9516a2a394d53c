// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A core that runs memory benchmarks' loops, behind its own caches and past them.
#pragma once

#include <cstdint>

#include "core/fields.hpp"

namespace weighbridge {

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

}  // namespace weighbridge
