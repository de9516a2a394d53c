// SPDX-License-Identifier: Apache-2.0
//
// One DMA engine alone under random traffic, checked against a model in every cycle: lengths around
// powers of two up to the longest, starts at any word, early ends of the stream, stalls on every
// channel, error responses at any beat, flushes at any time. Built like engine_bench.
//
// Given a number of beats, the bench makes every second frame that long and puts one error into it:
// SLVERR at each beat in turn, then DECERR. The frames between have none. The bench prints how many
// statuses told of each error.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "Vtop.h"
#include "axi_memory.hpp"

using namespace weighbridge::cosim;

namespace {

#ifndef LEN_W
#define LEN_W 20
#endif
#ifndef ADDR_W
#define ADDR_W 32
#endif
#ifndef WORD_ALIGNED
#define WORD_ALIGNED 0
#endif
#ifndef BURST
#define BURST 16
#endif
#ifndef REALIGN
#define REALIGN 0
#endif
#ifndef CUT_THROUGH
#define CUT_THROUGH 0
#endif
constexpr unsigned width = DATA_W / 8, words = width / 4;
// Addresses and lengths are of so many bytes, and a bit of `keep` is one.
constexpr unsigned unit = REALIGN ? 1 : 4, lanes = width / unit;
constexpr std::uint64_t longest = (std::uint64_t{1} << LEN_W) - unit;

[[noreturn]] void wrong(const char* what, std::uint64_t frame) {
  std::fprintf(stderr, "wrong: %s, frame %" PRIu64 "\n", what, frame);
  std::exit(1);
}

struct Frame {
  std::uint64_t address, bytes;  ///< as commanded
  std::uint64_t from, to;        ///< its own part of the memory, the frame and a margin around it
  std::uint64_t beat = 0;        ///< of the stream, so far
  std::uint64_t length = 0;      ///< true length, when its stream has ended
  std::uint64_t bursts = 0;      ///< all that were before it and its own, when its stream has ended
  unsigned error = 0;
  bool eob = false, ended = false;

  [[nodiscard]] std::uint64_t aligned() const { return address & ~std::uint64_t{width - 1}; }
  /// Where lane 0 of the stream's first beat is from.
  [[nodiscard]] std::uint64_t start() const { return REALIGN ? address : aligned(); }
  [[nodiscard]] std::uint64_t beats() const {
    return (address + bytes - start() + width - 1) / width;
  }
};

struct Traffic {
  double cmd, stream, flush, early;
};

template <class Top>
class Bench {
  static constexpr bool reads = requires(Top top) { top.axi_arvalid; };

 public:
  Bench(const MemoryOptions& options, const Traffic& traffic, std::uint64_t frames,
        std::uint64_t most, unsigned errors, std::uint64_t each)
      : memory_(options),
        random_(options.seed + 7),
        traffic_(traffic),
        frames_(frames),
        most_(most),
        each_(each) {
    for (std::size_t i = 0; i < memory_.bytes.size(); i += 4) {
      const auto word = static_cast<std::uint32_t>(random_());
      std::memcpy(&memory_.bytes[i], &word, 4);
    }
    shadow_ = memory_.bytes;
    for (unsigned i = 0; i < errors; ++i) {
      const std::uint64_t first = below(memory_.bytes.size() / width) * width;
      memory_.fail_also(first, first + width * (1 + below(3)), 2 + below(2));
    }
    if (each_ > 0) frames_ = 4 * each_;
    if constexpr (requires { top_.mutsel; })
      if (const char* mutant = std::getenv("MUTANT"))
        top_.mutsel = static_cast<unsigned>(std::atoi(mutant));
  }

  void run() {
    top_.rst = 1;
    std::uint64_t quiet = 0;
    while (quiet < 20) {
      top_.clk = 0;
      memory_.drive(top_);
      drive();
      top_.eval();
      if (!top_.rst) check();
      memory_.sample(top_);
      top_.clk = 1;
      top_.eval();
      if (memory_.cycle == 4) top_.rst = 0;
      if (memory_.cycle - progress_ > 20000) wrong("it hangs", finished_);
      const bool done = given_ == frames_ && open_.empty() && !top_.flush;
      quiet = done ? quiet + 1 : 0;
    }
    if (!top_.idle) wrong("it is not idle", finished_);
    if (memory_.bytes != shadow_) wrong("memory beside the frames", finished_);
    if (each_ > 0)
      std::printf("{\"okay\": %" PRIu64 ", \"slverr\": %" PRIu64 ", \"decerr\": %" PRIu64 "}\n",
                  told_[0], told_[2], told_[3]);
  }

