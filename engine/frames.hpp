// SPDX-License-Identifier: Apache-2.0
//
// Frames handed to a transmitter in the fabric: a length, the frame word by word, a commit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fields.hpp"
#include "system.hpp"
#include "transfer.hpp"

namespace weighbridge {

// What the processor does to a frame, in its cycles. The lab reads these, and makes a job of them.
struct MicrocontrollerParameters {
  Fields f = {};
  double frame = f.cycles("frame", "of a frame, whatever its length");
  double fill_word = f.cycles("fill_word", "of a word filled");
  double fill_word_unrolled = f.cycles("fill_word_unrolled", "of a word filled by unrolled code");
  double checksum_halfword = f.cycles("checksum_halfword", "of 16 bits summed");
  double carry_halfword = f.cycles("carry_halfword", "more where the carry is added each time");
  double copy_word = f.cycles("copy_word", "of a word copied to the fabric");
};

// A DMA engine that follows a list.
struct NodeDmaParameters {
  Fields f = {};
  Time start = f.time("start", "from the processor's request to the first word");
  Time node = f.time("node", "to fetch a node of the list");
  Time word = f.time("word", "from one word to the next");
};

struct Frame {
  std::uint32_t bytes = 0;  // with its headers
  double prepare = 0;       // processor, before the words: nanoseconds
};

struct FrameJob {
  std::vector<Frame> frames;  // of one message
  std::string master;         // whose port the words leave through
  Address target = 0;

  // Nanoseconds.
  double copy_word = 0;     // processor, per word; 0: a DMA engine sends it
  double start = 0;         // of the DMA engine,
  double node = 0;          // of each node of its list,
  double word = 0;          // and of each word
  bool overlapped = false;  // the next frame is prepared while the DMA engine sends
  bool single = false;      // one message by itself, to its last word, instead of a steady flow
};

// One message of a steady flow, or one by itself.
Outcome transmit(System& system, const FrameJob& job);

}  // namespace weighbridge
