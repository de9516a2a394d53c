// SPDX-License-Identifier: Apache-2.0
//
// Transactions per second of the engine:
//
//   engine_bench FILE N      simulates N of each kind, one after the other, nothing skipped
//
// FILE is a platform (description_file.hpp) with the words: processor NAME, dma NAME of a PL330,
// fabric NAME of the fabric's memory, window ADDRESS at which it is, offset ADDRESS of the
// processor's memory to the PL330. A transaction is one burst or single beat, from its master to
// its target and back. Prints a line for each kind: its name, transactions, seconds of processor
// time.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>

#include "core/scheduler.hpp"
#include "description_file.hpp"
#include "pl330/channel.hpp"
#include "pl330/copy_program.hpp"
#include "programs/copy.hpp"

namespace weighbridge {
namespace {

constexpr std::uint32_t kChunk = 256 * 1024;

class Bench {
 public:
  explicit Bench(const DescriptionFile& file)
      : system_(file.description),
        processor_(ProcessorParameters{system_.master(file.word("processor")).fields}),
        ports_{system_.master(file.word("processor")).ports.at(0),
               system_.master(file.word("processor")).ports.at(1), true, true, processor_.line},
        dma_(system_.master(file.word("dma"))),
        channel_(pl330::ChannelParameters{dma_.fields}),
        fabric_(system_.at(file.word("fabric"))),
        window_(static_cast<Address>(file.number("window"))),
        memory_(static_cast<Address>(file.number("offset")) + buffer_.base) {}

  // Single beats: the processor reads the fabric's memory through a strongly ordered mapping.
  std::uint64_t single_beats(std::uint64_t count) {
    return repeat(count, 1, [this] {
      FabricCopy copy(processor_, ports_, buffer_, 0, window_, true, Direction::fpga_to_cpu,
                      kChunk);
      run(copy);
    });
  }

  // Bursts of 128 bytes: a PL330 reads memory and writes to the fabric's, a burst for each.
  std::uint64_t bursts(std::uint64_t count) {
    const pl330::Program program = pl330::build_copy(static_cast<std::uint32_t>(memory_),
                                                     static_cast<std::uint32_t>(window_), kChunk);
    return repeat(count, 2, [this, &program] {
      pl330::Channel channel(channel_, *dma_.ports.at(0), program.code);
      run(channel);
    });
  }

 private:
  // Until there have been `count` transactions, `each` of them for one that arrives in the fabric;
  // how many there were.
  template <typename Work>
  std::uint64_t repeat(std::uint64_t count, std::uint64_t each, Work work) {
    fabric_.clear();
    for (std::uint64_t before = 0, done = 0; done < count; before = done) {
      work();
      done = each * fabric_.activity().transactions;
      if (done == before) throw std::logic_error("nothing arrives in the fabric");
    }
    return each * fabric_.activity().transactions;
  }

  void run(Process& process) {
    system_.restart();
    Scheduler scheduler;
    scheduler.add(process, 0);
    scheduler.run();
  }

  System system_;
  ProcessorParameters processor_;
  ProcessorPorts ports_;
  Master dma_;
  pl330::ChannelParameters channel_;
  Component& fabric_;
  const Buffer buffer_{.base = 0x200000, .frames = {}, .inner = true, .outer = true};
  Address window_, memory_;
};

void measure(const DescriptionFile& file, const char* name,
             std::uint64_t (Bench::*work)(std::uint64_t), std::uint64_t count) {
  Bench bench(file);
  const std::clock_t start = std::clock();
  const std::uint64_t done = (bench.*work)(count);
  std::printf("%s %llu %.6f\n", name, static_cast<unsigned long long>(done),
              static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  std::fflush(stdout);
}

}  // namespace
}  // namespace weighbridge

int main(int argc, char** argv) {
  using namespace weighbridge;
  char* end = nullptr;
  const std::uint64_t count = argc == 3 ? std::strtoull(argv[2], &end, 10) : 0;
  if (count == 0 || *end != '\0') {
    std::fprintf(stderr, "usage: engine_bench FILE N\n");
    return 2;
  }
  try {
    const DescriptionFile file(argv[1]);
    measure(file, "single-beats", &Bench::single_beats, count);
    measure(file, "bursts", &Bench::bursts, count);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "engine_bench: %s\n", fault.what());
    return 2;
  }
  return 0;
}
