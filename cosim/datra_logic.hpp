// SPDX-License-Identifier: Apache-2.0
//
// The Verilated reference configuration between a processor's accesses and a guest's memory.
//
// When nothing moves, cycles need not be simulated: rest() tells for how many nothing will, and
// skip() lets them pass: what counts cycles is set. Nothing moves: no access, no burst, no word
// from node to node for some cycles, and no status waits. What may still be due are the coalescers
// of interrupts, the end of a partial frame, and the hold-off of the interrupt.
//
// A cycle is one of nodes and router. Built with ASYNC=1 the ports are in the bus's clock, of any
// ratio: its edges are at multiples of its period, and fall on the nodes' edge that is next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "Vtop.h"
#include "Vtop___024root.h"
#include "guest_port.hpp"
#include "register_port.hpp"
#include "verilated.h"

namespace weighbridge::cosim {

struct Stuck : std::runtime_error {
  using std::runtime_error::runtime_error;
};

#ifndef ASYNC
#define ASYNC 0
#endif

class DatraLogic {
 public:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  /// After a multiple of so many skipped cycles every register is as if they had been simulated:
  /// the router looks at its 17 sources in turn.
  static constexpr std::uint64_t exact = 17;

  static constexpr bool two_clocks = ASYNC != 0;

  /// period, bus_period: of the nodes' clock and of the ports', which are one without ASYNC.
  DatraLogic(const GuestMemory& memory, const GuestPortOptions& options, TwinMemory* twin,
             std::uint64_t watchdog, std::uint64_t period, std::uint64_t bus_period)
      : port(memory, options, twin),
        watchdog_(watchdog),
        period_(period),
        bus_period_(two_clocks ? bus_period : period) {
    top_.rst = top_.axi_rst = 1;
    for (int i = 0; i < (two_clocks ? 64 : 4); ++i) cycle(false);
    top_.rst = top_.axi_rst = 0;
    cycles = bus_cycles = 0;
  }

  /// One cycle; true if the logic interrupts. `master`: it may use the bus.
  bool cycle(bool master) {
    const std::uint64_t due = bus_edges(cycles + 1);
    bool interrupts = false;
    while (bus_cycles + 1 < due) interrupts |= edge(master, true, false);
    interrupts |= edge(master, bus_cycles < due, true);
    ++cycles;
    if (registers.stalled() > watchdog_) throw Stuck("stuck: " + registers.stuck());
    if (port.stalled() > watchdog_) throw Stuck("stuck: " + port.stuck(top_));
    return interrupts;
  }

  /// Whether the next cycles have to be simulated.
  [[nodiscard]] bool active() const { return rest() == 0; }

  /// Cycles in which nothing happens, a multiple of 64; never, if nothing will.
  [[nodiscard]] std::uint64_t rest() const {
    return quiet_ < settle_ || registers.busy() || bursts() ? 0 : until_due();
  }

  /// No node's interrupt has been cleared since the last was raised: the next one waits, so that
  /// the processor can do something else first.
  [[nodiscard]] bool held_off() const {
    return top_.rootp->datra__DOT__fabric__DOT__control__DOT__hold_reg != 0;
  }

