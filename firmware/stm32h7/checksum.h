/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Internet's checksum without its complement: 16-bit words in network order, an odd last byte
 * counts as the high one. `bytes` is at most 65535, `initial` what was summed before.
 */
#ifndef CHECKSUM_H
#define CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* The carry is added at each word; in a loop at the end; twice at the end. All give the same. */
uint16_t checksum_carry(const void *data, size_t bytes, uint16_t initial);
uint16_t checksum_deferred(const void *data, size_t bytes, uint16_t initial);
uint16_t checksum_folded(const void *data, size_t bytes, uint16_t initial);

#endif
