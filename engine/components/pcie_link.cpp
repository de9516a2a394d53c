// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "components/pcie_link.hpp"

#include <algorithm>
#include <utility>

namespace weighbridge {

std::unique_ptr<Component> PcieLink::make(const Site& site) {
  return std::make_unique<PcieLink>(site.name, Parameters{site.fields}, site.timebase,
                                    *site.to.at(0));
}

PcieLink::PcieLink(std::string name, const Parameters& parameters, const Timebase& timebase,
                   Component& next)
    : Component(std::move(name)),
      p_(parameters),
      timebase_(timebase),
      next_(next),
      tags_(p_.tags, 0),
      credits_(p_.credits, 0) {}

void PcieLink::restart() {
  outward_ = inward_ = 0;
  std::fill(tags_.begin(), tags_.end(), 0);
  std::fill(credits_.begin(), credits_.end(), 0);
}

Time PcieLink::send(Time& wire, std::uint32_t bytes, Time now) {
  wire = std::max(wire, now) + timebase_.from_ns(p_.byte * bytes);
  return wire;
}

Reply PcieLink::access(const Access& access, Time arrival) {
  return access.write ? write(access, arrival) : read(access, arrival);
}

Reply PcieLink::write(const Access& access, Time arrival) {
  Reply reply{arrival, arrival};
  Time busy = 0;
  Time first = arrival;
  for (std::uint32_t at = 0; at < access.bytes; at += p_.max_payload) {
    const std::uint32_t bytes = std::min(p_.max_payload, access.bytes - at);
    Time start = arrival;
    if (!credits_.empty()) start = std::max(start, credits_[posted_ % credits_.size()]);
    const Time before = std::max(outward_, start);
    if (at == 0) first = before;
    reply.accepted = send(outward_, p_.request_bytes + bytes, start);
    busy += outward_ - before;
    Access piece = access;
    piece.address += at;
    piece.bytes = bytes;
    reply.done = next_.access(piece, reply.accepted + p_.latency).done;
    // The credit comes back with the next flow-control packet.
    if (!credits_.empty()) credits_[posted_++ % credits_.size()] = reply.done + p_.latency;
  }
  record(access, first, busy, 0);
  return reply;
}

Reply PcieLink::read(const Access& access, Time arrival) {
  Reply reply{arrival, arrival};
  Time busy = 0;
  Time first = arrival;
  for (std::uint32_t at = 0; at < access.bytes; at += p_.max_request) {
    const std::uint32_t request = std::min(p_.max_request, access.bytes - at);
    Time start = arrival;
    if (!tags_.empty()) start = std::max(start, tags_[requests_ % tags_.size()]);
    reply.accepted = send(outward_, p_.request_bytes, start);
    Access piece = access;
    piece.address += at;
    piece.bytes = request;
    const Time there = reply.accepted + p_.latency + p_.completer;
    const Time ready = next_.access(piece, there).done;
    for (std::uint32_t done = 0; done < request; done += p_.boundary) {
      const std::uint32_t bytes = std::min(p_.boundary, request - done);
      const Time before = std::max(inward_, ready);
      if (at + done == 0) first = before;
      reply.done = send(inward_, p_.completion_bytes + bytes, ready) + p_.latency;
      busy += inward_ - before;
    }
    if (!tags_.empty()) tags_[requests_++ % tags_.size()] = reply.done;
  }
  record(access, first, busy, 0);
  return reply;
}

}  // namespace weighbridge
