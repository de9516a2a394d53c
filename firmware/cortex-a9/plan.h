/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan: lines of words key=value; "#" begins a comment, "set" a line that holds for all others.
 * It ends with the byte that a terminal sends for the end of a file.
 */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "caches.h"

enum { END_OF_PLAN = 4 };
enum copy { COPY_LIBC, COPY_WORDS, COPY_NEON };
enum master { MASTER_PROCESSOR, MASTER_PL330 };

struct point {
	uint32_t id;
	enum master master;
	enum copy copy;
	bool to_fabric;
	uint32_t bytes;
	uint32_t window;	/* where the fabric's memory lies */
	uint32_t offset;	/* added to a memory address by the master: its route */
	uint32_t level;
	enum memory memory;
	bool prepared;
	uint32_t repetitions;
	uint32_t seed;
	bool published_bit;
	bool no_clean;
	bool no_invalidate;
};

/* What the plan's lines say that begin with "set", and defaults before. */
extern struct point plan_defaults;

/* Reads the words of a line into a point; what is wrong with which of them, or NULL. */
const char *plan_parse(char *line, struct point *point, bool *is_point, const char **key);

#endif
