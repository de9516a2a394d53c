// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// What every block of a platform is to its neighbours: something that answers an access.
//
// An access travels from a master to its target as a chain of calls, each hop adding its latency
// and reserving itself for as long as it is busy. Masters are processes that the scheduler runs in
// order of time, so reservations are made in the order in which masters issue.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/time.hpp"
#include "core/trace.hpp"

namespace weighbridge {

using Address = std::uint64_t;

// Identifiers of masters that share a cache.
inline constexpr std::uint8_t kProcessorId = 0;
inline constexpr std::uint8_t kDmaId = 1;

class Contents;

// One burst or single beat.
struct Access {
  Address address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t beat_bytes = 8;  // as the master issues it; a narrower hop needs more beats
  bool write = false;
  bool posted = false;          // the master does not wait for the response of this write
  bool inner = false;           // may be cached in the first level
  bool outer = false;           // may be cached in the second level
  bool allocate = true;         // a line that is missed is brought in
  std::uint8_t id = 0;          // of the master, by which ways are locked
  bool critical_first = false;  // the master goes on when the first beat is back
  bool single_beats = false;    // a run of beats, each a transaction of its own
  bool bufferable = false;      // a write that may be answered before it has arrived
};

struct Reply {
  Time accepted = 0;  // the hop can take the next access of this master
  Time done = 0;      // data returned, or the write's response
  Time wake = 0;      // posted writes: what the first one after an idle time costs more
  Time held = 0;      // the hop before is kept for so much longer: the target served others
};

// What a component did during a run; the source of `explain`.
struct Activity {
  std::uint64_t transactions = 0;
  std::uint64_t bytes = 0;
  Time busy = 0;     // occupied by an access
  Time waiting = 0;  // accesses held back because it was occupied

  friend Activity operator-(const Activity& late, const Activity& early) {
    return {late.transactions - early.transactions, late.bytes - early.bytes,
            late.busy - early.busy, late.waiting - early.waiting};
  }
};

class Component {
 public:
  explicit Component(std::string name) : name_(std::move(name)) {}
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;
  virtual ~Component() = default;

  virtual Reply access(const Access& access, Time arrival) = 0;
  // The contents that access() leaves behind, without times.
  virtual void touch(const Access& access) { this->access(access, 0); }
  // Forgets reservations, not contents: time starts again at zero.
  virtual void restart() {}
  // Hands its whole state, and that of what lies behind it, to `contents`, or takes it back; false
  // where it cannot.
  virtual bool contents(Contents& /*contents*/) { return false; }
  // Forgets what has been counted.
  void clear() { activity_ = {}; }
  // Counts what it did in a phase that is not simulated again.
  void count(const Activity& activity) {
    activity_.transactions += activity.transactions;
    activity_.bytes += activity.bytes;
    activity_.busy += activity.busy;
    activity_.waiting += activity.waiting;
  }
  // Adds every later access to a trace; nullptr ends that.
  void trace(Trace* trace) { trace_ = trace; }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Activity& activity() const { return activity_; }

 protected:
  // An access occupies the component for `busy` from `start` on, after it has waited.
  void record(const Access& access, Time start, Time busy, Time waiting) {
    ++activity_.transactions;
    // Here: next to each other, the counters would be added as a vector, which takes longer.
    if (trace_ != nullptr) [[unlikely]]
      trace_->add(*this, access, start, busy, waiting);
    activity_.bytes += access.bytes;
    activity_.busy += busy;
    activity_.waiting += waiting;
  }

 private:
  std::string name_;
  Activity activity_;
  Trace* trace_ = nullptr;
};

}  // namespace weighbridge
