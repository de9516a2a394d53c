// SPDX-License-Identifier: GPL-2.0-only
#include "interrupts.hpp"

#include <algorithm>

namespace weighbridge::processor {
namespace {

constexpr unsigned kSoftware = 16;  // lines that programs raise
constexpr unsigned kOwn = 32;       // those below are each core's own
constexpr std::uint32_t kNone = 1023;
constexpr std::uint8_t kIdle = 0xFF;
constexpr std::uint8_t kPriorities = 0xF8;  // five bits of them

// The interface to the core.
constexpr std::uint32_t kControl = 0x00;
constexpr std::uint32_t kMask = 0x04;
constexpr std::uint32_t kBinaryPoint = 0x08;
constexpr std::uint32_t kAcknowledge = 0x0C;
constexpr std::uint32_t kEnd = 0x10;
constexpr std::uint32_t kRunning = 0x14;
constexpr std::uint32_t kHighest = 0x18;

// The distributor; its registers' groups begin at multiples of 0x80.
constexpr std::uint32_t kType = 0x004;
constexpr std::uint32_t kSecurity = 0x080;
constexpr std::uint32_t kEnable = 0x100;
constexpr std::uint32_t kDisable = 0x180;
constexpr std::uint32_t kSetPending = 0x200;
constexpr std::uint32_t kClearPending = 0x280;
constexpr std::uint32_t kActive = 0x300;
constexpr std::uint32_t kPriority = 0x400;
constexpr std::uint32_t kTarget = 0x800;
constexpr std::uint32_t kConfiguration = 0xC00;
constexpr std::uint32_t kSoftwareRaise = 0xF00;

}  // namespace

void InterruptController::set(unsigned line, bool high) {
  if (line >= kLines) return;
  Line& one = lines_[line];
  if (high && !one.high && one.edge) one.latched = true;
  one.high = high;
  settle();
}

std::optional<unsigned> InterruptController::best() const {
  if (!distributes_ || !signals_) return std::nullopt;
  std::optional<unsigned> found;
  std::uint8_t urgent =
      depth_ == 0 ? mask_ : std::min(mask_, lines_[running_[depth_ - 1]].priority);
  for (unsigned i = 0; i < kLines; ++i) {
    const Line& one = lines_[i];
    const bool here = i < kOwn || one.targeted;
    if (!one.enabled || one.active || !here || !pending(one) || one.priority >= urgent) continue;
    urgent = one.priority;
    found = i;
  }
  return found;
}

std::uint32_t InterruptController::acknowledge() {
  const auto found = best();
  if (!found) return kNone;
  Line& one = lines_[*found];
  one.latched = false;
  one.active = true;
  running_[depth_++] = static_cast<std::uint16_t>(*found);
  settle();
  return *found;
}

// Interrupts end in the order in which they nest.
bool InterruptController::end(std::uint32_t number) {
  if (number == kNone) return true;
  if (depth_ == 0 || running_[depth_ - 1] != number) return false;
  lines_[running_[--depth_]].active = false;
  settle();
  return true;
}

std::optional<std::uint32_t> InterruptController::read_interface(std::uint32_t offset) {
  switch (offset) {
    case kControl:
      return signals_ ? 1U : 0U;
    case kMask:
      return mask_;
    case kBinaryPoint:
      return 2;  // every priority comes before the next
    case kAcknowledge:
      return acknowledge();
    case kRunning:
      return depth_ == 0 ? kIdle : lines_[running_[depth_ - 1]].priority;
    case kHighest:
      return best().value_or(kNone);
    default:
      return std::nullopt;
  }
}

bool InterruptController::write_interface(std::uint32_t offset, std::uint32_t value) {
  switch (offset) {
    case kControl:
      if (value > 1) return false;  // fast and non-secure interrupts
      signals_ = value != 0;
      break;
    case kMask:
      mask_ = static_cast<std::uint8_t>(value) & kPriorities;
      break;
    case kBinaryPoint:
      return value <= 2;
    case kEnd:
      return end(value);
    default:
      return false;
  }
  settle();
  return true;
}

std::optional<std::uint32_t> InterruptController::read_distributor(std::uint32_t offset) const {
  if (offset == 0) return distributes_ ? 1U : 0U;
  if (offset == kType) return kLines / 32 - 1;
  if (offset % 4 != 0) return std::nullopt;
  const auto bits = [&](std::uint32_t group, auto&& of) {
    std::uint32_t value = 0;
    const std::uint32_t first = 8 * (offset - group);
    for (unsigned i = 0; i < 32; ++i) value |= (of(lines_[first + i]) ? 1U : 0U) << i;
    return value;
  };
  const auto within = [&](std::uint32_t group, std::uint32_t bytes) {
    return offset >= group && offset - group < bytes;
  };
  constexpr std::uint32_t kBits = kLines / 8;
  if (within(kSecurity, kBits)) return 0;
  for (const std::uint32_t group : {kEnable, kDisable}) {
    if (within(group, kBits)) return bits(group, [](const Line& one) { return one.enabled; });
  }
  for (const std::uint32_t group : {kSetPending, kClearPending}) {
    if (within(group, kBits)) return bits(group, [&](const Line& one) { return pending(one); });
  }
  if (within(kActive, kBits)) return bits(kActive, [](const Line& one) { return one.active; });
  const auto bytes = [&](std::uint32_t group, auto&& of) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) {
      value |= static_cast<std::uint32_t>(of(lines_[offset - group + i])) << 8 * i;
    }
    return value;
  };
  if (within(kPriority, kLines)) {
    return bytes(kPriority, [](const Line& one) { return one.priority; });
  }
  if (within(kTarget, kLines)) {
    const bool own = offset - kTarget < kOwn;
    return bytes(kTarget, [&](const Line& one) { return own || one.targeted ? 1 : 0; });
  }
  if (within(kConfiguration, kLines / 4)) {
    std::uint32_t value = 0;
    const std::uint32_t first = 4 * (offset - kConfiguration);
    for (unsigned i = 0; i < 16; ++i) value |= (lines_[first + i].edge ? 2U : 0U) << 2 * i;
    return value;
  }
  return std::nullopt;
}

