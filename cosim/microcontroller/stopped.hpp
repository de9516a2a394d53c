// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <stdexcept>

namespace weighbridge::microcontroller {

// Where the program's run ends early; one line.
class Stopped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace weighbridge::microcontroller
