// SPDX-License-Identifier: Apache-2.0
//
// The DMA node in Verilator, the memory behind its port and the logic at its streams, at random:
// every cycle is watched, and what has to be in memory and on the streams is known. node_soak.cpp
// is the software that uses it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "Vtop.h"
#include "axi_memory.hpp"
#include "datra_registers.hpp"

#ifndef ADDR_W
#define ADDR_W 32
#endif
#ifndef LEN_W
#define LEN_W 24
#endif
#ifndef BURST
#define BURST 16
#endif
#ifndef REALIGN
#define REALIGN 0
#endif
#ifndef CUT_THROUGH
#define CUT_THROUGH 0
#endif
#ifndef STREAM_W
#define STREAM_W 32
#endif

namespace weighbridge::cosim {

namespace r = datra_registers;

constexpr unsigned to = 0, from = 1;
constexpr std::uint64_t source_bytes = 0x40'0000;
constexpr unsigned slots = 64, slot_bytes = 0x10000;
// Cycles without a beat on the bus: the longest of stalls are 300.
constexpr unsigned patience = 40000;

/// The memory lies across a power of two, 4 GiB or the middle of all addresses: every bit changes.
constexpr std::uint64_t across(unsigned bit) { return (std::uint64_t{1} << bit) - 0x30'0000; }

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};
inline void demand(bool holds, std::string_view what) {
  if (!holds) throw Failure(std::string(what));
}

constexpr std::uint32_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 31U)) * 0x9E3779B97F4A7C15ULL;
  return static_cast<std::uint32_t>((x ^ (x >> 29U)) * 0xBF58476D1CE4E5B9ULL >> 32U);
}

struct Word {
  std::uint32_t data;
  std::uint16_t user;
  bool operator==(const Word&) const = default;
};

struct Frame {
  std::uint64_t address;
  unsigned bytes;  // asked for
  std::uint16_t user;
  std::uint64_t since = 0;  // the cycle in which software asked
};

/// A failure is a Failure, thrown by whatever sees it first.
class NodeSystem {
 public:
  NodeSystem(const MemoryOptions& options, double stream_stall)
      : memory_(options),
        random_(options.seed * 7919 + 1),
        stream_stall_(stream_stall),
        pause_(stream_stall),
        base(options.base) {
    // Somewhere in the stream, so that each system sees another part of it.
    taken_ = framed_ = random_() >> 24U;
    for (std::uint64_t at = 0; at < source_bytes; at += 4) put(source_at + at, mixed(at));
    memory_.writable.assign(memory_.bytes.size(), false);
    top_.rst = 1;
    for (int i = 0; i < 4; ++i) tick();
    top_.rst = 0;
    demand(read(r::dma_node_type) == r::dma_node_type_reset &&
               r::get(r::dma_version_revision, read(r::dma_version)) == 1 &&
               read(r::dma_queues) == r::dma_queues_reset,
           "node info");
    registers();
    for (unsigned d : {to, from}) {
      demand(status(d) == r::dma_to_logic_status_reset, "eight slots are free at first");
      write(control(d), r::dma_control_run);
    }
  }

#if VM_COVERAGE
  ~NodeSystem() { context_.coveragep()->write(); }
#endif

 protected:
  // ---- the clock -----------------------------------------------------------------------------

