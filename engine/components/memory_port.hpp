// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A port for masters in the fabric in front of a DDR controller.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "components/ddr_controller.hpp"

namespace weighbridge {

// Cuts bursts into pieces and these into the controller's granules. Reads and writes have channels
// of their own, a beat each in a cycle of the fabric; what is under way of either is limited.
class MemoryPort : public Component, public DdrClient {
 public:
  enum class Traffic { best_effort, video };
  struct Parameters {
    Fields f = {};
    Clock clock = f.clock();  // of the fabric's side
    std::uint32_t width = f.bytes("width", "of a beat", allowed::width);
    std::uint32_t piece_beats =
        f.count("piece_beats", "of the longest burst behind the port", {1, 4096});
    std::uint32_t port = f.count("port", "of the controller", {0, 255});
    Traffic traffic =
        f.choice<Traffic>("traffic", "class of its requests in the controller",
                          {{"best_effort", Traffic::best_effort}, {"video", Traffic::video}});
    std::uint32_t reads_in_flight =
        f.count("reads_in_flight", "pieces that wait for their data", {1, 4096});
    std::uint32_t write_bytes_in_flight =
        f.bytes("write_bytes_in_flight", "that the memory has not taken");
    double request_cycles = f.cycles("request_cycles", "from the fabric towards the controller");
    Time read_request = f.time("read_request", "of a read's way to the controller, beside them");
    Time read_return = f.time("read_return", "of its data's way back");
    Time write_request = f.time("write_request", "of a write's way to the controller, beside them");
    Time write_return = f.time("write_return", "of the response's way back");
    double write_cycles =
        f.cycles("write_cycles", "of the controller at least for the last part of a piece", 0, 0);
  };

  MemoryPort(std::string name, const Parameters& parameters, Component& next);
  Reply access(const Access& access, Time arrival) override;
  void restart() override;

  void read_done(std::uint64_t piece, Time at) override;
  void write_taken(std::uint32_t bytes, Time at) override;
  void write_done(std::uint32_t bytes, Time at) override;

  // In a cycle of the fabric: whether the port takes a burst's address, or a beat to be written;
  // and the beats that come back, 1 or 0.
  [[nodiscard]] bool takes_read() const { return read_left_ == 0; }
  void read(Address address, std::uint32_t beats);
  void cut(Time now);
  [[nodiscard]] bool beat_back(Time now);
  [[nodiscard]] bool takes_write(Time now);
  // last: of its burst.
  void write(Address address, bool last, Time now);
  // Bytes written whose responses are back.
  [[nodiscard]] std::uint64_t written(Time now);

  [[nodiscard]] const Clock& clock() const { return p_.clock; }
  [[nodiscard]] std::uint32_t width() const { return p_.width; }
  [[nodiscard]] DdrController& controller() const { return controller_; }

 private:
  struct Piece {
    std::uint32_t granules = 0;  // that have not come back
    std::uint32_t all = 0;
    std::uint32_t beats = 0;
    Time at = 0;
  };
  struct Response {
    Time at;
    std::uint32_t bytes;
  };
  [[nodiscard]] std::uint64_t mask(Address address, std::uint32_t bytes) const;

  Parameters p_;
  DdrController& controller_;
  Time read_way_;
  Time write_way_;
  Address read_at_ = 0;
  std::uint32_t read_left_ = 0;  // beats of a burst that is being cut
  std::deque<Piece> pieces_;
  std::uint64_t first_piece_ = 0;
  std::uint32_t under_way_ = 0;  // pieces
  std::uint32_t coming_ = 0;     // beats of the piece that crosses into the fabric
  std::uint32_t leaving_ = 0;    // its granules
  Address write_from_ = 0;       // of the granule that is being filled
  std::uint32_t piece_left_ = 0;
  std::uint64_t write_piece_ = 0;
  std::uint32_t write_open_ = 0;  // bytes that the memory has not taken
  Time write_free_ = 0;
  std::deque<Response> responses_;
  std::deque<Response> gone_;  // into the memory
  std::uint64_t written_ = 0;
};

}  // namespace weighbridge
