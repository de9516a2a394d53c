// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "programs/fabric_transfer.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "components/cache.hpp"
#include "components/fabric_dma.hpp"
#include "programs/copy.hpp"

namespace weighbridge {
namespace {

class Transfer {
 public:
  Transfer(System& system, const FabricJob& job)
      : system_(system),
        job_(job),
        processor_(ProcessorParameters{system.master(job.processor).fields}),
        ports_{system.master(job.processor).ports.at(0), system.master(job.processor).ports.at(1),
               job.outer_enabled, true, processor_.line} {
    system_.as<Cache>(job_.outer_cache).enable(job_.outer_enabled);
    const auto count = static_cast<std::uint32_t>(job_.ports.size());
    const std::uint32_t beats = (job_.bytes / count + job_.beat_bytes - 1) / job_.beat_bytes;
    share_ = std::max(1U, beats) * job_.beat_bytes;
  }

  Outcome run() {
    system_.once({ports_.memory}, false, job_.bytes, described(), [&] {
      prepare();
      return Time{0};
    });
    outcome_ = {};
    system_.trace().begin();

    Time total = system_.timebase().from_ns(job_.base);
    phase("start and end", total);
    if (job_.to_fabric) total += work();
    if (job_.through_kernel && job_.to_fabric) total += copy_all(true);
    total += move();
    if (job_.through_kernel && !job_.to_fabric) total += copy_all(false);
    if (!job_.to_fabric) total += work();
    outcome_.seconds = system_.timebase().seconds(total);
    return outcome_;
  }

 private:
  // The program leaves the source filled, and has done the way back once.
  void prepare() {
    if (job_.buffer.cached()) touch(ports_, job_.buffer, 0, job_.bytes, true);
    if (job_.through_kernel) {
      for_shares([&](std::uint64_t offset, std::uint64_t kernel, std::uint32_t bytes) {
        touch_copy(ports_, job_.buffer, offset, job_.kernel, kernel, bytes);
      });
    }
    if (job_.to_fabric && job_.buffer.cached()) touch(ports_, job_.buffer, 0, job_.bytes, true);
  }

  // All of the job that prepare() looks at.
  [[nodiscard]] Digest described() const {
    Digest key;
    key.text("fabric transfer");
    key << job_.to_fabric << job_.bytes << job_.through_kernel << ports_.line << share_;
    key << job_.ports.size() << job_.beat_bytes << job_.kernel_stride;
    describe(key, job_.buffer, job_.bytes);
    describe(key, job_.kernel, job_.ports.size() * job_.kernel_stride);
    return key;
  }

  // Before a transfer to the fabric the program writes its data, after one from there it reads
  // them.
  Time work() {
    if (job_.consume == Consume::none) return 0;
    system_.restart();
    Work work(processor_, ports_, job_.consume);
    const Time taken = work.all(job_.buffer, job_.bytes, job_.to_fabric);
    phase("work on the data", taken);
    return taken;
  }

  void phase(const char* name, Time duration) {
    outcome_.phases.push_back({name, system_.timebase().seconds(duration), {}, true});
    system_.trace().advance(name, duration);
  }

  // Each controller's share: where it begins in the program's buffer and in the driver's, and
  // bytes.
  template <typename Visit>
  void for_shares(const Visit& visit) {
    for (std::size_t i = 0; i < job_.ports.size(); ++i) {
      // Every controller moves a beat at least, whatever is left of the buffer.
      const std::uint64_t next = i * share_;
      const std::uint64_t offset = next < job_.bytes ? next : 0;
      const auto bytes =
          next < job_.bytes
              ? static_cast<std::uint32_t>(std::min<std::uint64_t>(share_, job_.bytes - next))
              : std::min(job_.beat_bytes, job_.bytes);
      visit(offset, i * job_.kernel_stride, bytes);
    }
  }

