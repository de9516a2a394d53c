// SPDX-License-Identifier: Apache-2.0
//
// Links between blocks: a bridge (width, latency, clock crossing) and a switch (address decoding).
#pragma once

#include <string>
#include <vector>

#include "component.hpp"

namespace weighbridge {

// A link into another clock domain or width. Reads and writes use separate channels.
//
// A burst occupies its channel for its beats and a turnaround. The turnaround vanishes when the
// bridge narrows the bus and streams: it then buffers a burst and takes the next one while it
// drains. A bridge with a longest burst cuts longer ones, each piece with its turnaround, which
// single beats do not need.
// A single access that the master waits for pays the latency instead, counted from the bridge's
// clock edge, because it is resynchronised there.
class Bridge : public Component {
 public:
  struct Parameters {
    Clock clock;
    std::uint32_t width;            // bytes a beat
    std::uint32_t upstream_width;   // beats as wide as this are packed into wider ones
    std::uint32_t burst_beats;      // longest burst downstream; 0: longer ones are streamed
    bool synchronise;               // accesses start on an edge of `clock`
    Time latency;                   // there and back, outside the clock domain
    double read_cycles;             // before the first beat of a read
    double write_cycles;            // the same of a write, response included
    double read_turnaround_cycles;  // between bursts
    double write_turnaround_cycles;
    double bufferable_turnaround_cycles;  // between writes that the master marks so
    double beat_cycles;                   // one beat
    double posted_cycles;                 // service of a posted write
    double posted_narrow_cycles;          // more where the bridge narrows the bus
    double wake_cycles;                   // what a posted write costs more after an idle time
  };

  Bridge(std::string name, const Parameters& parameters, Component& next);
  Reply access(const Access& access, Time arrival) override;
  void touch(const Access& access) override { next_.touch(access); }
  void restart() override;

 private:
  Reply cross(const Access& access, Time arrival);
  Reply post(const Access& access, Time arrival);

  // What an access costs, in ticks, worked out once.
  struct Channel {
    Time latency;  // before the first beat, in the clock domain
    Time turnaround;
    Time free = 0;  // when the channel can take the next burst
  };

  [[nodiscard]] std::uint32_t beats(const Access& access) const;
  [[nodiscard]] Time turnarounds(const Access& access) const;

  Parameters p_;
  Component& next_;
  Time there_;  // shares of the latency outside the clock domain
  Time back_;
  Time beat_;
  Time posted_;
  Time posted_narrow_;
  Time wake_;
  Time bufferable_;
  Channel read_;
  Channel write_;
};

// Decodes the address and passes the access on.
class Switch : public Component {
 public:
  struct Window {
    Address base;
    Address bytes;
    Component* target;
  };

  Switch(std::string name, Time latency, std::vector<Window> windows);
  Reply access(const Access& access, Time arrival) override;
  void touch(const Access& access) override { target_of(access.address).touch(access); }

 private:
  [[nodiscard]] Component& target_of(Address address) const;

  Time half_latency_;
  std::vector<Window> windows_;
};

}  // namespace weighbridge
