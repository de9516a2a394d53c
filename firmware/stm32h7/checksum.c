/* SPDX-License-Identifier: Apache-2.0 */
#include "checksum.h"

#include "chip.h"

HOT uint16_t checksum_carry(const void *data, size_t bytes, uint16_t initial)
{
	const uint16_t *words = data;
	uint32_t sum = initial;

	for (; bytes > 1; bytes -= 2) {
		sum += __builtin_bswap16(*words++);
		sum = (sum & 0xFFFF) + (sum >> 16);
	}
	if (bytes) {
		sum += (uint32_t)*(const uint8_t *)words << 8;
		sum = (sum & 0xFFFF) + (sum >> 16);
	}
	return (uint16_t)sum;
}

HOT uint16_t checksum_deferred(const void *data, size_t bytes, uint16_t initial)
{
	const uint16_t *words = data;
	uint32_t sum = initial;

	for (; bytes > 1; bytes -= 2)
		sum += __builtin_bswap16(*words++);
	if (bytes)
		sum += (uint32_t)*(const uint8_t *)words << 8;
	while (sum >> 16)
		sum = (sum & 0xFFFF) + (sum >> 16);
	return (uint16_t)sum;
}

HOT uint16_t checksum_folded(const void *data, size_t bytes, uint16_t initial)
{
	const uint16_t *words = data;
	uint32_t sum = initial;

	for (; bytes > 1; bytes -= 2)
		sum += __builtin_bswap16(*words++);
	if (bytes)
		sum += (uint32_t)*(const uint8_t *)words << 8;
	/* The greatest sum is below 2^32, and 0x1FFFE behind the first fold. */
	sum = (sum & 0xFFFF) + (sum >> 16);
	sum = (sum & 0xFFFF) + (sum >> 16);
	return (uint16_t)sum;
}
