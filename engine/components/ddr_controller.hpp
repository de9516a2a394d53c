// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A DDR controller with several ports: queues of reads and of writes, out of which it picks what
// the memory can take next, and the memory's own timing, command by command.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/fields.hpp"

namespace weighbridge {

// A device burst that waits at a port: `mask` has a bit for each of its bytes.
struct Granule {
  Address address = 0;
  std::uint64_t mask = 0;
  std::uint32_t bytes = 0;
  std::uint64_t piece = 0;  // as the client counts those of reads, and of writes
  Time ready = 0;           // at the port
};

// What a port of the controller serves. The controller takes granules from the fronts.
class DdrClient {
 public:
  DdrClient() = default;
  DdrClient(const DdrClient&) = delete;
  DdrClient& operator=(const DdrClient&) = delete;
  virtual ~DdrClient() = default;

  virtual void read_done(std::uint64_t piece, Time at) = 0;
  // Taken into the queue, where it may be answered; and written, or gathered with another one.
  virtual void write_taken(std::uint32_t bytes, Time at) = 0;
  virtual void write_done(std::uint32_t bytes, Time at) = 0;

  std::deque<Granule> reads;
  std::deque<Granule> writes;
  std::uint32_t port = 0;  // of the controller
  std::uint32_t back = 0;  // granules read that wait to cross into the fabric
  bool video = false;      // is not held back
};

// Steps once in a controller's cycle, which is two of the memory's. Reads come first; writes are
// served when no read is left or when they have starved, and then for a run; the side that is
// being served goes on until the other one starves or it has nothing left. Of its entries the
// oldest one whose row is open goes next. Requests of the best-effort class wait while fewer
// entries than a threshold are free. While more data of a port of the video class than a backlog
// wait for the fabric, its reads end a run of writes; one that had starved keeps its first writes,
// and of the others each goes that can go before a read.
class DdrController : public Component {
 public:
  enum class Map { row_bank_column, bank_row_column };
  struct Parameters {
    Fields f = {};
    Clock clock = f.clock();  // of the command bus; data moves on both edges
    std::uint32_t width = f.bytes("width", "of a data edge", allowed::width);
    std::uint32_t burst = f.count("burst", "beats of a device burst (BL)", power_of_two(1, 64));
    std::uint32_t ranks = f.count("ranks", "of the memory", power_of_two(1, 2));
    std::uint32_t banks = f.count("banks", "of a rank", power_of_two(1, 32));
    std::uint32_t groups = f.count("groups", "of banks", power_of_two(1, 8));
    std::uint32_t row_bytes =
        f.bytes("row_bytes", "of an open row, over the whole width", power_of_two(16, kMiB));
    std::uint32_t rows = f.count("rows", "of a bank", power_of_two(2, 1U << 20));
    Map map = f.choice<Map>(
        "map", "what the address's bits mean, from the top down",
        {{"row_bank_column", Map::row_bank_column}, {"bank_row_column", Map::bank_row_column}});
    Time activate = f.time("activate", "from a row's opening to its first access (tRCD)");
    Time precharge = f.time("precharge", "of a row (tRP)");
    Time row_open = f.time("row_open", "from a row's opening to its closing at least (tRAS)");
    Time row_cycle = f.time("row_cycle", "between two openings in a bank (tRC)");
    Time four_activates = f.time("four_activates", "in which a rank opens four rows (tFAW)");
    double activate_gap = f.cycles("activate_gap", "between two openings (tRRD)");
    double group_activate_gap = f.cycles("group_activate_gap", "of a group (tRRD_L)");
    double column_gap = f.cycles("column_gap", "between two accesses (tCCD)");
    double group_column_gap = f.cycles("group_column_gap", "to a group (tCCD_L)");
    double masked_gap =
        f.cycles("masked_gap", "from a write to one with masked bytes in its bank (tCCDMW)");
    double write_to_read = f.cycles("write_to_read", "from a write to a read of its rank");
    double read_to_write = f.cycles("read_to_write", "from a read to a write");
    double write_to_precharge = f.cycles("write_to_precharge", "from a write to its row's closing");
    double read_to_precharge = f.cycles("read_to_precharge", "from a read to its row's closing");
    double column_command =
        f.cycles("column_command", "that a read's or write's command takes of the bus");
    double activate_command = f.cycles("activate_command", "that a row's opening takes of it");
    double precharge_command = f.cycles("precharge_command", "that a row's closing takes of it");
    double rank_gap = f.cycles("rank_gap", "more where the next access is to another rank");
    std::uint32_t rank_run =
        f.count("rank_run", "accesses to a rank while older ones to another wait", {1, 65536});
    Time refresh = f.time("refresh", "of a rank (tRFC)");
    Time refresh_interval = f.time("refresh_interval", "between refreshes (tREFI)", {100, 1e7});
    Time refresh_rest = f.time("refresh_rest", "that the controller adds to each refresh");
    std::uint32_t read_entries = f.count("read_entries", "of the queue of reads", {1, 1024});
    std::uint32_t write_entries = f.count("write_entries", "of the queue of writes", {1, 1024});
    double read_starvation = f.cycles("read_starvation", "without service until reads must go");
    std::uint32_t read_run = f.count("read_run", "reads that then go", {1, 65536});
    double write_starvation = f.cycles("write_starvation", "without service until writes must go");
    std::uint32_t write_run = f.count("write_run", "writes that then go", {1, 65536});
    double idle_gap = f.cycles("idle_gap", "without reads until writes go");
    std::uint32_t read_threshold =
        f.count("read_threshold", "free entries below which best-effort reads are held back");
    std::uint32_t write_threshold =
        f.count("write_threshold", "free entries below which best-effort writes are held back");
    std::uint32_t video_backlog =
        f.count("video_backlog", "bursts read for a video port, beyond which its reads end a run");
    std::uint32_t video_run =
        f.count("video_run", "starved writes that go before such reads", {0, 65536});
    std::uint32_t threshold_lag =
        f.count("threshold_lag", "controller cycles until they notice", {0, 63});
    std::uint32_t arbitration =
        f.count("arbitration", "1: a client goes on to the end of its piece; 0: granule by granule",
                {0, 1});
    bool opens_ahead = f.flag("opens_ahead", "whether rows are opened for the side that waits");
    Time read_latency = f.time("read_latency", "from a read's command to its data at the port");
  };

