// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "programs/transfer.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

#include "components/cache.hpp"
#include "pl330/channel.hpp"
#include "pl330/copy_program.hpp"
#include "programs/copy.hpp"
#include "programs/dummy_traffic.hpp"

namespace weighbridge {
namespace {

class Transfer {
 public:
  Transfer(System& system, const TransferJob& job)
      : system_(system),
        job_(job),
        processor_(ProcessorParameters{system.master(job.processor).fields}),
        ports_{system.master(job.processor).ports.at(0), system.master(job.processor).ports.at(1),
               job.outer_enabled, job.instruction_cache, processor_.line},
        // Bare metal, the poll loop makes it; with an operating system a second processor does,
        // through a first level of its own that passes on a line at a time.
        dummy_(job.through_kernel ? static_cast<Component&>(system.as<Cache>(job.outer_cache))
                                  : *ports_.memory,
               job.buffer.inner, job.buffer.outer, job.through_kernel ? ports_.line : 1,
               job.through_kernel ? 1 : kLoopAccesses,
               system.timebase().from_ns(job.software.dummy_interval *
                                         (job.through_kernel ? ports_.line : 1))) {
    inner().enable(job.inner_enabled);
    outer().enable(job.outer_enabled);
    lock(true);
    if (!job_.memory.empty()) {
      dynamic_cast<Sdram&>(system_.at(job_.memory)).schedule(job_.schedule);
    }
  }

  Outcome run() {
    prepare();
    return timed();
  }

 private:
  // Brings the caches into the state in which the timed transfer finds them.
  void prepare() {
    const bool passes = (job_.buffer.cached() || job_.kernel.cached()) && !overwritten();
    const System::More dummy = [this](Contents& contents) { dummy_.contents(contents); };
    if (passes && settling() > 0) {
      // The same for both directions.
      system_.once(
          memory_ports(), job_.dummy_traffic, job_.bytes, described("settling"),
          [&] {
            for (int i = 0; i < settling(); ++i) {
              pass(true);
              pass(false);
            }
            return Time{0};
          },
          dummy);
    }
    const auto last = [&] {
      if (passes) pass(!job_.to_fabric);
      if (job_.to_fabric) {
        fill();
      } else if (overwritten()) {
        check();
      }
      return Time{0};
    };
    if (job_.dummy_traffic) {
      last();
    } else {
      Digest key = described("last pass");
      key << job_.to_fabric;
      system_.once(memory_ports(), false, job_.bytes, key, last);
    }
  }

  // Where its accesses to memory begin.
  [[nodiscard]] std::vector<Component*> memory_ports() const {
    std::vector<Component*> ports{ports_.memory};
    if (!by_processor()) ports.push_back(system_.master(job_.master).ports.at(0));
    return ports;
  }

  // All of the job, but for its direction, that what comes before the timed transfer looks at.
  [[nodiscard]] Digest described(const char* phase) const {
    Digest key;
    key.text(phase);
    key << job_.bytes << job_.chunk_bytes << by_processor() << ports_.line;
    key << job_.locked_processor << job_.locked_coherent << job_.lock_prepared;
    key << job_.checked_bytes << job_.kernel_footprint << job_.through_kernel << job_.memory_window;
    key.text(job_.inner_cache);
    key.text(job_.outer_cache);
    describe(key, job_.buffer, job_.bytes);
    describe(key, job_.kernel, std::min(job_.bytes, job_.chunk_bytes));
    if (!job_.dummy_traffic) return key;
    // What the dummy traffic leaves depends on the times of everything.
    key << job_.fabric << job_.fabric_ordered << job_.word_loop << job_.prepared;
    key.bytes(std::as_bytes(std::span(&job_.software, 1)));
    system_.describe(job_.processor, key);
    system_.describe(job_.master, key);
    return key;
  }

  [[nodiscard]] bool by_processor() const { return job_.master == job_.processor; }
  Cache& inner() { return system_.as<Cache>(job_.inner_cache); }
  Cache& outer() { return system_.as<Cache>(job_.outer_cache); }

  // Rounds, there and back, until the caches hold what they do in the long run: the pass before the
  // timed one leaves that, but for lines that no check brings in, or none where ways are locked.
  // With a driver's copies a second round changes no more than another choice of victims would.
  [[nodiscard]] int settling() const {
    if (job_.locked_processor != 0 || job_.locked_coherent != 0 || job_.dummy_traffic) {
      return job_.through_kernel ? 1 : 2;
    }
    return job_.bytes > job_.checked_bytes ? 1 : 0;
  }

