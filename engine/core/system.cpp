// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "core/system.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/kinds.hpp"

namespace weighbridge {

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
    if (!kind_of(spec).master()) continue;
    for (const std::string& port : spec.to) build(port);
  }
}

Master System::master(const std::string& name) const {
  const auto spec = std::find_if(description_.components.begin(), description_.components.end(),
                                 [&](const ComponentSpec& s) { return s.name == name; });
  if (spec == description_.components.end() || !kind_of(*spec).master()) {
    throw std::invalid_argument("no master '" + name + "'");
  }
  std::vector<Component*> ports;
  for (const std::string& port : spec->to) ports.push_back(&at(port));
  return {fields(*spec), std::move(ports)};
}

Fields System::fields(const ComponentSpec& spec) const {
  return {spec, timebase_, spec.ideal ? Clock(1) : clocks_.at(spec.clock)};
}

Component& System::build(const std::string& name) {
  if (const auto found = by_name_.find(name); found != by_name_.end()) return *found->second;
  return add(spec(name), name);
}

const ComponentSpec& System::spec(const std::string& name) const {
  const auto spec = std::find_if(description_.components.begin(), description_.components.end(),
                                 [&](const ComponentSpec& s) { return s.name == name; });
  if (spec == description_.components.end()) {
    throw std::invalid_argument("no component '" + name + "'");
  }
  return *spec;
}

Component& System::instance(const std::string& name, std::size_t number) {
  if (number == 0) return at(name);
  const std::string own = name + " " + std::to_string(number);
  if (const auto found = by_name_.find(own); found != by_name_.end()) return *found->second;
  return add(spec(name), own);
}

Component& System::add(const ComponentSpec& spec, const std::string& name) {
  const Kind& kind = kind_of(spec);
  if (kind.master()) throw std::invalid_argument("'" + name + "' takes no accesses");
  Site site{name, fields(spec), timebase_, {}, {}};
  for (const std::string& next : spec.to) site.to.push_back(&build(next));
  for (const WindowSpec& window : spec.windows) {
    site.windows.push_back({static_cast<Address>(window.base), static_cast<Address>(window.bytes),
                            &build(window.target)});
  }
  std::unique_ptr<Component> made = kind.make(site);
  Component& component = *made;
  if (description_.trace_slices > 0) component.trace(&trace_);
  by_name_[name] = &component;
  components_.push_back(std::move(made));
  return component;
}

Component& System::at(const std::string& name) const { return *by_name_.at(name); }

void System::restart() {
  for (const auto& component : components_) component->restart();
}

void System::clear() {
  for (const auto& component : components_) component->clear();
  trace_.discard();
}

bool System::collect(const std::vector<Component*>& ports, const More& more,
                     Contents& contents) const {
  if (more) more(contents);
  return std::all_of(ports.begin(), ports.end(),
                     [&](Component* port) { return port->contents(contents); });
}

void System::describe(const std::string& name, Digest& key, bool timed) const {
  const ComponentSpec& spec = this->spec(name);
  for (const auto& [field, choice] : spec.choices) key.text(choice);
  const std::vector<Field>& fields = kind_of(spec).fields;
  for (const auto& [name, number] : spec.numbers) {
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const Field& field) { return field.name == name; });
    if (!timed && field != fields.end() && field->takes_time()) continue;
    key.text(name);
    key.number(number);
  }
  if (!timed) return;
  key << spec.ideal;
  key.number(description_.clocks_mhz.at(spec.clock));
}

void System::describe(const Contents& contents, bool timed, Digest& key) const {
  key << timed;
  if (timed) key.number(description_.clocks_mhz.at(description_.reference_clock));
  for (const Component* component : contents.all()) {
    const ComponentSpec& spec = this->spec(component->name());
    key.text(spec.name);
    key.text(spec.kind);
    for (const std::string& next : spec.to) key.text(next);
    for (const WindowSpec& window : spec.windows) {
      key.text(window.target);
      key.number(window.base);
      key.number(window.bytes);
    }
    const auto& parts = contents.parts();
    if (timed || std::find(parts.begin(), parts.end(), component) != parts.end()) {
      describe(spec.name, key, timed);
    }
  }
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
