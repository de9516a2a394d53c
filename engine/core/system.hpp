// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A platform's hardware, built from its description: components by kind, wired by name.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/contents.hpp"
#include "core/fields.hpp"

namespace weighbridge {

struct Description {
  std::string reference_clock;
  std::map<std::string, double> clocks_mhz;
  std::vector<ComponentSpec> components;
  std::size_t trace_slices = 0;  // of the trace at most; 0: none is kept
};

// A component that starts accesses: its numbers, and what its ports lead to.
struct Master {
  Fields fields;
  std::vector<Component*> ports;
};

// What a component did during a phase; times in seconds.
struct ComponentUse {
  std::string name;
  std::uint64_t transactions = 0;
  std::uint64_t bytes = 0;
  double busy = 0;
  double waiting = 0;
};

// An access at a component, by its number in the trace's list; seconds from the trace's start.
struct TracedSlice {
  std::size_t component = 0;
  double start = 0;
  double busy = 0;
  double waiting = 0;
  std::uint32_t bytes = 0;
  bool write = false;
};
struct TracedPhase {
  std::string name;
  double start = 0;
  double seconds = 0;
};
struct Traced {
  std::vector<std::string> components;
  std::vector<TracedSlice> slices;  // in the order of the simulation
  std::vector<TracedPhase> phases;  // none where a steady flow is traced
  std::uint64_t dropped = 0;        // slices and phases beyond the limit
};

// Owns the components. Construction throws std::invalid_argument naming the component and field
// where the description does not fit its kind; the lab checks files before it comes to this.
class System {
 public:
  // The description outlives the system.
  explicit System(const Description& description);
  explicit System(Description&& description) = delete;

  [[nodiscard]] const Timebase& timebase() const { return timebase_; }
  [[nodiscard]] Component& at(const std::string& name) const;
  // One of several equal components, with reservations of its own; number 0 is the one described.
  [[nodiscard]] Component& instance(const std::string& name, std::size_t number);
  // The same as the class that it is of; throws std::bad_cast where it is of another.
  template <typename Made>
  [[nodiscard]] Made& as(const std::string& name) const {
    return dynamic_cast<Made&>(at(name));
  }
  [[nodiscard]] Master master(const std::string& name) const;
  [[nodiscard]] const std::vector<std::unique_ptr<Component>>& components() const {
    return components_;
  }
  // Time starts again at zero; the caches keep their contents.
  void restart();
  // Counters start again.
  void clear();
  // What a program holds itself, as Component::contents().
  using More = std::function<void(Contents&)>;
  // Runs a phase, or puts in place what an equal one that began alike left; returns its end. The
  // phase reaches no component but those behind the ports.
  // timed: it takes time; else it is done for its effect on what components hold, whatever the
  // numbers that only say how long something takes.
  // bytes: that it goes over; a phase over few is not worth looking up.
  // key: of all that decides the phase beside the components and `more`.
  template <typename Phase>
  Time once(const std::vector<Component*>& ports, bool timed, std::uint64_t bytes, Digest key,
            const Phase& phase, const More& more = nullptr);
  // Adds what a component's description says, all of it or what is no time, to a key.
  void describe(const std::string& name, Digest& key, bool timed = true) const;
  [[nodiscard]] Trace& trace() { return trace_; }

 private:
  Component& build(const std::string& name);
  Component& add(const ComponentSpec& spec, const std::string& name);
  [[nodiscard]] Fields fields(const ComponentSpec& spec) const;
  [[nodiscard]] const ComponentSpec& spec(const std::string& name) const;
  // What the ports lead to, and what it holds: a digest of it, or none where that is not all.
  bool collect(const std::vector<Component*>& ports, const More& more, Contents& contents) const;
  void describe(const Contents& contents, bool timed, Digest& key) const;

  const Description& description_;
  Timebase timebase_;
  Trace trace_;
  std::map<std::string, Clock> clocks_;
  std::map<std::string, Component*> by_name_;
  std::vector<std::unique_ptr<Component>> components_;
};

template <typename Phase>
Time System::once(const std::vector<Component*>& ports, bool timed, std::uint64_t bytes, Digest key,
                  const Phase& phase, const More& more) {
  constexpr std::uint64_t kWorth = 16 * 1024;
  Contents before;
  if (bytes < kWorth || description_.trace_slices > 0 || !collect(ports, more, before)) {
    return phase();
  }
  describe(before, timed, key);
  key.bytes(before.bytes());
  if (const auto past = remembered(key.value())) {
    Contents kept(past->contents);
    collect(ports, more, kept);
    for (std::size_t i = 0; i < past->activities.size(); ++i) {
      before.all()[i]->count(past->activities[i]);
    }
    return past->end;
  }
  Past past;
  for (const Component* component : before.all()) past.activities.push_back(component->activity());
  past.end = phase();
  for (std::size_t i = 0; i < past.activities.size(); ++i) {
    past.activities[i] = before.all()[i]->activity() - past.activities[i];
  }
  Contents after;
  collect(ports, more, after);
  past.contents = std::move(after.bytes());
  const Time end = past.end;
  remember(key.value(), std::move(past));
  return end;
}

// What every component did since it was last cleared.
std::vector<ComponentUse> uses(const System& system);

// What the system's trace holds at the end of a program; empty where the trace is off.
Traced traced(System& system);

}  // namespace weighbridge
