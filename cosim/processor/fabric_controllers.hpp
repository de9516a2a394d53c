// SPDX-License-Identifier: GPL-2.0-only
//
// The registers of DMA controllers in the fabric. The engine says when each beat moves, this moves
// its bytes between the program's memory and the controller's own.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "board.hpp"
#include "components/fabric_dma.hpp"
#include "core.hpp"
#include "dma_view.hpp"

namespace weighbridge::processor {

// How a controller is built: the port that it drives, the width of its beats, and how many of
// them the port takes at a time.
struct FabricWiring {
  std::uint32_t number = 0;
  Component* port = nullptr;
  std::uint32_t beat_bytes = 0;
  std::uint32_t run_beats = 1;
  Address memory = 0;  // its own, as the core finds it
};

class FabricController : public Companion {
 public:
  FabricController(const FabricDmaParameters& parameters, const FabricWiring& wiring, Core& core,
                   std::optional<Address> coherent);

  void step() override;
  [[nodiscard]] Time due() const override { return next_; }

  [[nodiscard]] std::optional<std::uint32_t> read(std::uint32_t offset, Time now) const;
  bool write(std::uint32_t offset, std::uint32_t value, Time now);

 private:
  class Bus : public Component {
   public:
    Bus(FabricController& owner, Component& next)
        : Component("fabric DMA bus"), owner_(owner), next_(next) {}
    Reply access(const Access& access, Time arrival) override;

   private:
    FabricController& owner_;
    Component& next_;
  };

  bool go(Time now);
  void carry(const Access& access);

  FabricDmaParameters parameters_;
  FabricWiring wiring_;
  Core& core_;
  DmaView view_;
  Bus bus_;
  std::unique_ptr<FabricDma> dma_;
  std::array<std::uint32_t, 7> registers_{};
  bool resetting_ = false;
  Time next_ = kNever;
  Time finished_ = 0;
};

// The controllers of a design as one block of registers.
std::unique_ptr<Peripheral> registers_of(
    const std::vector<std::pair<std::uint32_t, FabricController*>>& controllers);

}  // namespace weighbridge::processor
