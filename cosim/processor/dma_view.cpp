// SPDX-License-Identifier: GPL-2.0-only
#include "dma_view.hpp"

namespace weighbridge::processor {
namespace {

constexpr Address kLine = 32;

}  // namespace

bool DmaView::coherent(Address address) const {
  return coherent_ && address >= *coherent_ && address - *coherent_ < core_.port().memory_bytes;
}

void DmaView::check(Address address, std::uint32_t bytes, bool write) {
  if (coherent(address) || address >= core_.port().memory_bytes) return;
  MemoryPort& port = core_.port();
  for (Address line = address / kLine * kLine; line < address + bytes; line += kLine) {
    if (port.inner().dirty(line) || port.outer().dirty(line)) {
      port.stale({line, write ? "DMA writes a line that a cache will write over"
                              : "DMA reads a line whose contents are in a cache alone"});
    } else if (write && (port.inner().contains(line) || port.outer().contains(line))) {
      port.replaced.insert(line);
    }
  }
}

std::uint8_t* DmaView::bytes_at(Address address, std::uint32_t bytes) {
  return core_.find(coherent(address) ? address - *coherent_ : address, bytes);
}

}  // namespace weighbridge::processor
