// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "components/block_dma.hpp"

#include <algorithm>

namespace weighbridge {

BlockDma::BlockDma(const BlockDmaParameters& parameters, BufferedPort& port, Address window,
                   bool to_fabric)
    : p_(parameters), port_(port), window_(window), to_fabric_(to_fabric) {}

bool BlockDma::enqueue(Address address, std::uint32_t bytes, Time now) {
  if (held_ >= p_.commands) return false;
  ++held_;
  queue_.push_back({address, bytes});
  // While an engine is busy the beats of its next burst gather behind those on their way.
  if (queue_.size() == 1) begin(now, p_.command_cycles + (to_fabric_ ? 0 : p_.gather_beats));
  return true;
}

void BlockDma::begin(Time now, double cycles) { due_ = ready(now + port_.cycles(cycles)); }

// When the next piece may start: there is room for it, and for its burst if it begins one.
Time BlockDma::ready(Time now) const {
  const std::size_t outstanding = to_fabric_ ? p_.outstanding_reads : p_.outstanding_writes;
  Time time = now;
  if (left_.size() == port_.depth()) time = std::max(time, left_.front());
  if (in_burst_ == 0 && bursts_.size() == outstanding) time = std::max(time, bursts_.front());
  return time;
}

Time BlockDma::next() const {
  return completed_.empty() ? due_ : std::min(due_, completed_.front());
}

void BlockDma::step(Time now) {
  while (!completed_.empty() && completed_.front() <= now) {
    completed_.pop_front();
    --held_;
    ++results_;
  }
  if (due_ <= now) issue(now);
}

void BlockDma::issue(Time now) {
  const Command& command = queue_.front();
  const Access piece{
      .address = command.address + window_ + done_,
      .bytes = std::min({port_.piece(), p_.burst - in_burst_, command.bytes - done_}),
      .beat_bytes = p_.beat,
      .write = !to_fabric_,
      .outer = true,
      .allocate = p_.allocate};
  if (to_fabric_) {
    const Time crossed = port_.read(piece, now);
    issued(piece.bytes, crossed, crossed, now);
  } else if (!crossing_) {
    crossing_ = true;
    due_ = port_.cross(piece, now);
  } else {
    crossing_ = false;
    const Reply reply = port_.deliver(piece, now);
    issued(piece.bytes, reply.done, reply.accepted, now);
  }
}

void BlockDma::issued(std::uint32_t bytes, Time finished, Time left, Time now) {
  const std::size_t outstanding = to_fabric_ ? p_.outstanding_reads : p_.outstanding_writes;
  const bool last = (done_ += bytes) == queue_.front().bytes;
  in_burst_ += bytes;
  left_.push_back(left);
  if (left_.size() > port_.depth()) left_.pop_front();
  if (last || in_burst_ == p_.burst) {
    in_burst_ = 0;
    bursts_.push_back(finished);
    if (bursts_.size() > outstanding) bursts_.pop_front();
  }
  due_ = ready(now);
  if (!last) return;
  completed_.push_back(completed_.empty() ? finished : std::max(finished, completed_.back()));
  queue_.pop_front();
  done_ = 0;
  due_ = kNever;
  if (!queue_.empty()) begin(now, p_.command_cycles);
}

}  // namespace weighbridge
