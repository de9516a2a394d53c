// SPDX-License-Identifier: Apache-2.0
#include "timer.h"

uint32_t timer_overhead(void)
{
	uint32_t least = UINT32_MAX;

	for (unsigned i = 0; i < 16; i++) {
		uint32_t taken;

		timer_start();
		taken = timer_now();
		if (taken < least)
			least = taken;
	}
	return least;
}
