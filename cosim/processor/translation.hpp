// SPDX-License-Identifier: GPL-2.0-only
//
// The walk through a program's page tables: ARMv7's short descriptors, TTBR0 alone, no TEX remap.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "memory_port.hpp"

namespace weighbridge::processor {

// The core's registers that decide how an access is taken.
struct Control {
  std::uint32_t sctlr = 0;
  std::uint32_t actlr = 0;
  std::uint32_t ttbr0 = 0;
  std::uint32_t ttbcr = 0;
  std::uint32_t dacr = 0;

  [[nodiscard]] bool mmu() const { return (sctlr & 1U) != 0; }
  [[nodiscard]] bool data_cache() const { return (sctlr >> 2 & 1U) != 0; }
  [[nodiscard]] bool prediction() const { return (sctlr >> 11 & 1U) != 0; }
  [[nodiscard]] bool instruction_cache() const { return (sctlr >> 12 & 1U) != 0; }
  [[nodiscard]] bool coherent() const { return (actlr >> 6 & 1U) != 0; }
};

struct Page {
  std::uint32_t physical = 0;
  Attributes attributes;
  bool writable = true;
  bool executable = true;
  std::string fault;  // why there is none
};

// Reads a word of the tables.
using ReadWord = std::function<std::optional<std::uint32_t>(std::uint32_t address)>;

Page translate(const Control& control, std::uint32_t address, bool fetch, const ReadWord& read);

}  // namespace weighbridge::processor
