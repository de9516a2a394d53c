// SPDX-License-Identifier: Apache-2.0
//
// Accesses of a processor to the logic's AXI slave of 32 bit, one after another, in order.
//
// An access is cut into beats as a bridge does it: whole words into INCR bursts that stay within
// 4 KiB, what is left into beats of a byte, or of two where both are one half word. A copy, which
// is an access of more than 8 bytes, ends as that of a 64-bit processor does: what is no multiple
// of 8 goes byte by byte. A refused beat (SLVERR) reads as ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace weighbridge::cosim {

class RegisterPort {
 public:
  using Bytes = std::vector<std::uint8_t>;
  using Done = std::function<void(const Bytes&)>;

  void read(std::uint32_t address, std::uint32_t bytes, Done done) {
    begin(false, address, Bytes(bytes), std::move(done));
  }
  void write(std::uint32_t address, Bytes data, Done done) {
    begin(true, address, std::move(data), std::move(done));
  }
  /// Called once everything before it is done.
  void after(Done done) { begin(false, 0, {}, std::move(done)); }

  [[nodiscard]] bool busy() const { return !accesses_.empty(); }

  template <class Top>
  void drive(Top& top) {
    finish();
    const bool write = !accesses_.empty() && accesses_.front().write;
    const bool read = !accesses_.empty() && !write;
    top.s_axi_bready = 1;
    top.s_axi_rready = 1;
    top.s_axi_awvalid = write && !addressed_;
    top.s_axi_arvalid = read && !addressed_;
    top.s_axi_wvalid = write && sent_ < burst().beats;
    if (write) {
      top.s_axi_awaddr = burst().address;
      top.s_axi_awlen = burst().beats - 1;
      top.s_axi_awsize = burst().log2_size;
      top.s_axi_awburst = 1;
      if (sent_ < burst().beats) {
        const unsigned size = 1U << burst().log2_size, lane = burst().address & 3U;
        std::uint32_t data = 0;
        for (unsigned i = 0; i < size; ++i)
          data |= std::uint32_t{accesses_.front().data[burst().offset + sent_ * size + i]}
                  << 8U * (lane + i);
        top.s_axi_wdata = data;
        top.s_axi_wstrb = ((1U << size) - 1) << lane;
        top.s_axi_wlast = sent_ + 1 == burst().beats;
      }
    } else if (read) {
      top.s_axi_araddr = burst().address;
      top.s_axi_arlen = burst().beats - 1;
      top.s_axi_arsize = burst().log2_size;
      top.s_axi_arburst = 1;
    }
  }

  template <class Top>
  void sample(Top& top) {
    if (accesses_.empty()) return;
    ++waited_;
    if ((top.s_axi_awvalid && top.s_axi_awready) || (top.s_axi_arvalid && top.s_axi_arready))
      addressed_ = true;
    if (top.s_axi_wvalid && top.s_axi_wready) ++sent_, waited_ = 0;
    if (top.s_axi_rvalid) {
      const unsigned size = 1U << burst().log2_size, lane = burst().address & 3U;
      if (top.s_axi_rresp != 0) ++refused;
      for (unsigned i = 0; i < size; ++i)
        accesses_.front().data[burst().offset + got_ * size + i] =
            top.s_axi_rresp != 0 ? 0xFF
                                 : static_cast<std::uint8_t>(top.s_axi_rdata >> 8U * (lane + i));
      waited_ = 0;
      if (++got_ == burst().beats) next();
    } else if (top.s_axi_bvalid) {
      if (top.s_axi_bresp != 0) ++refused;
      next();
    }
  }

  /// Cycles since the access in hand has moved, and the channel that it waits for.
  [[nodiscard]] std::uint64_t stalled() const { return accesses_.empty() ? 0 : waited_; }
  [[nodiscard]] std::string stuck() const {
    const bool write = accesses_.front().write;
    char text[64];
    std::snprintf(text, sizeof(text), "s_axi %s of an access to 0x%06x",
                  !addressed_                                      ? (write ? "AW" : "AR")
                  : !write                                         ? "R"
                  : sent_ < accesses_.front().bursts.front().beats ? "W"
                                                                   : "B",
                  accesses_.front().bursts.front().address);
    return text;
  }

  std::uint64_t reads = 0, writes = 0, refused = 0;  ///< accesses; beats with an error
  std::uint64_t narrow = 0;                          ///< beats of less than a word

 private:
  struct Burst {
    std::uint32_t address, offset;
    unsigned beats, log2_size;
  };
  struct Access {
    bool write;
    Bytes data;
    Done done;
    std::deque<Burst> bursts;
  };

  [[nodiscard]] const Burst& burst() const { return accesses_.front().bursts.front(); }

  void begin(bool write, std::uint32_t address, Bytes data, Done done) {
    std::deque<Burst> bursts;
    const auto bytes = static_cast<std::uint32_t>(data.size());
    const std::uint32_t whole = bytes > 8 ? bytes / 8 * 8 : bytes;
    for (std::uint32_t at = 0; at < bytes;) {
      const std::uint32_t now = address + at, left = bytes - at;
      Burst burst{now, at, 1, 0};
      if (now % 4 == 0 && whole >= at + 4) {
        burst.log2_size = 2;
        burst.beats = std::min({(whole - at) / 4, 256U, (0x1000 - now % 0x1000) / 4});
      } else {
        burst.log2_size = now % 2 == 0 && left == 2 && bytes <= 8 ? 1 : 0;
        ++narrow;
      }
      bursts.push_back(burst);
      at += burst.beats << burst.log2_size;
    }
    if (bytes > 0) ++(write ? writes : reads);
    accesses_.push_back({write, std::move(data), std::move(done), std::move(bursts)});
    finish();
  }

  /// Those at the head that have nothing left to do.
  void finish() {
    while (!accesses_.empty() && accesses_.front().bursts.empty()) {
      const Access access = std::move(accesses_.front());
      accesses_.pop_front();
      if (access.done) access.done(access.data);
    }
  }

  void next() {
    accesses_.front().bursts.pop_front();
    addressed_ = false;
    sent_ = got_ = 0;
    waited_ = 0;
    finish();
  }

  std::deque<Access> accesses_;
  bool addressed_ = false;
  unsigned sent_ = 0, got_ = 0;
  std::uint64_t waited_ = 0;
};

}  // namespace weighbridge::cosim
