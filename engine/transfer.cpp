// SPDX-License-Identifier: Apache-2.0
#include "transfer.hpp"

#include <algorithm>
#include <stdexcept>

#include "pl330/microcode.hpp"

namespace weighbridge {
namespace {

class Transfer {
 public:
  Transfer(System& system, const Job& job)
      : system_(system),
        job_(job),
        ports_{&system.processor_memory(), &system.processor_device(), job.outer_enabled,
               job.instruction_cache} {
    inner().enable(job.inner_enabled);
    outer().enable(job.outer_enabled);
  }

  Outcome run() {
    if (job_.buffer.cached() || job_.kernel.cached()) pass(!job_.to_fabric);
    if (job_.to_fabric) fill();
    return timed();
  }

 private:
  Cache& inner() { return system_.cache(job_.inner_cache); }
  Cache& outer() { return system_.cache(job_.outer_cache); }

  // Everything the program does before or between the timed parts, for its effect on the caches.
  void pass(bool to_fabric) {
    fill();
    if (job_.master == "processor") {
      touch(ports_, job_.buffer, 0, job_.bytes, !to_fabric);
    } else {
      move(to_fabric);
    }
    check();
    system_.restart();
  }
  void fill() {
    if (job_.buffer.cached()) {
      touch(ports_, job_.buffer, 0, job_.bytes, true);
      touch(ports_, stack_of(job_.buffer), 0, kStackInUse, false);
    }
    system_.restart();
  }
  void check() {
    if (job_.check_reads && job_.buffer.cached()) touch(ports_, job_.buffer, 0, job_.bytes, false);
  }

  Outcome timed() {
    system_.restart();
    phases_.clear();
    const Time end = move(job_.to_fabric);
    Outcome outcome;
    outcome.seconds = system_.timebase().seconds(end);
    for (const auto& [name, time] : phases_) {
      outcome.phases.push_back({name, system_.timebase().seconds(time)});
    }
    for (const auto& component : system_.components()) {
      const Activity& a = component->activity();
      if (a.transactions == 0) continue;
      outcome.components.push_back({component->name(), a.transactions, a.bytes,
                                    system_.timebase().seconds(a.busy),
                                    system_.timebase().seconds(a.waiting)});
    }
    return outcome;
  }

  Time move(bool to_fabric) {
    Time now = 0;
    for (std::uint32_t at = 0; at < job_.bytes; at += job_.chunk_bytes) {
      const std::uint32_t bytes = std::min(job_.chunk_bytes, job_.bytes - at);
      now = job_.master == "processor" ? copy(to_fabric, at, bytes, now)
                                       : dma(to_fabric, at, bytes, now);
    }
    return now;
  }

  void add(const char* phase, Time time) {
    for (auto& [name, total] : phases_) {
      if (name == phase) {
        total += time;
        return;
      }
    }
    phases_.emplace_back(phase, time);
  }

  Time run_process(Process& process, Time start) {
    Scheduler scheduler;
    scheduler.add(process, start);
    return scheduler.run();
  }

  Time copy(bool to_fabric, std::uint64_t offset, std::uint32_t bytes, Time now) {
    FabricCopy process(system_.processor(), ports_, job_.buffer, offset, job_.fabric,
                       job_.fabric_ordered,
                       to_fabric ? Direction::cpu_to_fpga : Direction::fpga_to_cpu, bytes);
    const Time end = run_process(process, now);
    add("copy by the processor", end - now);
    return end;
  }

  Time user_copy(bool to_fabric, std::uint64_t offset, std::uint32_t bytes, Time now) {
    const Buffer& source = to_fabric ? job_.buffer : job_.kernel;
    const Buffer& target = to_fabric ? job_.kernel : job_.buffer;
    UserCopy process(system_.processor(), ports_, source, to_fabric ? offset : 0, target,
                     to_fabric ? 0 : offset, bytes);
    const Time end = run_process(process, now);
    add(to_fabric ? "user-to-kernel copy" : "kernel-to-user copy", end - now);
    return end;
  }

  Time software(double work, double device) const {
    return system_.timebase().from_ns(work * job_.software.slowdown + device);
  }

  Time dma(bool to_fabric, std::uint64_t offset, std::uint32_t bytes, Time now) {
    const DmaSoftware& s = job_.software;
    const Buffer& memory = job_.through_kernel ? job_.kernel : job_.buffer;
    const Address local =
        memory.at(job_.through_kernel ? 0 : offset) + job_.memory_window;
    const auto source = static_cast<std::uint32_t>(to_fabric ? local : job_.fabric);
    const auto target = static_cast<std::uint32_t>(to_fabric ? job_.fabric : local);
    const pl330::Program program = pl330::build_copy(source, target, bytes);

    if (job_.through_kernel) {
      const Time call = system_.timebase().from_ns(s.system_call);
      add("system call", call);
      now += call;
      if (to_fabric) now = user_copy(true, offset, bytes, now);
    }
    if (!job_.prepared) {
      const double bursts = bytes >= kWholeBurst ? s.prepare_burst : 0.0;
      const Time prepare = software(
          s.prepare + s.prepare_instruction * static_cast<double>(program.instructions.size()) +
              bursts,
          0);
      add("program preparation", prepare);
      now += prepare;
    }
    const Time start = software(s.start_work, s.start_device);
    add("start", start);
    now += start;

    pl330::ChannelParameters channel_parameters = system_.dma();
    channel_parameters.start += system_.timebase().from_ns(s.fetch);
    pl330::Channel channel(channel_parameters, system_.dma_bus(), program.code);
    run_process(channel, now + channel_parameters.start);
    const Time stopped = channel.finished();
    add("transfer by the PL330", stopped - now);
    const Time seen = poll(now, stopped);
    add("wait for the poll that sees it", seen - stopped);
    now = seen;

    if (job_.through_kernel && !to_fabric) now = user_copy(false, offset, bytes, now);
    return now;
  }

  // The program looks at the status once a period; the phase of its loop against the transfer
  // is not fixed, so the time is averaged over it.
  Time poll(Time go, Time stopped) const {
    const Time period = software(job_.software.poll_work, job_.software.poll_device);
    if (period == 0) return stopped;
    const std::uint32_t samples = std::max(1U, job_.poll_samples);
    Time sum = 0;
    for (std::uint32_t i = 0; i < samples; ++i) {
      const Time phase = samples == 1 ? 0
                                      : period * (2 * static_cast<Time>(i) + 1 - samples) /
                                            (2 * static_cast<Time>(samples)) / 3;
      const Time after = std::max<Time>(0, stopped - go - phase);
      sum += go + phase + std::max<Time>(1, (after + period - 1) / period) * period;
    }
    return sum / samples;
  }

  static constexpr std::uint32_t kWholeBurst = 128;
  static constexpr std::uint64_t kStackInUse = 64;

  System& system_;
  const Job& job_;
  ProcessorPorts ports_;
  std::vector<std::pair<std::string, Time>> phases_;
};

}  // namespace

Outcome transfer(System& system, const Job& job) {
  if (job.bytes == 0) throw std::invalid_argument("a transfer needs at least one byte");
  if (job.chunk_bytes == 0) throw std::invalid_argument("the fabric's memory has no size");
  return Transfer(system, job).run();
}

}  // namespace weighbridge
