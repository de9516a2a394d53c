// SPDX-License-Identifier: GPL-2.0-only
//
// Source of registers and states: ARM DDI 0424 (DMA-330), chapter 3.
#include "dma_controller.hpp"

#include <stdexcept>
#include <utility>

#include "core/scheduler.hpp"
#include "dma_security_registers.h"
#include "pl330/microcode.hpp"
#include "pl330_program.h"
#include "pl330_registers.h"

namespace weighbridge::processor {
namespace {

constexpr Address kLine = 32;
constexpr std::uint32_t kExecuting = 1;
constexpr std::uint32_t kGo = 0xA0;
constexpr std::uint32_t kGoNonsecure = 0x02;
constexpr std::uint32_t kKill = 0x01;
constexpr std::uint8_t kNop = 0x18;
constexpr unsigned kEvents = DMA_EVENTS;
constexpr std::uint32_t kEightChannels = 7U << 4;
constexpr std::uint32_t kEightEvents = (kEvents - 1) << 17;
constexpr std::size_t kLongest = 64 * 1024;  // bytes of a program

// Where a burst leads to no memory.
struct BusError {
  bool write;
};

class Registers330 : public Peripheral {
 public:
  Registers330(DmaController& controller, bool nonsecure)
      : controller_(controller), nonsecure_(nonsecure) {}
  std::optional<std::uint32_t> read(std::uint32_t offset, Time now) override {
    return controller_.read(offset, now);
  }
  bool write(std::uint32_t offset, std::uint32_t value, Time now) override {
    return controller_.write(offset, value, now, nonsecure_);
  }

