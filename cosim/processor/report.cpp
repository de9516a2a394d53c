// SPDX-License-Identifier: GPL-2.0-only
#include "report.hpp"

#include <cstdio>
#include <map>
#include <utility>

namespace weighbridge::processor {

void write_report(const Core& core, const System& system, FILE& file) {
  struct Spent {
    Time time = 0;
    std::uint64_t executed = 0;
  };
  // Blocks may overlap: a jump into one begins another.
  std::map<std::uint32_t, Spent> by_pc;
  for (const auto& [key, block] : core.blocks()) {
    for (std::size_t i = 0; i < block.steps.size(); ++i) {
      if (block.executed[i] == 0) continue;
      Spent& spent = by_pc[block.steps[i].pc];
      spent.time += block.spent[i];
      spent.executed += block.executed[i];
    }
  }
  const Timebase& base = system.timebase();
  std::fprintf(&file, "{\"seconds\":%.12g,\"instructions\":%llu,\"pcs\":[",
               base.seconds(core.now()), static_cast<unsigned long long>(core.instructions()));
  const char* comma = "";
  for (const auto& [pc, spent] : by_pc) {
    std::fprintf(&file, "%s[%u,%.12g,%llu]", comma, pc, base.seconds(spent.time),
                 static_cast<unsigned long long>(spent.executed));
    comma = ",";
  }
  std::fprintf(&file, "],\"components\":[");
  comma = "";
  for (const ComponentUse& use : uses(system)) {
    std::fprintf(&file, "%s[\"%s\",%llu,%llu,%.12g,%.12g]", comma, use.name.c_str(),
                 static_cast<unsigned long long>(use.transactions),
                 static_cast<unsigned long long>(use.bytes), use.busy, use.waiting);
    comma = ",";
  }
  std::fprintf(&file, "]}\n");
}

}  // namespace weighbridge::processor
