// SPDX-License-Identifier: Apache-2.0
//
// Words through a FIFO in the fabric that the processor fills or empties, one access a word.
#pragma once

#include <cstdint>
#include <string>

#include "driver_call.hpp"
#include "fields.hpp"
#include "system.hpp"
#include "transfer.hpp"

namespace weighbridge {

struct WordFifoParameters {
  Fields f = {};
  std::uint32_t depth = f.count("depth", "words that it holds", {1, 65536});
  std::uint32_t batch = f.count("batch", "words moved between two looks at its level", {1, 65536});
  std::uint32_t read_threshold =
      f.count("read_threshold", "words at most above which a reader is woken");
  std::uint32_t write_threshold =
      f.count("write_threshold", "places at most above which a writer is woken");
  double word_cycles = f.cycles("word_cycles", "of the fabric's for a word");
};

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