  // Whether the program's last walk over its buffer drives everything older out of the caches. With
  // victims chosen at random, one line in fifty survives a walk of four times the caches' size.
  [[nodiscard]] bool overwritten() {
    constexpr std::uint64_t kTimes = 4;
    // A write that misses may bring no line in.
    const std::uint64_t written = job_.buffer.allocate ? job_.bytes : 0;
    const std::uint64_t walked = job_.to_fabric ? written : job_.checked_bytes;
    return job_.buffer.cached() && walked >= kTimes * outer().bytes() &&
           job_.locked_processor == 0 && job_.locked_coherent == 0 && !job_.dummy_traffic;
  }

  void lock(bool on) {
    outer().lock(kProcessorId, on ? job_.locked_processor : 0);
    outer().lock(kDmaId, on ? job_.locked_coherent : 0);
  }

  // Everything the program does before or between the timed parts, for its effect on the caches.
  void pass(bool to_fabric) {
    if (to_fabric) fill();
    if (by_processor()) {
      touch(ports_, job_.buffer, 0, job_.bytes, !to_fabric);
    } else if (job_.dummy_traffic) {
      move(to_fabric);  // what the dummy traffic leaves depends on how long that takes
    } else {
      for_chunks([&](std::uint32_t at, std::uint32_t bytes) { touch_dma(to_fabric, at, bytes); });
    }
    check();
  }
  void fill() {
    if (job_.buffer.cached()) {
      if (job_.lock_prepared) lock(false);
      walk(job_.bytes, true);
      touch(ports_, stack_of(job_.buffer), 0, kStackInUse, false);
      lock(true);
    }
  }
  void check() {
    if (!job_.buffer.cached()) return;
    walk(job_.checked_bytes, false);
  }
  // The program's own walk over its buffer; a second processor's loop keeps pace with it.
  void walk(std::uint32_t bytes, bool write) {
    if (!job_.dummy_traffic || !job_.through_kernel) {
      touch(ports_, job_.buffer, 0, bytes, write);
      return;
    }
    for (std::uint32_t at = 0; at < bytes; at += ports_.line) {
      touch(ports_, job_.buffer, at, std::min(ports_.line, bytes - at), write);
      dummy_.step(0);
    }
  }

  Outcome timed() {
    outcome_ = {};
    system_.trace().begin();
    Time total = job_.to_fabric ? work() : 0;
    total += move(job_.to_fabric);
    if (!job_.to_fabric) total += work();
    outcome_.seconds = system_.timebase().seconds(total);
    return outcome_;
  }

  // Before a transfer to the fabric the program writes its buffer, after one from there it reads
  // it.
  Time work() {
    if (job_.consume == Consume::none) return 0;
    system_.restart();
    Work work(processor_, ports_, job_.consume);
    return add("work on the data", work.all(job_.buffer, job_.bytes, job_.to_fabric));
  }

  Time move(bool to_fabric) {
    Time total = 0;
    for_chunks([&](std::uint32_t at, std::uint32_t bytes) {
      total += by_processor() ? copy(to_fabric, at, bytes) : dma(to_fabric, at, bytes);
    });
    return total;
  }

  // What fits into the fabric's memory at a time: where it begins, and bytes.
  template <typename Visit>
  void for_chunks(const Visit& visit) const {
    for (std::uint32_t at = 0; at < job_.bytes; at += job_.chunk_bytes) {
      visit(at, std::min(job_.chunk_bytes, job_.bytes - at));
    }
  }

  Phase& phase(const std::string& name) {
    const auto found = std::find_if(outcome_.phases.begin(), outcome_.phases.end(),
                                    [&](const Phase& phase) { return phase.name == name; });
    return found != outcome_.phases.end()
               ? *found
               : outcome_.phases.emplace_back(Phase{
                     name, 0, {}, name != kDma && name != kWait, name == kDma || name == kCopy});
  }

  // Books a duration under its phase and hands it on.
  Time add(const char* name, Time duration) {
    phase(name).seconds += system_.timebase().seconds(duration);
    system_.trace().advance(name, duration);
    return duration;
  }

  // Books what the components did since they were last cleared.
  void add_uses(const char* name) {
    system_.trace().book();
    std::vector<ComponentUse>& uses = phase(name).components;
    for (const auto& component : system_.components()) {
      const Activity& activity = component->activity();
      if (activity.transactions == 0) continue;
      auto use = std::find_if(uses.begin(), uses.end(), [&](const ComponentUse& candidate) {
        return candidate.name == component->name();
      });
      if (use == uses.end()) use = uses.insert(use, ComponentUse{component->name()});
      use->transactions += activity.transactions;
      use->bytes += activity.bytes;
      use->busy += system_.timebase().seconds(activity.busy);
      use->waiting += system_.timebase().seconds(activity.waiting);
    }
  }

