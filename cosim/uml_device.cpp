// SPDX-License-Identifier: Apache-2.0
//
// The logic as a PCI function of a User-Mode Linux guest: the driver under test meets the RTL.
//
//   uml_device SOCKET [--pci-id VVVV:DDDD] [--latency CYCLES] [--outstanding BURSTS]
//              [--watchdog CYCLES] [--report FILE] [--wait SECONDS] [--commands]
//              [--calendar SOCKET [--no-skip] [--memory FILE]] [--platform]
//
// Listens at SOCKET for one guest (virtio_uml.device=SOCKET:1234) and ends when that ends. An
// access to a register takes as many cycles as it takes; between accesses the logic runs as long as
// anything can happen in it, and then stands still. Exit code: 0; 2 bad arguments, no guest; 3 the
// guest's driver or the logic broke a rule, which is said on standard error; 4 a channel of the
// logic is stuck. DMA while bus mastering is off is refused, counted and said, and no more.
//
// With --platform it is a device of the guest's device tree instead (dtb=FILE): no configuration
// space, registers at the start of the bus, interrupt line 0.
//
// With --commands, lines on standard input break things: `slverr N` the next N bursts of DMA,
// `freeze` and `thaw` the memory, `lose N` the next N interrupts, `hold` and `release` interrupts,
// `die`.
//
// With --calendar the guest's time is the logic's: boot it with time-travel=ext:SOCKET. A cycle is
// 10 ns; the guest stands still while the logic runs, and the logic while the guest does. --no-skip
// simulates also the cycles in which nothing can happen.
//
// With --memory FILE as well, the twin's memory system (twin_memory.hpp) times the logic's bursts
// and what the guest's processor says that it does. The memory system's port gives the logic's
// ports their clock. Built with ASYNC=1 the logic's nodes have the clock that the file names; else
// they share that of the ports.
//
// FILE receives counts, as JSON.
#include <signal.h>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>

#include "calendar.hpp"
#include "datra_logic.hpp"
#include "pci_function.hpp"
#include "twin_memory.hpp"
#include "vhost_user.hpp"

using namespace weighbridge::cosim;
using weighbridge::Time;
using namespace std::chrono_literals;

namespace {

struct Options {
  std::string socket, calendar, report, twin;
  unsigned vendor = 0x10EE, device = 0x5742;
  GuestPortOptions memory;
  std::uint64_t watchdog = 1'000'000;
  int wait_seconds = 30;
  bool commands = false, skip = true, platform = false;
};

struct Usage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Device {
 public:
  explicit Device(const Options& options)
      : options_(options),
        function_(options.vendor, options.device),
        guest_(options.socket, [this](unsigned queue) { kicked(queue); }),
        twin_(options.twin.empty() ? nullptr : std::make_unique<TwinMemory>(options.twin)),
        period_(twin_ ? static_cast<std::uint64_t>(DatraLogic::two_clocks ? twin_->nodes_period()
                                                                          : twin_->period())
                      : 10),
        ticks_per_ns_(twin_ ? static_cast<std::uint64_t>(twin_->ticks(1)) : 1),
        logic_(guest_.memory, options.memory, twin_.get(), options.watchdog, period_,
               twin_ ? static_cast<std::uint64_t>(twin_->period()) : period_) {
    if (!options.calendar.empty()) calendar_.emplace(options.calendar);
  }

  void run() {
    while (serve(patience())) {
      if (calendar_) {
        if (calendar_->waiting) pass_time();
      } else {
        // Accesses come one after another: soon after one the next is there, and need not wait
        // until the logic has come to rest. Later a call of poll() is to be cheap beside the
        // cycles.
        for (unsigned i = 0; i < turn_ && logic_.active(); ++i) cycle();
        turn_ = std::min(2 * turn_, longest_turn);
      }
    }
  }

  /// What was wrong; empty if nothing.
  [[nodiscard]] const std::vector<std::string>& faults() const { return logic_.port.faults; }
  /// Bursts while bus mastering was off.
  [[nodiscard]] std::uint64_t unmastered() const { return logic_.port.unmastered; }

