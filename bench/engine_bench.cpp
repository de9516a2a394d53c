// SPDX-License-Identifier: Apache-2.0
//
// Transactions per second of the engine: `engine_bench [N]` simulates N of each kind, one after the
// other, nothing skipped. A transaction is one burst or single beat, from its master to its target
// and back. The system has the shape of the Cyclone V's processor half.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "bridge.hpp"
#include "cache.hpp"
#include "memory.hpp"
#include "pl330/channel.hpp"
#include "processor.hpp"
#include "scheduler.hpp"

namespace weighbridge {
namespace {

struct Bench {
  Clock cpu{1250};
  Clock bus{2500};
  Clock fpga{6667};
  Ram fabric{"fabric"};
  Sdram sdram{"sdram",
              {.clock = bus,
               .width = 4,
               .burst = 8,
               .banks = 8,
               .row_bytes = 4096,
               .cas_cycles = 11,
               .precharge = 13750,
               .activate = 13750,
               .refresh = 260000,
               .refresh_interval = 7800000,
               .read_latency = 30000,
               .write_latency = 40000,
               .queue = 16}};
  Cache l2{"l2",
           {.bytes = 512 * 1024,
            .ways = 8,
            .line = 32,
            .level = Level::outer,
            .replacement = Replacement::random,
            .latency = 40000,
            .write_latency = 8000},
           sdram};
  Cache l1{"l1",
           {.bytes = 32 * 1024,
            .ways = 4,
            .line = 32,
            .level = Level::inner,
            .replacement = Replacement::random,
            .latency = 0,
            .write_latency = 0},
           l2};
  Bridge hf{"hf", bridge(fpga, true, 16, 7, 4), fabric};
  Bridge port{"port", bridge(bus, false, 8, 0, 16), sdram};
  Switch l3{"l3", 58000, {{0, 0x80000000, &port}, {0xC0000000, 0x3C000000, &hf}}};
  ProcessorParameters processor{};
  ProcessorPorts ports{&l1, &l3, true, true};

  static Bridge::Parameters bridge(Clock clock, bool synchronise, std::uint32_t width, double first,
                                   double turnaround) {
    return {.clock = clock,
            .width = width,
            .upstream_width = 8,
            .synchronise = synchronise,
            .latency = 0,
            .read_cycles = first,
            .write_cycles = first,
            .read_turnaround_cycles = turnaround,
            .write_turnaround_cycles = turnaround,
            .beat_cycles = 1,
            .posted_cycles = 4,
            .posted_narrow_cycles = 0,
            .wake_cycles = 4};
  }
};

constexpr Address kFabric = 0xC0000000;
constexpr std::uint32_t kChunk = 256 * 1024;

// Single beats of 8 bytes: the processor through a strongly ordered mapping.
void single_beats(Bench& bench, std::uint64_t count) {
  Buffer buffer{.base = 0x200000, .frames = {}, .inner = true, .outer = true};
  for (std::uint64_t done = 0; done < count; done += kChunk / 8) {
    FabricCopy copy(bench.processor, bench.ports, buffer, 0, kFabric, true, Direction::fpga_to_cpu,
                    kChunk);
    Scheduler scheduler;
    scheduler.add(copy, 0);
    scheduler.run();
    bench.hf.restart();
    bench.sdram.restart();
  }
}

// Bursts of 128 bytes: a PL330 between memory and the fabric.
void bursts(Bench& bench, std::uint64_t count) {
  const pl330::Program program = pl330::build_copy(0x200000, kFabric, kChunk);
  for (std::uint64_t done = 0; done < count; done += 2 * kChunk / 128) {
    pl330::Channel channel({0, 5000, 4096, 4}, bench.l3, program.code);
    Scheduler scheduler;
    scheduler.add(channel, 0);
    scheduler.run();
    bench.hf.restart();
    bench.port.restart();
    bench.sdram.restart();
  }
}

template <typename Work>
double measure(Work work, std::uint64_t count) {
  Bench bench;
  const auto start = std::chrono::steady_clock::now();
  work(bench, count);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace
}  // namespace weighbridge

int main(int argc, char** argv) {
  const std::uint64_t wanted = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20'000'000;
  // Whole chunks only, so that the count is exact.
  const std::uint64_t count = std::max<std::uint64_t>(1, wanted / 2 / 32768) * 32768;
  const double singles = weighbridge::measure(weighbridge::single_beats, count);
  const double burst = weighbridge::measure(weighbridge::bursts, count);
  std::printf("single beats %.1f M/s, bursts %.1f M/s\n",
              static_cast<double>(count) / singles / 1e6, static_cast<double>(count) / burst / 1e6);
  std::printf("transactions %llu seconds %.6f\n", static_cast<unsigned long long>(2 * count),
              singles + burst);
  return 0;
}
