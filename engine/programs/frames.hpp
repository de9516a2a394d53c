// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Frames handed to a transmitter in the fabric: a length, the frame store by store, a commit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/system.hpp"
#include "programs/outcome.hpp"

namespace weighbridge {

struct Frame {
  std::uint32_t bytes = 0;  // with its headers
  double prepare = 0;       // processor, before the words: nanoseconds
};

struct FrameJob {
  std::vector<Frame> frames;  // of one message
  std::string master;         // whose port the words leave through
  Address target = 0;

  std::uint32_t store = 4;  // bytes that are written at once; length and commit are words

  // Nanoseconds.
  double copy_word = 0;           // processor, per word; 0: a DMA engine sends it
  double start = 0;               // of the DMA engine,
  double node = 0;                // of each node of its list,
  double word = 0;                // and of each word that it stores
  bool overlapped = false;        // the next frame is prepared while the DMA engine sends
  std::uint32_t outstanding = 1;  // frames that the DMA engine is given at once
  bool single = false;  // one message by itself, to its last word, instead of a steady flow
};

// One message of a steady flow, or one by itself.
Outcome transmit(System& system, const FrameJob& job);

}  // namespace weighbridge
