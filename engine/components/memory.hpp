// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Targets: on-chip RAM and the SDRAM controller with its device.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/fields.hpp"
#include "core/kinds.hpp"

namespace weighbridge {

// On-chip RAM behind a bus of its own clock: always ready; its read latency is the bridge's.
class Ram : public Component {
 public:
  struct Parameters {
    Fields f = {};
  };

  using Component::Component;
  static std::unique_ptr<Component> make(const Site& site) {
    return std::make_unique<Ram>(site.name);
  }
  Reply access(const Access& access, Time arrival) override;
  bool contents(Contents& contents) override;
};

// Who goes first when the processor asks for the memory while a burst of another port is served.
struct PortSchedule {
  enum class First { processor, by_weight, other };
  First first = First::processor;
  std::uint32_t weight = 1;  // beats of a burst in one turn
};

// DDR SDRAM from its timing parameters: open rows per bank, a shared data bus, refresh.
// `latency` is what the controller and the physical layer add to the device's own timing.
class Sdram : public Component {
 public:
  struct Parameters {
    Fields f = {};
    Clock clock = f.clock();  // of the command bus; data moves on both edges
    std::uint32_t width = f.bytes("width", "of a data edge", allowed::width);
    std::uint32_t burst = f.count("burst", "beats of a device burst (BL)", power_of_two(1, 64));
    std::uint32_t banks = f.count("banks", "of the device", power_of_two(1, 1024));
    std::uint32_t row_bytes =
        f.bytes("row_bytes", "of an open row, over the whole width", power_of_two(16, kMiB));
    double cas_cycles = f.cycles("cas_cycles", "from a read to its data (CL)");
    Time precharge = f.time("precharge", "of a row (tRP)");
    Time activate = f.time("activate", "of a row (tRCD)");
    Time write_recovery =
        f.time("write_recovery", "before the precharge after a write (tWR)", allowed::time_or_none);
    Time read_recovery =
        f.time("read_recovery", "before the precharge after a read (tRTP)", allowed::time_or_none);
    Time refresh = f.time("refresh", "of all banks (tRFC)");
    Time refresh_interval = f.time("refresh_interval", "between refreshes (tREFI)", {100, 1e7});
    Time read_latency = f.time("read_latency", "of the controller, before and after the device");
    Time write_latency = f.time("write_latency", "until the controller has taken a write");
    std::uint32_t queue =
        f.count("queue", "device bursts of writes that wait in the controller", {0, 4096});
    Time port_beat =
        f.time("port_beat", "of a burst through a port of port_width", Range{1e-3, 1e6}.or_else(5));
    std::uint32_t port_width = f.bytes("port_width", "of a port", allowed::width.or_else(8));
    std::uint32_t port_lead =
        f.count("port_lead", "beats before a burst's first", Range{0, 4096}.or_else(4));
    Time port_turn = f.time("port_turn", "that another port's access takes from a burst",
                            Range{0, 1e6}.or_else(12));
  };

  Sdram(std::string name, const Parameters& parameters);
  Reply access(const Access& access, Time arrival) override;
  void touch(const Access& access) override;
  void restart() override;
  bool contents(Contents& contents) override;

  // From now on the ports have a schedule: what the processor's accesses cost the other ports is
  // what the arbitration says, and not a turn on the device's bus beside it.
  void schedule(const PortSchedule& schedule) { schedule_ = schedule; }

 private:
  // A burst that is served: when its port's turn began, and when it will have ended.
  struct Served {
    Time start = -1;
    Time end = -1;
  };

  // The device as a port finds it: what holds its bus and banks, and which rows are open.
  struct Device {
    Time bus_free = 0;
    Time run_until = -1;  // end of the latest run of single beats, if one holds the bus
    Time next_refresh = 0;
    std::vector<Time> bank_free;
    std::vector<std::int64_t> open_row;
  };

  // What an access of the processor's takes from the burst that is served when it arrives.
  [[nodiscard]] Time taken(Time arrival) const;
  // Makes good the refreshes that have become due.
  void refresh(Device& device, Time arrival) const;
  // Opens the row of an access; returns what that takes.
  Time open(Device& device, const Access& access, std::size_t bank, bool run) const;
  [[nodiscard]] std::size_t bank_of(Address address) const {
    return static_cast<std::size_t>(address >> row_shift_ & bank_mask_);
  }
  Reply serve(Device& device, const Access& access, Time arrival);

  Parameters p_;
  std::optional<PortSchedule> schedule_;
  std::array<Served, 16> served_{};  // the latest bursts of other ports, a ring
  std::size_t bursts_ = 0;
  Time owed_ = 0;  // taken, and not yet made good
  Time cas_;
  Time slot_;  // of one device burst on the data bus
  std::uint32_t slot_bytes_;
  int slot_shift_ = 0;
  int row_shift_ = 0;
  int bank_shift_ = 0;
  std::uint64_t bank_mask_ = 0;
  Device shared_;
  Device processors_;  // as its port finds it where the ports have a schedule
};

}  // namespace weighbridge
