// SPDX-License-Identifier: Apache-2.0
//
// The twin's memory system between the logic and a guest's memory: the port through which the
// logic's bursts go, and the processor whose copies, maintenance and work on data go through the
// same caches, line by line, while the logic runs.
//
// It is described by a file (description_file.hpp) that the backend `uml` makes, with the words
//
//   port NAME, engine NAME, processor NAME, inner NAME, outer NAME   the components that are meant
//   nodes CLOCK                   of the logic's nodes; its port is in that of the port
//   clean NS, invalidate NS       of a line;  maintain NS    of a range of lines
//   foreign BYTES                 of others, that fill the caches before
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "components/axi_slave.hpp"
#include "components/cache.hpp"
#include "core/system.hpp"
#include "description_file.hpp"
#include "programs/copy.hpp"
#include "programs/work.hpp"

namespace weighbridge::cosim {

class TwinMemory {
 public:
  /// Numbers of enum um_cost_kind in the guest's kernel.
  enum Kind : std::uint8_t {
    rest,
    to_user,
    from_user,
    clean,
    invalidate,
    uncached,
    cached,
    load,
    store,
    load_lines,
    store_lines
  };
  struct Cost {
    std::uint32_t ns = 0, more = 0;
  };

  explicit TwinMemory(const std::string& path)
      : file_(path),
        system_(file_.description),
        processor_(ProcessorParameters{system_.master(file_.word("processor")).fields}),
        ports_{system_.master(file_.word("processor")).ports.at(0),
               system_.master(file_.word("processor")).ports.at(1), true, true, processor_.line},
        inner_(system_.as<Cache>(file_.word("inner"))),
        outer_(system_.as<Cache>(file_.word("outer"))),
        port(BlockDmaParameters{system_.master(file_.word("engine")).fields},
             dynamic_cast<BufferedPort&>(system_.at(file_.word("port"))), 0) {
    const Buffer others{.base = 0x3800'0000, .frames = {}, .inner = true, .outer = true};
    touch(ports_, others, 0, static_cast<std::uint64_t>(file_.number("foreign")), false);
    system_.restart();
    system_.clear();
  }

  /// Of the logic's ports, and of its nodes, in the engine's ticks.
  [[nodiscard]] Time period() const { return port.period(); }
  [[nodiscard]] Time nodes_period() const {
    return system_.timebase().period(file_.description.clocks_mhz.at(file_.word("nodes")));
  }
  [[nodiscard]] Time ticks(std::uint64_t ns) const {
    return system_.timebase().from_ns(static_cast<double>(ns));
  }

  /// Where a byte of the guest's lies in the twin's memory: pages get their places in the order in
  /// which they are used, so that a run does not depend on where the host has put the guest.
  [[nodiscard]] Address place(std::uint64_t address) {
    const auto next = static_cast<std::uint32_t>(first_frame + frames_.size());
    const std::uint32_t frame = frames_.try_emplace(address / page, next).first->second;
    return Address{frame} * page + address % page;
  }

  /// What the guest's processor is to do from `now` on; how long until it is worth asking again.
  Cost ask(Kind kind, Address at, Address other, std::uint32_t bytes, Time now) {
    if (kind != rest) begin(kind, at, other, bytes, now);
    return remaining(now);
  }

  /// The processor goes on with it up to `now`.
  void advance(Time now) {
    while (job_ && job_->next <= now) step();
  }

  std::uint64_t copied = 0, maintained = 0, worked = 0;  ///< bytes

 private:
  struct Job {
    Buffer source, target;
    std::optional<UserCopy> copy;
    std::optional<Work> work;
    bool write = false;
    std::uint32_t bytes = 0;
    std::uint64_t steps = 0, done = 0;
    Time begun = 0, next = 0;
    bool over = false;  ///< at `next`
  };

  static constexpr std::uint32_t line = 32, page = 4096, first_frame = 0x1'0000;

  /// The pages from that of `at` on.
  [[nodiscard]] Buffer buffer(Address at, std::uint32_t bytes) {
    const bool cacheable = std::none_of(uncached_.begin(), uncached_.end(), [at](const auto& one) {
      return at >= one.first && at - one.first < one.second;
    });
    Buffer made{.base = 0, .frames = {}, .inner = cacheable, .outer = cacheable};
    for (Address one = at / page * page; one < at + bytes; one += page)
      made.frames.push_back(static_cast<std::uint32_t>(place(one) / page));
    return made;
  }

  void begin(Kind kind, Address at, Address other, std::uint32_t bytes, Time now) {
    // One processor: what it was at is over by its own account.
    while (job_ && !job_->over) step();
    job_ = std::make_unique<Job>();
    Job& job = *job_;
    job.begun = job.next = now;
    job.bytes = bytes;
    job.source = buffer(at, bytes);
    job.steps = (bytes + line - 1) / line;
    switch (kind) {
      case to_user:
      case from_user:
        job.target = buffer(other, bytes);
        job.copy.emplace(processor_, ports_, job.source, at % page, job.target, other % page,
                         bytes);
        copied += bytes;
        return;
      case load:
      case store:
      case load_lines:
      case store_lines: {
        const bool lines = kind == load_lines || kind == store_lines;
        job.work.emplace(processor_, ports_, lines ? Consume::random : Consume::stream);
        job.write = kind == store || kind == store_lines;
        worked += bytes;
        return;
      }
      case clean:
      case invalidate:
        for (std::uint32_t i = 0; kind == invalidate && i < bytes; i += line) {
          inner_.drop(place(at + i));
          outer_.drop(place(at + i));
        }
        job.next += system_.timebase().from_ns(
            file_.number("maintain") +
            file_.number(kind == clean ? "clean" : "invalidate") * static_cast<double>(job.steps));
        maintained += bytes;
        break;
      case uncached:
        uncached_.emplace_back(at, bytes);
        break;
      case cached:
        std::erase(uncached_, std::pair<Address, Address>{at, bytes});
        break;
      default:
        break;
    }
    job.over = true;
  }

  void step() {
    Job& job = *job_;
    if (job.over) {
      job_.reset();
      return;
    }
    Time next = kNever;
    if (job.copy) {
      next = job.copy->step(job.next);
    } else if (job.work && job.done < job.work->lines(job.bytes)) {
      next = job.next + job.work->line(job.source, job.bytes, job.done, job.write, job.next);
    }
    if (next == kNever) {
      job.over = true;
    } else {
      job.next = next;
      ++job.done;
    }
  }

  Cost remaining(Time now) {
    advance(now);
    if (!job_) return {};
    const Job& job = *job_;
    Time wait = job.next - now;
    // Not beyond the end, which is not known: the rest of the lines at two thirds of their time.
    if (!job.over && job.done > 0)
      wait = std::max(wait, (job.next - job.begun) / static_cast<Time>(job.done) *
                                static_cast<Time>(job.steps - job.done) * 2 / 3);
    const double ns = system_.timebase().seconds(wait) * 1e9;
    Cost cost{static_cast<std::uint32_t>(ns + 0.999), 0};
    cost.more = job.over ? 0 : 1;
    return cost;
  }

  DescriptionFile file_;
  System system_;
  ProcessorParameters processor_;
  ProcessorPorts ports_;
  Cache &inner_, &outer_;
  std::unordered_map<std::uint64_t, std::uint32_t> frames_;
  std::vector<std::pair<Address, Address>> uncached_;  ///< from, bytes
  std::unique_ptr<Job> job_;

 public:
  AxiSlave port;  ///< of the logic's master
};

}  // namespace weighbridge::cosim
