/* SPDX-License-Identifier: Apache-2.0 */
/* The sweeps over memory by vectors: multiples of 64 bytes, aligned to 64. */
#ifndef PROBE_SWEEPS_H
#define PROBE_SWEEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sweeps {
  unsigned bytes;                                   /* of a vector */
  uint64_t (*read)(const void* from, size_t bytes); /* gives the sum of 64-bit words */
  void (*write)(void* to, size_t bytes, uint64_t value);
  void (*update)(void* to, size_t bytes); /* adds 1 to each 64-bit word */
  void (*copy)(void* to, const void* from, size_t bytes);
};

/* Those of the widest vectors that this processor has. */
const struct sweeps* vector_sweeps(void);

/* Stores that pass the caches by; false where the processor has none. */
bool stream_write(void* to, size_t bytes, uint64_t value);
bool stream_copy(void* to, const void* from, size_t bytes);

#endif
