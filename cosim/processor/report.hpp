// SPDX-License-Identifier: GPL-2.0-only
//
// Where a run's time has gone, as JSON: by instruction, and by component.
#pragma once

#include <cstdio>

#include "core.hpp"

namespace weighbridge::processor {

void write_report(const Core& core, const System& system, FILE& file);

}  // namespace weighbridge::processor
