// SPDX-License-Identifier: GPL-2.0-only
//
// The STM32H7's registers as far as the firmware uses them, after ST's reference manual RM0468 and
// ARM's manual of the Cortex-M7: clocks, memory controller, serial port, timer, system control.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "board.hpp"
#include "core/scheduler.hpp"
#include "nvic.hpp"

namespace weighbridge::microcontroller {

using processor::Peripheral;

// How an access to the memory controller's window is made.
enum class Order { strongly, device, normal };

// Settings that the rest of the emulator follows.
class Chip {
 public:
  // crystal_mhz: of the external oscillator; base_of: where a block of registers lies, by its name.
  Chip(const Timebase& base, Clock core, double crystal_mhz,
       std::function<std::uint32_t(const char*)> base_of);

  // By the registers that the program has set; 0: there is no such clock yet.
  [[nodiscard]] double core_mhz() const;
  [[nodiscard]] double fmc_mhz() const;
  // What is wrong with the memory controller's settings, or empty.
  [[nodiscard]] std::string fmc_fault() const;
  // By the MPU, or by the map that holds without it.
  [[nodiscard]] Order order_of(std::uint32_t address) const;
  // Whether the data cache keeps what is stored there.
  [[nodiscard]] bool cached(std::uint32_t address) const;

  // The blocks of registers, by base and bytes.
  struct Block {
    std::uint32_t base;
    std::uint32_t bytes;
    Peripheral* registers;
    std::string name;
    bool near;  // on the processor's own bus
  };
  [[nodiscard]] std::vector<Block> blocks();

  // What arrives at the serial port; what is sent goes to standard output.
  std::string input;

  Nvic nvic;
  // The tick's next instant; kNever where it is off.
  [[nodiscard]] Time tick_due() const { return tick_due_; }
  // Lets it tick until `now`.
  void advance(Time now);

  // Lines of memory that the data cache holds and that have been written; 32 B each.
  std::set<std::uint32_t> dirty;

 private:
  using Initial = std::map<std::uint32_t, std::uint32_t>;

  // Words that keep what is written; some have their own way to be read or written.
  class Words : public Peripheral {
   public:
    explicit Words(Initial words) : words_(std::move(words)) {}
    std::optional<std::uint32_t> read(std::uint32_t offset, Time now) override;
    bool write(std::uint32_t offset, std::uint32_t value, Time now) override;
    [[nodiscard]] std::uint32_t at(std::uint32_t offset) const {
      const auto found = words_.find(offset);
      return found == words_.end() ? 0 : found->second;
    }
    std::map<std::uint32_t, std::function<std::uint32_t(Time)>> reads;
    std::map<std::uint32_t, std::function<void(std::uint32_t, Time)>> writes;
    Peripheral* others = nullptr;  // has the offsets that are not among these

   private:
    Initial words_;
  };

  [[nodiscard]] Time tick() const { return core_.cycles(system_.at(0x014) + 1.0); }
  // Type extension, cacheable, bufferable.
  [[nodiscard]] std::uint32_t kind_of(std::uint32_t address) const;
  [[nodiscard]] double pll_mhz(unsigned number, unsigned output) const;
  void maintain(std::uint32_t address);

  const Timebase& base_;
  Clock core_;
  double crystal_mhz_;
  std::function<std::uint32_t(const char*)> base_of_;
  Words reset_, power_, flash_, fmc_, pins_, serial_, timer_, system_, watch_;
  Time timer_from_ = 0;
  Time counted_from_ = 0;
  Time tick_due_ = kNever;
  bool ticked_ = false;
  std::size_t taken_ = 0;
  struct Region {
    std::uint32_t base = 0, attributes = 0;
  };
  std::map<std::uint32_t, Region> regions_;
};

}  // namespace weighbridge::microcontroller
