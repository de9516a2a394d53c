// SPDX-License-Identifier: Apache-2.0
/*
 * Reads a plan from the serial port, measures its points, answers in lines of JSON. Each point:
 * the source is filled, what is measured is timed with the processor's cycle counter, and every
 * word that was to be moved is compared. A point that fails has an outcome and no number.
 */
#include <string.h>

#include "board.h"
#include "caches.h"
#include "conditions.h"
#include "copies.h"
#include "dma.h"
#include "fabric.h"
#include "lines/json.h"
#include "pattern.h"
#include "plan.h"
#include "register.h"
#include "timed.h"
#include "timer.h"
#include "uart.h"

enum { LARGEST = 4 << 20, LINE_LENGTH = 512 };

static uint8_t buffer[LARGEST] __attribute__((section(".buffers"), aligned(4096)));

static uint32_t words_of(uint32_t bytes)
{
	return (bytes + 3) / 4;
}

static void fill(uint32_t base, uint32_t bytes, uint32_t seed, uint32_t first)
{
	for (uint32_t i = 0; i < words_of(bytes); i++)
		((volatile uint32_t *)base)[i] = pattern(seed, first + i);
}

/* The first word that differs; the number of words where none does. */
static uint32_t compare(uint32_t base, uint32_t bytes, uint32_t seed, uint32_t first)
{
	const uint32_t count = words_of(bytes);

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t left = bytes - 4 * i;
		const uint32_t mask = left >= 4 ? UINT32_MAX : (1u << 8 * left) - 1;
		const uint32_t differs =
			((volatile uint32_t *)base)[i] ^ pattern(seed, first + i);

		if (differs & mask)
			return i;
	}
	return count;
}

bool lines_emit(const char *bytes, size_t length)
{
	for (; length; length--) {
		if (*bytes == '\n')
			uart_put('\r');
		uart_put(*bytes++);
	}
	return true;
}

static double nanoseconds(uint32_t cycles)
{
	return cycles * 1e6 / PROCESSOR_KHZ;
}

static void sample(const struct point *p, uint32_t block, uint32_t cycles)
{
	struct line line;

	line_begin(&line, "sample");
	line_number(&line, "id", p->id);
	line_number(&line, "block", block);
	line_real(&line, "ns", nanoseconds(cycles));
	line_number(&line, "count", 1);
	line_number(&line, "bytes", p->bytes);
	line_end(&line);
}

static void outcome(const struct point *p, const char *word, const char *message)
{
	struct line line;

	line_begin(&line, "point");
	line_number(&line, "id", p->id);
	line_text(&line, "outcome", word);
	line_text(&line, "message", message);
	line_end(&line);
}

static uint32_t piece_of(const struct point *p, uint32_t done)
{
	const uint32_t left = p->bytes - done;

	return left < FABRIC_BYTES ? left : FABRIC_BYTES;
}

static uint32_t copied(const struct point *p)
{
	uint8_t *fabric = (uint8_t *)p->window;
	copy_function *copy = copy_of(p->copy);

	uint8_t *to = p->to_fabric ? fabric : buffer;
	const uint8_t *from = p->to_fabric ? buffer : fabric;

	if (p->master == MASTER_PL330)
		return dma_copy(p, &p->conditions, buffer);
	return p->bytes <= FABRIC_BYTES ? timed_piece(copy, to, from, p->bytes)
					: timed_pieces(copy, to, from, p->bytes, p->to_fabric);
}

/* UINT32_MAX: it has not ended. */
static uint32_t without(uint32_t taken, uint32_t overhead)
{
	return taken == UINT32_MAX ? taken : taken > overhead ? taken - overhead : 0;
}

/* Measures one repetition; false: what was moved is not what should have been. */
static bool repetition(const struct point *p, uint32_t seed, uint32_t overhead, uint32_t *cycles)
{
	/* What the fabric holds at the end, or at the start: the last piece, or the same for all. */
	const uint32_t whole = p->bytes > FABRIC_BYTES ? FABRIC_BYTES : p->bytes;
	const uint32_t last = (p->bytes - 1) / FABRIC_BYTES * FABRIC_BYTES;
	const uint32_t looked = p->master == MASTER_PL330 ? whole : p->bytes;
	uint32_t taken;

	if (p->conditions.controllers)
		return fabric_repetition(p, &p->conditions, buffer, seed, cycles);
	conditions_lock(&p->conditions, !p->conditions.lock_after);
	if (p->to_fabric) {
		fill((uint32_t)buffer, p->bytes, seed, 0);
		conditions_lock(&p->conditions, true);
		taken = copied(p);
		dsb();
		*cycles = without(taken, overhead);
		if (*cycles == UINT32_MAX)
			return false;
		/*
		 * The source, too, as it was: this leaves it in the caches for the next fill, as the
		 * published programs do, which look at a first piece of what the PL330 has moved.
		 */
		return compare(p->window, p->bytes - last, seed, last / 4) ==
			       words_of(p->bytes - last) &&
		       compare((uint32_t)buffer, looked, seed, 0) == words_of(looked);
	}
	if (p->master == MASTER_PL330) {
		/* The published programs go there and back: the caches are as that leaves them. */
		struct point there = *p;

		there.to_fabric = true;
		fill((uint32_t)buffer, p->bytes, ~seed, 0);
		if (dma_copy(&there, &p->conditions, buffer) == UINT32_MAX)
			return false;
	} else if (seed == p->seed) {
		/* Later the buffer holds the words of another seed. */
		memset(buffer, 0, p->bytes);
	}
	fill(p->window, whole, seed, 0);
	conditions_lock(&p->conditions, true);
	dsb();
	if (p->no_barrier)
		copy_of(p->copy)((uint8_t *)p->window + FABRIC_BYTES / 2, buffer, p->bytes);
	taken = copied(p);
	*cycles = without(taken, overhead);
	if (*cycles == UINT32_MAX)
		return false;
	for (uint32_t done = 0; done < p->bytes; done += FABRIC_BYTES) {
		const uint32_t piece = piece_of(p, done);

		if (compare((uint32_t)buffer + done, piece, seed, 0) != words_of(piece))
			return false;
	}
	return true;
}

