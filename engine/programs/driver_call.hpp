// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// What a call of a driver costs: its own time, and accesses to the registers of its device.
#pragma once

#include <cstdint>

namespace weighbridge {

struct DriverCall {
  double call = 0;  // nanoseconds: entry and exit, or interrupt entry and wake-up
  double work = 0;  // nanoseconds
  std::uint32_t reads = 0;
  std::uint32_t writes = 0;
};

}  // namespace weighbridge
