// SPDX-License-Identifier: Apache-2.0
//
// A PCI Express link as packets on two wires, and a device that reads and writes through it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "component.hpp"
#include "fields.hpp"
#include "system.hpp"
#include "transfer.hpp"

namespace weighbridge {

// Packets occupy their wire for as long as their bytes take; link-layer packets are part of that
// time. A write is split at the maximum payload and posted, as far as there are credits; a read is
// split into requests, each of which holds a tag until its last completion is back.
class PcieLink : public Component {
 public:
  struct Parameters {
    double byte;                     // nanoseconds of a packet's byte on a wire
    std::uint32_t max_payload;       // bytes
    std::uint32_t max_request;       // bytes of one read request
    std::uint32_t boundary;          // bytes at which completions are split
    std::uint32_t request_bytes;     // around a write's payload, and of a read request
    std::uint32_t completion_bytes;  // around a completion's payload
    std::uint32_t tags;              // read requests outstanding; 0: any number
    std::uint32_t credits;           // posted packets not yet taken by the other side; 0: any
    Time latency;                    // of a wire with what lies at its ends
    Time completer;                  // from a request's arrival to its first completion

    static Parameters of(const Fields& fields);
  };

  PcieLink(std::string name, const Parameters& parameters, const Timebase& timebase,
           Component& next);
  Reply access(const Access& access, Time arrival) override;
  void restart() override;

 private:
  Reply write(const Access& access, Time arrival);
  Reply read(const Access& access, Time arrival);
  // When a packet that is ready at `now` has left; the wire is busy until then.
  Time send(Time& wire, std::uint32_t bytes, Time now);

  Parameters p_;
  const Timebase& timebase_;
  Component& next_;
  Time outward_ = 0;  // the wires, towards the host and back
  Time inward_ = 0;
  std::vector<Time> tags_;     // when the latest requests were answered, a ring
  std::vector<Time> credits_;  // when the latest posted packets had been taken, a ring
  std::size_t requests_ = 0;
  std::size_t posted_ = 0;
};

struct DeviceJob {
  std::uint32_t bytes = 0;  // of a request
  bool reads = false;
  bool writes = false;
  bool latency = false;  // one at a time instead of as many as go; a write is read back
  bool single = false;   // the same, a write over when its data are in the host's memory
  std::string master;
  Address memory = 0;
};

// One request of a steady flow, or one by itself.
Outcome device_transfer(System& system, const DeviceJob& job);

}  // namespace weighbridge
