// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "components/ddr_controller.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace weighbridge {
namespace {

constexpr Time kLongAgo = -1'000'000'000;
constexpr std::size_t kHistory = 64;

}  // namespace

DdrController::DdrController(std::string name, const Parameters& parameters)
    : Component(std::move(name)),
      p_(parameters),
      period_(2 * p_.clock.period()),
      granule_(p_.width * p_.burst),
      full_(granule_ >= 64 ? ~0ULL : (1ULL << granule_) - 1),
      column_(p_.clock.cycles(p_.column_gap)),
      group_column_(p_.clock.cycles(p_.group_column_gap)),
      activate_(p_.clock.cycles(p_.activate_gap)),
      group_activate_(p_.clock.cycles(p_.group_activate_gap)),
      masked_(p_.clock.cycles(p_.masked_gap)),
      write_to_read_(p_.clock.cycles(p_.write_to_read)),
      read_to_write_(p_.clock.cycles(p_.read_to_write)),
      write_to_precharge_(p_.clock.cycles(p_.write_to_precharge)),
      read_to_precharge_(p_.clock.cycles(p_.read_to_precharge)),
      rank_gap_(p_.clock.cycles(p_.rank_gap)),
      column_command_(p_.clock.cycles(p_.column_command)),
      activate_command_(p_.clock.cycles(p_.activate_command)),
      precharge_command_(p_.clock.cycles(p_.precharge_command)) {
  for (const std::uint32_t number :
       {granule_, p_.ranks, p_.banks, p_.groups, p_.row_bytes, p_.rows}) {
    if (!std::has_single_bit(number)) {
      throw std::invalid_argument("ddr_controller '" + this->name() +
                                  "': ranks, banks, groups, rows and sizes must be powers of two");
    }
  }
  if (granule_ > 64 || granule_ > p_.row_bytes || p_.groups > p_.banks) {
    throw std::invalid_argument("ddr_controller '" + this->name() +
                                "': a burst has at most 64 bytes and lies in a row");
  }
  restart();
}

void DdrController::restart() {
  now_ = 0;
  cycle_ = 0;
  ports_.clear();
  banks_.assign(std::size_t{p_.banks} * p_.ranks, {});
  ranks_.assign(p_.ranks, {});
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    Rank& rank = ranks_[i];
    rank.activates.fill(kLongAgo);
    rank.last_activate = kLongAgo;
    // Ranks are refreshed in turn.
    rank.next_refresh = p_.refresh_interval +
                        static_cast<Time>(i) * p_.refresh_interval / static_cast<Time>(p_.ranks);
  }
  const auto cycles = [&](double count) { return static_cast<Time>(count * period_); };
  sides_[0] = {};
  sides_[0].most = p_.read_entries;
  sides_[0].starvation = cycles(p_.read_starvation);
  sides_[0].run = p_.read_run;
  sides_[0].threshold = p_.read_threshold;
  sides_[1] = {};
  sides_[1].most = p_.write_entries;
  sides_[1].starvation = cycles(p_.write_starvation);
  sides_[1].run = p_.write_run;
  sides_[1].threshold = p_.write_threshold;
  for (Side& side : sides_) side.free.fill(static_cast<std::uint32_t>(side.most));
  command_free_ = 0;
  writing_ = false;
  idle_ = 0;
  last_read_ = last_write_ = last_column_ = kLongAgo;
  in_rank_ = 0;
}

void DdrController::attach(DdrClient& client) {
  const auto found = std::find_if(ports_.begin(), ports_.end(),
                                  [&](const Port& port) { return port.number == client.port; });
  Port& port = found != ports_.end() ? *found : ports_.emplace_back();
  port.number = client.port;
  port.clients.push_back(&client);
  std::sort(ports_.begin(), ports_.end(),
            [](const Port& a, const Port& b) { return a.number < b.number; });
}

