// SPDX-License-Identifier: Apache-2.0
//
// What a few short frames look like on the pins of the DMA core, a line of JSON a cycle: for the
// waveforms of the manual. The memory is near, so that a sequence fits a page.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "Vtop.h"
#include "axi_memory.hpp"

using namespace weighbridge::cosim;

namespace {

constexpr std::uint64_t descriptors_at = 0x10000, statuses_at = 0x20000, data_at = 0x30000;
constexpr unsigned entries = 16;

/// What an address is of: a descriptor, a status or data.
const char* what(std::uint64_t address) {
  return address < statuses_at ? "desc" : address < data_at ? "status" : "data";
}

void put(AxiMemory& memory, std::uint64_t address, std::uint32_t word) {
  std::memcpy(&memory.bytes[address], &word, 4);
}

class Trace {
 public:
  Trace(unsigned direction, bool ring, unsigned frames, unsigned frame_bytes)
      : d_(direction), ring_(ring), frames_(frames), frame_bytes_(frame_bytes), memory_(options()) {
    for (unsigned i = 0; i < frames; ++i) {
      const std::uint64_t at = descriptors_at + i * 16;
      put(memory_, at, static_cast<std::uint32_t>(data_at + i * frame_bytes));
      put(memory_, at + 8, frame_bytes);
    }
    top_.ring_mask = (entries - 1) | ((entries - 1) << 16U);
    top_.ring_descriptors = descriptors_at << 32U | descriptors_at;
    top_.ring_statuses = statuses_at << 32U | statuses_at;
    top_.m_ready = 1;
    top_.s_keep = 3;
    top_.s_valid = direction == 1;
  }

  /// Begins to print when software asks; ends some cycles after the last frame is reported.
  void run() {
    constexpr unsigned begin = 8, after = 3, limit = 400;
    unsigned given = 0, left = after;
    for (unsigned n = 0; n < limit && left > 0; ++n) {
      top_.clk = 0;
      top_.rst = n < 4;
      memory_.drive(top_);
      if (ring_) {
        if (n == 5) top_.ring_enable = 1U << d_;
        if (n == begin + 1) top_.ring_tail = frames_ << (16 * d_);
      } else {
        const bool ask = n > begin && given < frames_;
        top_.cmd_valid = ask ? 1U << d_ : 0;
        const std::uint64_t at = data_at + given * frame_bytes_;
        top_.cmd_addr = at << 32U | at;
        top_.cmd_len = std::uint64_t{frame_bytes_} << 24U | frame_bytes_;
      }
      top_.s_last = beat_ == frame_bytes_ / 8 - 1;
      top_.eval();
      if (n >= begin) print();
      if (!top_.rst && (top_.cmd_valid & top_.cmd_ready) != 0) ++given;
      const bool took = !top_.rst && top_.s_valid && top_.s_ready;
      done_ += top_.done_valid >> d_ & 1U;
      if ((ring_ ? top_.ring_written >> (16 * d_) & 0xFFFFU : done_) == frames_) --left;
      track();
      memory_.sample(top_);
      top_.clk = 1;
      top_.eval();
      if (took) {
        beat_ = top_.s_last ? 0 : beat_ + 1;
        top_.s_valid = ++taken_ < frames_ * (frame_bytes_ / 8);
      }
    }
  }

 private:
  static MemoryOptions options() {
    MemoryOptions options;
    options.latency = 4;
    options.outstanding = 8;
    return options;
  }

  static void channel(const char* name, bool valid, bool ready, const std::string& label) {
    std::printf("\"%s\": \"%s\", ", name, valid ? (label + (ready ? "" : "!")).c_str() : "");
  }

  void print() const {
    std::printf("{");
    if (ring_) {
      std::printf("\"ring_tail\": \"%u\", ", top_.ring_tail >> (16 * d_) & 0xFFFFU);
    } else {
      channel("cmd", top_.cmd_valid >> d_ & 1U, top_.cmd_ready >> d_ & 1U, "go");
    }
    channel("axi_ar", top_.axi_arvalid, top_.axi_arready, what(top_.axi_araddr));
    channel("axi_r", top_.axi_rvalid, top_.axi_rready,
            (reads_.empty() ? "" : reads_.front()) + (top_.axi_rlast ? " last" : ""));
    if (d_ == 0) channel("m", top_.m_valid, top_.m_ready, top_.m_last ? "last" : "beat");
    if (d_ == 1) channel("s", top_.s_valid, top_.s_ready, top_.s_last ? "last" : "beat");
    channel("axi_aw", top_.axi_awvalid, top_.axi_awready, what(top_.axi_awaddr));
    channel("axi_w", top_.axi_wvalid, top_.axi_wready,
            (writes_.empty() ? "" : writes_.front()) + (top_.axi_wlast ? " last" : ""));
    channel("axi_b", top_.axi_bvalid, top_.axi_bready, top_.axi_bid == 2 ? "data" : "status");
    if (ring_) {
      std::printf("\"ring_written\": \"%u\"}\n", top_.ring_written >> (16 * d_) & 0xFFFFU);
    } else {
      std::printf("\"done\": \"%s\"}\n", (top_.done_valid >> d_ & 1U) != 0 ? "frame" : "");
    }
  }

  /// What the next beats carry.
  void track() {
    if (top_.axi_rvalid && top_.axi_rready && top_.axi_rlast) reads_.pop_front();
    if (top_.axi_wvalid && top_.axi_wready && top_.axi_wlast) writes_.pop_front();
    if (top_.axi_arvalid && top_.axi_arready) reads_.emplace_back(what(top_.axi_araddr));
    if (top_.axi_awvalid && top_.axi_awready) writes_.emplace_back(what(top_.axi_awaddr));
  }

  unsigned d_;
  bool ring_;
  unsigned frames_, frame_bytes_, taken_ = 0, beat_ = 0, done_ = 0;
  VerilatedContext context_;
  Vtop top_{&context_};
  AxiMemory memory_;
  std::deque<std::string> reads_, writes_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s to|from ring|port FRAMES BYTES\n", argv[0]);
    return 2;
  }
  Trace trace(std::string(argv[1]) == "from", std::string(argv[2]) == "ring",
              static_cast<unsigned>(std::atoi(argv[3])), static_cast<unsigned>(std::atoi(argv[4])));
  trace.run();
}
