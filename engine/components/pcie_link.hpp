// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A PCI Express link as packets on two wires.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/fields.hpp"
#include "core/kinds.hpp"

namespace weighbridge {

// Packets occupy their wire for as long as their bytes take; link-layer packets are part of that
// time. A write is split at the maximum payload and posted, as far as there are credits; a read is
// split into requests, each of which holds a tag until its last completion is back.
class PcieLink : public Component {
 public:
  inline static const Range kPayloads = one_of({128, 256, 512, 1024, 2048, 4096});
  struct Parameters {
    Fields f = {};
    // Of what a file says the lab works out what packets take.
    double byte = f.derived_ns("byte");                    // of a packet on a wire
    std::uint32_t max_request = f.derived("max_request");  // bytes of one read request
    std::uint32_t boundary = f.derived("boundary");        // bytes at which completions are split
    std::uint32_t request_bytes = f.derived("request_bytes");  // around a payload, and of a request
    std::uint32_t completion_bytes = f.derived("completion_bytes");  // around one's payload

    double generation = f.count("generation", "of the link", one_of({1, 2, 3, 4, 5}));
    double lanes = f.count("lanes", "of the link", one_of({1, 2, 4, 8, 12, 16, 32}));
    std::uint32_t max_payload = f.bytes("max_payload", "of a write or a completion", kPayloads);
    double max_read_request = f.bytes("max_read_request", "that one request asks for", kPayloads);
    double read_completion_boundary = f.bytes(
        "read_completion_boundary", "at which the root complex may split", one_of({64, 128}));
    double address = f.bytes("address", "of a packet's address", one_of({4, 8}));
    std::uint32_t tags = f.count("tags", "read requests outstanding; 0: any number");
    std::uint32_t credits =
        f.count("posted_credits", "posted packets not yet taken by the other side; 0: any number");
    Time latency = f.time("latency", "of a wire with what lies at its ends");
    Time completer = f.time("completer", "from a request's arrival to its first completion");
    bool ecrc = f.flag("ecrc", "whether packets carry an end-to-end checksum");
    bool splits_at_boundary =
        f.flag("splits_at_boundary", "whether completions are split at the boundary");
  };

  PcieLink(std::string name, const Parameters& parameters, const Timebase& timebase,
           Component& next);
  static std::unique_ptr<Component> make(const Site& site);
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

}  // namespace weighbridge
