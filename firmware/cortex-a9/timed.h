/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TIMED_H
#define TIMED_H

#include <stdbool.h>
#include <stdint.h>

#include "copies.h"

/* Cycles of a copy. */
uint32_t timed_piece(copy_function *copy, uint8_t *to, const uint8_t *from, uint32_t bytes);

/* The same in pieces of the fabric's memory; the other side is gone through once. */
uint32_t timed_pieces(copy_function *copy, uint8_t *to, const uint8_t *from, uint32_t bytes,
		      bool to_fabric);

/*
 * Starts DMA controllers in the fabric, given by their registers, and looks at each until it is done;
 * UINT32_MAX where one is not. And what a start and a look take where nothing is started.
 */
uint32_t timed_controllers(const uint32_t *registers, uint32_t count);
uint32_t timed_empty_start(uint32_t registers);

#endif
