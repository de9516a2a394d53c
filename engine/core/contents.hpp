// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The state of components, and what phases that began alike left and took. Questions about many
// links, clocks and programs bring the caches into the same state over and over; from the second
// time on it is put in place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/component.hpp"

namespace weighbridge {

// A digest of 128 bits. Two keys that are equal by chance are not to be expected in any number of
// answers.
class Digest {
 public:
  using Value = std::array<std::uint64_t, 2>;

  void bytes(std::span<const std::byte> data);
  void text(const std::string& text);
  template <typename T>
    requires std::is_arithmetic_v<T>
  Digest& operator<<(T value) {
    word(static_cast<std::uint64_t>(value));
    return *this;
  }
  void number(double value);
  [[nodiscard]] Value value() const { return state_; }

 private:
  void word(std::uint64_t word);
  Value state_{0x9E3779B97F4A7C15U, 0xC2B2AE3D27D4EB4FU};
};

// Goes along components and collects their state, or puts back what was collected.
class Contents {
 public:
  Contents() = default;
  explicit Contents(std::span<const std::byte> kept) : kept_(kept), restores_(true) {}

  // False for a component that it has been to. parts: its numbers decide what an access leaves
  // behind; else they decide no more than how long it takes.
  bool enter(Component& component, bool parts);

  template <typename T>
    requires std::is_trivially_copyable_v<T>
  void operator()(T& value) {
    move(&value, sizeof value);
  }
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  void operator()(std::vector<T>& values) {  // whose size does not change
    move(values.data(), values.size() * sizeof(T));
  }

  [[nodiscard]] std::vector<std::byte>& bytes() { return collected_; }
  // Those whose numbers decide what an access leaves behind, and all.
  [[nodiscard]] const std::vector<Component*>& parts() const { return parts_; }
  [[nodiscard]] const std::vector<Component*>& all() const { return all_; }

 private:
  void move(void* data, std::size_t bytes);

  std::vector<std::byte> collected_;
  std::span<const std::byte> kept_;
  bool restores_ = false;
  std::vector<Component*> parts_;
  std::vector<Component*> all_;
};

// What a phase left and took.
struct Past {
  Time end = 0;
  std::vector<Activity> activities;  // of Contents::all(), what each did in the phase
  std::vector<std::byte> contents;
};

// Phases of the past by a digest of all that decides them; the latest that fit into the memory that
// it may take. Answers are the same without it.
std::shared_ptr<const Past> remembered(const Digest::Value& key);
void remember(const Digest::Value& key, Past past);

}  // namespace weighbridge
