// SPDX-License-Identifier: GPL-2.0-only
//
// What a program finds beside memory and fabric: registers, at the addresses of the platform's
// file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "components/memory.hpp"
#include "interrupts.hpp"
#include "memory_port.hpp"

namespace weighbridge::processor {

// A block of registers. Offsets are from its base; accesses are words.
class Peripheral {
 public:
  Peripheral() = default;
  Peripheral(const Peripheral&) = delete;
  Peripheral& operator=(const Peripheral&) = delete;
  virtual ~Peripheral() = default;
  // Nothing: the register is not modelled.
  virtual std::optional<std::uint32_t> read(std::uint32_t offset, Time now) = 0;
  // False: the register, or what is written there, is not modelled.
  virtual bool write(std::uint32_t offset, std::uint32_t value, Time now) = 0;
};

// Where registers are: in the processor's own region, on the peripheral bus, behind a bridge.
enum class Place { near, bus, fabric };

struct Mapped {
  std::string name;
  std::uint32_t base = 0;
  std::uint32_t bytes = 0;
  Place place = Place::bus;
  std::unique_ptr<Peripheral> peripheral;
};

// A serial port of the 16550 kind, or Cadence's; what is sent goes to standard output.
std::unique_ptr<Peripheral> uart(const std::string& kind, std::string input);
// The snoop control unit, the interrupt controller, and the global timer, which counts half the
// core's cycles.
std::unique_ptr<Peripheral> private_region(Clock core, InterruptController& interrupts);
// The second level's controller: what is written there works on the cache of the engine.
std::unique_ptr<Peripheral> cache_controller(MemoryPort& port, bool acp_lockable);
// Priorities and weights of the memory controller's ports: who goes first at the engine's memory.
std::unique_ptr<Peripheral> memory_controller(Sdram& memory);

}  // namespace weighbridge::processor
