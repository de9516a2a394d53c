// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A DMA engine that follows a list.
#pragma once

#include "core/fields.hpp"

namespace weighbridge {

struct NodeDmaParameters {
  Fields f = {};
  Time start = f.time("start", "from the processor's request to the first word");
  Time node = f.time("node", "to fetch a node of the list");
  Time word = f.time("word", "from one word to the next");
};

}  // namespace weighbridge
