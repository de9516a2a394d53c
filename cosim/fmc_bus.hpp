// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A microcontroller's memory controller (STM32H7's FMC) at the pins of Verilated logic: multiplexed
// 16 bits, synchronous bursts, DATLAT 0, NWAIT active during the wait state. hdl/fmc/tb/fmc_bus.py
// is the same for cocotb, and says what is odd about it.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>

namespace weighbridge::cosim {

/// One access at a time. `advance` brings the simulation to the bus clock's next falling edge; pins
/// change there, and are sampled with the rising edge that follows.
template <typename Top>
class FmcBus {
 public:
  FmcBus(Top& top, std::function<void()> advance, std::uint64_t seed)
      : top_(top), advance_(std::move(advance)), random_(seed) {
    idle_pins();
  }

  void idle(unsigned clocks) {
    for (; clocks > 0; --clocks) {
      next();
      idle_pins();
      settle();
    }
  }

  /// An access of 8, 16, 32 or 64 bits at its natural alignment; chip select is high for `gap`
  /// clocks behind it.
  void write(std::uint32_t address, std::uint64_t data, unsigned bits = 32, unsigned gap = 2) {
    begin(address, true);
    const unsigned lanes = bits == 8 ? 1U << (address & 1U) : 3U;
    if (bits == 8) data <<= 8 * (address & 1U);
    for (unsigned beat = 0; beat < (bits < 16 ? 1 : bits / 16); ++beat) {
      for (bool accepted = false; !accepted;) {
        accepted = top_.fmc_nwait != 0;
        next();
        top_.fmc_ad_in = static_cast<std::uint16_t>(data >> 16 * beat);
        top_.fmc_nbl = static_cast<std::uint8_t>(~lanes & 3U);
        settle();
        patience();
      }
    }
    last = clocks;
    idle(gap);
  }

  /// As write(); behind the last beat come two clocks more that nobody looks at.
  std::uint64_t read(std::uint32_t address, unsigned bits = 32, unsigned gap = 2) {
    begin(address, false);
    std::uint64_t value = 0;
    for (unsigned beat = 0; beat < (bits < 16 ? 1 : bits / 16); ++beat) {
      do {
        next();
        settle();
        patience();
      } while (top_.fmc_nwait == 0);
      if (top_.fmc_ad_drive == 0) throw std::runtime_error("nobody drives what is read");
      value |= std::uint64_t{top_.fmc_ad_out} << 16 * beat;
    }
    for (int dummy = 0; dummy < 2; ++dummy) {
      next();
      settle();
    }
    idle(gap);
    return bits == 8 ? value >> 8 * (address & 1U) & 0xFFU : value;
  }

  std::uint64_t clocks = 0;    ///< all that have passed
  std::uint64_t selected = 0;  ///< those with chip select low
  std::uint64_t accesses = 0;
  std::uint64_t began = 0;  ///< the clock of the last address
  std::uint64_t last = 0;   ///< the clock of the last beat that was written

 private:
  void begin(std::uint32_t address, bool write) {
    ++accesses;
    waited_ = 0;
    next();
    began = clocks;
    top_.fmc_ne = top_.fmc_nadv = 0;
    top_.fmc_nwe = !write;
    top_.fmc_noe = 1;
    top_.fmc_nbl = 0;
    top_.fmc_ad_in = static_cast<std::uint16_t>(address >> 1U);
    top_.fmc_a = static_cast<std::uint8_t>(address >> 17U);
    settle();
    for (int latency = 0; latency < 2; ++latency) {
      next();
      top_.fmc_nadv = 1;
      top_.fmc_noe = write || latency == 0;
      settle();
    }
  }

  void idle_pins() {
    top_.fmc_ne = top_.fmc_nadv = top_.fmc_noe = top_.fmc_nwe = 1;
    top_.fmc_nbl = 3;
  }

  /// On to the next clock; AD is noise in it, if nobody says otherwise.
  void next() {
    advance_();
    ++clocks;
    top_.fmc_ad_in = static_cast<std::uint16_t>(random_());
  }

  void settle() {
    selected += top_.fmc_ne == 0;
    top_.eval();
  }

  void patience() {
    if (++waited_ > 20000) throw std::runtime_error("NWAIT stays low");
  }

  Top& top_;
  std::function<void()> advance_;
  std::mt19937_64 random_;
  unsigned waited_ = 0;
};

}  // namespace weighbridge::cosim
