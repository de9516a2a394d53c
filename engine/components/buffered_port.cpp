// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "components/buffered_port.hpp"

#include <stdexcept>

namespace weighbridge {

BufferedPort::BufferedPort(std::string name, const Parameters& parameters, Component& next)
    : Component(std::move(name)),
      p_(parameters),
      next_(next),
      there_(p_.latency / 2),
      back_(p_.latency - there_) {
  if (p_.width == 0 || p_.piece == 0) {
    throw std::invalid_argument("port '" + this->name() + "' needs a width and a piece");
  }
}

Time BufferedPort::beats(const Access& access) const {
  const std::uint32_t beat = std::min(p_.width, access.beat_bytes);
  return p_.clock.cycles((access.bytes + beat - 1) / beat);
}

Time BufferedPort::read(const Access& access, Time now) {
  const Time there = next_.access(access, now + there_).done + back_;
  const Time start = std::max(there, read_free_);
  read_free_ = start + beats(access);
  record(access, start, beats(access), start - there);
  return read_free_;
}

Time BufferedPort::cross(const Access& access, Time now) {
  const Time start = std::max(now, write_free_);
  write_free_ = start + beats(access);
  record(access, start, beats(access), start - now);
  return write_free_;
}

Reply BufferedPort::deliver(const Access& access, Time now) {
  Reply reply = next_.access(access, now + there_);
  reply.done += back_;
  return reply;
}

// A whole burst for masters that know nothing of pieces; one piece waits for the one before.
Reply BufferedPort::access(const Access& access, Time arrival) {
  Time now = arrival;
  Time done = arrival;
  for (std::uint32_t at = 0; at < access.bytes; at += p_.piece) {
    Access piece = access;
    piece.address += at;
    piece.bytes = std::min(p_.piece, access.bytes - at);
    if (access.write) {
      const Reply reply = deliver(piece, cross(piece, now));
      now = reply.accepted;
      done = reply.done;
    } else {
      now = done = read(piece, now);
    }
  }
  return {now, done, 0};
}

}  // namespace weighbridge
