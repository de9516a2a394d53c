// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A FIFO in the fabric whose words the processor moves, one access each.
#pragma once

#include <cstdint>

#include "core/fields.hpp"

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

}  // namespace weighbridge
