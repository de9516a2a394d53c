// SPDX-License-Identifier: Apache-2.0
#include "bridge.hpp"

#include <algorithm>
#include <stdexcept>

namespace weighbridge {

Bridge::Bridge(std::string name, const Parameters& parameters, Component& next)
    : Component(std::move(name)),
      p_(parameters),
      next_(next),
      half_latency_(p_.latency / 2) {}

void Bridge::restart() {
  Component::restart();
  read_free_ = write_free_ = 0;
}

Reply Bridge::access(const Access& access, Time arrival) {
  const bool full = access.beat_bytes >= p_.upstream_width;
  const std::uint32_t beat = full ? p_.width : std::min(p_.width, access.beat_bytes);
  const std::uint32_t beats = (access.bytes + beat - 1) / beat;
  if (access.posted) return post(access, arrival, beats);

  Time& free = access.write ? write_free_ : read_free_;
  const Time there = arrival + half_latency_;
  Time start = std::max(there, free);
  const Time waited = start - there;
  if (p_.synchronise) start = p_.clock.next_edge(start);

  const bool narrows = access.beat_bytes > p_.width;
  const double turnaround =
      narrows ? 0.0 : (access.write ? p_.write_turnaround_cycles : p_.read_turnaround_cycles);
  const Time data = p_.clock.cycles(beats * p_.beat_cycles);
  const Time occupied = data + p_.clock.cycles(turnaround);
  free = start + occupied;
  record(access.bytes, occupied, waited);

  const Time latency = p_.clock.cycles(access.write ? p_.write_cycles : p_.read_cycles);
  Reply reply = next_.access(access, start);
  // Cut-through: the slower of the two data phases decides.
  const Time wait = access.critical_first ? p_.clock.cycles(p_.beat_cycles) : data;
  reply.done = std::max(reply.done, start + wait) + latency;
  if (p_.synchronise) reply.done = p_.clock.next_edge(reply.done);
  reply.done += p_.latency - half_latency_;
  reply.accepted = std::max(reply.accepted, free);
  return reply;
}

Reply Bridge::post(const Access& access, Time arrival, std::uint32_t beats) {
  const Time data = p_.clock.cycles(beats * p_.beat_cycles);
  const Time start = std::max(arrival, write_free_);
  write_free_ = start + data;
  record(access.bytes, data, start - arrival);
  Reply reply = next_.access(access, arrival);
  const bool narrows = access.beat_bytes > p_.width;
  const Time service =
      p_.clock.cycles(p_.posted_cycles + (narrows ? p_.posted_narrow_cycles : 0.0));
  reply.done = std::max(reply.done, arrival + service);
  reply.accepted = std::max(reply.accepted, write_free_);
  reply.wake += p_.clock.cycles(p_.wake_cycles) + half_latency_;
  return reply;
}

Switch::Switch(std::string name, Time latency, std::vector<Window> windows)
    : Component(std::move(name)), half_latency_(latency / 2), windows_(std::move(windows)) {}

Reply Switch::access(const Access& access, Time arrival) {
  for (const Window& window : windows_) {
    if (access.address - window.base < window.bytes) {
      record(access.bytes, 0, 0);
      if (access.posted) return window.target->access(access, arrival);
      Reply reply = window.target->access(access, arrival + half_latency_);
      reply.done += half_latency_;
      return reply;
    }
  }
  throw std::out_of_range(name() + ": no window for address " + std::to_string(access.address));
}

}  // namespace weighbridge
