// SPDX-License-Identifier: GPL-2.0-only
//
// The registers of a PL330, by which a program makes the engine's channel execute the microcode
// that lies in the program's memory. The engine says when each burst moves, this moves its bytes.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "board.hpp"
#include "core.hpp"
#include "dma_view.hpp"
#include "pl330/channel.hpp"

namespace weighbridge::processor {

class DmaController : public Companion {
 public:
  // coherent: where memory is seen through the coherency port, if it is.
  DmaController(System& system, const std::string& name, Core& core,
                std::optional<Address> coherent);

  void step() override;
  [[nodiscard]] Time due() const override { return next_; }

  [[nodiscard]] std::optional<std::uint32_t> read(std::uint32_t offset, Time now);
  bool write(std::uint32_t offset, std::uint32_t value, Time now);

 private:
  // Between the channel and the platform: the bytes go along with their times.
  class Bus : public Component {
   public:
    Bus(DmaController& owner, Component& next) : Component("DMA bus"), owner_(owner), next_(next) {}
    Reply access(const Access& access, Time arrival) override;

   private:
    DmaController& owner_;
    Component& next_;
  };

  bool go(Time now);
  void carry(const Access& access);
  void fail(std::uint32_t why, std::size_t offset, Time now);

  Core& core_;
  DmaView view_;
  Component& port_;
  pl330::ChannelParameters parameters_;
  Bus bus_;
  std::unique_ptr<pl330::Channel> channel_;
  std::deque<std::uint8_t> held_;  // read and not yet stored
  Time next_;
  Time stopped_at_ = 0;
  std::uint32_t instruction_[2] = {0, 0};
  std::uint32_t program_ = 0;
  std::uint32_t counter_ = 0;   // CPC of the channel where it is stopped
  std::uint32_t fault_ = 0;     // FTR of the channel
  std::uint32_t past_end_ = 0;  // and where it comes to what could not be read as an instruction
};

// The controller as a block of registers; several may be its views.
std::unique_ptr<Peripheral> registers_of(DmaController& controller);

}  // namespace weighbridge::processor
