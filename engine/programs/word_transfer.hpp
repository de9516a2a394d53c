// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Words through a FIFO in the fabric that the processor fills or empties, one access a word.
#pragma once

#include <cstdint>
#include <string>

#include "core/system.hpp"
#include "programs/driver_call.hpp"
#include "programs/outcome.hpp"

namespace weighbridge {

struct WordJob {
  bool to_fabric = true;
  std::uint32_t words = 0;
  std::string node;     // the FIFO's numbers
  double interval = 0;  // nanoseconds that the fabric takes for a word
  std::string processor;
  Address control = 0;  // the FIFO's registers, as the processor sees them
  bool waits = false;   // finds the FIFO full or empty, and waits for its interrupt
  DriverCall call;
  DriverCall wait;
};

// One call that moves the words. Where it does not wait, the fabric has done its part before: the
// FIFO is empty, or full of words. A call that waits is woken once the FIFO's level passes the
// threshold that the driver sets.
Outcome word_transfer(System& system, const WordJob& job);

}  // namespace weighbridge
