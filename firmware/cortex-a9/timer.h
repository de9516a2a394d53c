/* SPDX-License-Identifier: Apache-2.0 */
/* The processor's cycle counter: 32 bits, no divider. */
#ifndef TIMER_H
#define TIMER_H

#include <stdint.h>

#include "cp15.h"

static inline void timer_start(void)
{
	cp15_write_pmcntenset(1u << 31);
	cp15_write_pmcr(1u << 2 | 1u << 0);	/* counts, from 0 on */
}

static inline uint32_t timer_now(void)
{
	return cp15_read_pmccntr();
}

/* Cycles that a start and a look take with nothing between them. */
uint32_t timer_overhead(void);

#endif
