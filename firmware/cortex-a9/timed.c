// SPDX-License-Identifier: Apache-2.0
/*
 * What lies between the two looks at the counter. This file is compiled without optimisation, as the
 * published programs are: what a short copy takes is mostly the code around it, and that shall be
 * alike.
 */
#include "timed.h"

#include "board.h"
#include "timer.h"

uint32_t timed_piece(copy_function *copy, uint8_t *to, const uint8_t *from, uint32_t bytes)
{
	timer_start();
	copy(to, from, bytes);
	return timer_now();
}

uint32_t timed_pieces(copy_function *copy, uint8_t *to, const uint8_t *from, uint32_t bytes,
		      bool to_fabric)
{
	timer_start();
	for (uint32_t done = 0; done < bytes; done += FABRIC_BYTES) {
		const uint32_t left = bytes - done;

		copy(to_fabric ? to : to + done, to_fabric ? from + done : from,
		     left < FABRIC_BYTES ? left : FABRIC_BYTES);
	}
	return timer_now();
}
