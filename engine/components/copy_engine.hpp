// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A DMA engine on the same bus as both ends of a copy, with a FIFO between them.
#pragma once

#include <cstdint>

#include "core/fields.hpp"

namespace weighbridge {

struct CopyEngineParameters {
  Fields f = {};
  std::uint32_t fifo_words = f.count("fifo_words", "that it holds", {1, 65536});
  std::uint32_t burst_words = f.count("burst_words", "of a burst", {1, 65536});
  Time start = f.time("start", "from the processor's first register access to its last poll");
};

}  // namespace weighbridge
