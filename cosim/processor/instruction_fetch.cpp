// SPDX-License-Identifier: GPL-2.0-only
//
// How instructions come to the core, with its cache and without.
#include <algorithm>

#include "core.hpp"

namespace weighbridge::processor {
namespace {

constexpr std::uint32_t kLine = 32;

}  // namespace

void Core::fetch(std::uint32_t pc, std::uint32_t bytes) {
  const Address first = pc / kLine * kLine;
  const Address last = (pc + bytes - 1) / kLine * kLine;
  if (first == last && first == last_line_) return;
  last_line_ = last;
  for (Address line = first; line <= last; line += kLine) {
    const Page page = page_of(static_cast<std::uint32_t>(line), true);
    const Address physical = page.physical;
    if ((!page.attributes.normal() && control_.mmu()) || physical >= port_.memory_bytes) continue;
    Access access{.address = physical, .bytes = kLine};
    access.inner = true;
    access.outer = control_.mmu() ? page.attributes.outer : false;
    if (!instruction_cache_.contains(physical)) now_ = instruction_cache_.access(access, now_).done;
  }
}

// Without its cache the core fetches whole lines, ahead of what it executes: the next one as soon
// as it has left one of those that it holds. Where no prediction says it, not before a branch.
void Core::reach(std::uint32_t pc) {
  const Address line = pc / kLine * kLine;
  if (line == last_line_) return;
  const bool jumped = std::exchange(jumped_, false);
  bool held = false;
  for (Fetched& one : fetched_) {
    if (one.line == last_line_) one.left = now_;
    held |= one.line == line;
  }
  last_line_ = line;
  if (held) return;
  const Page page = page_of(static_cast<std::uint32_t>(line), true);
  if (page.physical >= port_.memory_bytes) return;
  Fetched& oldest = fetched_[next_fetched_++ % fetched_.size()];
  const Time start = std::max(fetch_free_, jumped ? now_ : oldest.left);
  const bool outer = page.attributes.normal() && page.attributes.outer;
  fetch_free_ = port_.fetch(start, page.physical, outer);
  oldest = {line, now_};
  now_ = std::max(now_, fetch_free_);
}

}  // namespace weighbridge::processor
