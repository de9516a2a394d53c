// SPDX-License-Identifier: Apache-2.0
//
// The small Datra at the end of a serial line: serial_line [WRONG]
//
// The program opens a pseudo-terminal, prints its name, and sends bit by bit what is written to it;
// what the logic sends comes back. It ends when its standard input does. Of the bytes towards the
// logic one in WRONG, if given, has a bit turned, and as many are lost.
#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>

#include "Vtop.h"

namespace {

/// Waits for input in between: a host that thinks is not to cost a processor.
constexpr unsigned quiet = 20000;

class Line {
 public:
  explicit Line(unsigned wrong) : wrong_(wrong) {
    port_ = posix_openpt(O_RDWR | O_NOCTTY);
    if (port_ < 0 || grantpt(port_) != 0 || unlockpt(port_) != 0)
      throw std::runtime_error("no pseudo-terminal");
    // Held open here too: a host may come and go.
    const char* name = ptsname(port_);
    const int held = open(name, O_RDWR | O_NOCTTY);
    termios raw{};
    if (held < 0 || tcgetattr(held, &raw) != 0) throw std::runtime_error("no terminal");
    cfmakeraw(&raw);
    tcsetattr(held, TCSANOW, &raw);
    std::puts(name);
    std::fflush(stdout);
    top_.rxd = 1;
    top_.rst = 1;
    for (int i = 0; i < 8; ++i) tick();
    top_.rst = 0;
  }

#if VM_COVERAGE
  ~Line() { context_.coveragep()->write(); }
#endif

  void run() {
    for (;;) {
      if (sending_ == 0 && !next()) return;
      send();
      tick();
      receive();
    }
  }

 private:
  void tick() {
    top_.clk = 0;
    top_.eval();
    top_.clk = 1;
    top_.eval();
  }

  /// Takes the host's next byte, if there is one. False: the program is to end.
  bool next() {
    if (++idle_ % 64 != 0) return true;
    pollfd ends[] = {{port_, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    poll(ends, 2, idle_ > quiet ? 1 : 0);
    char byte = 0;
    if ((ends[1].revents & (POLLIN | POLLHUP)) != 0 && read(STDIN_FILENO, &byte, 1) <= 0)
      return false;
    if ((ends[0].revents & POLLIN) == 0 || read(port_, &byte, 1) != 1) return true;
    idle_ = 0;
    unsigned value = static_cast<std::uint8_t>(byte);
    if (wrong_ != 0 && random_() % wrong_ == 0) value ^= 1U << random_() % 8;
    if (wrong_ != 0 && random_() % wrong_ == 0) return true;
    bits_ = 0x200U | value << 1U;
    sending_ = 10 * CYCLES;
    return true;
  }

  void send() {
    if (sending_ == 0) return;
    top_.rxd = (bits_ >> (10 * CYCLES - sending_) / CYCLES & 1U) != 0;
    --sending_;
  }

  void receive() {
    if (receiving_ == 0) {
      if (top_.txd == 0) {
        receiving_ = 1;
        got_ = 0;
      }
      return;
    }
    if (receiving_++ % CYCLES == CYCLES / 2) {
      const unsigned bit = receiving_ / CYCLES;
      if (bit >= 1 && bit <= 8) got_ |= unsigned{top_.txd} << (bit - 1);
      if (bit == 9) {
        const auto byte = static_cast<char>(got_);
        if (!top_.txd || write(port_, &byte, 1) != 1) throw std::runtime_error("a broken byte");
        receiving_ = 0;
        idle_ = 0;
      }
    }
  }

  VerilatedContext context_;
  Vtop top_{&context_};
  std::minstd_rand random_{1};
  unsigned wrong_, sending_ = 0, bits_ = 0, receiving_ = 0, got_ = 0;
  std::uint64_t idle_ = 0;
  int port_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    Line(argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 0).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "serial_line: %s\n", error.what());
    return 1;
  }
  return 0;
}