  // Runs a master from `start` to its end. Each phase is timed from a common edge of all clocks:
  // the software before it does not keep step with them.
  Time run_master(const char* name, Process& process, Time start = 0) {
    system_.restart();
    system_.clear();
    const Time end = run(process, start);
    add_uses(name);
    return end;
  }
  Time run(Process& process, Time start) {
    Scheduler scheduler;
    scheduler.add(process, start);
    if (job_.dummy_traffic) scheduler.add_background(dummy_, 0);
    return scheduler.run();
  }

  // The same for a phase that moves one of the fabric's memories full, past the caches: a longer
  // transfer begins with the pieces of a shorter one.
  template <typename Moving>
  Time run_alike(const char* name, const std::string& master, Digest key, const Moving& moving) {
    system_.restart();
    system_.clear();
    key.text(name);
    system_.describe(master, key);
    const Time end =
        system_.once(system_.master(master).ports, true, job_.chunk_bytes, key, moving);
    add_uses(name);
    return end;
  }
  [[nodiscard]] bool alike(const Buffer& buffer, std::uint32_t bytes) const {
    return bytes == job_.chunk_bytes && !buffer.cached() && !job_.dummy_traffic;
  }

  Time copy(bool to_fabric, std::uint64_t offset, std::uint32_t bytes) {
    FabricCopy process(processor_, ports_, job_.buffer, offset, job_.fabric, job_.fabric_ordered,
                       to_fabric ? Direction::cpu_to_fpga : Direction::fpga_to_cpu, bytes,
                       job_.word_loop ? Code::word_loop : Code::memcpy);
    if (!alike(job_.buffer, bytes)) return add(kCopy, run_master(kCopy, process));
    Digest key;
    key << to_fabric << offset << job_.fabric << job_.fabric_ordered << job_.word_loop;
    key << ports_.posted << ports_.instruction_cache << ports_.line;
    describe(key, job_.buffer, offset + bytes);
    return add(kCopy, run_alike(kCopy, job_.processor, key, [&] { return run(process, 0); }));
  }

