/* SPDX-License-Identifier: Apache-2.0 */
/* Copies by the PL330, in programs of at most PL330_MAX_COPY bytes one after the other. */
#ifndef DMA_H
#define DMA_H

#include <stdbool.h>
#include <stdint.h>

#include "conditions.h"
#include "plan.h"

/*
 * Cycles of a point's transfer between a buffer and the fabric. Where the route passes the caches
 * by they are cleaned of the buffer before, and of what they held of it after; neither is timed.
 * UINT32_MAX where the controller does not end.
 */
uint32_t dma_copy(const struct point *p, const struct conditions *c, uint8_t *buffer);

/* Why the channel is at fault, as the controller says, and where in its program; NULL: it is not. */
const char *dma_fault(void);

#endif
