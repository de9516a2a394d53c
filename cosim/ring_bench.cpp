// SPDX-License-Identifier: Apache-2.0
//
// The DMA core with descriptors and statuses in memory on the same bus: throughput of each
// direction and of both at once, latencies, and every byte and status.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "Vtop.h"
#include "axi_memory.hpp"
#include "datra_registers.hpp"

using namespace weighbridge::cosim;

#ifndef ADDR_W
#define ADDR_W 32
#endif

#ifndef BURST
#define BURST 16
#endif

namespace r = datra_registers;

namespace {

constexpr unsigned entries = 256;
constexpr std::uint64_t descriptors_at[2] = {0x10000, 0x20000}, statuses_at[2] = {0x30000, 0x40000};
constexpr std::uint64_t data_from = 0x100000;

[[noreturn]] void wrong(const char* what, unsigned direction, std::uint64_t frame) {
  std::fprintf(stderr, "wrong: %s, %s, frame %" PRIu64 "\n", what,
               direction == 0 ? "cpu_to_fpga" : "fpga_to_cpu", frame);
  std::exit(1);
}

constexpr std::uint32_t pattern(std::uint64_t index) {
  return static_cast<std::uint32_t>(index * 2654435761U) ^ static_cast<std::uint32_t>(index >> 20U);
}

/// Software's side of one direction and the count of what the stream has carried.
struct Direction {
  bool on = false;
  std::uint64_t posted = 0, seen = 0, taken = 0, beat = 0;
  std::uint64_t doorbell = 0, first_data = 0, last_data = 0, first_status = 0;
  std::uint64_t from = 0, until = 0, counted = 0;
};

class Bench {
 public:
  Bench(const MemoryOptions& options, unsigned frame_bytes, unsigned frames, double stall, bool to,
        bool from, unsigned patience)
      : memory_(options),
        random_(options.seed + 1),
        frame_bytes_(frame_bytes),
        frames_(frames),
        width_(options.bus_bytes),
        beats_((frame_bytes + width_ - 1) / width_),
        stall_(stall),
        patience_(patience) {
    sides_[0].on = to;
    sides_[1].on = from;
    slots_ = window(options) / (std::uint64_t{beats_} * width_);
    data_at_[1] = data_from + window(options);
    for (std::uint64_t i = 0; i < window(options); i += 4) put(data_at_[0] + i, pattern(i / 4));
  }

  void run() {
    top_.rst = 1;
    const std::uint64_t limit = 10000 + std::uint64_t{frames_} * (beats_ + 500) * 20;
    both(top_.ring_descriptors, descriptors_at);
    both(top_.ring_statuses, statuses_at);
    top_.ring_patience = patience_ | patience_ << 16U;
    top_.ring_mask = (entries - 1) | ((entries - 1) << 16U);
    while (!finished()) {
      top_.clk = 0;
      step_software();
      memory_.drive(top_);
      const std::uint64_t now = memory_.cycle;
      top_.now = static_cast<std::uint16_t>(now >> 4U);
      drive_streams();
      top_.eval();
      if (!top_.rst) sample_streams(now);
      memory_.sample(top_);
      top_.clk = 1;
      top_.eval();
      if (memory_.cycle == 4) top_.rst = 0;
      if (memory_.cycle == 6)
        top_.ring_enable = (sides_[0].on ? 1U : 0U) | (sides_[1].on ? 2U : 0U);
      if (memory_.cycle > limit) wrong("it hangs", sides_[0].on ? 0 : 1, sides_[0].seen);
    }
    if (top_.ring_fault) wrong("fault", 0, 0);
    if (sides_[1].on) check_memory();
  }

  void print() const {
    std::printf("{");
    const char* comma = "";
    for (unsigned d = 0; d < 2; ++d) {
      const Direction& side = sides_[d];
      if (!side.on) continue;
      const double payload = static_cast<double>(side.counted) * frame_bytes_ / (beats_ * width_);
      std::printf("%s\"%s\": {\"fraction\": %.4f, \"doorbell_to_data\": %" PRIu64
                  ", \"data_to_status\": %" PRIu64 "}",
                  comma, d == 0 ? "cpu_to_fpga" : "fpga_to_cpu",
                  payload / static_cast<double>(side.until - side.from + 1),
                  side.first_data - side.doorbell, side.first_status - side.last_data);
      comma = ", ";
    }
    std::printf("}\n");
  }

