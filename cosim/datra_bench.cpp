// SPDX-License-Identifier: Apache-2.0
//
// The whole reference configuration with every lane busy: the rate of each stream, of bursts at the
// processor's FIFOs, and how many cycles that was. Every word is checked where it ends.
//
// Streams: test node -> adder -> adder -> test node in four lanes; memory -> DMA node -> memory;
// and the processor's bursts -> FIFO -> sink, FIFO by FIFO. The rate of the DMA node's is in beats
// of its stream, of the others in words.
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "Vtop.h"
#include "axi_memory.hpp"
#include "datra_registers.hpp"

using namespace weighbridge::cosim;

#ifndef DMA_STREAM_W
#define DMA_STREAM_W 32
#endif

namespace r = datra_registers;

namespace {

constexpr unsigned cpu = 0, dma = 1, sink = 2, adder = 3, test = 5, lanes = 4;
constexpr unsigned block = 1U << 19U;  // bytes of a command
constexpr std::uint64_t source_at = 0x10'0000, target_at = 0x80'0000;

[[noreturn]] void wrong(const std::string& what) {
  std::fprintf(stderr, "wrong: %s\n", what.c_str());
  std::exit(1);
}

/// The port of the DMA node under the names that the memory asks for.
struct MemoryPort {
  explicit MemoryPort(Vtop& top) : top(top) {}
  Vtop& top;
#define PORT(name) std::remove_reference_t<decltype(Vtop::m_##name)>& name = top.m_##name;
  PORT(axi_arvalid)
  PORT(axi_arready)
  PORT(axi_araddr)
  PORT(axi_arlen)
  PORT(axi_arid)
  PORT(axi_rvalid)
  PORT(axi_rready)
  PORT(axi_rdata)
  PORT(axi_rresp)
  PORT(axi_rlast)
  PORT(axi_rid)
  PORT(axi_awvalid)
  PORT(axi_awready)
  PORT(axi_awaddr)
  PORT(axi_awlen)
  PORT(axi_awsize)
  PORT(axi_awid)
  PORT(axi_wvalid)
  PORT(axi_wready)
  PORT(axi_wid)
  PORT(axi_wdata)
  PORT(axi_wstrb)
  PORT(axi_wlast)
  PORT(axi_bvalid)
  PORT(axi_bready)
  PORT(axi_bresp)
  PORT(axi_bid)
#undef PORT
};

class Bench {
 public:
  explicit Bench(const MemoryOptions& options) : memory_(options) {
    for (std::uint64_t i = 0; i < memory_.bytes.size(); i += 4) {
      const auto word = static_cast<std::uint32_t>(i * 2654435761U);
      std::memcpy(&memory_.bytes[i], &word, 4);
    }
    top_.s_axi_bready = top_.s_axi_rready = 1;
    top_.s_axi_awburst = top_.s_axi_arburst = 1;
    top_.s_axi_awsize = top_.s_axi_arsize = 2;
    top_.rst = 1;
    for (int i = 0; i < 8; ++i) tick();
    top_.rst = 0;
    for (int i = 0; i < 8; ++i) tick();
  }

  void tick() {
    top_.clk = 0;
    memory_.drive(port_);
    top_.eval();
    memory_.sample(port_);
    if (top_.s_axi_bvalid) {
      if (top_.s_axi_bresp != 0) wrong("a write is refused");
      ++answers;
    }
    if (top_.s_axi_rvalid) {
      if (top_.s_axi_rresp != 0) wrong("a read is refused");
      // One word in the lane of its address.
      const unsigned lane = (read_at_ / 4) % (DATA_W / 32);
      read_at_ += 4;
      last_read = static_cast<std::uint32_t>(beat_of(top_.s_axi_rdata)[lane]);
      ++read_words;
      if (collect) collected.push_back(last_read);
    }
    const bool aw = top_.s_axi_awvalid && top_.s_axi_awready;
    const bool w = top_.s_axi_wvalid && top_.s_axi_wready;
    const bool ar = top_.s_axi_arvalid && top_.s_axi_arready;
    top_.clk = 1;
    top_.eval();
    if (aw) top_.s_axi_awvalid = 0;
    if (ar) top_.s_axi_arvalid = 0;
    if (w) top_.s_axi_wvalid = 0;
  }
  void run(std::uint64_t cycles) {
    for (; cycles > 0; --cycles) tick();
  }

