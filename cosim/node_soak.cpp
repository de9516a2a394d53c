// SPDX-License-Identifier: Apache-2.0
//
// The DMA node against a reference, at random: queues and rings, any word address and length,
// signals that change anywhere, stalls on every channel, error responses, partial frames ended by
// hand, resets of one direction while the other runs. Nothing may be lost, doubled, reordered or
// written beside.
//
// With `rate` it measures instead: see node_rate.hpp.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "node_rate.hpp"
#include "node_system.hpp"

using namespace weighbridge::cosim;

namespace {

/// What software knows of one direction.
struct Side {
  bool ring = false, aborted = false;
  unsigned entries = 16, posted = 0, harvested = 0;
  /// Statuses that were there, at least, when the last interrupt was acknowledged.
  unsigned told = 0;
  std::deque<Frame> frames;  // begun by software, not yet harvested
  std::uint64_t count = 0, bytes = 0, errors = 0, resets = 0, faults = 0, interrupts = 0,
                cycles = 0;
  unsigned since = 0, failed = 0;  // frames and errors since the node's counters were cleared
};

class Soak : NodeSystem {
 public:
  using NodeSystem::NodeSystem;

  void run(std::uint64_t beats) {
    while (memory_.read_beats + memory_.write_beats < beats) step();
    for (unsigned d : {to, from}) drain(d);
  }

  void print() const {
    std::printf("{\"cycles\": %" PRIu64 ", \"read_beats\": %" PRIu64 ", \"write_beats\": %" PRIu64,
                memory_.cycle, memory_.read_beats, memory_.write_beats);
    for (unsigned d : {to, from})
      std::printf(", \"%s\": {\"frames\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"errors\": %" PRIu64
                  ", \"resets\": %" PRIu64 ", \"faults\": %" PRIu64 ", \"interrupts\": %" PRIu64
                  "}",
                  d == to ? "cpu_to_fpga" : "fpga_to_cpu", sides_[d].count, sides_[d].bytes,
                  sides_[d].errors, sides_[d].resets, sides_[d].faults, sides_[d].interrupts);
    std::printf("}\n");
    std::fflush(stdout);  // an hour of it goes to a pipe or a file
  }

 private:
  // ---- software --------------------------------------------------------------------------------

  void step() {
    const unsigned d = below(2);
    Side& side = sides_[d];
    switch (below(16)) {
      case 0:
        if (chance(0.1)) reset(d);
        break;
      case 1:
        if (chance(0.1)) change_mode(d);
        break;
      case 2:
        if (d == from && chance(0.2)) {
          write(ring(from) + r::dma_ring_cut, 1);
          cut_ = true;
        }
        break;
      case 3:
        if (chance(0.01)) blocked_ = !blocked_;
        break;
      case 4:
      case 5:
      case 6:
      case 7:
      case 8:
        post(d);
        break;
      default:
        harvest(d);
    }
    if (blocked_ && side.frames.size() >= 8) blocked_ = false;
    for (unsigned i = below(40); i > 0; --i) tick();
  }

  void post_one(unsigned d) {
    Side& side = sides_[d];
    const Frame made = frame(d);
    const std::uint64_t at = descriptors_at[d] + side.posted++ % side.entries * 16;
    put(at + r::ring_descriptor_address(0), low(made.address));
    put(at + r::ring_descriptor_address(1), high(made.address));
    put(at + r::ring_descriptor_bytes, made.bytes);
    put(at + r::ring_descriptor_user_signal, made.user | 0xABCD0000U);
    side.frames.push_back(made);
    side.frames.back().since = memory_.cycle;
  }

  void post(unsigned d) {
    Side& side = sides_[d];
    if (side.ring) {
      unsigned room = side.entries - static_cast<unsigned>(side.frames.size());
      room = std::min(room, slots - static_cast<unsigned>(side.frames.size()));
      for (unsigned n = std::min(room, 1 + below(12)); n > 0; --n) {
        post_one(d);
      }
      write(ring(d) + r::dma_ring_tail, side.posted & 0xFFFFU);
      return;
    }
    const unsigned free = r::get(r::dma_status_free, status(d));
    if (free == 0) return;
    const Frame made = frame(d);
    side.frames.push_back(made);
    side.frames.back().since = memory_.cycle;
    if (d == to) write(r::dma_to_logic_signal, made.user);
    if (d == to)
      address(r::dma_to_logic_address, r::dma_to_logic_address_high, made.address);
    else
      address(r::dma_from_logic_address, r::dma_from_logic_address_high, made.address);
    // The node rounds up: part of a word counts as a word, and so does a length of zero.
    constexpr unsigned unit = REALIGN ? 1 : 4;
    write(d == to ? r::dma_to_logic_bytes : r::dma_from_logic_bytes,
          made.bytes - below(made.bytes == unit ? unit + 1 : unit));
  }

