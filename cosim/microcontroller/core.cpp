// SPDX-License-Identifier: GPL-2.0-only
#include "core.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/scheduler.hpp"
#include "stopped.hpp"

namespace weighbridge::microcontroller {
namespace {

constexpr std::uint32_t kLine = 32, kPage = 4096;
constexpr std::uint32_t kData = 0x2000'0000;  // and above: variables
constexpr std::uint32_t kSram = 0x2400'0000, kSramBytes = 320U << 10;

std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

// What the decoder adds to a step: pairs of registers beyond the first.
processor::InstructionCosts costs_of_pairs() {
  processor::InstructionCosts costs;
  costs.branch_unpredicted = 0;
  costs.transfer = 1;
  return costs;
}

}  // namespace

struct Core::Hooks {
  // Nothing may be thrown through Unicorn's frames: a failure is kept and ends the run.
  template <typename Act>
  static void guarded(Core& core, const Act& act) {
    try {
      act();
    } catch (const std::exception& error) {
      core.stop(error.what());
    }
  }
  static void block(uc_engine*, std::uint64_t address, std::uint32_t size, void* core) {
    auto& self = *static_cast<Core*>(core);
    guarded(self, [&] { self.enter(static_cast<std::uint32_t>(address), size); });
  }
  static void store(uc_engine*, uc_mem_type, std::uint64_t address, int size, std::int64_t,
                    void* core) {
    static_cast<Core*>(core)->cached_store(static_cast<std::uint32_t>(address),
                                           static_cast<std::uint32_t>(size));
  }
  static bool unmapped(uc_engine*, uc_mem_type type, std::uint64_t address, int, std::int64_t,
                       void* core) {
    const char* what = type == UC_MEM_WRITE_UNMAPPED  ? "a store to "
                       : type == UC_MEM_READ_UNMAPPED ? "a load from "
                                                      : "a fetch from ";
    static_cast<Core*>(core)->stop(what + hex(static_cast<std::uint32_t>(address)) +
                                   ", where nothing is modelled,");
    return false;
  }
  static bool forbidden(uc_engine*, uc_mem_type, std::uint64_t address, int, std::int64_t,
                        void* core) {
    static_cast<Core*>(core)->stop("a store into the flash memory, to " +
                                   hex(static_cast<std::uint32_t>(address)) + ",");
    return false;
  }
  static void interrupt(uc_engine*, std::uint32_t number, void* core) {
    constexpr std::uint32_t kCall = 2, kReturn = 8;  // as the emulator numbers them
    auto& self = *static_cast<Core*>(core);
    guarded(self, [&] {
      if (number == kReturn) return self.leave_exception(self.pc());
      if (number != kCall)
        throw Stopped("exception " + std::to_string(number) + " is not modelled");
      self.leave();
      self.chip_.nvic.pend(Nvic::kSupervisor);
      if (!self.take_exception(self.pc()))
        throw Stopped("a call of the supervisor that is masked faults");
    });
  }
  static std::uint64_t read(uc_engine*, std::uint64_t offset, unsigned size, void* data) {
    auto& region = *static_cast<Region*>(data);
    std::uint64_t value = 0;
    guarded(*region.core, [&] {
      value = region.core->register_access(region.base + static_cast<std::uint32_t>(offset), size,
                                           false, 0);
    });
    return value;
  }
  static void write(uc_engine*, std::uint64_t offset, unsigned size, std::uint64_t value,
                    void* data) {
    auto& region = *static_cast<Region*>(data);
    guarded(*region.core, [&] {
      region.core->register_access(region.base + static_cast<std::uint32_t>(offset), size, true,
                                   value);
    });
  }
  static std::uint64_t window_read(uc_engine*, std::uint64_t offset, unsigned size, void* data) {
    Core& core = *static_cast<Region*>(data)->core;
    std::uint64_t value = 0;
    guarded(core, [&] {
      value = core.window_access(static_cast<std::uint32_t>(offset), size, false, 0);
    });
    return value;
  }
  static void window_write(uc_engine*, std::uint64_t offset, unsigned size, std::uint64_t value,
                           void* data) {
    Core& core = *static_cast<Region*>(data)->core;
    guarded(core,
            [&] { core.window_access(static_cast<std::uint32_t>(offset), size, true, value); });
  }
};

Core::Core(const CoreParameters& parameters, Clock clock, const processor::ElfFile& program,
           Chip& chip, Window& window)
    : p_(parameters),
      clock_(clock),
      program_(program),
      chip_(chip),
      window_(window),
      decoder_(costs_of_pairs(), clock),
      pipeline_(parameters.pipeline, clock) {
  if (uc_open(UC_ARCH_ARM, static_cast<uc_mode>(UC_MODE_THUMB | UC_MODE_MCLASS), &uc_) != UC_ERR_OK)
    throw Stopped("Unicorn does not open");
  uc_ctl_set_cpu_model(uc_, UC_CPU_ARM_CORTEX_M7);
  add_ram(0x0000'0000, 64U << 10, true);   // ITCM
  add_ram(0x0800'0000, 1U << 20, false);   // flash
  add_ram(0x2000'0000, 128U << 10, true);  // DTCM
  add_ram(kSram, kSramBytes, false);
  for (const processor::Segment& segment : program_.segments) {
    const auto* to = memory(segment.physical, segment.memory_bytes, false);
    std::memcpy(const_cast<std::uint8_t*>(to), segment.bytes.data(), segment.bytes.size());
  }
  uc_mem_protect(uc_, 0x0800'0000, 1U << 20, UC_PROT_READ | UC_PROT_EXEC);
  for (const Chip::Block& block : chip_.blocks()) add_registers(block);
  Region& window_region = regions_[p_.window] = {this, p_.window};
  uc_mmio_map(uc_, p_.window, kWindowBytes, &Hooks::window_read, &window_region,
              &Hooks::window_write, &window_region);

  const auto hook = [&](int type, auto* function, std::uint64_t first, std::uint64_t last) {
    uc_hook handle = 0;
    uc_hook_add(uc_, &handle, type, reinterpret_cast<void*>(function), this, first, last);
  };
  hook(UC_HOOK_BLOCK, &Hooks::block, 1, 0);
  hook(UC_HOOK_MEM_WRITE, &Hooks::store, kSram, kSram + kSramBytes - 1);
  hook(UC_HOOK_MEM_UNMAPPED, &Hooks::unmapped, 1, 0);
  hook(UC_HOOK_MEM_PROT, &Hooks::forbidden, 1, 0);
  hook(UC_HOOK_INTR, &Hooks::interrupt, 1, 0);
  // What the processor takes from the start of the flash memory at reset.
  std::uint32_t vectors[2];
  std::memcpy(vectors, memory(0x0800'0000, sizeof vectors, false), sizeof vectors);
  uc_reg_write(uc_, UC_ARM_REG_SP, &vectors[0]);
  resume_ = vectors[1];
}

Core::~Core() {
  if (saved_ != nullptr) uc_context_free(saved_);
  uc_close(uc_);
  for (const Ram& ram : rams_) munmap(ram.host, ram.bytes);
}

void Core::add_ram(std::uint32_t base, std::uint32_t bytes, bool tcm) {
  void* host = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (host == MAP_FAILED || uc_mem_map_ptr(uc_, base, bytes, UC_PROT_ALL, host) != UC_ERR_OK)
    throw Stopped("memory at " + hex(base) + " cannot be mapped");
  rams_.push_back({base, bytes, static_cast<std::uint8_t*>(host), tcm, {}});
}

void Core::add_registers(const Chip::Block& block) {
  registers_.push_back(block);
  for (std::uint32_t page = block.base & ~(kPage - 1); page < block.base + block.bytes;
       page += kPage) {
    if (regions_.contains(page)) continue;
    Region& region = regions_[page] = {this, page};
    if (uc_mmio_map(uc_, page, kPage, &Hooks::read, &region, &Hooks::write, &region) != UC_ERR_OK)
      throw Stopped("registers at " + hex(block.base) + " cannot be mapped");
  }
}

void Core::attach(Mdma& mdma, std::uint32_t base) {
  mdma_ = &mdma;
  add_registers({base, kPage, &mdma, "mdma", false});
}

const std::uint8_t* Core::memory(std::uint32_t address, std::uint32_t bytes, bool tcm) {
  for (const Ram& ram : rams_) {
    if (address < ram.base || address - ram.base + std::uint64_t{bytes} > ram.bytes) continue;
    if (started_ && tcm != ram.tcm)
      throw Stopped("the MDMA reads " + hex(address) + " by the wrong port");
    for (std::uint32_t line = address / kLine; line <= (address + bytes - 1) / kLine; ++line) {
      if (chip_.dirty.contains(line))
        throw Stopped("stale: the MDMA reads " + hex(address) +
                      ", which is newer in the data cache,");
    }
    return ram.host + (address - ram.base);
  }
  throw Stopped("no memory is modelled at " + hex(address));
}

void Core::stop(const std::string& why) {
  if (failure_.empty()) failure_ = why + " at " + where();
  uc_emu_stop(uc_);
}

std::uint32_t Core::pc() const {
  std::uint32_t value = 0;
  uc_reg_read(uc_, UC_ARM_REG_PC, &value);
  return value;
}

void Core::cached_store(std::uint32_t address, std::uint32_t bytes) {
  if (!chip_.cached(address)) return;
  for (std::uint32_t line = address / kLine; line <= (address + bytes - 1) / kLine; ++line)
    chip_.dirty.insert(line);
}

Core::Block& Core::block_at(std::uint32_t pc, std::uint32_t bytes) {
  Block& block = blocks_[std::uint64_t{bytes} << 32 | pc];
  if (!block.begins.empty()) return block;
  block.pc = pc;
  block.bytes = bytes;
  std::vector<std::uint8_t> code(bytes);
  uc_mem_read(uc_, pc, code.data(), bytes);
  block.steps = decoder_.decode(code, pc, true, true);
  block.ends_with_jump = !block.steps.empty() && block.steps.back().branches;
  block.begins = pipeline_.begins(block.steps);
  block.beyond = pipeline_.beyond(pc, bytes, block.begins.back());
  return block;
}

void Core::leave() {
  if (current_ == nullptr) return;
  now_ += current_->begins.back();
  current_->spent += current_->begins.back();
}

void Core::follow() {
  mdma_->advance(now_);
  chip_.advance(now_);
}

void Core::enter(std::uint32_t pc, std::uint32_t bytes) {
  Block* last = current_ != nullptr ? current_ : before_;
  before_ = nullptr;
  leave();
  if (std::min(mdma_->due(), chip_.tick_due()) <= now_) follow();
  if (now_ >= until_) {
    // Taken up here again: nothing of this block has been executed.
    current_ = nullptr;
    before_ = last;
    resume_ = pc | 1U;
    uc_emu_stop(uc_);
    return;
  }
  if (chip_.nvic.asks() && take_exception(pc)) return;
  Block& block = block_at(pc, bytes);
  const Time before = now_;
  if (last != nullptr && last->ends_with_jump) {
    if (last->next != &block) now_ += clock_.cycles(p_.branch_missed);
    if (pc != last->pc + last->bytes) now_ += clock_.cycles(p_.branch_taken) + block.beyond;
    last->next = &block;
  }
  if (pc >= 0x0800'0000) {
    for (std::uint32_t line = pc / kLine; line <= (pc + bytes - 1) / kLine; ++line) {
      if (!fetched_[line]) now_ += clock_.cycles(p_.fetch_miss);
      fetched_[line] = true;
    }
  }
  block.spent += now_ - before;
  if (watched_.contains(pc)) check_copy(pc);
  ++block.executed;
  instructions_ += block.steps.size();
  current_ = &block;
}

Time Core::here() {
  if (current_ == nullptr) return now_;
  const auto& steps = current_->steps;
  const auto found =
      std::lower_bound(steps.begin(), steps.end(), pc(),
                       [](const processor::Step& step, std::uint32_t at) { return step.pc < at; });
  return now_ + current_->begins[static_cast<std::size_t>(found - steps.begin())];
}

std::uint64_t Core::register_access(std::uint32_t address, unsigned bytes, bool write,
                                    std::uint64_t value) {
  const auto word = static_cast<std::uint32_t>(value);
  const auto found =
      std::find_if(registers_.begin(), registers_.end(),
                   [&](const Chip::Block& one) { return address - one.base < one.bytes; });
  const auto unmodelled = [&] {
    const std::string block = found == registers_.end() ? "no block" : "'" + found->name + "'";
    throw Stopped((write ? "a store of " + hex(word) + " to" : "a load from") + " register " +
                  hex(address) + " of " + block + " is not modelled");
  };
  if (found == registers_.end()) unmodelled();
  if (found->near && bytes == 1 && Nvic::by_bytes(address - found->base)) {
    const std::uint32_t shift = 8 * (address % 4);
    const auto whole = register_access(address - address % 4, 4, false, 0);
    if (!write) return whole >> shift & 0xFFU;
    return register_access(address - address % 4, 4, true,
                           (whole & ~(0xFFULL << shift)) | (value & 0xFFU) << shift);
  }
  if (bytes != 4 || address % 4 != 0) unmodelled();
  const Time cost = clock_.cycles(found->near ? p_.near_access : p_.register_access);
  const Time at = here() + cost;
  const std::uint32_t offset = address - found->base;
  std::optional<std::uint32_t> read;
  if (write) {
    if (!found->registers->write(offset, word, at)) unmodelled();
  } else {
    read = found->registers->read(offset, at);
    if (!read) unmodelled();
  }
  now_ += cost;
  if (current_ != nullptr) current_->spent += cost;
  return read.value_or(0);
}

// Unicorn makes bytes of an access that is not aligned; on the chip it faults.
void Core::check_alignment(std::uint32_t offset, unsigned bytes) {
  if (bytes == 4 && offset % 4 == 0) return;
  std::uint8_t code[4] = {};
  uc_mem_read(uc_, pc(), code, sizeof code);
  const std::string text = decoder_.text({code, 4}, pc(), true);
  const std::string name = text.substr(0, text.find_first_of(" ."));
  const unsigned wanted =
      name.starts_with("strb") || name.starts_with("ldrb") || name.starts_with("ldrsb")   ? 1
      : name.starts_with("strh") || name.starts_with("ldrh") || name.starts_with("ldrsh") ? 2
                                                                                          : 4;
  if (bytes != wanted || offset % wanted != 0)
    throw Stopped("the access to " + hex(p_.window + offset) +
                  " faults: a device takes none that is not aligned, '" + text + "'");
}

std::uint64_t Core::window_access(std::uint32_t offset, unsigned bytes, bool write,
                                  std::uint64_t value) {
  check_alignment(offset, bytes);
  look_at_window();
  const Time at = here();
  const Order order = chip_.order_of(p_.window + offset);
  if (order == Order::normal)
    throw Stopped("the window at " + hex(p_.window) + " is normal memory by the MPU");
  mdma_->advance(at);
  // A posted store is over for the core when the one before it was taken.
  const Time way = clock_.cycles(p_.register_access / 2);
  const Time begins = std::max(at + way, stored_);
  std::uint64_t read = 0;
  Time done = begins;
  if (write) {
    stored_ = window_.write(begins, offset, 8 * bytes, value);
    if (order == Order::strongly) done = stored_ + way;
  } else {
    done = window_.read(begins, offset, 8 * bytes, read) + way;
  }
  if (current_ != nullptr) current_->spent += done - at;
  now_ += done - at;
  return read;
}

std::map<std::string, Time> Core::spent() const {
  std::map<std::string, Time> all;
  for (const auto& [key, block] : blocks_) {
    const auto after = program_.functions.upper_bound(block.pc);
    all[after == program_.functions.begin() ? "?" : std::prev(after)->second] += block.spent;
  }
  return all;
}

bool Core::run(Time until) {
  until_ = until;
  started_ = true;
  while (now_ < until) {
    if (asleep_) {
      if (!sleep(until)) return false;
      continue;
    }
    current_ = nullptr;
    const uc_err error = uc_emu_start(uc_, resume_ | 1U, 0xFFFF'FFFFULL, 0, 0);
    if (!failure_.empty()) throw Stopped(failure_);
    if (error != UC_ERR_OK) throw Stopped(std::string(uc_strerror(error)) + " at " + where());
    if (std::exchange(elsewhere_, false)) continue;
    if (now_ >= until && current_ == nullptr) return true;
    // It waits for an interrupt: of the tick, or a frame that has come.
    leave();
    current_ = nullptr;
    resume_ = pc() | 1U;
    asleep_ = true;
  }
  return true;
}

void Core::save() {
  if (!asleep_ || chip_.nvic.serves()) throw Stopped("a program that does not wait cannot be kept");
  if (saved_ == nullptr) uc_context_alloc(uc_, &saved_);
  uc_context_save(uc_, saved_);
  saved_resume_ = resume_;
  saved_dirty_ = chip_.dirty;
  for (Ram& ram : rams_) ram.saved.assign(ram.host, ram.host + ram.bytes);
}

void Core::restore() {
  if (!asleep_) throw Stopped("a program that does not wait cannot be put back");
  uc_context_restore(uc_, saved_);
  resume_ = saved_resume_;
  chip_.dirty = saved_dirty_;
  for (const Ram& ram : rams_) std::copy(ram.saved.begin(), ram.saved.end(), ram.host);
}

void Core::watch_copies() {
  for (const char* name : {"memcpy", "memset"}) watched_[program_.symbol(name) & ~1U] = name;
  stack_top_ = program_.symbol("stack_top");
}

void Core::check_copy(std::uint32_t pc) {
  std::uint32_t to = 0, from = 0, bytes = 0, stack = 0;
  uc_reg_read(uc_, UC_ARM_REG_R0, &to);
  uc_reg_read(uc_, UC_ARM_REG_R1, &from);
  uc_reg_read(uc_, UC_ARM_REG_R2, &bytes);
  uc_reg_read(uc_, UC_ARM_REG_SP, &stack);
  const auto inside = [&](std::uint32_t begin) {
    if (begin >= stack && begin <= stack_top_) return bytes <= stack_top_ - begin;
    auto after = program_.objects.upper_bound(begin);
    if (after == program_.objects.begin()) return false;
    --after;
    return begin - after->first + std::uint64_t{bytes} <= after->second;
  };
  if (bytes == 0) return;
  // Texts among the code have no names.
  const bool sets = watched_.at(pc) == "memset";
  if (!inside(to) || (!sets && from >= kData && !inside(from))) {
    throw Stopped("a copy of " + std::to_string(bytes) + " bytes from " + hex(from) + " to " +
                  hex(to) + " leaves the object it begins in");
  }
}

bool Core::sleep(Time until) {
  follow();
  const auto woken = [&] {
    return window_.ready() ||
           (chip_.nvic.asks() && chip_.nvic.next(exception_mask(true)).has_value());
  };
  while (!woken() && now_ < until) {
    const Time due = std::min(chip_.tick_due(), mdma_->due());
    if (due == kNever) return false;
    // In steps that are as long as it may take to hear of a frame.
    const Time most = window_.quiet() ? kNever : now_ + clock_.cycles(64);
    now_ = std::min({most, due, until});
    window_.run(now_);
    follow();
  }
  asleep_ = !woken();
  return true;
}

}  // namespace weighbridge::microcontroller
