// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Links between blocks: a bridge (width, latency, clock crossing) and a switch (address decoding).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/fields.hpp"
#include "core/kinds.hpp"

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
    Fields f = {};
    Clock clock = f.clock();
    std::uint32_t width = f.bytes("width", "of a beat", allowed::width);
    std::uint32_t upstream_width =
        f.bytes("upstream_width", "of beats that are packed into wider ones", allowed::width);
    std::uint32_t burst_beats =
        f.count("burst_beats", "of the longest burst downstream; 0: longer ones are streamed",
                Range{0, 4096}.or_else(0));
    Time latency = f.time("latency", "outside the clock domain, there and back");
    double beat_cycles = f.cycles("beat_cycles", "of one beat", 1e-3);
    double read_cycles = f.cycles("read_cycles", "before the first beat of a read");
    double write_cycles =
        f.cycles("write_cycles", "before the first beat of a write, response included");
    double read_turnaround_cycles =
        f.cycles("read_turnaround_cycles", "between bursts of reads", 0, 0);
    double write_turnaround_cycles =
        f.cycles("write_turnaround_cycles", "between bursts of writes", 0, 0);
    double bufferable_turnaround_cycles = f.cycles(
        "bufferable_turnaround_cycles", "between bursts of writes that the master marks so", 0, 0);
    double posted_cycles = f.cycles("posted_cycles", "of a posted write", 0, 0);
    double posted_narrow_cycles = f.cycles(
        "posted_narrow_cycles", "more of a posted write where the bridge narrows the bus", 0, 0);
    double wake_cycles = f.cycles("wake_cycles", "more of a posted write after an idle time", 0, 0);
    bool synchronise = f.flag("synchronise", "whether accesses start on an edge of the clock");
  };

  Bridge(std::string name, const Parameters& parameters, Component& next);
  Reply access(const Access& access, Time arrival) override;
  void touch(const Access& access) override { next_.touch(access); }
  void restart() override;
  bool contents(Contents& contents) override;

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
  [[nodiscard]] Time turnarounds(const Access& access, std::uint32_t count) const;

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
  struct Parameters {
    Fields f = {};
    Time latency = f.time("latency", "there and back");
  };
  using Window = Site::Window;

  Switch(std::string name, Time latency, std::vector<Window> windows);
  static std::unique_ptr<Component> make(const Site& site);
  Reply access(const Access& access, Time arrival) override;
  void touch(const Access& access) override { target_of(access.address).touch(access); }
  bool contents(Contents& contents) override;

 private:
  [[nodiscard]] Component& target_of(Address address) const;

  Time half_latency_;
  std::vector<Window> windows_;
};

}  // namespace weighbridge