  std::uint32_t read(unsigned address) {
    top_.s_axi_araddr = address;
    top_.s_axi_arlen = 0;
    top_.s_axi_arvalid = 1;
    read_at_ = address;
    for (const std::uint64_t before = read_words; read_words == before;) tick();
    return last_read;
  }
  void write(unsigned address, std::uint32_t value) {
    top_.s_axi_awaddr = address;
    top_.s_axi_awlen = 0;
    top_.s_axi_awvalid = 1;
    offer(address, value, true);
    for (const std::uint64_t before = answers; answers == before;) tick();
  }
  void offer(unsigned address, std::uint32_t value, bool last) {
    const unsigned lane = (address / 4) % (DATA_W / 32);
    Beat beat{};
    beat[lane] = value;
    assign(top_.s_axi_wdata, beat);
    top_.s_axi_wstrb = static_cast<decltype(top_.s_axi_wstrb + 0)>(15U << (4 * lane));
    top_.s_axi_wlast = last;
    top_.s_axi_wvalid = 1;
  }

  /// Bursts of 256 words, end to end, into a FIFO; words a cycle of the write channel.
  double write_bursts(unsigned fifo, unsigned bursts) {
    std::uint64_t first = 0, last = 0;
    unsigned asked = 0, given = 0;
    const std::uint64_t before = answers;
    while (given < 256 * bursts) {
      if (!top_.s_axi_awvalid && asked < bursts) {
        top_.s_axi_awaddr = window(cpu, r::cpu_window_fifo(fifo));
        top_.s_axi_awlen = 255;
        top_.s_axi_awvalid = 1;
        ++asked;
      }
      if (!top_.s_axi_wvalid) offer(4 * given, given * 3 + fifo, given % 256 == 255);
      tick();
      if (!top_.s_axi_wvalid) {
        if (given++ == 0) first = memory_.cycle;
        last = memory_.cycle;
      }
    }
    while (answers < before + bursts) tick();
    return static_cast<double>(given - 1) / static_cast<double>(last - first);
  }

  /// The same out of a FIFO; what was read is in `collected`.
  double read_bursts(unsigned fifo, unsigned bursts) {
    std::uint64_t first = 0, last = 0, seen = 0;
    unsigned asked = 0;
    collected.clear();
    collect = true;
    while (collected.size() < std::size_t{256} * bursts) {
      if (!top_.s_axi_arvalid && asked < bursts) {
        if (asked == 0) read_at_ = 0;
        top_.s_axi_araddr = window(cpu, r::cpu_window_fifo(fifo));
        top_.s_axi_arlen = 255;
        top_.s_axi_arvalid = 1;
        ++asked;
      }
      tick();
      if (collected.size() != seen) {
        if (seen == 0) first = memory_.cycle;
        last = memory_.cycle;
        seen = collected.size();
      }
    }
    collect = false;
    return static_cast<double>(seen - 1) / static_cast<double>(last - first);
  }

  static unsigned page(unsigned node, unsigned offset) { return r::card_node_page(node) + offset; }
  static unsigned window(unsigned node, unsigned offset) {
    return r::card_node_window(node) + offset;
  }
  void route(unsigned node, unsigned output, unsigned to, unsigned queue) {
    write(r::control_route_output(node, output), r::put(r::control_route_output_node, to + 1) |
                                                     r::put(r::control_route_output_queue, queue));
  }

  /// As many commands as there are slots; results are taken, and what came is as it was sent.
  void keep_dma_busy() {
    const unsigned to_status = page(dma, r::dma_to_logic_status);
    const unsigned from_status = page(dma, r::dma_from_logic_status);
    for (std::uint32_t n = r::get(r::dma_status_results, read(from_status)); n > 0; --n) {
      const std::uint64_t at = read(page(dma, r::dma_from_logic_result));
      if (read(page(dma, r::dma_from_logic_result_bytes)) != block) wrong("a block is short");
      const std::uint64_t from = source_at + (blocks_++ % 8) * block;
      if (std::memcmp(&memory_.bytes[at], &memory_.bytes[from], block) != 0)
        wrong("a block from logic");
    }
    for (std::uint32_t n = r::get(r::dma_status_results, read(to_status)); n > 0; --n)
      (void)read(page(dma, r::dma_to_logic_result));
    for (std::uint32_t n = r::get(r::dma_status_free, read(from_status)); n > 0; --n) {
      write(page(dma, r::dma_from_logic_address),
            static_cast<std::uint32_t>(target_at + (from_commands_++ % 8) * block));
      write(page(dma, r::dma_from_logic_bytes), block);
    }
    for (std::uint32_t n = r::get(r::dma_status_free, read(to_status)); n > 0; --n) {
      write(page(dma, r::dma_to_logic_address),
            static_cast<std::uint32_t>(source_at + (to_commands_++ % 8) * block));
      write(page(dma, r::dma_to_logic_bytes), block);
    }
  }

  AxiMemory& memory() { return memory_; }

  std::uint64_t answers = 0, read_words = 0;
  std::uint32_t last_read = 0;
  bool collect = false;
  std::vector<std::uint32_t> collected;

