// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The fields of a component: what a platform file may say of it. A struct of parameters declares
// each where it reads it, in one line:
//
//   struct Parameters {
//     Fields f;
//     std::uint32_t width = f.bytes("width", "of the data bus", power_of_two(1, 1024));
//     Time latency = f.time("latency", "of a read, behind the device");
//   };
//
// Made from a component's description the struct holds its numbers in the engine's units; made from
// a list it adds what it reads to the list, from which the lab checks files, documents them and
// tells users what there is; made from nothing it holds each field's default, or its least.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/time.hpp"

namespace weighbridge {

struct WindowSpec {
  std::string target;
  double base = 0;
  double bytes = 0;
};

// Numbers are in the unit of their dimension: nanoseconds, cycles, bytes, counts.
struct ComponentSpec {
  std::string name;
  std::string kind;
  std::string clock;
  // Found by names that are no strings of their own.
  std::map<std::string, double, std::less<>> numbers;
  std::map<std::string, std::string, std::less<>> choices;
  std::vector<std::string> to;      // neighbours downstream, in the order the kind defines
  std::vector<WindowSpec> windows;  // of a switch
  bool ideal = false;               // takes no time: a clock of a tick, no latencies
};

enum class Dimension { time, cycles, bytes, count, choice, flag };

// What a number may be: within both ends; a power of two; one of a few. A field with a default may
// be left out.
struct Range {
  double least = 0;
  double most = 0;
  bool power = false;
  std::optional<double> standard = {};
  std::vector<double> among = {};

  // The same with a default.
  [[nodiscard]] Range or_else(double value) const {
    Range range = *this;
    range.standard = value;
    return range;
  }
};

inline Range power_of_two(double least, double most) { return {least, most, true}; }
inline Range one_of(std::vector<double> values) { return {.among = std::move(values)}; }

inline constexpr double kMiB = 1 << 20, kGiB = 1 << 30;

// What many kinds have.
namespace allowed {
inline const Range width = power_of_two(1, 1024);
inline const Range line = power_of_two(16, 4096);
inline const Range time{0, 1e6};  // of hardware, up to a millisecond
inline const Range time_or_none = time.or_else(0);
inline const Range latest{1, 63};  // events of which a program keeps the times
}  // namespace allowed

struct Field {
  std::string name;
  std::string meaning;
  Dimension dimension;
  bool whole;
  Range range;
  std::vector<std::string> words;  // of a choice

  [[nodiscard]] bool takes_time() const {
    return dimension == Dimension::time || dimension == Dimension::cycles;
  }
};

// Reads, or lists, the fields of one component. A view: it does not outlive what it reads.
class Fields {
 public:
  Fields() = default;
  Fields(const ComponentSpec& spec, const Timebase& timebase, Clock clock)
      : spec_(&spec), timebase_(&timebase), clock_(clock) {}
  explicit Fields(std::vector<Field>& list) : list_(&list) {}

  // The component's own clock.
  [[nodiscard]] Clock clock() const { return clock_; }

  [[nodiscard]] Time time(const char* name, const char* meaning,
                          const Range& range = allowed::time) const {
    const double ns = number(Dimension::time, false, name, meaning, range);
    return spec_ == nullptr || spec_->ideal ? 0 : timebase_->from_ns(ns);
  }
  // The same as the file has it, for what is added up before it becomes ticks.
  [[nodiscard]] double nanoseconds(const char* name, const char* meaning) const {
    const double ns = number(Dimension::time, false, name, meaning, {0, 1e6});
    return spec_ == nullptr || spec_->ideal ? 0 : ns;
  }
  [[nodiscard]] double cycles(const char* name, const char* meaning, double least = 0,
                              std::optional<double> standard = {}) const {
    return number(Dimension::cycles, false, name, meaning, {least, 1e4, false, standard});
  }
  [[nodiscard]] std::uint32_t bytes(const char* name, const char* meaning,
                                    const Range& range = {1, kGiB}) const {
    return static_cast<std::uint32_t>(number(Dimension::bytes, true, name, meaning, range));
  }
  [[nodiscard]] std::uint64_t address(const char* name, const char* meaning) const {
    return static_cast<std::uint64_t>(number(Dimension::bytes, true, name, meaning, {0, 4 * kGiB}));
  }
  [[nodiscard]] std::uint32_t count(const char* name, const char* meaning,
                                    const Range& range = {0, 65536}) const {
    return static_cast<std::uint32_t>(number(Dimension::count, true, name, meaning, range));
  }
  [[nodiscard]] double ratio(const char* name, const char* meaning, double most,
                             std::optional<double> standard = {}) const {
    return number(Dimension::count, false, name, meaning, {0, most, false, standard});
  }
  [[nodiscard]] bool flag(const char* name, const char* meaning) const {
    return number(Dimension::flag, true, name, meaning, {0, 1}) != 0;
  }
  template <typename Choice>
  [[nodiscard]] Choice choice(const char* name, const char* meaning,
                              const std::vector<std::pair<std::string, Choice>>& choices) const {
    if (list_ != nullptr) {
      Field& field = list_->emplace_back(Field{name, meaning, Dimension::choice, true, {}, {}});
      for (const auto& [word, choice] : choices) field.words.push_back(word);
    }
    if (spec_ == nullptr) return choices.front().second;
    const auto said = spec_->choices.find(std::string_view(name));
    for (const auto& [word, choice] : choices) {
      if (said != spec_->choices.end() && word == said->second) return choice;
    }
    throw std::invalid_argument("component '" + spec_->name + "' lacks '" + name + "'");
  }
  // A number that the lab works out of what a file says.
  [[nodiscard]] std::uint32_t derived(const char* name) const {
    return spec_ == nullptr ? 0 : static_cast<std::uint32_t>(said(name));
  }
  [[nodiscard]] double derived_ns(const char* name) const {
    return spec_ == nullptr || spec_->ideal ? 0 : said(name);
  }

 private:
  [[nodiscard]] double number(Dimension dimension, bool whole, const char* name,
                              const char* meaning, const Range& range) const {
    if (list_ != nullptr) {
      list_->push_back({name, meaning, dimension, whole, range, {}});
    }
    if (spec_ == nullptr) return range.standard.value_or(range.least);
    return said(name);
  }
  [[nodiscard]] double said(const char* name) const {
    const auto found = spec_->numbers.find(std::string_view(name));
    if (found == spec_->numbers.end()) {
      throw std::invalid_argument("component '" + spec_->name + "' lacks '" + name + "'");
    }
    return found->second;
  }

  const ComponentSpec* spec_ = nullptr;
  const Timebase* timebase_ = nullptr;
  Clock clock_;
  std::vector<Field>* list_ = nullptr;
};

}  // namespace weighbridge