  void report() const {
    if (options_.report.empty()) return;
    FILE* file = std::fopen(options_.report.c_str(), "w");
    if (file == nullptr) throw TransportError("cannot write " + options_.report);
    std::fprintf(file,
                 "{\"cycles\": %" PRIu64 ", \"skipped\": %" PRIu64 ", \"register_reads\": %" PRIu64
                 ", \"register_writes\": %" PRIu64 ", \"refused\": %" PRIu64
                 ", \"narrow\": %" PRIu64 ", \"interrupts\": %" PRIu64
                 ", \"dma_read_beats\": %" PRIu64 ", \"dma_write_beats\": %" PRIu64
                 ", \"dma_bursts\": %" PRIu64 ", \"simulated_ns\": %" PRIu64
                 ", \"copied_bytes\": %" PRIu64 ", \"maintained_bytes\": %" PRIu64
                 ", \"worked_bytes\": %" PRIu64 ", \"unmastered\": %" PRIu64 ", \"faults\": %zu}\n",
                 logic_.cycles, logic_.skipped, logic_.registers.reads, logic_.registers.writes,
                 logic_.registers.refused, logic_.registers.narrow, interrupts_,
                 logic_.port.read_beats, logic_.port.write_beats, logic_.port.bursts,
                 logic_.cycles * period_ / ticks_per_ns_, twin_ ? twin_->copied : 0,
                 twin_ ? twin_->maintained : 0, twin_ ? twin_->worked : 0, unmastered(),
                 faults().size());
    std::fclose(file);
  }

 private:
  /// A message of virtio-pcidev.
  struct Message {
    std::uint8_t op, bar;
    std::uint16_t reserved;
    std::uint32_t bytes;
    std::uint64_t address;
  };
  enum : std::uint8_t {
    config_read = 1,
    config_write,
    mmio_read,
    mmio_write,
    mmio_memset,
    interrupt_pin,
    interrupt_message
  };
  static constexpr unsigned commands = 0, interrupts = 1;
  /// An operation of the bench's own, which measures what it costs the guest's processor.
  static constexpr std::uint8_t cost = 0x7F;

  using Wait = std::chrono::microseconds;
  static constexpr Wait forever = -1us;
  /// How long the interrupt's hold-off lasts by the clock on the wall. It is the time of some ten
  /// of the guest's accesses where each goes to another core: in less the guest has not left its
  /// handler.
  static constexpr Wait silence = 500us;

  /// Cycles between two looks at what the guest asks for.
  static constexpr unsigned shortest_turn = 2, longest_turn = 64;
  /// Cycles between two looks whether the guest is still there. A look is cheap beside so many
  /// cycles, and so many cycles are soon over.
  static constexpr unsigned look_after = 4096;

  [[nodiscard]] Wait wait_seconds() const { return std::chrono::seconds(options_.wait_seconds); }

  /// How long to wait for a message.
  Wait patience() {
    if (calendar_) return calendar_->waiting ? 0us : wait_seconds();
    if (!guest_.connected()) return wait_seconds();
    // What only waits for time to pass gets it at once: the guest's clock is another one. The
    // hold-off is there for what the guest does meanwhile, so it ends with that, or by its
    // accesses.
    if (!logic_.held_off()) logic_.skip(logic_.rest());
    if (logic_.active()) return 0us;
    return logic_.held_off() ? silence : forever;
  }

