// SPDX-License-Identifier: GPL-2.0-only
#include "tap.hpp"

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace weighbridge::microcontroller {
namespace {

constexpr std::size_t kLongest = 1514;
constexpr double kAhead = 1e-3;  // seconds that the simulation may be ahead

}  // namespace

Tap::Tap(const std::string& name) : file_(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC)) {
  // It would go on for ever: it ends with who has started it.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  if (name.size() >= sizeof request.ifr_name)
    throw std::invalid_argument("the name of an interface has 15 characters at most: " + name);
  std::memcpy(request.ifr_name, name.c_str(), name.size() + 1);
  if (file_ < 0 || ioctl(file_, TUNSETIFF, &request) != 0) {
    const std::string why = std::strerror(errno);
    if (file_ >= 0) close(file_);
    throw std::invalid_argument("no interface " + name + ": " + why +
                                "; make one by 'ip tuntap add " + name + " mode tap user $USER'");
  }
}

Tap::~Tap() { close(file_); }

void Tap::send(const Bytes& frame) const {
  // What finds no room is lost, as on a wire.
  if (write(file_, frame.data(), frame.size()) < 0 && errno != EAGAIN && errno != EIO &&
      errno != ENOBUFS)
    throw std::runtime_error(std::string("the interface takes no frame: ") + std::strerror(errno));
}

void Tap::exchange(Window& window, Time at, double seconds) const {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began_;
  const double ahead = seconds - passed.count();
  pollfd waits{file_, POLLIN, 0};
  if (poll(&waits, 1, ahead > kAhead ? static_cast<int>(1e3 * ahead) : 0) <= 0) return;
  std::array<std::uint8_t, kLongest> bytes;
  for (ssize_t length; (length = read(file_, bytes.data(), bytes.size())) > 0;)
    window.arrive(at, {bytes.begin(), bytes.begin() + length});
}

}  // namespace weighbridge::microcontroller
