// SPDX-License-Identifier: Apache-2.0
//
// A PCI function as its host sees it: configuration space, three BARs, MSI and MSI-X of one vector.
//
//   BAR0  the logic's registers       BAR1  a bridge's registers: memory that nothing looks at
//   BAR2  MSI-X: the vector at 0, pending bits at 0x800
//   capabilities: MSI at 0x50, MSI-X at 0x70
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

namespace weighbridge::cosim {

class PciFunction {
 public:
  /// What an interrupt is: a message of 2 (MSI) or 4 (MSI-X) bytes of data, or the pin.
  struct Interrupt {
    bool pin;
    unsigned bytes;
    std::uint64_t address;
    std::uint32_t data;
  };
  static constexpr std::array<std::uint32_t, 3> bar_bytes{0x20'0000, 0x1000, 0x1000};

  PciFunction(unsigned vendor, unsigned device) {
    put(0x00, 2, vendor);
    put(0x02, 2, device);
    put(0x06, 2, 0x10);         // there are capabilities
    put(0x08, 4, 0x1180'0001);  // signal processing, other
    put(0x2C, 2, vendor);
    put(0x2E, 2, device);
    put(0x34, 1, 0x50);
    put(0x3D, 1, 1);  // pin A
    put(0x50, 2, 0x7005);
    put(0x70, 2, 0x0011);
    put(0x74, 4, 0x002);
    put(0x78, 4, 0x802);
    allow(0x04, 2, 0x0546);  // memory, master, parity, SERR, no pin
    allow(0x0C, 1, 0xFF);
    allow(0x3C, 1, 0xFF);
    allow(0x52, 2, 0x0001);
    allow(0x54, 4, 0xFFFF'FFFC);
    allow(0x58, 2, 0xFFFF);
    allow(0x72, 2, 0xC000);
    for (unsigned bar = 0; bar < bar_bytes.size(); ++bar)
      allow(0x10 + 4 * bar, 4, ~(bar_bytes[bar] - 1));
    put_table(12, 1);  // a vector is masked at first
  }

  [[nodiscard]] std::uint64_t config_read(std::uint64_t offset, unsigned bytes) const {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes && offset + i < config_.size(); ++i)
      value |= std::uint64_t{config_[offset + i]} << 8U * i;
    return value;
  }

  void config_write(std::uint64_t offset, unsigned bytes, std::uint64_t value) {
    for (unsigned i = 0; i < bytes && offset + i < config_.size(); ++i) {
      const auto now = static_cast<std::uint8_t>(value >> 8U * i);
      const std::uint8_t mask = writable_[offset + i];
      config_[offset + i] = static_cast<std::uint8_t>((config_[offset + i] & ~mask) | (now & mask));
    }
  }

  /// BAR 1 and 2. Outside, reads give ones and writes go nowhere.
  [[nodiscard]] std::uint64_t read(unsigned bar, std::uint64_t offset, unsigned bytes) const {
    std::uint64_t value = 0;
    if (bar < 1 || bar > 2 || bytes > 8 || offset > 0x1000 - bytes) return ~std::uint64_t{0};
    std::memcpy(&value, memory_[bar - 1].data() + offset, bytes);
    return value;
  }

  void write(unsigned bar, std::uint64_t offset, unsigned bytes, std::uint64_t value) {
    if (bar < 1 || bar > 2 || bytes > 8 || offset > 0x1000 - bytes) return;
    if (bar == 2 && offset + bytes > 16) return;  // pending bits are ours
    std::memcpy(memory_[bar - 1].data() + offset, &value, bytes);
  }

  [[nodiscard]] bool bus_master() const { return (config_[0x04] & 4U) != 0; }

  /// The logic wants to interrupt.
  void raise() {
    pending_ = true;
    put_pending();
  }

  /// The interrupt that is to be sent now, if any. sent() when it is out.
  [[nodiscard]] std::optional<Interrupt> due() const {
    if (!pending_) return std::nullopt;
    const bool message = ((config_[0x73] & 0x80U) | (config_[0x52] & 1U)) != 0;
    if (message && !bus_master()) return std::nullopt;  // a message is a write to memory
    if ((config_[0x73] & 0x80U) != 0) {                 // MSI-X
      if ((config_[0x73] & 0x40U) != 0 || (table(12) & 1U) != 0) return std::nullopt;
      return Interrupt{false, 4, table(0) | std::uint64_t{table(4)} << 32U, table(8)};
    }
    if ((config_[0x52] & 1U) != 0)  // MSI
      return Interrupt{false, 2, config_read(0x54, 4),
                       static_cast<std::uint32_t>(config_read(0x58, 2))};
    if ((config_[0x05] & 4U) != 0) return std::nullopt;
    return Interrupt{true, 0, 1, 0};
  }

  void sent() {
    pending_ = false;
    put_pending();
  }

 private:
  void put(unsigned offset, unsigned bytes, std::uint32_t value) {
    for (unsigned i = 0; i < bytes; ++i)
      config_[offset + i] = static_cast<std::uint8_t>(value >> 8U * i);
  }
  void allow(unsigned offset, unsigned bytes, std::uint32_t mask) {
    for (unsigned i = 0; i < bytes; ++i)
      writable_[offset + i] = static_cast<std::uint8_t>(mask >> 8U * i);
  }
  [[nodiscard]] std::uint32_t table(unsigned offset) const {
    std::uint32_t value = 0;
    std::memcpy(&value, memory_[1].data() + offset, 4);
    return value;
  }
  void put_table(unsigned offset, std::uint32_t value) {
    std::memcpy(memory_[1].data() + offset, &value, 4);
  }
  void put_pending() { memory_[1][0x800] = pending_ ? 1 : 0; }

  std::array<std::uint8_t, 4096> config_{}, writable_{};
  std::array<std::array<std::uint8_t, 0x1000>, 2> memory_{};
  bool pending_ = false;
};

}  // namespace weighbridge::cosim
