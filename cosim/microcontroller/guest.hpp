// SPDX-License-Identifier: GPL-2.0-only
//
// The other end of the wire: a network card of a User-Mode Linux guest, whose time is the board's.
//
// The board's clock is the engine's, in ticks, and decides; the guest's is the calendar's, in ns.
// The guest runs at one instant and says when it wants to run again. Meanwhile the board goes on to
// that instant, or until one of its frames has left the MAC: the guest hears of it in the next ns.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "calendar.hpp"
#include "vhost_user.hpp"
#include "window.hpp"

namespace weighbridge::microcontroller {

class Guest {
 public:
  // socket: of the card (virtio_uml.device=SOCKET:1); calendar: time-travel=ext:CALENDAR.
  Guest(const std::string& socket, const std::string& calendar, const Timebase& base);

  // A frame has left the board: the guest gets it once its clock is there.
  void send(const Frame& frame) { coming_.push_back(frame); }

  // Serves the guest until it has gone. `advance` lets the board go on until an instant; the
  // guest's frames go to the window. `came` is called once the guest has, before the board's first
  // instruction: what is needed from then on are the sockets that are there.
  void run(Window& window, const std::function<void(Time)>& advance,
           const std::function<void()>& came);

  std::uint64_t dropped = 0;  // frames of the board's that found no buffer of the guest's

 private:
  static constexpr unsigned kReceive = 0, kTransmit = 1;  // queues
  static constexpr std::size_t kHeader = 12;              // of virtio, before a frame

  void kicked(unsigned queue);
  // Takes what the guest says, and waits for it that long; like all below, false when it has gone.
  bool serve(int milliseconds);
  // Tells the guest of a queue, and waits until it has heard.
  bool call(unsigned queue);
  // The next frame into a buffer of the guest's; without one it is lost, as in any card.
  bool deliver();
  // The guest waits: the board goes on until the guest runs again.
  void pass_time(const std::function<void(Time)>& advance);

  const Timebase& base_;
  cosim::VhostUser card_;
  cosim::Calendar calendar_;
  Window* window_ = nullptr;
  std::deque<Frame> coming_;
  Time board_ = 0;        // until which the board has gone on
  unsigned awaited_ = 0;  // acknowledgements of calls
  bool sent_ = false;     // frames of the guest's have left; it hears so once it waits
};

}  // namespace weighbridge::microcontroller
