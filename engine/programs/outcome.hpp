// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// What a program's run gives: its time, the phases of it, and what each component did in them.
#pragma once

#include <string>
#include <vector>

#include "core/system.hpp"

namespace weighbridge {

// A part of the program's time, over all its chunks. Software has no components.
struct Phase {
  std::string name;
  double seconds = 0;
  std::vector<ComponentUse> components;
  bool processor = false;  // busy all through it; false: it waits for something else
  bool moves = false;      // the bytes cross between processor and fabric in it
};

struct Outcome {
  double seconds = 0;
  std::vector<Phase> phases;         // in the order in which they are first gone through
  std::vector<double> samples = {};  // seconds of single runs, where there are several
  double preparation = 0;            // of the programs, where they were prepared beforehand
  double repeats = 1;                // transfers that were simulated for this one
  Traced trace = {};                 // of all of them; empty where the trace is off
};

}  // namespace weighbridge
