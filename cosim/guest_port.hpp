// SPDX-License-Identifier: Apache-2.0
//
// The guest's memory behind the logic's AXI master: in order, a beat a cycle each way, the first
// beat of a read and the answer to a write `latency` cycles after what they wait for. With the
// twin's memory system, beats and answers come when that says.
//
// A burst that is not wholly in the memory that the guest shares is answered with DECERR, moves
// nothing, and is kept as a fault: no driver may cause one. While the bus may not be used the
// answer is the same, as a host's is to a function that has been disabled, and it is counted.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "twin_memory.hpp"
#include "vhost_user.hpp"

namespace weighbridge::cosim {

struct GuestPortOptions {
  unsigned latency = 30;     ///< cycles
  unsigned outstanding = 8;  ///< bursts, each direction
};

/// Bursts of a port of 64 bit, as the logic makes them: INCR, at most 16 beats.
class GuestPort {
 public:
  /// twin: the memory system, or nullptr.
  GuestPort(const GuestMemory& memory, const GuestPortOptions& options, TwinMemory* twin)
      : memory_(memory), options_(options), twin_(twin) {}

  /// Before the clock edge that ends cycle `cycle`: the slave's outputs for this cycle.
  template <class Top>
  void drive(Top& top, std::uint64_t cycle) {
    if (twin_ != nullptr) {
      edge_ = static_cast<Time>(cycle + 1) * twin_->period();
      twin_->port.drive(pins_, edge_);
    } else {
      pins_.arready = reads_.size() < options_.outstanding;
      pins_.rvalid = !reads_.empty() && reads_.front().due <= cycle_;
      pins_.awready = writes_.size() + answers_.size() < options_.outstanding;
      pins_.wready = !writes_.empty();
      pins_.bvalid = !answers_.empty() && answers_.front().due <= cycle_;
    }
    top.m_axi_arready = pins_.arready && !frozen;
    const bool read = pins_.rvalid && !frozen;
    top.m_axi_rvalid = read;
    if (read) {
      const Burst& burst = reads_.front();
      std::uint64_t data = 0;
      if (burst.data != nullptr) std::memcpy(&data, burst.data + 8 * burst.done, 8);
      top.m_axi_rdata = data;
      top.m_axi_rid = burst.id;
      top.m_axi_rresp = burst.response;
      top.m_axi_rlast = burst.done + 1 == burst.beats;
    }
    top.m_axi_awready = pins_.awready && !frozen;
    top.m_axi_wready = pins_.wready && !frozen;
    const bool answer = pins_.bvalid && !frozen;
    top.m_axi_bvalid = answer;
    if (answer) {
      top.m_axi_bid = answers_.front().id;
      top.m_axi_bresp = answers_.front().response;
    }
  }

  /// After the outputs have settled, before the clock edge. `master`: the bus may be used.
  template <class Top>
  void sample(Top& top, bool master) {
    moved_ = false;
    if (twin_ != nullptr) time(top);
    if (top.m_axi_rvalid && top.m_axi_rready) {
      moved_ = true;
      ++read_beats;
      if (++reads_.front().done == reads_.front().beats) reads_.pop_front();
    }
    if (top.m_axi_arvalid && top.m_axi_arready) {
      moved_ = true;
      reads_.push_back(begun("read", top.m_axi_araddr, top.m_axi_arlen, 3, top.m_axi_arid, master));
    }
    if (top.m_axi_bvalid && top.m_axi_bready) {
      moved_ = true;
      answers_.pop_front();
    }
    if (top.m_axi_wvalid && top.m_axi_wready) {
      moved_ = true;
      ++write_beats;
      Burst& burst = writes_.front();
      store(burst, top.m_axi_wdata, top.m_axi_wstrb);
      if ((++burst.done == burst.beats) != (top.m_axi_wlast != 0))
        fault("WLAST is not on the burst's last beat");
      if (burst.done == burst.beats) {
        burst.due = cycle_ + options_.latency;
        answers_.push_back(burst);
        writes_.pop_front();
      }
    }
    if (top.m_axi_awvalid && top.m_axi_awready) {
      moved_ = true;
      writes_.push_back(begun("write", top.m_axi_awaddr, top.m_axi_awlen, top.m_axi_awsize,
                              top.m_axi_awid, master));
    }
    waiting_ = top.m_axi_arvalid || top.m_axi_awvalid || top.m_axi_wvalid;
    stalled_ = moved_ || !(waiting_ || busy()) ? 0 : stalled_ + 1;
    ++cycle_;
  }

  /// Something is on its way.
  [[nodiscard]] bool busy() const {
    return waiting_ || !reads_.empty() || !writes_.empty() || !answers_.empty();
  }

