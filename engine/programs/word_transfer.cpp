// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "programs/word_transfer.hpp"

#include <algorithm>
#include <stdexcept>

#include "components/processor.hpp"
#include "components/word_fifo.hpp"

namespace weighbridge {
namespace {

constexpr std::uint32_t kWord = 4;

// The level as the processor sees it: words to read, or places to write. The fabric adds one every
// `interval` as long as there is room for it.
class Level {
 public:
  Level(std::uint32_t depth, std::uint32_t start, Time interval, Time now)
      : depth_(depth), level_(start), interval_(interval), since_(now) {}

  [[nodiscard]] std::uint32_t at(Time now) {
    if (interval_ == 0) return level_ = depth_;
    const Time added = (now - since_) / interval_;
    level_ = static_cast<std::uint32_t>(std::min<Time>(depth_, level_ + added));
    since_ = level_ == depth_ ? now : since_ + added * interval_;
    return level_;
  }
  void take(Time now) { level_ = at(now) - 1; }
  // When the level will be above the threshold.
  [[nodiscard]] Time above(std::uint32_t threshold, Time now) {
    const std::uint32_t level = at(now);
    return level > threshold ? now : since_ + (threshold + 1 - level) * interval_;
  }

 private:
  std::uint32_t depth_;
  std::uint32_t level_;
  Time interval_;
  Time since_;
};

class Words {
 public:
  Words(System& system, const WordJob& job)
      : system_(system),
        job_(job),
        node_{system.master(job.node).fields},
        ordered_write_(ProcessorParameters{system.master(job.processor).fields}.ordered_write),
        device_(*system.master(job.processor).ports.at(1)) {}

  Outcome run() {
    const std::uint32_t depth = node_.depth;
    const std::uint32_t most = job_.to_fabric ? node_.write_threshold : node_.read_threshold;
    spend(calls_, job_.call);
    access(registers_, false);
    // The fabric begins only now where it is to be waited for.
    Level level(depth, job_.waits ? 0 : depth, system_.timebase().from_ns(job_.interval), now_);
    for (std::uint32_t left = job_.words;;) {
      if (level.at(now_) == 0) wait(level, std::min({left - 1, most, depth - 1}));
      std::uint32_t there = std::min({level.at(now_), node_.batch, left});
      for (left -= there; there > 0; --there) {
        level.take(now_);
        access(copy_, job_.to_fabric);
      }
      if (left == 0) break;
      access(registers_, false);
    }
    copy_.components = uses(system_);
    return {system_.timebase().seconds(now_), {calls_, registers_, waiting_, interrupts_, copy_}};
  }

 private:
  void wait(Level& level, std::uint32_t threshold) {
    if (!job_.waits) {
      while (level.at(now_) == 0) access(registers_, false);
      return;
    }
    // Arms the interrupt and looks again; the handler asks and acknowledges.
    for (std::uint32_t i = 0; i < job_.wait.writes; ++i) access(registers_, true);
    const Time above = level.above(threshold, now_);
    if (above > now_) spend(waiting_, above - now_);
    spend(interrupts_, job_.wait);
    for (std::uint32_t i = 0; i < job_.wait.reads; ++i) access(registers_, false);
  }

  void spend(Phase& phase, Time duration) {
    now_ += duration;
    phase.seconds += system_.timebase().seconds(duration);
  }
  void spend(Phase& phase, const DriverCall& call) {
    spend(phase, system_.timebase().from_ns(call.call + call.work));
  }
  void access(Phase& phase, bool write) {
    const Access word{.address = job_.control, .bytes = kWord, .write = write};
    spend(phase, device_.access(word, now_ + (write ? ordered_write_ : 0)).done - now_);
  }

  System& system_;
  const WordJob& job_;
  WordFifoParameters node_;
  Time ordered_write_;
  Component& device_;
  Time now_ = 0;
  Phase calls_{"driver calls", 0, {}, true};
  Phase registers_{"register accesses", 0, {}, true};
  Phase waiting_{"wait for the FIFO", 0, {}, false};
  Phase interrupts_{"interrupts and wake-ups", 0, {}, true};
  Phase copy_{"copy by the processor", 0, {}, true, true};
};

}  // namespace

Outcome word_transfer(System& system, const WordJob& job) {
  if (job.words == 0) throw std::invalid_argument("a transfer needs at least one word");
  return Words(system, job).run();
}

}  // namespace weighbridge
