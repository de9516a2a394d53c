// SPDX-License-Identifier: Apache-2.0
//
// A platform's hardware, built from its description: components by kind, wired by name.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cache.hpp"
#include "component.hpp"
#include "pl330/channel.hpp"
#include "processor.hpp"

namespace weighbridge {

struct WindowSpec {
  std::string target;
  double base = 0;
  double bytes = 0;
};

// Numbers are in the unit that the kind documents: nanoseconds, cycles, bytes, counts.
struct ComponentSpec {
  std::string name;
  std::string kind;
  std::string clock;
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> choices;
  std::vector<std::string> to;      // neighbours downstream, in the order the kind defines
  std::vector<WindowSpec> windows;  // of a switch
};

struct Description {
  std::string reference_clock;
  std::map<std::string, double> clocks_mhz;
  std::vector<ComponentSpec> components;
};

// Owns the components. Construction throws std::invalid_argument naming the component and field
// where the description does not fit its kind; the lab checks files before it comes to this.
class System {
 public:
  explicit System(const Description& description);

  [[nodiscard]] const Timebase& timebase() const { return timebase_; }
  [[nodiscard]] Component& at(const std::string& name) const;
  // One of several equal components, with reservations of its own; number 0 is the one described.
  [[nodiscard]] Component& instance(const std::string& name, std::size_t number);
  [[nodiscard]] Cache& cache(const std::string& name) const;
  [[nodiscard]] const ProcessorParameters& processor() const { return processor_; }
  [[nodiscard]] Component& processor_memory() const { return *processor_memory_; }
  [[nodiscard]] Component& processor_device() const { return *processor_device_; }
  [[nodiscard]] const pl330::ChannelParameters& dma() const { return dma_; }
  [[nodiscard]] Component& dma_bus() const { return *dma_bus_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Component>>& components() const {
    return components_;
  }
  // Time starts again at zero; the caches keep their contents.
  void restart();
  // Counters start again.
  void clear();

 private:
  Component& build(const std::string& name);
  Component& add(const ComponentSpec& spec, const std::string& name);

  const Description description_;
  Timebase timebase_;
  std::map<std::string, Clock> clocks_;
  std::map<std::string, Component*> by_name_;
  std::vector<std::unique_ptr<Component>> components_;
  ProcessorParameters processor_{};
  Component* processor_memory_ = nullptr;
  Component* processor_device_ = nullptr;
  pl330::ChannelParameters dma_{};
  Component* dma_bus_ = nullptr;
};

}  // namespace weighbridge
