// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// What a device behind a PCI Express link reads and writes of the host's memory.
#pragma once

#include <cstdint>
#include <string>

#include "core/system.hpp"
#include "programs/outcome.hpp"

namespace weighbridge {

struct DeviceJob {
  std::uint32_t bytes = 0;  // of a request
  bool reads = false;
  bool writes = false;
  bool latency = false;  // one at a time instead of as many as go; a write is read back
  bool single = false;   // the same, a write over when its data are in the host's memory
  std::string master;
  Address memory = 0;
};

// One request of a steady flow, or one by itself.
Outcome device_transfer(System& system, const DeviceJob& job);

}  // namespace weighbridge