 private:
  VerilatedContext context_;
  Vtop top_{&context_};
  MemoryPort port_{top_};
  AxiMemory memory_;
  std::uint64_t read_at_ = 0;
  std::uint64_t to_commands_ = 0, from_commands_ = 0, blocks_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s CYCLES\n", argv[0]);
    return 2;
  }
  const auto cycles = std::strtoull(argv[1], nullptr, 10);
  MemoryOptions options;
  options.bus_bytes = DMA_DATA_W / 8;
  try {
    Bench bench(options);
    bench.write(r::control_backplane_set, 0x7F);
    bench.write(Bench::page(dma, r::dma_to_logic_control), r::dma_control_run);
    bench.write(Bench::page(dma, r::dma_from_logic_control), r::dma_control_run);

    // Bursts at a FIFO from logic first: a lane of the test node fills it.
    bench.route(test, 0, cpu, 1);
    bench.write(Bench::window(test, r::test_window_enable), 1);
    bench.write(Bench::window(test, r::test_window_start), 1);
    bench.run(600);
    const double burst_read = bench.read_bursts(1, 16);
    for (std::size_t i = 0; i < bench.collected.size(); ++i)
      if (bench.collected[i] != i) wrong("a word read in a burst");
    bench.write(Bench::window(test, r::test_window_stop), 0xF);
    bench.write(r::control_route_output(test, 0), 0);
    bench.write(Bench::window(test, r::test_window_reset), 1);

    for (unsigned lane = 0; lane < lanes; ++lane) {
      bench.route(test, lane, adder, lane);
      bench.route(adder, lane, adder + 1, lane);
      bench.route(adder + 1, lane, test, lane);
      bench.write(Bench::window(adder, r::adder_window_constant(lane)), 100 + lane);
      bench.write(Bench::window(adder + 1, r::adder_window_constant(lane)), 0U - (100 + lane));
    }
    bench.route(dma, 0, dma, 0);
    bench.write(Bench::window(test, r::test_window_start), 0xF);
    bench.keep_dma_busy();
    bench.run(200);

    double least_lane = 2, least_dma = 2, least_write = 2;
    for (unsigned fifo = 0; fifo < 4; ++fifo) {
      bench.route(cpu, fifo, sink, 0);
      bench.write(Bench::window(sink, r::sink_window_taken), 0);
      bench.keep_dma_busy();
      std::array<std::uint32_t, 8> words{};
      std::array<std::uint64_t, 8> at{};
      const auto count = [&](unsigned i) {
        const std::uint32_t value = bench.read(Bench::window(
            test, r::test_window_lane(i % 4) +
                      (i < 4 ? r::test_window_lane_sent : r::test_window_lane_checked)));
        return std::pair{value, bench.memory().cycle};
      };
      for (unsigned i = 0; i < 8; ++i) std::tie(words[i], at[i]) = count(i);
      const std::uint64_t begin = bench.memory().cycle;
      const std::uint64_t read0 = bench.memory().read_beats;
      const std::uint64_t written0 = bench.memory().write_beats;
      const auto bursts = static_cast<unsigned>(cycles / 4 / 256);
      // In pieces: the DMA node must not run dry.
      for (unsigned left = bursts; left > 0;) {
        const unsigned piece = std::min(left, 1000U);
        least_write = std::min(least_write, bench.write_bursts(fifo, piece));
        left -= piece;
        bench.keep_dma_busy();
      }
      const auto spent = static_cast<double>(bench.memory().cycle - begin);
      const double beats = static_cast<double>(DMA_DATA_W) / DMA_STREAM_W;
      const double to = static_cast<double>(bench.memory().read_beats - read0) * beats / spent;
      const double from =
          static_cast<double>(bench.memory().write_beats - written0) * beats / spent;
      least_dma = std::min({least_dma, to, from});
      for (unsigned i = 0; i < 8; ++i) {
        const auto [now, when] = count(i);
        least_lane = std::min(
            least_lane, static_cast<double>(now - words[i]) / static_cast<double>(when - at[i]));
      }
      bench.run(100);
      if (bench.read(Bench::window(sink, r::sink_window_taken)) != bursts * 256)
        wrong("words are missing in the sink");
      bench.write(r::control_route_output(cpu, fifo), 0);
    }
    if (bench.read(Bench::window(test, r::test_window_error)) != 0) wrong("a word in a lane");
    if (bench.read(Bench::page(cpu, r::cpu_refused)) != 0) wrong("a FIFO refused a word");
    std::printf("{\"cycles\": %" PRIu64
                ", \"lane\": %.4f, \"dma\": %.4f, \"burst_write\": %.4f, "
                "\"burst_read\": %.4f}\n",
                bench.memory().cycle, least_lane, least_dma, least_write, burst_read);
  } catch (const ProtocolError& error) {
    wrong(error.what());
  }
}
