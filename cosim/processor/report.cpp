// SPDX-License-Identifier: GPL-2.0-only
#include "report.hpp"

#include <cstdio>
#include <map>
#include <utility>

namespace weighbridge::processor {
namespace {

// The elements of a list, with commas between.
class List {
 public:
  List(FILE& file, const char* name) : file_(file) { std::fprintf(&file, "\"%s\":[", name); }
  ~List() { std::fprintf(&file_, "]"); }
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  template <typename... Values>
  void add(const char* format, Values... values) {
    std::fputs(std::exchange(comma_, ","), &file_);
    std::fprintf(&file_, format, values...);
  }

 private:
  FILE& file_;
  const char* comma_ = "";
};

using Count = unsigned long long;

void write_instructions(const Core& core, const Timebase& base, FILE& file) {
  struct Spent {
    Time time = 0;
    std::uint64_t executed = 0;
  };
  // Blocks may overlap: a jump into one begins another.
  std::map<std::pair<std::uint32_t, std::size_t>, Spent> by_pc;
  for (const auto& [key, block] : core.blocks()) {
    for (std::size_t i = 0; i < block.steps.size(); ++i) {
      if (block.executed[i] == 0) continue;
      Spent& spent = by_pc[{block.steps[i].pc, block.call}];
      spent.time += block.spent[i];
      spent.executed += block.executed[i];
    }
  }
  List list(file, "pcs");
  for (const auto& [at, spent] : by_pc) {
    list.add("[%u,%.12g,%llu,%zu]", at.first, base.seconds(spent.time),
             static_cast<Count>(spent.executed), at.second);
  }
}

void write_trace(const Core& core, System& system, FILE& file) {
  const Timebase& base = system.timebase();
  const Traced found = traced(system);
  {
    List list(file, "slices");
    for (const TracedSlice& one : found.slices) {
      list.add("[\"%s\",%.12g,%.12g,%.12g,%u,%d]", found.components[one.component].c_str(),
               one.start, one.busy, one.waiting, one.bytes, one.write ? 1 : 0);
    }
  }
  std::fprintf(&file, ",\"dropped\":%llu,", static_cast<Count>(found.dropped));
  List list(file, "spans");
  for (const Span& one : core.spans()) {
    list.add("[%u,%.12g,%.12g]", one.function, base.seconds(one.begin), base.seconds(one.end));
  }
}

}  // namespace

void write_report(Core& core, System& system, FILE& file) {
  const Timebase& base = system.timebase();
  std::fprintf(&file, "{\"seconds\":%.12g,\"instructions\":%llu,", base.seconds(core.now()),
               static_cast<Count>(core.instructions()));
  write_instructions(core, base, file);
  std::fputs(",", &file);
  {
    List list(file, "calls");
    for (const Call& one : core.calls()) list.add("[%zu,%u]", one.from, one.function);
  }
  std::fputs(",", &file);
  {
    List list(file, "components");
    for (const ComponentUse& use : uses(system)) {
      list.add("[\"%s\",%llu,%llu,%.12g,%.12g]", use.name.c_str(),
               static_cast<Count>(use.transactions), static_cast<Count>(use.bytes), use.busy,
               use.waiting);
    }
  }
  std::fputs(",", &file);
  {
    List list(file, "caches");
    for (const auto& component : system.components()) {
      const auto* cache = dynamic_cast<const Cache*>(component.get());
      if (cache == nullptr) continue;
      list.add("[\"%s\",%llu,%llu]", cache->name().c_str(),
               static_cast<Count>(cache->activity().transactions),
               static_cast<Count>(cache->misses()));
    }
  }
  std::fputs(",", &file);
  {
    List list(file, "registers");
    for (const auto& [name, value] : core.registers()) {
      list.add("[\"%s\",%u]", name.c_str(), value);
    }
  }
  std::fputs(",", &file);
  {
    List list(file, "pages");
    for (const auto& [address, a] : core.pages()) {
      list.add("[%u,\"%s%s%s%s%s\"]", address, a.ordered ? "ordered" : "", a.device ? "device" : "",
               a.inner ? "inner " : "", a.outer ? "outer " : "", a.allocate ? "allocate" : "");
    }
  }
  std::fputs(",", &file);
  write_trace(core, system, file);
  std::fprintf(&file, "}\n");
}

}  // namespace weighbridge::processor
