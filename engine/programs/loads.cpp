// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "programs/loads.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "components/processor_core.hpp"
#include "core/scheduler.hpp"

namespace weighbridge {

namespace {

constexpr Address kPage = 4096;
constexpr std::uint32_t kWord = 4;
constexpr Address kCopyTarget = 0x0800'0000;  // from a buffer to the one copied to
constexpr std::uint64_t kWarmed = 1 << 16;    // accesses at least that bring caches into state
constexpr std::uint64_t kRun = 96;            // accesses of a run

// A small generator; the same numbers everywhere.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t below(std::uint64_t limit) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33) % limit;
  }

 private:
  std::uint64_t state_;
};

// Dirties pages of its own one after the other: the kernel clears each, line by line. How busy it
// is changes from one page to the next.
class Hog : public Process {
 public:
  Hog(Component& memory, const CoreParameters& core, std::uint64_t seed)
      : memory_(memory), core_(core), draw_(seed) {}
  Time step(Time now) override {
    constexpr Address kBuffer = 0x2000'0000;
    constexpr std::uint64_t kSwept = 0x1000'0000;
    if (at_ % kPage == 0) pace_ = core_.hog_line / 2 + draw(core_.hog_line);
    const Access line{.address = kBuffer + at_ % kSwept,
                      .bytes = core_.line,
                      .write = true,
                      .inner = true,
                      .outer = true};
    at_ += core_.line;
    return std::max(memory_.access(line, now).accepted, now + std::max<Time>(1, pace_));
  }

 private:
  Time draw(Time limit) {
    return limit == 0 ? 0 : static_cast<Time>(draw_.below(static_cast<std::uint64_t>(limit)));
  }
  Component& memory_;
  const CoreParameters& core_;
  Draw draw_;
  std::uint64_t at_ = 0;
  Time pace_ = 0;
};

class Walk : public Process {
 public:
  Walk(System& system, const LoadJob& job)
      : job_(job),
        core_(CoreParameters{system.master(job.core).fields}),
        memory_(*system.master(job.core).ports.at(job.port)),
        step_(job.loop == Loop::chain ? job.stride
              : job.cached            ? core_.line
                                      : kWord),
        count_(std::max<std::uint64_t>(1, job.working_set / step_)),
        run_(job.single ? count_
                        : std::min<std::uint64_t>(kRun, std::max<std::uint64_t>(count_, 8))),
        slots_(std::max(1U, core_.outstanding), 0) {
    if (slots_.size() > ready_.size() || core_.prefetch_lines >= ready_.size()) {
      throw std::invalid_argument("core '" + job.core + "': too many lines under way");
    }
  }

  // Leaves the caches as a long loop does: the last accesses of a round, as many as fill them.
  void warm(System& system) {
    const bool writes = job_.loop == Loop::write;
    const bool copies = job_.loop == Loop::copy;
    const std::uint64_t fills = job_.held / std::min<std::uint64_t>(step_, core_.line);
    const std::uint64_t accesses = std::min(count_, std::max(kWarmed, fills));
    Digest key;
    key.text("warm");
    key << writes << copies << job_.base << job_.cached << step_ << count_ << accesses;
    system.once({&memory_}, true, accesses * step_, key, [&] {
      for (std::uint64_t i = count_ - accesses; i < count_; ++i) {
        one(i, 0, writes);
        if (copies) memory_.access(access(i, true, kCopyTarget), 0);
      }
      return Time{0};
    });
  }

  Time step(Time now) override {
    if (i_ % run_ == 0) marks_.push_back(now);
    if (i_ == run_ * job_.runs) return kNever;
    return job_.loop == Loop::chain ? chain(now) : pass(now);
  }

