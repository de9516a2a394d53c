// SPDX-License-Identifier: GPL-2.0-only
//
// What the process that executes somebody else's program may still do: no new files, no network, no
// other programs, no more privileges; bounded memory and time.
#pragma once

#include <span>

namespace weighbridge::processor {

// What a process that is not alone may do beside what it needs to compute.
struct Beside {
  std::span<const long> allowed = {};  // calls of the system
  std::span<const long> refused = {};  // those that fail, where all others end the process
  bool endless = false;                // without a bound of its time
};

// From now on. Throws std::runtime_error where the system refuses.
void confine(const Beside& beside = {});

}  // namespace weighbridge::processor