  /// Lets cycles pass in which nothing happens, at most rest().
  void skip(std::uint64_t count) {
    if (count == 0 || count == never) return;
    // There is one in every cycle in which the low bits of the time are 0.
    const std::uint64_t phase = now_ & 63U, ticks = (phase + count + 63) / 64 - (phase + 63) / 64;
    Vtop___024root& root = *top_.rootp;
    root.datra__DOT__fabric__DOT__control__DOT__cycles_reg += count;
    auto& hold = root.datra__DOT__fabric__DOT__control__DOT__hold_reg;
    if (hold != 0) hold -= count;
    now_ = (now_ + count) & 0xFFFFFU;
    for (const Coalescer& one : coalescers_)
      if (one.untold != 0) one.age = std::min<std::uint64_t>(one.age + ticks, 0xFFFF);
    if (partial_ != 0) waited_ = std::min<std::uint64_t>(waited_ + ticks, 0xFFFF);
    for (const Counter& one : counters_)
      if (one.counts != 0) one.value = std::min<std::uint64_t>(one.value + count, 0xFFFF'FFFF);
    cycles += count;
    skipped += count;
    bus_cycles = bus_edges(cycles);
  }

  RegisterPort registers;
  GuestPort port;
  std::uint64_t cycles = 0, skipped = 0;
  std::uint64_t bus_cycles = 0;  ///< of the ports

 private:
  /// The longest way of a word, or of a decision, through registers that are not looked at; and
  /// that of a node that takes part or no longer does, which the router finds in its rounds.
  static constexpr unsigned settle = two_clocks ? 48 : 24, settle_router = two_clocks ? 128 : 96;
  /// Ticks of 64 cycles before something is due, to be simulated.
  static constexpr std::uint64_t margin = 2;

  struct Coalescer {
    const SData& untold;
    const CData& tell;
    SData& age;
    unsigned shift;
  };
  struct Counter {
    const CData& counts;
    IData& value;
  };

  /// An edge of the ports' clock, of the nodes', or of both.
  bool edge(bool master, bool bus, bool nodes) {
    if (nodes) top_.clk = 0;
    if (bus) {
      top_.axi_clk = 0;
      registers.drive(top_);
      port.drive(top_, bus_cycles);
    }
    top_.eval();
    if (bus) {
      registers.sample(top_);
      port.sample(top_, master);
    }
    const bool interrupts = bus && top_.irq_pulse;
    if (nodes) look(), top_.clk = 1;
    if (bus) top_.axi_clk = 1, ++bus_cycles;
    top_.eval();
    return interrupts;
  }

  /// The bus's edges up to the end of so many cycles.
  [[nodiscard]] std::uint64_t bus_edges(std::uint64_t count) const {
    return two_clocks ? count * period_ / bus_period_ : count;
  }

  /// Cycles for which nothing is due, a multiple of 64; 0 close to it.
  [[nodiscard]] std::uint64_t until_due() const {
    std::uint64_t cycles = never;
    const auto due = [&cycles](std::uint64_t ticks) {
      cycles = std::min(cycles, ticks < margin ? 0 : (ticks - margin) * 64);
    };
    const Vtop___024root& root = *top_.rootp;
    const unsigned hold = root.datra__DOT__fabric__DOT__control__DOT__hold_reg;
    if (hold != 0) due(hold / 64);
    for (const Coalescer& one : coalescers_)
      if (one.untold != 0 && one.tell == 0) {
        const unsigned patience = patience_ >> one.shift & 0xFFFFU;
        due(patience > one.age ? patience - one.age : 0);
      }
    if (partial_ != 0 && timeout_ != 0) due(timeout_ > waited_ ? timeout_ - waited_ : 0);
    return cycles;
  }

  /// What stands still in a frozen memory moves again as soon as that does.
  [[nodiscard]] bool bursts() const { return port.busy() && !port.frozen; }

  void look() {
    const Vtop___024root& root = *top_.rootp;
    const bool moves = registers.busy() || bursts() || top_.irq_pulse ||
                       (root.datra__DOT__out_valid & root.datra__DOT__out_ready) != 0 ||
                       (root.datra__DOT__in_valid & root.datra__DOT__in_ready) != 0 ||
                       to_statuses_ != 0 || from_statuses_ != 0 || test_pauses() ||
                       until_due() == 0;
    quiet_ = moves ? 0 : quiet_ + 1;
    const unsigned enabled = root.datra__DOT__fabric__DOT__control__DOT__enable_reg;
    if (enabled != enabled_)
      settle_ = settle_router;
    else if (quiet_ >= settle_)
      settle_ = settle;
    enabled_ = enabled;
  }

  [[nodiscard]] bool test_pauses() const {
    const Vtop___024root& root = *top_.rootp;
    return root.datra__DOT__test__DOT__enable_reg != 0 &&
           (root.datra__DOT__test__DOT__lane__BRA__0__KET____DOT__pausing_reg |
            root.datra__DOT__test__DOT__lane__BRA__1__KET____DOT__pausing_reg |
            root.datra__DOT__test__DOT__lane__BRA__2__KET____DOT__pausing_reg |
            root.datra__DOT__test__DOT__lane__BRA__3__KET____DOT__pausing_reg) != 0;
  }

  VerilatedContext context_;
  Vtop top_{&context_};
  std::uint64_t watchdog_, period_, bus_period_;
  unsigned quiet_ = 0, settle_ = settle_router, enabled_ = 0;

#define DMA_NODE(name) \
  top_.rootp->datra__DOT__dma__BRA__0__KET____DOT__place__DOT__node__DOT__##name
#define DMA_PAGE(name) DMA_NODE(page__DOT__##name)
#define COALESCER(side, shift)                                       \
  {DMA_NODE(queues__BRA__##side##__KET____DOT__teller__DOT__untold), \
   DMA_NODE(queues__BRA__##side##__KET____DOT__teller__DOT__tell),   \
   DMA_NODE(queues__BRA__##side##__KET____DOT__teller__DOT__age_reg), shift}
#define COUNTER(side, which)                                                                        \
  {DMA_NODE(                                                                                        \
       counters__BRA__##side##__KET____DOT__each__BRA__##which##__KET____DOT__counter__DOT__count), \
   DMA_NODE(                                                                                        \
       counters__BRA__##side##__KET____DOT__each__BRA__##which##__KET____DOT__counter__DOT__value_reg)}
#define STATUSES(side) \
  DMA_NODE(core__DOT__direction__BRA__##side##__KET____DOT__ring__DOT__statuses__DOT__queued_reg)
  const Coalescer coalescers_[2] = {COALESCER(0, 0), COALESCER(1, 16)};
  const Counter counters_[4] = {COUNTER(0, 2), COUNTER(0, 3), COUNTER(1, 2), COUNTER(1, 3)};
  const IData& patience_ = DMA_PAGE(ticks_reg);
  const SData& timeout_ = DMA_PAGE(timeout_reg);
  const CData& partial_ = DMA_PAGE(partial);
  SData& waited_ = DMA_PAGE(quiet_reg);
  IData& now_ = DMA_PAGE(now_reg);
  const CData& to_statuses_ = STATUSES(0);
  const CData& from_statuses_ = STATUSES(1);
#undef DMA_NODE
#undef DMA_PAGE
#undef COALESCER
#undef COUNTER
#undef STATUSES
};

}  // namespace weighbridge::cosim
