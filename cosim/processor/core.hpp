// SPDX-License-Identifier: GPL-2.0-only
//
// A Cortex-A9 that executes a program: Unicorn does what the instructions do, this class says when.
#pragma once

#include <unicorn/unicorn.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "board.hpp"
#include "core/scheduler.hpp"
#include "decoder.hpp"
#include "elf_file.hpp"
#include "interrupts.hpp"
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

// A function as it was called: from where in the tree of calls, and its first instruction.
struct Call {
  std::size_t from = 0;
  std::uint32_t function = 0;
};

// A call from its beginning to its end.
struct Span {
  std::uint32_t function = 0;
  Time begin = 0;
  Time end = 0;
};

// Instructions that are entered together, with what they have cost.
struct Block {
  std::uint32_t pc = 0;
  std::size_t call = 0;  // in which it was entered, of the tree
  bool thumb = false;
  bool hooked = false;  // so that its special instructions are seen
  std::vector<Step> steps;
  std::vector<Time> before;  // cost of the steps before each, without waiting; one more at the end
  std::vector<Time> spent;   // by each, with waiting
  std::vector<std::uint64_t> executed;
};

// First instruction, bytes, instruction set and call.
using BlockKey = std::tuple<std::uint32_t, std::uint32_t, bool, std::size_t>;

// What else takes its course while the core runs: the engine's own masters.
class Companion {
 public:
  Companion() = default;
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;
  virtual ~Companion() = default;
  // Does what is due.
  virtual void step() = 0;
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
  // The same; null where there is none.
  [[nodiscard]] std::uint8_t* find(Address address, std::uint64_t count);

  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] std::uint64_t instructions() const { return instructions_; }
  [[nodiscard]] MemoryPort& port() { return port_; }
  [[nodiscard]] InterruptController& interrupts() { return interrupts_; }
  [[nodiscard]] const std::map<BlockKey, Block>& blocks() const { return blocks_; }
  [[nodiscard]] const ElfFile& program() const { return program_; }
  // The tree of calls; the first is the program. And the first calls one by one.
  [[nodiscard]] const std::vector<Call>& calls() const { return calls_; }
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }
  // What the program has set: registers by name, and from which address on pages have which
  // attributes.
  [[nodiscard]] std::vector<std::pair<std::string, std::uint32_t>> registers();
  [[nodiscard]] std::vector<std::pair<std::uint32_t, Attributes>> pages();
  [[nodiscard]] const Control& control() const { return control_; }
  // Ends the run at the next chance, with a line.
  void stop(const std::string& why);
  std::uint64_t most_instructions = ~0ULL;
  // Calls are told apart, and as many kept one by one.
  bool follows_calls = false;
  std::size_t most_spans = 0;

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
  void reach(std::uint32_t pc);
  void follow();
  [[nodiscard]] std::size_t step_at(std::uint32_t pc) const;
  [[nodiscard]] std::uint32_t reg(int number) const;
  [[nodiscard]] Page page_of(std::uint32_t address, bool fetch);
  [[nodiscard]] std::uint32_t cycles() const;
  std::string here() const;
  std::string unmodelled_instruction();
  void loop(std::uint32_t from);
  [[nodiscard]] bool interrupted() const;
  std::uint64_t take_interrupt(std::uint32_t pc);
  bool await_interrupt();
  void follow_interrupt(std::uint32_t pc, std::uint32_t vector);
  void follow_call(std::uint32_t pc);
  void return_from(std::size_t depth);
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
  InterruptController interrupts_;
  Control control_;
  std::uint32_t vectors_ = 0;
  bool flat_ = false;

  Time now_ = 0;
  Time private_cost_ = 0;
  Time register_cost_ = 0;
  Time maintenance_cost_ = 0;
  std::map<BlockKey, Block> blocks_;
  std::array<Block*, 4096> recent_{};
  Block* current_ = nullptr;
  std::size_t at_ = 0;
  std::uint64_t instructions_ = 0;
  // A line in the buffers that serve without the cache, and when the core left it.
  struct Fetched {
    Address line = ~Address{0};
    Time left = 0;
  };
  std::vector<Fetched> fetched_;
  std::size_t next_fetched_ = 0;
  Time fetch_free_ = 0;        // when the last line fetched so has come
  std::uint32_t next_pc_ = 0;  // behind the current block
  bool jumped_ = false;        // where no prediction has said it
  Address last_line_ = ~Address{0};
  std::uint32_t performance_control_ = 0;
  Time counted_from_ = 0;
  std::uint32_t counter_base_ = 0;
  // Of the calls that have not returned: where each returns to, and when it began.
  struct Frame {
    std::uint32_t back = 0;
    std::size_t call = 0;
    Time begin = 0;
  };
  std::vector<Call> calls_{{}};
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> call_of_;
  std::vector<Frame> frames_;
  std::vector<Span> spans_;
  // Where the program goes on behind an interrupt, and what was known of the way there.
  struct Interrupted {
    std::uint32_t pc = 0;
    std::uint32_t next_pc = 0;
    bool called = false;
    std::size_t depth = 0;
  };
  std::vector<Interrupted> interrupted_;
  bool takes_interrupt_ = false;
  bool called_ = false;  // the last block ended with a call
  std::unordered_set<std::uint32_t> hooked_;
  bool waits_ = false;  // at an instruction that waits for an interrupt
  bool rehook_ = false;
  std::uint32_t end_ = 0;  // where a called function returns to
  std::string failure_;
};

}  // namespace weighbridge::processor
