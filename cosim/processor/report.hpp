// SPDX-License-Identifier: GPL-2.0-only
//
// Where a run's time has gone, as JSON: by instruction and call, and by component; what the
// program has set; and, where the system has a trace, the first accesses and calls one by one.
#pragma once

#include <cstdio>

#include "core.hpp"

namespace weighbridge::processor {

void write_report(Core& core, System& system, FILE& file);

}  // namespace weighbridge::processor
