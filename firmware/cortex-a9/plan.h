/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan: lines of words key=value, as ../../probe/lines reads them; "#" begins a comment, "set" a line
 * that holds for all others. The plan ends with a line `end`, or with the byte that a terminal sends for
 * the end of a file.
 */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "caches.h"
#include "conditions.h"
#include "lines/words.h"

enum { END_OF_PLAN = 4 };
enum copy { COPY_LIBC, COPY_WORDS, COPY_NEON };
enum master { MASTER_PROCESSOR, MASTER_PL330 };
enum completion { COMPLETION_POLL, COMPLETION_INTERRUPT };
enum security { SECURITY_SECURE, SECURITY_NONSECURE };

struct point {
	uint32_t id;
	uint32_t kernel;	/* there is one */
	enum master master;
	enum copy copy;
	bool to_fabric;
	uint32_t bytes;
	uint32_t window;	/* where the fabric's memory lies */
	uint32_t offset;	/* added to a memory address by the master: its route */
	uint32_t level;
	enum memory memory;
	bool prepared;
	enum completion completion;	/* of the PL330's */
	enum security security;		/* the PL330's */
	uint32_t repetitions;
	uint32_t seed;
	bool published_bit;
	bool no_clean;
	bool no_invalidate;
	bool no_barrier;	/* stores to the fabric are still under way when the time begins */
	bool secure_start;	/* a non-secure PL330 is told to start a secure channel */
	bool secure_event;	/* its events stay secure */
	bool secure_access;	/* and a non-secure channel's program asks for secure accesses */
	struct conditions conditions;
};

/* Reads a line: a point, with what lines that begin with "set" have said. False: see `fault`. */
bool plan_parse(char *line, unsigned number, struct point *point, enum line_kind *kind,
		struct fault *fault);

#endif