  /// Memory for each direction's frames.
  static std::uint64_t window(const MemoryOptions& options) {
    return (options.bytes - data_from) / 2 / 4096 * 4096;
  }

 private:
  /// Two addresses side by side in one port.
  template <class Port>
  static void both(Port& port, const std::uint64_t (&addresses)[2]) {
    if constexpr (std::is_integral_v<Port>) {
      port = static_cast<Port>(addresses[1] << ADDR_W | addresses[0]);
    } else {
      for (unsigned d = 0; d < 2; ++d)
        for (unsigned bit = 0; bit < 32; ++bit)  // none is above 4 GiB
          port[(d * ADDR_W + bit) / 32] |= (addresses[d] >> bit & 1U) << (d * ADDR_W + bit) % 32;
    }
  }
  [[nodiscard]] bool finished() const {
    for (const Direction& side : sides_)
      if (side.on && side.seen < frames_) return false;
    return true;
  }

  [[nodiscard]] std::uint64_t place(std::uint64_t frame) const {
    return frame % slots_ * beats_ * width_;
  }

  void put(std::uint64_t address, std::uint32_t word) {
    std::memcpy(&memory_.bytes[address], &word, 4);
  }
  [[nodiscard]] std::uint32_t get(std::uint64_t address) const {
    std::uint32_t word = 0;
    std::memcpy(&word, &memory_.bytes[address], 4);
    return word;
  }

  /// Reads the statuses that are in memory and keeps the descriptor ring full. The first frame goes
  /// alone, so that latency is that of an idle system.
  void step_software() {
    if (memory_.cycle < 10) return;
    for (unsigned d = 0; d < 2; ++d) {
      Direction& side = sides_[d];
      if (!side.on) continue;
      const unsigned written = (top_.ring_written >> (16 * d)) & 0xFFFFU;
      while ((side.seen & 0xFFFFU) != written) {
        const std::uint64_t at = statuses_at[d] + side.seen % entries * 8;
        const std::uint32_t status = get(at + r::ring_status_frame);
        const std::uint32_t signal =
            r::get(r::ring_status_tag_user_signal, get(at + r::ring_status_tag));
        if (r::get(r::ring_status_frame_words, status) != frame_bytes_ / 4)
          wrong("length", d, side.seen);
        if ((status & r::ring_status_frame_error) != 0) wrong("error", d, side.seen);
        if (r::get(r::ring_status_frame_round, status) != (side.seen / entries & 1U))
          wrong("round", d, side.seen);
        if (r::get(r::ring_status_frame_sequence, status) != (side.seen & 31U))
          wrong("number", d, side.seen);
        if (signal != (side.seen & 0xFFFFU)) wrong("user signal", d, side.seen);
        if (side.seen++ == 0) side.first_status = memory_.cycle;
      }
      if (side.posted == 1 && side.seen == 0) continue;
      const std::uint64_t until =
          side.posted == 0 ? 1 : std::min<std::uint64_t>(frames_, side.seen + entries);
      for (; side.posted < until; ++side.posted) {
        const std::uint64_t at = descriptors_at[d] + side.posted % entries * 16;
        put(at + r::ring_descriptor_address(0),
            static_cast<std::uint32_t>(data_at_[d] + place(side.posted)));
        put(at + r::ring_descriptor_address(1), 0);
        put(at + r::ring_descriptor_bytes, frame_bytes_);
        put(at + r::ring_descriptor_user_signal, side.posted & 0xFFFFU);
        if (side.posted == 0) side.doorbell = memory_.cycle;
      }
      const unsigned shift = 16 * d;
      top_.ring_tail = (top_.ring_tail & ~(0xFFFFU << shift)) | ((side.posted & 0xFFFFU) << shift);
    }
  }

