// SPDX-License-Identifier: GPL-2.0-only
#include "fabric_controllers.hpp"

#include <cstring>
#include <map>

#include "core/scheduler.hpp"
#include "fabric_dma_registers.h"

namespace weighbridge::processor {
namespace {

constexpr std::uint32_t kLengthMask = 0xFF'FFFF;

std::uint32_t beat_of(std::uint32_t control) {
  if ((control & FABRIC_DMA_QUADWORD) != 0) return 16;
  if ((control & FABRIC_DMA_DOUBLEWORD) != 0) return 8;
  if ((control & FABRIC_DMA_WORD) != 0) return 4;
  return (control & FABRIC_DMA_HALFWORD) != 0 ? 2 : 1;
}

class RegisterBlock : public Peripheral {
 public:
  explicit RegisterBlock(std::map<std::uint32_t, FabricController*> controllers)
      : controllers_(std::move(controllers)) {}
  std::optional<std::uint32_t> read(std::uint32_t offset, Time now) override {
    const auto found = controllers_.find(offset / FABRIC_DMA_STRIDE);
    if (found == controllers_.end()) return std::nullopt;
    return found->second->read(offset % FABRIC_DMA_STRIDE, now);
  }
  bool write(std::uint32_t offset, std::uint32_t value, Time now) override {
    const auto found = controllers_.find(offset / FABRIC_DMA_STRIDE);
    return found != controllers_.end() &&
           found->second->write(offset % FABRIC_DMA_STRIDE, value, now);
  }

 private:
  std::map<std::uint32_t, FabricController*> controllers_;
};

}  // namespace

std::unique_ptr<Peripheral> registers_of(
    const std::vector<std::pair<std::uint32_t, FabricController*>>& controllers) {
  return std::make_unique<RegisterBlock>(
      std::map<std::uint32_t, FabricController*>(controllers.begin(), controllers.end()));
}

FabricController::FabricController(const FabricDmaParameters& parameters,
                                   const FabricWiring& wiring, Core& core,
                                   std::optional<Address> coherent)
    : parameters_(parameters),
      wiring_(wiring),
      core_(core),
      view_(core, coherent),
      bus_(*this, *wiring.port) {
  registers_[FABRIC_DMA_CONTROL / 4] = FABRIC_DMA_AFTER_RESET;
}

Reply FabricController::Bus::access(const Access& access, Time arrival) {
  owner_.carry(access);
  return next_.access(access, arrival);
}

// The fabric's own side stays at one address: there the last beat is left, or each one is from.
void FabricController::carry(const Access& access) {
  std::uint8_t* memory = view_.bytes_at(access.address, access.bytes);
  if (memory == nullptr) {
    throw Stopped("a DMA controller in the fabric reaches for memory where none is modelled");
  }
  view_.check(access.address, access.bytes, access.write);
  const std::uint32_t beat = access.beat_bytes;
  const std::uint32_t own = registers_[(access.write ? FABRIC_DMA_READ : FABRIC_DMA_WRITE) / 4];
  std::uint8_t* fabric = core_.bytes_at(wiring_.memory + own, beat);
  if (!access.write) {
    std::memcpy(fabric, memory + access.bytes - beat, beat);
    return;
  }
  for (std::uint32_t at = 0; at + beat <= access.bytes; at += beat) {
    std::memcpy(memory + at, fabric, beat);
  }
}

bool FabricController::go(Time now) {
  const std::uint32_t control = registers_[FABRIC_DMA_CONTROL / 4];
  const std::uint32_t beat = beat_of(control);
  const std::uint32_t length = registers_[FABRIC_DMA_LENGTH / 4] & kLengthMask;
  const bool to_fabric = (control & FABRIC_DMA_WRITE_STAYS) != 0;
  // What no program of the study does.
  if (to_fabric == ((control & FABRIC_DMA_READ_STAYS) != 0)) return false;
  if ((control & FABRIC_DMA_LENGTH_ENDS) == 0 || beat > wiring_.beat_bytes) return false;
  if (length == 0 || length % beat != 0) return false;
  const std::uint32_t memory = registers_[(to_fabric ? FABRIC_DMA_READ : FABRIC_DMA_WRITE) / 4];
  dma_ = std::make_unique<FabricDma>(parameters_, bus_, memory, to_fabric, length, beat,
                                     wiring_.run_beats, false);
  next_ = now;
  return true;
}

void FabricController::step() {
  next_ = dma_->step(next_);
  if (next_ == kNever) finished_ = dma_->finished();
}

std::optional<std::uint32_t> FabricController::read(std::uint32_t offset, Time now) const {
  if (offset % 4 != 0 || offset / 4 >= registers_.size()) return std::nullopt;
  if (offset != FABRIC_DMA_STATUS) return registers_[offset / 4];
  if (dma_ == nullptr) return 0;
  return next_ != kNever || finished_ > now ? FABRIC_DMA_BUSY : FABRIC_DMA_DONE;
}

bool FabricController::write(std::uint32_t offset, std::uint32_t value, Time now) {
  if (offset % 4 != 0 || offset / 4 >= registers_.size()) return false;
  const bool busy = next_ != kNever || finished_ > now;
  if (offset == FABRIC_DMA_STATUS) {
    if (!busy) dma_.reset();
    return true;
  }
  if (busy && offset != FABRIC_DMA_CONTROL) return false;
  registers_[offset / 4] = value;
  if (offset != FABRIC_DMA_CONTROL) return true;
  if ((value & FABRIC_DMA_RESET) != 0) {
    if (std::exchange(resetting_, !resetting_)) {
      registers_.fill(0);
      registers_[FABRIC_DMA_CONTROL / 4] = FABRIC_DMA_AFTER_RESET;
      dma_.reset();
      next_ = kNever;
      finished_ = 0;
    }
    return true;
  }
  resetting_ = false;
  return (value & FABRIC_DMA_GO) == 0 || busy || go(now);
}

}  // namespace weighbridge::processor