  DdrController(std::string name, const Parameters& parameters);
  Reply access(const Access& access, Time arrival) override;
  void touch(const Access&) override {}
  void restart() override;

  // Takes requests of a client from now on; the client must outlive the steps.
  void attach(DdrClient& client);
  void detach() { ports_.clear(); }
  void map(Map map) { p_.map = map; }
  // One controller cycle, at `next()`.
  void step();
  [[nodiscard]] Time next() const { return now_ + period_; }
  [[nodiscard]] Time period() const { return period_; }
  [[nodiscard]] std::uint32_t granule() const { return granule_; }
  [[nodiscard]] Time refresh_interval() const { return p_.refresh_interval; }

 private:
  struct Entry {
    Granule granule;
    DdrClient* client;
    std::uint32_t bank;  // of all ranks
    std::uint32_t rank;
    std::uint32_t group;
    std::int64_t row;
  };
  struct Bank {
    std::int64_t row = -1;
    Time activate_at = 0;
    Time column_at = 0;
    Time precharge_at = 0;
    Time masked_at = 0;
  };
  struct Rank {
    std::array<Time, 4> activates{};
    std::size_t activated = 0;
    Time last_activate = 0;
    std::uint32_t last_group = ~0U;
    Time next_refresh = 0;
    Time refreshed = 0;
    bool closing = false;  // for a refresh that is due
  };
  // Reads, or writes.
  struct Side {
    std::vector<Entry> entries;
    std::size_t most = 0;
    Time starvation = 0;
    std::uint32_t run = 0;
    Time served = 0;
    std::uint32_t must = 0;  // accesses of a run that has begun because they had starved
    std::array<std::uint32_t, 64> free{};  // entries, a ring of the last cycles
    std::uint32_t threshold = 0;
    std::size_t turn = 0;  // port that was served last
  };
  // A port of the controller, whose clients take turns; its reads end in order.
  struct Port {
    std::uint32_t number = 0;
    std::vector<DdrClient*> clients;
    std::array<std::size_t, 2> turn{};
    std::array<bool, 2> within{};  // a piece
    std::deque<std::pair<DdrClient*, std::uint64_t>> order;
    std::vector<std::pair<DdrClient*, std::uint64_t>> done;
  };

  [[nodiscard]] Entry entry(const Granule& granule, DdrClient* client) const;
  void refresh();
  void arbitrate(bool write);
  bool grant(Port& port, bool write);
  [[nodiscard]] bool merged(const Entry& entry);
  void choose_side();
  [[nodiscard]] bool open(const Entry& entry) const;
  [[nodiscard]] bool possible(const Entry& entry) const;
  bool serve();
  void complete(const Entry& entry, Time data);
  bool prepare(const Side& side, const Side* other);

  Parameters p_;
  Time period_;
  std::uint32_t granule_;
  std::uint64_t full_;  // the mask of a whole granule
  Time column_;
  Time group_column_;
  Time activate_;
  Time group_activate_;
  Time masked_;
  Time write_to_read_;
  Time read_to_write_;
  Time write_to_precharge_;
  Time read_to_precharge_;
  Time rank_gap_;
  Time column_command_;
  Time activate_command_;
  Time precharge_command_;

  Time now_ = 0;
  std::size_t cycle_ = 0;
  std::vector<Port> ports_;
  std::vector<Bank> banks_;
  std::vector<Rank> ranks_;
  std::array<Side, 2> sides_;  // of reads and of writes
  Time command_free_ = 0;
  bool writing_ = false;
  std::uint32_t idle_ = 0;  // cycles without a read
  Time last_read_ = 0;
  Time last_write_ = 0;
  Time last_column_ = 0;
  bool last_was_write_ = false;
  std::uint32_t last_rank_ = 0;
  std::uint32_t last_group_ = 0;
  std::uint32_t last_written_rank_ = 0;
  std::uint32_t in_rank_ = 0;  // accesses in a row
};

}  // namespace weighbridge