 private:
  bool chance(double p) { return p > 0 && chance_(random_) < p; }
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  std::uint64_t length() {
    std::uint64_t bytes = 0;
    switch (below(5)) {
      case 0:
        bytes = unit * (1 + below(2 * lanes));
        break;
      case 1:
        bytes = unit * (1 + below(most_ / unit));
        break;
      case 2:
        bytes = most_ - unit * below(3);
        break;
      default: {
        const std::uint64_t power = std::uint64_t{4} << below(LEN_W - 1);
        bytes = power + unit * below(3) - unit;
      }
    }
    return std::max<std::uint64_t>(unit, std::min(bytes, most_));
  }

  /// The frame begins and ends inside a beat where it may, and at the sixth beat of a block of 16.
  Frame next_of_each() {
    Frame frame{};
    frame.from = cursor_;
    frame.to = cursor_ += (each_ + 16) * width / 256 * 256 + 256;
    if (frame.to > memory_.bytes.size()) wrong("no room", drawn_);
    const unsigned skip = WORD_ALIGNED || REALIGN ? unit : 0;
    frame.address = frame.from + 5 * width + skip;
    frame.bytes = each_ * width - skip - unit;
    const std::uint64_t bad = frame.aligned() + drawn_ / 2 % each_ * width;
    if (drawn_ % 2 == 0) memory_.fail_also(bad, bad + width, drawn_ / 2 < each_ ? 2 : 3);
    ++drawn_;
    return frame;
  }

  Frame next_frame() {
    if (each_ > 0) return next_of_each();
    Frame frame{};
    frame.bytes = length();
    const std::uint64_t room = (frame.bytes + 3 * width + 511) / 256 * 256;
    if (cursor_ + room > memory_.bytes.size()) cursor_ = 0;
    frame.from = cursor_;
    frame.to = cursor_ += room;
    frame.address = frame.from + width * below((room - frame.bytes - width) / width);
    if (WORD_ALIGNED || REALIGN) frame.address += unit * below(lanes);
    return frame;
  }

  void drive() {
    if (top_.rst) {
      top_.flush = 0;
      top_.cmd_valid = 0;
      if constexpr (reads)
        top_.m_ready = 0;
      else
        top_.s_valid = 0;
      return;
    }
    was_flushed_ = top_.flush;
    if (top_.flush ? !(may_stop_ && chance(0.5)) : chance(traffic_.flush)) {
      top_.flush = 1;
    } else {
      if (top_.flush) dropped();
      top_.flush = 0;
    }
    // A command stays until it is taken, but for a flush, after which its frame is another.
    if (!top_.cmd_valid || command_taken_ || top_.flush) {
      top_.cmd_valid = given_ < frames_ && chance(traffic_.cmd) && (!top_.flush || chance(0.5));
      if (command_taken_ || !have_next_) {
        next_ = next_frame();
        have_next_ = true;
      }
      top_.cmd_addr = next_.address;
      top_.cmd_len = next_.bytes;
      command_taken_ = false;
    }
    if constexpr (reads) {
      top_.m_ready = chance(traffic_.stream);
    } else if (!top_.s_valid || stream_taken_) {
      top_.s_valid = chance(traffic_.stream);
      Beat data{};
      for (unsigned i = 0; i < words; ++i) data[i] = static_cast<std::uint32_t>(random_());
      assign(top_.s_data, data);
      top_.s_last = chance(traffic_.early);
      top_.s_keep = below(1U << lanes);
      // The highest word that is valid in a last beat is at or behind the frame's first.
      if (top_.s_last && !REALIGN)
        top_.s_keep = top_.s_keep | 1U << (words - 1 - below(2) * (words == 4));
      if (REALIGN && chance(0.5)) top_.s_keep = 1U << below(lanes);
      stream_taken_ = false;
    }
  }

