// SPDX-License-Identifier: Apache-2.0
//
// What a description says of one component, and its numbers in the engine's units.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "time.hpp"

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
  bool master = false;              // starts accesses and takes none
  bool ideal = false;               // takes no time: a clock of a tick, no latencies
};

// Reads the fields of one component, converting units.
class Fields {
 public:
  Fields(const ComponentSpec& spec, const Timebase& timebase) : spec_(spec), timebase_(timebase) {}

  [[nodiscard]] double number(const char* field) const {
    const auto found = spec_.numbers.find(field);
    if (found == spec_.numbers.end()) {
      throw std::invalid_argument("component '" + spec_.name + "' lacks '" + field + "'");
    }
    return found->second;
  }
  [[nodiscard]] double nanoseconds(const char* field) const {
    return spec_.ideal ? 0 * number(field) : number(field);
  }
  [[nodiscard]] Time time(const char* field) const { return timebase_.from_ns(nanoseconds(field)); }
  [[nodiscard]] std::uint32_t count(const char* field) const {
    return static_cast<std::uint32_t>(number(field));
  }
  [[nodiscard]] const std::string& choice(const char* field) const {
    const auto found = spec_.choices.find(field);
    if (found == spec_.choices.end()) {
      throw std::invalid_argument("component '" + spec_.name + "' lacks '" + field + "'");
    }
    return found->second;
  }

 private:
  const ComponentSpec& spec_;
  const Timebase& timebase_;
};

}  // namespace weighbridge
