// SPDX-License-Identifier: Apache-2.0
//
// One DMA engine alone, descriptors and statuses on ports: throughput, latency and every byte.
// Built twice by the design's top (READ or not) and once for each bus width.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "Vtop.h"
#include "axi_memory.hpp"

using namespace weighbridge::cosim;

namespace {

#ifndef ADDR_W
#define ADDR_W 32
#endif
#ifndef BURST
#define BURST 16
#endif
#ifndef REALIGN
#define REALIGN 0
#endif
// Where frames may begin at any byte they begin at the third of a beat.
constexpr unsigned place_in_beat = REALIGN ? 3 : 0;
constexpr unsigned lane_bytes = REALIGN ? 1 : 4;

struct Figures {
  double fraction;
  std::uint64_t first_data, completion;
  std::uint64_t first_write;  ///< from the first beat of the stream to the first of W
};

[[noreturn]] void wrong(const char* what, std::uint64_t frame) {
  std::fprintf(stderr, "wrong: %s, frame %" PRIu64 "\n", what, frame);
  std::exit(1);
}

template <class Top>
Figures measure(const MemoryOptions& options, unsigned frame_bytes, unsigned frames, double stall) {
  constexpr bool reads = requires(Top top) { top.axi_arvalid; };
  VerilatedContext context;
  Top top(&context);
  AxiMemory memory(options);
  std::mt19937_64 random(options.seed + 1);
  std::uniform_real_distribution<double> chance(0, 1);

  const unsigned width = options.bus_bytes, words = width / 4;
  const unsigned beats = (frame_bytes + width - 1) / width;
  const std::uint64_t span = std::uint64_t{beats} * width;
  const auto frame_address = [&](std::uint64_t k) {
    return k * span % (options.bytes / 2 / span * span) + place_in_beat;
  };
  if (reads)
    for (std::size_t i = 0; i < memory.bytes.size(); i += 4) {
      const auto word = static_cast<std::uint32_t>(i * 2654435761U);
      std::memcpy(&memory.bytes[i], &word, 4);
    }

  std::uint64_t given = 0, finished = 0, taken = 0, beat = 0, word_count = 0;
  std::uint64_t command_cycle = 0, first_data = 0, last_beat_cycle = 0, completion = 0;
  std::uint64_t from = 0, until = 0, counted = 0, first_beat = 0, first_write = 0;
  if constexpr (requires { top.mutsel; })
    if (const char* mutant = std::getenv("MUTANT"))
      top.mutsel = static_cast<unsigned>(std::atoi(mutant));
  top.rst = 1;
  const std::uint64_t limit = 2000 + std::uint64_t{frames} * (beats + 400) * 20;
  while (finished < frames) {
    top.clk = 0;
    memory.drive(top);
    top.cmd_valid = memory.cycle > 4 && given < frames;
    top.cmd_addr = frame_address(given);
    top.cmd_len = frame_bytes;
    const bool may = !(stall > 0 && chance(random) < stall);
    if constexpr (reads) {
      top.m_ready = may;
    } else {
      if (!top.s_valid || top.s_ready) {
        top.s_valid = may && taken < frames;
        Beat data{};
        for (unsigned i = 0; i < words; ++i)
          data[i] = static_cast<std::uint32_t>((word_count + i) * 2246822519U + 1);
        assign(top.s_data, data);
        top.s_keep = (1U << width / lane_bytes) - 1;
        top.s_last = beat == beats - 1;
      }
    }
    top.eval();
    const std::uint64_t now = memory.cycle;
    const bool command = top.cmd_valid && top.cmd_ready && !top.rst;
    bool moved = false, last = false;
    if constexpr (reads) {
      moved = top.m_valid && top.m_ready;
      last = top.m_last;
      if (moved) {
        const Beat data = beat_of(top.m_data);
        const auto* lane = reinterpret_cast<const std::uint8_t*>(data.data());
        for (unsigned i = 0; i < width; i += lane_bytes) {
          const std::uint64_t at = frame_address(taken) + beat * width + i;
          const bool valid = beat * width + i < frame_bytes;
          if (valid != (((top.m_keep >> i / lane_bytes) & 1U) != 0)) wrong("keep", taken);
          if (valid && std::memcmp(lane + i, &memory.bytes[at], lane_bytes) != 0)
            wrong("data", taken);
        }
        if (last != (beat == beats - 1)) wrong("last", taken);
      }
    } else {
      moved = top.s_valid && top.s_ready && !top.rst;
      last = top.s_last;
    }
    const bool status = top.status_valid && !top.rst;
    if constexpr (!reads)
      if (top.axi_wvalid && !top.rst && first_write == 0) first_write = now;
    if (command && given++ == 0) command_cycle = now;
    if (moved) {
      if (taken == 0 && beat == 0) first_data = first_beat = now;
      if (taken == 0) last_beat_cycle = now;
      if (taken >= frames / 4) {
        if (counted == 0) from = now;
        until = now;
        counted += 1;
      }
      word_count += words;
      beat = last ? 0 : beat + 1;
      taken += last;
    }
    if (status) {
      if constexpr (!reads)
        if (top.status_len != frame_bytes) wrong("length", finished);
      if (top.status_error) wrong("error", finished);
      if (finished == 0) completion = now - (reads ? last_beat_cycle : memory.last_answer);
      ++finished;
    }
    memory.sample(top);
    top.clk = 1;
    top.eval();
    if (memory.cycle == 4) top.rst = 0;
    if (memory.cycle > limit) wrong("it hangs", finished);
  }
  if constexpr (!reads) {
    // Frames overwrite the window in turn: the last to be written there are checked.
    const std::uint64_t window = options.bytes / 2 / span;
    for (std::uint64_t k = frames > window ? frames - window : 0; k < frames; ++k)
      for (std::uint64_t i = 0; i < frame_bytes; i += lane_bytes) {
        const auto word =
            static_cast<std::uint32_t>((k * beats * words + i / 4) * 2246822519U + 1) >>
            8 * (i % 4);
        if (std::memcmp(&word, &memory.bytes[frame_address(k) + i], lane_bytes) != 0)
          wrong("memory", k);
      }
  }
  const double payload = static_cast<double>(counted) * frame_bytes / (beats * width);
  return {payload / static_cast<double>(until - from + 1), first_data - command_cycle, completion,
          reads ? 0 : first_write - first_beat};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7 && argc != 8) {
    std::fprintf(stderr, "usage: %s LATENCY OUTSTANDING BYTES FRAMES STALL BUS_STALL [DATA]\n",
                 argv[0]);
    return 2;
  }
  MemoryOptions options;
  options.bus_bytes = DATA_W / 8;
  options.latency = static_cast<unsigned>(std::atoi(argv[1]));
  options.outstanding = static_cast<unsigned>(std::atoi(argv[2]));
  options.stall = std::atof(argv[6]);
  options.longest = BURST;
  if (argc > 7) options.data = data_named(argv[7]);
  options.bytes = std::min(options.bytes, std::size_t{1} << ADDR_W);
  const Figures figures =
      measure<Vtop>(options, static_cast<unsigned>(std::atoi(argv[3])),
                    static_cast<unsigned>(std::atoi(argv[4])), std::atof(argv[5]));
  std::printf("{\"fraction\": %.4f, \"first_data\": %" PRIu64 ", \"completion\": %" PRIu64
              ", \"first_write\": %" PRIu64 "}\n",
              figures.fraction, figures.first_data, figures.completion, figures.first_write);
}
