// SPDX-License-Identifier: GPL-2.0-only
//
// Source of registers and states: ARM DDI 0424 (DMA-330), chapter 3.
#include "dma_controller.hpp"

#include <cstring>
#include <stdexcept>

#include "core/scheduler.hpp"
#include "pl330/microcode.hpp"
#include "pl330_registers.h"

namespace weighbridge::processor {
namespace {

constexpr Address kLine = 32;
constexpr std::uint32_t kExecuting = 1;
constexpr std::uint32_t kGo = 0xA0;
constexpr std::uint32_t kEightChannels = 7U << 4;
constexpr std::size_t kLongest = 64 * 1024;  // bytes of a program

// Where a burst leads to no memory.
struct BusError {
  bool write;
};

class Registers330 : public Peripheral {
 public:
  explicit Registers330(DmaController& controller) : controller_(controller) {}
  std::optional<std::uint32_t> read(std::uint32_t offset, Time now) override {
    return controller_.read(offset, now);
  }
  bool write(std::uint32_t offset, std::uint32_t value, Time now) override {
    return controller_.write(offset, value, now);
  }

 private:
  DmaController& controller_;
};

}  // namespace

std::unique_ptr<Peripheral> registers_of(DmaController& controller) {
  return std::make_unique<Registers330>(controller);
}

DmaController::DmaController(System& system, const std::string& name, Core& core,
                             std::optional<Address> coherent)
    : core_(core),
      view_(core, coherent),
      port_(*system.master(name).ports.at(0)),
      parameters_(system.master(name).fields),
      bus_(*this, port_),
      next_(kNever) {}

// The channel stops at an instruction, and says why.
void DmaController::fail(std::uint32_t why, std::size_t offset, Time now) {
  fault_ = why;
  counter_ = program_ + static_cast<std::uint32_t>(offset);
  stopped_at_ = now;
  next_ = kNever;
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

// Takes the program out of memory, up to its end or to what is no instruction: where the channel
// comes there it is at fault.
bool DmaController::go(Time now) {
  const std::uint32_t first = instruction_[0] >> 16;
  if ((first & 0xFDU) != kGo || (first >> 8 & 7U) != 0) return false;  // channel 0 alone
  program_ = instruction_[1];
  fault_ = 0;
  held_.clear();
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

void DmaController::step() {
  using Why = pl330::ChannelFault::Why;
  const Time at = next_;
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
    case PL330_FSRD:
    case PL330_FTRD:
    case PL330_DBGSTATUS:
      return 0;
    case PL330_FSRC:
      return fault_ != 0 ? 1U : 0U;
    case PL330_FTR(0):
      return fault_;
    case PL330_CSR(0):
      return fault_ != 0 ? PL330_FAULTING : busy ? kExecuting : PL330_STOPPED;
    case PL330_CPC(0):
      return busy ? program_ : counter_;
    case PL330_CR0:
      return kEightChannels;
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

bool DmaController::write(std::uint32_t offset, std::uint32_t value, Time now) {
  switch (offset) {
    case PL330_INTEN:
    case PL330_INTCLR:
      return true;
    case PL330_DBGINST0:
    case PL330_DBGINST1:
      instruction_[offset == PL330_DBGINST1] = value;
      return true;
    case PL330_DBGCMD:
      if (value != 0) return false;
      if ((instruction_[0] >> 16 & 0xFFU) == 0x01) {  // DMAKILL
        fail(0, 0, now);
        return true;
      }
      return go(now);
    default:
      return false;
  }
}

}  // namespace weighbridge::processor
