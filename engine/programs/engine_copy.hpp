// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Blocks copied by a DMA engine on the same bus as both ends.
#pragma once

#include <cstdint>
#include <string>

#include "core/system.hpp"
#include "programs/outcome.hpp"

namespace weighbridge {

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
