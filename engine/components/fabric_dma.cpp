// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "components/fabric_dma.hpp"

#include <algorithm>

namespace weighbridge {

FabricDma::FabricDma(const FabricDmaParameters& parameters, Component& port, Address memory,
                     bool to_fabric, std::uint32_t bytes, std::uint32_t beat_bytes,
                     std::uint32_t run_beats, bool allocate)
    : p_(parameters),
      port_(port),
      memory_(memory),
      to_fabric_(to_fabric),
      bytes_(bytes),
      beat_bytes_(beat_bytes),
      run_beats_(run_beats),
      allocate_(allocate) {}

Time FabricDma::step(Time now) {
  if (done_ >= bytes_) return kNever;
  const std::uint32_t bytes = std::min(bytes_ - done_, run_beats_ * beat_bytes_);
  const Access access{.address = memory_ + done_,
                      .bytes = bytes,
                      .beat_bytes = beat_bytes_,
                      .write = !to_fabric_,
                      .outer = true,
                      .allocate = allocate_,
                      .id = kDmaId,
                      .single_beats = true};
  const Reply reply = port_.access(access, now);
  done_ += bytes;
  if (run_beats_ == 1) {
    finished_ = to_fabric_ ? reply.done : now;
    return reply.done;
  }
  finished_ = to_fabric_ ? reply.done : reply.accepted;
  if (to_fabric_) return reply.accepted;
  // As many beats as may be under way are answered in the time that one takes.
  const Time response = reply.done - reply.accepted + p_.write_response;
  const Time beats = bytes / beat_bytes_;
  return std::max(reply.accepted, now + response * beats / p_.writes_in_flight);
}

}  // namespace weighbridge
