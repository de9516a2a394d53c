// SPDX-License-Identifier: Apache-2.0
//
// Memory behind an AXI slave port, for Verilated masters: a cycle is drive(), evaluate, sample().
//
// Reads and writes are independent, in order, one beat a cycle. At most `outstanding` bursts are
// accepted in each direction; a slot frees with the last R beat or with B. The first R beat may
// follow the AR handshake after `latency` cycles, B the last W beat likewise.
// Data of a write may be shown with their address or later, but never wait for AWREADY.
// It checks what it is asked for and throws ProtocolError at the first rule that is broken.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "verilated.h"

namespace weighbridge::cosim {

struct ProtocolError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A data bus of up to 128 bit as words; Verilator gives it as an integer or as an array of words.
using Beat = std::array<std::uint32_t, 4>;

template <class Port>
Beat beat_of(const Port& port) {
  Beat beat{};
  if constexpr (std::is_integral_v<Port>) {
    beat[0] = static_cast<std::uint32_t>(port);
    if constexpr (sizeof(Port) > 4) beat[1] = static_cast<std::uint32_t>(port >> 32U);
  } else {
    for (std::size_t i = 0; i < 4; ++i) beat[i] = port[i];
  }
  return beat;
}

template <class Port>
void assign(Port& port, const Beat& beat) {
  if constexpr (std::is_integral_v<Port>) {
    std::uint64_t value = beat[0];
    if constexpr (sizeof(Port) > 4) value |= std::uint64_t{beat[1]} << 32U;
    port = static_cast<Port>(value);
  } else {
    for (std::size_t i = 0; i < 4; ++i) port[i] = beat[i];
  }
}

/// When a slave takes the data of a write: AXI leaves it free, and a master must live with each.
enum class Data {
  behind,  ///< from the cycle after their address was taken
  ahead,   ///< whenever they are shown, before their address too
  with,    ///< the address only together with its first data
  first    ///< the address only when all its data are there
};

inline Data data_named(std::string_view name) {
  if (name == "behind") return Data::behind;
  if (name == "ahead") return Data::ahead;
  if (name == "with") return Data::with;
  if (name == "first") return Data::first;
  throw std::invalid_argument("no such way of taking data: " + std::string(name));
}

struct MemoryOptions {
  unsigned bus_bytes = 8;
  unsigned latency = 60;     ///< cycles
  unsigned outstanding = 8;  ///< bursts, each direction
  double stall = 0;          ///< probability that a channel pauses in a cycle
  Data data = Data::behind;
  unsigned longest = 16;       ///< refuse bursts of more beats; AXI4 allows 256
  bool check_gapless = false;  ///< refuse a write burst whose data pause once they have begun
  std::uint64_t base = 0;
  std::size_t bytes = std::size_t{1} << 24U;
  std::uint64_t seed = 1;
};

class AxiMemory {
 public:
  explicit AxiMemory(const MemoryOptions& options)
      : bytes(options.bytes), options_(options), random_(options.seed) {}

  /// Before the clock edge: the slave's outputs for this cycle.
  template <class Top>
  void drive(Top& top) {
    if constexpr (requires { top.axi_arvalid; }) {
      top.axi_arready = reads_.size() < options_.outstanding && !pause();
      // A valid beat stays until it is taken.
      if (!r_held_) r_held_ = !reads_.empty() && reads_.front().due <= cycle && !pause();
      top.axi_rvalid = r_held_;
      if (r_held_) {
        const Burst& burst = reads_.front();
        assign(top.axi_rdata, load(burst.address));
        top.axi_rlast = burst.beats == 1;
        top.axi_rresp = response(burst.address);
        if constexpr (requires { top.axi_rid; }) top.axi_rid = burst.id;
      }
    }
    if constexpr (requires { top.axi_awvalid; }) {
      const bool slot = writes_.size() + answers_.size() < options_.outstanding;
      bool address = slot, data = !writes_.empty() || slot;
      if (options_.data == Data::behind) data = !writes_.empty();
      if (options_.data == Data::first) address = !given_.empty() && given_.back().last;
      // Address and data together, when the data were on offer in the cycle before.
      if (options_.data == Data::with && writes_.empty()) address = data = slot && w_held_;
      top.axi_awready = address && !pause();
      top.axi_wready = data && !pause();
      if (options_.data == Data::with && writes_.empty()) top.axi_wready = top.axi_awready;
      if (!b_held_) b_held_ = !answers_.empty() && answers_.front().due <= cycle && !pause();
      top.axi_bvalid = b_held_;
      if (b_held_) {
        top.axi_bresp = answers_.front().error;
        if constexpr (requires { top.axi_bid; }) top.axi_bid = answers_.front().id;
      }
    }
  }

