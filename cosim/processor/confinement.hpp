// SPDX-License-Identifier: GPL-2.0-only
//
// What the process that executes somebody else's program may still do: no new files, no network, no
// other programs, no more privileges; bounded memory and time.
#pragma once

namespace weighbridge::processor {

// From now on. Throws std::runtime_error where the system refuses.
void confine();

}  // namespace weighbridge::processor
