// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace weighbridge {

Reply Ram::access(const Access& access, Time arrival) {
  record(access.bytes, 0, 0);
  return {arrival, arrival, 0};
}

Sdram::Sdram(std::string name, const Parameters& parameters)
    : Component(std::move(name)),
      p_(parameters),
      cas_(p_.clock.cycles(p_.cas_cycles)),
      slot_(p_.clock.cycles(p_.burst / 2.0)),
      slot_bytes_(p_.width * p_.burst),
      next_refresh_(p_.refresh_interval),
      bank_free_(p_.banks, 0),
      open_row_(p_.banks, -1) {
  if (!std::has_single_bit(p_.banks) || !std::has_single_bit(p_.row_bytes) ||
      !std::has_single_bit(slot_bytes_)) {
    throw std::invalid_argument("sdram '" + this->name() +
                                "': banks, row and width x burst must be powers of two");
  }
  row_shift_ = std::countr_zero(p_.row_bytes);
  bank_shift_ = std::countr_zero(p_.banks);
  bank_mask_ = p_.banks - 1;
  slot_shift_ = std::countr_zero(slot_bytes_);
}

void Sdram::restart() {
  bus_free_ = 0;
  run_until_ = -1;
  owed_ = 0;
  served_.fill({});
  std::fill(bank_free_.begin(), bank_free_.end(), 0);
  next_refresh_ = p_.refresh_interval;
}

Time Sdram::taken(Time arrival) const {
  if (schedule_->first == PortSchedule::First::other) return 0;
  const auto burst = std::find_if(served_.begin(), served_.end(), [&](const Served& served) {
    return served.start <= arrival && arrival < served.end;
  });
  if (burst == served_.end()) return 0;
  const Time into = arrival - burst->start;
  if (schedule_->first == PortSchedule::First::processor) {
    return p_.port_turn + into % p_.port_beat;  // the beat under way is served again
  }
  // Who comes within the turn finds the rest of the burst queued at its end.
  return into >= schedule_->weight * p_.port_beat ? p_.port_turn : 0;
}

Reply Sdram::access(const Access& access, Time arrival) {
  if (schedule_) {
    if (access.id == kProcessorId) {
      owed_ += taken(arrival);
      return {arrival, arrival};
    }
    const Time beats = p_.port_lead + (access.bytes + p_.port_width - 1) / p_.port_width;
    served_[bursts_++ % served_.size()] = {arrival, arrival + beats * p_.port_beat};
  }
  while (arrival >= next_refresh_) {
    // A refresh closes every row and holds the device; one that fell into idle time is over.
    bus_free_ = std::max(bus_free_, next_refresh_) + p_.refresh;
    std::fill(bank_free_.begin(), bank_free_.end(), bus_free_);
    std::fill(open_row_.begin(), open_row_.end(), -1);
    next_refresh_ += p_.refresh_interval;
  }
  const auto first = static_cast<std::uint32_t>(access.address) & (slot_bytes_ - 1);
  std::uint32_t slots = (first + access.bytes + slot_bytes_ - 1) >> slot_shift_;
  if (access.single_beats) slots = (access.bytes + access.beat_bytes - 1) / access.beat_bytes;
  const bool run = access.single_beats && slots > 1;
  const std::uint64_t row_index = access.address >> row_shift_;
  const auto bank = static_cast<std::size_t>(row_index & bank_mask_);
  const auto row = static_cast<std::int64_t>(row_index >> bank_shift_);
  Time open = 0;
  if (open_row_[bank] != row) {
    open = p_.activate;
    if (open_row_[bank] >= 0) {
      open += p_.precharge;
      // Of two runs that meet in a bank; single accesses leave it the time.
      if (run) open += access.write ? p_.write_recovery : p_.read_recovery;
    }
    open_row_[bank] = row;
  }
  const Time data = slot_ * slots;
  // A run of single beats gives way between two of them, and ends so much later.
  const bool yields = !run && bus_free_ == run_until_;
  // Rows open in one bank while another one has the bus.
  const Time ready = (yields ? arrival : std::max(arrival, bank_free_[bank])) + open;
  const Time start =
      yields ? std::min(std::max(ready, bus_free_), ready + slot_) : std::max(ready, bus_free_);
  if (run) run_until_ = start + data;
  if (yields) run_until_ = std::max(bus_free_, start) + data;
  bus_free_ = std::max(bus_free_, start) + data;
  bank_free_[bank] = bus_free_;
  record(access.bytes, open + data, start - arrival - open);
  if (access.write) {
    // Taken as soon as there is room for it; the device follows.
    const Time room = std::max(arrival, start - slot_ * p_.queue) + p_.write_latency;
    return {room, room, 0};
  }
  return {bus_free_, start + cas_ + data + p_.read_latency, 0, std::exchange(owed_, 0)};
}

}  // namespace weighbridge
