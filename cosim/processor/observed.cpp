// SPDX-License-Identifier: GPL-2.0-only
//
// What a run tells beside its time: the calls, and what the program has set.
#include "core.hpp"

namespace weighbridge::processor {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMost = 10'000;

}  // namespace

// Which call the block at `pc` belongs to, by where the one before has ended.
void Core::follow_call(std::uint32_t pc) {
  if (!interrupted_.empty() && interrupted_.back().pc == pc) {
    return_from(interrupted_.back().depth);
    next_pc_ = interrupted_.back().next_pc;
    called_ = interrupted_.back().called;
    interrupted_.pop_back();
  }
  if (pc == next_pc_) return;
  if (called_) {
    if (frames_.size() >= kDeepest || calls_.size() >= kMost) return;
    const std::size_t from = frames_.empty() ? 0 : frames_.back().call;
    const auto [found, fresh] = call_of_.try_emplace({from, pc}, calls_.size());
    if (fresh) calls_.push_back({from, pc});
    frames_.push_back({next_pc_, found->second, now_});
    return;
  }
  for (std::size_t depth = frames_.size(); depth-- > 0;) {
    if (frames_[depth].back == pc) return return_from(depth);
  }
}

// The handler is called from where it interrupts, and that goes on as if it had not been.
void Core::follow_interrupt(std::uint32_t pc, std::uint32_t vector) {
  if (frames_.size() >= kDeepest || calls_.size() >= kMost) return;
  interrupted_.push_back({pc, next_pc_, called_, frames_.size()});
  const std::size_t from = frames_.empty() ? 0 : frames_.back().call;
  const auto [found, fresh] = call_of_.try_emplace({from, vector}, calls_.size());
  if (fresh) calls_.push_back({from, vector});
  frames_.push_back({pc, found->second, now_});
  next_pc_ = vector;
  called_ = false;
}

void Core::return_from(std::size_t depth) {
  for (; frames_.size() > depth; frames_.pop_back()) {
    const Frame& frame = frames_.back();
    if (spans_.size() < most_spans) {
      spans_.push_back({calls_[frame.call].function, frame.begin, now_});
    }
  }
}

std::vector<std::pair<std::string, std::uint32_t>> Core::registers() {
  std::vector<std::pair<std::string, std::uint32_t>> found = {{"sctlr", control_.sctlr},
                                                              {"actlr", control_.actlr}};
  const auto add = [&](const char* name, const char* block, std::uint32_t offset) {
    for (const auto& mapped : peripherals_) {
      if (mapped->name == block) found.emplace_back(name, *mapped->peripheral->read(offset, now_));
    }
  };
  add("scu_control", "private", 0x000);
  add("l2_control", "cache controller", 0x100);
  add("l2_auxiliary", "cache controller", 0x104);
  return found;
}

std::vector<std::pair<std::uint32_t, Attributes>> Core::pages() {
  constexpr std::uint32_t kSection = 1U << 20;
  std::vector<std::pair<std::uint32_t, Attributes>> found;
  for (std::uint32_t i = 0; i < 4096; ++i) {
    const Page page = page_of(i * kSection, false);
    if (!page.fault.empty()) continue;
    if (found.empty() || found.back().second.kind() != page.attributes.kind()) {
      found.emplace_back(i * kSection, page.attributes);
    }
  }
  return found;
}

}  // namespace weighbridge::processor