  /// Serves what there is. False when the guest has gone.
  bool serve(Wait patience) {
    std::array<pollfd, 4> sources{
        pollfd{guest_.descriptor(), POLLIN, 0},
        pollfd{calendar_ ? calendar_->descriptor() : -1, POLLIN, 0},
        pollfd{options_.commands ? STDIN_FILENO : -1, POLLIN, 0},
        pollfd{awaited_ > 0 ? guest_.back_channel() : -1, POLLIN, 0},
    };
    const timespec limit{patience / 1s, patience % 1s / 1us * 1000};
    const int ready =
        ::ppoll(sources.data(), sources.size(), patience == forever ? nullptr : &limit, nullptr);
    if (ready < 0 && errno != EINTR) throw TransportError("cannot wait for the guest");
    if (ready == 0 && patience > 0us) {
      if (!guest_.connected()) throw TransportError("no guest has connected");
      if (!calendar_) logic_.skip(logic_.rest());
      return true;
    }
    const auto there = [&sources](int i) { return (sources[i].revents & (POLLIN | POLLHUP)) != 0; };
    if (there(3)) {
      if (!guest_.take_acknowledgement()) return false;
      --awaited_;
    }
    if (there(1) && !calendar_->serve()) return false;
    // An order takes effect before anything that the guest does after the order was given.
    if (there(2) && !commanded()) options_.commands = false;
    if (there(0) && !guest_.serve()) return false;
    return true;
  }

  /// The guest waits: the logic runs up to the instant for which it asks, or until it interrupts.
  void pass_time() {
    Calendar& calendar = *calendar_;
    const auto& until = calendar.requested;
    for (unsigned turn = 0; calendar.waiting; ++turn) {
      // The guest may have been killed: it asks for nothing more.
      if (turn % look_after == look_after - 1 && gone()) return;
      const std::uint64_t now = logic_.cycles * period_;
      if (until && *until * ticks_per_ns_ < now + period_) {
        calendar.now = std::max(calendar.now, *until);
        calendar.run();
        return;
      }
      const std::uint64_t ahead =
          until ? (*until * ticks_per_ns_ - now) / period_ : DatraLogic::never;
      const std::uint64_t most = options_.skip ? std::min(logic_.rest(), ahead) : 0;
      if (const auto rest = most / DatraLogic::exact * DatraLogic::exact; rest > 0) {
        if (!until && logic_.rest() == DatraLogic::never) return;  // until a message comes
        logic_.skip(rest);
        continue;
      }
      const auto sent = interrupts_;
      cycle();
      if (interrupts_ == sent) continue;
      // The guest now hears of the interrupt, asks for the time, and asks for its turn.
      while (awaited_ > 0)
        if (!serve(wait_seconds())) return;
    }
  }

  /// The guest has closed its connection; run() finds the same.
  [[nodiscard]] bool gone() const {
    pollfd source{guest_.descriptor(), 0, 0};
    return ::poll(&source, 1, 0) > 0 && (source.revents & POLLHUP) != 0;
  }

  /// The next instant of the guest's clock.
  [[nodiscard]] std::uint64_t ns(std::uint64_t ticks) const {
    return (ticks + ticks_per_ns_ - 1) / ticks_per_ns_;
  }

  void cycle() {
    if (twin_) twin_->advance(static_cast<Time>(logic_.cycles * period_));
    if (!logic_.cycle(options_.platform || function_.bus_master())) return;
    if (lost_ > 0)
      --lost_;
    else
      function_.raise(), interrupt();
  }

  void kicked(unsigned queue) {
    if (queue == commands) {
      while (auto buffer = guest_.queues[commands].take(guest_.memory)) {
        execute(*buffer);
        // In simulated time the guest looks for the answer itself, as often as its clock allows.
        while (!calendar_ && logic_.registers.busy()) cycle();
      }
    }
    interrupt();
  }

