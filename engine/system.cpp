// SPDX-License-Identifier: Apache-2.0
#include "system.hpp"

#include <algorithm>
#include <stdexcept>

#include "bridge.hpp"
#include "buffered_port.hpp"
#include "memory.hpp"
#include "parallel_bus.hpp"
#include "pcie.hpp"

namespace weighbridge {
namespace {

Bridge::Parameters bridge_parameters(const Fields& f, Clock clock) {
  return {.clock = clock,
          .width = f.count("width"),
          .upstream_width = f.count("upstream_width"),
          .burst_beats = f.count("burst_beats"),
          .synchronise = f.number("synchronise") != 0,
          .latency = f.time("latency"),
          .read_cycles = f.number("read_cycles"),
          .write_cycles = f.number("write_cycles"),
          .read_turnaround_cycles = f.number("read_turnaround_cycles"),
          .write_turnaround_cycles = f.number("write_turnaround_cycles"),
          .bufferable_turnaround_cycles = f.number("bufferable_turnaround_cycles"),
          .beat_cycles = f.number("beat_cycles"),
          .posted_cycles = f.number("posted_cycles"),
          .posted_narrow_cycles = f.number("posted_narrow_cycles"),
          .wake_cycles = f.number("wake_cycles")};
}

Cache::Parameters cache_parameters(const Fields& f) {
  return {.bytes = f.count("bytes"),
          .ways = f.count("ways"),
          .line = f.count("line"),
          .prefetch_lines = f.count("prefetch_lines"),
          .level = f.choice("level") == "inner" ? Level::inner : Level::outer,
          .replacement =
              f.choice("replacement") == "random" ? Replacement::random : Replacement::round_robin,
          .latency = f.time("latency"),
          .write_latency = f.time("write_latency")};
}

Sdram::Parameters sdram_parameters(const Fields& f, Clock clock) {
  return {.clock = clock,
          .width = f.count("width"),
          .burst = f.count("burst"),
          .banks = f.count("banks"),
          .row_bytes = f.count("row_bytes"),
          .cas_cycles = f.number("cas_cycles"),
          .precharge = f.time("precharge"),
          .activate = f.time("activate"),
          .write_recovery = f.time("write_recovery"),
          .read_recovery = f.time("read_recovery"),
          .refresh = f.time("refresh"),
          .refresh_interval = f.time("refresh_interval"),
          .read_latency = f.time("read_latency"),
          .write_latency = f.time("write_latency"),
          .queue = f.count("queue"),
          .port_beat = f.time("port_beat"),
          .port_width = f.count("port_width"),
          .port_lead = f.count("port_lead"),
          .port_turn = f.time("port_turn")};
}

CoherencyPort::Parameters port_parameters(const Fields& f) {
  return {.window = static_cast<Address>(f.number("window")),
          .latency = f.time("latency"),
          .read_inner = f.time("read_inner"),
          .read_outer = f.time("read_outer"),
          .write_inner = f.time("write_inner"),
          .write_outer = f.time("write_outer"),
          .read_single = f.time("read_single"),
          .write_single = f.time("write_single"),
          .single_overlap = f.time("single_overlap"),
          .read_overlap = f.time("read_overlap"),
          .read_eviction = f.time("read_eviction"),
          .write_memory = f.time("write_memory"),
          .writes_buffered = f.count("writes_buffered")};
}

BufferedPort::Parameters buffered_port_parameters(const Fields& f, Clock clock) {
  return {.clock = clock,
          .width = f.count("width"),
          .fifo = f.count("fifo"),
          .piece = f.count("piece"),
          .latency = f.time("latency")};
}

}  // namespace

System::System(const Description& description)
    : description_(description), trace_(description.trace_slices) {
  const auto reference = description.clocks_mhz.find(description.reference_clock);
  if (reference == description.clocks_mhz.end()) {
    throw std::invalid_argument("no clock '" + description.reference_clock + "'");
  }
  timebase_ = Timebase(reference->second);
  for (const auto& [name, mhz] : description.clocks_mhz) {
    clocks_[name] = Clock(timebase_.period(mhz));
  }
  for (const ComponentSpec& spec : description.components) {
    if (!spec.master) continue;
    for (const std::string& port : spec.to) build(port);
  }
}

Master System::master(const std::string& name) const {
  const auto spec =
      std::find_if(description_.components.begin(), description_.components.end(),
                   [&](const ComponentSpec& s) { return s.master && s.name == name; });
  if (spec == description_.components.end()) {
    throw std::invalid_argument("no master '" + name + "'");
  }
  std::vector<Component*> ports;
  for (const std::string& port : spec->to) ports.push_back(&at(port));
  return {Fields(*spec, timebase_), std::move(ports)};
}

Component& System::build(const std::string& name) {
  if (const auto found = by_name_.find(name); found != by_name_.end()) return *found->second;
  const auto spec = std::find_if(description_.components.begin(), description_.components.end(),
                                 [&](const ComponentSpec& s) { return s.name == name; });
  if (spec == description_.components.end()) {
    throw std::invalid_argument("no component '" + name + "'");
  }
  return add(*spec, name);
}

Component& System::instance(const std::string& name, std::size_t number) {
  if (number == 0) return at(name);
  const std::string own = name + " " + std::to_string(number);
  if (const auto found = by_name_.find(own); found != by_name_.end()) return *found->second;
  const auto spec = std::find_if(description_.components.begin(), description_.components.end(),
                                 [&](const ComponentSpec& s) { return s.name == name; });
  return add(*spec, own);
}

Component& System::add(const ComponentSpec& described, const std::string& name) {
  const ComponentSpec* spec = &described;
  const Fields f(*spec, timebase_);
  const auto clock = [&] { return spec->ideal ? Clock(1) : clocks_.at(spec->clock); };
  std::unique_ptr<Component> made;
  if (spec->kind == "ram") {
    made = std::make_unique<Ram>(name);
  } else if (spec->kind == "sdram") {
    made = std::make_unique<Sdram>(name, sdram_parameters(f, clock()));
  } else if (spec->kind == "bridge") {
    made = std::make_unique<Bridge>(name, bridge_parameters(f, clock()), build(spec->to.at(0)));
  } else if (spec->kind == "buffered_port") {
    made = std::make_unique<BufferedPort>(name, buffered_port_parameters(f, clock()),
                                          build(spec->to.at(0)));
  } else if (spec->kind == "cache") {
    made = std::make_unique<Cache>(name, cache_parameters(f), build(spec->to.at(0)));
  } else if (spec->kind == "coherency_port") {
    build(spec->to.at(0));
    build(spec->to.at(1));
    made = std::make_unique<CoherencyPort>(name, port_parameters(f), cache(spec->to.at(0)),
                                           cache(spec->to.at(1)));
  } else if (spec->kind == "switch") {
    std::vector<Switch::Window> windows;
    for (const WindowSpec& window : spec->windows) {
      windows.push_back({static_cast<Address>(window.base), static_cast<Address>(window.bytes),
                         &build(window.target)});
    }
    made = std::make_unique<Switch>(name, f.time("latency"), std::move(windows));
  } else if (spec->kind == "pcie_link") {
    made = std::make_unique<PcieLink>(name, PcieLink::Parameters::of(f), timebase_,
                                      build(spec->to.at(0)));
  } else if (spec->kind == "apb") {
    made = std::make_unique<Apb>(
        name, Apb::Parameters{clock(), f.count("request_slices"), f.count("response_slices")},
        build(spec->to.at(0)));
  } else if (spec->kind == "parallel_bus") {
    made = std::make_unique<ParallelBus>(name, ParallelBus::Parameters::of(f, clock()),
                                         build(spec->to.at(0)));
  } else {
    throw std::invalid_argument("component '" + name + "' is of unknown kind '" + spec->kind + "'");
  }
  Component& component = *made;
  if (description_.trace_slices > 0) component.trace(&trace_);
  by_name_[name] = &component;
  components_.push_back(std::move(made));
  return component;
}

Component& System::at(const std::string& name) const { return *by_name_.at(name); }

Cache& System::cache(const std::string& name) const { return dynamic_cast<Cache&>(at(name)); }

void System::restart() {
  for (const auto& component : components_) component->restart();
}

void System::clear() {
  for (const auto& component : components_) component->clear();
  trace_.discard();
}

std::vector<ComponentUse> uses(const System& system) {
  std::vector<ComponentUse> uses;
  for (const auto& component : system.components()) {
    const Activity& a = component->activity();
    if (a.transactions == 0) continue;
    uses.push_back({component->name(), a.transactions, a.bytes, system.timebase().seconds(a.busy),
                    system.timebase().seconds(a.waiting)});
  }
  return uses;
}

Traced traced(System& system) {
  Trace& trace = system.trace();
  // A program without phases of its own is traced from its first access on.
  if (trace.phases().empty()) trace.book();
  Traced traced;
  traced.dropped = trace.dropped();
  if (trace.slices().empty()) return traced;
  std::map<const Component*, std::size_t> numbers;
  for (const auto& component : system.components()) {
    numbers[component.get()] = traced.components.size();
    traced.components.push_back(component->name());
  }
  const auto seconds = [&](Time time) { return system.timebase().seconds(time); };
  for (const Trace::Slice& slice : trace.slices()) {
    traced.slices.push_back({numbers.at(slice.component), seconds(slice.start), seconds(slice.busy),
                             seconds(slice.waiting), slice.bytes, slice.write});
  }
  for (const Trace::Phase& phase : trace.phases()) {
    traced.phases.push_back({phase.name, seconds(phase.start), seconds(phase.duration)});
  }
  return traced;
}

}  // namespace weighbridge
