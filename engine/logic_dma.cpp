// SPDX-License-Identifier: Apache-2.0
#include "logic_dma.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <stdexcept>

namespace weighbridge {

struct LogicNode::Library {
  explicit Library(const std::string& path)
      : handle(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), &dlclose) {
    if (handle == nullptr) throw std::invalid_argument(dlerror());
    find(create, "datra_node_new");
    find(destroy, "datra_node_delete");
    find(settle, "datra_node_settle");
    find(clock, "datra_node_clock");
    node = create();
  }
  ~Library() { destroy(node); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle.get(), name));
    if (function == nullptr) throw std::invalid_argument(dlerror());
  }

  std::unique_ptr<void, int (*)(void*)> handle;
  decltype(&datra_node_new) create = nullptr;
  decltype(&datra_node_delete) destroy = nullptr;
  decltype(&datra_node_settle) settle = nullptr;
  decltype(&datra_node_clock) clock = nullptr;
  DatraNode* node = nullptr;
};

LogicNode::LogicNode(const std::string& path, const BlockDmaParameters& parameters,
                     BufferedPort& port, Address window, bool every_cycle)
    : p_(parameters),
      port_(port),
      window_(window),
      every_cycle_(every_cycle),
      library_(std::make_unique<Library>(path)),
      period_(port.cycles(1)) {}

LogicNode::~LogicNode() = default;

bool LogicNode::enqueue(bool to_fabric, Address address, std::uint32_t bytes, Time now) {
  const std::size_t i = to_fabric ? 0 : 1;
  if (held_[i] >= p_.commands) return false;
  if (!busy()) {
    const Time first = (now / period_ + 1) * period_;
    while (every_cycle_ && edge_ < first) cycle();
    edge_ = first;
  }
  ++held_[i];
  commands_[i].push_back({address, bytes});
  return true;
}

Time LogicNode::finished(bool to_fabric) const {
  const std::deque<Time>& times = finished_[to_fabric ? 0 : 1];
  return times.empty() ? kNever : times.front();
}

void LogicNode::step(Time now) {
  if (busy() && now >= edge_) cycle();
}

void LogicNode::cycle() {
  drive();
  library_->settle(library_->node, &pins_);
  sample();
  library_->clock(library_->node);
  edge_ += period_;
}

bool LogicNode::room(const std::deque<Time>& left) const {
  return left.size() < port_.depth() || left.front() <= edge_ - period_;
}

void LogicNode::note(std::deque<Time>& left, Time time) const {
  left.push_back(time);
  if (left.size() > port_.depth()) left.pop_front();
}

Access LogicNode::piece(const Burst& burst, std::uint32_t beats, bool write) const {
  return {.address = burst.address + window_,
          .bytes = beats * p_.beat,
          .beat_bytes = p_.beat,
          .write = write,
          .outer = true,
          .allocate = p_.allocate};
}

// Asks for the pieces of bursts in order, as far as the FIFO has room for them.
void LogicNode::read_ahead() {
  while (!asked_.empty() && room(read_left_)) {
    Burst& burst = asked_.front();
    const std::uint32_t beats = std::min(port_.piece() / p_.beat, burst.beats);
    const Time crossed = port_.read(piece(burst, beats, false), edge_ - period_);
    for (std::uint32_t i = beats; i > 0; --i) beats_.push_back(crossed - (i - 1) * period_);
    note(read_left_, crossed);
    burst.address += beats * p_.beat;
    if ((burst.beats -= beats) == 0) asked_.pop_front();
  }
}

void LogicNode::drive() {
  read_ahead();
  for (std::size_t i = 0; i < 2; ++i) {
    pins_.command_valid[i] = !commands_[i].empty();
    if (commands_[i].empty()) continue;
    pins_.command_address[i] = commands_[i].front().address;
    pins_.command_bytes[i] = commands_[i].front().bytes;
  }
  pins_.arready = returning_.size() < p_.outstanding_reads;
  pins_.rvalid = !beats_.empty() && beats_.front() <= edge_;
  pins_.rlast = pins_.rvalid && returning_.front().beats == 1;
  pins_.rid = pins_.rvalid ? returning_.front().id : 0;
  pins_.awready = writing_.size() + answers_.size() < p_.outstanding_writes;
  pins_.wready = !writing_.empty() && (piece_beats_ > 0 || room(write_left_));
  pins_.bvalid = !answers_.empty() && answers_.front().due <= edge_;
  pins_.bid = pins_.bvalid ? answers_.front().id : 0;
}

void LogicNode::sample() {
  for (std::size_t i = 0; i < 2; ++i) {
    if (pins_.command_valid[i] && pins_.command_ready[i]) commands_[i].pop_front();
    if (pins_.done[i]) {
      --held_[i];
      finished_[i].push_back(edge_);
    }
  }
  if (pins_.rvalid) {
    beats_.pop_front();
    if (--returning_.front().beats == 0) returning_.pop_front();
  }
  if (pins_.bvalid) answers_.pop_front();
  if (pins_.wvalid && pins_.wready) take_beat();
  if (pins_.arvalid && pins_.arready) {
    const Burst burst{pins_.araddress, pins_.arbeats, pins_.arid};
    asked_.push_back(burst);
    returning_.push_back(burst);
  }
  if (pins_.awvalid && pins_.awready) {
    writing_.push_back({pins_.awaddress, pins_.awbeats, pins_.awid});
  }
}

// A beat of the oldest burst crosses; with its last one a piece is handed on.
void LogicNode::take_beat() {
  Burst& burst = writing_.front();
  if (piece_beats_ == 0) {
    crossing_ = piece(burst, std::min(port_.piece() / p_.beat, burst.beats), true);
    crossed_ = port_.cross(crossing_, edge_ - period_);
  }
  --burst.beats;
  if (++piece_beats_ * p_.beat < crossing_.bytes) return;
  const Reply reply = port_.deliver(crossing_, std::max(edge_, crossed_));
  note(write_left_, reply.accepted);
  burst.due = std::max(burst.due, reply.done);
  burst.address += crossing_.bytes;
  piece_beats_ = 0;
  if (burst.beats > 0) return;
  // Answers come in order.
  if (!answers_.empty()) burst.due = std::max(burst.due, answers_.back().due);
  answers_.push_back(burst);
  writing_.pop_front();
}

void LogicLane::step(Time now) {
  node_->step(now);
  while (node_->finished(to_fabric_) <= now) {
    node_->take(to_fabric_);
    ++results_;
  }
}

Time LogicLane::next() const { return std::min(node_->next(), node_->finished(to_fabric_)); }

}  // namespace weighbridge