  void execute(const Virtqueue::Buffer& buffer) {
    turn_ = shortest_turn;
    Message message{};
    std::vector<std::uint8_t> data;
    for (const auto& part : buffer.in) data.insert(data.end(), part.begin(), part.end());
    if (data.size() < sizeof(message)) throw TransportError("a message that is too short");
    std::memcpy(&message, data.data(), sizeof(message));
    data.erase(data.begin(), data.begin() + sizeof(message));
    if (message.op == cost) {
      answer(message, data, buffer);
      return;
    }
    const std::uint32_t bytes = message.bytes;
    const auto offset = static_cast<std::uint32_t>(message.address);
    const bool read = message.op == config_read || message.op == mmio_read;
    if (read && buffer.out.size() < bytes) throw TransportError("no place for what is read");
    if (!read && data.size() < (message.op == mmio_memset ? 1 : bytes))
      throw TransportError("a write without its data");

    auto* out = buffer.out.data();
    const auto id = buffer.id;
    const bool logic = message.bar == 0 && message.address + bytes <= PciFunction::bar_bytes[0] &&
                       message.op >= mmio_read;
    if (read && logic) {
      logic_.registers.read(offset, bytes, [this, out, id](const RegisterPort::Bytes& got) {
        std::memcpy(out, got.data(), got.size());
        guest_.queues[commands].give_back(id, static_cast<std::uint32_t>(got.size()));
      });
      return;
    }
    if (read) {
      std::memset(out, 0xFF, bytes);
      for (std::uint32_t at = 0; at < bytes; at += 8) {
        const unsigned now = std::min(bytes - at, 8U);
        const std::uint64_t value = message.op == config_read
                                        ? function_.config_read(offset + at, now)
                                        : function_.read(message.bar, offset + at, now);
        std::memcpy(out + at, &value, now);
      }
      guest_.queues[commands].give_back(id, bytes);
      return;
    }
    if (message.op == mmio_memset) data.assign(bytes, data[0]);
    if (logic) {
      data.resize(bytes);
      logic_.registers.write(offset, std::move(data), [this, id](const RegisterPort::Bytes&) {
        guest_.queues[commands].give_back(id, 0);
      });
      return;
    }
    for (std::uint32_t at = 0; at < bytes; at += 8) {
      const unsigned now = std::min(bytes - at, 8U);
      std::uint64_t value = 0;
      std::memcpy(&value, data.data() + at, now);
      if (message.op == config_write)
        function_.config_write(offset + at, now, value);
      else
        function_.write(message.bar, offset + at, now, value);
    }
    guest_.queues[commands].give_back(id, 0);
  }

  /// The guest asks how long what its processor does takes.
  void answer(const Message& message, const std::vector<std::uint8_t>& data,
              const Virtqueue::Buffer& buffer) {
    std::uint64_t other = 0;
    if (data.size() < sizeof(other) || buffer.out.size() < sizeof(TwinMemory::Cost))
      throw TransportError("a question that is too short");
    std::memcpy(&other, data.data(), sizeof(other));
    TwinMemory::Cost told;
    if (twin_)
      told = twin_->ask(static_cast<TwinMemory::Kind>(message.bar), message.address, other,
                        message.bytes, twin_->ticks(calendar_->now));
    std::memcpy(buffer.out.data(), &told, sizeof(told));
    guest_.queues[commands].give_back(buffer.id, sizeof(told));
  }

  /// Sends the interrupt that is due, if the guest has given a buffer for it.
  void interrupt() {
    if (held_) return;
    const auto due = function_.due();
    if (!due) return;
    const auto buffer = guest_.queues[interrupts].take(guest_.memory);
    if (!buffer) return;
    Message message{static_cast<std::uint8_t>(due->pin ? interrupt_pin : interrupt_message), 0, 0,
                    due->bytes, due->address};
    std::array<std::uint8_t, sizeof(Message) + 4> bytes{};
    std::memcpy(bytes.data(), &message, sizeof(message));
    std::memcpy(bytes.data() + sizeof(message), &due->data, 4);
    if (buffer->out.size() < bytes.size()) throw TransportError("no place for an interrupt");
    std::memcpy(buffer->out.data(), bytes.data(), bytes.size());
    guest_.queues[interrupts].give_back(buffer->id, static_cast<std::uint32_t>(bytes.size()));
    function_.sent();
    ++interrupts_;
    if (calendar_) {
      calendar_->now = std::max(calendar_->now, ns(logic_.cycles * period_));
      ++awaited_;
    }
    guest_.call(interrupts, calendar_.has_value());
  }

  /// Takes the lines that are there; false when there will be no more.
  bool commanded() {
    // Not by std::cin, which keeps lines where poll() does not see them.
    std::array<char, 4096> part;
    const ssize_t got = ::read(STDIN_FILENO, part.data(), part.size());
    if (got <= 0) return false;
    orders_.append(part.data(), static_cast<std::size_t>(got));
    for (std::size_t end; (end = orders_.find('\n')) != std::string::npos;) {
      command(orders_.substr(0, end));
      orders_.erase(0, end + 1);
    }
    return true;
  }

