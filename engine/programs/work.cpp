// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "programs/work.hpp"

#include <algorithm>
#include <numeric>

namespace weighbridge {
namespace {

constexpr std::uint32_t kWord = 4;

// A step through all lines that leaves no order between neighbours.
std::uint64_t far_stride(std::uint64_t lines) {
  std::uint64_t stride = std::max<std::uint64_t>(1, lines * 618 / 1000);
  while (std::gcd(stride, lines) != 1) ++stride;
  return stride;
}

}  // namespace

Work::Work(const ProcessorParameters& parameters, const ProcessorPorts& ports, Consume consume)
    : p_(parameters), ports_(ports), consume_(consume), stored_(p_.stores_in_flight, 0) {}

std::uint64_t Work::lines(std::uint64_t bytes) const {
  return consume_ == Consume::none ? 0 : (bytes + ports_.line - 1) / ports_.line;
}

Time Work::line(const Buffer& block, std::uint64_t bytes, std::uint64_t i, bool write, Time now) {
  const std::uint64_t count = lines(bytes);
  const std::uint64_t stride = consume_ == Consume::random ? far_stride(count) : 1;
  const std::uint64_t at = i * stride % count * ports_.line;
  const auto left = static_cast<std::uint32_t>(std::min<std::uint64_t>(ports_.line, bytes - at));
  return write ? store(block, at, left, now) : load(block, at, left, now);
}

Time Work::all(const Buffer& block, std::uint64_t bytes, bool write) {
  Time now = 0;
  for (std::uint64_t i = 0; i < lines(bytes); ++i) now += line(block, bytes, i, write, now);
  return now;
}

// A line's loads; those that go past the caches each wait for memory.
Time Work::load(const Buffer& block, std::uint64_t at, std::uint32_t left, Time now) const {
  const bool random = consume_ == Consume::random;
  const std::uint32_t count = random ? 1 : left;
  const Access access{.address = block.at(at),
                      .bytes = random ? std::min(kWord, left) : 1,
                      .inner = block.inner,
                      .outer = block.outer};
  const Time latency = ports_.memory->access(access, now).done - now;
  return block.cached() ? latency + count * p_.access : count * (latency + p_.access);
}

// A line's stores; they leave through the store buffer.
Time Work::store(const Buffer& block, std::uint64_t at, std::uint32_t left, Time now) {
  const bool random = consume_ == Consume::random;
  Time then = now + (random ? 1 : left) * p_.access;
  if (!block.cached() && !random) then += p_.copy_uncached_store * left / ports_.line;
  Time& slot = stored_[stores_++ % stored_.size()];
  then = std::max(then, slot);
  const Access access{.address = block.at(at),
                      .bytes = random ? std::min(kWord, left) : left,
                      .write = true,
                      .inner = block.inner,
                      .outer = block.outer,
                      .allocate = block.allocate};
  const Reply reply = ports_.memory->access(access, then);
  slot = std::max(reply.accepted, reply.done);
  return then - now;
}

}  // namespace weighbridge
