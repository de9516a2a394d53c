// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "components/bridge.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "core/contents.hpp"

namespace weighbridge {

Bridge::Bridge(std::string name, const Parameters& parameters, Component& next)
    : Component(std::move(name)),
      p_(parameters),
      next_(next),
      there_(p_.latency / 2),
      back_(p_.latency - there_),
      beat_(p_.clock.cycles(p_.beat_cycles)),
      posted_(p_.clock.cycles(p_.posted_cycles)),
      posted_narrow_(p_.clock.cycles(p_.posted_narrow_cycles)),
      wake_(p_.clock.cycles(p_.wake_cycles)),
      bufferable_(p_.clock.cycles(p_.bufferable_turnaround_cycles)),
      read_{p_.clock.cycles(p_.read_cycles), p_.clock.cycles(p_.read_turnaround_cycles)},
      write_{p_.clock.cycles(p_.write_cycles), p_.clock.cycles(p_.write_turnaround_cycles)} {}

void Bridge::restart() { read_.free = write_.free = 0; }

bool Bridge::contents(Contents& contents) {
  if (!contents.enter(*this, false)) return true;
  contents(read_.free);
  contents(write_.free);
  return next_.contents(contents);
}

std::uint32_t Bridge::beats(const Access& access) const {
  const bool full = access.beat_bytes >= p_.upstream_width;
  const std::uint32_t beat = full ? p_.width : std::min(p_.width, access.beat_bytes);
  // Most are powers of two; a division takes as long as half of the rest.
  if ((beat & (beat - 1)) == 0) return (access.bytes + beat - 1) >> std::countr_zero(beat);
  return (access.bytes + beat - 1) / beat;
}

Time Bridge::turnarounds(const Access& access, std::uint32_t count) const {
  if (p_.burst_beats == 0) return access.beat_bytes > p_.width ? 0 : 1;
  if (count <= p_.burst_beats) return count == 1 ? 0 : 1;
  return (count + p_.burst_beats - 1) / p_.burst_beats;
}

// Here and in the other hops a function with a named reply has no other return, so that the
// compiler makes the reply in its place. A copy would read in one piece what was just written in
// several, and the host's processor would stall.
Reply Bridge::access(const Access& access, Time arrival) {
  return access.posted ? post(access, arrival) : cross(access, arrival);
}

Reply Bridge::cross(const Access& access, Time arrival) {
  Channel& channel = access.write ? write_ : read_;
  const Time there = arrival + there_;
  Time start = std::max(there, channel.free);
  const Time waited = start - there;
  if (p_.synchronise) start = p_.clock.next_edge(start);

  const std::uint32_t count = beats(access);
  const Time data = count * beat_;
  const Time occupied =
      data + turnarounds(access, count) * (access.bufferable ? bufferable_ : channel.turnaround);
  channel.free = start + occupied;
  record(access, start, occupied, waited);

  // A beat that has to be split goes on with its last piece.
  const bool split = access.single_beats && access.bytes == access.beat_bytes;
  Reply reply = next_.access(access, split ? start + data - beat_ : start);
  channel.free += std::exchange(reply.held, 0);
  // Cut-through: the slower of the two data phases decides.
  const Time wait = access.critical_first ? beat_ : data;
  reply.done = std::max(reply.done, start + wait) + channel.latency;
  if (p_.synchronise) reply.done = p_.clock.next_edge(reply.done);
  reply.done += back_;
  reply.accepted = std::max(reply.accepted, channel.free);
  return reply;
}

Reply Bridge::post(const Access& access, Time arrival) {
  const Time data = beats(access) * beat_;
  const Time start = std::max(arrival, write_.free);
  write_.free = start + data;
  record(access, start, data, start - arrival);
  Reply reply = next_.access(access, arrival);
  const bool narrows = access.beat_bytes > p_.width;
  reply.done = std::max(reply.done, arrival + posted_ + (narrows ? posted_narrow_ : 0));
  reply.accepted = std::max(reply.accepted, write_.free);
  reply.wake += wake_ + there_;
  return reply;
}

Switch::Switch(std::string name, Time latency, std::vector<Window> windows)
    : Component(std::move(name)), half_latency_(latency / 2), windows_(std::move(windows)) {}

std::unique_ptr<Component> Switch::make(const Site& site) {
  return std::make_unique<Switch>(site.name, Parameters{site.fields}.latency, site.windows);
}

Reply Switch::access(const Access& access, Time arrival) {
  record(access, arrival, 0, 0);
  Component& target = target_of(access.address);
  const Time half = access.posted ? 0 : half_latency_;
  Reply reply = target.access(access, arrival + half);
  reply.done += half;
  return reply;
}

bool Switch::contents(Contents& contents) {
  if (!contents.enter(*this, false)) return true;
  return std::all_of(windows_.begin(), windows_.end(),
                     [&](const Window& window) { return window.target->contents(contents); });
}

Component& Switch::target_of(Address address) const {
  for (const Window& window : windows_) {
    if (address - window.base < window.bytes) return *window.target;
  }
  throw std::out_of_range(name() + ": no window for address " + std::to_string(address));
}

}  // namespace weighbridge
