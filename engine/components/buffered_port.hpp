// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A port through which masters in the fabric reach the processor's memory.
#pragma once

#include <algorithm>
#include <string>

#include "core/component.hpp"
#include "core/fields.hpp"

namespace weighbridge {

// A data bus each way in the fabric's clock, and a FIFO behind each. Data moves in pieces: what is
// behind the port is asked for one whole piece at a time. The FIFO bounds how far reads run ahead
// of the data that have crossed, and how far writes run ahead of the memory. With room for two
// pieces a port hides delays up to the beats of one piece, and no longer ones.
class BufferedPort : public Component {
 public:
  struct Parameters {
    Fields f = {};
    Clock clock = f.clock();
    std::uint32_t width = f.bytes("width", "of a beat", allowed::width);
    std::uint32_t fifo = f.bytes("fifo", "that it holds each way", {1, 16 * kMiB});
    std::uint32_t piece = f.bytes("piece", "that the memory is asked for at a time", {1, kMiB});
    Time latency = f.time("latency", "there and back");
  };

  BufferedPort(std::string name, const Parameters& parameters, Component& next);
  Reply access(const Access& access, Time arrival) override;
  void restart() override { read_free_ = write_free_ = 0; }

  [[nodiscard]] std::uint32_t piece() const { return p_.piece; }
  [[nodiscard]] std::uint32_t depth() const { return std::max(1U, p_.fifo / p_.piece); }
  [[nodiscard]] Time cycles(double count) const { return p_.clock.cycles(count); }
  // How long an access occupies the bus of its direction.
  [[nodiscard]] Time beats(const Access& access) const;

  // One piece from memory: asked for at `now`, returns when its last beat has crossed.
  Time read(const Access& access, Time now);
  // One piece to memory, in two steps: its beats cross, returns when the last one has ...
  Time cross(const Access& access, Time now);
  // ... and is handed on: `accepted` when it has left the FIFO, `done` when it is answered.
  Reply deliver(const Access& access, Time now);

 private:
  Parameters p_;
  Component& next_;
  Time there_;
  Time back_;
  Time read_free_ = 0;
  Time write_free_ = 0;
};

}  // namespace weighbridge
