// SPDX-License-Identifier: GPL-2.0-only
#include "nvic.hpp"

#include <algorithm>

namespace weighbridge::microcontroller {
namespace {

constexpr std::uint32_t kEnable = 0x100, kDisable = 0x180, kSetPending = 0x200,
                        kClearPending = 0x280, kActive = 0x300, kPriority = 0x400;
constexpr std::uint32_t kState = 0xD04, kVectors = 0xD08, kReset = 0xD0C, kOwnPriority = 0xD18,
                        kTrigger = 0xF00;
constexpr std::uint32_t kBytes = (Nvic::kLines + 31) / 32 * 4;  // of a group with a bit a line
constexpr std::uint32_t kOwnBytes = 12;
constexpr std::uint8_t kPriorities = 0xF0;  // four bits of them
// Of the state register.
constexpr std::uint32_t kClearTick = 1U << 25, kSetTick = 1U << 26, kClearDeferred = 1U << 27,
                        kSetDeferred = 1U << 28;
constexpr std::uint32_t kKeyRead = 0xFA05'0000, kKeyWritten = 0x05FA;
constexpr std::uint32_t kPreempting = 3;  // with four bits, up to here each priority preempts

bool within(std::uint32_t offset, std::uint32_t group, std::uint32_t bytes) {
  return offset >= group && offset - group < bytes;
}

}  // namespace

bool Nvic::by_bytes(std::uint32_t offset) {
  return within(offset, kPriority, kLines) || within(offset, kOwnPriority, kOwnBytes);
}

Nvic::Exception* Nvic::priority_of(std::uint32_t offset) {
  if (within(offset, kPriority, kLines)) return &exceptions_[kFirst + offset - kPriority];
  if (within(offset, kOwnPriority, kOwnBytes)) return &exceptions_[4 + offset - kOwnPriority];
  return nullptr;
}

void Nvic::settle() {
  asks_ = std::any_of(exceptions_.begin(), exceptions_.end(),
                      [](const Exception& one) { return one.pending && one.enabled; });
}

void Nvic::pend(unsigned exception) {
  exceptions_[exception].pending = true;
  settle();
}

void Nvic::hold(unsigned interrupt, bool high) {
  Exception& one = exceptions_[kFirst + interrupt];
  if (high == one.high) return;
  one.pending |= high;
  one.high = high;
  settle();
}

std::optional<unsigned> Nvic::next(unsigned mask) const {
  unsigned urgent = mask;
  for (const unsigned served : serving_)
    urgent = std::min<unsigned>(urgent, exceptions_[served].priority);
  std::optional<unsigned> found;
  for (unsigned i = 0; i < exceptions_.size(); ++i) {
    const Exception& one = exceptions_[i];
    if (!one.pending || !one.enabled || one.priority >= urgent) continue;
    urgent = one.priority;
    found = i;
  }
  return found;
}

void Nvic::begin(unsigned exception) {
  exceptions_[exception].pending = false;
  serving_.push_back(exception);
  settle();
}

bool Nvic::end(unsigned exception) {
  if (serving_.empty() || serving_.back() != exception) return false;
  serving_.pop_back();
  Exception& one = exceptions_[exception];
  one.pending |= one.high;
  settle();
  return true;
}

bool Nvic::serves(unsigned exception) const {
  return std::find(serving_.begin(), serving_.end(), exception) != serving_.end();
}

std::uint32_t Nvic::state() const {
  const unsigned active = serving_.empty() ? 0 : serving_.back();
  const auto pending = next(kIdle);
  const bool interrupts = std::any_of(exceptions_.begin() + kFirst, exceptions_.end(),
                                      [](const Exception& one) { return one.pending; });
  return active | (serving_.size() == 1 ? 1U << 11 : 0U) | pending.value_or(0) << 12 |
         (interrupts ? 1U << 22 : 0U) | (exceptions_[kTick].pending ? kSetTick : 0U) |
         (exceptions_[kDeferred].pending ? kSetDeferred : 0U);
}

std::optional<std::uint32_t> Nvic::read(std::uint32_t offset, Time) {
  if (offset == kState) return state();
  if (offset == kVectors) return vectors_;
  if (offset == kReset) return kKeyRead;
  if (priority_of(offset) != nullptr) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const Exception* one = priority_of(offset + i);
      if (one != nullptr) value |= std::uint32_t{one->priority} << 8 * i;
    }
    return value;
  }
  for (const std::uint32_t group : {kEnable, kDisable, kSetPending, kClearPending, kActive}) {
    if (!within(offset, group, kBytes)) continue;
    std::uint32_t value = 0;
    const unsigned first = kFirst + 8 * (offset - group);
    for (unsigned i = 0; i < 32 && first + i < exceptions_.size(); ++i) {
      const Exception& one = exceptions_[first + i];
      const bool bit = group == kActive                        ? serves(first + i)
                       : group == kEnable || group == kDisable ? one.enabled
                                                               : one.pending;
      value |= (bit ? 1U : 0U) << i;
    }
    return value;
  }
  return std::nullopt;
}

bool Nvic::write(std::uint32_t offset, std::uint32_t value, Time) {
  const bool known = set(offset, value);
  settle();
  return known;
}

bool Nvic::set(std::uint32_t offset, std::uint32_t value) {
  if (offset == kState) {
    if ((value & ~(kClearTick | kSetTick | kClearDeferred | kSetDeferred)) != 0) return false;
    Exception& tick = exceptions_[kTick];
    Exception& deferred = exceptions_[kDeferred];
    tick.pending = (tick.pending && (value & kClearTick) == 0) || (value & kSetTick) != 0;
    deferred.pending =
        (deferred.pending && (value & kClearDeferred) == 0) || (value & kSetDeferred) != 0;
    return true;
  }
  if (offset == kVectors) {
    vectors_ = value;
    return value % 1024 == 0;  // as many bytes as vectors take, to the next power of two
  }
  if (offset == kReset) return value >> 16 == kKeyWritten && (value & 0xFFFF) <= kPreempting << 8;
  if (offset == kTrigger) {
    if (value >= kLines) return false;
    pend(kFirst + value);
    return true;
  }
  if (priority_of(offset) != nullptr) {
    for (unsigned i = 0; i < 4; ++i) {
      Exception* one = priority_of(offset + i);
      if (one != nullptr) one->priority = static_cast<std::uint8_t>(value >> 8 * i) & kPriorities;
    }
    return true;
  }
  for (const std::uint32_t group : {kEnable, kDisable, kSetPending, kClearPending}) {
    if (!within(offset, group, kBytes)) continue;
    const unsigned first = kFirst + 8 * (offset - group);
    for (unsigned i = 0; i < 32 && first + i < exceptions_.size(); ++i) {
      if ((value >> i & 1U) == 0) continue;
      Exception& one = exceptions_[first + i];
      if (group == kEnable) one.enabled = true;
      if (group == kDisable) one.enabled = false;
      if (group == kSetPending) one.pending = true;
      if (group == kClearPending) one.pending = one.high;
    }
    return true;
  }
  return false;
}

}  // namespace weighbridge::microcontroller
