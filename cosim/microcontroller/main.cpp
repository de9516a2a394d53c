// SPDX-License-Identifier: GPL-2.0-only
//
//   microcontroller PLATFORM PROGRAM --logic LIBRARY [--input FILE] [--capture FILE] [--report
//   FILE]
//                   [--seconds S] [--times logic|twin] [--tap INTERFACE]
//                   [--card SOCKET --calendar SOCKET] [--fuzz SEED --count N]
//
// Executes an ELF file on an emulated STM32H7 whose memory bus ends in the Verilated hdl/fmc
// (cosim/fmc_library.cpp). PLATFORM is of cosim/description_file.hpp. What the program sends to its
// serial port goes to standard output, the input's bytes arrive there. --capture: the frames that
// leave, as pcap. --times: who says how long an access to the window takes. --tap: the wire leads
// to a network interface of this machine, and the simulation is never ahead of the clock on the
// wall.
// --card: it leads to a User-Mode Linux guest's network card, and the guest's time is the board's.
// --fuzz: it leads to a hostile client, which sends so many messages to the program's server.
//
// Exit status 0: the program has ended, waiting for an interrupt that nothing will raise, or its
// simulated seconds are over; 3: it has been stopped, and a line says where and why; 2: it could
// not be started.
#include <sys/syscall.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>

#include "capture.hpp"
#include "confinement.hpp"
#include "core.hpp"
#include "description_file.hpp"
#include "fuzz.hpp"
#include "guest.hpp"
#include "stopped.hpp"
#include "tap.hpp"

namespace {

using namespace weighbridge;
using namespace weighbridge::microcontroller;

using Words = std::map<std::string, std::string>;

constexpr double kWireMhz = 125;          // bytes of Gigabit Ethernet
constexpr double kSlice = 20e3;           // ns for which the core runs ahead of the wire
constexpr unsigned kMdmaInterrupt = 122;  // RM0468, the vector table
constexpr double kMost = 3600;            // simulated seconds
// Calls of the system that a wire needs which leads out of this process; the sockets' files stay
// for whoever has named them.
constexpr long kWithTap[] = {SYS_poll};
constexpr long kWithGuest[] = {SYS_poll,    SYS_accept4, SYS_recvfrom,
                               SYS_recvmsg, SYS_sendto,  SYS_sendmsg};
constexpr long kRefused[] = {SYS_unlink};
constexpr double kBoot = 5e6;   // ns in which a server is ready
constexpr double kLook = 5e3;   // ns between two looks at whether the board waits,
constexpr unsigned kStill = 3;  // and how many of them tell that it does

Words parsed(int count, char** words) {
  Words options;
  std::string plain[] = {"platform", "program"};
  unsigned next = 0;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (!word.starts_with("--")) {
      if (next == std::size(plain)) throw std::invalid_argument("what is meant by " + word + "?");
      options[plain[next++]] = word;
      continue;
    }
    static const std::string kKnown =
        " --logic --input --capture --report --seconds --times --tap --card --calendar --fuzz "
        "--count ";
    if (kKnown.find(" " + word + " ") == kKnown.npos || i + 1 == count)
      throw std::invalid_argument("what is meant by " + word + "?");
    options[word.substr(2)] = words[++i];
  }
  for (const char* needed : {"platform", "program", "logic"}) {
    if (!options.contains(needed)) throw std::invalid_argument(std::string("no ") + needed);
  }
  return options;
}

template <class Bytes>
Bytes contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::invalid_argument("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::uint32_t address(const DescriptionFile& file, const std::string& name) {
  return static_cast<std::uint32_t>(file.number(name));
}

CoreParameters parameters_of(const DescriptionFile& file) {
  CoreParameters p;
  const auto number = [&](const char* name) { return file.number(std::string("core.") + name); };
  p.pipeline = {.load_word = number("load_word"),
                .load_narrow = number("load_narrow"),
                .multiply = number("multiply"),
                .divide = number("divide"),
                .early = number("operands_early"),
                .late = number("data_late"),
                .flush = number("branch_missed"),
                .loads = number("loads"),
                .fetch_bytes = number("fetch_bytes")};
  p.branch_taken = number("branch_taken");
  p.branch_missed = number("branch_missed");
  p.fetch_miss = number("fetch_miss");
  p.exception = number("exception");
  p.near_access = number("near_access");
  p.register_access = number("register_access");
  p.window = address(file, "window");
  return p;
}

