// SPDX-License-Identifier: Apache-2.0
//
// The whole DMA node, with registers as software uses them and streams as wide as they are: what
// part of the bus frames of one length move through, by descriptors in rings or by commands in
// registers. The logic takes a beat in every cycle, and has one to give. Every word, length and
// status is checked. To logic what leaves the stream is counted, from logic what comes to the bus,
// so that no queue before it counts. Statuses are those without REALIGN.
#pragma once

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "Vtop.h"
#include "axi_memory.hpp"
#include "datra_registers.hpp"
#include "node_system.hpp"

namespace weighbridge::cosim::rate {

namespace r = datra_registers;

constexpr unsigned entries = 256, lanes = STREAM_W / 32;
constexpr std::uint64_t descriptors_at[2] = {0x10000, 0x20000}, statuses_at[2] = {0x30000, 0x40000};
constexpr std::uint64_t data_at[2] = {0x10'0000, 0x90'0000}, data_bytes = 0x80'0000;

[[noreturn]] inline void wrong(const char* what, std::uint64_t frame) {
  std::fprintf(stderr, "wrong: %s, frame %" PRIu64 "\n", what, frame);
  std::exit(1);
}

constexpr std::uint32_t pattern(std::uint64_t index) {
  return static_cast<std::uint32_t>(index * 2654435761U) ^ static_cast<std::uint32_t>(index >> 20U);
}

struct Direction {
  bool on = false;
  std::uint64_t posted = 0, seen = 0;  // frames
  std::uint64_t words = 0;             // on the stream
  std::uint64_t moved = 0;             // to logic on the stream, from logic on the bus
  std::uint64_t first = 0, last = 0, counted = 0;
};

class Bench {
 public:
  Bench(const MemoryOptions& options, const std::string& way, bool rings, unsigned bytes,
        std::uint64_t frames)
      : memory_(options), rings_(rings), bytes_(bytes), frames_(frames) {
    slots_ = data_bytes / bytes;
    sides_[to].on = way != "from";
    sides_[from].on = way != "to";
    for (std::uint64_t at = 0; at < data_bytes; at += 4) put(data_at[to] + at, pattern(at / 4));
    top_.rst = 1;
    for (int i = 0; i < 4; ++i) tick();
    top_.rst = 0;
    write(r::dma_to_logic_control, r::dma_control_run);
    write(r::dma_from_logic_control, r::dma_control_run);
    for (unsigned d : {to, from}) {
      if (!rings || !sides_[d].on) continue;
      write(ring(d) + r::dma_ring_descriptors(0), descriptors_at[d]);
      write(ring(d) + r::dma_ring_statuses(0), statuses_at[d]);
      write(ring(d) + r::dma_ring_mask, entries - 1);
      write(ring(d) + r::dma_ring_patience, 4096);
      write(ring(d) + r::dma_ring_control, r::dma_ring_control_enable);
    }
  }

  void run() {
    const std::uint64_t limit = 100000 + frames_ * (bytes_ / 4 + 200) * 20;
    while (sides_[to].seen < goal(to) || sides_[from].seen < goal(from)) {
      for (unsigned d : {to, from}) {
        harvest(d);
        post(d);
      }
      tick();
      if (memory_.cycle > limit) wrong("it hangs", sides_[from].seen);
    }
  }

  void print() const {
    std::printf("{");
    for (unsigned d : {to, from}) {
      const Direction& side = sides_[d];
      if (!side.on) continue;
      const auto cycles = static_cast<double>(side.last - side.first);
      std::printf("%s\"%s\": %.4f", d == from && sides_[to].on ? ", " : "",
                  d == to ? "cpu_to_fpga" : "fpga_to_cpu",
                  static_cast<double>(side.counted) * 4 / (cycles * (DATA_W / 8)));
    }
    std::printf("}\n");
  }

 private:
  [[nodiscard]] std::uint64_t goal(unsigned d) const { return sides_[d].on ? frames_ : 0; }
  static unsigned ring(unsigned d) {
    return d == to ? r::dma_to_logic_ring : r::dma_from_logic_ring;
  }
  [[nodiscard]] std::uint64_t place(unsigned d, std::uint64_t frame) const {
    return data_at[d] + frame % slots_ * bytes_;
  }
  void put(std::uint64_t address, std::uint32_t word) {
    std::memcpy(&memory_.bytes[address], &word, 4);
  }
  [[nodiscard]] std::uint32_t get(std::uint64_t address) const {
    std::uint32_t word = 0;
    std::memcpy(&word, &memory_.bytes[address], 4);
    return word;
  }

  // ---- software --------------------------------------------------------------------------------

  void post(unsigned d) {
    Direction& side = sides_[d];
    const std::uint64_t most =
        std::min<std::uint64_t>({goal(d), side.seen + slots_, side.seen + entries});
    if (side.posted == most) return;
    if (rings_) {
      for (; side.posted < most; ++side.posted) {
        const std::uint64_t at = descriptors_at[d] + side.posted % entries * 16;
        put(at + r::ring_descriptor_address(0), static_cast<std::uint32_t>(place(d, side.posted)));
        put(at + r::ring_descriptor_address(1), 0);
        put(at + r::ring_descriptor_bytes, bytes_);
        put(at + r::ring_descriptor_user_signal, 0);
      }
      write(ring(d) + r::dma_ring_tail, side.posted & 0xFFFFU);
      return;
    }
    const unsigned status = read(d == to ? r::dma_to_logic_status : r::dma_from_logic_status);
    for (unsigned n = r::get(r::dma_status_free, status); n > 0 && side.posted < most; --n) {
      write(d == to ? r::dma_to_logic_address : r::dma_from_logic_address,
            static_cast<std::uint32_t>(place(d, side.posted++)));
      write(d == to ? r::dma_to_logic_bytes : r::dma_from_logic_bytes, bytes_);
    }
  }

