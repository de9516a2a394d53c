/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers that a seed gives, the same on every machine; and words that they fill. */
#include <string.h>

#include "kernels.h"

#define GAMMA UINT64_C(0x9e3779b97f4a7c15)

/* splitmix64 of Steele, Lea and Flood: its state only counts, so word n is had without n - 1. */
static uint64_t mixed(uint64_t z) {
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

uint64_t sequence_next(uint64_t* state) { return mixed(*state += GAMMA); }

/* Numbers from 2^64 - 2^64 % limit on would favour the small: they are drawn again. */
uint64_t sequence_below(uint64_t* state, uint64_t limit) {
  uint64_t value;

  do value = sequence_next(state);
  while (value >= UINT64_MAX - UINT64_MAX % limit);
  return value % limit;
}

void sequence_shuffle(uint32_t* items, uint64_t count, uint64_t* state) {
  for (uint64_t i = 0; i < count; i++) items[i] = (uint32_t)i;
  for (uint64_t i = count; i > 1; i--) {
    const uint64_t other = sequence_below(state, i);
    const uint32_t kept = items[i - 1];

    items[i - 1] = items[other];
    items[other] = kept;
  }
}

/* Memory may begin at any byte: words go by memcpy, which is one instruction where that may be. */
void fill(void* data, size_t bytes, uint64_t seed) {
  unsigned char* at = data;

  for (; bytes >= 8; bytes -= 8, at += 8) {
    const uint64_t word = sequence_next(&seed);

    memcpy(at, &word, 8);
  }
  while (bytes--) *at++ = (unsigned char)sequence_next(&seed);
}

bool filled(const void* data, size_t bytes, uint64_t seed, char* message) {
  const unsigned char* at = data;
  bool right = true;

  for (; right && bytes >= 8; bytes -= 8, at += 8) {
    uint64_t word;

    memcpy(&word, at, 8);
    right = word == sequence_next(&seed);
  }
  for (; right && bytes; bytes--, at++) right = *at == (unsigned char)sequence_next(&seed);
  if (!right)
    say_at(message, "wrong bytes, the first of them before byte ",
           (uint64_t)(at - (const unsigned char*)data));
  return right;
}