  /// Bytes, by the first word of a status.
  static unsigned length_of(std::uint32_t status) {
    const unsigned rest = REALIGN ? r::get(r::ring_status_of_bytes_frame_byte_0, status) +
                                        2 * r::get(r::ring_status_of_bytes_frame_byte_1, status)
                                  : 0;
    return r::get(r::ring_status_frame_words, status) * 4 + rest;
  }

  void harvest(unsigned d) {
    Side& side = sides_[d];
    if (chance(0.1)) compare_counters(d, false);
    if (side.ring) {
      const unsigned written = read(ring(d) + r::dma_ring_written);
      while ((side.harvested & 0xFFFFU) != written) {
        demand(!side.frames.empty(), "a status that nobody waits for");
        const std::uint64_t at = statuses_at[d] + side.harvested % side.entries * 8;
        const std::uint32_t first = get(at + r::ring_status_frame);
        const std::uint32_t second = get(at + r::ring_status_tag);
        // A length in bytes takes one bit of the sequence number and one bit that is zero
        // otherwise.
        demand(REALIGN
                   ? r::get(r::ring_status_of_bytes_frame_sequence, first) == (side.harvested & 15U)
                   : r::get(r::ring_status_frame_sequence, first) == (side.harvested & 31U) &&
                         (first & r::ring_status_of_bytes_frame_byte_0) == 0,
               "a wrong number");
        demand((first & r::ring_status_frame_end_of_block) != 0,
               "a frame that does not end its block");
        demand(r::get(r::ring_status_frame_round, first) == (side.harvested / side.entries & 1U),
               "a wrong round");
        // The stamp, in ticks of 16 cycles, lies between the moment of asking and now.
        const std::uint64_t asked = side.frames.front().since, past = memory_.cycle - asked;
        const std::uint32_t stamp = r::get(r::ring_status_tag_stamp, second);
        demand(past > 0xFFFF0 || (memory_.cycle / 16 - stamp & 0xFFFFU) <= past / 16 + 1,
               "a wrong time");
        finish(d, length_of(first), r::get(r::ring_status_tag_user_signal, second),
               r::get(r::ring_status_frame_error, first));
        ++side.harvested;
      }
      return;
    }
    // A write must not pop a result: else the reads below would miss one.
    if (chance(0.1)) write(d == to ? r::dma_to_logic_result : r::dma_from_logic_result_bytes, 0);
    for (unsigned n = results(status(d)); n > 0; --n) {
      demand(!side.frames.empty(), "a result that nobody waits for");
      const Frame& made = side.frames.front();
      if (d == to) {
        const unsigned bytes = read(r::dma_to_logic_result_bytes),
                       error = read(r::dma_look + r::dma_to_logic_result_error);
        demand(read(r::dma_look + r::dma_to_logic_result) == low(made.address) &&
                   read(r::dma_look + r::dma_to_logic_result_high) == high(made.address),
               "looking pops");
        demand(read(r::dma_to_logic_result) == low(made.address) &&
                   read(r::dma_to_logic_result_high) == high(made.address),
               "a wrong address of a result");
        finish(d, bytes, made.user, error);
      } else {
        const unsigned error = read(r::dma_from_logic_result_error),
                       user = read(r::dma_from_logic_result_signal);
        demand(read(r::dma_from_logic_result) == low(made.address) &&
                   read(r::dma_from_logic_result_high) == high(made.address),
               "a wrong address of a result");
        constexpr unsigned look = r::dma_look + r::dma_from_logic_result_bytes;
        demand(read(look) == read(look), "looking pops");
        finish(d, read(r::dma_from_logic_result_bytes), user, error);
      }
    }
  }

  void finish(unsigned d, unsigned bytes, unsigned user, unsigned error) {
    Side& side = sides_[d];
    const Frame made = side.frames.front();
    side.frames.pop_front();
    if (d == to) {
      demand(bytes == made.bytes, "a wrong length to logic");
      demand(user == made.user, "a wrong signal of a status to logic");
      demand(error == this->error(made.address, bytes), "an error to logic, or none");
    } else {
      check_from(made, bytes, user, error, cut_);
    }
    ++side.count;
    ++side.since;
    side.bytes += bytes;
    side.errors += error != 0;
    side.failed += error != 0;
  }