  // Time of each run, and accesses in it.
  [[nodiscard]] const std::vector<Time>& marks() const { return marks_; }
  [[nodiscard]] std::uint64_t run() const { return run_; }
  // When the last access has been answered.
  [[nodiscard]] Time finished() const { return *std::max_element(slots_.begin(), slots_.end()); }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] const CoreParameters& core() const { return core_; }

 private:
  [[nodiscard]] Access access(std::uint64_t i, bool write, Address offset = 0) const {
    return {.address = job_.base + offset + i % count_ * step_,
            .bytes = kWord,
            .beat_bytes = kWord,
            .write = write,
            .inner = job_.cached,
            .outer = job_.cached};
  }
  Reply one(std::uint64_t i, Time now, bool write) { return memory_.access(access(i, write), now); }

  // Whether a prefetcher knows the lines ahead: the walk is in order, its steps within a page.
  [[nodiscard]] bool prefetched() const {
    return core_.prefetch_lines > 0 && job_.cached && step_ < kPage / 4;
  }
  // When the i-th line read is there: fetched some accesses ago, or asked for now.
  Time fetched(Time now) {
    if (!prefetched()) return one(i_, now, false).done;
    const std::uint64_t ahead = i_ + core_.prefetch_lines;
    ready_[ahead % ready_.size()] = one(ahead, now, false).done;
    return std::max(now, ready_[i_ % ready_.size()]);
  }

  Time chain(Time now) {
    const Time done = fetched(now) + core_.load;
    ++i_;
    return done;
  }

  // One line, or one word past the caches; as many are under way as there are slots.
  Time pass(Time now) {
    const bool reads = job_.loop != Loop::write;
    const bool writes = job_.loop != Loop::read;
    const std::uint32_t words = job_.cached ? core_.line / kWord : 1;
    Time& slot = slots_[i_ % slots_.size()];
    const Time start = std::max(now, slot);
    Time next = start + words * core_.issue * (reads && writes ? 2 : 1);
    slot = start;
    if (reads) slot = fetched(start);
    if (reads && !job_.cached) next = std::max(next, slot);  // uncached loads wait in order
    if (writes) {
      const Reply reply = memory_.access(access(i_, true, reads ? kCopyTarget : 0),
                                         reads && !job_.cached ? slot : start);
      slot = std::max(slot, job_.cached ? reply.done : reply.accepted);
    }
    ++i_;
    return next;
  }

  const LoadJob& job_;
  CoreParameters core_;
  Component& memory_;
  std::uint64_t step_;
  std::uint64_t count_;
  std::uint64_t run_;  // accesses of a run
  std::vector<Time> slots_;
  std::array<Time, 64> ready_{};
  std::uint64_t i_ = 0;
  std::vector<Time> marks_;
};

}  // namespace

Outcome load_loop(System& system, const LoadJob& job) {
  if (job.working_set == 0 || job.runs == 0 || (job.loop == Loop::chain && job.stride == 0)) {
    throw std::invalid_argument("a loop needs a working set, runs and, for a chain, a stride");
  }
  if (job.single && (job.loop == Loop::chain || job.runs != 1)) {
    throw std::invalid_argument("a pass by itself is one run, and no chain");
  }
  Walk walk(system, job);
  if (job.cached) walk.warm(system);
  system.restart();
  system.clear();
  Hog hog(*system.master(job.core).ports.at(0), walk.core(), job.seed);
  Scheduler scheduler;
  // The program does not know its phase against the memory's refresh.
  Draw draw(job.seed);
  scheduler.add(walk, system.timebase().from_ns(static_cast<double>(draw.below(7800))));
  if (job.hog) scheduler.add_background(hog, 0);
  scheduler.run();

  Outcome outcome;
  std::vector<Time> marks = walk.marks();
  if (job.single) marks.back() = std::max(marks.back(), walk.finished());
  const auto accesses = static_cast<double>(walk.run());
  const double per_run =
      job.loop == Loop::chain ? accesses : accesses / static_cast<double>(walk.count());
  for (std::size_t i = 1; i < marks.size(); ++i) {
    outcome.samples.push_back(system.timebase().seconds(marks[i] - marks[i - 1]) / per_run);
  }
  std::vector<double> sorted = outcome.samples;
  std::sort(sorted.begin(), sorted.end());
  outcome.seconds = (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
  outcome.phases.push_back({"copy by the processor", outcome.seconds, uses(system), true, true});
  // Of all runs together, to those of one result.
  const double share = 1 / (per_run * job.runs);
  outcome.repeats = per_run * job.runs;
  for (ComponentUse& use : outcome.phases.back().components) {
    use.transactions =
        static_cast<std::uint64_t>(static_cast<double>(use.transactions) * share + 0.5);
    use.bytes = static_cast<std::uint64_t>(static_cast<double>(use.bytes) * share + 0.5);
    use.busy *= share;
    use.waiting *= share;
  }
  return outcome;
}

}  // namespace weighbridge
