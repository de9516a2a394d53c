// SPDX-License-Identifier: GPL-2.0-only
//
// Source of the registers: ARM's technical reference manuals of the Cortex-A9 MPCore (SCU, global
// timer) and of the L2C-310; the data sheets of the 16550 and of Cadence's UART as Linux's drivers
// use them.
#include "board.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

namespace weighbridge::processor {
namespace {

class Ns16550 : public Peripheral {
 public:
  explicit Ns16550(std::string input) : input_(std::move(input)) {}
  std::optional<std::uint32_t> read(std::uint32_t offset, Time) override {
    if (offset == 0x14) return 0x60U | (next_ < input_.size() ? 1U : 0U);
    if (offset == 0) {
      return next_ < input_.size() ? static_cast<std::uint8_t>(input_[next_++]) : 0U;
    }
    return offset < 0x20 ? std::optional<std::uint32_t>(0) : std::nullopt;
  }
  bool write(std::uint32_t offset, std::uint32_t value, Time) override {
    if (offset == 0xC) latch_ = (value >> 7 & 1U) != 0;
    if (offset == 0 && !latch_) std::putchar(static_cast<int>(value & 0xFFU));
    return offset < 0x20;
  }

 private:
  std::string input_;
  std::size_t next_ = 0;
  bool latch_ = false;  // the divisor is reached at the data register
};

class Cadence : public Peripheral {
 public:
  explicit Cadence(std::string input) : input_(std::move(input)) {}
  std::optional<std::uint32_t> read(std::uint32_t offset, Time) override {
    if (offset == 0x2C) return 0x8U | (next_ < input_.size() ? 0U : 0x2U);
    if (offset == 0x30) {
      return next_ < input_.size() ? static_cast<std::uint8_t>(input_[next_++]) : 0U;
    }
    return offset < 0x48 ? std::optional<std::uint32_t>(0) : std::nullopt;
  }
  bool write(std::uint32_t offset, std::uint32_t value, Time) override {
    if (offset == 0x30) std::putchar(static_cast<int>(value & 0xFFU));
    return offset < 0x48;
  }

 private:
  std::string input_;
  std::size_t next_ = 0;
};

class PrivateRegion : public Peripheral {
 public:
  PrivateRegion(Clock core, InterruptController& interrupts)
      : half_(2 * core.period()), interrupts_(interrupts) {}
  std::optional<std::uint32_t> read(std::uint32_t offset, Time now) override {
    if (offset >= kDistributor) return interrupts_.read_distributor(offset - kDistributor);
    if (offset >= kInterface && offset < kTimer) {
      return interrupts_.read_interface(offset - kInterface);
    }
    const auto count = (control_ & 1U) != 0 ? base_ + static_cast<std::uint64_t>(now / half_) -
                                                  static_cast<std::uint64_t>(started_ / half_)
                                            : base_;
    switch (offset) {
      case 0x000:
        return scu_;
      case 0x004:
        return 0x11;  // two cores, of which both may take part, and their tags' size
      case 0x200:
        return static_cast<std::uint32_t>(count);
      case 0x204:
        return static_cast<std::uint32_t>(count >> 32);
      case 0x208:
        return control_;
      default:
        return std::nullopt;
    }
  }
  bool write(std::uint32_t offset, std::uint32_t value, Time now) override {
    if (offset >= kDistributor) return interrupts_.write_distributor(offset - kDistributor, value);
    if (offset >= kInterface && offset < kTimer) {
      return interrupts_.write_interface(offset - kInterface, value);
    }
    switch (offset) {
      case 0x000:
        scu_ = value;
        return true;
      case 0x00C:  // invalidates tags
        return true;
      case 0x200:
        base_ = (base_ >> 32 << 32) | value;
        return true;
      case 0x204:
        base_ = (base_ & 0xFFFF'FFFFU) | static_cast<std::uint64_t>(value) << 32;
        return true;
      case 0x208:
        if (value > 1) return false;  // no comparator, no prescaler
        if ((value & 1U) != 0 && (control_ & 1U) == 0) started_ = now;
        control_ = value;
        return true;
      default:
        return false;
    }
  }

 private:
  static constexpr std::uint32_t kInterface = 0x100;
  static constexpr std::uint32_t kTimer = 0x200;
  static constexpr std::uint32_t kDistributor = 0x1000;

  Time half_;
  InterruptController& interrupts_;
  Time started_ = 0;
  std::uint64_t base_ = 0;
  std::uint32_t control_ = 0;
  std::uint32_t scu_ = 0;
};

class CacheController : public Peripheral {
 public:
  CacheController(MemoryPort& port, bool acp_lockable) : port_(port), acp_lockable_(acp_lockable) {
    port_.outer().enable(false);
  }
  std::optional<std::uint32_t> read(std::uint32_t offset, Time) override {
    switch (offset) {
      case 0x000:
        return 0x4100'00C8;  // L2C-310, r3p2
      case 0x004:
        return 0x9E30'0300;
      case 0x100:
        return port_.outer().enabled() ? 1U : 0U;
      case 0x730:
      case 0x770:
      case 0x77C:
      case 0x7B0:
      case 0x7BC:
      case 0x7F0:
      case 0x7FC:
        return 0;  // done at once
      default: {
        const auto found = kept_.find(offset);
        return found == kept_.end() ? std::nullopt : std::optional(found->second);
      }
    }
  }
  bool write(std::uint32_t offset, std::uint32_t value, Time) override {
    Cache& cache = port_.outer();
    const Address line = value & ~31U;
    switch (offset) {
      case 0x100:
        cache.enable((value & 1U) != 0);
        return true;
      case 0x730:
      case 0x220:
        return true;
      case 0x770:
        drop(line);
        return true;
      case 0x7B0:
        cache.clean(line);
        return true;
      case 0x7F0:
        cache.clean(line);
        drop(line);
        return true;
      case 0x77C:
        cache.invalidate_ways(value);
        return true;
      case 0x7BC:
        cache.clean_ways(value);
        return true;
      case 0x7FC:
        cache.clean_ways(value);
        cache.invalidate_ways(value);
        return true;
      default:
        break;
    }
    if (offset >= 0x900 && offset < 0x940) {
      kept_[offset] = value;
      // Data registers by identifier; the processors' are 0 and 1, the coherency port's 3 and 4.
      const unsigned id = (offset - 0x900) / 8;
      if (offset % 8 == 0 && id == 0) cache.lock(kProcessorId, value & 0xFFU);
      if (offset % 8 == 0 && id == 3 && acp_lockable_) cache.lock(kDmaId, value & 0xFFU);
      return true;
    }
    const auto found = kept_.find(offset);
    if (found == kept_.end()) return false;
    found->second = value;
    return true;
  }

