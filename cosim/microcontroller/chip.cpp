// SPDX-License-Identifier: GPL-2.0-only
#include "chip.hpp"

#include <cstdio>
#include <utility>

#include "core/scheduler.hpp"

namespace weighbridge::microcontroller {
namespace {

constexpr std::uint32_t kLine = 32;

std::uint32_t bits(std::uint32_t word, unsigned high, unsigned low) {
  return word >> low & ((2U << (high - low)) - 1U);
}

// Where a bit says that something is switched on, another says that it is ready.
std::uint32_t followed(std::uint32_t word, std::uint32_t on, std::uint32_t ready) {
  return (word & on) != 0 ? word | ready : word & ~ready;
}

// Of the ports A to E: mode, speed, pull, alternate functions.
std::map<std::uint32_t, std::uint32_t> ports() {
  std::map<std::uint32_t, std::uint32_t> words;
  for (std::uint32_t port = 0; port < 5; ++port) {
    for (const std::uint32_t offset : {0x00U, 0x08U, 0x0CU, 0x20U, 0x24U})
      words[0x400 * port + offset] = offset == 0 ? ~0U : 0;
  }
  return words;
}

namespace rcc {
constexpr std::uint32_t cr = 0x00, cfgr = 0x10, d1cfgr = 0x18, d2cfgr = 0x1C, pllckselr = 0x28,
                        pllcfgr = 0x2C, d1ccipr = 0x4C, ahb3enr = 0xD4, apb1lenr = 0xE8,
                        apb2enr = 0xF0;
constexpr std::uint32_t pll_divr(unsigned number) { return 0x30 + 8 * (number - 1); }
}  // namespace rcc

}  // namespace

std::optional<std::uint32_t> Chip::Words::read(std::uint32_t offset, Time now) {
  if (const auto special = reads.find(offset); special != reads.end()) return special->second(now);
  const auto found = words_.find(offset);
  if (found != words_.end()) return found->second;
  return others != nullptr ? others->read(offset, now) : std::nullopt;
}

bool Chip::Words::write(std::uint32_t offset, std::uint32_t value, Time now) {
  const auto special = writes.find(offset);
  const auto found = words_.find(offset);
  if (special == writes.end() && found == words_.end())
    return others != nullptr && others->write(offset, value, now);
  if (found != words_.end()) found->second = value;
  if (special != writes.end()) special->second(value, now);
  return true;
}

Chip::Chip(const Timebase& base, Clock core, double crystal_mhz,
           std::function<std::uint32_t(const char*)> base_of)
    : base_(base),
      core_(core),
      crystal_mhz_(crystal_mhz),
      base_of_(std::move(base_of)),
      reset_({{rcc::cr, 0x25},
              {rcc::cfgr, 0},
              {rcc::d1cfgr, 0},
              {rcc::d2cfgr, 0},
              {0x20, 0},  // D3CFGR
              {rcc::pllckselr, 0x02020200},
              {rcc::pllcfgr, 0x01FF0000},
              {rcc::pll_divr(1), 0x01010280},
              {rcc::pll_divr(2), 0x01010280},
              {rcc::d1ccipr, 0},
              {rcc::ahb3enr, 0},
              {rcc::apb1lenr, 0},
              {rcc::apb2enr, 0},
              {0xE0, 0},    // AHB4ENR
              {0xF4, 0}}),  // APB4ENR
      power_(Initial{{0x0C, 0x46}, {0x18, 0x4000}}),
      flash_(Initial{{0x00, 0x37}}),
      fmc_({{0x000, 0x30DB}, {0x004, 0x0FFFFFFF}, {0x104, 0x0FFFFFFF}}),
      pins_(ports()),
      serial_({{0x00, 0}, {0x0C, 0}}),
      timer_({{0x00, 0}, {0x28, 0}, {0x2C, 0xFFFFFFFF}}),
      system_({{0x010, 0},
               {0x014, 0},
               {0xD14, 0x40200},
               {0xD84, 0},
               {0xD94, 0},
               {0xD98, 0},
               {0xDFC, 0}}),
      watch_(Initial{{0x00, 0x40000000}}) {
  reset_.reads[rcc::cr] = [this](Time) {
    std::uint32_t word = reset_.at(rcc::cr);
    for (const unsigned on : {16U, 24U, 26U, 28U}) word = followed(word, 1U << on, 2U << on);
    return word;
  };
  reset_.reads[rcc::cfgr] = [this](Time) {
    const std::uint32_t word = reset_.at(rcc::cfgr);
    return (word & ~(7U << 3)) | bits(word, 2, 0) << 3;
  };
  power_.reads[0x04] = [](Time) { return 1U << 13; };                        // ACTVOSRDY
  power_.reads[0x18] = [this](Time) { return power_.at(0x18) | 1U << 13; };  // VOSRDY

  serial_.reads[0x1C] = [this](Time) {
    return 0xC0U | (taken_ < input.size() ? 0x20U : 0U);  // sent at once
  };
  serial_.reads[0x24] = [this](Time) {
    return taken_ < input.size() ? static_cast<std::uint8_t>(input[taken_++]) : 0U;
  };
  serial_.writes[0x28] = [](std::uint32_t byte, Time) {
    std::putchar(static_cast<int>(byte & 0xFFU));
    if (byte == '\n') std::fflush(stdout);  // who has asked may be waiting for it
  };

  timer_.writes[0x14] = [this](std::uint32_t, Time now) { timer_from_ = now; };
  timer_.reads[0x24] = [this](Time now) {
    if ((timer_.at(0x00) & 1U) == 0) return 0U;
    // Behind the bus's division by more than 1 the timer runs at twice the bus's clock.
    const std::uint32_t by = bits(reset_.at(rcc::d2cfgr), 6, 4);
    const double bus = core_mhz() / (bits(reset_.at(rcc::d1cfgr), 3, 0) >= 8 ? 2 : 1);
    const double mhz = by < 5 ? bus : bus / (1U << (by - 4));
    const double ticks = base_.seconds(now - timer_from_) * mhz * 1e6 / (timer_.at(0x28) + 1.0);
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(ticks));
  };

