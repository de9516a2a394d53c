// SPDX-License-Identifier: Apache-2.0
/* Source of the registers: Cyclone V handbook, "SDRAM Controller Subsystem"; L2C-310 TRM. */
#include "conditions.h"

#include <stddef.h>

#include "board.h"
#include "caches.h"
#include "register.h"

enum { L2_WAYS = 8, SWEPT = 2 << 20, MOST_WEIGHT = 31 };

static uint8_t swept[SWEPT] __attribute__((section(".buffers"), aligned(4096)));

const char *conditions_refused(const struct conditions *c)
{
	if (c->lock_cpu > L2_WAYS || c->lock_acp > L2_WAYS)
		return "lock_cpu, lock_acp: 0 to 8";
	if (c->sdram_first > SDRAM_L3)
		return "sdram_first: 0 to 2";
	if (c->sdram_weight == 0 || c->sdram_weight > MOST_WEIGHT)
		return "sdram_weight: 1 to 31";
#ifndef PERIPHERAL_SDRAM_CONTROLLER
	if (c->sdram_first != SDRAM_AS_IT_IS)
		return "sdram_first: the board's memory controller has no such registers";
#endif
	return NULL;
}

void conditions_lock(const struct conditions *c, bool on)
{
	/* The processor's from the first way on, the others' from the last. */
	const uint32_t own = (1u << c->lock_cpu) - 1;
	const uint32_t other = ((1u << c->lock_acp) - 1) << (L2_WAYS - c->lock_acp);

	caches_lock(on ? own : 0, on ? other : 0);
}

#ifdef PERIPHERAL_SDRAM_CONTROLLER
enum { PRIORITY = 0xAC, WEIGHTS_LOW = 0xB0, WEIGHTS_HIGH = 0xB4, HIGHEST = 7 };

void conditions_schedule(const struct conditions *c)
{
	/* The L3 is at the ports 6 and 8, the processor at 7 and 9. */
	const uint64_t l3 = c->sdram_weight;
	const uint64_t weights = l3 << 30 | 1ull << 35 | l3 << 40 | 1ull << 45;
	const uint32_t priority = c->sdram_first == SDRAM_L3 ? HIGHEST << 18 | HIGHEST << 24 : 0;

	if (c->sdram_first == SDRAM_AS_IT_IS)
		return;
	register_write(PERIPHERAL_SDRAM_CONTROLLER + PRIORITY, priority);
	register_write(PERIPHERAL_SDRAM_CONTROLLER + WEIGHTS_LOW, (uint32_t)weights);
	register_write(PERIPHERAL_SDRAM_CONTROLLER + WEIGHTS_HIGH, (uint32_t)(weights >> 32));
}
#else
void conditions_schedule(const struct conditions *c)
{
	(void)c;
}
#endif

void conditions_traffic(void)
{
	static uint32_t next;
	volatile uint8_t *bytes = swept;

	for (unsigned i = 0; i < 2; i++) {
		bytes[next] = (uint8_t)(bytes[next] + 1);
		next = (next + 1) % SWEPT;
	}
}
