// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "programs/device_transfer.hpp"

#include <algorithm>
#include <stdexcept>

#include "components/packet_dma.hpp"

namespace weighbridge {
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
  outcome.phases.push_back({"transfer by the device", outcome.seconds, uses(system), false, true});
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