  /// Cycles for which something has been on its way and has not moved, and what that is.
  [[nodiscard]] std::uint64_t stalled() const { return frozen ? 0 : stalled_; }
  template <class Top>
  [[nodiscard]] std::string stuck(const Top& top) const {
    if (top.m_axi_rvalid && !top.m_axi_rready) return "m_axi R, which the logic does not take";
    if (top.m_axi_bvalid && !top.m_axi_bready) return "m_axi B, which the logic does not take";
    if (!writes_.empty()) return "m_axi W, which the logic owes after AW";
    return "m_axi";
  }

  std::vector<std::string> faults;
  std::uint64_t read_beats = 0, write_beats = 0, bursts = 0;
  std::uint64_t unmastered = 0;  ///< bursts while the bus could not be used
  std::uint64_t errors_due = 0;  ///< bursts still to be answered with SLVERR
  bool frozen = false;           ///< nothing is taken or given

 private:
  /// The handshakes of this cycle, for the twin's memory system.
  template <class Top>
  void time(const Top& top) {
    pins_.rvalid = top.m_axi_rvalid && top.m_axi_rready;
    pins_.bvalid = top.m_axi_bvalid && top.m_axi_bready;
    pins_.wvalid = top.m_axi_wvalid;
    pins_.wready = top.m_axi_wready;
    pins_.arvalid = top.m_axi_arvalid;
    pins_.arready = top.m_axi_arready;
    // A page gets its place when it is used, not when its address happens to be on the wires.
    if (top.m_axi_arvalid) pins_.araddress = twin_->place(top.m_axi_araddr);
    pins_.arbeats = static_cast<std::uint8_t>(top.m_axi_arlen + 1);
    pins_.awvalid = top.m_axi_awvalid;
    pins_.awready = top.m_axi_awready;
    if (top.m_axi_awvalid) pins_.awaddress = twin_->place(top.m_axi_awaddr);
    pins_.awbeats = static_cast<std::uint8_t>(top.m_axi_awlen + 1);
    twin_->port.sample(pins_, edge_);
  }

  struct Burst {
    std::uint8_t* data;  ///< of the first beat's bus word; nullptr outside the memory
    unsigned beats, done, size, lane, id, response;
    std::uint64_t due;
  };

  Burst begun(const char* what, std::uint64_t address, unsigned length, unsigned log2_size,
              unsigned id, bool master) {
    ++bursts;
    const unsigned size = 1U << log2_size, beats = length + 1;
    const std::uint64_t first = address & ~std::uint64_t{size - 1};
    // A beat narrower than the bus is the ring's status: one bus word holds it.
    const std::uint64_t start = first & ~std::uint64_t{7};
    const std::uint64_t bytes = std::uint64_t{beats} * size;
    Burst burst{memory_.at(start, bytes < 8 ? 8 : bytes),
                beats,
                0,
                size,
                0,
                id,
                0,
                cycle_ + options_.latency};
    if (!master) {
      burst.data = nullptr;
      burst.response = 3;
      ++unmastered;
    } else if (burst.data == nullptr) {
      burst.response = 3;
      char text[96];
      std::snprintf(text, sizeof(text), "DMA %s of %u bytes at 0x%llx outside the guest's memory",
                    what, static_cast<unsigned>(bytes), static_cast<unsigned long long>(address));
      fault(text);
    } else if (errors_due > 0) {
      --errors_due;
      burst.response = 2;
    }
    if (size != 8) fault("a beat of another size than the bus");
    if (first >> 12U != (first + bytes - 1) >> 12U) fault("a burst crosses 4 KiB");
    return burst;
  }

  static void store(const Burst& burst, std::uint64_t data, unsigned strobes) {
    if (burst.data == nullptr || burst.response != 0) return;
    std::uint8_t* at = burst.data + 8 * burst.done;
    if (strobes == 0xFF) {
      std::memcpy(at, &data, 8);
      return;
    }
    for (unsigned i = 0; i < 8; ++i)
      if ((strobes >> i & 1U) != 0) at[i] = static_cast<std::uint8_t>(data >> 8U * i);
  }

  void fault(const std::string& text) {
    if (faults.size() < 100) faults.push_back(text);
  }

  const GuestMemory& memory_;
  GuestPortOptions options_;
  TwinMemory* twin_;
  LogicPins pins_{};
  Time edge_ = 0;
  std::deque<Burst> reads_, writes_, answers_;
  std::uint64_t cycle_ = 0, stalled_ = 0;
  bool moved_ = false, waiting_ = false;
};

}  // namespace weighbridge::cosim
