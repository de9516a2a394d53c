// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Blocks in the fabric that do nothing but read and write memory, each through a port of its own.
#pragma once

#include <cstdint>

#include "core/fields.hpp"

namespace weighbridge {

struct TrafficGeneratorParameters {
  Fields f = {};
  std::uint32_t reads_in_flight = f.count("reads_in_flight", "bursts of a block", {1, 65536});
  std::uint32_t writes_in_flight = f.count("writes_in_flight", "bursts of a block", {1, 65536});
  std::uint64_t base = f.address("base", "of the first port's memory; the next ones' follow");
  std::uint64_t window = f.address("window", "of a block's writes, behind which its reads lie");
  std::uint32_t longest_burst = f.bytes("longest_burst", "of a block");
  std::uint32_t burst_bytes =
      f.bytes("burst_bytes", "of each burst of a transfer; 0: a transfer is one burst",
              Range{0, kGiB}.or_else(0));
  std::uint32_t skipped =
      f.bytes("skipped", "between bursts that are strided", Range{0, kGiB}.or_else(0));
  double start_cycles = f.cycles("start_cycles", "from the start to the first burst", 0, 0);
  double burst_cycles = f.cycles("burst_cycles", "from a response to the next burst", 0, 0);
};

}  // namespace weighbridge
