// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "components/parallel_bus.hpp"

#include <algorithm>
#include <utility>

namespace weighbridge {
namespace {

constexpr std::uint32_t kWord = 4;  // of the bus behind

}  // namespace

Apb::Apb(std::string name, const Parameters& parameters, Component& next)
    : Component(std::move(name)),
      next_(next),
      transfer_(
          parameters.clock.cycles(2.0 + parameters.request_slices + parameters.response_slices)) {}

Reply Apb::access(const Access& access, Time arrival) {
  const Time start = std::max(arrival, free_);
  const Time done = std::max(start + transfer_, next_.access(access, start).done);
  free_ = done;
  record(access, start, done - start, start - arrival);
  return {done, done};
}

ParallelBus::ParallelBus(std::string name, const Parameters& parameters, Component& next)
    : Component(std::move(name)), p_(parameters), next_(next) {}

Reply ParallelBus::access(const Access& access, Time arrival) {
  const auto cycles = [this](double count) { return p_.clock.cycles(count); };
  const Time start = p_.clock.next_edge(std::max(arrival, free_));
  const Time ready = start + cycles(p_.address_cycles + p_.latency_cycles);
  // The wait line is looked at while something is still under way, and only then costs time.
  const Time held = behind_ > start ? behind_ + cycles(p_.wait_cycles) : 0;
  const auto beats_of = [&](std::uint32_t bytes) {
    return cycles((bytes + p_.width - 1) / p_.width);
  };
  const Time beats = beats_of(access.bytes);
  Time begin = std::max(ready, held);
  Time end = begin + beats;
  if (access.write) {
    Access word = access;
    for (std::uint32_t at = 0; at < access.bytes; at += kWord) {
      word.address = access.address + at;
      word.bytes = std::min(kWord, access.bytes - at);
      behind_ = next_.access(word, begin + beats_of(at + word.bytes)).done;
    }
  } else {
    // The request goes out one clock after the address, the beats come with its answer.
    behind_ = next_.access(access, std::max(start + cycles(p_.address_cycles), held)).done;
    begin = std::max(ready, behind_ + cycles(p_.wait_cycles));
    end = begin + beats + cycles(p_.read_cycles);
  }
  free_ = end + cycles(p_.gap_cycles);
  record(access, start, free_ - start, start - arrival);
  return {end, end};
}

}  // namespace weighbridge
