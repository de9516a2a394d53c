// SPDX-License-Identifier: Apache-2.0
/*
 * One level of the caches, and copies to the fabric under it. Five bytes arrive at the serial port:
 * level, kind of memory, whether the published bit is set, copies, KiB of each; each beside '0'.
 */
#include "board.h"
#include "caches.h"
#include "copies.h"
#include "uart.h"

static uint32_t source[8192 / 4] __attribute__((section(".buffers"), aligned(4096)));

static unsigned next(void)
{
	return (unsigned)(uart_get() - '0');
}

int main(void)
{
	const unsigned level = next();
	const enum memory memory = next() ? MEMORY_SHAREABLE : MEMORY_NONSHAREABLE;
	const bool published = next();
	const unsigned copies = next();
	const unsigned bytes = next() << 10;

	caches_set(level, memory, published);
	for (unsigned i = 0; i < copies; i++)
		copy_of(COPY_LIBC)((void *)FABRIC_WINDOW, source, bytes);
	return 0;
}

/* From the vectors: what is not to happen ends the program. */
void fault(unsigned kind, unsigned where, unsigned address);
void fault(unsigned kind, unsigned where, unsigned address)
{
	(void)kind;
	(void)where;
	(void)address;
}
