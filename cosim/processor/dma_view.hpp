// SPDX-License-Identifier: GPL-2.0-only
//
// The program's memory as a master beside the core finds it: bytes at an address of the bus, and
// whether the caches hold something else.
#pragma once

#include <cstdint>
#include <optional>

#include "core.hpp"

namespace weighbridge::processor {

class DmaView {
 public:
  // coherent: where memory is seen through the coherency port, if it is.
  DmaView(Core& core, std::optional<Address> coherent) : core_(core), coherent_(coherent) {}

  // Where the caches are passed by, memory must hold what the program means, and they must not
  // hold what it no longer does: else the run is stopped as stale.
  void check(Address address, std::uint32_t bytes, bool write);
  // Null where there is no memory.
  [[nodiscard]] std::uint8_t* bytes_at(Address address, std::uint32_t bytes);

 private:
  [[nodiscard]] bool coherent(Address address) const;

  Core& core_;
  std::optional<Address> coherent_;
};

}  // namespace weighbridge::processor
