// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// hdl/fmc with its bus and its wire, as a library to load: see fmc_library.hpp.
#include "fmc_library.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "Vtop.h"
#include "fmc_bus.hpp"
#include "fmc_registers.hpp"

using namespace weighbridge::cosim;
using namespace fmc_registers;

namespace {

using Bytes = std::vector<std::uint8_t>;
using Time = std::int64_t;

constexpr unsigned kLongest = 1518, kShortest = 60;
const Bytes kPreamble = {0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xD5};
/// Clocks without an access and without a byte on the wire after which time may be skipped: the
/// longest way through FIFOs and crossings is a frame, and a frame is written within it.
constexpr unsigned kRest = 4096;
/// Bytes of the wire for which the receiver's clock runs on behind a frame.
constexpr unsigned kSettle = 256;

void add_crc(Bytes& bytes) {
  std::uint32_t sum = ~0U;
  for (const std::uint8_t byte : bytes) {
    sum ^= byte;
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1U ^ ((sum & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(~sum >> 8 * i));
}

}  // namespace

struct fmc_logic {
 public:
  fmc_logic(Time bus_period, Time wire_period, std::uint64_t seed)
      : period_(bus_period), wire_(wire_period), bus_(top_, [this] { advance(); }, seed) {
    top_.rst = top_.tx_rst = top_.rx_rst = 1;
    settle_ = kSettle;
    bus_.idle(8);
    top_.rst = top_.tx_rst = top_.rx_rst = 0;
    top_.link = 1;
    bus_.idle(8);
  }

  Time write(Time at, std::uint32_t address, std::uint64_t data, unsigned bits) {
    return guarded(at, [&] {
      run(at);
      follow(address, data, bits);
      bus_.write(address, data, bits, 2);
      rest_ = 0;
      // Two clocks of the gap have passed since.
      return falls() - 2 * period_;
    });
  }

  Time read(Time at, std::uint32_t address, unsigned bits, std::uint64_t& value) {
    return guarded(at, [&] {
      run(at);
      value = bus_.read(address, bits, 2);
      rest_ = 0;
      return falls() - 2 * period_;
    });
  }

  void run(Time until) {
    guarded(until, [&] {
      while (falls() < until) {
        if (quiet() && falls() + period_ < until) {
          skip(until);
        } else {
          bus_.idle(1);
        }
      }
      return until;
    });
  }

  unsigned frame(std::uint8_t* to, Time& end) {
    if (sent_.empty()) return 0;
    const auto [bytes, when] = std::move(sent_.front());
    sent_.pop_front();
    std::copy(bytes.begin(), bytes.end(), to);
    end = when;
    return static_cast<unsigned>(bytes.size());
  }

  void arrive(Time at, const std::uint8_t* bytes, unsigned length) {
    coming_.push_back({{bytes, bytes + length}, at});
  }

  [[nodiscard]] bool ready() const { return top_.rx_ready != 0; }
  [[nodiscard]] bool quiet() const {
    return rest_ >= kRest && due_.empty() && coming_.empty() && arriving_.empty();
  }
  [[nodiscard]] const char* fault() const { return fault_.empty() ? nullptr : fault_.c_str(); }

 private:
  template <typename Act>
  Time guarded(Time otherwise, const Act& act) {
    if (!fault_.empty()) return otherwise;
    try {
      return act();
    } catch (const std::exception& error) {
      fault_ = error.what();
      return otherwise;
    }
  }

  /// When the bus's clock falls next: pins change then.
  [[nodiscard]] Time falls() const { return (clock_ + 1) * period_; }

  /// To the bus clock's next falling edge.
  void advance() {
    const Time fall = falls();
    const Time rise = fall - period_ / 2;
    wire_until(rise);
    top_.clk = top_.launch_clk = 1;
    top_.eval();
    wire_until(fall);
    top_.clk = top_.launch_clk = 0;
    top_.eval();
    ++clock_;
    ++rest_;
  }

  void wire_until(Time end) {
    for (; next_byte_ < end; next_byte_ += wire_ / 2) {
      const bool rises = (level_ = !level_);
      if (rises) listen();
      top_.tx_clk = level_;
      if (settle_ > 0 || !arriving_.empty() || !coming_.empty()) {
        if (!rises) talk();
        top_.rx_clk = level_;
        if (settle_ > 0) --settle_;
      }
      top_.eval();
    }
  }

  void skip(Time until) {
    const Time clocks = (until - falls()) / period_;
    clock_ += clocks;
    const Time bytes = (clock_ * period_ - next_byte_) / wire_;
    if (bytes > 0) next_byte_ += bytes * wire_;
  }

  /// What the transmitter sends with this edge.
  void listen() {
    if (top_.gmii_tx_en != 0) {
      if (top_.gmii_tx_er != 0) throw std::runtime_error("TX_ER on the wire");
      on_wire_.push_back(top_.gmii_txd);
      if (on_wire_.size() > 2 * kLongest) throw std::runtime_error("a frame without an end");
      return;
    }
    if (on_wire_.empty()) return;
    Bytes got;
    got.swap(on_wire_);
    if (due_.empty()) throw std::runtime_error("a frame on the wire that nobody has committed");
    Bytes due = std::move(due_.front());
    due_.pop_front();
    due.resize(std::max<std::size_t>(due.size(), kShortest));
    const Bytes frame = due;
    add_crc(due);
    due.insert(due.begin(), kPreamble.begin(), kPreamble.end());
    if (got != due) throw std::runtime_error("a frame on the wire is not what was written");
    sent_.push_back({frame, next_byte_});
    rest_ = 0;
  }

  /// What the receiver gets with the next edge.
  void talk() {
    top_.gmii_rx_er = 0;
    if (arriving_.empty() && gap_ == 0 && !coming_.empty() && coming_.front().when <= next_byte_) {
      Bytes frame = std::move(coming_.front().bytes);
      coming_.pop_front();
      frame.resize(std::max<std::size_t>(frame.size(), kShortest));
      add_crc(frame);
      arriving_.assign(kPreamble.begin(), kPreamble.end());
      arriving_.insert(arriving_.end(), frame.begin(), frame.end());
    }
    if (gap_ > 0) --gap_;
    top_.gmii_rx_dv = !arriving_.empty();
    if (arriving_.empty()) return;
    top_.gmii_rxd = arriving_.front();
    arriving_.pop_front();
    rest_ = 0;
    if (arriving_.empty()) {
      gap_ = 12;
      settle_ = kSettle;
    }
  }

  /// What goes out for what is written into the transmit FIFO, by the words of its registers.
  void follow(std::uint32_t address, std::uint64_t data, unsigned bits) {
    if (address < window_transmit || address >= window_transmit + window_transmit_bytes) return;
    if (bits < 32) return;  // refused
    for (; bits > 0; bits -= 32, data >>= 32, address += 4) {
      const std::uint32_t offset = address - window_transmit;
      const auto word = static_cast<std::uint32_t>(data);
      if (offset == transmit_length) {
        says_ = word & transmit_length_bytes;
        if (says_ > kLongest || word > transmit_length_bytes) says_ = 0;
        written_.clear();
      } else if (offset == transmit_commit) {
        written_.resize(std::min<std::size_t>(written_.size(), says_));
        if (!written_.empty()) due_.push_back(written_);
        written_.clear();
        says_ = 0;
      } else if (offset == transmit_tx_word || offset >= transmit_tx_buf) {
        if (written_.size() >= says_) continue;
        for (unsigned i = 0; i < 4; ++i)
          written_.push_back(static_cast<std::uint8_t>(word >> 8 * i));
      }
    }
  }

  struct Frame {
    Bytes bytes;
    Time when;
  };

  Vtop top_;
  Time period_, wire_;
  std::int64_t clock_ = 0;
  Time next_byte_ = 0;
  bool level_ = false;
  unsigned settle_ = 0, gap_ = 0;
  std::uint64_t rest_ = 0;
  FmcBus<Vtop> bus_;
  std::size_t says_ = 0;
  Bytes written_, on_wire_;
  std::deque<Bytes> due_;  // committed and not yet seen on the wire
  std::deque<Frame> sent_, coming_;
  std::deque<std::uint8_t> arriving_;
  std::string fault_;
};

extern "C" {

fmc_logic* fmc_open(std::int64_t bus_period, std::int64_t wire_period, std::uint64_t seed) {
  return new fmc_logic(bus_period, wire_period, seed);
}
void fmc_close(fmc_logic* logic) { delete logic; }
std::int64_t fmc_write(fmc_logic* logic, std::int64_t at, std::uint32_t address, std::uint64_t data,
                       unsigned bits) {
  return logic->write(at, address, data, bits);
}
std::int64_t fmc_read(fmc_logic* logic, std::int64_t at, std::uint32_t address, unsigned bits,
                      std::uint64_t* value) {
  *value = 0;
  return logic->read(at, address, bits, *value);
}
void fmc_run(fmc_logic* logic, std::int64_t until) { logic->run(until); }
unsigned fmc_frame(fmc_logic* logic, std::uint8_t* bytes, std::int64_t* end) {
  return logic->frame(bytes, *end);
}
void fmc_arrive(fmc_logic* logic, std::int64_t at, const std::uint8_t* bytes, unsigned length) {
  logic->arrive(at, bytes, length);
}
int fmc_ready(const fmc_logic* logic) { return logic->ready() ? 1 : 0; }
int fmc_quiet(const fmc_logic* logic) { return logic->quiet() ? 1 : 0; }
const char* fmc_fault(const fmc_logic* logic) { return logic->fault(); }
}