  /// Arms the interrupt of a direction, as a driver does before it sleeps, and waits for it.
  void wait(unsigned d) {
    const std::uint32_t bit = sides_[d].ring ? ring_irq[d] : result_irq[d];
    write(r::dma_irq_set, bit);
    for (unsigned i = 0; !top_.irq; ++i) {
      demand(i < 400000, "an interrupt that does not come");
      tick();
      // The interrupt of a drained ring must come at once.
      if (!sides_[d].ring || i % 64 != 63) continue;
      if (read(ring(d) + r::dma_ring_written) != (sides_[d].posted & 0xFFFFU)) continue;
      for (unsigned k = 0; k < 4 && !top_.irq; ++k) tick();
      demand(top_.irq, "an interrupt of a drained ring that waits");
    }
    demand((read(r::dma_irq_status) & bit) != 0 && (read(r::dma_irq_mask) & bit) != 0,
           "another interrupt");
    if (sides_[d].ring) {
      const unsigned written = read(ring(d) + r::dma_ring_written);
      demand(written != sides_[d].told, "an interrupt without a status");
      sides_[d].told = written;
    } else {
      demand(results(status(d)) != 0, "an interrupt without a result");
    }
    write(r::dma_irq_clear, bit);
    demand((read(r::dma_irq_mask) & bit) == 0, "an interrupt that stays armed");
    ++sides_[d].interrupts;
  }

  /// Waits until every frame that was begun is finished; a frame from logic needs its words.
  void drain(unsigned d) {
    blocked_ = false;
    for (unsigned i = 0; !sides_[d].frames.empty(); ++i) {
      demand(i < 100000, "it does not finish");
      wait(d);
      harvest(d);
    }
    if (d == to) demand(expected_.empty(), "a result before the last word was taken");
  }

  void change_mode(unsigned d) {
    drain(d);
    Side& side = sides_[d];
    for (unsigned i = 0; (status(d) & r::dma_status_idle) == 0; ++i)
      demand(i < 1000, "it does not come to rest");
    demand(read(ring(d) + r::dma_ring_counters(0)) == side.since &&
               read(ring(d) + r::dma_ring_counters(4)) == side.failed,
           "the node counts otherwise");
    demand(read(ring(d) + r::dma_ring_state) == r::dma_ring_state_idle,
           "a ring at rest that is not");
    compare_counters(d, true);
    if (d == from && !side.ring && chance(0.7)) time_out();
    forget(d);
    set(ring(d) + r::dma_ring_control, 0);
    allow(statuses_at[d], 8 * 4096, false);
    attributes_[d] = below(attributes + 1);
    set(ring(d) + r::dma_ring_attributes, attributes_[d]);
    if (d == from) {
      cut_ = chance(0.3);
      set(ring(from) + r::dma_ring_timeout, cut_ ? 1 + below(4) : 0);
    }
    if (side.ring ^= true) {
      side.entries = 16U << below(chance(0.2) ? 9 : 5);
      address(ring(d) + r::dma_ring_descriptors(0), ring(d) + r::dma_ring_descriptors(1),
              descriptors_at[d]);
      address(ring(d) + r::dma_ring_statuses(0), ring(d) + r::dma_ring_statuses(1), statuses_at[d]);
      set(ring(d) + r::dma_ring_mask, side.entries - 1);
      set(ring(d) + r::dma_ring_tail, 0);
      set(ring(d) + r::dma_ring_patience, chance(0.5) ? 0 : below(300));
      set(ring(d) + r::dma_ring_coalesce, r::put(r::dma_ring_coalesce_frames, below(40)) |
                                              r::put(r::dma_ring_coalesce_ticks, below(100)));
      allow(statuses_at[d], 8 * side.entries, true);
      side.posted = side.harvested = side.told = 0;
      set(ring(d), 1);
      if (chance(0.2))
        break_ring(d);
      else if (chance(0.2))
        go_round(d);
    }
    if (chance(0.3)) {
      // Once nothing is on its way, some part of what is read or written begins to fail.
      for (unsigned other : {to, from}) drain(other);
      bad_first_ = chance(0.5) ? source_at + below(source_bytes) / 64 * 64
                               : target_at + std::uint64_t{below(slots)} * slot_bytes + 0x1000;
      bad_last_ = bad_first_ + (chance(0.5) ? 0x40 : 0x40000);
      bad_error_ = 2 + below(2);
      memory_.fail(bad_first_, bad_last_, bad_error_);
    }
  }