  /// After the outputs have settled, before the clock edge: the handshakes of this cycle.
  template <class Top>
  void sample(Top& top) {
    if constexpr (requires { top.axi_arvalid; }) {
      const Request now{top.axi_arvalid != 0, top.axi_araddr, top.axi_arlen};
      stable("AR", ar_, now, top.axi_arready);
      // R before AR: a slot that frees in this cycle is free in the next.
      if (r_held_ && top.axi_rready) {
        r_held_ = false;
        Burst& burst = reads_.front();
        ++read_beats;
        burst.address =
            (burst.address & ~std::uint64_t{options_.bus_bytes - 1}) + options_.bus_bytes;
        if (--burst.beats == 0) reads_.pop_front();
      }
      if (now.valid && top.axi_arready) {
        unsigned id = 0;
        if constexpr (requires { top.axi_arid; }) id = top.axi_arid;
        check("AR", now.address, now.length, options_.bus_bytes);
        reads_.push_back(
            {now.address, now.length + 1, cycle + options_.latency, id, options_.bus_bytes, 0});
        ++read_bursts;
      }
    }
    if constexpr (requires { top.axi_awvalid; }) {
      const Request now{top.axi_awvalid != 0, top.axi_awaddr, top.axi_awlen};
      stable("AW", aw_, now, top.axi_awready);
      stable_data(top);
      if (b_held_ && top.axi_bready) {
        b_held_ = false;
        answers_.pop_front();
        ++write_answers;
        last_answer = cycle;
      }
      if (top.axi_wvalid && top.axi_wready) {
        Given given{beat_of(top.axi_wdata), top.axi_wstrb, top.axi_wlast != 0, {}};
        if constexpr (requires { top.axi_wid; }) given.id = top.axi_wid;
        given_.push_back(given);
        ++write_beats;
        given_bursts_ += given.last;
      }
      if (now.valid && top.axi_awready) {
        unsigned id = 0, size = options_.bus_bytes;
        if constexpr (requires { top.axi_awid; }) id = top.axi_awid;
        if constexpr (requires { top.axi_awsize; }) size = 1U << top.axi_awsize;
        check("AW", now.address, now.length, size);
        writes_.push_back({now.address, now.length + 1, 0, id, size, 0});
        ++write_bursts;
      }
      for (; !given_.empty() && !writes_.empty(); given_.pop_front()) take(given_.front());
    }
    ++cycle;
  }

  [[nodiscard]] bool owes_nothing() const {
    return reads_.empty() && writes_.empty() && answers_.empty() && given_.empty();
  }

  /// Accesses of [first, last), and of no other range, are answered with `error` (2 SLVERR, 3
  /// DECERR).
  void fail(std::uint64_t first, std::uint64_t last, unsigned error) {
    bad_ = {{first, last, error}};
  }

  /// Adds another range; where ranges overlap, the one named first holds.
  void fail_also(std::uint64_t first, std::uint64_t last, unsigned error) {
    bad_.push_back({first, last, error});
  }

  /// What a beat at `address` is answered with; a write burst's answer is that of its beats, or-ed.
  [[nodiscard]] unsigned response(std::uint64_t address) const {
    for (const Range& range : bad_)
      if (address >= range.first && address < range.last) return range.error;
    return 0;
  }

  std::vector<std::uint8_t> bytes;  ///< contents, from options.base on
  std::vector<bool> writable;       ///< by bytes; empty: all are
  std::uint64_t cycle = 0, last_answer = 0;
  std::uint64_t read_beats = 0, read_bursts = 0, write_beats = 0, write_bursts = 0;
  std::uint64_t write_answers = 0;

 private:
  struct Burst {
    std::uint64_t address;
    unsigned beats;
    std::uint64_t due;
    unsigned id, size, error;
  };
  struct Given {  // a beat of W
    Beat data;
    unsigned strobes;
    bool last;
    std::optional<unsigned> id;
  };
  struct Range {
    std::uint64_t first, last;
    unsigned error;
  };
  struct Request {
    bool valid = false;
    std::uint64_t address = 0;
    unsigned length = 0;
  };

  bool pause() { return options_.stall > 0 && chance_(random_) < options_.stall; }

