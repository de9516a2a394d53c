// SPDX-License-Identifier: Apache-2.0
//
// The DMA controller beside its RAM. The bench checks its registers, every byte of transfers both
// ways at random places and lengths, and transfers that the bus answers with an error; it measures
// the rate of a long transfer.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "Vtop.h"
#include "axi_memory.hpp"

using namespace weighbridge::cosim;

namespace {

constexpr unsigned width = DATA_W / 8, ram_bytes = 65536;

class Bench {
 public:
  explicit Bench(const MemoryOptions& options) : memory_(options), random_(options.seed + 5) {
    for (std::size_t i = 0; i < memory_.bytes.size(); ++i)
      memory_.bytes[i] = static_cast<std::uint8_t>(random_());
    for (auto& byte : ram_) byte = static_cast<std::uint8_t>(random_());
    top_.rst = 1;
    for (int i = 0; i < 4; ++i) tick();
    top_.rst = 0;
    registers();
  }

#if VM_COVERAGE
  ~Bench() { context_.coveragep()->write(); }
#endif

  /// Cycles from the go to done; throws where a byte is wrong.
  std::uint64_t transfer(bool outward, unsigned bytes) {
    const std::uint64_t address = random_() % (memory_.bytes.size() - bytes) / width * width;
    const unsigned place = random_() % (ram_bytes - bytes + 1) / width * width;
    auto expected_memory = memory_.bytes;
    auto expected_ram = ram_;
    if (outward)
      std::copy_n(ram_.begin() + place, bytes, expected_memory.begin() + address);
    else
      std::copy_n(memory_.bytes.begin() + address, bytes, expected_ram.begin() + place);
    access(0x04, true, static_cast<std::uint32_t>(address));
    access(0x08, true, place);
    access(0x0C, true, bytes);
    access(0x18, true, 5U | (outward ? 2U : 0U));
    const std::uint64_t begin = memory_.cycle;
    while (!top_.irq) {
      tick();
      if (memory_.cycle > begin + 2000000) throw std::runtime_error("it hangs");
    }
    const std::uint64_t cycles = memory_.cycle - begin;
    if (access(0x00, false, 0) != (1U | memory_.response(address) << 2U))
      throw std::runtime_error("a wrong status");
    access(0x00, true, 0);
    if (top_.irq) throw std::runtime_error("the interrupt stays");
    if (memory_.bytes != expected_memory || ram_ != expected_ram)
      throw std::runtime_error("wrong bytes");
    return cycles;
  }

  /// Each direction with each error that the bus can answer.
  void failures() {
    for (unsigned error : {2U, 3U}) {
      memory_.fail(0, memory_.bytes.size(), error);
      for (bool outward : {false, true}) transfer(outward, 40 * width);
    }
    memory_.fail(0, 0, 0);
  }

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  [[nodiscard]] std::uint64_t bursts() const { return memory_.read_bursts + memory_.write_bursts; }

 private:
  void tick() {
    top_.clk = 0;
    memory_.drive(top_);
    assign(top_.ram_rdata, latch_);
    top_.eval();
    memory_.sample(top_);
    if (top_.ram_enable) {
      std::uint8_t* word = &ram_[top_.ram_word * width];
      std::memcpy(latch_.data(), word, width);
      const Beat in = beat_of(top_.ram_wdata);
      if (top_.ram_write) std::memcpy(word, in.data(), width);
    }
    done_ = top_.bus_done;
    failed_ = top_.bus_error;
    value_ = top_.bus_rdata;
    top_.clk = 1;
    top_.eval();
  }

  /// A register reads as it was written. A write of less than a word has no effect but an error.
  void registers() {
    const auto demand = [](bool holds) {
      if (!holds) throw std::runtime_error("a register");
    };
    for (std::uint32_t value : {0xFFFFFFFFU, 0x5A5AA5A0U, 0U})
      for (unsigned address : {0x04U, 0x08U, 0x0CU, 0x18U, 0x1CU}) {
        const std::uint32_t bits = address == 0x0C ? 0xFFFFFFU : address == 0x18 ? 6U : 0xFFFFFFFFU;
        // No go.
        access(address, true, address == 0x18 ? value & ~1U : value);
        demand(access(address, false, 0) == (value & bits) && !failed_);
        access(address, true, ~value & ~1U, 7);
        demand(failed_ && access(address, false, 0) == (value & bits));
      }
    demand(access(0x10, false, 0) == 0 && access(0x00, false, 0) == 0);
    access(0x10, true, ~0U);
    // A go with a length of zero.
    access(0x18, true, 1);
    demand(access(0x00, false, 0) == 0 && access(0x10, false, 0) == 0);
  }

  std::uint32_t access(unsigned address, bool write, std::uint32_t value, unsigned strobe = 15) {
    top_.bus_select = 1;
    top_.bus_address = address;
    top_.bus_write = write;
    top_.bus_wdata = value;
    top_.bus_strobe = strobe;
    do tick();
    while (!done_);
    top_.bus_select = 0;
    return value_;
  }

  VerilatedContext context_;
  Vtop top_{&context_};
  AxiMemory memory_;
  std::mt19937_64 random_;
  std::vector<std::uint8_t> ram_ = std::vector<std::uint8_t>(ram_bytes);
  Beat latch_{};
  bool done_ = false, failed_ = false;
  std::uint32_t value_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s LATENCY OUTSTANDING STALL TRANSFERS\n", argv[0]);
    return 2;
  }
  MemoryOptions options;
  options.bus_bytes = width;
  options.latency = static_cast<unsigned>(std::atoi(argv[1]));
  options.outstanding = static_cast<unsigned>(std::atoi(argv[2]));
  options.stall = std::atof(argv[3]);
  options.bytes = std::size_t{1} << 18U;
  try {
    Bench bench(options);
    for (int i = std::atoi(argv[4]); i > 0; --i)
      bench.transfer(bench.below(2) != 0, static_cast<unsigned>(width * (1 + bench.below(500))));
    bench.failures();
    const std::uint64_t before = bench.bursts();
    const double beats = ram_bytes / width;
    const double in = beats / static_cast<double>(bench.transfer(false, ram_bytes));
    const double out = beats / static_cast<double>(bench.transfer(true, ram_bytes));
    std::printf("{\"cpu_to_fpga\": %.4f, \"fpga_to_cpu\": %.4f, \"beats_per_burst\": %.2f}\n", in,
                out, 2 * beats / static_cast<double>(bench.bursts() - before));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "wrong: %s\n", error.what());
    return 1;
  }
}