static const char *refused(const struct point *p)
{
	if (p->bytes == 0 || p->bytes > LARGEST)
		return "bytes: 1 to 4 MiB";
	if (p->level >= CACHE_LEVELS)
		return "level: 0 to 13";
	if (p->repetitions == 0 || p->repetitions > 1000)
		return "repetitions: 1 to 1000";
	if (p->master != MASTER_PL330 && (p->completion || p->security))
		return "completion, security: the PL330's";
	if (p->completion == COMPLETION_INTERRUPT && p->conditions.traffic)
		return "traffic: between looks, with completion=poll";
	if (p->no_barrier && (p->master == MASTER_PL330 || p->bytes > FABRIC_BYTES / 2))
		return "fault_no_barrier: half of the fabric's memory at most, by the processor";
	if (conditions_refused(&p->conditions))
		return conditions_refused(&p->conditions);
	if (p->conditions.controllers)
		return fabric_refused(p, &p->conditions, sizeof buffer);
	for (unsigned i = 0; i < sizeof fabric_windows / sizeof *fabric_windows; i++)
		if (p->window == fabric_windows[i])
			return NULL;
	return "window: not one of the platform's";
}

static void measure(const struct point *p)
{
	const char *why = refused(p);
	uint32_t overhead;

	if (why) {
		outcome(p, "refused", why);
		return;
	}
	caches_set(p->level, p->memory, p->published_bit);
	conditions_schedule(&p->conditions);
	overhead = timer_overhead();
	for (uint32_t i = 0; i <= p->repetitions; i++) {
		uint32_t cycles = 0;

		if (!repetition(p, p->seed + i, overhead, &cycles)) {
			const char *fault = p->master == MASTER_PL330 ? dma_fault() : NULL;

			if (fault) {
				outcome(p, "bus_error", fault);
				return;
			}
			if (cycles == UINT32_MAX) {
				outcome(p, "timeout", "a DMA controller does not end");
				return;
			}
			outcome(p, "unverified", "what was moved differs");
			return;
		}
		/* The first one warms up. */
		if (i > 0)
			sample(p, i - 1, cycles);
	}
	outcome(p, "ok", "");
}

void fault(uint32_t kind, uint32_t where, uint32_t address);
void fault(uint32_t kind, uint32_t where, uint32_t address)
{
	struct line line;

	line_begin(&line, "fault");
	line_number(&line, "kind", kind);
	line_hex(&line, "pc", where);
	line_hex(&line, "address", address);
	line_end(&line);
	uart_flush();
}

/* A line of the plan; false where the plan ends. */
static bool line_of_plan(char *line, bool *too_long)
{
	unsigned length = 0;

	*too_long = false;
	for (char c; (c = uart_get()) != '\n'; ) {
		if (c == END_OF_PLAN) {
			line[length] = 0;
			return false;
		}
		if (length < LINE_LENGTH - 1)
			line[length++] = c;
		else
			*too_long = true;
	}
	line[length] = 0;
	return true;
}

static void tell_program(void)
{
	struct line line;

	line_begin(&line, "probe");
	line_text(&line, "version", "1");
	line_text(&line, "arch", "armv7-a");
	line_text(&line, "libc", "picolibc");
	line_text(&line, "build", PLATFORM_NAME);
	line_end(&line);
	line_begin(&line, "timer");
	line_text(&line, "name", "pmccntr");
	line_real(&line, "resolution_ns", nanoseconds(1));
	line_real(&line, "overhead_ns", nanoseconds(timer_overhead()));
	line_text(&line, "why", "the processor's own");
	line_end(&line);
}

int main(void)
{
	static char text[LINE_LENGTH];
	struct line line;
	unsigned number = 0;
	uint32_t points = 0;
	bool more = true;

	caches_set(0, MEMORY_SHAREABLE, false);
	tell_program();
	while (more) {
		struct point point;
		struct fault fault;
		enum line_kind kind = LINE_EMPTY;
		bool too_long;

		more = line_of_plan(text, &too_long);
		number++;
		if (too_long)
			fault_begin(&fault, FAULT_LINE, number, 0, NULL, NULL,
				    "the line is too long; give at most 511 characters");
		if (too_long || !plan_parse(text, number, &point, &kind, &fault)) {
			line_begin(&line, "error");
			line_text(&line, "message", fault.text);
			line_end(&line);
			break;
		}
		if (kind == LINE_END)
			break;
		if (kind != LINE_POINT)
			continue;
		points++;
		measure(&point);
		caches_set(0, MEMORY_SHAREABLE, false);
	}
	line_begin(&line, "end");
	line_number(&line, "points", points);
	line_end(&line);
	uart_flush();
	return 0;
}
