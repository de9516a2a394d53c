// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A DMA controller in the fabric that moves single beats between on-chip RAM and the processor's
// memory.
#pragma once

#include <cstdint>

#include "core/component.hpp"
#include "core/fields.hpp"
#include "core/scheduler.hpp"

namespace weighbridge {

struct FabricDmaParameters {
  Fields f = {};
  std::uint32_t writes_in_flight =
      f.count("writes_in_flight", "beats through a port that buffers that wait for their response",
              {1, 4096});
  Time write_response = f.time("write_response", "of such a beat, beside what the port says");
};

// One controller. Every beat is a transaction of its own. Through a port with one outstanding
// access each beat waits for the one before; a port that buffers takes a run of beats at a time.
// The last write is over when the port has taken it: no one waits for its response.
class FabricDma : public Process {
 public:
  FabricDma(const FabricDmaParameters& parameters, Component& port, Address memory, bool to_fabric,
            std::uint32_t bytes, std::uint32_t beat_bytes, std::uint32_t run_beats, bool allocate);
  Time step(Time now) override;
  [[nodiscard]] Time finished() const { return finished_; }

 private:
  FabricDmaParameters p_;
  Component& port_;
  Address memory_;
  bool to_fabric_;
  std::uint32_t bytes_;
  std::uint32_t beat_bytes_;
  std::uint32_t run_beats_;
  bool allocate_;
  std::uint32_t done_ = 0;
  Time finished_ = 0;
};

}  // namespace weighbridge