// The chip with its core, on the platform's components.
class Machine {
 public:
  Machine(const Words& options, const DescriptionFile& file)
      : system_(file.description),
        base_(system_.timebase()),
        clock_(period_of(file, file.description.reference_clock)),
        bus_mhz_(file.description.clocks_mhz.at(file.word("bus_clock"))),
        core_mhz_(file.description.clocks_mhz.at(file.description.reference_clock)),
        program_(contents<std::vector<std::uint8_t>>(options.at("program")), options.at("program")),
        chip_(
            base_, clock_, file.number("crystal_mhz"),
            [&file](const char* name) { return address(file, std::string("peripheral.") + name); }),
        window_(options.at("logic"), *system_.master(file.word("processor")).ports.at(0),
                Clock(base_.period(bus_mhz_)), base_.period(kWireMhz)),
        parameters_(parameters_of(file)),
        core_(parameters_, clock_, program_, chip_, window_),
        mdma_(
            times_of(file),
            [this](std::uint32_t address, std::uint32_t bytes, bool tcm) {
              return core_.memory(address, bytes, tcm);
            },
            [this](Time at, std::uint32_t address, std::uint32_t bytes, std::uint64_t data) {
              look_at_window();
              const std::uint32_t offset = address - parameters_.window;
              if (offset >= kWindowBytes) throw Stopped("the MDMA writes outside the window");
              return window_.write(at, offset, 8 * bytes, data);
            }) {
    core_.attach(mdma_, address(file, "peripheral.mdma"));
    mdma_.line = [this](bool high) { chip_.nvic.hold(kMdmaInterrupt, high); };
    core_.look_at_window = [this] { look_at_window(); };
    window_.by_twin = options.contains("times") && options.at("times") == "twin";
    if (options.contains("input")) chip_.input = contents<std::string>(options.at("input"));
  }

  Core& core() { return core_; }
  Window& window() { return window_; }
  [[nodiscard]] const Timebase& base() const { return base_; }

  void report(FILE& file, std::uint64_t frames, std::uint64_t dropped) const {
    std::fprintf(&file,
                 "{\"seconds\":%.12g,\"instructions\":%llu,\"frames\":%llu,\"dropped\":%llu,"
                 "\"accesses\":%llu,"
                 "\"apart\":%llu,\"logic_seconds\":%.12g,\"twin_seconds\":%.12g,\"functions\":{",
                 base_.seconds(core_.now()), static_cast<unsigned long long>(core_.instructions()),
                 static_cast<unsigned long long>(frames), static_cast<unsigned long long>(dropped),
                 static_cast<unsigned long long>(window_.accesses),
                 static_cast<unsigned long long>(window_.apart), base_.seconds(window_.logic_busy),
                 base_.seconds(window_.twin_busy));
    const char* comma = "";
    for (const auto& [name, time] : core_.spent()) {
      std::fprintf(&file, "%s\"%s\":%.9g", comma, name.c_str(), base_.seconds(time));
      comma = ",";
    }
    std::fprintf(&file, "}}\n");
  }

 private:
  [[nodiscard]] Time period_of(const DescriptionFile& file, const std::string& clock) const {
    return base_.period(file.description.clocks_mhz.at(clock));
  }

  [[nodiscard]] Mdma::Times times_of(const DescriptionFile& file) const {
    for (const ComponentSpec& one : file.description.components) {
      if (one.kind != "mdma") continue;
      return {base_.from_ns(one.numbers.at("start")), base_.from_ns(one.numbers.at("node")),
              base_.from_ns(one.numbers.at("word"))};
    }
    throw std::invalid_argument("the platform has no mdma");
  }

  // The clocks that the program has set are those that are simulated.
  void look_at_window() {
    if (looked_) return;
    looked_ = true;
    if (const std::string fault = chip_.fmc_fault(); !fault.empty()) throw Stopped(fault);
    const auto compare = [](const char* name, double set, double simulated) {
      if (std::abs(set - simulated) > 1e-6 * simulated)
        throw Stopped(std::string(name) + " is set to " + std::to_string(set) + " MHz, not " +
                      std::to_string(simulated) + ",");
    };
    compare("the core's clock", chip_.core_mhz(), core_mhz_);
    compare("the memory bus's clock", chip_.fmc_mhz(), bus_mhz_);
  }

