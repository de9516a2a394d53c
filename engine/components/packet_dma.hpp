// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The DMA engine of a device behind a PCI Express link.
#pragma once

#include <cstdint>

#include "core/fields.hpp"

namespace weighbridge {

// What it needs for a request and for each 64 bytes of it.
struct PacketDmaParameters {
  Fields f = {};
  double write_request = f.nanoseconds("write_request", "of a write, whatever its length");
  double write_unit = f.nanoseconds("write_unit", "of 64 bytes written");
  double read_request = f.nanoseconds("read_request", "of a read, whatever its length");
  double read_unit = f.nanoseconds("read_unit", "of 64 bytes read");
  double shared_unit = f.nanoseconds(
      "shared_unit", "of 64 bytes each way through the device's memory, where both ways move");
  std::uint32_t shared_bytes =
      f.bytes("shared_bytes",
              "of a command that go through that memory; what is beyond is passed on", {0, kGiB});
  double overhead = f.nanoseconds("overhead", "from a command to its first request");
  double staging_byte = f.nanoseconds("staging_byte", "of a byte between link and own memory");
};

}  // namespace weighbridge
