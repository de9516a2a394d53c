// SPDX-License-Identifier: GPL-2.0-only
//
// How the core takes exceptions and comes back: at the end of a block, which is where the emulator
// hands over. One stack; handlers and the program are both privileged.
// Source: ARM DDI 0403 (ARMv7-M), sections B1.5.6 to B1.5.8.
#include <array>

#include "core.hpp"
#include "stopped.hpp"

namespace weighbridge::microcontroller {
namespace {

constexpr std::uint32_t kToHandler = 0xFFFF'FFF1, kToProgram = 0xFFFF'FFF9;
constexpr std::uint32_t kAligned = 1U << 9;  // of the status that is kept: a word was left out
constexpr std::array kKept = {UC_ARM_REG_R0, UC_ARM_REG_R1,  UC_ARM_REG_R2,
                              UC_ARM_REG_R3, UC_ARM_REG_R12, UC_ARM_REG_LR};
constexpr std::uint32_t kCached = 0x2400'0000;  // and above: memory behind the data cache
constexpr std::uint32_t kFrame = 4 * (kKept.size() + 2);

std::uint32_t get(uc_engine* uc, int number) {
  std::uint32_t value = 0;
  uc_reg_read(uc, number, &value);
  return value;
}

void set(uc_engine* uc, int number, std::uint32_t value) { uc_reg_write(uc, number, &value); }

}  // namespace

// What the core's own registers let through.
unsigned Core::exception_mask(bool asleep) const {
  const std::uint32_t base = get(uc_, UC_ARM_REG_BASEPRI);
  // A masked exception wakes, and is not taken.
  if (!asleep && (get(uc_, UC_ARM_REG_PRIMASK) & 1U) != 0) return 0;
  return base != 0 ? base : Nvic::kIdle;
}

bool Core::take_exception(std::uint32_t pc) {
  const auto number = chip_.nvic.next(exception_mask(false));
  if (!number) return false;
  if ((get(uc_, UC_ARM_REG_CONTROL) & 3U) != 0)
    throw Stopped("an exception beside a process stack or without privilege is not modelled");
  const std::uint32_t before = get(uc_, UC_ARM_REG_SP);
  const std::uint32_t stack = (before - kFrame) & ~7U;
  std::array<std::uint32_t, kFrame / 4> frame{};
  for (unsigned i = 0; i < kKept.size(); ++i) frame[i] = get(uc_, kKept[i]);
  frame[kKept.size()] = pc & ~1U;
  frame.back() =
      (get(uc_, UC_ARM_REG_XPSR) & ~kAligned) | (stack + kFrame != before ? kAligned : 0);
  if (uc_mem_write(uc_, stack, frame.data(), kFrame) != UC_ERR_OK)
    throw Stopped("an exception's registers find no memory at the stack");
  if (stack >= kCached) cached_store(stack, kFrame);
  set(uc_, UC_ARM_REG_SP, stack);
  set(uc_, UC_ARM_REG_LR, chip_.nvic.serves() ? kToHandler : kToProgram);
  std::uint32_t handler = 0;
  uc_mem_read(uc_, chip_.nvic.vectors() + 4 * *number, &handler, sizeof handler);
  if ((handler & 1U) == 0)
    throw Stopped("exception " + std::to_string(*number) + " has no handler");
  chip_.nvic.begin(*number);
  set(uc_, UC_ARM_REG_IPSR, *number);
  now_ += clock_.cycles(p_.exception);
  go(handler);
  return true;
}

// `target` is where a handler jumped to at its end.
void Core::leave_exception(std::uint32_t target) {
  const std::uint32_t served = get(uc_, UC_ARM_REG_IPSR) & 0x1FFU;
  if ((target | 1U) != kToHandler && (target | 1U) != kToProgram)
    throw Stopped("a return from an exception to another stack is not modelled");
  if (!chip_.nvic.end(served) || chip_.nvic.serves() != ((target | 1U) == kToHandler))
    throw Stopped("a return from an exception that is not being served");
  const std::uint32_t stack = get(uc_, UC_ARM_REG_SP);
  std::array<std::uint32_t, kFrame / 4> frame{};
  uc_mem_read(uc_, stack, frame.data(), kFrame);
  for (unsigned i = 0; i < kKept.size(); ++i) set(uc_, kKept[i], frame[i]);
  set(uc_, UC_ARM_REG_SP, stack + kFrame + ((frame.back() & kAligned) != 0 ? 4 : 0));
  set(uc_, UC_ARM_REG_XPSR, frame.back() & ~kAligned);
  leave();
  now_ += clock_.cycles(p_.exception);
  go(frame[kKept.size()]);
}

// The emulator begins anew there; no jump leads to it that was predicted.
void Core::go(std::uint32_t pc) {
  current_ = nullptr;
  before_ = nullptr;
  resume_ = pc | 1U;
  elsewhere_ = true;
  uc_emu_stop(uc_);
}

}  // namespace weighbridge::microcontroller
