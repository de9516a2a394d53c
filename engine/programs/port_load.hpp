// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Blocks in the fabric that read and write memory through ports of a DDR controller, all at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "components/ddr_controller.hpp"
#include "core/system.hpp"
#include "programs/outcome.hpp"

namespace weighbridge {

// One block and the port that it uses; several may share one, behind an interconnect.
struct LoadBlock {
  std::string port;
  std::uint32_t window = 0;  // which of the generator's windows its bursts lie in
};

struct PortLoadJob {
  std::string generator;
  std::vector<LoadBlock> blocks;
  std::vector<std::string> video;  // ports whose requests are of that class
  bool reads = true;
  bool writes = true;
  std::uint32_t burst_bytes = 0;
  std::uint64_t stride = 0;  // from one burst to the next
  std::uint64_t bytes = 0;   // that the outcomes are for
  bool single = false;       // they are a transfer by itself instead of a part of a steady flow
  DdrController::Map map = DdrController::Map::row_bank_column;
};

// What became of a block's reads and writes: the time of the job's bytes, with what
// the components did in it for all blocks. No seconds where it has none.
struct BlockLoad {
  Outcome read;
  Outcome write;
};

// Block by block.
std::vector<BlockLoad> port_load(System& system, const PortLoadJob& job);

}  // namespace weighbridge