  void drive_streams() {
    const auto may = [&] { return !(stall_ > 0 && chance_(random_) < stall_); };
    top_.m_ready = may();
    if (top_.s_valid && !source_taken_) return;
    Direction& side = sides_[1];
    top_.s_valid = side.on && side.taken < frames_ && may();
    Beat data{};
    const std::uint64_t first = (side.taken * beats_ + side.beat) * (width_ / 4);
    for (unsigned i = 0; i < width_ / 4; ++i) data[i] = pattern(first + i);
    assign(top_.s_data, data);
    top_.s_user = side.taken & 0xFFFFU;
    top_.s_last = side.beat == beats_ - 1;
    const unsigned words =
        top_.s_last ? frame_bytes_ / 4 - (beats_ - 1) * (width_ / 4) : width_ / 4;
    top_.s_keep = (1U << words) - 1;
  }

  void sample_streams(std::uint64_t now) {
    if (top_.m_valid && top_.m_ready) {
      Direction& side = sides_[0];
      const Beat data = beat_of(top_.m_data);
      for (unsigned i = 0; i < width_ / 4; ++i)
        if (side.beat * width_ + 4 * i < frame_bytes_ &&
            data[i] != pattern((place(side.taken) + side.beat * width_) / 4 + i))
          wrong("data", 0, side.taken);
      if (top_.m_user != (side.taken & 0xFFFFU)) wrong("user signal of data", 0, side.taken);
      moved(side, top_.m_last, now, 0);
    }
    // From logic, data are in memory with the answer to them.
    if (top_.axi_bvalid && top_.axi_bid == 2 && sides_[1].seen == 0) sides_[1].last_data = now;
    source_taken_ = top_.s_valid && top_.s_ready;
    if (source_taken_) moved(sides_[1], top_.s_last, now, 1);
  }

  void moved(Direction& side, bool last, std::uint64_t now, unsigned d) {
    if (last != (side.beat == beats_ - 1)) wrong("last", d, side.taken);
    if (side.taken == 0 && side.beat == 0) side.first_data = now;
    if (side.taken == 0 && d == 0) side.last_data = now;
    if (side.taken >= frames_ / 4) {
      if (side.counted++ == 0) side.from = now;
      side.until = now;
    }
    side.beat = last ? 0 : side.beat + 1;
    side.taken += last;
  }

  void check_memory() const {
    for (std::uint64_t k = frames_ > slots_ ? frames_ - slots_ : 0; k < frames_; ++k)
      for (std::uint64_t i = 0; i < frame_bytes_ / 4; ++i)
        if (get(data_at_[1] + place(k) + 4 * i) != pattern(k * beats_ * (width_ / 4) + i))
          wrong("memory", 1, k);
  }

  VerilatedContext context_;
  Vtop top_{&context_};
  AxiMemory memory_;
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> chance_{0, 1};
  Direction sides_[2];
  unsigned frame_bytes_, frames_, width_, beats_;
  double stall_;
  unsigned patience_;
  std::uint64_t slots_ = 0, data_at_[2] = {data_from, 0};
  bool source_taken_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 9 && argc != 10) {
    std::fprintf(stderr,
                 "usage: %s to|from|both LATENCY OUTSTANDING BYTES FRAMES STALL BUS_STALL "
                 "PATIENCE [DATA]\n",
                 argv[0]);
    return 2;
  }
  const std::string which = argv[1];
  MemoryOptions options;
  options.bus_bytes = DATA_W / 8;
  options.latency = static_cast<unsigned>(std::atoi(argv[2]));
  options.outstanding = static_cast<unsigned>(std::atoi(argv[3]));
  options.stall = std::atof(argv[7]);
  options.longest = BURST;
  if (argc > 9) options.data = data_named(argv[9]);
  const auto frame_bytes = static_cast<unsigned>(std::atoi(argv[4]));
  // Room for two of the longest.
  options.bytes += std::size_t{4} * frame_bytes;
  Bench bench(options, frame_bytes, static_cast<unsigned>(std::atoi(argv[5])), std::atof(argv[6]),
              which != "from", which != "to", static_cast<unsigned>(std::atoi(argv[8])));
  bench.run();
  bench.print();
}
