// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The event queue. A process is a master (processor, DMA channel); one step does what the master
// does at `now` and returns when it wants to go on, or kNever when it has finished. Ties are broken
// by the order in which processes were added, so a run has one outcome.
#pragma once

#include <cstddef>
#include <limits>
#include <queue>
#include <tuple>
#include <vector>

#include "core/time.hpp"

namespace weighbridge {

inline constexpr Time kNever = std::numeric_limits<Time>::max();

class Process {
 public:
  Process() = default;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  virtual ~Process() = default;
  virtual Time step(Time now) = 0;
};

class Scheduler {
 public:
  void add(Process& process, Time start) {
    queue_.push({start, processes_.size()});
    processes_.push_back(&process);
  }

  // A process that goes on for as long as others do.
  void add_background(Process& process, Time start) {
    add(process, start);
    ++background_;
  }

  // Runs until every process but those of the background has finished; returns the time of the
  // last step.
  Time run() {
    Time now = 0;
    while (queue_.size() > background_) {
      auto [time, index] = queue_.top();
      queue_.pop();
      Process& process = *processes_[index];
      // The earliest process keeps running until another one is due: no queue for a lone master.
      const Event other = queue_.empty() ? Event{kNever, 0} : queue_.top();
      do {
        now = time;
        time = process.step(now);
      } while (time != kNever && Event{time, index} < other);
      if (time != kNever) queue_.push({time, index});
    }
    return now;
  }

 private:
  using Event = std::tuple<Time, std::size_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> queue_;
  std::vector<Process*> processes_;
  std::size_t background_ = 0;
};

}  // namespace weighbridge
