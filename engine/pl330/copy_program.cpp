// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "pl330/copy_program.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "pl330/encoding.hpp"

namespace weighbridge::pl330 {
namespace {

constexpr std::uint32_t kBeatBytes = 8;
constexpr std::uint32_t kBurstBeats = 16;
constexpr std::uint32_t kMaxIterations = 256;
// Bufferable, cacheable, allocate: what the study sets on both sides.
constexpr unsigned kCache = 0b111;

class CopyBuilder {
 public:
  void move(Register reg, std::uint32_t value) {
    program_.instructions.push_back({.op = Op::kMove, .reg = reg, .immediate = value});
  }

  void shape(std::uint32_t beat_bytes, std::uint32_t beats) {
    const Burst burst{.beat_bytes = beat_bytes, .beats = beats, .cache = kCache};
    move(Register::kChannelControl, ChannelControl{.source = burst, .destination = burst}.encode());
  }

  void transfer(std::uint32_t iterations) {
    auto& list = program_.instructions;
    if (iterations > 1) list.push_back({.op = Op::kLoop, .immediate = iterations});
    list.push_back({.op = Op::kLoad});
    list.push_back({.op = Op::kStore});
    if (iterations > 1) list.push_back({.op = Op::kLoopEnd, .immediate = 2});
  }

  Program finish() {
    program_.instructions.push_back({.op = Op::kEnd});
    program_.code = assemble(program_.instructions);
    return std::move(program_);
  }

 private:
  Program program_;
};

// Full bursts. A copy of few bursts takes bursts a beat shorter if only those leave no rest: a rest
// needs a second shape, which takes longer to build than such a copy takes to run.
std::uint32_t beats_per_burst(std::uint32_t beats) {
  constexpr std::uint32_t kFew = 32;
  constexpr std::uint32_t kShorter = kBurstBeats - 1;
  const bool few = beats <= kFew * kBurstBeats;
  const bool shorter = few && beats % kBurstBeats != 0 && beats % kShorter == 0;
  return shorter ? kShorter : kBurstBeats;
}

}  // namespace

Program build_copy(std::uint32_t source, std::uint32_t destination, std::uint32_t bytes,
                   CopyShape shape) {
  if (bytes == 0 || bytes > kMaxCopyBytes) {
    fail("a copy program moves 1.." + std::to_string(kMaxCopyBytes) + " bytes, not " +
         std::to_string(bytes));
  }
  require(source % kBeatBytes == destination % kBeatBytes,
          "source and destination must be congruent modulo 8");

  const std::uint32_t beat_bytes = shape.beat_bytes;
  require(std::has_single_bit(beat_bytes) && beat_bytes <= kBeatBytes,
          "beats have 1, 2, 4 or 8 bytes");
  require(shape.burst_bytes >= beat_bytes, "bursts have at least one beat");

  CopyBuilder builder;
  builder.move(Register::kSourceAddress, source);
  builder.move(Register::kDestAddress, destination);

  std::uint32_t left = bytes;
  if (const std::uint32_t beyond = source % beat_bytes; beyond != 0) {
    const std::uint32_t head = std::min(beat_bytes - beyond, left);
    builder.shape(1, head);
    builder.transfer(1);
    left -= head;
  }
  const std::uint32_t burst_beats =
      std::min(beats_per_burst(left / beat_bytes), shape.burst_bytes / beat_bytes);
  std::uint32_t bursts = left / (beat_bytes * burst_beats);
  if (bursts > 0) builder.shape(beat_bytes, burst_beats);
  while (bursts > 0) {
    const std::uint32_t iterations = std::min(bursts, kMaxIterations);
    builder.transfer(iterations);
    bursts -= iterations;
  }
  if (const std::uint32_t beats = left / beat_bytes % burst_beats; beats > 0) {
    builder.shape(beat_bytes, beats);
    builder.transfer(1);
  }
  if (const std::uint32_t tail = left % beat_bytes; tail > 0) {
    builder.shape(1, tail);
    builder.transfer(1);
  }
  return builder.finish();
}

}  // namespace weighbridge::pl330