  void tick() {
    top_.clk = 0;
    memory_.drive(top_);
    if (const std::uint64_t beats = memory_.read_beats + memory_.write_beats; beats != beats_) {
      beats_ = beats;
      moved_ = memory_.cycle;
    }
    demand(memory_.cycle - moved_ < patience, "nothing moves");
    top_.m_ready = !blocked_ && !chance(stream_stall_);
    if (!top_.s_valid) offer();
    top_.eval();
    if (!top_.rst) {
      watch_bus();
      watch_counters();
    }
    if (!top_.rst && top_.m_valid && top_.m_ready) {
      const Beat beat = beat_of(top_.m_data);
      const unsigned words = std::countr_one(static_cast<unsigned>(top_.m_keep));
      demand(words > 0 && top_.m_keep >> words == 0, "a beat to logic with a gap");
      for (unsigned i = 0; i < words; ++i) {
        demand(!expected_.empty(), "a word to logic that nobody sent");
        demand(expected_.front().data == beat[i] || bad(expected_at_.front()),
               "a wrong word to logic");
        demand(expected_.front().user == top_.m_user, "a wrong signal to logic");
        expected_.pop_front();
        expected_at_.pop_front();
      }
    }
    if (top_.s_valid && top_.s_ready && !top_.rst) {
      taken_ += offered_;
      took_ = true;
    }
    done_ = top_.bus_done;
    rdata_ = top_.bus_rdata;
    refused_ = top_.bus_error;
    if (!top_.rst) memory_.sample(top_);  // what comes before a reset means nothing
    top_.clk = 1;
    top_.eval();
    if (took_) top_.s_valid = took_ = false;
  }

  /// The source's next beat, or a pause: words of one signal, mostly as many as there is room for.
  void offer() {
    top_.s_valid = top_.rst == 0 && !chance(pause_);
    constexpr unsigned most = STREAM_W / 32;
    const unsigned wanted = most > 1 && chance(0.3) ? 1 + below(most) : most;
    Beat beat{};
    for (offered_ = 0; offered_ < wanted; ++offered_) {
      const Word next = word(taken_ + offered_);
      if (offered_ > 0 && next.user != top_.s_user) break;
      beat[offered_] = next.data;
      top_.s_user = next.user;
    }
    assign(top_.s_data, beat);
    top_.s_keep = (1U << offered_) - 1;
  }

  /// Whole beats are asked for, with the attributes of their direction.
  void watch_bus() {
    const auto attributes = [](unsigned cache, unsigned protection, unsigned user) {
      return cache | protection << 4U | user << 8U;
    };
    if (top_.axi_arvalid) {
      demand(top_.axi_araddr % (DATA_W / 8) == 0, "a read that begins inside a beat");
      demand(attributes(top_.axi_arcache, top_.axi_arprot, top_.axi_aruser) ==
                 (attributes_[top_.axi_arid == 1 ? from : to] & marks),
             "attributes of a read");
    }
    if (top_.axi_awvalid) {
      demand(top_.axi_awaddr % (1U << top_.axi_awsize) == 0, "a write that begins inside a beat");
      demand(attributes(top_.axi_awcache, top_.axi_awprot, top_.axi_awuser) ==
                 (attributes_[top_.axi_awid == 0 ? to : from] & marks),
             "attributes of a write");
    }
  }

  /// Beats and waits, cycle by cycle as the node counts them. Beats from logic it counts earlier,
  /// and before they are moved to other lanes or bursts filled up.
  void watch_counters() {
    const bool access = top_.bus_select && !top_.bus_done;
    const unsigned at = top_.bus_address;
    const bool events[2][3] = {
        {top_.axi_rvalid && top_.axi_rready && top_.axi_rid == 2, top_.m_ready && !top_.m_valid,
         top_.m_valid && !top_.m_ready},
        {top_.axi_wvalid && top_.axi_wready && top_.axi_wid == 2 && top_.axi_wstrb != 0,
         top_.s_valid && !top_.s_ready, top_.s_ready && !top_.s_valid}};
    for (unsigned d : {to, from}) {
      const unsigned begin = ring(d) + r::dma_ring_counters(0);
      const unsigned end = ring(d) + r::dma_ring_counters(4);
      const bool here = access && at >= begin && at <= end;
      if (here && !top_.bus_write && at > begin && at < end)
        counted_ = counts_[d][(at - begin) / 4 - 1];
      for (unsigned k = 0; k < 3; ++k)
        counts_[d][k] = here && top_.bus_write ? 0 : counts_[d][k] + events[d][k];
    }
  }
  void compare_counters(unsigned d, bool still) {
    for (unsigned k = 0; k < 3; ++k)
      if (d == to || k > 0 || (still && !REALIGN && !CUT_THROUGH))
        demand(read(ring(d) + r::dma_ring_counters(1 + k)) == counted_,
               "beats or waits counted otherwise");
  }