DdrController::Entry DdrController::entry(const Granule& granule, DdrClient* client) const {
  Entry entry{granule, client, 0, 0, 0, 0};
  Address left = granule.address / p_.row_bytes;
  const auto take = [&left](std::uint32_t many) {
    const auto field = static_cast<std::uint32_t>(left & (many - 1));
    left >>= std::countr_zero(many);
    return field;
  };
  std::uint32_t bank = 0;
  if (p_.map == Map::row_bank_column) {
    bank = take(p_.banks);
    entry.row = take(p_.rows);
  } else {
    entry.row = take(p_.rows);
    bank = take(p_.banks);
  }
  entry.rank = take(p_.ranks);
  entry.group = bank & (p_.groups - 1);
  entry.bank = entry.rank * p_.banks + bank;
  entry.granule.address = granule.address / granule_;
  return entry;
}

// A rank whose refresh is due closes its rows as soon as they may be and takes nothing meanwhile.
void DdrController::refresh() {
  for (std::size_t number = 0; number < ranks_.size(); ++number) {
    Rank& rank = ranks_[number];
    if (p_.refresh_interval == 0 || now_ < rank.next_refresh) continue;
    rank.closing = true;
    const auto first = banks_.begin() + static_cast<std::ptrdiff_t>(number * p_.banks);
    const auto last = first + static_cast<std::ptrdiff_t>(p_.banks);
    if (std::any_of(first, last,
                    [&](const Bank& bank) { return bank.row >= 0 && now_ < bank.precharge_at; })) {
      continue;
    }
    rank.refreshed = now_ + p_.precharge + p_.refresh + p_.refresh_rest;
    for (auto bank = first; bank != last; ++bank) {
      const Time closed = now_ + (bank->row >= 0 ? p_.precharge : 0);
      bank->activate_at = std::max(bank->activate_at, closed + p_.refresh + p_.refresh_rest);
      bank->row = -1;
    }
    rank.next_refresh += p_.refresh_interval;
    rank.closing = false;
  }
}

// One granule a cycle of each side, port by port in turn.
void DdrController::arbitrate(bool write) {
  Side& side = sides_[write];
  if (side.entries.size() >= side.most) return;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const std::size_t number = (side.turn + 1 + i) % ports_.size();
    if (!grant(ports_[number], write)) continue;
    side.turn = number;
    return;
  }
}

bool DdrController::grant(Port& port, bool write) {
  Side& side = sides_[write];
  const std::size_t count = port.clients.size();
  const bool stays = p_.arbitration == 1 && port.within[write];
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t number = (port.turn[write] + (stays ? 0 : 1) + i) % count;
    DdrClient& client = *port.clients[number];
    auto& waiting = write ? client.writes : client.reads;
    if (waiting.empty() || waiting.front().ready > now_) {
      if (stays) return false;
      continue;
    }
    const auto seen = side.free[(cycle_ + kHistory - p_.threshold_lag) % kHistory];
    if (!client.video && seen < side.threshold) return false;
    port.turn[write] = number;
    const Granule granule = waiting.front();
    waiting.pop_front();
    port.within[write] = !waiting.empty() && waiting.front().piece == granule.piece;
    const Entry taken = entry(granule, &client);
    if (write) client.write_taken(granule.bytes, now_);
    if (!write) {
      if (count > 1) port.order.emplace_back(&client, granule.piece);
      side.entries.push_back(taken);
    } else if (!merged(taken)) {
      side.entries.push_back(taken);
    }
    return true;
  }
  return false;
}

// Bytes of a granule whose others still wait are gathered with them.
bool DdrController::merged(const Entry& entry) {
  for (Entry& waiting : sides_[1].entries) {
    if (waiting.granule.address != entry.granule.address) continue;
    if ((waiting.granule.mask & entry.granule.mask) != 0) continue;
    waiting.granule.mask |= entry.granule.mask;
    entry.client->write_done(entry.granule.bytes, now_);
    return true;
  }
  return false;
}

void DdrController::choose_side() {
  Side& reads = sides_[0];
  Side& writes = sides_[1];
  for (Side* side : {&reads, &writes}) {
    if (side->entries.empty()) {
      side->served = now_;
      side->must = 0;
    } else if (side->must == 0 && side->starvation > 0 && now_ - side->served >= side->starvation) {
      side->must = side->run;
    }
  }
  const bool urgent = std::any_of(reads.entries.begin(), reads.entries.end(), [&](const Entry& e) {
    return e.client->video && e.client->back > p_.video_backlog;
  });
  if (!writing_) {
    if (writes.entries.empty()) {
      idle_ = 0;
    } else if (reads.entries.empty()) {
      writing_ = ++idle_ > p_.idle_gap;
    } else {
      idle_ = 0;
      writing_ = writes.must > 0 && reads.must == 0;
    }
  } else if (!reads.entries.empty()) {
    // What is left of the run begins again in the next cycle: the sides are tried in turns.
    const bool held = writes.must > 0 && !(urgent && writes.run - writes.must >= p_.video_run);
    if (writes.entries.empty() || (!held && (reads.must > 0 || urgent))) {
      writing_ = false;
      idle_ = 0;
    }
  }
}

