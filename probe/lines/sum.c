/* SPDX-License-Identifier: Apache-2.0 */
#include "sum.h"

static const char hex[] = "0123456789abcdef";

/* Bit by bit: lines are short, and a table would be a kilobyte. */
uint32_t sum_of(const char* bytes, size_t length) {
  uint32_t sum = UINT32_MAX;

  while (length--) {
    sum ^= (uint8_t)*bytes++;
    for (int bit = 0; bit < 8; bit++) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
  }
  return ~sum;
}

bool sum_read(const char* text, uint32_t* sum) {
  *sum = 0;
  for (int i = 0; i < 8; i++) {
    uint32_t digit = 0;

    while (hex[digit] && hex[digit] != text[i]) digit++;
    if (!hex[digit]) return false;
    *sum = *sum << 4 | digit;
  }
  return true;
}

void sum_write(uint32_t sum, char* text) {
  for (int i = 0; i < 8; i++) text[i] = hex[sum >> (28 - 4 * i) & 15];
}
