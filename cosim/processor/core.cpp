// SPDX-License-Identifier: GPL-2.0-only
#include "core.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace weighbridge::processor {
namespace {

constexpr std::uint32_t kLine = 32;
constexpr std::uint32_t kTlbPage = 1024;  // Unicorn's
constexpr std::uint32_t kReturn = 0xFFFF'FFF0;

std::string hex(std::uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%08llx", static_cast<unsigned long long>(value));
  return text;
}

// The cache for instructions is as large as the one for data, of four ways.
Cache::Parameters like(const Cache& data) {
  Cache::Parameters parameters;
  parameters.bytes = data.bytes();
  parameters.line = data.line_bytes();
  parameters.ways = 4;
  parameters.level = Level::inner;
  return parameters;
}

}  // namespace

// What Unicorn calls. Nothing may be thrown through its frames: a failure is kept and ends the run.
struct Core::Hooks {
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
  static void code(uc_engine*, std::uint64_t address, std::uint32_t, void* core) {
    auto& self = *static_cast<Core*>(core);
    guarded(self, [&] { self.special(static_cast<std::uint32_t>(address)); });
  }
  static void memory(uc_engine*, uc_mem_type type, std::uint64_t address, int size, std::int64_t,
                     void* core) {
    auto& self = *static_cast<Core*>(core);
    guarded(self,
            [&] { self.access(address, static_cast<std::uint32_t>(size), type == UC_MEM_WRITE); });
  }
  static bool fill(uc_engine*, std::uint64_t address, uc_mem_type type, uc_tlb_entry* entry,
                   void* core) {
    auto& self = *static_cast<Core*>(core);
    bool filled = false;
    guarded(self, [&] { filled = self.fill(static_cast<std::uint32_t>(address), type, *entry); });
    return filled;
  }
  static bool unmapped(uc_engine*, uc_mem_type type, std::uint64_t address, int, std::int64_t,
                       void* core) {
    auto& self = *static_cast<Core*>(core);
    const char* what = type == UC_MEM_WRITE_UNMAPPED  ? "a store to "
                       : type == UC_MEM_READ_UNMAPPED ? "a load from "
                                                      : "a fetch from ";
    self.stop(what + hex(address & 0xFFFF'FFFFU) + ", where nothing is modelled");
    return false;
  }
  static void interrupt(uc_engine*, std::uint32_t number, void* core) {
    auto& self = *static_cast<Core*>(core);
    static constexpr const char* kNames[] = {"", "an undefined instruction", "a supervisor call",
                                             "a prefetch abort", "a data abort"};
    self.stop(number < 5 && number > 0
                  ? std::string(kNames[number]) + " is not modelled"
                  : "exception " + std::to_string(number) + " is not modelled");
  }
  static std::uint64_t read(uc_engine*, std::uint64_t offset, unsigned size, void* region) {
    auto& at = *static_cast<Mapped*>(region);
    std::uint64_t value = 0;
    guarded(*owner, [&] { value = owner->peripheral_access(at, offset, size, false, 0); });
    return value;
  }
  static void write(uc_engine*, std::uint64_t offset, unsigned size, std::uint64_t value,
                    void* region) {
    auto& at = *static_cast<Mapped*>(region);
    guarded(*owner, [&] { owner->peripheral_access(at, offset, size, true, value); });
  }
  // One core in a process.
  static inline Core* owner = nullptr;
};

Core::Core(System& system, const std::string& processor, const CoreParameters& parameters,
           Clock clock, const ElfFile& program)
    : p_(parameters),
      clock_(clock),
      program_(program),
      decoder_(parameters.costs, clock),
      port_(system, processor, parameters.port),
      instruction_cache_("instruction cache", like(port_.inner()), port_.outer()),
      private_cost_(clock.cycles(parameters.private_access)),
      register_cost_(system.timebase().from_ns(parameters.register_access)),
      maintenance_cost_(clock.cycles(parameters.maintenance)),
      fetched_(std::max(1U, parameters.fetch_lines)) {
  Hooks::owner = this;
  port_.inner().enable(false);
  if (uc_open(UC_ARCH_ARM, UC_MODE_ARM, &uc_) != UC_ERR_OK) throw Stopped("Unicorn does not open");
  uc_ctl_set_cpu_model(uc_, UC_CPU_ARM_CORTEX_A9);
  uc_ctl_tlb_mode(uc_, UC_TLB_VIRTUAL);
  const auto hook = [&](int type, auto* function) {
    uc_hook handle = 0;
    uc_hook_add(uc_, &handle, type, reinterpret_cast<void*>(function), this, 1, 0);
  };
  hook(UC_HOOK_BLOCK, &Hooks::block);
  hook(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, &Hooks::memory);
  hook(UC_HOOK_TLB_FILL, &Hooks::fill);
  hook(UC_HOOK_MEM_UNMAPPED, &Hooks::unmapped);
  hook(UC_HOOK_INTR, &Hooks::interrupt);
  // The vector unit is on, as a boot loader leaves it.
  uc_arm_cp_reg access{15, 0, 0, 1, 0, 0, 2, 0xFU << 20};
  uc_reg_write(uc_, UC_ARM_REG_CP_REG, &access);
  std::uint32_t enable = 1U << 30;
  uc_reg_write(uc_, UC_ARM_REG_FPEXC, &enable);
  // Instructions are cached and predicted: so the study's boot loader leaves it, too.
  control_.sctlr = 1U << 12 | 1U << 11;
  control_.dacr = 0xFFFF'FFFF;
}

Core::~Core() {
  uc_close(uc_);
  for (const Ram& ram : rams_) munmap(ram.host, ram.bytes);
}

void Core::add_ram(std::uint32_t base, std::uint32_t bytes) {
  void* host = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (host == MAP_FAILED) throw Stopped("the host has no memory for the program's");
  rams_.push_back({base, bytes, static_cast<std::uint8_t*>(host)});
  for (unsigned kind = 0; kind < Attributes::kKinds; ++kind) {
    const std::uint64_t alias = static_cast<std::uint64_t>(kind) << 32 | base;
    if (uc_mem_map_ptr(uc_, alias, bytes, UC_PROT_ALL, host) != UC_ERR_OK) {
      throw Stopped("memory at " + hex(base) + " cannot be mapped");
    }
  }
}

void Core::add_peripheral(Mapped mapped) {
  auto& kept = *peripherals_.emplace_back(std::make_unique<Mapped>(std::move(mapped)));
  for (const std::uint64_t kind : {0ULL, 1ULL}) {
    if (uc_mmio_map(uc_, kind << 32 | kept.base, kept.bytes, &Hooks::read, &kept, &Hooks::write,
                    &kept) != UC_ERR_OK) {
      throw Stopped("registers at " + hex(kept.base) + " cannot be mapped");
    }
  }
}

void Core::prepare_flat() {
  flat_ = true;
  control_.sctlr |= 1U | 1U << 2;
  port_.inner().enable(true);
  port_.outer().enable(true);
}

std::uint8_t* Core::find(Address address, std::uint64_t count) {
  for (const Ram& ram : rams_) {
    if (ram.holds(address, count)) return ram.host + (address - ram.base);
  }
  return nullptr;
}

std::uint8_t* Core::bytes_at(Address address, std::uint64_t count) {
  if (std::uint8_t* found = find(address, count)) return found;
  throw Stopped("no memory is modelled at " + hex(address));
}

void Core::stop(const std::string& why) {
  if (failure_.empty()) failure_ = why + " at " + here();
  uc_emu_stop(uc_);
}

std::string Core::here() const { return program_.where(reg(15)); }

std::uint32_t Core::reg(int number) const {
  static constexpr int kIds[] = {UC_ARM_REG_R0,  UC_ARM_REG_R1, UC_ARM_REG_R2,  UC_ARM_REG_R3,
                                 UC_ARM_REG_R4,  UC_ARM_REG_R5, UC_ARM_REG_R6,  UC_ARM_REG_R7,
                                 UC_ARM_REG_R8,  UC_ARM_REG_R9, UC_ARM_REG_R10, UC_ARM_REG_R11,
                                 UC_ARM_REG_R12, UC_ARM_REG_SP, UC_ARM_REG_LR,  UC_ARM_REG_PC};
  std::uint32_t value = 0;
  uc_reg_read(uc_, kIds[number], &value);
  return value;
}

Page Core::page_of(std::uint32_t address, bool fetch) {
  if (flat_) {
    Page page;
    page.physical = address;
    const bool memory = address < port_.memory_bytes;
    page.attributes.device = !memory;
    page.attributes.inner = page.attributes.outer = page.attributes.allocate = memory;
    return page;
  }
  return translate(control_, address, fetch, [&](std::uint32_t at) {
    for (const Ram& ram : rams_) {
      if (!ram.holds(at, 4)) continue;
      std::uint32_t word = 0;
      std::memcpy(&word, ram.host + (at - ram.base), sizeof word);
      return std::optional<std::uint32_t>(word);
    }
    return std::optional<std::uint32_t>();
  });
}

bool Core::fill(std::uint32_t address, uc_mem_type type, uc_tlb_entry& entry) {
  const Page page = page_of(address, type == UC_MEM_FETCH);
  if (!page.fault.empty()) {
    stop("the access to " + hex(address) + " faults: " + page.fault);
    return false;
  }
  const std::uint64_t kind = page.attributes.kind();
  entry.paddr = kind << 32 | (page.physical & ~(kTlbPage - 1));
  int allowed = UC_PROT_READ;
  if (page.writable) allowed |= UC_PROT_WRITE;
  if (page.executable) allowed |= UC_PROT_EXEC;
  entry.perms = static_cast<uc_prot>(allowed);
  if (type == UC_MEM_WRITE && !page.writable) {
    stop("the store to " + hex(address) + " faults: its permissions forbid it");
    return false;
  }
  return true;
}

Block& Core::block_at(std::uint32_t pc, std::uint32_t bytes) {
  std::uint32_t cpsr = 0;
  uc_reg_read(uc_, UC_ARM_REG_CPSR, &cpsr);
  const bool thumb = (cpsr >> 5 & 1U) != 0;
  const std::size_t call = frames_.empty() ? 0 : frames_.back().call;
  const BlockKey key(pc, bytes, thumb, call);
  const auto found = blocks_.find(key);
  if (found != blocks_.end()) return found->second;
  Block& block = blocks_[key];
  block.pc = pc;
  block.thumb = thumb;
  block.call = call;
  std::vector<std::uint8_t> code(bytes);
  for (std::uint32_t at = 0; at < bytes;) {  // page by page
    const std::uint32_t piece = std::min(bytes - at, kTlbPage - (pc + at) % kTlbPage);
    std::memcpy(code.data() + at, bytes_at(page_of(pc + at, true).physical, piece), piece);
    at += piece;
  }
  block.steps = decoder_.decode(code, pc, thumb, control_.prediction());
  block.before.push_back(0);
  for (const Step& step : block.steps) block.before.push_back(block.before.back() + step.cost);
  block.spent.resize(block.steps.size());
  block.executed.resize(block.steps.size());
  return block;
}

void Core::enter(std::uint32_t pc, std::uint32_t bytes) {
  if (current_ != nullptr) go_to(current_->steps.size());
  follow();
  if (pc == end_ && end_ != 0) {
    const Time before = now_;
    now_ = port_.drain(now_);
    if (current_ != nullptr && !current_->spent.empty()) current_->spent.back() += now_ - before;
    uc_emu_stop(uc_);
    current_ = nullptr;
    return;
  }
  if (interrupted()) [[unlikely]] {
    takes_interrupt_ = true;
    uc_emu_stop(uc_);
    current_ = nullptr;
    return;
  }
  if (follows_calls) follow_call(pc);
  const std::size_t call = frames_.empty() ? 0 : frames_.back().call;
  Block*& recent = recent_[(pc >> 1 ^ bytes << 7 ^ call << 9) % recent_.size()];
  if (recent == nullptr || recent->pc != pc || recent->call != call || recent->before.size() < 2 ||
      recent->steps.back().pc + recent->steps.back().bytes != pc + bytes) {
    recent = &block_at(pc, bytes);
  }
  current_ = recent;
  at_ = 0;
  jumped_ = pc != next_pc_ && !control_.prediction();
  next_pc_ = pc + bytes;
  if (control_.instruction_cache()) {
    const Time before = now_;
    fetch(pc, bytes);
    if (!current_->spent.empty()) current_->spent.front() += now_ - before;
  }
  called_ = !current_->steps.empty() && current_->steps.back().calls;
  instructions_ += current_->steps.size();
  if (instructions_ > most_instructions) {
    stop("the limit of " + std::to_string(most_instructions) + " instructions is reached");
  }
  if (!current_->hooked) {
    current_->hooked = true;
    for (const Step& step : current_->steps) {
      if (step.special == Special::none || !hooked_.insert(step.pc).second) continue;
      uc_hook handle = 0;
      uc_hook_add(uc_, &handle, UC_HOOK_CODE, reinterpret_cast<void*>(&Hooks::code), this, step.pc,
                  step.pc);
      hooks_.push_back(handle);
      rehook_ = true;
    }
    if (rehook_) {
      instructions_ -= current_->steps.size();
      current_ = nullptr;
      uc_emu_stop(uc_);
    }
  }
}

// The engine's other masters, up to now, in order of time.
void Core::follow() {
  while (!companions_.empty()) {
    Companion* first = *std::min_element(
        companions_.begin(), companions_.end(),
        [](const Companion* one, const Companion* other) { return one->due() < other->due(); });
    if (first->due() > now_ || !failure_.empty()) return;
    first->step();
  }
}

std::size_t Core::step_at(std::uint32_t pc) const {
  const auto& steps = current_->steps;
  if (at_ < steps.size() && steps[at_].pc == pc) return at_;
  const auto found =
      std::lower_bound(steps.begin(), steps.end(), pc,
                       [](const Step& step, std::uint32_t at) { return step.pc < at; });
  return static_cast<std::size_t>(found - steps.begin());
}

// Charges the instructions before a step of the current block.
void Core::go_to(std::size_t end) {
  Block& block = *current_;
  const bool fetches = !control_.instruction_cache();
  for (; at_ < end; ++at_) {
    const Step& step = block.steps[at_];
    ++block.executed[at_];
    if (fetches) [[unlikely]] {
      const Time before = now_;
      reach(step.pc);
      block.spent[at_] += now_ - before;
    }
    if (port_.idle()) {
      now_ += step.cost;
      block.spent[at_] += step.cost;
      continue;
    }
    const Time before = now_;
    now_ = port_.next(now_, step.pc);
    now_ = port_.wait(now_, step.waits);
    now_ += step.cost;
    block.spent[at_] += now_ - before;
  }
}

void Core::access(Address where, std::uint32_t bytes, bool write) {
  if (current_ == nullptr) return;
  const Address address = where & 0xFFFF'FFFFU;
  const Attributes attributes = Attributes::of(static_cast<unsigned>(where >> 32));
  const std::uint32_t pc = reg(15);
  const std::size_t index = step_at(pc);
  if (index > at_) go_to(index);
  const Step& step = current_->steps[std::min(index, current_->steps.size() - 1)];
  for (const auto& mapped : peripherals_) {
    if (address - mapped->base < mapped->bytes) return;  // timed where it is answered
  }
  const Time before = now_;
  if (!control_.instruction_cache()) reach(step.pc);
  if (!port_.idle()) {
    now_ = port_.next(now_, pc);
    now_ = port_.wait(now_, step.waits);
  }
  now_ = write ? port_.store(now_, pc, address, bytes, attributes, step.data)
               : port_.load(now_, pc, address, bytes, attributes, step.writes);
  if (index < current_->spent.size()) current_->spent[index] += now_ - before;
}

std::uint64_t Core::peripheral_access(Mapped& mapped, std::uint64_t offset, unsigned bytes,
                                      bool write, std::uint64_t value) {
  Time there = 0;
  if (current_ != nullptr) {
    const std::size_t index = step_at(reg(15));
    if (index > at_) go_to(index);
    const Time before = now_;
    now_ = port_.drain(now_);
    if (mapped.place == Place::fabric) {
      // A store is posted: the core goes on, the register has it later.
      there = port_.fabric(now_, mapped.base + offset, write);
      if (!write) now_ = there;
    } else {
      now_ += mapped.place == Place::near ? private_cost_ : register_cost_;
    }
    if (index < current_->spent.size()) current_->spent[index] += now_ - before;
    follow();
  }
  const auto at = static_cast<std::uint32_t>(offset);
  const auto unmodelled = [&] {
    stop((write ? "a store to register " : "a load from register ") + hex(mapped.base + at) +
         " of '" + mapped.name + "' is not modelled" + (write ? ", of " + hex(value) + ":" : ":"));
  };
  if (bytes != 4 && !(bytes == 1 && at % 4 == 0)) {
    stop("an access of " + std::to_string(bytes) + " B to register " + hex(mapped.base + at) +
         " of '" + mapped.name + "' is not modelled");
    return 0;
  }
  if (write) {
    const auto word = static_cast<std::uint32_t>(value);
    if (!mapped.peripheral->write(at, word, std::max(now_, there))) unmodelled();
    return 0;
  }
  const auto read = mapped.peripheral->read(at, now_);
  if (!read) unmodelled();
  return read.value_or(0);
}

void Core::run(std::uint32_t entry) {
  for (const Segment& segment : program_.segments) {
    std::uint8_t* to = bytes_at(segment.physical, segment.memory_bytes);
    std::memcpy(to, segment.bytes.data(), segment.bytes.size());
  }
  loop(entry);
}

void Core::call(std::uint32_t function, std::uint32_t stack) {
  end_ = kReturn;
  // Nothing is executed there: the run ends before.
  void* landing = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  rams_.push_back({kReturn / 4096 * 4096, 4096, static_cast<std::uint8_t*>(landing)});
  for (unsigned kind = 0; kind < Attributes::kKinds; ++kind) {
    uc_mem_map_ptr(uc_, static_cast<std::uint64_t>(kind) << 32 | kReturn / 4096 * 4096, 4096,
                   UC_PROT_ALL, landing);
  }
  std::uint32_t back = kReturn;
  uc_reg_write(uc_, UC_ARM_REG_LR, &back);
  uc_reg_write(uc_, UC_ARM_REG_SP, &stack);
  run(function);
}

std::string Core::unmodelled_instruction() {
  std::uint32_t cpsr = 0;
  uc_reg_read(uc_, UC_ARM_REG_CPSR, &cpsr);
  const std::uint32_t pc = reg(15);
  const std::uint8_t* code = bytes_at(page_of(pc, true).physical, 4);
  const std::string text = decoder_.text({code, 4}, pc, (cpsr >> 5 & 1U) != 0);
  std::uint32_t word = 0;
  std::memcpy(&word, code, sizeof word);
  return "the instruction " + hex(word) + (text.empty() ? "" : " (" + text + ")") +
         " is not modelled at " + here();
}

void Core::loop(std::uint32_t from) {
  calls_.front().function = from & ~1U;
  std::uint64_t pc = from;
  while (true) {
    const uc_err error = uc_emu_start(uc_, pc, 0xFFFF'FFFF'FFFFULL, 0, 0);
    if (!failure_.empty()) throw Stopped(failure_);
    if (error == UC_ERR_INSN_INVALID) throw Stopped(unmodelled_instruction());
    if (error != UC_ERR_OK) {
      throw Stopped(std::string(uc_strerror(error)) + " at " + here());
    }
    std::uint32_t cpsr = 0;
    uc_reg_read(uc_, UC_ARM_REG_CPSR, &cpsr);
    const std::uint32_t thumb = cpsr >> 5 & 1U;
    pc = reg(15) | thumb;
    if (rehook_) {
      rehook_ = false;
      uc_ctl_flush_tb(uc_);
      continue;
    }
    if (std::exchange(takes_interrupt_, false)) {
      pc = take_interrupt(static_cast<std::uint32_t>(pc));
      continue;
    }
    if (!std::exchange(waits_, false) || !await_interrupt()) break;
  }
  if (!failure_.empty()) throw Stopped(failure_);
  if (current_ != nullptr) go_to(current_->steps.size());
  now_ = port_.drain(now_);
  return_from(0);
}

}  // namespace weighbridge::processor
