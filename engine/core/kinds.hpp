// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// What a platform may be made of. A new kind of component is a class with a struct of parameters
// (core/fields.hpp) and a line in engine/kinds.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/fields.hpp"

namespace weighbridge {

// The place of a component in a platform: its description, and the components it leads to.
struct Site {
  struct Window {
    Address base;
    Address bytes;
    Component* target;
  };

  std::string name;
  Fields fields;
  const Timebase& timebase;
  std::vector<Component*> to;
  std::vector<Window> windows;
};

// What a platform file has to say beside a master, for its programs move bytes so.
struct Moves {
  bool chunked = false;   // what fits into the fabric's memory at a time
  bool ported = false;    // through the fabric's ports, one or two of them at once
  std::string through{};  // kind of the component at each of its links; empty: any
};

struct Kind {
  std::string name;
  std::optional<std::size_t> neighbours;  // that `to` names; none: any number
  std::vector<Field> fields;
  // Makes a component that takes accesses; null for a master, which its programs make.
  std::unique_ptr<Component> (*make)(const Site& site);
  Moves moves;

  [[nodiscard]] bool master() const { return make == nullptr; }
};

const std::vector<Kind>& kinds();
// Throws std::invalid_argument for a name that no kind has.
const Kind& kind_of(const ComponentSpec& spec);

}  // namespace weighbridge
