// SPDX-License-Identifier: Apache-2.0
//
// What a platform may be made of. A new kind of component is a class with a struct of parameters
// (fields.hpp) and a line in kinds.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/fields.hpp"

namespace weighbridge {

// Where a component is to be: its description, and what it leads to.
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

struct Kind {
  std::string name;
  std::optional<std::size_t> neighbours;  // that `to` names; any number
  std::vector<Field> fields;
  // Of a component that takes accesses; a master starts them, and a program is its maker.
  std::unique_ptr<Component> (*make)(const Site& site);

  [[nodiscard]] bool master() const { return make == nullptr; }
};

const std::vector<Kind>& kinds();
// Throws std::invalid_argument for a name that no kind has.
const Kind& kind_of(const ComponentSpec& spec);

}  // namespace weighbridge
