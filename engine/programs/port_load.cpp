// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "programs/port_load.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

#include "components/memory_port.hpp"
#include "components/traffic_generator.hpp"

namespace weighbridge {
namespace {

// Controller cycles before a steady flow is timed, and those that are.
constexpr std::uint64_t kWarm = 3000;
constexpr std::uint64_t kTimed = 13000;
// Bytes that a transfer by itself is repeated for, at other times after a refresh.
constexpr std::uint64_t kPhased = 16384;

// Bursts of one direction of a block.
struct Stream {
  bool runs = false;
  Address base = 0;
  std::uint64_t begun = 0;
  std::uint32_t in_flight = 0;
  std::uint64_t beats = 0;  // that have crossed
  Time may = 0;             // when the next burst may begin
  Time ended = 0;
};

struct Block {
  Stream read;
  Stream write;
};

// A port with its blocks, which take turns burst by burst.
class Lane {
 public:
  Lane(MemoryPort& port, const TrafficGeneratorParameters& p, const PortLoadJob& job)
      : port_(port), p_(p), job_(job), beats_(job.burst_bytes / port.width()) {
    next_ = port.clock().period();
  }

  void add(Block& block) { blocks_.push_back(&block); }
  [[nodiscard]] Time next() const { return next_; }
  [[nodiscard]] MemoryPort& port() const { return port_; }

  void step() {
    const Time now = next_;
    next_ += port_.clock().period();
    if (job_.reads) read(now);
    if (job_.writes) write(now);
  }

 private:
  [[nodiscard]] bool may(const Stream& stream, std::uint32_t most, Time now) const {
    if (!stream.runs || stream.in_flight >= most || now < stream.may) return false;
    return !job_.single || stream.begun * job_.burst_bytes < job_.bytes;
  }
  Address begin(Stream& stream) const {
    const Address at = stream.base + stream.begun * job_.stride % p_.window;
    ++stream.begun;
    ++stream.in_flight;
    return at;
  }
  void end(Stream& stream, Time now) const {
    --stream.in_flight;
    stream.ended = now;
    stream.may = now + port_.clock().cycles(p_.burst_cycles);
  }

  void read(Time now) {
    if (port_.beat_back(now)) {
      Stream& stream = bursts_.front()->read;
      if (++stream.beats % beats_ == 0) {
        end(stream, now);
        bursts_.pop_front();
      }
    }
    if (port_.takes_read()) {
      for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const std::size_t number = (read_turn_ + i) % blocks_.size();
        Block& block = *blocks_[number];
        if (!may(block.read, p_.reads_in_flight, now)) continue;
        port_.read(begin(block.read), beats_);
        bursts_.push_back(&block);
        read_turn_ = number + 1;
        break;
      }
    }
    port_.cut(now);
  }

  void write(Time now) {
    for (const std::uint64_t back = port_.written(now);
         !unanswered_.empty() && back >= answered_ + job_.burst_bytes;) {
      answered_ += job_.burst_bytes;
      end(unanswered_.front()->write, now);
      unanswered_.pop_front();
    }
    if (left_ == 0) {
      for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const std::size_t number = (write_turn_ + i) % blocks_.size();
        Block& block = *blocks_[number];
        if (!may(block.write, p_.writes_in_flight, now)) continue;
        write_at_ = begin(block.write);
        left_ = beats_;
        writing_ = &block;
        unanswered_.push_back(&block);
        write_turn_ = number + 1;
        break;
      }
    }
    if (left_ == 0 || !port_.takes_write(now)) return;
    port_.write(write_at_, --left_ == 0, now);
    write_at_ += port_.width();
    ++writing_->write.beats;
  }

  MemoryPort& port_;
  const TrafficGeneratorParameters& p_;
  const PortLoadJob& job_;
  std::uint32_t beats_;  // of a burst
  std::vector<Block*> blocks_;
  Time next_;
  std::size_t read_turn_ = 0;
  std::size_t write_turn_ = 0;
  std::deque<Block*> bursts_;  // of reads, whose data come back in order
  Block* writing_ = nullptr;
  std::deque<Block*> unanswered_;
  std::uint64_t answered_ = 0;  // bytes
  Address write_at_ = 0;
  std::uint32_t left_ = 0;
};

