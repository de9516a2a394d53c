// SPDX-License-Identifier: GPL-2.0-only
//
// How the core takes interrupts: at the end of a block, which is where the emulator hands over.
// Source: ARM DDI 0406 (ARMv7-A), section B1.8.
#include <algorithm>

#include "core.hpp"

namespace weighbridge::processor {
namespace {

constexpr std::uint32_t kMode = 0x1F;
constexpr std::uint32_t kInterruptMode = 0x12;
constexpr std::uint32_t kThumb = 1U << 5;
constexpr std::uint32_t kMasked = 1U << 7;
constexpr std::uint32_t kAbortsMasked = 1U << 8;
constexpr std::uint32_t kBlockOfConditions = 0x0600'FC00;
constexpr std::uint32_t kHighVectors = 1U << 13;    // of SCTLR
constexpr std::uint32_t kThumbHandlers = 1U << 30;  // of SCTLR
constexpr std::uint32_t kVector = 0x18;

std::uint32_t status(uc_engine* uc) {
  std::uint32_t cpsr = 0;
  uc_reg_read(uc, UC_ARM_REG_CPSR, &cpsr);
  return cpsr;
}

}  // namespace

bool Core::interrupted() const { return interrupts_.raised() && (status(uc_) & kMasked) == 0; }

// Where the core goes on instead of at `pc`; bit 0: in Thumb. The way there is one that no
// prediction knows.
std::uint64_t Core::take_interrupt(std::uint32_t pc) {
  std::uint32_t before = status(uc_);
  const std::uint32_t thumb = (control_.sctlr & kThumbHandlers) != 0 ? 1U : 0U;
  std::uint32_t taken = before & ~(kMode | kThumb | kBlockOfConditions);
  taken |= kInterruptMode | kMasked | kAbortsMasked | thumb * kThumb;
  std::uint32_t back = (pc & ~1U) + 4;
  uc_reg_write(uc_, UC_ARM_REG_CPSR, &taken);
  uc_reg_write(uc_, UC_ARM_REG_SPSR, &before);
  uc_reg_write(uc_, UC_ARM_REG_LR, &back);
  const std::uint32_t base = (control_.sctlr & kHighVectors) != 0 ? 0xFFFF'0000U : vectors_;
  now_ += clock_.cycles(p_.costs.branch_unpredicted);
  if (follows_calls) follow_interrupt(pc & ~1U, base + kVector);
  return (base + kVector) | thumb;
}

// Time passes until an interrupt is raised, masked or not; false: none will be.
bool Core::await_interrupt() {
  while (!interrupts_.raised()) {
    Time due = kNever;
    for (const Companion* one : companions_) due = std::min(due, one->due());
    if (due == kNever || !failure_.empty()) return false;
    now_ = std::max(now_, due);
    follow();
  }
  return true;
}

}  // namespace weighbridge::processor