  void check() {
    if constexpr (reads) {
      if (!top_.axi_rready) wrong("RREADY is low", finished_);
    } else {
      if (!top_.axi_bready) wrong("BREADY is low", finished_);
    }
    if (top_.idle && !memory_.owes_nothing()) wrong("idle, and the bus owes", finished_);
    if (top_.flush && top_.cmd_ready) wrong("a command taken in a flush", given_);
    may_stop_ = top_.flush && top_.idle;
    if (!top_.flush || !was_flushed_)
      check_status();
    else if (top_.status_valid)
      wrong("a status in a flush", finished_);

    if (top_.cmd_valid && top_.cmd_ready) {
      open_.push_back(next_);
      ++given_;
      command_taken_ = true;
      progress_ = memory_.cycle;
    }
    if constexpr (reads)
      check_read();
    else
      check_write();
  }

  /// The status of reads comes in the cycle after the last beat, that of writes after the answer.
  void check_status() {
    if (open_.empty() || !open_.front().ended) {
      if (top_.status_valid) wrong("a status too early", finished_);
      return;
    }
    const Frame& frame = open_.front();
    const bool due = reads || memory_.write_answers - answers_dropped_ == frame.bursts;
    if (due != (top_.status_valid != 0)) wrong("status not in its cycle", finished_);
    if (!due) return;
    if (top_.status_error != frame.error) wrong("error", finished_);
    ++told_[frame.error];
    if constexpr (!reads) {
      if (top_.status_len != frame.length) wrong("length", finished_);
      if ((top_.status_eob != 0) != frame.eob) wrong("end of block", finished_);
      for (std::uint64_t i = frame.from; i < frame.to; ++i)
        if (memory_.bytes[i] != shadow_[i]) wrong("memory", finished_);
    }
    open_.pop_front();
    ++finished_;
    progress_ = memory_.cycle;
  }

  void check_read() {
    if (top_.flush) {
      if (was_flushed_ && top_.m_valid) wrong("data in a flush", finished_);
      return;
    }
    if (!top_.m_valid) return;
    Frame* frame = nullptr;
    for (Frame& each : open_)
      if (!each.ended) {
        frame = &each;
        break;
      }
    if (!frame) wrong("data of no frame", finished_);
    const Beat data = beat_of(top_.m_data);
    const auto* given = reinterpret_cast<const std::uint8_t*>(data.data());
    const std::uint64_t at = frame->start() + frame->beat * width;
    for (unsigned i = 0; i < lanes; ++i) {
      const std::uint64_t place = at + unit * i;
      const bool valid = place >= frame->address && place < frame->address + frame->bytes;
      if (valid != (((top_.m_keep >> i) & 1U) != 0)) wrong("keep", finished_);
      if (valid && std::memcmp(given + unit * i, &memory_.bytes[place], unit) != 0)
        wrong("data", finished_);
    }
    const bool last = frame->beat + 1 == frame->beats();
    if (last != (top_.m_last != 0)) wrong("last", finished_);
    if (!top_.m_ready) return;
    ++frame->beat;
    frame->ended = last;
    for (std::uint64_t from = frame->aligned(); from < frame->address + frame->bytes; from += width)
      if (frame->error == 0) frame->error = memory_.response(from);
    progress_ = memory_.cycle;
  }

  void check_write() {
    if constexpr (!reads) {
      stream_taken_ = top_.s_valid && top_.s_ready;
      if (!stream_taken_) return;
      if (top_.flush) wrong("data taken in a flush", finished_);
      Frame* frame = nullptr;
      for (Frame& each : open_)
        if (!each.ended) {
          frame = &each;
          break;
        }
      // A command that is taken in this cycle begins with the next beat.
      if (!frame || (command_taken_ && frame == &open_.back()))
        wrong("data of no frame", finished_);
      const Beat data = beat_of(top_.s_data);
      const auto* given = reinterpret_cast<const std::uint8_t*>(data.data());
      const std::uint64_t at = frame->start() + frame->beat * width;
      unsigned top = lanes - 1;
      if (top_.s_last)
        while (top > 0 && ((top_.s_keep >> top) & 1U) == 0) --top;
      for (unsigned i = 0; i <= top; ++i) {
        const std::uint64_t place = at + unit * i;
        if (place < frame->address || place >= frame->address + frame->bytes) continue;
        std::memcpy(&shadow_[place], given + unit * i, unit);
        frame->length += unit;
      }
      const bool ends = top_.s_last || frame->beat + 1 == frame->beats();
      if (ends != (top_.s_final != 0)) wrong("final", finished_);
      if (ends) count_bursts(*frame);
      ++frame->beat;
      frame->ended = ends;
      frame->eob = top_.s_last;
      frame->bursts = bursts_;
      progress_ = memory_.cycle;
    }
  }

