// SPDX-License-Identifier: GPL-2.0-only
//
// What the system coprocessor's registers do to time and caches. Unicorn executes most of these
// instructions as well; those of the counters it does not.
// Source: ARM DDI 0406 (ARMv7-A), table B3-42; Cortex-A9 TRM.
#include <algorithm>

#include "core.hpp"

namespace weighbridge::processor {
namespace {

// opc1, CRn, CRm and opc2 of an instruction as one number.
constexpr std::uint32_t name_of(std::uint32_t opc1, std::uint32_t crn, std::uint32_t crm,
                                std::uint32_t opc2) {
  return opc1 << 12 | crn << 8 | crm << 4 | opc2;
}
constexpr std::uint32_t name_in(std::uint32_t word) {
  return name_of(word >> 21 & 7U, word >> 16 & 0xFU, word & 0xFU, word >> 5 & 7U);
}

// Executed by Unicorn, and of no effect on time.
constexpr std::uint32_t kLetThrough[] = {
    name_of(0, 0, 0, 0),  name_of(0, 0, 0, 1),  name_of(0, 0, 0, 5),  name_of(1, 0, 0, 0),
    name_of(1, 0, 0, 1),  name_of(2, 0, 0, 0),  name_of(0, 1, 0, 2),  name_of(0, 7, 5, 6),
    name_of(0, 7, 5, 4),  name_of(0, 13, 0, 1), name_of(0, 13, 0, 2), name_of(0, 13, 0, 3),
    name_of(0, 13, 0, 4), name_of(0, 2, 0, 1),  name_of(0, 5, 0, 0),  name_of(0, 5, 0, 1),
    name_of(0, 6, 0, 0),  name_of(0, 6, 0, 2),  name_of(0, 8, 7, 0),  name_of(0, 8, 5, 0),
    name_of(0, 8, 6, 0),  name_of(0, 8, 7, 1),  name_of(0, 7, 1, 6),  name_of(0, 8, 3, 0)};

}  // namespace

std::uint32_t Core::cycles() const {
  if ((performance_control_ & 1U) == 0) return counter_base_;
  Time passed = (now_ - counted_from_) / clock_.period();
  if ((performance_control_ >> 3 & 1U) != 0) passed /= 64;
  return counter_base_ + static_cast<std::uint32_t>(passed);
}

// Gives an instruction's register a value in its place.
void Core::counter_read(const Step& step, std::uint32_t value) {
  const int to = static_cast<int>(step.word >> 12 & 0xFU);
  uc_reg_write(uc_, UC_ARM_REG_R0 + to, &value);
  go_to(step_at(step.pc) + 1);
  current_ = nullptr;
  std::uint32_t next = step.pc + step.bytes;
  std::uint32_t cpsr = 0;
  uc_reg_read(uc_, UC_ARM_REG_CPSR, &cpsr);
  next |= cpsr >> 5 & 1U;
  uc_reg_write(uc_, UC_ARM_REG_PC, &next);
}

bool Core::performance(const Step& step, bool read) {
  const std::uint32_t name = name_in(step.word);
  const std::uint32_t value = read ? 0 : reg(static_cast<int>(step.word >> 12 & 0xFU));
  switch (name) {
    case name_of(0, 9, 12, 0):  // PMCR
      if (read) {
        counter_read(step, 0x4109'3000U | performance_control_);
      } else {
        counter_base_ = (value & 4U) != 0 ? 0 : cycles();
        counted_from_ = now_;
        performance_control_ = value & 0x29U;
      }
      return true;
    case name_of(0, 9, 13, 0):  // PMCCNTR
      if (read) {
        counter_read(step, cycles());
      } else {
        counter_base_ = value;
        counted_from_ = now_;
      }
      return true;
    case name_of(0, 9, 12, 1):  // PMCNTENSET
    case name_of(0, 9, 12, 2):
    case name_of(0, 9, 12, 3):  // overflow flags
    case name_of(0, 9, 14, 0):
    case name_of(0, 9, 14, 1):
    case name_of(0, 9, 14, 2):
      if (read) counter_read(step, 0);
      return true;
    default:
      return false;
  }
}

void Core::special(std::uint32_t pc) {
  if (current_ == nullptr) return;
  const std::size_t index = step_at(pc);
  if (index >= current_->steps.size()) return;
  go_to(index);
  const Step step = current_->steps[index];
  const Time before = now_;
  switch (step.special) {
    case Special::coprocessor:
      if (!step.unconditional) return stop("a conditional access to the system coprocessor");
      now_ = port_.next(now_, pc);
      coprocessor(step);
      break;
    case Special::barrier:
      now_ = port_.drain(now_);
      last_line_ = ~Address{0};
      break;
    case Special::preload: {
      if (step.base < 0) return;
      std::uint32_t address = reg(step.base) + static_cast<std::uint32_t>(step.offset);
      if (step.base == 15) address = (pc + 8) / 4 * 4 + static_cast<std::uint32_t>(step.offset);
      if (step.index >= 0) address += reg(step.index);
      const Page page = page_of(address, false);
      if (page.fault.empty() && page.physical < port_.memory_bytes) {
        port_.preload(now_, page.physical, page.attributes);
      }
      break;
    }
    case Special::wait_interrupt:
    case Special::wait_event: {
      go_to(index + 1);
      waits_ = step.special == Special::wait_interrupt;
      current_ = nullptr;
      std::uint32_t cpsr = 0;
      uc_reg_read(uc_, UC_ARM_REG_CPSR, &cpsr);
      std::uint32_t next = (pc + step.bytes) | (cpsr >> 5 & 1U);
      uc_reg_write(uc_, UC_ARM_REG_PC, &next);
      if (waits_) uc_emu_stop(uc_);
      return;
    }
    case Special::none:
      break;
  }
  if (current_ != nullptr) current_->spent[index] += now_ - before;
}

void Core::coprocessor(const Step& step) {
  const bool read = (step.word >> 20 & 1U) != 0;
  if (performance(step, read)) return;
  const std::uint32_t name = name_in(step.word);
  const std::uint32_t value = read ? 0 : reg(static_cast<int>(step.word >> 12 & 0xFU));
  if ((step.word >> 24 & 0xFU) == 0xCU) return stop("MCRR and MRRC are not modelled");
  const auto kept = [&](std::uint32_t& one) {
    if (read) {
      counter_read(step, one);
    } else {
      one = value;
      uc_ctl_flush_tlb(uc_);
    }
  };
  switch (name) {
    case name_of(0, 1, 0, 0):
      if (!read && (value >> 25 & 1U) != 0) return stop("big-endian data is not modelled");
      if (!read) {
        const bool predicted = control_.prediction();
        control_.sctlr = value;
        port_.inner().enable(control_.data_cache());
        // Costs depend on prediction.
        if (predicted != control_.prediction()) {
          recent_.fill(nullptr);
          for (auto& [key, block] : blocks_) {
            for (Step& one : block.steps) {
              if (!one.branches) continue;
              const double more = p_.costs.branch_unpredicted - p_.costs.branch;
              one.cost += clock_.cycles(predicted ? more : -more);
            }
          }
        }
      }
      return;
    case name_of(0, 1, 0, 1):
      return kept(control_.actlr);
    case name_of(0, 2, 0, 0):
      if (!read) control_.ttbr0 = value;
      return;
    case name_of(0, 2, 0, 2):
      if (!read) control_.ttbcr = value;
      return;
    case name_of(0, 3, 0, 0):
      if (!read) control_.dacr = value;
      return;
    case name_of(0, 12, 0, 0):
      if (!read) vectors_ = value & ~31U;
      return;
    case name_of(0, 7, 5, 0):  // all instructions
    case name_of(0, 7, 5, 1):
    case name_of(0, 7, 1, 0):
      now_ += maintenance_cost_;
      instruction_cache_.invalidate_ways(~0ULL);
      fetched_.assign(fetched_.size(), {});
      return;
    case name_of(0, 7, 6, 1):
      return by_address(value, false, true);
    case name_of(0, 7, 10, 1):
    case name_of(0, 7, 11, 1):
      return by_address(value, true, false);
    case name_of(0, 7, 14, 1):
      return by_address(value, true, true);
    case name_of(0, 7, 6, 2):
      return by_set_and_way(value, false, true);
    case name_of(0, 7, 10, 2):
      return by_set_and_way(value, true, false);
    case name_of(0, 7, 14, 2):
      return by_set_and_way(value, true, true);
    case name_of(0, 7, 10, 4):  // barriers of older cores
    case name_of(0, 7, 10, 5):
      now_ = port_.drain(now_);
      return;
    case name_of(4, 15, 0, 0):  // base of the private region
      if (read) {
        for (const auto& mapped : peripherals_) {
          if (mapped->name == "private") return counter_read(step, mapped->base);
        }
      }
      break;
    default:
      if (std::find(std::begin(kLetThrough), std::end(kLetThrough), name) !=
          std::end(kLetThrough)) {
        return;
      }
  }
  stop("register c" + std::to_string(step.word >> 16 & 0xFU) + ", " +
       std::to_string(step.word >> 21 & 7U) + ", c" + std::to_string(step.word & 0xFU) + ", " +
       std::to_string(step.word >> 5 & 7U) + " of the system coprocessor is not modelled");
}

void Core::write_back(Address line) {
  if (!port_.inner().dirty(line)) return;
  const Access access{.address = line, .bytes = 32, .write = true, .outer = true};
  now_ = std::max(now_, port_.outer().access(access, now_).accepted);
  port_.inner().clean(line);
}

void Core::by_address(std::uint32_t address, bool clean, bool drop) {
  const Page page = page_of(address, false);
  if (!page.fault.empty()) return stop("maintenance of an address that faults: " + page.fault);
  now_ = port_.drain(now_) + maintenance_cost_;
  const Address line = page.physical / 32 * 32;
  if (clean) write_back(line);
  if (drop) port_.inner().drop(line);
  if (drop && !port_.outer().contains(line)) port_.replaced.erase(line);
}

void Core::by_set_and_way(std::uint32_t value, bool clean, bool drop) {
  now_ += maintenance_cost_;
  const auto line = port_.inner().line_at(value >> 5 & 0x1FFU, value >> 30);
  if (!line) return;
  if (clean) write_back(*line);
  if (drop) port_.inner().drop(*line);
}

}  // namespace weighbridge::processor
