// SPDX-License-Identifier: Apache-2.0
#include "copies.h"

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

static void rest(uint8_t *to, const uint8_t *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((volatile uint8_t *)to)[i] = from[i];
}

static void *words(void *to, const void *from, size_t bytes)
{
	volatile uint32_t *target = to;
	const volatile uint32_t *source = from;

	for (size_t i = 0; i < bytes / 4; i++)
		target[i] = source[i];
	rest((uint8_t *)to + bytes / 4 * 4, (const uint8_t *)from + bytes / 4 * 4, bytes % 4);
	return to;
}

static void *neon(void *to, const void *from, size_t bytes)
{
	uint8_t *target = to;
	const uint8_t *source = from;

	for (; bytes >= 32; bytes -= 32, target += 32, source += 32) {
		const uint8x16_t low = vld1q_u8(source);
		const uint8x16_t high = vld1q_u8(source + 16);

		vst1q_u8(target, low);
		vst1q_u8(target + 16, high);
	}
	rest(target, source, bytes);
	return to;
}

copy_function *copy_of(enum copy copy)
{
	return copy == COPY_LIBC ? memcpy : copy == COPY_WORDS ? words : neon;
}