  // Data of the kernel's own: cached like the program's, in pages of its own.
  static Buffer own_memory() {
    return {.base = 0x3000'0000, .frames = {}, .inner = true, .outer = true};
  }

  Time user_copy(bool to_fabric, std::uint64_t offset, std::uint32_t bytes) {
    const Buffer& source = to_fabric ? job_.buffer : job_.kernel;
    const Buffer& target = to_fabric ? job_.kernel : job_.buffer;
    const std::uint64_t source_offset = to_fabric ? offset : 0;
    const std::uint64_t target_offset = to_fabric ? 0 : offset;
    const char* name = to_fabric ? "user-to-kernel copy" : "kernel-to-user copy";
    if (job_.dummy_traffic) {
      UserCopy process(processor_, ports_, source, source_offset, target, target_offset, bytes);
      return add(name, run_master(name, process));
    }
    const Time end = copy_by_itself(system_, job_.processor, processor_, ports_, source,
                                    source_offset, target, target_offset, bytes);
    add_uses(name);
    return add(name, end);
  }

  // What dma() leaves in the caches.
  void touch_dma(bool to_fabric, std::uint64_t offset, std::uint32_t bytes) {
    if (job_.through_kernel) touch(ports_, own_memory(), 0, job_.kernel_footprint, true);
    if (job_.through_kernel && to_fabric) {
      touch_copy(ports_, job_.buffer, offset, job_.kernel, 0, bytes);
    }
    const Buffer& memory = job_.through_kernel ? job_.kernel : job_.buffer;
    system_.master(job_.master)
        .ports.at(0)
        ->touch({.address = memory.at(job_.through_kernel ? 0 : offset) + job_.memory_window,
                 .bytes = whole_beats(bytes),
                 .write = !to_fabric,
                 .id = kDmaId});
    if (job_.through_kernel && !to_fabric) {
      touch_copy(ports_, job_.kernel, 0, job_.buffer, offset, bytes);
    }
  }

  // Buffers are padded to whole beats, and the programs move whole beats.
  static std::uint32_t whole_beats(std::uint32_t bytes) {
    return bytes < kBeat ? bytes : (bytes + kBeat - 1) / kBeat * kBeat;
  }

  Time software(double work, double device) const {
    return system_.timebase().from_ns(work * job_.software.slowdown + device);
  }

  Time dma(bool to_fabric, std::uint64_t offset, std::uint32_t bytes) {
    const DmaSoftware& s = job_.software;
    const Buffer& memory = job_.through_kernel ? job_.kernel : job_.buffer;
    const Address local = memory.at(job_.through_kernel ? 0 : offset) + job_.memory_window;
    const auto source = static_cast<std::uint32_t>(to_fabric ? local : job_.fabric);
    const auto target = static_cast<std::uint32_t>(to_fabric ? job_.fabric : local);
    const pl330::Program program = pl330::build_copy(
        source, target, whole_beats(bytes),
        {static_cast<std::uint32_t>(s.burst), static_cast<std::uint32_t>(s.beat)});

    Time total = 0;
    if (job_.through_kernel) {
      total += add("system call", system_.timebase().from_ns(s.system_call));
      touch(ports_, own_memory(), 0, job_.kernel_footprint, true);
      if (to_fabric) total += user_copy(true, offset, bytes);
    }
    const auto instructions = static_cast<double>(program.instructions.size());
    const double bursts = bytes >= kWholeBurst ? s.prepare_burst : 0.0;
    const Time preparation = software(s.prepare + s.prepare_instruction * instructions + bursts, 0);
    if (job_.prepared) {
      outcome_.preparation += system_.timebase().seconds(preparation);
    } else {
      total += add("program preparation", preparation);
    }
    const bool dummy = job_.dummy_traffic;
    total += add("start", software(s.start_work + (dummy ? s.dummy_work : 0),
                                   s.start_device + (dummy ? s.dummy_lead : 0)));

    const Master dma = system_.master(job_.master);
    auto parameters = pl330::ChannelParameters{dma.fields};
    parameters.early_end = s.early_end != 0;
    parameters.bufferable = s.bufferable != 0;
    pl330::Channel channel(parameters, *dma.ports.at(0), program.code);
    const Time begun = system_.timebase().from_ns(s.fetch) + parameters.start;
    const auto end = [&] {
      run(channel, begun);
      return channel.finished();
    };
    Time moving = 0;
    if (alike(memory, bytes)) {
      Digest key;
      key << begun << parameters.early_end << parameters.bufferable;
      key.bytes(std::as_bytes(std::span(program.code)));
      moving = run_alike(kDma, job_.master, key, end);
    } else {
      run_master(kDma, channel, begun);
      moving = channel.finished();
    }
    add(kDma, moving);
    total += moving + add(kWait, poll(moving));

    if (job_.through_kernel && !to_fabric) total += user_copy(false, offset, bytes);
    return total;
  }

  // How long after the end the program sees it: it looks once a period from the start on, for the
  // first time before any dummy traffic of its own. The phase of its loop varies from run to run,
  // so the wait is averaged over it.
  Time poll(Time moving) const {
    const double more = job_.dummy_traffic ? job_.software.dummy_work : 0;
    const Time first = software(job_.software.poll_work, job_.software.poll_device);
    const Time period = software(job_.software.poll_work + more, job_.software.poll_device);
    const Time lead = software(job_.software.poll_lead, 0);
    if (period == 0) return std::max<Time>(0, lead - moving);
    const auto samples = static_cast<Time>(std::max(1U, job_.poll_samples));
    Time sum = 0;
    for (Time i = 0; i < samples; ++i) {
      const Time phase = first * (2 * i + 1 - samples) / (2 * samples) / kPhaseSpread;
      const Time look = lead + phase + first;
      const Time later = std::max<Time>(0, (moving - look + period - 1) / period);
      sum += look + later * period - moving;
    }
    return sum / samples;
  }

  static constexpr const char* kCopy = "copy by the processor";
  static constexpr const char* kDma = "transfer by the PL330";
  static constexpr const char* kWait = "wait for the poll that sees it";
  static constexpr std::uint32_t kBeat = 8;
  static constexpr std::uint32_t kLoopAccesses = 4;  // of a poll loop, for each byte it changes
  static constexpr std::uint32_t kWholeBurst = 128;
  static constexpr Time kPhaseSpread = 3;  // the phase varies over a third of the period
  static constexpr std::uint64_t kStackInUse = 64;

  System& system_;
  const TransferJob& job_;
  ProcessorParameters processor_;
  ProcessorPorts ports_;
  DummyTraffic dummy_;
  Outcome outcome_;
};

}  // namespace

Outcome transfer(System& system, const TransferJob& job) {
  if (job.bytes == 0) throw std::invalid_argument("a transfer needs at least one byte");
  if (job.chunk_bytes == 0) throw std::invalid_argument("the fabric's memory has no size");
  return Transfer(system, job).run();
}

}  // namespace weighbridge
