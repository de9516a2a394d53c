// SPDX-License-Identifier: GPL-2.0-only
#include "dma_security.hpp"

#include <stdexcept>

#include "dma_security_registers.h"

namespace weighbridge::processor {
namespace {

constexpr std::uint32_t kEvents = (1U << DMA_EVENTS) - 1;

class SystemManager : public Peripheral {
 public:
  explicit SystemManager(DmaSecurity& security) : security_(security) {}
  std::optional<std::uint32_t> read(std::uint32_t offset, Time) override {
    if (offset != SYSTEM_MANAGER_DMA) return std::nullopt;
    return kept_;
  }
  bool write(std::uint32_t offset, std::uint32_t value, Time) override {
    if (offset != SYSTEM_MANAGER_DMA) return false;
    kept_ = value;
    security_.nonsecure = (value & SYSTEM_MANAGER_DMA_NONSECURE) != 0;
    security_.events = value / SYSTEM_MANAGER_DMA_EVENTS(1U) & kEvents;
    return true;
  }

 private:
  DmaSecurity& security_;
  std::uint32_t kept_ = 0;
};

class ResetManager : public Peripheral {
 public:
  explicit ResetManager(DmaSecurity& security) : security_(security) {}
  std::optional<std::uint32_t> read(std::uint32_t offset, Time) override {
    if (offset != RESET_MANAGER_PERIPHERALS) return std::nullopt;
    return kept_;
  }
  bool write(std::uint32_t offset, std::uint32_t value, Time) override {
    if (offset != RESET_MANAGER_PERIPHERALS) return false;
    // What else is held in reset is not modelled.
    if (((value ^ kept_) & ~RESET_MANAGER_DMA) != 0) return false;
    kept_ = value;
    security_.reset((value & RESET_MANAGER_DMA) != 0);
    return true;
  }

 private:
  DmaSecurity& security_;
  std::uint32_t kept_ = 0;
};

class Slcr : public Peripheral {
 public:
  explicit Slcr(DmaSecurity& security) : security_(security) {}
  std::optional<std::uint32_t> read(std::uint32_t offset, Time) override {
    switch (offset) {
      case SLCR_DMA_RESET:
        return held_ ? 1U : 0U;
      case SLCR_DMA_NONSECURE:
        return security_.nonsecure ? 1U : 0U;
      case SLCR_DMA_EVENTS:
        return security_.events;
      default:
        return std::nullopt;
    }
  }
  bool write(std::uint32_t offset, std::uint32_t value, Time) override {
    if (offset == SLCR_UNLOCK || offset == SLCR_LOCK) {
      if (offset == SLCR_UNLOCK && value == SLCR_UNLOCK_KEY) locked_ = false;
      if (offset == SLCR_LOCK && value == SLCR_LOCK_KEY) locked_ = true;
      return true;
    }
    switch (offset) {
      case SLCR_DMA_RESET:
        if (locked_) return true;
        held_ = (value & 1U) != 0;
        security_.reset(held_);
        return true;
      case SLCR_DMA_NONSECURE:
        if (!locked_) security_.nonsecure = (value & 1U) != 0;
        return true;
      case SLCR_DMA_EVENTS:
        if (!locked_) security_.events = value & kEvents;
        return true;
      default:
        return false;
    }
  }

 private:
  DmaSecurity& security_;
  bool locked_ = true;
  bool held_ = false;
};

}  // namespace

std::unique_ptr<Peripheral> security_registers(const std::string& kind, DmaSecurity& security) {
  if (kind == "system_manager") return std::make_unique<SystemManager>(security);
  if (kind == "reset_manager") return std::make_unique<ResetManager>(security);
  if (kind == "slcr") return std::make_unique<Slcr>(security);
  throw std::invalid_argument("no registers of kind '" + kind + "' say the PL330's security");
}

}  // namespace weighbridge::processor
