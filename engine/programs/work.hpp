// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// What a program does with a block besides moving it: it reads a block that has come, or writes a
// block that is about to go, through the caches as they are.
#pragma once

#include <cstdint>
#include <vector>

#include "components/processor.hpp"

namespace weighbridge {

// stream: each byte in order; random: a word of each line, the lines in no order.
enum class Consume { none, stream, random };

class Work {
 public:
  Work(const ProcessorParameters& parameters, const ProcessorPorts& ports, Consume consume);

  // Accesses, a line each, that a block takes.
  [[nodiscard]] std::uint64_t lines(std::uint64_t bytes) const;
  // How long the i-th of them takes from `now` on.
  Time line(const Buffer& block, std::uint64_t bytes, std::uint64_t i, bool write, Time now);
  // How long all of them take.
  Time all(const Buffer& block, std::uint64_t bytes, bool write);

 private:
  Time load(const Buffer& block, std::uint64_t at, std::uint32_t left, Time now) const;
  Time store(const Buffer& block, std::uint64_t at, std::uint32_t left, Time now);

  const ProcessorParameters& p_;
  const ProcessorPorts& ports_;
  Consume consume_;
  std::vector<Time> stored_;
  std::uint64_t stores_ = 0;
};

}  // namespace weighbridge
