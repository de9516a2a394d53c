// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The accesses of a run, one by one. A component tells when an access occupied it and for how long;
// the program tells which accesses belong to its time and where its phases lie. A trace that is off
// costs a component one comparison for each access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/time.hpp"

namespace weighbridge {

class Component;
struct Access;

class Trace {
 public:
  // One access at one component.
  struct Slice {
    const Component* component;
    Time start;  // of the occupation
    Time busy;
    Time waiting;  // before the start
    std::uint32_t bytes;
    bool write;
  };
  // A part of the transfer's time.
  struct Phase {
    std::string name;
    Time start;
    Time duration;
  };

  // Keeps so many slices, and so many phases, at most; 0: the trace is off.
  explicit Trace(std::size_t limit) : limit_(limit) {}

  void add(const Component& component, const Access& access, Time start, Time busy, Time waiting);
  // Forgets what has not been booked: it was done for its effect on the caches.
  void discard();
  // Forgets everything: the timed part begins, at zero.
  void begin();
  // Keeps what has been added since; its times count from the end of the last phase.
  void book();
  // A phase goes by.
  void advance(const std::string& name, Time duration);

  // Of what has been booked.
  [[nodiscard]] std::span<const Slice> slices() const { return {slices_.data(), booked_}; }
  [[nodiscard]] const std::vector<Phase>& phases() const { return phases_; }
  // Slices and phases beyond the limit.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_booked_; }

 private:
  std::size_t limit_;
  std::vector<Slice> slices_;  // booked, then those that are not yet
  std::size_t booked_ = 0;
  std::vector<Phase> phases_;
  Time now_ = 0;  // end of the last phase
  std::uint64_t dropped_ = 0;
  std::uint64_t dropped_booked_ = 0;
};

}  // namespace weighbridge
