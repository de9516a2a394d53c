// SPDX-License-Identifier: GPL-2.0-only
//
// The core's interrupt controller and the part of its system control that belongs to it: which
// exception is pending, which is being served, and which comes next. Faults are not among them: a
// program that would fault is stopped.
// Source: ARM DDI 0403 (ARMv7-M), sections B1.5, B3.2 and B3.4.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "board.hpp"

namespace weighbridge::microcontroller {

class Nvic : public processor::Peripheral {
 public:
  static constexpr unsigned kLines = 163;      // interrupts of the STM32H723 to H735
  static constexpr unsigned kFirst = 16;       // the exception of the first interrupt
  static constexpr unsigned kSupervisor = 11;  // SVC
  static constexpr unsigned kDeferred = 14;    // PendSV
  static constexpr unsigned kTick = 15;        // SysTick
  static constexpr unsigned kIdle = 0x100;     // a priority that everything else precedes

  // Offsets are from the start of the system control space.
  std::optional<std::uint32_t> read(std::uint32_t offset, Time now) override;
  bool write(std::uint32_t offset, std::uint32_t value, Time now) override;
  // Whether a register may be accessed by bytes: those of priorities.
  [[nodiscard]] static bool by_bytes(std::uint32_t offset);

  void pend(unsigned exception);
  // A device holds its line high or lets it go: high, it is pending again as soon as it is left.
  void hold(unsigned interrupt, bool high);

  // Whether any is pending and allowed, however urgent.
  [[nodiscard]] bool asks() const { return asks_; }
  // The one that comes next, if it is more urgent than `mask` and than what is being served.
  [[nodiscard]] std::optional<unsigned> next(unsigned mask) const;
  void begin(unsigned exception);
  // False: it is not being served.
  bool end(unsigned exception);
  [[nodiscard]] bool serves() const { return !serving_.empty(); }
  [[nodiscard]] std::uint32_t vectors() const { return vectors_; }

 private:
  struct Exception {
    bool pending = false, enabled = false, high = false;
    std::uint8_t priority = 0;
  };

  [[nodiscard]] Exception* priority_of(std::uint32_t offset);
  [[nodiscard]] std::uint32_t state() const;
  [[nodiscard]] bool serves(unsigned exception) const;
  bool set(std::uint32_t offset, std::uint32_t value);
  void settle();

  std::array<Exception, kFirst + kLines> exceptions_ = [] {
    std::array<Exception, kFirst + kLines> all{};
    for (const unsigned own : {kSupervisor, kDeferred, kTick}) all[own].enabled = true;
    return all;
  }();
  std::vector<unsigned> serving_;  // the innermost last
  std::uint32_t vectors_ = 0x0800'0000;
  bool asks_ = false;
};

}  // namespace weighbridge::microcontroller
