// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "programs/frames.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>

namespace weighbridge {
namespace {

constexpr std::uint32_t kWord = 4;

// A flow of frames; the clock of the processor's side runs on from frame to frame.
class Flow {
 public:
  Flow(System& system, const FrameJob& job)
      : system_(system), job_(job), port_(*system.master(job.master).ports.at(0)) {}

  void message() {
    for (const Frame& frame : job_.frames) {
      now_ += ns(frame.prepare);
      if (job_.copy_word > 0) {
        by_processor(stores(frame));
      } else {
        by_dma(stores(frame));
      }
    }
  }

  // When the last word has left. In a steady flow the time from one message's to the next's is what
  // a message takes, whether the processor or the bus is the slower.
  [[nodiscard]] Time sent() const { return sent_; }

 private:
  [[nodiscard]] Time ns(double value) const { return system_.timebase().from_ns(value); }
  // Its length, its bytes, the commit.
  [[nodiscard]] std::uint32_t stores(const Frame& frame) const {
    return (frame.bytes + job_.store - 1) / job_.store + 2;
  }
  [[nodiscard]] std::uint32_t bytes_of(std::uint32_t i, std::uint32_t count) const {
    return i == 0 || i + 1 == count ? kWord : job_.store;
  }
  [[nodiscard]] Reply write(Time at, std::uint32_t bytes) {
    return port_.access(
        {.address = job_.target, .bytes = bytes, .beat_bytes = bytes, .write = true}, at);
  }

  // Stores are posted: a word is put together while the one before is on the bus.
  void by_processor(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t bytes = bytes_of(i, count);
      now_ = std::max(now_ + ns(job_.copy_word * bytes / kWord), sent_);
      sent_ = write(now_, bytes).accepted;
    }
  }

  void by_dma(std::uint32_t count) {
    constexpr std::uint32_t kNodes = 3;  // the length, the bytes, the commit
    while (given_.size() >= job_.outstanding) {
      now_ = std::max(now_, given_.front());
      given_.pop_front();
    }
    // Behind a frame that is under way its list goes on by itself.
    if (sent_ <= now_) sent_ = now_ + ns(job_.start);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (i == 0 || i == 1 || i == count - kNodes + 2) sent_ += ns(job_.node);
      const std::uint32_t bytes = bytes_of(i, count);
      sent_ = std::max(write(sent_, bytes).accepted, sent_ + ns(job_.word * bytes / kWord));
    }
    given_.push_back(sent_);
    if (!job_.overlapped) now_ = sent_;
  }

  System& system_;
  const FrameJob& job_;
  Component& port_;
  Time now_ = 0;
  Time sent_ = 0;           // the last word has left
  std::deque<Time> given_;  // when each frame of the DMA engine's has left
};

}  // namespace

Outcome transmit(System& system, const FrameJob& job) {
  if (job.frames.empty()) throw std::invalid_argument("a message needs at least one frame");
  if (job.outstanding < 1) throw std::invalid_argument("a DMA engine is given a frame at least");
  if (job.store < kWord) throw std::invalid_argument("a frame is stored by words at least");
  // Enough frames for a steady flow; a long message is one by itself.
  constexpr std::size_t kFrames = 16;
  const auto repeats =
      job.single ? 1U
                 : static_cast<unsigned>((kFrames + job.frames.size() - 1) / job.frames.size());
  Flow flow(system, job);
  if (!job.single) flow.message();
  system.clear();
  const Time start = flow.sent();
  for (unsigned i = 0; i < repeats; ++i) flow.message();

  Outcome outcome;
  outcome.seconds = system.timebase().seconds(flow.sent() - start) / repeats;
  double prepare = 0;
  for (const Frame& frame : job.frames) prepare += frame.prepare * 1e-9;
  prepare = std::min(prepare, outcome.seconds);
  outcome.phases.push_back({"preparation of the frames", prepare, {}, true});
  const bool by_dma = job.copy_word == 0;
  Phase moving{by_dma ? "transfer by the MDMA" : "copy by the processor", outcome.seconds - prepare,
               uses(system), !by_dma, true};
  for (ComponentUse& use : moving.components) {
    use.transactions /= repeats;
    use.bytes /= repeats;
    use.busy /= repeats;
    use.waiting /= repeats;
  }
  outcome.repeats = repeats;
  outcome.phases.push_back(std::move(moving));
  return outcome;
}

}  // namespace weighbridge