  // One copy and one system call for each controller's share, one after the other.
  Time copy_all(bool to_kernel) {
    Time total = 0;
    for_shares([&](std::uint64_t offset, std::uint64_t kernel, std::uint32_t bytes) {
      total +=
          copy_by_itself(system_, job_.processor, processor_, ports_,
                         to_kernel ? job_.buffer : job_.kernel, to_kernel ? offset : kernel,
                         to_kernel ? job_.kernel : job_.buffer, to_kernel ? kernel : offset, bytes);
    });
    phase(to_kernel ? "user-to-kernel copy" : "kernel-to-user copy", total);
    const double call = job_.system_call + (to_kernel ? job_.drain : 0);
    const Time calls = system_.timebase().from_ns(call) * static_cast<Time>(job_.ports.size());
    phase("system call", calls);
    return total + calls;
  }

  // The duration of one access to a controller's register.
  Time control(bool write) {
    system_.restart();
    const Access access{.address = job_.control, .bytes = 4, .write = write};
    return ports_.device->access(access, 0).done;
  }

  Time move() {
    const Time look = system_.timebase().from_ns(job_.poll_work) + control(false);
    const Time start = system_.timebase().from_ns(job_.start_work) + control(false) +
                       (job_.ordered_control ? control(true) : 0);
    system_.restart();
    system_.clear();
    std::vector<std::unique_ptr<FabricDma>> controllers;
    Scheduler scheduler;
    Time now = 0;
    for (std::size_t i = 0; i < job_.ports.size(); ++i) {
      const FabricPort& port = job_.ports[i];
      const Address memory = job_.through_kernel ? job_.kernel.at(0) + i * job_.kernel_stride
                                                 : job_.buffer.at(0) + i * job_.buffer_align;
      controllers.push_back(std::make_unique<FabricDma>(
          FabricDmaParameters{system_.master(job_.controller).fields},
          system_.instance(port.component, i), memory + port.memory_window, job_.to_fabric, share_,
          job_.beat_bytes, port.run_beats, job_.allocate));
      // The first controller's start is part of what an empty run takes off.
      if (i > 0) now += start;
      scheduler.add(*controllers.back(), now);
    }
    scheduler.run();
    outcome_.phases.push_back({"transfer by the fabric", 0, uses(system_), false, true});
    system_.trace().book();
    const Time end = seen(controllers, now, look);
    system_.trace().advance(outcome_.phases.back().name, end);
    outcome_.phases.back().seconds = system_.timebase().seconds(end);
    return end;
  }

  // The program looks at each controller in turn until it is done. A look sees what was so
  // `poll_lead` before the next look can begin. The clocks and the memory's refresh are not in step
  // with the program: the result is the mean over runs whose ends differ by up to `phase`.
  Time seen(const std::vector<std::unique_ptr<FabricDma>>& controllers, Time started,
            Time look) const {
    const Time phase = system_.timebase().from_ns(job_.phase);
    const Time next = system_.timebase().from_ns(job_.next_work);
    const Time step = std::max<Time>(1, look);
    const Time lead = std::min(step, system_.timebase().from_ns(job_.poll_lead));
    constexpr Time kRuns = 16;
    Time total = 0;
    for (Time run = 0; run < kRuns; ++run) {
      const Time early = lead - phase * (2 * run + 1 - kRuns) / (2 * kRuns);
      Time now = started;
      for (std::size_t c = 0; c < controllers.size(); ++c) {
        if (c > 0) now += next + look;
        const Time left = controllers[c]->finished() - early - now;
        if (left > 0) now += (left + step - 1) / step * step;
      }
      total += now;
    }
    return total / kRuns;
  }

  System& system_;
  const FabricJob& job_;
  ProcessorParameters processor_;
  ProcessorPorts ports_;
  std::uint32_t share_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome fabric_transfer(System& system, const FabricJob& job) {
  if (job.bytes == 0 || job.beat_bytes == 0) {
    throw std::invalid_argument("a transfer needs at least one byte, and beats of at least one");
  }
  if (job.ports.empty()) throw std::invalid_argument("a transfer by the fabric needs a port");
  return Transfer(system, job).run();
}

}  // namespace weighbridge