bool DdrController::open(const Entry& entry) const {
  const Bank& bank = banks_[entry.bank];
  if (bank.row != entry.row || now_ < bank.column_at) return false;
  return !writing_ || entry.granule.mask == full_ || now_ >= bank.masked_at;
}

// Whether the data bus and the rank can take an access to a row that is open.
bool DdrController::possible(const Entry& entry) const {
  if (writing_ == last_was_write_) {
    const Time gap = entry.rank != last_rank_     ? column_ + rank_gap_
                     : entry.group == last_group_ ? group_column_
                                                  : column_;
    if (now_ < last_column_ + gap) return false;
  }
  if (writing_) return now_ >= last_read_ + read_to_write_;
  return now_ >= last_write_ + (last_written_rank_ == entry.rank ? write_to_read_ : read_to_write_);
}

// True where a command has gone.
bool DdrController::serve() {
  Side& side = sides_[writing_];
  for (std::size_t i = 0; i < side.entries.size(); ++i) {
    const Entry& entry = side.entries[i];
    if (ranks_[entry.rank].closing || !open(entry)) continue;
    if (!possible(entry)) {
      // An older one to another rank is waited for, or the rank that is busy would stay so.
      if (entry.rank != last_rank_ && in_rank_ >= p_.rank_run) return false;
      continue;
    }
    const Entry served = entry;
    side.entries.erase(side.entries.begin() + static_cast<std::ptrdiff_t>(i));
    side.served = now_;
    if (side.must > 0) --side.must;
    in_rank_ = served.rank == last_rank_ ? in_rank_ + 1 : 1;
    last_column_ = now_;
    last_was_write_ = writing_;
    last_rank_ = served.rank;
    last_group_ = served.group;
    Bank& bank = banks_[served.bank];
    if (writing_) {
      last_write_ = now_;
      last_written_rank_ = served.rank;
      bank.precharge_at = std::max(bank.precharge_at, now_ + write_to_precharge_);
      bank.masked_at = now_ + masked_;
    } else {
      last_read_ = now_;
      bank.precharge_at = std::max(bank.precharge_at, now_ + read_to_precharge_);
    }
    record({.address = served.granule.address * granule_,
            .bytes = served.granule.bytes,
            .write = writing_},
           now_, column_, now_ - served.granule.ready);
    command_free_ = now_ + column_command_;
    complete(served, now_ + p_.read_latency);
    return true;
  }
  return false;
}

void DdrController::complete(const Entry& entry, Time data) {
  if (writing_) {
    entry.client->write_done(entry.granule.bytes, now_);
    return;
  }
  Port& port = *std::find_if(ports_.begin(), ports_.end(),
                             [&](const Port& one) { return one.number == entry.client->port; });
  if (port.clients.size() == 1) {
    entry.client->read_done(entry.granule.piece, data);
    return;
  }
  port.done.emplace_back(entry.client, entry.granule.piece);
  while (!port.order.empty()) {
    const auto found = std::find(port.done.begin(), port.done.end(), port.order.front());
    if (found == port.done.end()) return;
    found->first->read_done(found->second, data);
    port.done.erase(found);
    port.order.pop_front();
  }
}

