/* SPDX-License-Identifier: Apache-2.0 */
/* What the cases of the guest's program share. */
#ifndef GUEST_H
#define GUEST_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "datra-ioctl.h"
#include "datra-registers.h"

/* Nodes of the reference configuration. */
enum { CPU = 0, DMA = 1, SINK = 2, ADDER = 3, TEST = 5, NODES = 6 };

/* A case; tables of them end with one without a name. */
struct test {
	const char *name;
	void (*run)(void);
};
extern const struct test control_tests[], fifo_tests[], dma_tests[], extension_tests[], abuse_tests[],
	error_tests[], cost_tests[], nonsense_tests[];

/* Bytes or rounds that a case is given, or 0. */
extern size_t amount;
/* Of what is drawn at random. */
extern uint64_t seed;

/* ---- what may be expected ---- */

/* Says what has failed, of which call or condition, and ends with 1. */
void __attribute__((noreturn, format(printf, 3, 4))) fail(int line, const char *what,
							  const char *format, ...);

#define CHECK(holds, ...)                                             \
	do {                                                          \
		if (!(holds))                                         \
			fail(__LINE__, #holds, " " __VA_ARGS__);      \
	} while (0)

/* A call that must give a value, or fail with an error. */
#define GIVES(expected, call)                                                                 \
	do {                                                                                  \
		long got_ = (call);                                                           \
		if (got_ != (long)(expected))                                                 \
			fail(__LINE__, #call, " gives %ld (%s), not %ld", got_,               \
			     got_ < 0 ? strerror(errno) : "", (long)(expected));              \
	} while (0)
#define FAILS(error, call)                                                                    \
	do {                                                                                  \
		errno = 0;                                                                    \
		long got_ = (call);                                                           \
		if (got_ != -1 || errno != (error))                                           \
			fail(__LINE__, #call, " gives %ld (%s), not " #error, got_,           \
			     strerror(errno));                                                \
	} while (0)

/* ---- data ---- */

uint32_t random32(void);
uint32_t below(uint32_t most);
/* Word n of the stream that is sent. */
uint32_t word(uint64_t n);
void fill(uint32_t *words, uint64_t first, size_t count);
void expect(const uint32_t *words, uint64_t first, size_t count, int line);

/* ---- the driver's files ---- */

/* Each kind of file, by the name that is told of it. */
enum { CTL, CFG0, CFG1, CFG2, CFG3, W, R, TO, FROM, FILES };
extern const struct file {
	const char *name, *path;
	int flags;
} files[FILES];

/* The numbers that the original has not. */
enum { OURS = 8 };
extern const unsigned long ours[OURS];

int opened(int line, const char *name, int flags);
#define OPEN(name, flags) opened(__LINE__, name, flags)
int opened_as(int line, unsigned kind, int more);
void put(const char *path, const char *text);
/* A number that is counted; of a DMA node's file one for each direction. */
long statistic_of(const char *file, const char *name, bool from);
long statistic(const char *file, const char *name);
bool readable(int fd, int milliseconds);
void route(unsigned source, unsigned output, unsigned sink, unsigned input);
/* A dma-buf that is not ours. */
int heap_alloc(size_t bytes);

/* ---- streams ---- */

/* One direction of a DMA node in a block mode. */
struct side {
	int fd;
	unsigned count, size;
	struct datra_buffer_block block[8];
	uint32_t *data[8];
};
void configure(struct side *side, int fd, unsigned mode, unsigned size, unsigned count);
void release(struct side *side);
/* Both directions are reset. */
void emptied(int out, int in);
/*
 * Copies a stream from one file to another, at most so many words at once, while signals interrupt
 * both every so many microseconds, if not 0.
 */
void through(int out, int in, uint64_t bytes, uint32_t most, unsigned interrupts);
/* The DMA node does, whatever went before. */
void works(int out, int in);

/* ---- time, and the bench ---- */

double seconds(void);
/* A signal handler that does not restart calls; 0 ends it. */
void interrupt_every(unsigned microseconds);
/* Asks it to break something: see uml_device.cpp. */
void bench(const char *command);

#endif
