// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "programs/engine_copy.hpp"

#include <algorithm>
#include <stdexcept>

#include "components/copy_engine.hpp"

namespace weighbridge {
namespace {

constexpr std::uint32_t kWord = 4;

}  // namespace

Outcome engine_copy(System& system, const CopyEngineJob& job) {
  if (job.bytes == 0) throw std::invalid_argument("a copy needs at least one byte");
  const Master master = system.master(job.master);
  Component& bus = *master.ports.at(0);
  const CopyEngineParameters p{master.fields};
  const std::uint32_t fifo = p.fifo_words * kWord;
  const std::uint32_t burst = p.burst_words * kWord;
  Time now = 0;
  for (std::uint32_t at = 0; at < job.bytes; at += fifo) {
    const std::uint32_t held = std::min(fifo, job.bytes - at);
    for (const bool write : {false, true}) {
      for (std::uint32_t done = 0; done < held; done += burst) {
        const Access piece{.address = (write ? job.target : job.source) + at + done,
                           .bytes = std::min(burst, held - done),
                           .write = write};
        const Reply reply = bus.access(piece, now);
        now = write ? reply.accepted : reply.done;
      }
    }
  }
  Outcome outcome;
  outcome.seconds = system.timebase().seconds(now + p.start);
  outcome.phases.push_back({"start and poll", system.timebase().seconds(p.start), {}, true});
  outcome.phases.push_back(
      {"transfer by the central DMA", system.timebase().seconds(now), uses(system), false, true});
  return outcome;
}

}  // namespace weighbridge