 private:
  void drop(Address line) {
    port_.outer().drop(line);
    port_.replaced.erase(line);
  }

  MemoryPort& port_;
  bool acp_lockable_;
  std::map<std::uint32_t, std::uint32_t> kept_ = {
      {0x104, 0x0206'0000}, {0x108, 0x777}, {0x10C, 0x777}, {0x200, 0}, {0x204, 0},
      {0x208, 0},           {0x20C, 0},     {0x210, 0},     {0x214, 0}, {0x21C, 0},
      {0xF40, 0},           {0xF60, 0},     {0xF80, 0}};
};

// Cyclone V: three bits of priority and five of weight for each of ten ports. The L3 is at the
// ports 6 and 8, the processor at 7 and 9. Source: handbook, "SDRAM Controller Subsystem".
class MemoryController : public Peripheral {
 public:
  explicit MemoryController(Sdram& memory) : memory_(memory) {}
  std::optional<std::uint32_t> read(std::uint32_t offset, Time) override {
    const auto found = kept_.find(offset);
    return found == kept_.end() ? std::nullopt : std::optional(found->second);
  }
  bool write(std::uint32_t offset, std::uint32_t value, Time) override {
    const auto found = kept_.find(offset);
    if (found == kept_.end()) return false;
    found->second = value;
    if (offset == kPortReset) return true;
    using First = PortSchedule::First;
    const std::uint32_t own = priority(kProcessorPort);
    const std::uint32_t other = priority(kL3Port);
    memory_.schedule(
        {.first = other > own   ? First::other
                  : other < own ? First::processor
                                : First::by_weight,
         .weight = std::max(1U, weight(kL3Port) / std::max(1U, weight(kProcessorPort)))});
    return true;
  }

 private:
  static constexpr std::uint32_t kPortReset = 0x80;
  static constexpr std::uint32_t kPriority = 0xAC;
  static constexpr std::uint32_t kWeightLow = 0xB0;
  static constexpr std::uint32_t kWeightHigh = 0xB4;
  static constexpr unsigned kL3Port = 6;
  static constexpr unsigned kProcessorPort = 7;

  [[nodiscard]] std::uint32_t priority(unsigned port) const {
    return kept_.at(kPriority) >> 3 * port & 7U;
  }
  [[nodiscard]] std::uint32_t weight(unsigned port) const {
    const std::uint64_t all =
        static_cast<std::uint64_t>(kept_.at(kWeightHigh)) << 32 | kept_.at(kWeightLow);
    return static_cast<std::uint32_t>(all >> 5 * port & 0x1FU);
  }

  Sdram& memory_;
  std::map<std::uint32_t, std::uint32_t> kept_ = {
      {kPortReset, 0}, {kPriority, 0}, {kWeightLow, 0}, {kWeightHigh, 0}};
};

}  // namespace

std::unique_ptr<Peripheral> uart(const std::string& kind, std::string input) {
  if (kind == "ns16550") return std::make_unique<Ns16550>(std::move(input));
  if (kind == "cadence") return std::make_unique<Cadence>(std::move(input));
  throw std::invalid_argument("no serial port of kind '" + kind + "'");
}

std::unique_ptr<Peripheral> private_region(Clock core, InterruptController& interrupts) {
  return std::make_unique<PrivateRegion>(core, interrupts);
}

std::unique_ptr<Peripheral> cache_controller(MemoryPort& port, bool acp_lockable) {
  return std::make_unique<CacheController>(port, acp_lockable);
}

std::unique_ptr<Peripheral> memory_controller(Sdram& memory) {
  return std::make_unique<MemoryController>(memory);
}

}  // namespace weighbridge::processor
