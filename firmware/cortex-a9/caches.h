/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caches, one feature at a time: level n has what the levels below it have, and
 *
 *	 0  nothing: MMU off, all data strongly ordered; instructions cached as the loader left it
 *	 1  MMU; instruction cache, branch prediction and data cache off
 *	 2  the second level initialised, still off
 *	 3  snoop control unit
 *	 4  first level for instructions	 5  branch prediction
 *	 6  first level for data		 7  prefetch into it
 *	 8  second level			 9  its prefetch hint
 *	10  full line of zeros			11  speculative line fill
 *	12  early write response		13  limit of the store buffer's device writes
 */
#ifndef CACHES_H
#define CACHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CACHE_LEVELS = 14, CACHE_LINE = 32 };

/* How the program's memory is mapped from level 1 on. */
enum memory { MEMORY_SHAREABLE, MEMORY_NONSHAREABLE };

/* published_bit: level 10 sets the bit that the published programs set, which is another one. */
void caches_set(unsigned level, enum memory memory, bool published_bit);

/* Lines of a range: written back, dropped, or both, in both levels. */
void caches_clean(const void *start, size_t bytes);
void caches_invalidate(const void *start, size_t bytes);

/* Ways that the misses of the processors, or of the coherent masters, may not fill: a bit each. */
void caches_lock(uint32_t processor_ways, uint32_t coherent_ways);

#endif
