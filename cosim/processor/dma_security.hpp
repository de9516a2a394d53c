// SPDX-License-Identifier: GPL-2.0-only
//
// The board's registers that say whether the PL330 is secure, and those that reset it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "board.hpp"
#include "dma_controller.hpp"

namespace weighbridge::processor {

// What the registers say, and what the controller takes at the end of its reset.
class DmaSecurity {
 public:
  explicit DmaSecurity(DmaController& controller) : controller_(controller) {}
  void reset(bool held) {
    if (held_ && !held) controller_.reset(nonsecure, events);
    held_ = held;
  }

  bool nonsecure = false;
  std::uint32_t events = 0;

 private:
  DmaController& controller_;
  bool held_ = false;
};

// kind: "system_manager", "reset_manager" or "slcr", which has both.
std::unique_ptr<Peripheral> security_registers(const std::string& kind, DmaSecurity& security);

}  // namespace weighbridge::processor
