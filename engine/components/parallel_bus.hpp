// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A microcontroller's external memory bus with multiplexed address and data, and the APB behind it.
#pragma once

#include <cstdint>
#include <string>

#include "core/component.hpp"
#include "core/fields.hpp"

namespace weighbridge {

// APB: setup and access, one transfer at a time. Every register slice on the way of the request or
// of the response makes a transfer a cycle longer.
class Apb : public Component {
 public:
  struct Parameters {
    Fields f = {};
    Clock clock = f.clock();
    std::uint32_t request_slices =
        f.count("request_slices", "register slices on a request's way", {0, 100});
    std::uint32_t response_slices =
        f.count("response_slices", "register slices on a response's way", {0, 100});
  };

  Apb(std::string name, const Parameters& parameters, Component& next);
  Reply access(const Access& access, Time arrival) override;
  void restart() override { free_ = 0; }

 private:
  Component& next_;
  Time transfer_;
  Time free_ = 0;
};

// Chip select falls; address, latency, data beats; chip select rises for a number of clocks. A
// write is posted: the transfer behind the bus begins with its last beat, and in a burst of several
// words with the last beat of each. An access that comes
// while such a transfer is under way passes the latency clocks only when the transfer has ended and
// the wait line has said so.
class ParallelBus : public Component {
 public:
  struct Parameters {
    Fields f = {};
    Clock clock = f.clock();
    std::uint32_t width = f.bytes("width", "of a beat", allowed::width);
    double address_cycles = f.cycles("address_cycles", "from the fall of the chip select");
    double latency_cycles =
        f.cycles("latency_cycles", "from the address to the first beat of a write");
    double wait_cycles =
        f.cycles("wait_cycles", "from the end of the transfer behind to the first beat");
    double read_cycles = f.cycles("read_cycles", "dummy clocks behind the beats of a read");
    double gap_cycles = f.cycles("gap_cycles", "with the chip select high");
  };

  ParallelBus(std::string name, const Parameters& parameters, Component& next);
  Reply access(const Access& access, Time arrival) override;
  void restart() override { free_ = behind_ = 0; }

 private:
  Parameters p_;
  Component& next_;
  Time free_ = 0;    // chip select may fall again
  Time behind_ = 0;  // end of the transfer behind the bus
};

}  // namespace weighbridge