  /// The bursts of a frame whose true length is known, and its error: that of the first with one.
  void count_bursts(Frame& frame) {
    std::uint64_t end = frame.address + frame.length;
    // A burst that was announced longer goes on, and what it meets is its error.
    if (CUT_THROUGH)
      end = std::min((end + BURST * width - 1) / (BURST * width) * (BURST * width),
                     frame.address + frame.bytes);
    unsigned error = 0;
    for (std::uint64_t at = frame.aligned(); at < end; at += width) {
      error |= memory_.response(at);
      if (at + width < end && (at / width) % BURST != BURST - 1) continue;
      ++bursts_;
      if (frame.error == 0) frame.error = error;
      error = 0;
    }
  }

  /// Behind a flush: each word of the frames thrown away is what it was or what was meant for it.
  void dropped() {
    if (!memory_.owes_nothing()) wrong("idle, and the bus owes", finished_);
    for (const Frame& frame : open_)
      if constexpr (!reads)
        for (std::uint64_t i = frame.from; i < frame.to; ++i) {
          const bool inside = i >= frame.address && i < frame.address + frame.bytes;
          if (!inside && memory_.bytes[i] != shadow_[i]) wrong("memory beside a frame", finished_);
          shadow_[i] = memory_.bytes[i];
        }
    frames_ += open_.size();
    open_.clear();
    answers_dropped_ = memory_.write_answers - bursts_;
  }

  VerilatedContext context_;
  Top top_{&context_};
  AxiMemory memory_;
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> chance_{0, 1};
  Traffic traffic_;
  std::vector<std::uint8_t> shadow_;
  std::deque<Frame> open_;
  Frame next_{};
  std::uint64_t frames_, most_, given_ = 0, finished_ = 0, cursor_ = 0, progress_ = 0;
  std::uint64_t bursts_ = 0, answers_dropped_ = 0;
  std::uint64_t each_, drawn_ = 0;  ///< beats; frames
  std::uint64_t told_[4] = {};      ///< statuses by their error
  bool have_next_ = false, command_taken_ = false, stream_taken_ = false;
  bool was_flushed_ = false, may_stop_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: %s SEED FRAMES [BEATS]\n", argv[0]);
    return 2;
  }
  const auto seed = static_cast<std::uint64_t>(std::atoll(argv[1]));
  std::mt19937_64 random(seed);
  const auto one_of = [&](auto... values) {
    const double all[] = {static_cast<double>(values)...};
    return all[random() % sizeof...(values)];
  };
  MemoryOptions options;
  options.bus_bytes = width;
  options.seed = seed;
  options.latency = static_cast<unsigned>(one_of(0, 1, 5, 20, 60));
  options.outstanding = static_cast<unsigned>(one_of(1, 2, 4, 16, 64));
  options.stall = one_of(0, 0, 0.1, 0.5, 0.8);
  options.bytes = std::min<std::size_t>(
      std::max<std::size_t>(std::size_t{1} << 18U, 4 * longest + 4096), std::size_t{1} << ADDR_W);
  options.longest = BURST;
  options.check_gapless = !CUT_THROUGH;
  Traffic traffic{one_of(0.02, 0.2, 0.9, 1), one_of(0.1, 0.5, 1, 1), one_of(0, 0, 0.001, 0.01),
                  one_of(0, 0.01, 0.1, 0.5)};
  const auto most = static_cast<std::uint64_t>(one_of(256, longest, longest, 64, width));
  auto errors = static_cast<unsigned>(one_of(0, 30, 300, 3000));
  options.data = static_cast<Data>(one_of(0, 1, 2, 3));
  const std::uint64_t each = argc > 3 ? static_cast<std::uint64_t>(std::atoll(argv[3])) : 0;
  if (each > 0) {  // every frame whole
    traffic.flush = traffic.early = 0;
    errors = 0;
  }
  try {
    Bench<Vtop>(options, traffic, static_cast<std::uint64_t>(std::atoll(argv[2])), most, errors,
                each)
        .run();
  } catch (const ProtocolError& error) {
    std::fprintf(stderr, "wrong: %s\n", error.what());
    return 1;
  }
}