bool InterruptController::write_distributor(std::uint32_t offset, std::uint32_t value) {
  const auto within = [&](std::uint32_t group, std::uint32_t bytes) {
    return offset >= group && offset - group < bytes && offset % 4 == 0;
  };
  const auto each = [&](std::uint32_t group, auto&& act) {
    const std::uint32_t first = 8 * (offset - group);
    for (unsigned i = 0; i < 32; ++i) {
      if ((value >> i & 1U) != 0) act(lines_[first + i]);
    }
  };
  constexpr std::uint32_t kBits = kLines / 8;
  if (offset == 0) {
    if (value > 1) return false;
    distributes_ = value != 0;
  } else if (within(kSecurity, kBits)) {
    return value == 0;
  } else if (within(kEnable, kBits)) {
    each(kEnable, [](Line& one) { one.enabled = true; });
  } else if (within(kDisable, kBits)) {
    each(kDisable, [](Line& one) { one.enabled = false; });
  } else if (within(kSetPending, kBits)) {
    each(kSetPending, [](Line& one) { one.latched = true; });
  } else if (within(kClearPending, kBits)) {
    each(kClearPending, [](Line& one) { one.latched = false; });
  } else if (within(kPriority, kLines)) {
    for (unsigned i = 0; i < 4; ++i) {
      lines_[offset - kPriority + i].priority =
          static_cast<std::uint8_t>(value >> 8 * i) & kPriorities;
    }
  } else if (within(kTarget, kLines)) {
    for (unsigned i = 0; i < 4; ++i) {
      lines_[offset - kTarget + i].targeted = (value >> 8 * i & 1U) != 0;
    }
  } else if (within(kConfiguration, kLines / 4)) {
    const std::uint32_t first = 4 * (offset - kConfiguration);
    for (unsigned i = 0; i < 16; ++i) {
      if (first + i >= kOwn) lines_[first + i].edge = (value >> 2 * i & 2U) != 0;
    }
  } else if (offset == kSoftwareRaise) {
    // To this core: by its place in the list, as all but the sender, or as the sender itself.
    const std::uint32_t filter = value >> 24 & 3U;
    if (filter == 3 || (value & 0xFU) >= kSoftware) return false;
    if (filter == 2 || (filter == 0 && (value >> 16 & 1U) != 0)) {
      lines_[value & 0xFU].latched = true;
    }
  } else {
    return false;
  }
  settle();
  return true;
}

}  // namespace weighbridge::processor
