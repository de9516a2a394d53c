// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "components/memory.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "core/contents.hpp"

namespace weighbridge {

Reply Ram::access(const Access& access, Time arrival) {
  record(access, arrival, 0, 0);
  return {arrival, arrival, 0};
}

bool Ram::contents(Contents& contents) {
  contents.enter(*this, false);
  return true;
}

Sdram::Sdram(std::string name, const Parameters& parameters)
    : Component(std::move(name)),
      p_(parameters),
      cas_(p_.clock.cycles(p_.cas_cycles)),
      slot_(p_.clock.cycles(p_.burst / 2.0)),
      slot_bytes_(p_.width * p_.burst) {
  if (!std::has_single_bit(p_.banks) || !std::has_single_bit(p_.row_bytes) ||
      !std::has_single_bit(slot_bytes_)) {
    throw std::invalid_argument("sdram '" + this->name() +
                                "': banks, row and width x burst must be powers of two");
  }
  row_shift_ = std::countr_zero(p_.row_bytes);
  bank_shift_ = std::countr_zero(p_.banks);
  bank_mask_ = p_.banks - 1;
  slot_shift_ = std::countr_zero(slot_bytes_);
  for (Device* device : {&shared_, &processors_}) {
    device->next_refresh = p_.refresh_interval;
    device->bank_free.resize(p_.banks, 0);
    device->open_row.resize(p_.banks, -1);
  }
}

void Sdram::restart() {
  owed_ = 0;
  served_.fill({});
  for (Device* device : {&shared_, &processors_}) {
    device->bus_free = 0;
    device->run_until = -1;
    device->next_refresh = p_.refresh_interval;
    std::fill(device->bank_free.begin(), device->bank_free.end(), 0);
  }
}

bool Sdram::contents(Contents& contents) {
  if (!contents.enter(*this, true)) return true;
  PortSchedule schedule = schedule_.value_or(PortSchedule{});
  bool scheduled = schedule_.has_value();
  contents(scheduled);
  contents(schedule.first);
  contents(schedule.weight);
  // Of bursts that are served at once the first in the ring counts.
  bursts_ %= served_.size();
  contents(bursts_);
  contents(served_);
  contents(owed_);
  for (Device* device : {&shared_, &processors_}) {
    contents(device->bus_free);
    contents(device->run_until);
    contents(device->next_refresh);
    contents(device->bank_free);
    contents(device->open_row);
  }
  return true;
}

Time Sdram::taken(Time arrival) const {
  if (schedule_->first == PortSchedule::First::other) return 0;
  const auto burst = std::find_if(served_.begin(), served_.end(), [&](const Served& served) {
    return served.start <= arrival && arrival < served.end;
  });
  if (burst == served_.end()) return 0;
  const Time into = arrival - burst->start;
  if (schedule_->first == PortSchedule::First::processor) {
    return p_.port_turn +
           into % std::max<Time>(1, p_.port_beat);  // the beat under way is served again
  }
  // An access that comes within the turn finds the rest of the burst queued at its end.
  return into >= schedule_->weight * p_.port_beat ? p_.port_turn : 0;
}

// A refresh closes every row and holds the device. Refreshes that fell into idle time are over.
// Each takes less than the interval, so that only the last of several may still hold the device; to
// a device that was busy before the first, they add all of their time.
void Sdram::refresh(Device& device, Time arrival) const {
  if (arrival < device.next_refresh || p_.refresh_interval == 0) return;  // 0: never
  const Time due = (arrival - device.next_refresh) / p_.refresh_interval + 1;
  const Time last = device.next_refresh + (due - 1) * p_.refresh_interval;
  device.bus_free = std::max(device.bus_free + due * p_.refresh, last + p_.refresh);
  std::fill(device.bank_free.begin(), device.bank_free.end(), device.bus_free);
  std::fill(device.open_row.begin(), device.open_row.end(), -1);
  device.next_refresh = last + p_.refresh_interval;
}

Reply Sdram::access(const Access& access, Time arrival) {
  if (!schedule_) return serve(shared_, access, arrival);
  if (access.id == kProcessorId) {
    owed_ += taken(arrival);
    return serve(processors_, access, arrival);
  }
  const Time beats = p_.port_lead + (access.bytes + p_.port_width - 1) / p_.port_width;
  served_[bursts_++ % served_.size()] = {arrival, arrival + beats * p_.port_beat};
  Reply reply = serve(shared_, access, arrival);
  if (!access.write) reply.held = std::exchange(owed_, 0);
  return reply;
}

Time Sdram::open(Device& device, const Access& access, std::size_t bank, bool run) const {
  const auto row = static_cast<std::int64_t>(access.address >> row_shift_ >> bank_shift_);
  std::int64_t& opened = device.open_row[bank];
  if (opened == row) return 0;
  Time takes = p_.activate;
  if (opened >= 0) {
    takes += p_.precharge;
    // Only two runs meet in a bank; between single accesses the bank has time.
    if (run) takes += access.write ? p_.write_recovery : p_.read_recovery;
  }
  opened = row;
  return takes;
}

void Sdram::touch(const Access& access) {
  Device& device = schedule_ && access.id == kProcessorId ? processors_ : shared_;
  open(device, access, bank_of(access.address), false);
}

Reply Sdram::serve(Device& device, const Access& access, Time arrival) {
  refresh(device, arrival);
  const auto first = static_cast<std::uint32_t>(access.address) & (slot_bytes_ - 1);
  std::uint32_t slots = (first + access.bytes + slot_bytes_ - 1) >> slot_shift_;
  // A beat is a burst of the device's by itself, or several of a wide port.
  if (access.single_beats && access.beat_bytes <= slot_bytes_) {
    slots = (access.bytes + access.beat_bytes - 1) / access.beat_bytes;
  }
  const bool run = access.single_beats && slots > 1;
  const std::size_t bank = bank_of(access.address);
  const Time open = this->open(device, access, bank, run);
  const Time data = slot_ * slots;
  // A run of single beats gives way between two of them, and ends so much later.
  const bool yields = !run && device.bus_free == device.run_until;
  // Rows open in one bank while another one has the bus.
  const Time ready = (yields ? arrival : std::max(arrival, device.bank_free[bank])) + open;
  const Time start = yields ? std::min(std::max(ready, device.bus_free), ready + slot_)
                            : std::max(ready, device.bus_free);
  if (run) device.run_until = start + data;
  if (yields) device.run_until = std::max(device.bus_free, start) + data;
  device.bus_free = std::max(device.bus_free, start) + data;
  device.bank_free[bank] = device.bus_free;
  record(access, start - open, open + data, start - arrival - open);
  if (access.write) {
    // Taken as soon as there is room for it; the device follows.
    const Time room = std::max(arrival, start - slot_ * p_.queue) + p_.write_latency;
    return {room, room, 0};
  }
  return {device.bus_free, start + cas_ + data + p_.read_latency};
}

}  // namespace weighbridge
