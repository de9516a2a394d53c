// SPDX-License-Identifier: Apache-2.0
#include "pcie.hpp"

#include <algorithm>
#include <stdexcept>
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

namespace {

// Pieces of 64 bytes, in which a device's DMA engine works.
std::uint32_t units_of(std::uint32_t bytes) { return (bytes + 63) / 64; }

// As many requests under way as the link takes.
class Device {
 public:
  Device(System& system, const DeviceJob& job)
      : job_(job),
        p_{system.master(job.master).fields},
        link_(*system.master(job.master).ports.at(0)),
        timebase_(system.timebase()) {}

  // When the engine may begin the request after the one that begins at `now`.
  [[nodiscard]] Time after(Time now) const {
    // Each direction has an engine; where both move, their data share the way through the device's
    // memory. What a command has beyond `shared_bytes` is passed on as it comes.
    const std::uint32_t units = units_of(job_.bytes);
    double busy = 0;
    if (job_.writes) busy = p_.write_request + p_.write_unit * units;
    if (job_.reads) busy = std::max(busy, p_.read_request + p_.read_unit * units);
    if (job_.writes && job_.reads) {
      const std::uint32_t shared = units_of(std::min(job_.bytes, p_.shared_bytes));
      busy = std::max(busy, p_.shared_unit * shared);
    }
    return now + timebase_.from_ns(busy);
  }

  Reply move(bool write, Time now) {
    return link_.access({.address = job_.memory, .bytes = job_.bytes, .write = write}, now);
  }

  // From the engine's command to its notice that the data are there.
  Time latency() {
    const Time overhead = timebase_.from_ns(p_.overhead);
    Time now = 0;
    if (job_.writes) {
      const Reply reply = move(true, overhead + staging());
      if (job_.single) return reply.done;
      now = reply.accepted;
    }
    return move(false, now + overhead).done + staging();
  }

 private:
  // Between the link and the engine's own memory. By itself a long transfer is staged while it
  // moves, but for a piece of it.
  [[nodiscard]] Time staging() const {
    constexpr std::uint32_t kPiece = 4096;
    const std::uint32_t bytes = job_.single ? std::min(job_.bytes, kPiece) : job_.bytes;
    return timebase_.from_ns(p_.staging_byte * bytes);
  }

  const DeviceJob& job_;
  PacketDmaParameters p_;
  Component& link_;
  const Timebase& timebase_;
};

}  // namespace

Outcome device_transfer(System& system, const DeviceJob& job) {
  if (job.bytes == 0 || (!job.reads && !job.writes)) {
    throw std::invalid_argument("a device needs bytes to read or to write");
  }
  Device device(system, job);
  Outcome outcome;
  unsigned count = 1;
  if (job.latency || job.single) {
    outcome.seconds = system.timebase().seconds(device.latency());
  } else {
    // Requests enough for a steady flow; of long ones fewer packets' worth.
    constexpr std::uint32_t kMost = 4000;
    constexpr std::uint32_t kLeast = 8;
    constexpr std::uint32_t kUsual = 4096;
    count = std::clamp(kMost * (kUsual / 16) / std::max(1U, job.bytes / 16), kLeast, kMost);
    const unsigned warm = count / 4;
    Time read = 0;
    Time written = 0;
    Time now = 0;
    Time begin = 0;
    for (unsigned i = 0; i < warm + count; ++i) {
      if (i == warm) {
        begin = std::max(read, written);
        system.clear();
      }
      // Reads queue behind writes on the way out, and both behind the engine.
      if (job.writes) written = device.move(true, now).accepted;
      Time taken = written;
      if (job.reads) {
        const Reply reply = device.move(false, now);
        read = reply.done;
        taken = std::max(taken, reply.accepted);
      }
      now = std::max(device.after(now), taken);
    }
    outcome.seconds = system.timebase().seconds(std::max(read, written) - begin) / count;
  }
  outcome.phases.push_back({"transfer by the device", outcome.seconds, uses(system), false});
  if (!job.latency && !job.single) {
    // The engine itself, which may be what the link waits for.
    const double busy = system.timebase().seconds(device.after(0));
    outcome.phases.back().components.push_back(
        {job.master, count, count * job.bytes, busy * count});
  }
  for (ComponentUse& use : outcome.phases.back().components) {
    use.transactions /= count;
    use.bytes /= count;
    use.busy /= count;
    use.waiting /= count;
  }
  outcome.repeats = count;
  return outcome;
}

}  // namespace weighbridge
