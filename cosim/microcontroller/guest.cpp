// SPDX-License-Identifier: GPL-2.0-only
#include "guest.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "stopped.hpp"

namespace weighbridge::microcontroller {
namespace {

// A frame of the guest's is on its way for so long, as by a wire and two PHYs: so the board may run
// ahead of the guest by as much, and no frame comes too late for it.
constexpr double kWire = 2000;     // ns
constexpr int kPatience = 60'000;  // ms in which a guest must come, and answer

}  // namespace

Guest::Guest(const std::string& socket, const std::string& calendar, const Timebase& base)
    : base_(base), card_(socket, [this](unsigned queue) { kicked(queue); }), calendar_(calendar) {
  // A guest's test may be endless: the board ends with the process that has started it, and the
  // guest with its calendar.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
}

// The guest waits until this returns.
void Guest::kicked(unsigned queue) {
  if (queue != kTransmit) return;
  while (const auto buffer = card_.queues[kTransmit].take(card_.memory)) {
    Bytes frame;
    for (const auto& part : buffer->in) frame.insert(frame.end(), part.begin(), part.end());
    card_.queues[kTransmit].give_back(buffer->id, 0);
    sent_ = true;
    if (frame.size() <= kHeader) continue;
    frame.erase(frame.begin(), frame.begin() + kHeader);
    window_->arrive(base_.from_ns(static_cast<double>(calendar_.now) + kWire), frame);
  }
}

bool Guest::serve(int milliseconds) {
  std::array<pollfd, 3> sources{pollfd{card_.descriptor(), POLLIN, 0},
                                pollfd{calendar_.descriptor(), POLLIN, 0},
                                pollfd{awaited_ > 0 ? card_.back_channel() : -1, POLLIN, 0}};
  const int ready = ::poll(sources.data(), sources.size(), milliseconds);
  if (ready < 0 && errno != EINTR) throw Stopped("cannot wait for the guest");
  if (ready == 0 && milliseconds > 0) throw Stopped("no guest, or it does not answer");
  const auto there = [&](int i) { return (sources[i].revents & (POLLIN | POLLHUP)) != 0; };
  if (there(2)) {
    if (!card_.take_acknowledgement()) return false;
    --awaited_;
  }
  if (there(1) && !calendar_.serve()) return false;
  if (there(0) && !card_.serve()) return false;
  return true;
}

bool Guest::call(unsigned queue) {
  ++awaited_;
  card_.call(queue, true);
  while (awaited_ > 0) {
    if (!serve(kPatience)) return false;
  }
  return true;
}

bool Guest::deliver() {
  const Frame frame = std::move(coming_.front());
  coming_.pop_front();
  auto ns = static_cast<std::uint64_t>(std::ceil(base_.seconds(frame.end) * 1e9));
  // The guest runs at the very instant for which it has asked, or it stops: not at a later one.
  if (calendar_.requested) ns = std::min(ns, *calendar_.requested);
  calendar_.now = std::max(calendar_.now, ns);
  const auto buffer = card_.queues[kReceive].take(card_.memory);
  if (!buffer || buffer->out.size() < kHeader + frame.bytes.size()) {
    ++dropped;
    if (buffer) card_.queues[kReceive].give_back(buffer->id, 0);
    return true;
  }
  std::memset(buffer->out.data(), 0, kHeader);
  buffer->out[10] = 1;  // one buffer
  std::memcpy(buffer->out.data() + kHeader, frame.bytes.data(), frame.bytes.size());
  card_.queues[kReceive].give_back(buffer->id,
                                   static_cast<std::uint32_t>(kHeader + frame.bytes.size()));
  return call(kReceive);
}

void Guest::pass_time(const std::function<void(Time)>& advance) {
  for (unsigned turn = 0; calendar_.waiting; ++turn) {
    if (turn % 4096 == 4095) {  // the guest may have been killed: it asks for nothing more
      pollfd source{card_.descriptor(), 0, 0};
      if (::poll(&source, 1, 0) > 0 && (source.revents & POLLHUP) != 0) return;
    }
    if (sent_) {
      sent_ = false;
      if (!call(kTransmit)) return;
      continue;
    }
    const auto& wanted = calendar_.requested;
    const Time until =
        wanted ? base_.from_ns(static_cast<double>(*wanted)) : board_ + base_.from_ns(1e6);
    if (!coming_.empty() && coming_.front().end <= (wanted ? until : board_)) {
      if (!deliver()) return;
      continue;
    }
    if (wanted && until <= board_) {
      calendar_.now = std::max(calendar_.now, *wanted);
      calendar_.run();
      return;
    }
    board_ = std::min(until, board_ + base_.from_ns(kWire));
    advance(board_);
  }
}

void Guest::run(Window& window, const std::function<void(Time)>& advance,
                const std::function<void()>& came) {
  window_ = &window;
  // Until it has connected both: it comes to the calendar first.
  while (serve(calendar_.waiting ? 0 : kPatience)) {
    if (!calendar_.waiting) continue;
    if (board_ == 0) came();
    pass_time(advance);
  }
}

}  // namespace weighbridge::microcontroller
