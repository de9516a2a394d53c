/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What holds while a point is measured, beside the transfer: ways of the second level that are
 * locked, who goes first at the memory, traffic of the processor's own; and which of the
 * controllers in the fabric do the transfer.
 */
#ifndef CONDITIONS_H
#define CONDITIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Who goes first at the memory; as the boot loader left it where a point says nothing. */
enum sdram_first { SDRAM_AS_IT_IS, SDRAM_BY_WEIGHT, SDRAM_L3 };

struct conditions {
	uint32_t lock_cpu;	/* ways that the processor may not fill */
	uint32_t lock_acp;	/* and masters at the coherency port */
	uint32_t lock_after;	/* 1: set when the source has been filled */
	uint32_t sdram_first;
	uint32_t sdram_weight;	/* of the L3's ports; the processor's have 1 */
	uint32_t traffic;	/* 1: a poll loop changes bytes of another buffer */
	uint32_t controllers;	/* of the fabric, a bit for each; 0: another master does it */
	uint32_t beat;		/* of theirs, in bytes */
	uint32_t wrong_byte;	/* 1 and up: that byte of the PL330's program is another one */
	uint32_t wrong_value;
};

/* What is asked for and cannot be, or NULL. */
const char *conditions_refused(const struct conditions *c);

/* Locks the ways that they say; or none. */
void conditions_lock(const struct conditions *c, bool on);

/* Writes the memory controller's registers; as it is, they are left alone. */
void conditions_schedule(const struct conditions *c);

/* Changes two bytes of a buffer of 2 MiB, the next time the next two. */
void conditions_traffic(void);

#endif