  watch_.reads[0x04] = [this](Time now) {
    return static_cast<std::uint32_t>((now - counted_from_) / core_.period());
  };
  watch_.writes[0x04] = [this](std::uint32_t value, Time now) {
    counted_from_ = now - static_cast<Time>(value) * core_.period();
  };

  system_.others = &nvic;
  system_.writes[0x010] = [this](std::uint32_t value, Time now) {
    const bool on = (value & 1U) != 0;
    if (on != (tick_due_ != kNever)) tick_due_ = on ? now + tick() : kNever;
  };
  system_.reads[0x010] = [this](Time now) {
    advance(now);
    return (system_.at(0x010) & 7U) | (std::exchange(ticked_, false) ? 1U << 16 : 0U);
  };
  system_.reads[0x018] = [this](Time now) {
    advance(now);
    return tick_due_ == kNever ? 0U
                               : static_cast<std::uint32_t>((tick_due_ - now) / core_.period());
  };
  system_.writes[0x018] = [this](std::uint32_t, Time now) {
    ticked_ = false;
    if (tick_due_ != kNever) tick_due_ = now + tick();
  };
  system_.reads[0xD90] = [](Time) { return 16U << 8; };  // regions of the MPU
  system_.writes[0xD9C] = [this](std::uint32_t value, Time) {
    regions_[system_.at(0xD98)].base = value & ~(kLine - 1);
  };
  system_.writes[0xDA0] = [this](std::uint32_t value, Time) {
    regions_[system_.at(0xD98)].attributes = value;
  };
  system_.writes[0xF50] = [](std::uint32_t, Time) {};  // ICIALLU
  system_.writes[0xF60] = [](std::uint32_t, Time) {};  // DCISW: before the cache is on
  system_.writes[0xF5C] = [this](std::uint32_t value, Time) { maintain(value); };  // DCIMVAC
  system_.writes[0xF68] = [this](std::uint32_t value, Time) { maintain(value); };  // DCCMVAC
  system_.writes[0xF70] = [this](std::uint32_t value, Time) { maintain(value); };  // DCCIMVAC
}

void Chip::maintain(std::uint32_t address) { dirty.erase(address / kLine); }

double Chip::pll_mhz(unsigned number, unsigned output) const {
  const std::uint32_t select = reset_.at(rcc::pllckselr);
  const std::uint32_t config = reset_.at(rcc::pllcfgr);
  const std::uint32_t divider = reset_.at(rcc::pll_divr(number));
  const bool on = (reset_.at(rcc::cr) >> (24 + 2 * (number - 1)) & 1U) != 0;
  const bool out = (config >> (16 + 3 * (number - 1) + output) & 1U) != 0;
  const std::uint32_t before = bits(select, 9 + 8 * (number - 1), 4 + 8 * (number - 1));
  if (!on || !out || bits(select, 1, 0) != 2 || before == 0) return 0;
  const std::uint32_t after = bits(divider, 15 + 7 * output, 9 + 7 * output) + 1;
  return crystal_mhz_ / before * (bits(divider, 8, 0) + 1) / after;
}

