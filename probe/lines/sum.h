/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 (IEEE 802.3): of what was asked, and of lines on a way that may change them. */
#ifndef LINES_SUM_H
#define LINES_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint32_t sum_of(const char* bytes, size_t length);

/* The eight hexadecimal digits that the sum `text` begins with; false if it does not. */
bool sum_read(const char* text, uint32_t* sum);
/* Writes eight hexadecimal digits, without an end. */
void sum_write(uint32_t sum, char* text);

#endif