  /// Sends some words of a frame and then none: the time-out must end the frame with all of them.
  void time_out() {
    constexpr unsigned most = 64;
    const std::uint64_t first = framed_;
    for (unsigned i = 1; i < 2 * most; ++i)
      if (word(first + i).user != word(first).user) return;
    const std::uint32_t ticks = 2 + below(20);
    set(ring(from) + r::dma_ring_timeout, ticks);
    Frame made{target_at + next_slot_++ % slots * slot_bytes + offset(), 16 * most, 0};
    allow(made.address, made.bytes, true);
    sides_[from].frames.push_back(made);
    address(r::dma_from_logic_address, r::dma_from_logic_address_high, made.address);
    write(r::dma_from_logic_bytes, made.bytes);
    // The words come without a pause, which would end the frame.
    pause_ = 0;
    for (const unsigned some = 1 + below(most); taken_ - first < some;) tick();
    for (pause_ = 1; top_.s_valid;) tick();
    const std::uint64_t last = memory_.cycle;
    while (results(status(from)) == 0) demand(memory_.cycle - last < 30000, "a frame that stays");
    demand(memory_.cycle - last + 8 >= (ticks - 1) * 64, "a frame that ends too soon");
    cut_ = true;
    harvest(from);
    demand(framed_ == taken_, "a word behind the end of a partial frame");
    pause_ = stream_stall_;
  }

  void forget(unsigned d) {
    write(ring(d) + r::dma_ring_counters(below(5)), 0);
    for (unsigned i : {0U, 4U})
      demand(read(ring(d) + r::dma_ring_counters(i)) == 0, "a count stays");
    sides_[d].since = sides_[d].failed = 0;
  }

  /// Posts some good frames, then breaks the ring: by an impossible descriptor, by one that cannot
  /// be read, or by a status that cannot be written. The good frames must finish, the ring must
  /// report a fault, and a reset must mend it.
  void break_ring(unsigned d) {
    Side& side = sides_[d];
    // With REALIGN two of these descriptors are possible.
    const unsigned some = below(6), kind = REALIGN && (some == 1 || some == 2) ? 3 : some;
    const unsigned good = 1 + below(10);
    // Until the other direction has drained, its failing places stay as they are.
    drain(1 - d);
    memory_.fail(0, 0, 0);
    std::swap(bad_last_, spared_);
    for (unsigned i = 0; i < good; ++i) post_one(d);
    const std::uint64_t at = descriptors_at[d] + side.posted % side.entries * 16;
    Frame made{d == to ? source_at : target_at, 64, 0};
    if (kind == 0) made.bytes = 0;
    if (kind == 1) made.bytes = 66;
    if (kind == 2) made.address += 2;
    if (kind == 3) made.bytes = 1U << LEN_W;
    put(at + r::ring_descriptor_address(0), low(made.address));
    put(at + r::ring_descriptor_address(1), high(made.address));
    put(at + r::ring_descriptor_bytes, made.bytes);
    if (kind == 4) memory_.fail(at & ~std::uint64_t{15}, at + 16, 2);
    if (kind == 5) memory_.fail(statuses_at[d], statuses_at[d] + 4096, 3);
    write(ring(d) + r::dma_ring_tail, (side.posted + (kind < 5)) & 0xFFFFU);
    write(r::dma_irq_set, fault_irq[d]);
    blocked_ = false;
    for (unsigned i = 0; !top_.irq; ++i) {
      demand(i < 400000, "a fault that is not told");
      tick();
    }
    demand((read(r::dma_irq_status) & fault_irq[d]) != 0 &&
               (read(ring(d) + r::dma_ring_state) & r::dma_ring_state_fault) != 0,
           "no fault");
    write(r::dma_irq_clear, fault_irq[d]);
    // An unreadable descriptor spoils the others of its burst too; in every other case the frames
    // before it have their statuses.
    for (unsigned i = 0; kind != 4 && !side.frames.empty(); ++i) {
      demand(i < 400000, "frames before a fault do not finish");
      harvest(d);
    }
    ++side.faults;
    reset(d);
    std::swap(bad_last_, spared_);
    memory_.fail(bad_first_, bad_last_, bad_error_);
  }