double Chip::core_mhz() const { return bits(reset_.at(rcc::cfgr), 2, 0) == 3 ? pll_mhz(1, 0) : 64; }

double Chip::fmc_mhz() const {
  if (bits(reset_.at(rcc::d1ccipr), 1, 0) != 2) return 0;  // of the second PLL's output R
  return pll_mhz(2, 2) / (bits(fmc_.at(0x004), 23, 20) + 1);
}

std::string Chip::fmc_fault() const {
  if (bits(reset_.at(rcc::ahb3enr), 12, 12) == 0) return "the FMC has no clock";
  const std::uint32_t control = fmc_.at(0x000);
  struct Setting {
    unsigned high, low, value;
    const char* name;
  };
  static constexpr Setting kSettings[] = {
      {31, 31, 1, "FMCEN"},  {25, 24, 1, "BMAP"}, {20, 20, 1, "CCLKEN"},  {19, 19, 1, "CBURSTRW"},
      {13, 13, 1, "WAITEN"}, {12, 12, 1, "WREN"}, {11, 11, 1, "WAITCFG"}, {9, 9, 0, "WAITPOL"},
      {8, 8, 1, "BURSTEN"},  {5, 4, 1, "MWID"},   {3, 2, 1, "MTYP"},      {1, 1, 1, "MUXEN"},
      {0, 0, 1, "MBKEN"}};
  for (const Setting& one : kSettings) {
    if (bits(control, one.high, one.low) != one.value)
      return std::string("the FMC's ") + one.name + " is not " + std::to_string(one.value);
  }
  if (bits(fmc_.at(0x004), 27, 24) != 0) return "the FMC's DATLAT is not 0";
  if (bits(fmc_.at(0x004), 19, 16) != 0) return "the FMC's BUSTURN is not 0";
  return "";
}

std::uint32_t Chip::kind_of(std::uint32_t address) const {
  std::uint32_t kind = address >= 0xA000'0000 ? 1 : 7;
  if ((system_.at(0xD94) & 1U) == 0) return kind;
  for (const auto& [number, region] : regions_) {
    if ((region.attributes & 1U) == 0) continue;
    const std::uint64_t size = 2ULL << bits(region.attributes, 5, 1);
    const std::uint64_t base = region.base & ~(size - 1);
    if (address < base || address >= base + size) continue;
    kind = bits(region.attributes, 21, 19) << 2 | bits(region.attributes, 17, 17) << 1 |
           bits(region.attributes, 16, 16);
  }
  return kind;
}

Order Chip::order_of(std::uint32_t address) const {
  const std::uint32_t kind = kind_of(address);
  return kind == 0 ? Order::strongly : kind == 1 || kind == 8 ? Order::device : Order::normal;
}

bool Chip::cached(std::uint32_t address) const {
  constexpr std::uint32_t kNotCached = 4;
  const bool on = (system_.at(0xD14) >> 16 & 1U) != 0;
  return on && order_of(address) == Order::normal && kind_of(address) != kNotCached;
}

std::vector<Chip::Block> Chip::blocks() {
  struct Place {
    const char* name;
    std::uint32_t bytes;
    Words* registers;
    bool near;
  };
  const Place places[] = {{"rcc", 0x400, &reset_, false},
                          {"pwr", 0x400, &power_, false},
                          {"flash_control", 0x1000, &flash_, false},
                          {"fmc", 0x1000, &fmc_, false},
                          {"gpio", 0x1400, &pins_, false},
                          {"usart", 0x400, &serial_, false},
                          {"timer", 0x400, &timer_, false},
                          {"system", 0x1000, &system_, true},
                          {"watch", 0x1000, &watch_, true}};
  std::vector<Block> all;
  for (const Place& one : places)
    all.push_back({base_of_(one.name), one.bytes, one.registers, one.name, one.near});
  return all;
}

void Chip::advance(Time now) {
  for (; tick_due_ <= now; tick_due_ += tick()) {
    ticked_ = true;
    if ((system_.at(0x010) & 2U) != 0) nvic.pend(Nvic::kTick);
  }
}

}  // namespace weighbridge::microcontroller