  [[nodiscard]] std::size_t place(std::uint64_t address) const {
    const std::uint64_t aligned = address & ~std::uint64_t{options_.bus_bytes - 1};
    if (aligned < options_.base || aligned - options_.base + options_.bus_bytes > bytes.size())
      throw ProtocolError("address " + std::to_string(address) + " is outside the memory");
    return aligned - options_.base;
  }

  [[nodiscard]] Beat load(std::uint64_t address) const {
    Beat beat{};
    std::memcpy(beat.data(), &bytes[place(address)], options_.bus_bytes);
    return beat;
  }

  /// A beat of the burst in hand, whose address is known.
  void take(const Given& given) {
    Burst& burst = writes_.front();
    if (given.id && *given.id != burst.id) throw ProtocolError("WID is not that of the burst");
    store(burst, given.data, given.strobes);
    burst.error |= response(burst.address);
    burst.address = (burst.address & ~std::uint64_t{burst.size - 1}) + burst.size;
    if ((--burst.beats == 0) != given.last)
      throw ProtocolError("WLAST is not on the burst's last beat");
    if (burst.beats > 0) return;
    answers_.push_back(
        {burst.address, 0, cycle + options_.latency, burst.id, burst.size, burst.error});
    writes_.pop_front();
  }

  void store(const Burst& burst, const Beat& beat, unsigned strobes) {
    const std::size_t start = place(burst.address);
    const auto* data = reinterpret_cast<const std::uint8_t*>(beat.data());
    for (unsigned i = 0; i < options_.bus_bytes; ++i) {
      if (((strobes >> i) & 1U) == 0) continue;
      const unsigned lane = (burst.address & (options_.bus_bytes - 1)) & ~(burst.size - 1);
      if (i < lane || i >= lane + burst.size)
        throw ProtocolError("WSTRB marks a byte outside the beat of AWSIZE");
      if (!writable.empty() && !writable[start + i])
        throw ProtocolError("a write to " + std::to_string(options_.base + start + i) +
                            ", which nobody asked for");
      bytes[start + i] = data[i];
    }
  }

  void stable(const char* channel, Request& before, const Request& now, bool ready) const {
    if (before.valid &&
        (!now.valid || before.address != now.address || before.length != now.length))
      throw ProtocolError(std::string(channel) + " changed before it was taken");
    before = now;
    before.valid = now.valid && !ready;
  }

  template <class Top>
  void stable_data(const Top& top) {
    const bool valid = top.axi_wvalid != 0;
    const Beat data = beat_of(top.axi_wdata);
    // A burst whose data are through must have its address taken, or on offer.
    if (valid && given_bursts_ >= write_bursts + (top.axi_awvalid != 0))
      throw ProtocolError("W before its address is shown");
    if (w_held_ && (!valid || data != w_data_ || top.axi_wstrb != w_strobes_ ||
                    static_cast<unsigned>(top.axi_wlast) != w_last_))
      throw ProtocolError("W changed before it was taken");
    if (options_.check_gapless && w_begun_ && !valid)
      throw ProtocolError("W pauses in the middle of a burst");
    w_held_ = valid && !top.axi_wready;
    if (valid) w_begun_ = !(top.axi_wready && top.axi_wlast);
    w_data_ = data;
    w_strobes_ = top.axi_wstrb;
    w_last_ = top.axi_wlast;
  }

  void check(const char* channel, std::uint64_t address, unsigned length, unsigned size) const {
    const std::uint64_t last = (address & ~std::uint64_t{size - 1}) + length * size;
    if (address >> 12U != last >> 12U)
      throw ProtocolError(std::string(channel) + " burst crosses 4 KiB");
    if (length >= options_.longest)
      throw ProtocolError(std::string(channel) + " burst of " + std::to_string(length + 1) +
                          " beats");
    (void)place(address), (void)place(last);
  }

  MemoryOptions options_;
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> chance_{0, 1};
  std::deque<Burst> reads_, writes_, answers_;
  std::deque<Given> given_;         // taken before their address
  std::uint64_t given_bursts_ = 0;  // whose last data were taken
  Request ar_, aw_;
  bool r_held_ = false, b_held_ = false;
  std::vector<Range> bad_;
  bool w_held_ = false, w_begun_ = false;
  Beat w_data_{};
  unsigned w_strobes_ = 0, w_last_ = 0;
};

}  // namespace weighbridge::cosim