  /// Software posts nothing: the ring goes round by itself until it is reset.
  void go_round(unsigned d) {
    Side& side = sides_[d];
    write(ring(d) + r::dma_ring_control, 0);
    side.entries = 16;
    set(ring(d) + r::dma_ring_mask, side.entries - 1);
    std::vector<Frame> frames;
    for (unsigned i = 0; i < side.entries; ++i) {
      post_one(d);
      frames.push_back(side.frames.front());
      side.frames.clear();
    }
    // The sink may see several rounds before the bench looks at the ring again.
    const std::deque<Word> words = expected_;
    const std::deque<std::uint64_t> places = expected_at_;
    for (unsigned n = 0; d == to && n < 64; ++n) {
      expected_.insert(expected_.end(), words.begin(), words.end());
      expected_at_.insert(expected_at_.end(), places.begin(), places.end());
    }
    blocked_ = false;
    set(ring(d) + r::dma_ring_control, r::dma_ring_control_enable | r::dma_ring_control_cyclic);
    unsigned written = 0;
    for (unsigned i = 0; written < 40; ++i) {
      demand(i < 2000000, "a ring that does not go round");
      written = read(ring(d) + r::dma_ring_written);
    }
    for (unsigned k = written - 8; k < written; ++k) {
      const unsigned bytes = length_of(get(statuses_at[d] + k % side.entries * 8));
      const unsigned asked = frames[k % side.entries].bytes;
      demand(d == to ? bytes == asked : bytes > 0 && bytes <= asked, "a length of a later round");
    }
    for (const Frame& made : frames)
      if (d == from) allow(made.address, made.bytes, true);
    side.frames.assign(frames.begin(), frames.end());
    ++side.cycles;
    reset(d);
  }

  /// One direction is reset in the middle of whatever it does; the other must not notice.
  void reset(unsigned d) {
    Side& side = sides_[d];
    const bool stuck = blocked_;
    write(r::dma_irq_set, reset_irq[d]);
    write(control(d), r::dma_control_reset | (chance(0.5) ? 0 : r::dma_control_run));
    for (unsigned i = 0; (read(r::dma_irq_status) & reset_irq[d]) == 0; ++i)
      demand(i < 5000, "a reset that hangs");
    const std::uint32_t left = status(d);
    demand(results(left) == 0 && r::get(r::dma_status_free, left) == 8,
           "a reset that leaves commands or results");
    write(r::dma_irq_clear, reset_irq[d]);
    // From the end of the reset on the node may take words again, before it is asked for a frame.
    if (d == from) framed_ = taken_;
    write(control(d), r::dma_control_run);
    blocked_ = stuck;
    for (const Frame& made : side.frames)
      if (d == from) allow(made.address, made.bytes, false);
    side.frames.clear();
    side.ring = false;
    forget(d);
    ++side.resets;
    if (d == to) {
      expected_.clear();
      expected_at_.clear();
    } else {
      cut_ = read(ring(from) + r::dma_ring_timeout) != 0;
    }
  }

  Side sides_[2];
  std::uint64_t spared_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 8 && argv[1] == std::string("rate")) return rate::run(argv + 2);
  if (argc != 4 && argc != 5) {
    std::fprintf(stderr,
                 "usage: %s SEED BEATS ROUND_BEATS [FIRST_ROUND]\n"
                 "       %s rate to|from|both rings|registers LATENCY OUTSTANDING BYTES FRAMES\n",
                 argv[0], argv[0]);
    return 2;
  }
  const std::uint64_t seed = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t beats = std::strtoull(argv[2], nullptr, 10);
  const std::uint64_t round = std::strtoull(argv[3], nullptr, 10);
  // Each round is a new system with other latencies and stalls. A round that failed can run alone.
  std::uint64_t k = argc == 5 ? std::strtoull(argv[4], nullptr, 10) : 0;
  for (std::uint64_t done = 0; done < beats; done += round, ++k) {
    std::mt19937_64 random(seed * 1000003 + k);
    const auto pick = [&](std::initializer_list<double> of) {
      return of.begin()[random() % of.size()];
    };
    MemoryOptions options;
    options.bus_bytes = DATA_W / 8;
    options.base = across(ADDR_W > 32 && k % 2 == 0 ? 32 : ADDR_W - 1);
    options.seed = random();
    options.latency = static_cast<unsigned>(pick({1, 3, 20, 60, 150}));
    options.longest = BURST;
    options.outstanding = static_cast<unsigned>(pick({1, 2, 4, 8, 16}));
    options.stall = pick({0, 0.1, 0.5, 0.9});
    const double stream_stall = pick({0, 0.1, 0.5, 0.9});
    options.data = static_cast<Data>(pick({0, 1, 2, 3}));
    try {
      Soak soak(options, stream_stall);
      soak.run(round);
      soak.print();
    } catch (const std::exception& error) {
      std::fprintf(stderr,
                   "wrong: %s; seed %" PRIu64 ", round %" PRIu64
                   ", latency %u, outstanding %u, stalls %.1f and %.1f\n",
                   error.what(), seed, k, options.latency, options.outstanding, options.stall,
                   stream_stall);
      return 1;
    }
  }
}
