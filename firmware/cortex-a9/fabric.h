/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers by DMA controllers in the fabric, which start together and each move a share. */
#ifndef FABRIC_H
#define FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conditions.h"
#include "plan.h"

/* What is asked for and cannot be, or NULL. room: bytes of the buffer. */
const char *fabric_refused(const struct point *p, const struct conditions *c, size_t room);

/*
 * One transfer between a buffer and the controllers' own memories: filled, timed without what an
 * empty run takes, compared by words. cycles: UINT32_MAX where a controller does not end.
 */
bool fabric_repetition(const struct point *p, const struct conditions *c, uint8_t *buffer,
		       uint32_t seed, uint32_t *cycles);

#endif
