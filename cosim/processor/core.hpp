// SPDX-License-Identifier: GPL-2.0-only
//
// A Cortex-A9 that executes a program: Unicorn does what the instructions do, this class says when.
#pragma once

#include <unicorn/unicorn.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "board.hpp"
#include "core/scheduler.hpp"
#include "decoder.hpp"
#include "elf_file.hpp"
#include "memory_port.hpp"
#include "translation.hpp"

namespace weighbridge::processor {

struct CoreParameters {
  InstructionCosts costs;
  PortParameters port;
  double maintenance = 0;         // cycles of an operation on a line by the system coprocessor
  double private_access = 0;      // cycles of an access to the processor's own region
  double register_access = 0;     // ns of an access to a register on the peripheral bus
  std::uint32_t fetch_lines = 2;  // lines of instructions that the core holds without its cache
};

// Memory that the program reaches by loads and stores.
struct Ram {
  std::uint32_t base = 0;
  std::uint32_t bytes = 0;
  std::uint8_t* host = nullptr;

  [[nodiscard]] bool holds(Address address, std::uint64_t count) const {
    return address >= base && address - base + count <= bytes;
  }
};

// Where the program's run ends early; one line.
class Stopped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Instructions that are entered together, with what they have cost.
struct Block {
  std::uint32_t pc = 0;
  bool thumb = false;
  bool hooked = false;
  std::vector<Step> steps;
  std::vector<Time> before;  // cost of the steps before each, without waiting; one more at the end
  std::vector<Time> spent;   // by each, with waiting
  std::vector<std::uint64_t> executed;
};

// What else takes its course while the core runs: the engine's own masters.
class Companion {
 public:
  Companion() = default;
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;
  virtual ~Companion() = default;
  // Goes on until `now`.
  virtual void advance(Time now) = 0;
  // When its next step is due; kNever: it is idle.
  [[nodiscard]] virtual Time due() const = 0;
};

class Core {
 public:
  Core(System& system, const std::string& processor, const CoreParameters& parameters, Clock clock,
       const ElfFile& program);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  void add_ram(std::uint32_t base, std::uint32_t bytes);
  void add_peripheral(Mapped mapped);
  void add_companion(Companion& companion) { companions_.push_back(&companion); }
  // The caches and the MMU as a running program finds them: memory cached, all else a device.
  void prepare_flat();

  // From an address on until the program waits for an interrupt that nothing will raise, or
  // returns to where `call` came from. Throws Stopped.
  void run(std::uint32_t entry);
  void call(std::uint32_t function, std::uint32_t stack);

  // Bytes of the program's memory; throws Stopped where there is none.
  std::uint8_t* bytes_at(Address address, std::uint64_t count);

  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] std::uint64_t instructions() const { return instructions_; }
  [[nodiscard]] MemoryPort& port() { return port_; }
  [[nodiscard]] const std::unordered_map<std::uint64_t, Block>& blocks() const { return blocks_; }
  [[nodiscard]] const ElfFile& program() const { return program_; }
  [[nodiscard]] const Control& control() const { return control_; }
  // Ends the run at the next chance, with a line.
  void stop(const std::string& why);
  std::uint64_t most_instructions = ~0ULL;

 private:
  struct Hooks;

  void enter(std::uint32_t pc, std::uint32_t bytes);
  void special(std::uint32_t pc);
  void access(Address where, std::uint32_t bytes, bool write);
  std::uint64_t peripheral_access(Mapped& mapped, std::uint64_t offset, unsigned bytes, bool write,
                                  std::uint64_t value);
  bool fill(std::uint32_t address, uc_mem_type type, uc_tlb_entry& entry);
  void coprocessor(const Step& step);
  void counter_read(const Step& step, std::uint32_t value);
  void by_set_and_way(std::uint32_t value, bool clean, bool drop);
  void by_address(std::uint32_t address, bool clean, bool drop);
  void write_back(Address line);
  [[nodiscard]] bool performance(const Step& step, bool read);
  void go_to(std::size_t step);
  void fetch(std::uint32_t pc, std::uint32_t bytes);
  void fetch_uncached(Address line, bool outer);
  void follow();
  [[nodiscard]] std::size_t step_at(std::uint32_t pc) const;
  [[nodiscard]] std::uint32_t reg(int number) const;
  [[nodiscard]] Page page_of(std::uint32_t address, bool fetch);
  [[nodiscard]] std::uint32_t cycles() const;
  std::string here() const;
  std::string unmodelled_instruction();
  void loop(std::uint32_t from);
  Block& block_at(std::uint32_t pc, std::uint32_t bytes);

  CoreParameters p_;
  Clock clock_;
  const ElfFile& program_;
  Decoder decoder_;
  MemoryPort port_;
  Cache instruction_cache_;
  uc_engine* uc_ = nullptr;
  std::vector<uc_hook> hooks_;
  std::vector<Ram> rams_;
  std::vector<std::unique_ptr<Mapped>> peripherals_;
  std::vector<Companion*> companions_;
  Control control_;
  bool flat_ = false;

  Time now_ = 0;
  Time private_cost_ = 0;
  Time register_cost_ = 0;
  Time maintenance_cost_ = 0;
  std::unordered_map<std::uint64_t, Block> blocks_;
  std::array<Block*, 4096> recent_{};
  Block* current_ = nullptr;
  std::size_t at_ = 0;
  std::uint64_t instructions_ = 0;
  std::vector<Address> fetched_;  // lines in the buffers that serve without the cache
  std::size_t next_fetched_ = 0;
  Address ahead_line_ = ~Address{0};  // the line behind the last one, on its way
  Time ahead_there_ = 0;
  Address last_line_ = ~Address{0};
  std::uint32_t performance_control_ = 0;
  Time counted_from_ = 0;
  std::uint32_t counter_base_ = 0;
  bool waits_ = false;  // at an instruction that waits for an interrupt
  bool rehook_ = false;
  std::uint32_t end_ = 0;  // where a called function returns to
  std::string failure_;
};

}  // namespace weighbridge::processor