  /// Of rings software looks at statuses in memory, and reads no register.
  void harvest(unsigned d) {
    Direction& side = sides_[d];
    if (side.seen == side.posted) return;
    if (rings_) {
      while (side.seen < side.posted) {
        const std::uint64_t at = statuses_at[d] + side.seen % entries * 8;
        const std::uint32_t status = get(at + r::ring_status_frame);
        // Memory is clear at first: a frame of no words is none.
        if (r::get(r::ring_status_frame_words, status) == 0 ||
            r::get(r::ring_status_frame_round, status) != (side.seen / entries & 1U) ||
            r::get(r::ring_status_frame_sequence, status) != (side.seen & 31U))
          return;
        if ((status & r::ring_status_frame_error) != 0) wrong("error", side.seen);
        finish(d, r::get(r::ring_status_frame_words, status) * 4);
      }
      return;
    }
    const unsigned status = read(d == to ? r::dma_to_logic_status : r::dma_from_logic_status);
    for (unsigned n = r::get(r::dma_status_results, status); n > 0; --n) {
      if (d == to) {
        if (read(r::dma_to_logic_result) != place(d, side.seen)) wrong("result", side.seen);
        finish(d, bytes_);
      } else {
        finish(d, read(r::dma_from_logic_result_bytes));
      }
    }
  }

  void finish(unsigned d, unsigned bytes) {
    Direction& side = sides_[d];
    if (bytes != bytes_) wrong("length", side.seen);
    if (d == from)
      for (unsigned i = 0; i < bytes_; i += 4)
        if (get(place(d, side.seen) + i) != pattern((side.seen * bytes_ + i) / 4))
          wrong("memory", side.seen);
    ++side.seen;
  }

  std::uint32_t access(unsigned address, bool is_write, std::uint32_t value) {
    top_.bus_select = 1;
    top_.bus_address = address;
    top_.bus_write = is_write;
    top_.bus_wdata = value;
    top_.bus_strobe = 15;
    do tick();
    while (!done_);
    top_.bus_select = 0;
    return rdata_;
  }
  std::uint32_t read(unsigned address) { return access(address, false, 0); }
  void write(unsigned address, std::uint64_t value) {
    access(address, true, static_cast<std::uint32_t>(value));
  }

  // ---- the clock -------------------------------------------------------------------------------

  void tick() {
    top_.clk = 0;
    memory_.drive(top_);
    top_.m_ready = 1;
    Direction& source = sides_[from];
    top_.s_valid = source.on && top_.rst == 0;
    Beat beat{};
    for (unsigned i = 0; i < lanes; ++i) beat[i] = pattern(source.words + i);
    assign(top_.s_data, beat);
    top_.s_keep = (1U << lanes) - 1;
    top_.eval();
    if (!top_.rst) {
      if (top_.m_valid) taken();
      if (top_.s_valid && top_.s_ready) source.words += lanes;
      if (top_.axi_wvalid && top_.axi_wready && top_.axi_wid == 2) moved(source, DATA_W / 32);
      memory_.sample(top_);
    }
    done_ = top_.bus_done;
    rdata_ = top_.bus_rdata;
    if (top_.bus_error) wrong("a refused access", 0);
    top_.clk = 1;
    top_.eval();
  }

  void taken() {
    Direction& side = sides_[to];
    const Beat got = beat_of(top_.m_data);
    unsigned words = 0;
    for (; words < lanes && (top_.m_keep >> words & 1U) != 0; ++words) {
      const std::uint64_t word = side.words + words, frame = word * 4 / bytes_;
      if (got[words] != pattern((place(to, frame) - data_at[to] + word * 4 % bytes_) / 4))
        wrong("data", frame);
    }
    side.words += words;
    moved(side, words);
  }

  /// From a quarter of the frames on they count, until the first has no more to follow.
  void moved(Direction& side, unsigned words) {
    const std::uint64_t frame = side.moved * 4 / bytes_;
    side.moved += words;
    if (frame < frames_ / 4 || frame >= frames_) return;
    if (side.first == 0) {
      side.first = memory_.cycle;
    } else {
      side.counted += words;
      side.last = memory_.cycle;
    }
  }

  VerilatedContext context_;
  Vtop top_{&context_};
  AxiMemory memory_;
  Direction sides_[2];
  bool rings_;
  unsigned bytes_;
  std::uint64_t frames_, slots_ = 0;
  bool done_ = false;
  std::uint32_t rdata_ = 0;
};

/// WAY RINGS|REGISTERS LATENCY OUTSTANDING BYTES FRAMES
inline int run(char** words) try {
  MemoryOptions options;
  options.bus_bytes = DATA_W / 8;
  options.longest = BURST;
  options.latency = static_cast<unsigned>(std::atoi(words[2]));
  options.outstanding = static_cast<unsigned>(std::atoi(words[3]));
  options.bytes = data_at[from] + data_bytes;
  Bench bench(options, words[0], words[1] == std::string("rings"),
              static_cast<unsigned>(std::atoi(words[4])), std::strtoull(words[5], nullptr, 10));
  bench.run();
  bench.print();
  return 0;
} catch (const ProtocolError& error) {
  std::fprintf(stderr, "wrong: %s\n", error.what());
  return 1;
}

}  // namespace weighbridge::cosim::rate
