// SPDX-License-Identifier: GPL-2.0-only
//
// The registers of a PL330, by which a program makes the engine's channel execute the microcode
// that lies in the program's memory. The engine says when each burst moves, this moves its bytes.
#pragma once

#include <deque>
#include <map>
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
  // coherent: where memory is seen through the coherency port, if it is.  lines: of the interrupt
  // controller, one for each event and behind them the one for faults.
  DmaController(System& system, const std::string& name, Core& core,
                std::optional<Address> coherent, std::vector<unsigned> lines);

  void step() override;
  [[nodiscard]] Time due() const override { return next_; }

  [[nodiscard]] std::optional<std::uint32_t> read(std::uint32_t offset, Time now);
  // nonsecure: by the registers that are there for programs that are not secure.
  bool write(std::uint32_t offset, std::uint32_t value, Time now, bool nonsecure);
  // Everything stops; the manager and these events, a bit each, are secure or not.
  void reset(bool nonsecure, std::uint32_t nonsecure_events);

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

  bool execute(Time now);
  bool go(Time now);
  bool refused(const pl330::Instruction& instruction, Time now);
  void send(unsigned event);
  void settle();
  void carry(const Access& access);
  void fail(std::uint32_t why, std::size_t offset, Time now);

  Core& core_;
  DmaView view_;
  Component& port_;
  pl330::ChannelParameters parameters_;
  Bus bus_;
  std::vector<unsigned> lines_;
  std::unique_ptr<pl330::Channel> channel_;
  std::map<std::size_t, pl330::Instruction> watched_;  // by offset: what the channel cannot judge
  std::deque<std::uint8_t> held_;                      // read and not yet stored
  Time next_;
  Time stopped_at_ = 0;
  std::uint32_t instruction_[2] = {0, 0};
  std::uint32_t program_ = 0;
  std::uint32_t counter_ = 0;  // CPC of the channel where it is stopped
  std::uint32_t fault_ = 0;    // FTR of the channel
  std::uint32_t manager_fault_ = 0;
  std::uint32_t enabled_ = 0;  // events that raise their interrupt, a bit each
  std::uint32_t raised_ = 0;   // and those that have
  std::uint32_t control_ = 0;  // CCR as the channel has set it
  bool manager_nonsecure_ = false;
  bool channel_nonsecure_ = false;
  std::uint32_t nonsecure_events_ = 0;
  std::uint32_t past_end_ = 0;  // and where it comes to what could not be read as an instruction
};

// The controller as a block of registers: those for secure programs, or for others.
std::unique_ptr<Peripheral> registers_of(DmaController& controller, bool nonsecure);

}  // namespace weighbridge::processor
