/* SPDX-License-Identifier: Apache-2.0 */
/* What is moved: words of which no two neighbours are alike, others for each seed. */
#ifndef PATTERN_H
#define PATTERN_H

#include <stdint.h>

static inline uint32_t pattern(uint32_t seed, uint32_t index)
{
	uint32_t x = seed * 0x9E3779B9u + index;

	x ^= x >> 16;
	x *= 0x85EBCA6Bu;
	return x ^ x >> 13;
}

#endif
