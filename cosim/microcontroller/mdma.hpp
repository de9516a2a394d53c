// SPDX-License-Identifier: GPL-2.0-only
//
// The MDMA's channels, as far as linked lists of stores from memory into the window go. The
// platform's component says how long its start, a node and a word take.
#pragma once

#include <array>
#include <functional>

#include "board.hpp"
#include "core/scheduler.hpp"
#include "window.hpp"

namespace weighbridge::microcontroller {

class Mdma : public processor::Peripheral {
 public:
  struct Times {
    Time start = 0;
    Time node = 0;
    Time word = 0;
  };
  // Bytes of memory that it reads; `tcm`: by the port of the processor's own memories.
  using Memory =
      std::function<const std::uint8_t*(std::uint32_t address, std::uint32_t bytes, bool tcm)>;
  // Puts 4 or 8 bytes where the window is, at an instant; when that is over.
  using Store =
      std::function<Time(Time at, std::uint32_t address, std::uint32_t bytes, std::uint64_t data)>;

  Mdma(const Times& times, Memory memory, Store store);

  std::optional<std::uint32_t> read(std::uint32_t offset, Time now) override;
  bool write(std::uint32_t offset, std::uint32_t value, Time now) override;
  // Goes on until `now`.
  void advance(Time now);
  // Hears whether the channels' interrupt is held high.
  std::function<void(bool)> line = [](bool) {};
  [[nodiscard]] Time due() const { return active_ == nullptr ? kNever : next_; }

 private:
  static constexpr std::uint32_t kFirst = 0x40, kStride = 0x40, kChannels = 16;
  // Of a channel, in words from its base.
  enum Word { isr, ifcr, esr, cr, tcr, bndtr, sar, dar, brur, lar, tbr, reserved, mar, mdr, words };
  using Channel = std::array<std::uint32_t, words>;

  void begin(Time now);
  void node();
  void step();
  // The channels that hold the interrupt high.
  [[nodiscard]] std::uint32_t raised() const;

  Times times_;
  Memory memory_;
  Store store_;
  std::array<Channel, kChannels> channels_{};
  Channel* active_ = nullptr;
  std::uint32_t left_ = 0;   // stores of the node
  std::uint32_t bytes_ = 0;  // of each
  std::uint32_t from_ = 0, to_ = 0;
  Time next_ = 0;
};

}  // namespace weighbridge::microcontroller
