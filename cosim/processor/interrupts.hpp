// SPDX-License-Identifier: GPL-2.0-only
//
// The core's interrupt controller: which interrupt it is asked to take, by what devices raise and
// what the program has allowed. One core, one security state: all interrupts are secure.
// Source: ARM IHI 0048 (GIC, version 1), Cortex-A9 MPCore TRM, chapter 3.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace weighbridge::processor {

class InterruptController {
 public:
  static constexpr unsigned kLines = 160;  // 16 of software, 16 of the core's own, the board's

  // A device holds its line high or lets it go. Numbers that the controller does not have: none.
  void set(unsigned line, bool high);
  // Whether the core is asked to take an interrupt; it does unless it masks them.
  [[nodiscard]] bool raised() const { return raised_; }

  // The interface to the core, and the distributor: offsets from the first register of each.
  // Nothing, or false: not modelled.
  std::optional<std::uint32_t> read_interface(std::uint32_t offset);
  bool write_interface(std::uint32_t offset, std::uint32_t value);
  [[nodiscard]] std::optional<std::uint32_t> read_distributor(std::uint32_t offset) const;
  bool write_distributor(std::uint32_t offset, std::uint32_t value);

 private:
  struct Line {
    bool high = false;     // as the device holds it
    bool latched = false;  // pending whatever the device does
    bool edge = false;     // pending once by each rise
    bool enabled = false;
    bool active = false;
    bool targeted = false;  // at this core
    std::uint8_t priority = 0;
  };

  [[nodiscard]] bool pending(const Line& line) const {
    return line.latched || (line.high && !line.edge);
  }
  // The one to be taken next, if any is.
  [[nodiscard]] std::optional<unsigned> best() const;
  void settle() { raised_ = best().has_value(); }
  std::uint32_t acknowledge();
  bool end(std::uint32_t number);

  std::array<Line, kLines> lines_{};
  std::array<std::uint16_t, kLines> running_{};  // those being served, the innermost last
  std::size_t depth_ = 0;
  bool distributes_ = false;
  bool signals_ = false;
  std::uint8_t mask_ = 0;  // only what is more urgent, a smaller number, comes through
  bool raised_ = false;
};

}  // namespace weighbridge::processor
