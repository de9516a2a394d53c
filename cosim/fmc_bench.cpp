// SPDX-License-Identifier: Apache-2.0
//
// All that is behind a microcontroller's memory bus, from its pins to GMII and back.
//
//   fmc_bench rate BYTES FRAMES BITS   frames of so many payload bytes, written without a pause:
//   clocks of
//                                      the bus for a frame, and what that is at 137.5 MHz
//   fmc_bench lengths FIRST LAST SEED  a frame of each length, with fewer and with more words
//   written fmc_bench random CLOCKS SEED       any access anywhere, frames both ways, the counters
//   against its own
//
// Every frame is checked at the wire, byte by byte.
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <vector>

#include "Vtop.h"
#include "fmc_bus.hpp"
#include "fmc_registers.hpp"

using namespace weighbridge::cosim;
using namespace fmc_registers;

namespace {

using Bytes = std::vector<std::uint8_t>;

// Half periods in ps: 137.5 MHz, and 125 MHz on either side of the wire.
constexpr std::array<std::uint64_t, 3> halves = {3636, 4000, 4000};
constexpr double mhz = 137.5;
constexpr std::uint32_t info = window_info, counters = window_counters, receive = window_receive,
                        transmit = window_transmit;
constexpr unsigned headers = 42;  // Ethernet, IPv4, UDP
std::uint32_t crc(const Bytes& bytes) {
  std::uint32_t sum = ~0U;
  for (const std::uint8_t byte : bytes) {
    sum ^= byte;
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1U ^ ((sum & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~sum;
}

[[noreturn]] void wrong(const char* what) { throw std::runtime_error(what); }

class Bench {
 public:
  explicit Bench(std::uint64_t seed) : bus_(top_, [this] { advance(); }, seed + 1), random_(seed) {
    top_.rst = top_.tx_rst = top_.rx_rst = 1;
    bus_.idle(8);
    top_.rst = top_.tx_rst = top_.rx_rst = 0;
    top_.link = 1;
    bus_.idle(8);
  }

#if VM_COVERAGE
  ~Bench() { context_.coveragep()->write(); }
#endif

  /// Frames one behind the other; clocks of the bus for each, once the first ones are through.
  double rate(unsigned payload, unsigned frames, unsigned bits) {
    constexpr unsigned first = 3;
    std::uint64_t begin = 0;
    for (unsigned i = 0; i < frames + first; ++i) {
      if (i == first) begin = bus_.clocks;
      const Bytes frame = some(payload + headers);
      send(frame, payload + headers, bits);
      sent_.push_back(frame);
    }
    const double clocks = static_cast<double>(bus_.clocks - begin) / frames;
    drained();
    return clocks;
  }

  /// A frame that says its length, with as many words as another length has.
  void length(unsigned says, unsigned has) {
    Bytes frame = some(has);
    send(frame, says, random_() % 2 != 0 ? 32 : 64);
    // Words are written whole: what goes out is what LENGTH says of them.
    frame = written_;
    if (frame.size() > says) frame.resize(says);
    if (!frame.empty()) sent_.push_back(frame);
  }

  void drained() {
    for (int wait = 0; !sent_.empty(); ++wait) {
      if (wait > 400) wrong("a frame does not come");
      bus_.idle(500);
    }
    bus_.idle(100);
  }

  /// Anything for so many clocks.
  void anything(std::uint64_t clocks) {
    const std::uint64_t end = bus_.clocks + clocks;
    snapshot(true);
    while (bus_.clocks < end) {
      switch (random_() % 8) {
        case 0:
          if (room())
            length(static_cast<unsigned>(random_() % 300), static_cast<unsigned>(random_() % 300));
          break;
        case 1:
          if (to_come_.size() + here_.size() < 4)
            arrive(static_cast<unsigned>(60 + random_() % 200));
          break;
        case 2:
          take();
          break;
        case 3:
          if (random_() % 4 == 0) snapshot(random_() % 2 != 0);
          break;
        default:
          access();
      }
      bus_.idle(static_cast<unsigned>(random_() % 7));
    }
    snapshot(true);
    drained();
    while (!to_come_.empty() || !here_.empty()) {
      bus_.idle(100);
      take();
    }
  }

  [[nodiscard]] std::uint64_t clocks() const { return bus_.clocks; }
  std::uint64_t snapshots = 0, frames_out = 0, frames_in = 0;

 private:
  // ---- time
  // ----------------------------------------------------------------------------------------

  /// To the bus clock's next falling edge.
  void advance() {
    for (;;) {
      std::size_t due = 0;
      for (std::size_t i = 1; i < halves.size(); ++i)
        if (next_[i] < next_[due]) due = i;
      next_[due] += halves[due];
      level_[due] = !level_[due];
      if (due == 0) top_.clk = top_.launch_clk = level_[0];
      if (due == 1) {
        if (level_[1]) listen();
        top_.tx_clk = level_[1];
      }
      if (due == 2) {
        if (!level_[2]) talk();
        top_.rx_clk = level_[2];
      }
      top_.eval();
      if (due == 0 && !level_[0]) return;
    }
  }

  /// What the transmitter sends with this edge.
  void listen() {
    if (top_.gmii_tx_en != 0) {
      if (top_.gmii_tx_er != 0) wrong("TX_ER");
      if (on_wire_.empty() && idle_ < 12) wrong("a gap of less than 12 bytes");
      on_wire_.push_back(top_.gmii_txd);
      idle_ = 0;
      return;
    }
    ++idle_;
    if (on_wire_.empty()) return;
    Bytes got;
    got.swap(on_wire_);
    if (sent_.empty()) wrong("a frame that nobody sent");
    Bytes due = sent_.front();
    sent_.pop_front();
    due.resize(std::max<std::size_t>(due.size(), 60));
    const std::uint32_t sum = crc(due);
    for (unsigned i = 0; i < 4; ++i) due.push_back(static_cast<std::uint8_t>(sum >> 8 * i));
    const Bytes preamble = {0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xD5};
    due.insert(due.begin(), preamble.begin(), preamble.end());
    if (got != due) wrong("a frame is not what was written");
    ++frames_out;
  }

  /// What the receiver gets with the next edge.
  void talk() {
    top_.gmii_rx_er = 0;
    top_.gmii_rx_dv = !arriving_.empty();
    top_.gmii_rxd = arriving_.empty() ? static_cast<std::uint8_t>(random_()) : arriving_.front();
    if (!arriving_.empty()) {
      arriving_.pop_front();
      if (arriving_.empty()) {
        here_.push_back(to_come_.front());
        to_come_.pop_front();
        pause_ = 12;
      }
    } else if (pause_ > 0) {
      --pause_;
    } else if (!to_come_.empty()) {
      const Bytes& frame = to_come_.front();
      arriving_.assign({0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xD5});
      arriving_.insert(arriving_.end(), frame.begin(), frame.end());
      const std::uint32_t sum = crc(frame);
      for (unsigned i = 0; i < 4; ++i) arriving_.push_back(static_cast<std::uint8_t>(sum >> 8 * i));
    }
  }

  /// Clocks with PENABLE of a word's access.
  static unsigned active(std::uint32_t address) {
    const bool port = address >= receive && address < transmit + window_transmit_bytes;
    return 1 + ROOT_UP + (port ? ETHERNET_DOWN : 0);
  }

  // ---- accesses, and what the counters ought to count
  // -------------------------------------------------

  void write(std::uint32_t address, std::uint64_t data, unsigned bits = 32) {
    bus_.write(address, data, bits, gap());
    writes_ += bits == 64 ? 2 : 1;
    active_ += (bits == 64 ? 2 : 1) * (active(address));
  }

  std::uint64_t read(std::uint32_t address, unsigned bits = 32) {
    reads_ += bits == 64 ? 2 : 1;
    active_ += (bits == 64 ? 2 : 1) * (active(address));
    return bus_.read(address + (bits == 64 ? window_wide : 0), bits, gap());
  }

  /// The least, or in a random run any.
  unsigned gap() { return random_gaps_ ? 2 + static_cast<unsigned>(random_() % 7) : 2; }

  /// Counters as they are in the clock before a snapshot.
  struct Counts {
    std::uint64_t cycles, reads, writes, active, selected, gap;
  };

  /// Takes one, and looks whether all counters say what has been since the last that cleared them.
  void snapshot(bool clear) {
    random_gaps_ = true;
    const Counts now = {0, reads_, writes_, active_, bus_.selected, 2 * (bus_.accesses + 1)};
    const std::uint64_t mask = counter_snapshot_take | (clear ? counter_snapshot_clear : 0);
    write(counters + counter_snapshot, mask);
    // On APB two clocks behind its last beat; what happens in that clock is behind it.
    const std::uint64_t at = bus_.last + 2;
    const std::uint64_t selected = now.selected + (bus_.last - begin_of_last());
    if (snapshots++ > 0) {
      expect(counter_cycles(0), at - since_at_);
      expect(counter_apb_reads(0), now.reads - since_.reads);
      expect(counter_apb_writes(0), now.writes - since_.writes);
      expect(counter_apb_active(0), now.active - since_.active);
      expect(counter_fmc_selected(0), selected - since_.selected);
      expect(counter_fmc_gap(0), now.gap - since_.gap);
    }
    if (clear || snapshots == 1) {
      since_ = now;
      since_.selected = selected;
      since_at_ = at;
    }
  }

  /// The clock before the address of the last write.
  [[nodiscard]] std::uint64_t begin_of_last() const { return bus_.began - 1; }

  void expect(std::uint32_t place, std::uint64_t value) {
    if (read(counters + place, 64) != value) wrong("a counter is wrong");
  }

  void access() {
    static constexpr std::uint32_t places[] = {
        info,     info + info_scratch(0),   info + info_serial(0),    0x7FFF8,
        transmit, receive + receive_length, transmit + transmit_space};
    const std::uint32_t place = places[random_() % std::size(places)];
    const unsigned bits = 8U << random_() % 4;
    const std::uint32_t at = place & ~7U;
    if (random_() % 2 != 0 && place != transmit && place < transmit) {
      const std::uint64_t data = random_();
      write(at, data, bits);
      if (at == ((info + info_scratch(0)) & ~7U)) {
        const std::uint64_t mask = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
        scratch_ = (scratch_ & ~mask) | (data & mask);
      }
      return;
    }
    const std::uint64_t got = read(at, bits);
    if (at == ((info + info_scratch(0)) & ~7U)) {
      const std::uint64_t mask = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
      if (got != (scratch_ & mask)) wrong("scratch");
    }
  }

  // ---- frames
  // --------------------------------------------------------------------------------------

  Bytes some(unsigned length) {
    Bytes bytes(length);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random_());
    return bytes;
  }

  void send(const Bytes& frame, unsigned says, unsigned bits) {
    write(transmit + transmit_length, says);
    written_.clear();
    for (std::size_t at = 0; at < frame.size();) {
      // The last word may be one of 32 bits; what is behind the frame's end in it must not go out.
      const unsigned size = frame.size() - at > 4 ? bits / 8 : 4;
      std::uint64_t word = random_();
      std::memcpy(&word, &frame[at], std::min<std::size_t>(size, frame.size() - at));
      write(transmit + transmit_tx_buf + static_cast<std::uint32_t>(at) % 0xF00, word, 8 * size);
      for (unsigned i = 0; i < size; ++i)
        written_.push_back(static_cast<std::uint8_t>(word >> 8 * i));
      at += size;
    }
    write(transmit + transmit_commit, 1);
  }

  bool room() {
    return get(transmit_space_words, static_cast<std::uint32_t>(read(transmit + transmit_space))) >
           512;
  }

  void arrive(unsigned length) { to_come_.push_back(some(length)); }

  /// Reads and pops a frame, if one is there.
  void take() {
    const auto length = static_cast<std::uint32_t>(read(receive + receive_length));
    if (length == 0) return;
    if (here_.empty()) wrong("a frame that nobody sent is here");
    Bytes frame;
    for (std::uint32_t at = 0; at < length; at += 4) {
      const std::uint64_t word = read(receive + at);
      for (unsigned i = 0; i < 4; ++i) frame.push_back(static_cast<std::uint8_t>(word >> 8 * i));
    }
    for (std::size_t i = length; i < frame.size(); ++i)
      if (frame[i] != 0) wrong("bytes behind a frame");
    frame.resize(length);
    if (frame != here_.front()) wrong("a frame is not what came");
    here_.pop_front();
    write(receive + receive_pop, 1);
    ++frames_in;
  }

  VerilatedContext context_;
  Vtop top_{&context_};
  std::array<std::uint64_t, 3> next_ = {0, 0, 1000};
  std::array<bool, 3> level_{};
  FmcBus<Vtop> bus_;
  std::mt19937_64 random_;
  std::deque<Bytes> sent_;  // not yet seen on the wire
  Bytes on_wire_, written_;
  unsigned idle_ = 12;
  std::deque<Bytes> to_come_, here_;
  std::deque<std::uint8_t> arriving_;
  unsigned pause_ = 0;
  bool random_gaps_ = false;
  std::uint64_t reads_ = 0, writes_ = 0, active_ = 0, scratch_ = 0;
  Counts since_{};
  std::uint64_t since_at_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i) { return std::strtoull(argv[i], nullptr, 0); };
  const bool rate = argc == 5 && std::strcmp(argv[1], "rate") == 0;
  const bool lengths = argc == 5 && std::strcmp(argv[1], "lengths") == 0;
  const bool random = argc == 4 && std::strcmp(argv[1], "random") == 0;
  if (!rate && !lengths && !random) {
    std::fprintf(
        stderr, "usage: %s rate BYTES FRAMES BITS | lengths FIRST LAST SEED | random CLOCKS SEED\n",
        argv[0]);
    return 2;
  }
  try {
    if (rate) {
      Bench bench(1);
      const auto bytes = static_cast<unsigned>(number(2));
      const double clocks =
          bench.rate(bytes, static_cast<unsigned>(number(3)), static_cast<unsigned>(number(4)));
      std::printf("{\"clocks\": %.3f, \"mbit\": %.2f}\n", clocks, 8 * bytes * mhz / clocks);
    } else if (lengths) {
      Bench bench(number(4));
      for (auto one = static_cast<unsigned>(number(2)); one <= number(3); ++one)
        for (const unsigned has : {one, one - std::min(one, 9U), one + 11}) bench.length(one, has);
      bench.drained();
      std::printf("{\"frames\": %" PRIu64 "}\n", bench.frames_out);
    } else {
      Bench bench(number(3));
      bench.anything(number(2));
      std::printf("{\"clocks\": %" PRIu64 ", \"snapshots\": %" PRIu64 ", \"frames_out\": %" PRIu64
                  ", \"frames_in\": %" PRIu64 "}\n",
                  bench.clocks(), bench.snapshots, bench.frames_out, bench.frames_in);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "wrong: %s\n", error.what());
    return 1;
  }
}
