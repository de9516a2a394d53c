// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "programs/stream.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "components/block_dma.hpp"
#include "components/cache.hpp"
#include "components/logic_dma.hpp"
#include "components/processor.hpp"
#include "programs/copy.hpp"

namespace weighbridge {

namespace {

constexpr Address kPage = 4096;

// One direction of one node: its engine, and the blocks that it and the program hand to each other.
struct Lane {
  bool to_fabric = true;
  std::unique_ptr<BlockEngine> dma;
  std::vector<Buffer> blocks;
  std::uint64_t turn = 0;  // of blocks taken back
};

class Streaming {
 public:
  Streaming(System& system, const StreamJob& job)
      : system_(system),
        job_(job),
        processor_(ProcessorParameters{system.master(job.processor).fields}),
        ports_{system.master(job.processor).ports.at(0), system.master(job.processor).ports.at(1),
               true, true, processor_.line},
        port_(dynamic_cast<BufferedPort&>(system.at(job.port))),
        work_(processor_, ports_, job.consume) {
    const auto parameters = BlockDmaParameters{system.master(job.master).fields};
    least_ = port_.beats({.bytes = job.bytes, .beat_bytes = parameters.beat});
    Address at = job.block.base;
    for (std::uint32_t stream = 0; stream < job.streams; ++stream) {
      const auto node = job.logic.empty()
                            ? nullptr
                            : std::make_shared<LogicNode>(job.logic, parameters, port_, job.window,
                                                          job.every_cycle);
      for (const bool to_fabric : {true, false}) {
        if (!job.duplex && to_fabric != job.to_fabric) continue;
        Lane& lane = lanes_.emplace_back();
        lane.to_fabric = to_fabric;
        if (node != nullptr) {
          lane.dma = std::make_unique<LogicLane>(node, to_fabric);
        } else {
          lane.dma = std::make_unique<BlockDma>(parameters, port_, job.window, to_fabric);
        }
        for (std::uint32_t i = 0; i < job.blocks; ++i) {
          lane.blocks.push_back(job.block);
          lane.blocks.back().base = at;
          at += (job.bytes + kPage - 1) / kPage * kPage;
        }
      }
    }
  }

  Outcome run() {
    fill_caches();
    register_read_ = access_register(false);
    register_write_ = access_register(true);
    system_.restart();
    system_.clear();
    return job_.single ? alone() : steady();
  }

 private:
  static constexpr std::uint64_t kMeasuredBytes = 1024 * 1024;
  static constexpr std::uint64_t kMeasuredRounds = 64;

  // Both queues are full at first. The window that is timed begins and ends with as many blocks
  // finished and not yet taken, or it would credit blocks that were moved before it.
  Outcome steady() {
    for (Lane& lane : lanes_) {
      for (const Buffer& block : lane.blocks) arm(lane, block);
    }
    const std::uint64_t warm = 2ULL * job_.blocks;
    const std::uint64_t usual =
        std::clamp<std::uint64_t>(kMeasuredBytes / job_.bytes, 2, kMeasuredRounds) * job_.blocks;
    run_to(warm);
    system_.clear();
    const Time start = now_;
    const std::vector<Phase> before = phases_;
    const std::uint64_t pending = finished();
    run_to(warm + usual);
    while (finished() != pending && round_ < warm + 2 * usual) run_to(round_ + 1);
    const auto measured = static_cast<double>(round_ - warm);
    return per_block(now_ - start, before, measured / job_.pieces);
  }

  // The blocks of one result, as many on their way as there are.
  Outcome alone() {
    Lane& lane = lanes_.front();
    std::uint32_t given = 0;
    // Before the program asks, the driver's own blocks wait for what comes from the fabric.
    if (job_.copies && !lane.to_fabric) {
      for (; given < std::min(job_.blocks, job_.pieces); ++given) arm(lane, lane.blocks[given]);
    }
    for (std::uint32_t taken = 0; taken < job_.pieces;) {
      if (given < job_.pieces && given - taken < job_.blocks) {
        give(lane, lane.blocks[given++ % job_.blocks]);
      } else {
        take(lane, lane.blocks[taken++ % job_.blocks]);
      }
    }
    return per_block(now_, {}, 1);
  }

  // Queues a block before the program begins.
  void arm(Lane& lane, const Buffer& block) const {
    if (!lane.dma->enqueue(block.at(0), job_.bytes, 0)) {
      throw std::invalid_argument("more blocks than command slots");
    }
  }

  // Blocks that the engines have finished and the program has not taken.
  std::uint64_t finished() {
    settle();
    std::uint64_t results = 0;
    for (const Lane& lane : lanes_) results += lane.dma->results();
    return results;
  }

