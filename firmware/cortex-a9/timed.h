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

#endif