// Closes or opens one row for a side's oldest entries; true where it did. Banks that the other side
// needs as they are, where one is given, are left alone.
bool DdrController::prepare(const Side& side, const Side* other) {
  std::uint64_t seen = 0;
  const auto wants = [](const Side& one, std::uint32_t bank, std::int64_t row) {
    return std::any_of(one.entries.begin(), one.entries.end(), [&](const Entry& entry) {
      return entry.bank == bank && (row < 0 || entry.row == row);
    });
  };
  for (const Entry& entry : side.entries) {
    const std::uint64_t bit = 1ULL << entry.bank;
    if ((seen & bit) != 0) continue;
    Rank& rank = ranks_[entry.rank];
    if (rank.closing) continue;
    seen |= bit;
    Bank& bank = banks_[entry.bank];
    if (bank.row == entry.row) continue;
    if (bank.row >= 0) {
      if (wants(side, entry.bank, bank.row)) continue;
      if (other != nullptr && wants(*other, entry.bank, bank.row)) continue;
      if (now_ < bank.precharge_at) continue;
      bank.row = -1;
      bank.activate_at = std::max(bank.activate_at, now_ + p_.precharge);
      command_free_ = now_ + precharge_command_;
      return true;
    }
    if (other != nullptr && wants(*other, entry.bank, -1)) continue;
    const Time gap = entry.group == rank.last_group ? group_activate_ : activate_;
    Time& fourth = rank.activates[rank.activated % rank.activates.size()];
    if (now_ < bank.activate_at || now_ < fourth + p_.four_activates ||
        now_ < rank.last_activate + gap || now_ < rank.refreshed) {
      continue;
    }
    bank.row = entry.row;
    bank.column_at = now_ + p_.activate;
    bank.precharge_at = now_ + p_.row_open;
    bank.activate_at = now_ + p_.row_cycle;
    fourth = now_;
    ++rank.activated;
    rank.last_activate = now_;
    rank.last_group = entry.group;
    command_free_ = now_ + activate_command_;
    return true;
  }
  return false;
}

void DdrController::step() {
  now_ += period_;
  ++cycle_;
  refresh();
  choose_side();
  // A command that is shorter than a cycle leaves room for another one in it.
  if (now_ >= command_free_ && (!serve() || command_free_ < now_ + period_)) {
    if (!prepare(sides_[writing_], nullptr) && p_.opens_ahead) {
      prepare(sides_[!writing_], &sides_[writing_]);
    }
  }
  for (Side& side : sides_) {
    side.free[cycle_ % kHistory] = static_cast<std::uint32_t>(side.most - side.entries.size());
  }
  arbitrate(false);
  arbitrate(true);
}

namespace {

// One access by itself, whose granules the controller is stepped through.
struct Alone final : DdrClient {
  void read_done(std::uint64_t, Time at) override { ended(at); }
  void write_taken(std::uint32_t, Time) override {}
  void write_done(std::uint32_t, Time at) override { ended(at); }
  void ended(Time at) {
    --left;
    done = std::max(done, at);
  }
  std::size_t left = 0;
  Time done = 0;
};

}  // namespace

Reply DdrController::access(const Access& access, Time arrival) {
  // Idle cycles are not stepped through; refreshes that fell into them began when they were due.
  if (arrival > now_) {
    now_ = arrival / period_ * period_;
    for (std::size_t number = 0; number < ranks_.size(); ++number) {
      Rank& rank = ranks_[number];
      if (p_.refresh_interval == 0 || now_ < rank.next_refresh) continue;
      const Time due = (now_ - rank.next_refresh) / p_.refresh_interval;
      const Time last = rank.next_refresh + due * p_.refresh_interval;
      rank.next_refresh = last + p_.refresh_interval;
      rank.refreshed = last + p_.precharge + p_.refresh + p_.refresh_rest;
      for (std::size_t bank = number * p_.banks; bank < (number + 1) * p_.banks; ++bank) {
        banks_[bank].row = -1;
        banks_[bank].activate_at = std::max(banks_[bank].activate_at, rank.refreshed);
      }
    }
  }
  Alone one;
  one.video = true;
  detach();
  attach(one);
  for (Address at = access.address; at < access.address + access.bytes;) {
    const Address end =
        std::min<Address>((at / granule_ + 1) * granule_, access.address + access.bytes);
    const auto bytes = static_cast<std::uint32_t>(end - at);
    const std::uint64_t mask = bytes >= 64 ? full_ : ((1ULL << bytes) - 1) << (at % granule_);
    (access.write ? one.writes : one.reads).push_back({at, mask, bytes, 0, arrival});
    ++one.left;
    at = end;
  }
  const Time started = now_;
  while (one.left > 0) step();
  detach();
  if (access.write) return {std::max(arrival, started), std::max(arrival, started), 0};
  return {now_, one.done};
}

}  // namespace weighbridge