  std::uint32_t access(unsigned address, bool is_write, std::uint32_t value, unsigned strobe = 15) {
    top_.bus_select = 1;
    top_.bus_address = address;
    top_.bus_write = is_write;
    top_.bus_wdata = value;
    top_.bus_strobe = strobe;
    for (unsigned i = 0; i == 0 || !done_; ++i) {
      demand(i < 4, "a register that does not answer");
      tick();
    }
    top_.bus_select = 0;
    return rdata_;
  }
  std::uint32_t read(unsigned address) { return access(address, false, 0); }
  void write(unsigned address, std::uint32_t value) { access(address, true, value); }

  /// The high half is written by those who have one only.
  void address(unsigned offset, unsigned offset_high, std::uint64_t value) {
    set(offset, low(value));
    if (ADDR_W > 32) set(offset_high, high(value));
  }
  /// A register that reads as it was written.
  void set(unsigned offset, std::uint32_t value) {
    write(offset, value);
    demand(read(offset) == value, "a register does not read as written");
    access(offset, true, ~value, 1 + below(14));
    demand(refused_ && read(offset) == value, "a write of less than a word");
  }
  /// What reset leaves, then that each register holds all its bits and is no other's.
  void registers() {
    std::vector<std::pair<unsigned, std::uint32_t>> held = {
        {r::dma_to_logic_address, ~0U},
        {r::dma_to_logic_signal, r::dma_to_logic_signal_user_signal},
        {r::dma_from_logic_address, ~0U}};
    std::vector<std::pair<unsigned, std::uint32_t>> first = {
        {r::dma_identification, r::dma_identification_reset}, {r::dma_capabilities, capabilities}};
    for (unsigned look : {0U, r::dma_look}) {
      first.emplace_back(look + r::dma_node_type, r::dma_node_type_reset);
      first.emplace_back(look + r::dma_version, r::dma_version_reset);
      first.emplace_back(look + r::dma_queues, r::dma_queues_reset);
      first.emplace_back(look + r::dma_to_logic_status, r::dma_to_logic_status_reset);
      first.emplace_back(look + r::dma_from_logic_status, r::dma_from_logic_status_reset);
    }
    for (unsigned d : {to, from}) {
      first.emplace_back(ring(d) + r::dma_ring_state, r::dma_ring_state_reset);
      first.emplace_back(ring(d) + r::dma_ring_mask, r::dma_ring_mask_reset);
      first.emplace_back(ring(d) + r::dma_ring_attributes, r::dma_ring_attributes_reset);
      for (unsigned half : {0U, 1U}) {
        if (half == 1 && ADDR_W == 32) continue;
        held.emplace_back(ring(d) + r::dma_ring_descriptors(half), ~0U);
        held.emplace_back(ring(d) + r::dma_ring_statuses(half), ~0U);
      }
      held.emplace_back(ring(d) + r::dma_ring_mask, r::dma_ring_mask_mask);
      held.emplace_back(ring(d) + r::dma_ring_tail, r::dma_ring_tail_count);
      held.emplace_back(ring(d) + r::dma_ring_patience, r::dma_ring_patience_cycles);
      held.emplace_back(ring(d) + r::dma_ring_attributes, attributes);
      held.emplace_back(ring(d) + r::dma_ring_coalesce, ~0U);
      held.emplace_back(ring(d) + r::dma_ring_control, r::dma_ring_control_cyclic);
    }
    held.emplace_back(ring(from) + r::dma_ring_timeout, r::dma_ring_timeout_ticks);
    if (ADDR_W > 32)
      for (unsigned offset : {r::dma_to_logic_address_high, r::dma_from_logic_address_high})
        held.emplace_back(offset, ~0U);
    for (unsigned at = 0; at < r::card_node_page_bytes; at += 4) {
      // Results that are none; counts of waits.
      const bool rings = at / r::dma_look_bytes == r::dma_to_logic_ring / r::dma_look_bytes;
      const bool looked_at = at < r::dma_look + r::dma_look_bytes && !rings;
      const unsigned old = looked_at ? at % r::dma_look_bytes : 0;
      if ((old >= r::dma_to_logic_result && old <= r::dma_to_logic_result_high) ||
          (old >= r::dma_from_logic_result && old <= r::dma_from_logic_result_error))
        continue;
      bool counts = false;
      for (unsigned d : {to, from})
        for (unsigned k : {2U, 3U}) counts |= at == ring(d) + r::dma_ring_counters(k);
      if (counts) continue;
      const auto known = std::find_if(first.begin(), first.end(),
                                      [at](const auto& one) { return one.first == at; });
      demand(read(at) == (known == first.end() ? 0 : known->second), "what reset leaves");
    }
    for (auto& [offset, bits] : held) {
      const std::uint32_t bits_before = bits;
      bits &= static_cast<std::uint32_t>(random_());
      // Bits that are not there stay so; to enable a ring is no matter of this.
      write(offset, bits_before == r::dma_ring_control_cyclic ? bits : bits | ~bits_before);
    }
    for (const auto& [offset, value] : held)
      demand(read(offset) == value, "a register that does not hold what was written");
    for (const auto& [offset, value] : held) write(offset, 0);
    for (unsigned d : {to, from}) attributes_[d] = 0;
    // Any bit can be armed, and disarmed by itself.
    std::uint32_t armed = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const auto set = static_cast<std::uint32_t>(random_());
      const auto clear = static_cast<std::uint32_t>(random_());
      write(r::dma_irq_set, set);
      demand(read(r::dma_irq_mask) == (armed |= set), "what is armed");
      write(r::dma_irq_clear, clear);
      demand(read(r::dma_irq_mask) == (armed &= ~clear), "what is disarmed");
    }
    write(r::dma_irq_clear, ~0U);
  }

  static std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
  static std::uint32_t high(std::uint64_t value) { return low(value >> 32U); }
  // log2 of the longest ring, bits of a length, log2 of the bus in bytes, layout, address bits,
  // rings
  static constexpr std::uint32_t capabilities =
      r::put(r::dma_capabilities_ring_log2, 16) | r::put(r::dma_capabilities_length_bits, LEN_W) |
      r::put(r::dma_capabilities_bus_log2, std::bit_width(DATA_W / 8U - 1U)) |
      r::put(r::dma_capabilities_layout, REALIGN ? 2 : 1) |
      r::put(r::dma_capabilities_address_bits, ADDR_W) | r::put(r::dma_capabilities_rings, 1);
  /// What is kept of the attributes, and what of them has an effect.
  static constexpr std::uint32_t marks = r::dma_ring_attributes_cache |
                                         r::dma_ring_attributes_prot | r::dma_ring_attributes_user,
                                 attributes = marks | r::dma_ring_attributes_spare;
  /// The bit of an interrupt.
  static constexpr std::uint32_t result_irq[2] = {r::dma_irq_to_logic_result,
                                                  r::dma_irq_from_logic_result};
  static constexpr std::uint32_t ring_irq[2] = {r::dma_irq_to_logic_ring,
                                                r::dma_irq_from_logic_ring};
  static constexpr std::uint32_t fault_irq[2] = {r::dma_irq_to_logic_fault,
                                                 r::dma_irq_from_logic_fault};
  static constexpr std::uint32_t reset_irq[2] = {r::dma_irq_to_logic_reset,
                                                 r::dma_irq_from_logic_reset};
  static unsigned control(unsigned d) {
    return d == to ? r::dma_to_logic_control : r::dma_from_logic_control;
  }
  std::uint32_t status(unsigned d) {
    const std::uint32_t value = read(d == to ? r::dma_to_logic_status : r::dma_from_logic_status);
    demand(results(value) <= 8 && r::get(r::dma_status_free, value) <= 8, "more than eight");
    demand((value & r::dma_status_idle) == 0 || r::get(r::dma_status_free, value) == 8,
           "idle with a command");
    return value;
  }
  static unsigned results(std::uint32_t status) { return r::get(r::dma_status_results, status); }
  static unsigned ring(unsigned d) {
    return d == to ? r::dma_to_logic_ring : r::dma_from_logic_ring;
  }

  // ---- chance ----------------------------------------------------------------------------------

  bool chance(double p) { return p > 0 && unit_(random_) < p; }
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

  /// What is added to multiples of 4 where any byte will do.
  unsigned odd() { return REALIGN && chance(0.8) ? below(4) : 0; }

  /// Short ones mostly, around the limits of beats, bursts and pages often, long ones at times.
  unsigned length() {
    constexpr unsigned edges[] = {4, 8, 16, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
    switch (below(4)) {
      case 0:
        return 4 * (1 + below(16));
      case 1:
        return std::max(4U, edges[below(11)] + 4 * below(3) - 4);
      case 2:
        return 4 * (1 + below(512));
      default:
        return chance(0.05) ? 4 * (1 + below(13000)) : 4 * (1 + below(100));
    }
  }
  /// Offsets that begin anywhere, before a 4 KiB boundary more often than chance has it.
  unsigned offset() { return chance(0.3) ? 0x1000 - 4 * (1 + below(40)) : 4 * below(2048); }

  // ---- the reference ---------------------------------------------------------------------------

  /// The stream from logic: the signal changes now and then, sometimes with every word.
  static Word word(std::uint64_t index) {
    const std::uint64_t run = index >> 12U;
    const unsigned kind = mixed(run) % 16;
    const std::uint64_t part = kind == 0   ? index
                               : kind == 1 ? index / 7
                               : kind < 4  ? index / 100
                                           : run;
    return {mixed(index ^ 0x5555'0000'0000ULL), signal(mixed(part))};
  }

  /// Often the same as the one before, else one bit of it is another.
  static std::uint16_t signal(std::uint32_t chance) {
    return static_cast<std::uint16_t>(0x3A5CU ^ (chance & 1U) << (chance >> 1U & 15U));
  }

  void put(std::uint64_t address, std::uint32_t value) {
    std::memcpy(&memory_.bytes[address - base], &value, 4);
  }
  [[nodiscard]] std::uint32_t get(std::uint64_t address) const {
    std::uint32_t value = 0;
    std::memcpy(&value, &memory_.bytes[address - base], 4);
    return value;
  }
  void allow(std::uint64_t address, std::uint64_t bytes, bool on) {
    const auto first = memory_.writable.begin() + static_cast<std::ptrdiff_t>(address - base);
    std::fill(first, first + static_cast<std::ptrdiff_t>(bytes), on);
  }
  /// Up to four bytes of memory, which a frame's last word has.
  [[nodiscard]] std::uint32_t part(std::uint64_t address, unsigned bytes) const {
    std::uint32_t value = 0;
    std::memcpy(&value, &memory_.bytes[address - base], std::min(bytes, 4U));
    return value;
  }
  [[nodiscard]] bool bad(std::uint64_t address) const {
    return address >= bad_first_ && address < bad_last_;
  }
  /// The error that a frame of these bytes has.
  [[nodiscard]] unsigned error(std::uint64_t address, unsigned bytes) const {
    const std::uint64_t first = address & ~std::uint64_t{DATA_W / 8 - 1};
    return first < bad_last_ && address + bytes > bad_first_ ? bad_error_ : 0;
  }

  Frame frame(unsigned d) {
    Frame made{0, length() - odd(), static_cast<std::uint16_t>(random_())};
    if (d == to) {
      made.address = source_at + below(source_bytes - slot_bytes * 2) / 4 * 4;
      if (chance(0.3)) made.address = (made.address & ~std::uint64_t{0xFFF}) + offset();
      made.address += odd();
      for (unsigned i = 0; i < made.bytes; i += 4) {
        expected_.push_back({part(made.address + i, made.bytes - i), made.user});
        expected_at_.push_back(made.address + i);
      }
    } else {
      made.address = target_at + next_slot_++ % slots * slot_bytes + offset() + odd();
      if (made.bytes < slot_bytes / 4) made.address += below(2) * (slot_bytes / 2);
      allow(made.address, made.bytes, true);
    }
    return made;
  }

  /// A frame from logic is in memory: its length follows from the words that were there.
  void check_from(const Frame& made, unsigned bytes, unsigned user, unsigned error,
                  bool may_be_cut) {
    demand(bytes > 0 && bytes <= made.bytes && (bytes % 4 == 0 || bytes == made.bytes),
           "a length that cannot be");
    unsigned expected = 0;
    const Word first = word(framed_);
    while (expected < made.bytes && word(framed_ + expected / 4).user == first.user) expected += 4;
    expected = std::min(expected, made.bytes);
    demand(bytes == expected || (may_be_cut && bytes < expected), "a wrong length from logic");
    demand(user == first.user, "a wrong signal from logic");
    // A burst that was announced longer than its frame goes on, and what it meets is its error.
    constexpr unsigned block = BURST * DATA_W / 8;
    const std::uint64_t whole = (made.address + bytes + block - 1) / block * block - made.address;
    const unsigned touched =
        CUT_THROUGH ? static_cast<unsigned>(std::min<std::uint64_t>(whole, made.bytes)) : bytes;
    demand(error == this->error(made.address, touched), "an error that was not, or was not told");
    for (unsigned i = 0; i < bytes; i += 4) {
      const std::uint32_t kept = bytes - i < 4 ? (1U << 8 * (bytes - i)) - 1 : ~0U;
      demand(part(made.address + i, bytes - i) == (word(framed_ + i / 4).data & kept),
             "a wrong word in memory");
    }
    framed_ += (bytes + 3) / 4;
    allow(made.address, made.bytes, false);
  }

  /// Registers come up with anything in them, where the simulator can tell.
  struct Context : VerilatedContext {
    Context() { randReset(2); }
  };
  Context context_;
  Vtop top_{&context_};
  AxiMemory memory_;
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> unit_{0, 1};
  const double stream_stall_;
  double pause_;  // of the source
  const std::uint64_t base;
  const std::uint64_t descriptors_at[2] = {base + 0x1'0000, base + 0x2'0000};
  const std::uint64_t statuses_at[2] = {base + 0x3'0000, base + 0x4'0000};
  const std::uint64_t source_at = base + 0x10'0000, target_at = base + 0x80'0000;
  std::uint64_t beats_ = 0, moved_ = 0;  // on the bus so far, and when the last one was
  std::deque<Word> expected_;            // by the sink
  std::deque<std::uint64_t> expected_at_;
  unsigned offered_ = 0;      // words in the beat on offer
  std::uint64_t taken_ = 0;   // words that the node has had
  std::uint64_t framed_ = 0;  // words accounted for by results
  std::uint64_t bad_first_ = 0, bad_last_ = 0;
  unsigned bad_error_ = 0;
  std::uint32_t attributes_[2] = {3, 3};
  std::uint32_t counts_[2][3] = {}, counted_ = 0;
  unsigned next_slot_ = 0;
  bool took_ = false, done_ = false, refused_ = false, blocked_ = false, cut_ = false;
  std::uint32_t rdata_ = 0;
};

}  // namespace weighbridge::cosim
