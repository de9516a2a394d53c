// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A microcontroller that makes frames and hands them on word by word.
#pragma once

#include "core/fields.hpp"

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

}  // namespace weighbridge
