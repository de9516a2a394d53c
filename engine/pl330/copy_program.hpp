// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The program that the Cyclone V study's driver (Altera's alt_dma) writes for a copy.
#pragma once

#include <cstdint>
#include <vector>

#include "pl330/microcode.hpp"

namespace weighbridge::pl330 {

struct Program {
  std::vector<Instruction> instructions;
  std::vector<std::uint8_t> code;  // the same, assembled; its size is what preparation costs follow
};

// The largest copy of one program: the study splits longer transfers into chunks of this size.
inline constexpr std::uint32_t kMaxCopyBytes = 256 * 1024;

// How a driver's programs are cut. The default is the Cyclone V study's.
struct CopyShape {
  std::uint32_t burst_bytes = 128;  // longest burst
  std::uint32_t beat_bytes = 8;     // 1, 2, 4 or 8
};

// The program that copies `bytes` (1..kMaxCopyBytes) from `source` to `destination`, both
// incrementing, as alt_dma_memory_to_memory writes it: 1-byte beats up to an 8-byte boundary,
// bursts of 16 x 8 bytes (or a little less, where that leaves no rest) in loops of at most 256, one
// shorter burst, 1-byte beats for the rest. Of a size that is whole bursts it takes 21 bytes (<=
// 128 B), 25 (<= 32 KiB) and 6 more per further 32 KiB. Throws std::invalid_argument when the size
// is out of range or the two addresses differ modulo 8 (alt_dma then adds a correcting store, which
// the study never exercises).
Program build_copy(std::uint32_t source, std::uint32_t destination, std::uint32_t bytes,
                   CopyShape shape = {});

}  // namespace weighbridge::pl330
