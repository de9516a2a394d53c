// SPDX-License-Identifier: GPL-2.0-only
#include "decoder.hpp"

#include <capstone/capstone.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string_view>

namespace weighbridge::processor {
namespace {

Registers bits_of(unsigned reg) {
  if (reg >= ARM_REG_R0 && reg <= ARM_REG_R12) return 1ULL << (reg - ARM_REG_R0);
  if (reg == ARM_REG_SP) return 1ULL << 13;
  if (reg == ARM_REG_LR) return 1ULL << 14;
  if (reg == ARM_REG_PC) return 1ULL << 15;
  if (reg >= ARM_REG_D0 && reg <= ARM_REG_D31) return 1ULL << (kFirstDouble + reg - ARM_REG_D0);
  if (reg >= ARM_REG_S0 && reg <= ARM_REG_S31) {
    return 1ULL << (kFirstDouble + (reg - ARM_REG_S0) / 2);
  }
  if (reg >= ARM_REG_Q0 && reg <= ARM_REG_Q15) {
    return 3ULL << (kFirstDouble + 2 * (reg - ARM_REG_Q0));
  }
  return 0;
}

int number_of(unsigned reg) {
  const Registers bits = bits_of(reg);
  return bits == 0 || bits >> kFirstDouble != 0 ? -1 : std::countr_zero(bits);
}

bool has(const cs_insn& one, unsigned group) {
  const auto* groups = one.detail->groups;
  return std::find(groups, groups + one.detail->groups_count, group) !=
         groups + one.detail->groups_count;
}

// Encodings that stand for the same instruction in both sets but for the condition.
constexpr std::uint32_t kConditionless = 0x0FFF'FFFF;

Special special_of(const cs_insn& one, std::uint32_t word) {
  switch (one.id) {
    case ARM_INS_MCR:
    case ARM_INS_MRC:
      return (word >> 8 & 0xFU) == 15 ? Special::coprocessor : Special::none;
    case ARM_INS_MCRR:
    case ARM_INS_MRRC:
      return Special::coprocessor;
    case ARM_INS_DSB:
    case ARM_INS_DMB:
    case ARM_INS_ISB:
      return Special::barrier;
    case ARM_INS_PLD:
    case ARM_INS_PLDW:
      return Special::preload;
    default:
      break;
  }
  // To Capstone these are hints, of one number with NOP.
  const std::string_view name = one.mnemonic;
  if (name.starts_with("wfi")) return Special::wait_interrupt;
  return name.starts_with("wfe") ? Special::wait_event : Special::none;
}

Unit unit_of(const cs_insn& one) {
  switch (one.id) {
    case ARM_INS_LSL:
    case ARM_INS_LSR:
    case ARM_INS_ASR:
    case ARM_INS_ROR:
      return Unit::shift;
    case ARM_INS_UBFX:
    case ARM_INS_SBFX:
    case ARM_INS_BFI:
    case ARM_INS_BFC:
    case ARM_INS_CLZ:
    case ARM_INS_PKHBT:
    case ARM_INS_PKHTB:
      return Unit::extend;
    case ARM_INS_REV:
    case ARM_INS_REV16:
    case ARM_INS_REVSH:
    case ARM_INS_RBIT:
      return Unit::reverse;
    case ARM_INS_LDR:
    case ARM_INS_PLD:
      return Unit::load;
    case ARM_INS_LDRB:
    case ARM_INS_LDRH:
    case ARM_INS_LDRSB:
    case ARM_INS_LDRSH:
      return Unit::narrow_load;
    case ARM_INS_STR:
    case ARM_INS_STRB:
    case ARM_INS_STRH:
      return Unit::store;
    case ARM_INS_UDIV:
    case ARM_INS_SDIV:
      return Unit::divide;
    case ARM_INS_ISB:
      return Unit::flush;
    case ARM_INS_DSB:
    case ARM_INS_DMB:
    case ARM_INS_MRS:
    case ARM_INS_MSR:
    case ARM_INS_PUSH:
    case ARM_INS_POP:
      return Unit::alone;
    default:
      break;
  }
  const std::string_view name = one.mnemonic;
  if (name.starts_with("ldm") || name.starts_with("stm") || name.starts_with("ldrd") ||
      name.starts_with("strd")) {
    return Unit::alone;
  }
  if (name.find("mul") != name.npos || name.find("mla") != name.npos || name.starts_with("mls")) {
    return Unit::multiply;
  }
  return name.find("xt") == 1 ? Unit::extend : Unit::alu;  // UXTB, SXTAH and the like
}

// Operands that go through a shifter before they are used.
Registers shifted_by(const cs_insn& one, Unit unit) {
  const cs_arm& arm = one.detail->arm;
  Registers shifted = 0;
  for (unsigned i = 1; i < arm.op_count; ++i) {
    const cs_arm_op& operand = arm.operands[i];
    if (operand.type != ARM_OP_REG) continue;
    // Of an extension with an addition, and of two halves that are put together, the last.
    const bool last = unit == Unit::extend && i == 2;
    const bool whole = unit == Unit::reverse || one.id == ARM_INS_UBFX || one.id == ARM_INS_SBFX;
    if ((operand.shift.type != ARM_SFT_INVALID && unit != Unit::shift) || last || whole) {
      shifted |= bits_of(operand.reg);
    }
  }
  return shifted;
}

}  // namespace

Decoder::Decoder(const InstructionCosts& costs, const Clock& clock) : costs_(costs), clock_(clock) {
  if (cs_open(CS_ARCH_ARM, CS_MODE_ARM, &arm_) != CS_ERR_OK ||
      cs_open(CS_ARCH_ARM, CS_MODE_THUMB, &thumb_) != CS_ERR_OK) {
    throw std::runtime_error("Capstone does not open");
  }
  for (const std::size_t handle : {arm_, thumb_}) cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
}

Decoder::~Decoder() {
  cs_close(&arm_);
  cs_close(&thumb_);
}

std::string Decoder::text(std::span<const std::uint8_t> code, std::uint32_t pc, bool thumb) {
  cs_insn* found = nullptr;
  if (cs_disasm(thumb ? thumb_ : arm_, code.data(), code.size(), pc, 1, &found) == 0) return "";
  const std::string text = std::string(found->mnemonic) + " " + found->op_str;
  cs_free(found, 1);
  return text;
}

std::vector<Step> Decoder::decode(std::span<const std::uint8_t> code, std::uint32_t pc, bool thumb,
                                  bool predicting) {
  const std::size_t handle = thumb ? thumb_ : arm_;
  cs_insn* one = cs_malloc(handle);
  const std::uint8_t* at = code.data();
  std::size_t left = code.size();
  std::uint64_t address = pc;
  std::vector<Step> steps;
  while (left > 0) {
    Step step;
    step.pc = static_cast<std::uint32_t>(address);
    const std::uint8_t* bytes = at;
    double cycles = costs_.issue;
    if (!cs_disasm_iter(handle, &at, &left, &address, one)) {
      // Unknown to Capstone and not to the emulator, which has taken it into the block.
      const std::size_t length = std::min<std::size_t>(thumb ? 2 : 4, left);
      at += length;
      left -= length;
      address += length;
      step.bytes = static_cast<std::uint8_t>(length);
      step.cost = clock_.cycles(cycles);
      steps.push_back(step);
      continue;
    }
    step.bytes = static_cast<std::uint8_t>(one->size);
    const auto half = [&](int i) {
      return static_cast<std::uint32_t>(bytes[2 * i] | bytes[2 * i + 1] << 8);
    };
    if (one->size == 4) step.word = thumb ? half(0) << 16 | half(1) : half(1) << 16 | half(0);
    step.special = special_of(*one, step.word & kConditionless);
    const cs_arm& arm = one->detail->arm;
    step.unconditional = arm.cc == ARM_CC_AL || arm.cc == ARM_CC_INVALID;
    step.branches = has(*one, ARM_GRP_JUMP) || has(*one, ARM_GRP_CALL);
    step.calls = one->id == ARM_INS_BL || one->id == ARM_INS_BLX;
    step.branches |= step.calls;

    cs_regs read;
    cs_regs written;
    std::uint8_t reads = 0;
    std::uint8_t writes = 0;
    cs_regs_access(handle, one, read, &reads, written, &writes);
    Registers in = 0;
    for (unsigned i = 0; i < reads; ++i) in |= bits_of(read[i]);
    for (unsigned i = 0; i < writes; ++i) step.writes |= bits_of(written[i]);
    Registers addressed = 0;
    for (unsigned i = 0; i < arm.op_count; ++i) {
      if (arm.operands[i].type != ARM_OP_MEM) continue;
      const arm_op_mem& memory = arm.operands[i].mem;
      addressed |= bits_of(memory.base) | bits_of(memory.index);
      step.base = static_cast<std::int8_t>(number_of(memory.base));
      step.index = static_cast<std::int8_t>(number_of(memory.index));
      step.offset = memory.disp;
    }
    step.unit = unit_of(*one);
    step.addresses = addressed;
    step.shifted = shifted_by(*one, step.unit);
    // A store lets others go on while its data is under way.
    const bool stores = one->mnemonic[0] == 's' && one->mnemonic[1] == 't';
    const bool pushes = one->id == ARM_INS_PUSH || one->id == ARM_INS_VPUSH;
    if (stores || pushes || std::string_view(one->mnemonic).starts_with("vst")) {
      step.data = in & ~addressed;
    }
    step.waits = in & ~step.data;
    // An address that is counted on is there at once.
    if (one->detail->writeback || one->mnemonic[0] == 'v') step.writes &= ~addressed;
    // Where its condition does not hold an instruction hands on what was there.
    if (!step.unconditional) step.waits |= step.writes;

    if (step.branches || (step.writes >> 15 & 1U) != 0) {
      cycles += predicting ? costs_.branch : costs_.branch_unpredicted;
      step.branches = true;
    }
    const std::string_view name = one->mnemonic;
    if (name.find("mul") != name.npos || name.find("mla") != name.npos) cycles += costs_.multiply;
    const bool vector = name[0] == 'v';
    if (one->id == ARM_INS_PUSH || one->id == ARM_INS_POP) step.writes &= ~(1ULL << 13);
    const bool moves = name.starts_with("vld") || name.starts_with("vst") ||
                       name.starts_with("ld") || stores || pushes || one->id == ARM_INS_POP ||
                       one->id == ARM_INS_VPOP;
    if (vector && !moves) cycles += costs_.float_;
    if (moves) {
      const int registers = std::popcount(step.writes | step.data | (in & ~addressed));
      const int slots = vector ? registers : (registers + 1) / 2;
      if (slots > 1) cycles += costs_.transfer * (slots - 1);
    }
    if (step.special == Special::coprocessor) cycles += costs_.system;
    step.cost = clock_.cycles(cycles);
    steps.push_back(step);
  }
  cs_free(one, 1);
  return steps;
}

}  // namespace weighbridge::processor
