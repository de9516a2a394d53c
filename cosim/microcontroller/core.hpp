// SPDX-License-Identifier: GPL-2.0-only
//
// A Cortex-M7 that executes a program: Unicorn does what the instructions do, this class says when.
//
// Code and data lie in the processor's own memories, or in caches that are warm: what an
// instruction takes is decided by the pipeline and by jumps. Accesses to registers and to the
// window wait for them.
#pragma once

#include <unicorn/unicorn.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "chip.hpp"
#include "decoder.hpp"
#include "elf_file.hpp"
#include "mdma.hpp"
#include "pipeline.hpp"
#include "window.hpp"

namespace weighbridge::microcontroller {

// In cycles of the core.
struct CoreParameters {
  PipelineParameters pipeline;
  double branch_taken = 0;     // more, of a jump that was predicted
  double branch_missed = 0;    // more, of one that was not
  double fetch_miss = 0;       // of a line of code that is not in its cache yet
  double exception = 0;        // from a block's end to the handler's first instruction, and back
  double near_access = 0;      // to a register on the processor's own bus
  double register_access = 0;  // through the switches to registers or to the window, and back
  std::uint32_t window = 0;    // where the memory controller's window begins
};

class Core {
 public:
  Core(const CoreParameters& parameters, Clock clock, const processor::ElfFile& program, Chip& chip,
       Window& window);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  void attach(Mdma& mdma, std::uint32_t base);

  // Executes until an instant; false when the program has ended. Throws Stopped.
  bool run(Time until);

  // Bytes of memory as the MDMA sees them.
  const std::uint8_t* memory(std::uint32_t address, std::uint32_t bytes, bool tcm);
  // Checks that a clock and the controller's settings make the window what it is said to be.
  std::function<void()> look_at_window;

  // While the program waits for an interrupt: keeps its memory and registers, and puts them back.
  // Time goes on, and what is behind the bus stays as it is.
  [[nodiscard]] bool waits() const { return asleep_; }
  void save();
  void restore();
  // Stops the program where it copies (memcpy, memset) beyond the object in which it begins.
  void watch_copies();

  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] std::uint64_t instructions() const { return instructions_; }
  // Time of each function: picoseconds by name.
  [[nodiscard]] std::map<std::string, Time> spent() const;

 private:
  struct Hooks;
  struct Ram {
    std::uint32_t base, bytes;
    std::uint8_t* host;
    bool tcm;
    std::vector<std::uint8_t> saved;
  };
  // Pages of registers, or of the window: what Unicorn hands back.
  struct Region {
    Core* core;
    std::uint32_t base;
  };
  struct Block {
    std::uint32_t pc = 0, bytes = 0;
    std::vector<processor::Step> steps;
    std::vector<Time> begins;  // of each step from the block's start, and at the end its whole
    Time beyond = 0;           // of its fetching, behind a jump
    Block* next = nullptr;     // what followed the last time
    bool ends_with_jump = false;
    Time spent = 0;
    std::uint64_t executed = 0;
  };

  void add_ram(std::uint32_t base, std::uint32_t bytes, bool tcm);
  void add_registers(const Chip::Block& block);
  void enter(std::uint32_t pc, std::uint32_t bytes);
  void leave();
  Block& block_at(std::uint32_t pc, std::uint32_t bytes);
  // When the instruction at the present address is executed.
  Time here();
  std::uint64_t register_access(std::uint32_t address, unsigned bytes, bool write,
                                std::uint64_t value);
  std::uint64_t window_access(std::uint32_t offset, unsigned bytes, bool write,
                              std::uint64_t value);
  void check_alignment(std::uint32_t offset, unsigned bytes);
  void cached_store(std::uint32_t address, std::uint32_t bytes);
  // Lets time pass until something wakes the core, or until an instant; false when nothing will.
  bool sleep(Time until);
  // Lets the devices come to the present instant.
  void follow();
  [[nodiscard]] unsigned exception_mask(bool asleep) const;
  // True: the core goes on in a handler instead of at `pc`.
  bool take_exception(std::uint32_t pc);
  void leave_exception(std::uint32_t target);
  void go(std::uint32_t pc);
  void check_copy(std::uint32_t pc);
  void stop(const std::string& why);
  [[nodiscard]] std::uint32_t pc() const;
  [[nodiscard]] std::string where() const { return program_.where(pc()); }

  CoreParameters p_;
  Clock clock_;
  const processor::ElfFile& program_;
  Chip& chip_;
  Window& window_;
  Mdma* mdma_ = nullptr;
  processor::Decoder decoder_;
  Pipeline pipeline_;
  uc_engine* uc_ = nullptr;
  std::vector<Ram> rams_;
  std::map<std::uint32_t, Region> regions_;  // by base
  std::vector<Chip::Block> registers_;

  Time now_ = 0;  // of the present block's start, with what its instructions have waited
  Time until_ = 0;
  Time stored_ = 0;  // when the last store into the window was taken
  std::unordered_map<std::uint64_t, Block> blocks_;
  Block* current_ = nullptr;
  Block* before_ = nullptr;  // the one that the end of a run() has cut off from what follows
  std::unordered_map<std::uint32_t, bool> fetched_;
  std::uint64_t instructions_ = 0;
  bool started_ = false;
  bool asleep_ = false;
  bool elsewhere_ = false;                        // an exception has changed where it goes on
  std::map<std::uint32_t, std::string> watched_;  // functions that copy, by address
  std::uint32_t stack_top_ = 0;
  std::set<std::uint32_t> saved_dirty_;
  uc_context* saved_ = nullptr;
  std::uint32_t saved_resume_ = 0;
  std::uint32_t resume_ = 0;
  std::string failure_;
};

}  // namespace weighbridge::microcontroller
