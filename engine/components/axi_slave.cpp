// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "components/axi_slave.hpp"

#include <algorithm>

namespace weighbridge {

AxiSlave::AxiSlave(const BlockDmaParameters& parameters, BufferedPort& port, Address window)
    : p_(parameters), port_(port), window_(window), period_(port.cycles(1)) {}

bool AxiSlave::room(const std::deque<Time>& left) const {
  return left.size() < port_.depth() || left.front() <= edge_ - period_;
}

void AxiSlave::note(std::deque<Time>& left, Time time) const {
  left.push_back(time);
  if (left.size() > port_.depth()) left.pop_front();
}

Access AxiSlave::piece(const Burst& burst, std::uint32_t beats, bool write) const {
  return {.address = burst.address + window_,
          .bytes = beats * p_.beat,
          .beat_bytes = p_.beat,
          .write = write,
          .outer = true,
          .allocate = p_.allocate};
}

// Asks for the pieces of bursts in order, as far as the FIFO has room for them.
void AxiSlave::read_ahead() {
  while (!asked_.empty() && room(read_left_)) {
    Burst& burst = asked_.front();
    const std::uint32_t beats = std::min(port_.piece() / p_.beat, burst.beats);
    const Time crossed = port_.read(piece(burst, beats, false), edge_ - period_);
    for (std::uint32_t i = beats; i > 0; --i) beats_.push_back(crossed - (i - 1) * period_);
    note(read_left_, crossed);
    burst.address += beats * p_.beat;
    if ((burst.beats -= beats) == 0) asked_.pop_front();
  }
}

void AxiSlave::drive(LogicPins& pins, Time edge) {
  edge_ = edge;
  read_ahead();
  pins.arready = returning_.size() < p_.outstanding_reads;
  pins.rvalid = !beats_.empty() && beats_.front() <= edge_;
  pins.rlast = pins.rvalid && returning_.front().beats == 1;
  pins.rid = pins.rvalid ? returning_.front().id : 0;
  pins.awready = writing_.size() + answers_.size() < p_.outstanding_writes;
  pins.wready = !writing_.empty() && (piece_beats_ > 0 || room(write_left_));
  pins.bvalid = !answers_.empty() && answers_.front().due <= edge_;
  pins.bid = pins.bvalid ? answers_.front().id : 0;
}

void AxiSlave::sample(const LogicPins& pins, Time edge) {
  edge_ = edge;
  if (pins.rvalid) {
    beats_.pop_front();
    if (--returning_.front().beats == 0) returning_.pop_front();
  }
  if (pins.bvalid) answers_.pop_front();
  if (pins.wvalid && pins.wready) take_beat();
  if (pins.arvalid && pins.arready) {
    const Burst burst{pins.araddress, pins.arbeats, pins.arid};
    asked_.push_back(burst);
    returning_.push_back(burst);
  }
  if (pins.awvalid && pins.awready) {
    writing_.push_back({pins.awaddress, pins.awbeats, pins.awid});
  }
}

// A beat of the oldest burst crosses; with its last one a piece is handed on.
void AxiSlave::take_beat() {
  Burst& burst = writing_.front();
  if (piece_beats_ == 0) {
    crossing_ = piece(burst, std::min(port_.piece() / p_.beat, burst.beats), true);
    crossed_ = port_.cross(crossing_, edge_ - period_);
  }
  --burst.beats;
  if (++piece_beats_ * p_.beat < crossing_.bytes) return;
  const Reply reply = port_.deliver(crossing_, std::max(edge_, crossed_));
  note(write_left_, reply.accepted);
  burst.due = std::max(burst.due, reply.done);
  burst.address += crossing_.bytes;
  piece_beats_ = 0;
  if (burst.beats > 0) return;
  // Answers come in order.
  if (!answers_.empty()) burst.due = std::max(burst.due, answers_.back().due);
  answers_.push_back(burst);
  writing_.pop_front();
}

}  // namespace weighbridge
