// SPDX-License-Identifier: Apache-2.0
/*
 * What lies between the two looks at the counter. This file is compiled without optimisation, as the
 * published programs are: what a short copy takes is mostly the code around it, and that shall be
 * alike.
 */
#include "timed.h"

#include "board.h"
#include "fabric_dma_registers.h"
#include "register.h"
#include "timer.h"

enum { PATIENCE = 10000000 };

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

uint32_t timed_controllers(const uint32_t *registers, uint32_t count)
{
	timer_start();
	for (uint32_t i = 0; i < count; i++)
		register_write(registers[i] + FABRIC_DMA_CONTROL,
			       register_read(registers[i] + FABRIC_DMA_CONTROL) | FABRIC_DMA_GO);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t looks = 0;

		while (!(register_read(registers[i] + FABRIC_DMA_STATUS) & FABRIC_DMA_DONE))
			if (++looks > PATIENCE)
				return UINT32_MAX;
	}
	return timer_now();
}

uint32_t timed_empty_start(uint32_t registers)
{
	timer_start();
	register_write(registers + FABRIC_DMA_CONTROL,
		       register_read(registers + FABRIC_DMA_CONTROL) & ~FABRIC_DMA_GO);
	(void)register_read(registers + FABRIC_DMA_STATUS);
	return timer_now();
}
