// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "components/logic_dma.hpp"

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
      every_cycle_(every_cycle),
      library_(std::make_unique<Library>(path)),
      slave_(parameters, port, window),
      period_(slave_.period()) {}

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

void LogicNode::drive() {
  for (std::size_t i = 0; i < 2; ++i) {
    pins_.command_valid[i] = !commands_[i].empty();
    if (commands_[i].empty()) continue;
    pins_.command_address[i] = commands_[i].front().address;
    pins_.command_bytes[i] = commands_[i].front().bytes;
  }
  slave_.drive(pins_, edge_);
}

void LogicNode::sample() {
  for (std::size_t i = 0; i < 2; ++i) {
    if (pins_.command_valid[i] && pins_.command_ready[i]) commands_[i].pop_front();
    if (pins_.done[i]) {
      --held_[i];
      finished_[i].push_back(edge_);
    }
  }
  slave_.sample(pins_, edge_);
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
