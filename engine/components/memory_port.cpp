// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "components/memory_port.hpp"

#include <algorithm>
#include <utility>

namespace weighbridge {

MemoryPort::MemoryPort(std::string name, const Parameters& parameters, Component& next)
    : Component(std::move(name)),
      p_(parameters),
      controller_(dynamic_cast<DdrController&>(next)),
      read_way_(p_.clock.cycles(p_.request_cycles) + p_.read_request),
      write_way_(p_.clock.cycles(p_.request_cycles) + p_.write_request) {
  restart();
}

void MemoryPort::restart() {
  port = p_.port;
  video = p_.traffic == Traffic::video;
  reads.clear();
  writes.clear();
  pieces_.clear();
  responses_.clear();
  gone_.clear();
  first_piece_ = write_piece_ = 0;
  read_left_ = under_way_ = coming_ = piece_left_ = write_open_ = 0;
  write_free_ = 0;
  written_ = 0;
  back = 0;
}

std::uint64_t MemoryPort::mask(Address address, std::uint32_t bytes) const {
  return bytes >= 64 ? ~0ULL : ((1ULL << bytes) - 1) << (address % controller_.granule());
}

void MemoryPort::read(Address address, std::uint32_t beats) {
  read_at_ = address;
  read_left_ = beats;
}

// A piece a cycle.
void MemoryPort::cut(Time now) {
  if (read_left_ == 0 || under_way_ == p_.reads_in_flight) return;
  const std::uint32_t beats = std::min(read_left_, p_.piece_beats);
  const Address end = read_at_ + Address{beats} * p_.width;
  Piece piece{0, 0, beats, 0};
  const std::uint64_t number = first_piece_ + pieces_.size();
  while (read_at_ < end) {
    const Address granule = controller_.granule();
    const Address next = std::min<Address>((read_at_ / granule + 1) * granule, end);
    const auto bytes = static_cast<std::uint32_t>(next - read_at_);
    reads.push_back({read_at_, mask(read_at_, bytes), bytes, number, now + read_way_});
    ++piece.granules;
    ++piece.all;
    read_at_ = next;
  }
  record({.address = read_at_, .bytes = beats * p_.width}, now, beats * p_.clock.period(), 0);
  pieces_.push_back(piece);
  ++under_way_;
  read_left_ -= beats;
}

void MemoryPort::read_done(std::uint64_t number, Time at) {
  Piece& piece = pieces_[number - first_piece_];
  --piece.granules;
  ++back;
  piece.at = std::max(piece.at, at + p_.read_return);
}

bool MemoryPort::beat_back(Time now) {
  if (coming_ == 0) {
    if (pieces_.empty() || pieces_.front().granules > 0 || pieces_.front().at > now) return false;
    coming_ = pieces_.front().beats;
    leaving_ = pieces_.front().all;
    pieces_.pop_front();
    ++first_piece_;
  }
  if (--coming_ == 0) {
    --under_way_;
    back -= leaving_;
  }
  return true;
}

bool MemoryPort::takes_write(Time now) {
  for (; !gone_.empty() && gone_.front().at <= now; gone_.pop_front()) {
    write_open_ -= gone_.front().bytes;
  }
  return piece_left_ > 0 || write_open_ < p_.write_bytes_in_flight;
}

void MemoryPort::write(Address address, bool last, Time now) {
  if (piece_left_ == 0) {
    piece_left_ = p_.piece_beats;
    write_from_ = address;
  }
  --piece_left_;
  if (last) piece_left_ = 0;
  const Address end = address + p_.width;
  if (piece_left_ > 0 && end % controller_.granule() != 0) return;
  const auto bytes = static_cast<std::uint32_t>(end - write_from_);
  const double cycles = piece_left_ == 0 ? std::max(1.0, p_.write_cycles) : 1.0;
  write_free_ = std::max(now + write_way_, write_free_) +
                static_cast<Time>(cycles * static_cast<double>(controller_.period()));
  writes.push_back({write_from_, mask(write_from_, bytes), bytes, write_piece_, write_free_});
  if (piece_left_ == 0) ++write_piece_;
  record({.address = write_from_, .bytes = bytes, .write = true}, now, 0, 0);
  write_open_ += bytes;
  write_from_ = end;
}

void MemoryPort::write_taken(std::uint32_t bytes, Time at) {
  responses_.push_back({at + p_.write_return, bytes});
}

void MemoryPort::write_done(std::uint32_t bytes, Time at) {
  gone_.push_back({at + p_.write_return, bytes});
}

std::uint64_t MemoryPort::written(Time now) {
  for (; !responses_.empty() && responses_.front().at <= now; responses_.pop_front()) {
    written_ += responses_.front().bytes;
  }
  return written_;
}

// One burst by itself.
Reply MemoryPort::access(const Access& access, Time arrival) {
  const Time beats = (access.bytes + p_.width - 1) / p_.width;
  record(access, arrival, beats * p_.clock.period(), 0);
  const Time there = arrival + (access.write ? write_way_ : read_way_);
  const Reply reply = controller_.access(access, there);
  const Time back = access.write ? p_.write_return : p_.read_return;
  return {arrival + beats * p_.clock.period(), reply.done + back + beats * p_.clock.period()};
}

}  // namespace weighbridge