class Loading {
 public:
  // start: not before the first edge after it.
  Loading(System& system, const PortLoadJob& job, Time start)
      : system_(system),
        job_(job),
        p_{system.master(job.generator).fields},
        blocks_(job.blocks.size()) {
    if (blocks_.empty() || job.burst_bytes == 0 || job.bytes == 0 || (!job.reads && !job.writes)) {
      throw std::invalid_argument("a load needs blocks, and bursts to read or to write");
    }
    system.restart();
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      auto& port = system.as<MemoryPort>(job.blocks[i].port);
      if (job.burst_bytes % port.width() != 0) {
        throw std::invalid_argument("a burst of " + std::to_string(job.burst_bytes) +
                                    " B is no whole number of beats");
      }
      Block& block = blocks_[i];
      block.read.runs = job.reads;
      block.write.runs = job.writes;
      block.read.may = block.write.may =
          port.clock().next_edge(start) + port.clock().cycles(p_.start_cycles);
      start_ = port.clock().next_edge(start) - port.clock().period();
      block.write.base = p_.base + 2 * p_.window * job.blocks[i].window;
      block.read.base = block.write.base + p_.window;
      lane(port).add(block);
    }
    controller_ = &lanes_.front().port().controller();
    controller_->map(job.map);
    for (Lane& lane : lanes_) {
      if (&lane.port().controller() != controller_) {
        throw std::invalid_argument("the ports lead to different memories");
      }
      lane.port().video =
          std::find(job.video.begin(), job.video.end(), lane.port().name()) != job.video.end();
      controller_->attach(lane.port());
    }
  }
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;
  ~Loading() { controller_->detach(); }

  std::vector<BlockLoad> run() { return job_.single ? transfer() : steady(); }

 private:
  Lane& lane(MemoryPort& port) {
    for (Lane& lane : lanes_) {
      if (&lane.port() == &port) return lane;
    }
    return lanes_.emplace_back(port, p_, job_);
  }

  // What is due first: the controller, or the fabric's side of a port.
  Time step() {
    Lane& lane = *std::min_element(lanes_.begin(), lanes_.end(), [](const Lane& a, const Lane& b) {
      return a.next() < b.next();
    });
    if (lane.next() <= controller_->next()) {
      const Time now = lane.next();
      lane.step();
      return now;
    }
    ++cycles_;
    controller_->step();
    return controller_->next() - controller_->period();
  }

  std::vector<BlockLoad> steady() {
    Time start = 0;
    while (cycles_ < kWarm) start = step();
    const std::vector<Block> before = blocks_;
    system_.clear();
    Time end = start;
    while (cycles_ < kWarm + kTimed) end = step();
    const double seconds = system_.timebase().seconds(end - start);
    const double beats = static_cast<double>(job_.bytes) / lanes_.front().port().width();
    // A stream that moves nothing has at most one beat in the time.
    const auto flow = [&](const Stream& now, const Stream& then) {
      const auto moved = std::max<std::uint64_t>(1, now.beats - then.beats);
      return outcome(now, seconds * beats / static_cast<double>(moved), seconds);
    };
    std::vector<BlockLoad> loads;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      loads.push_back(
          {flow(blocks_[i].read, before[i].read), flow(blocks_[i].write, before[i].write)});
    }
    return loads;
  }

  std::vector<BlockLoad> transfer() {
    const auto left = [&](const Stream& stream) {
      return stream.runs && (stream.begun * job_.burst_bytes < job_.bytes || stream.in_flight > 0);
    };
    system_.clear();
    while (std::any_of(blocks_.begin(), blocks_.end(),
                       [&](const Block& block) { return left(block.read) || left(block.write); })) {
      step();
    }
    const auto whole = [&](const Stream& stream) {
      const double seconds = system_.timebase().seconds(stream.ended - start_);
      return outcome(stream, seconds, seconds);
    };
    std::vector<BlockLoad> loads;
    for (const Block& block : blocks_) loads.push_back({whole(block.read), whole(block.write)});
    return loads;
  }

  // A stream's own seconds, with their share of what the components did in all of the time.
  [[nodiscard]] Outcome outcome(const Stream& stream, double seconds, double all) const {
    Outcome outcome;
    if (!stream.runs) return outcome;
    outcome.seconds = seconds;
    outcome.repeats = all / seconds;
    Phase phase{"traffic of the fabric", seconds, uses(system_), false, true};
    for (ComponentUse& use : phase.components) {
      use.transactions =
          static_cast<std::uint64_t>(static_cast<double>(use.transactions) / outcome.repeats);
      use.bytes = static_cast<std::uint64_t>(static_cast<double>(use.bytes) / outcome.repeats);
      use.busy /= outcome.repeats;
      use.waiting /= outcome.repeats;
    }
    outcome.phases.push_back(phase);
    return outcome;
  }

  System& system_;
  const PortLoadJob& job_;
  TrafficGeneratorParameters p_;
  std::vector<Block> blocks_;
  std::deque<Lane> lanes_;
  DdrController* controller_ = nullptr;
  std::uint64_t cycles_ = 0;  // of the controller
  Time start_ = 0;
};

}  // namespace

std::vector<BlockLoad> port_load(System& system, const PortLoadJob& job) {
  if (!job.single) return Loading(system, job, 0).run();
  // A transfer by itself begins anywhere between two refreshes; a long one meets many. The one that
  // begins with a refresh is the last: what the components did, and the trace, are its own.
  const auto starts = static_cast<Time>(std::clamp<std::uint64_t>(kPhased / job.bytes, 1, 64));
  const Time interval =
      system.as<MemoryPort>(job.blocks.front().port).controller().refresh_interval();
  std::vector<std::pair<double, double>> others(job.blocks.size());
  for (Time i = 1; i < starts; ++i) {
    const std::vector<BlockLoad> later = Loading(system, job, interval * i / starts).run();
    for (std::size_t block = 0; block < others.size(); ++block) {
      others[block].first += later[block].read.seconds;
      others[block].second += later[block].write.seconds;
    }
  }
  std::vector<BlockLoad> loads = Loading(system, job, 0).run();
  for (std::size_t block = 0; block < others.size(); ++block) {
    for (auto [mean, other] : {std::pair{&loads[block].read, others[block].first},
                               std::pair{&loads[block].write, others[block].second}}) {
      mean->seconds = (mean->seconds + other) / static_cast<double>(starts);
      if (!mean->phases.empty()) mean->phases.front().seconds = mean->seconds;
    }
  }
  return loads;
}

}  // namespace weighbridge