  // The state in which the program's start leaves the caches: it writes every block once, those
  // that come in first.
  void fill_caches() {
    Digest key;
    key.text("stream");
    key << job_.resident_bytes << job_.bytes << ports_.line;
    std::vector<const Buffer*> blocks;
    for (const bool to_fabric : {false, true}) {
      for (const Lane& lane : lanes_) {
        if (lane.to_fabric != to_fabric) continue;
        for (const Buffer& block : lane.blocks) {
          if (!block.cached()) continue;
          blocks.push_back(&block);
          describe(key, block, job_.bytes);
        }
      }
    }
    system_.once({ports_.memory}, false, job_.resident_bytes, key, [&] {
      const Buffer others{.base = 0x3800'0000, .frames = {}, .inner = true, .outer = true};
      touch(ports_, others, 0, job_.resident_bytes, false);
      for (const Buffer* block : blocks) touch(ports_, *block, 0, job_.bytes, true);
      return Time{0};
    });
  }

  Time access_register(bool write) {
    system_.restart();
    const Access access{.address = job_.control, .bytes = 4, .write = write};
    const Time issue = write ? processor_.ordered_write : 0;
    return ports_.device->access(access, issue).done;
  }

  Time ns(double value) const { return system_.timebase().from_ns(value); }

  // The processor spends `duration` on something.
  void spend(const char* name, Time duration, bool processor = true) {
    if (name != latest_) {
      latest_ = name;
      const auto found = std::find_if(phases_.begin(), phases_.end(),
                                      [&](const Phase& phase) { return phase.name == name; });
      phase_ = static_cast<std::size_t>(found - phases_.begin());
      left_out_ = name == job_.without;
      if (!left_out_ && found == phases_.end()) phases_.push_back({name, 0, {}, processor});
    }
    if (left_out_) return;
    phases_[phase_].seconds += system_.timebase().seconds(duration);
    now_ += duration;
  }
  void registers(std::uint32_t reads, std::uint32_t writes) {
    spend("register accesses", reads * register_read_ + writes * register_write_);
  }

  // Lets the engines do all that is due up to now.
  void settle() {
    for (;;) {
      Lane& lane = earliest();
      const Time due = lane.dma->next();
      if (due > now_) return;
      lane.dma->step(due);
    }
  }
  Lane& earliest() {
    return *std::min_element(lanes_.begin(), lanes_.end(), [](const Lane& a, const Lane& b) {
      return a.dma->next() < b.dma->next();
    });
  }

  void run_to(std::uint64_t rounds) {
    for (; round_ < rounds; ++round_) {
      for (Lane& lane : lanes_) turn(lane);
    }
  }

  // Takes the oldest block back, works on it and queues it again.
  void turn(Lane& lane) {
    const Buffer& block = lane.blocks[lane.turn++ % job_.blocks];
    take(lane, block);
    give(lane, block);
  }

  void take(Lane& lane, const Buffer& block) {
    dequeue(lane);
    if (lane.to_fabric) return;
    if (job_.maintain) maintain(block, job_.invalidate, true);
    if (job_.copies) copy(block, job_.user, "kernel-to-user copy");
    work(false, job_.copies ? job_.user : block);
  }

  void give(Lane& lane, const Buffer& block) {
    if (lane.to_fabric) {
      work(true, job_.copies ? job_.user : block);
      if (job_.copies) copy(job_.user, block, "user-to-kernel copy");
    }
    if (job_.maintain) {
      maintain(block, lane.to_fabric ? job_.clean : job_.invalidate, !lane.to_fabric);
    }
    const DriverCall& call = lane.to_fabric ? job_.enqueue_to_fabric : job_.enqueue_from_fabric;
    spend("driver calls", ns(call.call / 2 + call.work));
    registers(call.reads, call.writes);
    settle();
    lane.dma->enqueue(block.at(0), job_.bytes, now_);
    spend("driver calls", ns(call.call / 2));
  }

  void dequeue(Lane& lane) {
    const DriverCall& call = lane.to_fabric ? job_.dequeue_to_fabric : job_.dequeue_from_fabric;
    const std::uint32_t looks = std::min(call.reads, 1U);
    spend("driver calls", ns(call.call / 2));
    registers(looks, 0);
    settle();
    if (lane.dma->results() == 0) wait(lane, call);
    lane.dma->take();
    spend("driver calls", ns(call.call / 2 + call.work));
    registers(call.reads - looks, call.writes);
  }

  void wait(Lane& lane, const DriverCall& call) {
    const std::uint32_t armed = std::min(job_.wait.writes, 1U);
    const std::uint32_t checked = std::min(job_.wait.reads, 1U);
    if (!job_.polling) registers(checked, armed);
    Time waited = now_;
    settle();
    while (lane.dma->results() == 0) {
      Lane& due = earliest();
      if (due.dma->next() == kNever) throw std::logic_error("a stream has come to a stop");
      now_ = std::max(now_, due.dma->next());
      settle();
    }
    waited = now_ - waited;
    now_ -= waited;
    if (job_.polling) {
      // Seen by the first look after the end.
      const Time look = ns(call.call + call.work) + register_read_;
      waited = (waited + look - 1) / look * look;
    }
    spend(kTransfer, waited, job_.polling);
    if (job_.polling) return;
    spend("interrupts and wake-ups", ns(job_.wait.call + job_.wait.work));
    registers(job_.wait.reads - checked, job_.wait.writes - armed);
  }

  // Cleans or invalidates every line of a block; those invalidated are in no cache afterwards.
  void maintain(const Buffer& block, double each, bool drop) {
    Cache& inner = system_.as<Cache>(job_.inner_cache);
    Cache& outer = system_.as<Cache>(job_.outer_cache);
    for (Address at = 0; drop && at < job_.bytes; at += ports_.line) {
      inner.drop(block.at(at));
      outer.drop(block.at(at));
    }
    spend("cache maintenance",
          ns(job_.maintain_call) + ns(each) * ((job_.bytes + ports_.line - 1) / ports_.line));
  }

  void copy(const Buffer& source, const Buffer& target, const char* name) {
    if (name == job_.without) return;
    UserCopy copy(processor_, ports_, source, 0, target, 0, job_.bytes);
    for (;;) {
      settle();
      const Time next = copy.step(now_);
      if (next == kNever) return;
      spend(name, next - now_);
    }
  }

  // The program reads a block that has come, or writes one that is to go.
  void work(bool write, const Buffer& block) {
    constexpr const char* kWork = "work on the data";
    if (kWork == job_.without) return;
    for (std::uint64_t i = 0; i < work_.lines(job_.bytes); ++i) {
      settle();
      spend(kWork, work_.line(block, job_.bytes, i, write, now_));
    }
  }

  Outcome per_block(Time duration, const std::vector<Phase>& before, double rounds) {
    Outcome outcome;
    outcome.seconds = system_.timebase().seconds(duration) / rounds;
    outcome.repeats = rounds;
    // The outcome has the phase in which the bytes cross even where the program did not wait.
    Phase transfer{kTransfer, 0, {}, job_.polling, true};
    for (Phase phase : phases_) {
      const auto earlier = std::find_if(before.begin(), before.end(),
                                        [&](const Phase& p) { return p.name == phase.name; });
      if (earlier != before.end()) phase.seconds -= earlier->seconds;
      phase.seconds /= rounds;
      if (phase.name == kTransfer) {
        transfer.seconds = phase.seconds;
      } else {
        outcome.phases.push_back(phase);
      }
    }
    // The beats of a block take the port's bus their time, whatever begins or ends in the window.
    const double least = system_.timebase().seconds(least_) * job_.pieces * job_.streams;
    if (const double more = least - outcome.seconds; more > 0) {
      outcome.seconds += more;
      transfer.seconds += more;
    }
    transfer.components = uses(system_);
    for (ComponentUse& use : transfer.components) {
      use.transactions = static_cast<std::uint64_t>(static_cast<double>(use.transactions) / rounds);
      use.bytes = static_cast<std::uint64_t>(static_cast<double>(use.bytes) / rounds);
      use.busy /= rounds;
      use.waiting /= rounds;
    }
    outcome.phases.push_back(transfer);
    return outcome;
  }

  static constexpr const char* kTransfer = "transfer by the DMA node";

  System& system_;
  const StreamJob& job_;
  ProcessorParameters processor_;
  ProcessorPorts ports_;
  std::vector<Lane> lanes_;
  BufferedPort& port_;
  Work work_;
  Time least_ = 0;  // that the beats of a block take
  Time register_read_ = 0;
  Time register_write_ = 0;
  Time now_ = 0;  // of the program
  std::uint64_t round_ = 0;
  std::vector<Phase> phases_;
  // The name that time was spent on last, which most of it is, its phase, and whether it takes any.
  const char* latest_ = nullptr;
  std::size_t phase_ = 0;
  bool left_out_ = false;
};

}  // namespace

Outcome stream(System& system, const StreamJob& job) {
  if (job.bytes == 0 || job.blocks == 0 || job.streams == 0) {
    throw std::invalid_argument("a stream needs bytes, blocks and a node");
  }
  return Streaming(system, job).run();
}

}  // namespace weighbridge
