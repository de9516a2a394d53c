// SPDX-License-Identifier: GPL-2.0-only
#include "pipeline.hpp"

#include <algorithm>
#include <array>

namespace weighbridge::microcontroller {
namespace {

using processor::Step;
using processor::Unit;

constexpr unsigned kSlots = 2;  // instructions that are issued in a cycle

// What the instructions of one cycle have taken.
struct Taken {
  unsigned slots = 0;
  unsigned loads = 0;
  bool store = false, shifter = false, multiplier = false;
};

bool loads(const Step& step) { return step.unit == Unit::load || step.unit == Unit::narrow_load; }

bool alone(const Step& step) {
  return step.unit == Unit::alone || step.unit == Unit::flush || step.unit == Unit::divide;
}

// The older of two instructions can do what the younger cannot.
bool older(const Step& step) { return step.unit == Unit::extend || step.unit == Unit::reverse; }

bool shifts(const Step& step) {
  return step.unit == Unit::shift || step.unit == Unit::reverse || step.shifted != 0;
}

bool fits(const Step& step, const Taken& taken, double most_loads) {
  if (taken.slots == kSlots || (taken.slots > 0 && (alone(step) || older(step)))) return false;
  return !((loads(step) && taken.loads >= most_loads) ||
           (step.unit == Unit::store && taken.store) || (shifts(step) && taken.shifter) ||
           (step.unit == Unit::multiply && taken.multiplier));
}

}  // namespace

std::vector<Time> Pipeline::begins(const std::vector<Step>& steps) const {
  std::array<double, 64> there;  // for an ALU; at the block's start all of them long since
  there.fill(-p_.early);
  double cycle = 0;
  Taken taken;
  const auto go_to = [&](double when) {
    if (when <= cycle) return;
    cycle = when;
    taken = {};
  };
  std::vector<Time> begins;
  for (const Step& step : steps) {
    const processor::Registers early = step.addresses | step.shifted;
    for (unsigned i = 0; i < there.size(); ++i) {
      if ((early >> i & 1U) != 0) {
        go_to(there[i] + p_.early);
      } else if ((step.waits >> i & 1U) != 0) {
        go_to(there[i]);
      } else if ((step.data >> i & 1U) != 0) {
        go_to(there[i] - p_.late);
      }
    }
    if (!fits(step, taken, p_.loads)) go_to(cycle + 1);
    begins.push_back(clock_.cycles(cycle));
    taken.slots = alone(step) ? kSlots : taken.slots + 1;
    taken.loads += loads(step) ? 1 : 0;
    taken.store |= step.unit == Unit::store;
    taken.shifter |= shifts(step);
    taken.multiplier |= step.unit == Unit::multiply;

    // Of several registers a pair a cycle: the decoder has counted those beyond the first.
    const double more = static_cast<double>(step.cost) / static_cast<double>(clock_.period());
    double latency = 1;
    if (step.unit == Unit::load || step.unit == Unit::alone) latency = p_.load_word + more;
    if (step.unit == Unit::narrow_load) latency = p_.load_narrow;
    if (step.unit == Unit::multiply) latency = p_.multiply;
    if (step.unit == Unit::reverse) latency = 0;
    for (unsigned i = 0; i < there.size(); ++i) {
      if ((step.writes >> i & 1U) != 0) there[i] = cycle + latency;
    }
    if (step.unit == Unit::divide) go_to(cycle + p_.divide);
    if (step.unit == Unit::flush) go_to(cycle + p_.flush);
    if (more > 0) go_to(cycle + more);
  }
  begins.push_back(clock_.cycles(cycle + 1));
  return begins;
}

Time Pipeline::beyond(std::uint32_t pc, std::uint32_t bytes, Time executed) const {
  const auto piece = static_cast<std::uint32_t>(p_.fetch_bytes);
  const std::uint32_t pieces = (pc + bytes - 1) / piece - pc / piece + 1;
  return std::max<Time>(0, clock_.cycles(pieces) - executed);
}

}  // namespace weighbridge::microcontroller