  void command(const std::string& line) {
    std::istringstream words(line);
    std::string what;
    std::uint64_t count = 0;
    words >> what >> count;
    if (what == "slverr") logic_.port.errors_due = count;
    if (what == "freeze") logic_.port.frozen = true;
    if (what == "thaw") logic_.port.frozen = false;
    if (what == "lose") lost_ = count;
    if (what == "die") std::_Exit(0);
    if (what == "hold") held_ = true;
    if (what == "release") held_ = false, interrupt();
  }

  Options options_;
  PciFunction function_;
  VhostUser guest_;
  std::unique_ptr<TwinMemory> twin_;
  std::uint64_t period_, ticks_per_ns_;  ///< a cycle; without the twin a tick is 1 ns
  DatraLogic logic_;
  std::optional<Calendar> calendar_;
  std::uint64_t interrupts_ = 0, lost_ = 0;
  unsigned awaited_ = 0;  ///< acknowledgements of interrupts
  bool held_ = false;
  unsigned turn_ = longest_turn;
  std::string orders_;  ///< the line that has begun
};

std::uint64_t number(const std::string& name, const char* text, std::uint64_t most) {
  char* end = nullptr;
  errno = 0;
  const std::uint64_t value = std::strtoull(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || *text == '-' || value > most)
    throw Usage(name + " is not a number up to " + std::to_string(most) + ": " + text);
  return value;
}

Options parse(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string name = words[i];
    if (name == "--commands") {
      options.commands = true;
      continue;
    }
    if (name == "--platform") {
      options.platform = true;
      continue;
    }
    if (name == "--no-skip") {
      options.skip = false;
      continue;
    }
    if (name.rfind("--", 0) != 0 && options.socket.empty()) {
      options.socket = name;
      continue;
    }
    if (name.rfind("--", 0) != 0 || i + 1 == count) throw Usage("what is meant by " + name + "?");
    const char* value = words[++i];
    if (name == "--pci-id") {
      char rest = 0;
      if (std::sscanf(value, "%4x:%4x%c", &options.vendor, &options.device, &rest) != 2)
        throw Usage(std::string("--pci-id is VVVV:DDDD, not ") + value);
    } else if (name == "--latency") {
      options.memory.latency = static_cast<unsigned>(number(name, value, 100'000));
    } else if (name == "--outstanding") {
      options.memory.outstanding = static_cast<unsigned>(number(name, value, 64));
      if (options.memory.outstanding == 0) throw Usage("--outstanding is at least 1");
    } else if (name == "--watchdog") {
      options.watchdog = number(name, value, std::uint64_t{1} << 40U);
    } else if (name == "--wait") {
      options.wait_seconds = static_cast<int>(number(name, value, 3600));
    } else if (name == "--calendar") {
      options.calendar = value;
    } else if (name == "--memory") {
      options.twin = value;
    } else if (name == "--report") {
      options.report = value;
    } else {
      throw Usage("there is no option " + name);
    }
  }
  if (options.socket.empty()) throw Usage("uml_device SOCKET [options]: no socket is given");
  if (!options.twin.empty() && options.calendar.empty()) throw Usage("--memory needs --calendar");
  return options;
}

}  // namespace

int main(int count, char** words) {
  ::signal(SIGPIPE, SIG_IGN);
  try {
    Device device(parse(count, words));
    int status = 0;
    try {
      device.run();
    } catch (const Stuck& stuck) {
      std::fprintf(stderr, "uml_device: %s\n", stuck.what());
      status = 4;
    }
    for (const std::string& fault : device.faults()) {
      std::fprintf(stderr, "uml_device: %s\n", fault.c_str());
      status = status == 0 ? 3 : status;
    }
    if (device.unmastered() > 0)
      std::fprintf(stderr, "uml_device: DMA of %" PRIu64 " bursts while bus mastering is off\n",
                   device.unmastered());
    device.report();
    return status;
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "uml_device: %s\n", fault.what());
    return 2;
  }
}