  System system_;
  const Timebase& base_;
  Clock clock_;
  double bus_mhz_, core_mhz_;
  processor::ElfFile program_;
  Chip chip_;
  Window window_;
  CoreParameters parameters_;
  Core core_;
  Mdma mdma_;
  bool looked_ = false;
};

int run(const Words& options) {
  const DescriptionFile file(options.at("platform"));
  Machine machine(options, file);
  std::unique_ptr<Capture> capture;
  if (options.contains("capture")) capture = std::make_unique<Capture>(options.at("capture"));
  const std::unique_ptr<FILE, int (*)(FILE*)> told(
      options.contains("report") ? std::fopen(options.at("report").c_str(), "w") : nullptr,
      &std::fclose);
  if (options.contains("report") && !told) throw std::invalid_argument("cannot write the report");
  double seconds = kMost;
  if (options.contains("seconds")) seconds = std::stod(options.at("seconds"));
  std::unique_ptr<Tap> tap;
  if (options.contains("tap")) tap = std::make_unique<Tap>(options.at("tap"));
  std::unique_ptr<Guest> guest;
  if (options.contains("card") != options.contains("calendar"))
    throw std::invalid_argument("--card and --calendar need each other");
  if (options.contains("card"))
    guest = std::make_unique<Guest>(options.at("card"), options.at("calendar"), machine.base());
  std::unique_ptr<Fuzz> fuzz;
  std::uint64_t frames = 0;
  machine.window().sent = [&](const Frame& frame) {
    ++frames;
    if (capture) capture->add(frame.bytes, machine.base().seconds(frame.end));
    if (tap) tap->send(frame.bytes);
    if (guest) guest->send(frame);
    if (fuzz) fuzz->peer.hear(frame.bytes);
  };
  if (tap) {
    processor::confine({.allowed = kWithTap, .endless = true});
  } else if (!guest) {
    processor::confine();
  }
  const auto board_until = [&](Time until) {
    if (machine.core().now() < until) machine.core().run(until);
    machine.window().run(until);
  };
  if (options.contains("fuzz")) {
    const Time look = machine.base().from_ns(kLook);
    // Until it waits, and nothing has left it for some looks.
    const auto pass = [&, look](double us, bool waits) {
      const Time until = machine.core().now() + machine.base().from_ns(1e3 * us);
      unsigned still = 0;
      if (waits) return board_until(until);
      while (machine.core().now() < until && still < kStill) {
        const std::uint64_t before = frames;
        board_until(machine.core().now() + look);
        const bool idle = machine.core().waits() && !machine.window().ready();
        still = idle && frames == before ? still + 1 : 0;
      }
    };
    fuzz = std::make_unique<Fuzz>(machine.core(), machine.window(), pass,
                                  std::stoull(options.at("fuzz")));
  }
  int status = 0;
  try {
    const Time end = machine.base().from_ns(std::min(seconds, kMost) * 1e9);
    const Time slice = machine.base().from_ns(kSlice);
    Core& core = machine.core();
    bool going = !guest && !fuzz;
    if (fuzz) {
      core.watch_copies();
      board_until(machine.base().from_ns(kBoot));
      fuzz->run(std::stoull(options.at("count")));
      std::printf("{\"messages\":%llu,\"connections\":%llu,\"clients\":%llu,\"frames\":%llu}\n",
                  static_cast<unsigned long long>(fuzz->messages),
                  static_cast<unsigned long long>(fuzz->connections),
                  static_cast<unsigned long long>(fuzz->clients),
                  static_cast<unsigned long long>(frames));
    }
    if (guest) {
      guest->run(machine.window(), board_until,
                 [] { processor::confine({.allowed = kWithGuest, .refused = kRefused}); });
    }
    while (going && core.now() < end) {
      going = core.run(std::min(end, core.now() + slice));
      machine.window().run(core.now());
      if (tap) tap->exchange(machine.window(), core.now(), machine.base().seconds(core.now()));
    }
    // What is still on its way.
    Time now = core.now();
    while (!guest && !fuzz && !machine.window().quiet()) machine.window().run(now += slice);
  } catch (const Stopped& stopped) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", stopped.what());
    status = 3;
  } catch (const Finding& finding) {
    std::fprintf(stderr, "%s\n", finding.what());
    status = 3;
  }
  std::fflush(stdout);
  if (told) machine.report(*told, frames, guest ? guest->dropped : 0);
  return status;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(parsed(count, words));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
