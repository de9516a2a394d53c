// SPDX-License-Identifier: Apache-2.0
//
// The DMA node against a reference, at random: queues and rings, any word address and length,
// signals that change anywhere, stalls on every channel, error responses, partial frames ended by
// hand, resets of one direction while the other runs. Nothing may be lost, doubled, reordered or
// written beside.
#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "Vtop.h"
#include "axi_memory.hpp"
#include "datra_registers.hpp"

#ifndef ADDR_W
#define ADDR_W 32
#endif
#ifndef LEN_W
#define LEN_W 24
#endif

#ifndef REALIGN
#define REALIGN 0
#endif
#ifndef CUT_THROUGH
#define CUT_THROUGH 0
#endif

using namespace weighbridge::cosim;

namespace r = datra_registers;

namespace {

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
void demand(bool holds, std::string_view what) {
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

/// What software knows of one direction.
struct Side {
  bool ring = false, aborted = false;
  unsigned entries = 16, posted = 0, harvested = 0;
  unsigned told = 0;         // statuses when the last interrupt was acknowledged, at least
  std::deque<Frame> frames;  // begun by software, not yet harvested
  std::uint64_t count = 0, bytes = 0, errors = 0, resets = 0, faults = 0, interrupts = 0,
                cycles = 0;
  unsigned since = 0, failed = 0;  // frames and errors since the node's counters were cleared
};

class Soak {
 public:
  Soak(const MemoryOptions& options, double stream_stall)
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
  ~Soak() { context_.coveragep()->write(); }
#endif

  void run(std::uint64_t beats) {
    while (memory_.read_beats + memory_.write_beats < beats) step();
    for (unsigned d : {to, from}) drain(d);
  }

  void print() const {
    std::printf("{\"cycles\": %" PRIu64 ", \"read_beats\": %" PRIu64 ", \"write_beats\": %" PRIu64,
                memory_.cycle, memory_.read_beats, memory_.write_beats);
    for (unsigned d : {to, from})
      std::printf(", \"%s\": {\"frames\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"errors\": %" PRIu64
                  ", \"resets\": %" PRIu64 ", \"faults\": %" PRIu64 ", \"interrupts\": %" PRIu64
                  "}",
                  d == to ? "cpu_to_fpga" : "fpga_to_cpu", sides_[d].count, sides_[d].bytes,
                  sides_[d].errors, sides_[d].resets, sides_[d].faults, sides_[d].interrupts);
    std::printf("}\n");
    std::fflush(stdout);  // an hour of it goes to a pipe or a file
  }

 private:
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
    if (!top_.s_valid) top_.s_valid = top_.rst == 0 && !chance(pause_);
    const Word next = word(taken_);
    top_.s_data = next.data;
    top_.s_user = next.user;
    top_.eval();
    if (!top_.rst) {
      watch_bus();
      watch_counters();
    }
    if (!top_.rst && top_.m_valid && top_.m_ready) {
      demand(!expected_.empty(), "a word to logic that nobody sent");
      const Word got{top_.m_data, static_cast<std::uint16_t>(top_.m_user)};
      demand(expected_.front().data == got.data || bad(expected_at_.front()),
             "a wrong word to logic");
      demand(expected_.front().user == got.user, "a wrong signal to logic");
      expected_.pop_front();
      expected_at_.pop_front();
    }
    if (top_.s_valid && top_.s_ready && !top_.rst) {
      ++taken_;
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
    constexpr unsigned block = 16 * DATA_W / 8;
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

  // ---- software --------------------------------------------------------------------------------

  void step() {
    const unsigned d = below(2);
    Side& side = sides_[d];
    switch (below(16)) {
      case 0:
        if (chance(0.1)) reset(d);
        break;
      case 1:
        if (chance(0.1)) change_mode(d);
        break;
      case 2:
        if (d == from && chance(0.2)) {
          write(ring(from) + r::dma_ring_cut, 1);
          cut_ = true;
        }
        break;
      case 3:
        if (chance(0.01)) blocked_ = !blocked_;
        break;
      case 4:
      case 5:
      case 6:
      case 7:
      case 8:
        post(d);
        break;
      default:
        harvest(d);
    }
    if (blocked_ && side.frames.size() >= 8) blocked_ = false;
    for (unsigned i = below(40); i > 0; --i) tick();
  }

  void post_one(unsigned d) {
    Side& side = sides_[d];
    const Frame made = frame(d);
    const std::uint64_t at = descriptors_at[d] + side.posted++ % side.entries * 16;
    put(at + r::ring_descriptor_address(0), low(made.address));
    put(at + r::ring_descriptor_address(1), high(made.address));
    put(at + r::ring_descriptor_bytes, made.bytes);
    put(at + r::ring_descriptor_user_signal, made.user | 0xABCD0000U);
    side.frames.push_back(made);
    side.frames.back().since = memory_.cycle;
  }

  void post(unsigned d) {
    Side& side = sides_[d];
    if (side.ring) {
      unsigned room = side.entries - static_cast<unsigned>(side.frames.size());
      room = std::min(room, slots - static_cast<unsigned>(side.frames.size()));
      for (unsigned n = std::min(room, 1 + below(12)); n > 0; --n) {
        post_one(d);
      }
      write(ring(d) + r::dma_ring_tail, side.posted & 0xFFFFU);
      return;
    }
    const unsigned free = r::get(r::dma_status_free, status(d));
    if (free == 0) return;
    const Frame made = frame(d);
    side.frames.push_back(made);
    side.frames.back().since = memory_.cycle;
    if (d == to) write(r::dma_to_logic_signal, made.user);
    if (d == to)
      address(r::dma_to_logic_address, r::dma_to_logic_address_high, made.address);
    else
      address(r::dma_from_logic_address, r::dma_from_logic_address_high, made.address);
    // Part of a word counts as one, and so does nothing.
    constexpr unsigned unit = REALIGN ? 1 : 4;
    write(d == to ? r::dma_to_logic_bytes : r::dma_from_logic_bytes,
          made.bytes - below(made.bytes == unit ? unit + 1 : unit));
  }

  /// Bytes, by the first word of a status.
  static unsigned length_of(std::uint32_t status) {
    const unsigned rest = REALIGN ? r::get(r::ring_status_of_bytes_frame_byte_0, status) +
                                        2 * r::get(r::ring_status_of_bytes_frame_byte_1, status)
                                  : 0;
    return r::get(r::ring_status_frame_words, status) * 4 + rest;
  }

  void harvest(unsigned d) {
    Side& side = sides_[d];
    if (chance(0.1)) compare_counters(d, false);
    if (side.ring) {
      const unsigned written = read(ring(d) + r::dma_ring_written);
      while ((side.harvested & 0xFFFFU) != written) {
        demand(!side.frames.empty(), "a status that nobody waits for");
        const std::uint64_t at = statuses_at[d] + side.harvested % side.entries * 8;
        const std::uint32_t first = get(at + r::ring_status_frame);
        const std::uint32_t second = get(at + r::ring_status_tag);
        // Byte lengths take a bit of the number, and one that is else zero.
        demand(REALIGN
                   ? r::get(r::ring_status_of_bytes_frame_sequence, first) == (side.harvested & 15U)
                   : r::get(r::ring_status_frame_sequence, first) == (side.harvested & 31U) &&
                         (first & r::ring_status_of_bytes_frame_byte_0) == 0,
               "a wrong number");
        demand((first & r::ring_status_frame_end_of_block) != 0,
               "a frame that does not end its block");
        demand(r::get(r::ring_status_frame_round, first) == (side.harvested / side.entries & 1U),
               "a wrong round");
        // Stamped, in ticks of 16 cycles, after it was asked for and before now.
        const std::uint64_t asked = side.frames.front().since, past = memory_.cycle - asked;
        const std::uint32_t stamp = r::get(r::ring_status_tag_stamp, second);
        demand(past > 0xFFFF0 || (memory_.cycle / 16 - stamp & 0xFFFFU) <= past / 16 + 1,
               "a wrong time");
        finish(d, length_of(first), r::get(r::ring_status_tag_user_signal, second),
               r::get(r::ring_status_frame_error, first));
        ++side.harvested;
      }
      return;
    }
    // A write takes no result: one that is read below would be missing.
    if (chance(0.1)) write(d == to ? r::dma_to_logic_result : r::dma_from_logic_result_bytes, 0);
    for (unsigned n = results(status(d)); n > 0; --n) {
      demand(!side.frames.empty(), "a result that nobody waits for");
      const Frame& made = side.frames.front();
      if (d == to) {
        const unsigned bytes = read(r::dma_to_logic_result_bytes),
                       error = read(r::dma_look + r::dma_to_logic_result_error);
        demand(read(r::dma_look + r::dma_to_logic_result) == low(made.address) &&
                   read(r::dma_look + r::dma_to_logic_result_high) == high(made.address),
               "looking pops");
        demand(read(r::dma_to_logic_result) == low(made.address) &&
                   read(r::dma_to_logic_result_high) == high(made.address),
               "a wrong address of a result");
        finish(d, bytes, made.user, error);
      } else {
        const unsigned error = read(r::dma_from_logic_result_error),
                       user = read(r::dma_from_logic_result_signal);
        demand(read(r::dma_from_logic_result) == low(made.address) &&
                   read(r::dma_from_logic_result_high) == high(made.address),
               "a wrong address of a result");
        constexpr unsigned look = r::dma_look + r::dma_from_logic_result_bytes;
        demand(read(look) == read(look), "looking pops");
        finish(d, read(r::dma_from_logic_result_bytes), user, error);
      }
    }
  }

  void finish(unsigned d, unsigned bytes, unsigned user, unsigned error) {
    Side& side = sides_[d];
    const Frame made = side.frames.front();
    side.frames.pop_front();
    if (d == to) {
      demand(bytes == made.bytes, "a wrong length to logic");
      demand(user == made.user, "a wrong signal of a status to logic");
      demand(error == this->error(made.address, bytes), "an error to logic, or none");
    } else {
      check_from(made, bytes, user, error, cut_);
    }
    ++side.count;
    ++side.since;
    side.bytes += bytes;
    side.errors += error != 0;
    side.failed += error != 0;
  }

  /// Arms the interrupt of a direction, as a driver does before it sleeps, and waits for it.
  void wait(unsigned d) {
    const std::uint32_t bit = sides_[d].ring ? ring_irq[d] : result_irq[d];
    write(r::dma_irq_set, bit);
    for (unsigned i = 0; !top_.irq; ++i) {
      demand(i < 400000, "an interrupt that does not come");
      tick();
      // Once nothing is left to wait for it comes at once.
      if (!sides_[d].ring || i % 64 != 63) continue;
      if (read(ring(d) + r::dma_ring_written) != (sides_[d].posted & 0xFFFFU)) continue;
      for (unsigned k = 0; k < 4 && !top_.irq; ++k) tick();
      demand(top_.irq, "an interrupt of a drained ring that waits");
    }
    demand((read(r::dma_irq_status) & bit) != 0 && (read(r::dma_irq_mask) & bit) != 0,
           "another interrupt");
    if (sides_[d].ring) {
      const unsigned written = read(ring(d) + r::dma_ring_written);
      demand(written != sides_[d].told, "an interrupt without a status");
      sides_[d].told = written;
    } else {
      demand(results(status(d)) != 0, "an interrupt without a result");
    }
    write(r::dma_irq_clear, bit);
    demand((read(r::dma_irq_mask) & bit) == 0, "an interrupt that stays armed");
    ++sides_[d].interrupts;
  }

  /// Until everything that was begun is finished; frames from logic come as words come.
  void drain(unsigned d) {
    blocked_ = false;
    for (unsigned i = 0; !sides_[d].frames.empty(); ++i) {
      demand(i < 100000, "it does not finish");
      wait(d);
      harvest(d);
    }
    if (d == to) demand(expected_.empty(), "a result before the last word was taken");
  }

  void change_mode(unsigned d) {
    drain(d);
    Side& side = sides_[d];
    for (unsigned i = 0; (status(d) & r::dma_status_idle) == 0; ++i)
      demand(i < 1000, "it does not come to rest");
    demand(read(ring(d) + r::dma_ring_counters(0)) == side.since &&
               read(ring(d) + r::dma_ring_counters(4)) == side.failed,
           "the node counts otherwise");
    demand(read(ring(d) + r::dma_ring_state) == r::dma_ring_state_idle,
           "a ring at rest that is not");
    compare_counters(d, true);
    if (d == from && !side.ring && chance(0.7)) time_out();
    forget(d);
    set(ring(d) + r::dma_ring_control, 0);
    allow(statuses_at[d], 8 * 4096, false);
    attributes_[d] = below(attributes + 1);
    set(ring(d) + r::dma_ring_attributes, attributes_[d]);
    if (d == from) {
      cut_ = chance(0.3);
      set(ring(from) + r::dma_ring_timeout, cut_ ? 1 + below(4) : 0);
    }
    if (side.ring ^= true) {
      side.entries = 16U << below(chance(0.2) ? 9 : 5);
      address(ring(d) + r::dma_ring_descriptors(0), ring(d) + r::dma_ring_descriptors(1),
              descriptors_at[d]);
      address(ring(d) + r::dma_ring_statuses(0), ring(d) + r::dma_ring_statuses(1), statuses_at[d]);
      set(ring(d) + r::dma_ring_mask, side.entries - 1);
      set(ring(d) + r::dma_ring_tail, 0);
      set(ring(d) + r::dma_ring_patience, chance(0.5) ? 0 : below(300));
      set(ring(d) + r::dma_ring_coalesce, r::put(r::dma_ring_coalesce_frames, below(40)) |
                                              r::put(r::dma_ring_coalesce_ticks, below(100)));
      allow(statuses_at[d], 8 * side.entries, true);
      side.posted = side.harvested = side.told = 0;
      set(ring(d), 1);
      if (chance(0.2))
        break_ring(d);
      else if (chance(0.2))
        go_round(d);
    }
    if (chance(0.3)) {
      // Errors somewhere in what is read or written, from when nothing is on its way.
      for (unsigned other : {to, from}) drain(other);
      bad_first_ = chance(0.5) ? source_at + below(source_bytes) / 64 * 64
                               : target_at + std::uint64_t{below(slots)} * slot_bytes + 0x1000;
      bad_last_ = bad_first_ + (chance(0.5) ? 0x40 : 0x40000);
      bad_error_ = 2 + below(2);
      memory_.fail(bad_first_, bad_last_, bad_error_);
    }
  }

  /// Some words of a frame, and no more: after its time without one it ends, with all of them.
  void time_out() {
    constexpr unsigned most = 64;
    const std::uint64_t first = framed_;
    for (unsigned i = 1; i < 2 * most; ++i)
      if (word(first + i).user != word(first).user) return;
    const std::uint32_t ticks = 2 + below(20);
    set(ring(from) + r::dma_ring_timeout, ticks);
    Frame made{target_at + next_slot_++ % slots * slot_bytes + offset(), 16 * most, 0};
    allow(made.address, made.bytes, true);
    sides_[from].frames.push_back(made);
    address(r::dma_from_logic_address, r::dma_from_logic_address_high, made.address);
    write(r::dma_from_logic_bytes, made.bytes);
    // One after another: a pause among them would be their end.
    pause_ = 0;
    for (const unsigned some = 1 + below(most); taken_ - first < some;) tick();
    for (pause_ = 1; top_.s_valid;) tick();
    const std::uint64_t last = memory_.cycle;
    while (results(status(from)) == 0) demand(memory_.cycle - last < 30000, "a frame that stays");
    demand(memory_.cycle - last + 8 >= (ticks - 1) * 64, "a frame that ends too soon");
    cut_ = true;
    harvest(from);
    demand(framed_ == taken_, "a word behind the end of a partial frame");
    pause_ = stream_stall_;
  }

  void forget(unsigned d) {
    write(ring(d) + r::dma_ring_counters(below(5)), 0);
    for (unsigned i : {0U, 4U})
      demand(read(ring(d) + r::dma_ring_counters(i)) == 0, "a count stays");
    sides_[d].since = sides_[d].failed = 0;
  }

  /// Some frames, then a descriptor that cannot be, or that cannot be read, or a status that cannot
  /// be written: frames before it finish, the ring says so, a reset mends it.
  void break_ring(unsigned d) {
    Side& side = sides_[d];
    // Where lengths are bytes and addresses any, two of them can be.
    const unsigned some = below(6), kind = REALIGN && (some == 1 || some == 2) ? 3 : some;
    const unsigned good = 1 + below(10);
    // The other direction's frames end as they began: with places that fail.
    drain(1 - d);
    memory_.fail(0, 0, 0);
    std::swap(bad_last_, spared_);
    for (unsigned i = 0; i < good; ++i) post_one(d);
    const std::uint64_t at = descriptors_at[d] + side.posted % side.entries * 16;
    Frame made{d == to ? source_at : target_at, 64, 0};
    if (kind == 0) made.bytes = 0;
    if (kind == 1) made.bytes = 66;
    if (kind == 2) made.address += 2;
    if (kind == 3) made.bytes = 1U << LEN_W;
    put(at + r::ring_descriptor_address(0), low(made.address));
    put(at + r::ring_descriptor_address(1), high(made.address));
    put(at + r::ring_descriptor_bytes, made.bytes);
    if (kind == 4) memory_.fail(at & ~std::uint64_t{15}, at + 16, 2);
    if (kind == 5) memory_.fail(statuses_at[d], statuses_at[d] + 4096, 3);
    write(ring(d) + r::dma_ring_tail, (side.posted + (kind < 5)) & 0xFFFFU);
    write(r::dma_irq_set, fault_irq[d]);
    blocked_ = false;
    for (unsigned i = 0; !top_.irq; ++i) {
      demand(i < 400000, "a fault that is not told");
      tick();
    }
    demand((read(r::dma_irq_status) & fault_irq[d]) != 0 &&
               (read(ring(d) + r::dma_ring_state) & r::dma_ring_state_fault) != 0,
           "no fault");
    write(r::dma_irq_clear, fault_irq[d]);
    // An unreadable descriptor spoils those of its burst; all others have their statuses.
    for (unsigned i = 0; kind != 4 && !side.frames.empty(); ++i) {
      demand(i < 400000, "frames before a fault do not finish");
      harvest(d);
    }
    ++side.faults;
    reset(d);
    std::swap(bad_last_, spared_);
    memory_.fail(bad_first_, bad_last_, bad_error_);
  }

  /// Software posts nothing: the ring goes round by itself until it is reset.
  void go_round(unsigned d) {
    Side& side = sides_[d];
    write(ring(d) + r::dma_ring_control, 0);
    side.entries = 16;
    set(ring(d) + r::dma_ring_mask, side.entries - 1);
    std::vector<Frame> frames;
    for (unsigned i = 0; i < side.entries; ++i) {
      post_one(d);
      frames.push_back(side.frames.front());
      side.frames.clear();
    }
    // More rounds than words can leave before somebody looks.
    const std::deque<Word> words = expected_;
    const std::deque<std::uint64_t> places = expected_at_;
    for (unsigned n = 0; d == to && n < 64; ++n) {
      expected_.insert(expected_.end(), words.begin(), words.end());
      expected_at_.insert(expected_at_.end(), places.begin(), places.end());
    }
    blocked_ = false;
    set(ring(d) + r::dma_ring_control, r::dma_ring_control_enable | r::dma_ring_control_cyclic);
    unsigned written = 0;
    for (unsigned i = 0; written < 40; ++i) {
      demand(i < 2000000, "a ring that does not go round");
      written = read(ring(d) + r::dma_ring_written);
    }
    for (unsigned k = written - 8; k < written; ++k) {
      const unsigned bytes = length_of(get(statuses_at[d] + k % side.entries * 8));
      const unsigned asked = frames[k % side.entries].bytes;
      demand(d == to ? bytes == asked : bytes > 0 && bytes <= asked, "a length of a later round");
    }
    for (const Frame& made : frames)
      if (d == from) allow(made.address, made.bytes, true);
    side.frames.assign(frames.begin(), frames.end());
    ++side.cycles;
    reset(d);
  }

  /// One direction is reset in the middle of whatever it does; the other must not notice.
  void reset(unsigned d) {
    Side& side = sides_[d];
    const bool stuck = blocked_;
    write(r::dma_irq_set, reset_irq[d]);
    write(control(d), r::dma_control_reset | (chance(0.5) ? 0 : r::dma_control_run));
    for (unsigned i = 0; (read(r::dma_irq_status) & reset_irq[d]) == 0; ++i)
      demand(i < 5000, "a reset that hangs");
    const std::uint32_t left = status(d);
    demand(results(left) == 0 && r::get(r::dma_status_free, left) == 8,
           "a reset that leaves commands or results");
    write(r::dma_irq_clear, reset_irq[d]);
    write(control(d), r::dma_control_run);
    blocked_ = stuck;
    for (const Frame& made : side.frames)
      if (d == from) allow(made.address, made.bytes, false);
    side.frames.clear();
    side.ring = false;
    forget(d);
    ++side.resets;
    if (d == to) {
      expected_.clear();
      expected_at_.clear();
    } else {
      framed_ = taken_;
      cut_ = read(ring(from) + r::dma_ring_timeout) != 0;
    }
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
  Side sides_[2];
  std::deque<Word> expected_;  // by the sink
  std::deque<std::uint64_t> expected_at_;
  std::uint64_t taken_ = 0;   // words that the node has had
  std::uint64_t framed_ = 0;  // words accounted for by results
  std::uint64_t bad_first_ = 0, bad_last_ = 0, spared_ = 0;
  unsigned bad_error_ = 0;
  std::uint32_t attributes_[2] = {3, 3};
  std::uint32_t counts_[2][3] = {}, counted_ = 0;
  unsigned next_slot_ = 0;
  bool took_ = false, done_ = false, refused_ = false, blocked_ = false, cut_ = false;
  std::uint32_t rdata_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::fprintf(stderr, "usage: %s SEED BEATS ROUND_BEATS [FIRST_ROUND]\n", argv[0]);
    return 2;
  }
  const std::uint64_t seed = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t beats = std::strtoull(argv[2], nullptr, 10);
  const std::uint64_t round = std::strtoull(argv[3], nullptr, 10);
  // Each round is a new system: other latencies, other stalls. One that failed can run alone.
  std::uint64_t k = argc == 5 ? std::strtoull(argv[4], nullptr, 10) : 0;
  for (std::uint64_t done = 0; done < beats; done += round, ++k) {
    std::mt19937_64 random(seed * 1000003 + k);
    const auto pick = [&](std::initializer_list<double> of) {
      return of.begin()[random() % of.size()];
    };
    MemoryOptions options;
    options.bus_bytes = DATA_W / 8;
    options.base = across(ADDR_W > 32 && k % 2 == 0 ? 32 : ADDR_W - 1);
    options.seed = random();
    options.latency = static_cast<unsigned>(pick({1, 3, 20, 60, 150}));
    options.outstanding = static_cast<unsigned>(pick({1, 2, 4, 8, 16}));
    options.stall = pick({0, 0.1, 0.5, 0.9});
    const double stream_stall = pick({0, 0.1, 0.5, 0.9});
    options.data = static_cast<Data>(pick({0, 1, 2, 3}));
    try {
      Soak soak(options, stream_stall);
      soak.run(round);
      soak.print();
    } catch (const std::exception& error) {
      std::fprintf(stderr,
                   "wrong: %s; seed %" PRIu64 ", round %" PRIu64
                   ", latency %u, outstanding %u, stalls %.1f and %.1f\n",
                   error.what(), seed, k, options.latency, options.outstanding, options.stall,
                   stream_stall);
      return 1;
    }
  }
}
