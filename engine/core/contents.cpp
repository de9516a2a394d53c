// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "core/contents.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace weighbridge {
namespace {

constexpr std::array<std::uint64_t, 4> kOdd{0xFF51AFD7ED558CCDU, 0xC4CEB9FE1A85EC53U,
                                            0x9FB21C651E98DF25U, 0xD6E8FEB86659FD93U};
constexpr int kTurn = 29;

std::uint64_t mixed(std::uint64_t state, std::uint64_t word, std::uint64_t odd) {
  return std::rotl(state ^ word, kTurn) * odd;
}

// The latest phases, the one asked for last in front.
class Memory {
 public:
  std::shared_ptr<const Past> find(const Digest::Value& key) {
    const std::lock_guard held(mutex_);
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    pasts_.splice(pasts_.begin(), pasts_, found->second);
    return found->second->second;
  }

  void add(const Digest::Value& key, Past past) {
    const std::size_t bytes = taken_by(past);
    const std::lock_guard held(mutex_);
    if (bytes > kMost || places_.contains(key)) return;
    pasts_.emplace_front(key, std::make_shared<const Past>(std::move(past)));
    places_[key] = pasts_.begin();
    for (bytes_ += bytes; bytes_ > kMost; pasts_.pop_back()) {
      bytes_ -= taken_by(*pasts_.back().second);
      places_.erase(pasts_.back().first);
    }
  }

 private:
  static constexpr std::size_t kMost = 64U << 20;

  static std::size_t taken_by(const Past& past) {
    return past.contents.size() + past.activities.size() * sizeof(Activity) + sizeof(Past);
  }

  using Pasts = std::list<std::pair<Digest::Value, std::shared_ptr<const Past>>>;
  std::mutex mutex_;
  Pasts pasts_;
  std::map<Digest::Value, Pasts::iterator> places_;
  std::size_t bytes_ = 0;
};

Memory& memory() {
  static Memory one;
  return one;
}

}  // namespace

void Digest::word(std::uint64_t word) {
  state_[0] = mixed(state_[0], word, kOdd[0]);
  state_[1] = mixed(state_[1], word, kOdd[1]);
}

void Digest::number(double value) { word(std::bit_cast<std::uint64_t>(value)); }

// Four words at a time, none of which waits for another.
void Digest::bytes(std::span<const std::byte> data) {
  std::array<std::uint64_t, 4> lanes = kOdd;
  while (!data.empty()) {
    std::array<std::uint64_t, 4> words{};
    const std::size_t taken = std::min(sizeof words, data.size());
    std::memcpy(words.data(), data.data(), taken);
    data = data.subspan(taken);
    for (std::size_t i = 0; i < 4; ++i) lanes[i] = mixed(lanes[i], words[i], kOdd[i]);
  }
  for (const std::uint64_t lane : lanes) word(lane);
}

void Digest::text(const std::string& text) {
  *this << text.size();
  bytes(std::as_bytes(std::span(text)));
}

bool Contents::enter(Component& component, bool parts) {
  if (std::find(all_.begin(), all_.end(), &component) != all_.end()) return false;
  all_.push_back(&component);
  if (parts) parts_.push_back(&component);
  return true;
}

void Contents::move(void* data, std::size_t bytes) {
  if (!restores_) {
    const auto* first = static_cast<const std::byte*>(data);
    collected_.insert(collected_.end(), first, first + bytes);
    return;
  }
  if (bytes > kept_.size()) throw std::logic_error("less was kept than a component holds");
  std::memcpy(data, kept_.data(), bytes);
  kept_ = kept_.subspan(bytes);
}

std::shared_ptr<const Past> remembered(const Digest::Value& key) { return memory().find(key); }

void remember(const Digest::Value& key, Past past) { memory().add(key, std::move(past)); }

}  // namespace weighbridge