 private:
  DmaController& controller_;
  bool nonsecure_;
};

}  // namespace

std::unique_ptr<Peripheral> registers_of(DmaController& controller, bool nonsecure) {
  return std::make_unique<Registers330>(controller, nonsecure);
}

DmaController::DmaController(System& system, const std::string& name, Core& core,
                             std::optional<Address> coherent, std::vector<unsigned> lines)
    : core_(core),
      view_(core, coherent),
      port_(*system.master(name).ports.at(0)),
      parameters_(system.master(name).fields),
      bus_(*this, port_),
      lines_(std::move(lines)),
      next_(kNever) {
  // What the board's file does not say leads nowhere.
  lines_.resize(kEvents + 1, InterruptController::kLines);
}

void DmaController::reset(bool nonsecure, std::uint32_t nonsecure_events) {
  manager_nonsecure_ = nonsecure;
  channel_nonsecure_ = nonsecure;
  nonsecure_events_ = nonsecure_events;
  channel_.reset();
  held_.clear();
  next_ = kNever;
  stopped_at_ = 0;
  fault_ = manager_fault_ = enabled_ = raised_ = 0;
  settle();
}

// The interrupts' lines are as the registers say.
void DmaController::settle() {
  for (unsigned i = 0; i < kEvents; ++i) {
    core_.interrupts().set(lines_[i], (raised_ >> i & 1U) != 0);
  }
  core_.interrupts().set(lines_[kEvents], fault_ != 0 || manager_fault_ != 0);
}

// The channel stops at an instruction, and says why.
void DmaController::fail(std::uint32_t why, std::size_t offset, Time now) {
  fault_ = why;
  counter_ = program_ + static_cast<std::uint32_t>(offset);
  stopped_at_ = now;
  next_ = kNever;
  settle();
}

void DmaController::carry(const Access& access) {
  std::uint8_t* at = view_.bytes_at(access.address, access.bytes);
  if (at == nullptr) throw BusError{access.write};
  view_.check(access.address, access.bytes, access.write);
  if (!access.write) {
    held_.insert(held_.end(), at, at + access.bytes);
    return;
  }
  for (std::uint32_t i = 0; i < access.bytes && !held_.empty(); ++i) {
    at[i] = held_.front();
    held_.pop_front();
  }
}

Reply DmaController::Bus::access(const Access& access, Time arrival) {
  owner_.carry(access);
  return next_.access(access, arrival);
}

// The manager executes what the debug registers hold.
bool DmaController::execute(Time now) {
  const std::uint32_t operation = instruction_[0] >> 16 & 0xFFU;
  const bool by_channel = (instruction_[0] & 1U) != 0;
  if (operation == kKill) {
    if (by_channel) {
      fail(0, 0, now);
    } else {
      manager_fault_ = 0;
      settle();
    }
    return true;
  }
  if ((operation & ~kGoNonsecure) != kGo || by_channel) return false;
  if (manager_nonsecure_ && (operation & kGoNonsecure) == 0) {
    manager_fault_ = PL330_FTR_DMAGO | PL330_FTR_DEBUG;
    settle();
    return true;
  }
  channel_nonsecure_ = (operation & kGoNonsecure) != 0;
  return go(now);
}

// Takes the program out of memory, up to its end or to what is no instruction: where the channel
// comes there it is at fault.
bool DmaController::go(Time now) {
  if ((instruction_[0] >> 24 & 7U) != 0) return false;  // channel 0 alone
  program_ = instruction_[1];
  fault_ = 0;
  control_ = 0;
  held_.clear();
  watched_.clear();
  settle();
  std::vector<std::uint8_t> code;
  past_end_ = PL330_FTR_FETCH;
  try {
    while (code.size() < kLongest) {
      // The longest instruction has six bytes.
      const std::uint8_t* at = view_.bytes_at(program_ + code.size(), 6);
      if (at == nullptr) break;
      if (code.size() % kLine < 6) view_.check(program_ + code.size(), 6, false);
      const pl330::Instruction instruction = pl330::decode({at, 6}, 0);
      const std::size_t bytes = pl330::encoded_bytes(instruction.op);
      using pl330::Op;
      if (instruction.op == Op::kSendEvent || instruction.op == Op::kLoad ||
          instruction.op == Op::kStore || instruction.op == Op::kMove) {
        watched_[code.size()] = instruction;
      }
      if (instruction.op == Op::kSendEvent) {
        // Events are the controller's: to the channel they do nothing.
        code.insert(code.end(), bytes, kNop);
        continue;
      }
      code.insert(code.end(), at, at + bytes);
      if (instruction.op == pl330::Op::kEnd || instruction.op == pl330::Op::kKill) break;
    }
  } catch (const std::invalid_argument&) {
    past_end_ = PL330_FTR_UNDEFINED;
  }
  const Access fetch{.address = program_, .bytes = static_cast<std::uint32_t>(kLine)};
  const Time there = view_.bytes_at(program_, 1) != nullptr ? port_.access(fetch, now).done : now;
  channel_ = std::make_unique<pl330::Channel>(parameters_, bus_, code);
  next_ = there + parameters_.start;
  return true;
}

void DmaController::send(unsigned event) {
  raised_ |= enabled_ & 1U << event;
  settle();
}

// What a channel that is not secure may not do, and the events: before an instruction is executed.
bool DmaController::refused(const pl330::Instruction& instruction, Time now) {
  using pl330::Op;
  const auto fault = [&](std::uint32_t why) {
    fail(why, channel_->offset(), now);
    return true;
  };
  switch (instruction.op) {
    case Op::kMove:
      if (instruction.reg == pl330::Register::kChannelControl) control_ = instruction.immediate;
      return false;
    case Op::kLoad:
    case Op::kStore: {
      const unsigned protection = control_ >> (instruction.op == Op::kLoad ? 8 : 22);
      if (!channel_nonsecure_ || (protection & PL330_NONSECURE) != 0) return false;
      return fault(PL330_FTR_SECURITY);
    }
    case Op::kSendEvent:
      if (instruction.index >= kEvents) return fault(PL330_FTR_OPERAND);
      if (channel_nonsecure_ && (nonsecure_events_ >> instruction.index & 1U) == 0) {
        return fault(PL330_FTR_EVENT);
      }
      send(instruction.index);
      return false;
    default:
      return false;
  }
}

void DmaController::step() {
  using Why = pl330::ChannelFault::Why;
  const Time at = next_;
  const auto found = watched_.find(channel_->offset());
  if (found != watched_.end() && refused(found->second, at)) return;
  try {
    next_ = channel_->step(at);
  } catch (const BusError& error) {
    return fail(error.write ? PL330_FTR_STORE : PL330_FTR_LOAD, channel_->offset(), at);
  } catch (const pl330::ChannelFault& fault) {
    if (fault.why == Why::unmodelled) {
      core_.stop(fault.what());
      return fail(PL330_FTR_OPERAND, channel_->offset(), at);
    }
    return fail(fault.why == Why::past_end    ? past_end_
                : fault.why == Why::lost      ? PL330_FTR_UNDEFINED
                : fault.why == Why::fifo_size ? PL330_FTR_FIFO_SIZE
                                              : PL330_FTR_FIFO_EMPTY,
                channel_->offset(), at);
  }
  if (next_ == kNever) {
    stopped_at_ = channel_->finished();
    counter_ = program_ + static_cast<std::uint32_t>(channel_->offset());
  }
}

std::optional<std::uint32_t> DmaController::read(std::uint32_t offset, Time now) {
  const bool busy = next_ != kNever || stopped_at_ > now;
  switch (offset) {
    case PL330_DSR:
      return (manager_fault_ != 0 ? PL330_FAULTING : PL330_STOPPED) |
             (manager_nonsecure_ ? PL330_DSR_NONSECURE : 0U);
    case PL330_FSRD:
      return manager_fault_ != 0 ? 1U : 0U;
    case PL330_FTRD:
      return manager_fault_;
    case PL330_DBGSTATUS:
      return 0;
    case PL330_INTEN:
      return enabled_;
    case PL330_INTMIS:
      return raised_;
    case PL330_FSRC:
      return fault_ != 0 ? 1U : 0U;
    case PL330_FTR(0):
      return fault_;
    case PL330_CSR(0):
      return (fault_ != 0 ? PL330_FAULTING
              : busy      ? kExecuting
                          : PL330_STOPPED) |
             (channel_nonsecure_ ? PL330_CSR_NONSECURE : 0U);
    case PL330_CPC(0):
      return busy ? program_ : counter_;
    case PL330_CR0:
      return kEightChannels | kEightEvents |
             (manager_nonsecure_ ? PL330_CR0_MANAGER_NONSECURE : 0U);
    case PL330_PERIPH_ID0:
      return 0x30U;
    case PL330_PERIPH_ID0 + 4:
      return 0x13U;
    case PL330_PERIPH_ID0 + 8:
      return 0x04U;
    default:
      return std::nullopt;
  }
}

bool DmaController::write(std::uint32_t offset, std::uint32_t value, Time now, bool nonsecure) {
  // Through the registers for programs that are not secure, only what is not secure is reached.
  const std::uint32_t reached = nonsecure ? nonsecure_events_ : (1U << kEvents) - 1;
  switch (offset) {
    case PL330_INTEN:
      enabled_ = (enabled_ & ~reached) | (value & reached);
      return true;
    case PL330_INTCLR:
      raised_ &= ~(value & reached);
      settle();
      return true;
    case PL330_DBGINST0:
    case PL330_DBGINST1:
      instruction_[offset == PL330_DBGINST1] = value;
      return true;
    case PL330_DBGCMD:
      if (value != 0) return false;
      // A secure manager takes no instruction from there.
      return (nonsecure && !manager_nonsecure_) || execute(now);
    default:
      return false;
  }
}

}  // namespace weighbridge::processor
