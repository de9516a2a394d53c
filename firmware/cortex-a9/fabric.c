// SPDX-License-Identifier: Apache-2.0
#include "fabric.h"

#include <string.h>

#include "board.h"
#include "caches.h"
#include "cp15.h"
#include "pattern.h"
#include "register.h"
#include "timed.h"

#ifdef PERIPHERAL_FABRIC_DMA
#include "fabric_dma_registers.h"

enum { PAGE = 4096, PORT_RESETS = 0x80, WIDEST = 16 };

struct shares {
	uint32_t count;		/* controllers */
	uint32_t bytes;		/* of each */
	uint32_t stride;	/* from one's part of the buffer to the next */
	uint32_t number[FABRIC_DMA_MOST];
};

static struct shares shares_of(const struct point *p, const struct conditions *c)
{
	struct shares s = { 0 };
	uint32_t each;

	for (uint32_t number = 0; number < FABRIC_DMA_MOST; number++)
		if (c->controllers & 1u << number)
			s.number[s.count++] = number;
	/* Each moves whole beats, at least one; its part of the buffer is twice as long. */
	each = (p->bytes / s.count + c->beat - 1) / c->beat;
	s.bytes = (each ? each : 1) * c->beat;
	s.stride = (2 * ((p->bytes + s.count - 1) / s.count) + PAGE - 1) / PAGE * PAGE;
	return s;
}

const char *fabric_refused(const struct point *p, const struct conditions *c, size_t room)
{
	struct shares s;

	if (c->controllers >= 1u << FABRIC_DMA_MOST)
		return "controllers: a bit for each of five";
	if (c->beat != 4 && c->beat != 8 && c->beat != WIDEST)
		return "beat: 4, 8 or 16";
	s = shares_of(p, c);
	if ((uint64_t)(s.count - 1) * s.stride + s.bytes > room || s.bytes >= 1u << 24)
		return "bytes: too many for the buffer";
	return NULL;
}

static uint32_t registers_of(uint32_t number)
{
	return PERIPHERAL_FABRIC_DMA + FABRIC_DMA_STRIDE * number;
}

static uint32_t memory_of(uint32_t number)
{
	return PERIPHERAL_FABRIC_DMA + FABRIC_DMA_MEMORY(number);
}

/* The fabric's side is one beat: it stays at its address. */
static void program(const struct point *p, const struct conditions *c, uint32_t number,
		    uint32_t memory, uint32_t bytes)
{
	const uint32_t base = registers_of(number);
	const uint32_t width = c->beat == WIDEST ? FABRIC_DMA_QUADWORD :
			       c->beat == 8	 ? FABRIC_DMA_DOUBLEWORD :
						   FABRIC_DMA_WORD;
	const uint32_t stays = p->to_fabric ? FABRIC_DMA_WRITE_STAYS : FABRIC_DMA_READ_STAYS;

	register_write(base + FABRIC_DMA_STATUS, 0);
	register_write(base + FABRIC_DMA_READ, p->to_fabric ? memory : 0);
	register_write(base + FABRIC_DMA_WRITE, p->to_fabric ? 0 : memory);
	register_write(base + FABRIC_DMA_LENGTH, bytes);
	register_write(base + FABRIC_DMA_CONTROL, width | stays | FABRIC_DMA_LENGTH_ENDS);
}

static volatile uint32_t *words_at(uint32_t address)
{
	return (volatile uint32_t *)address;
}

/* Whether words repeat with a period, as they were filled. */
static bool same(uint32_t at, uint32_t bytes, uint32_t seed, uint32_t first, uint32_t period)
{
	for (uint32_t i = 0; i < bytes / 4; i++)
		if (words_at(at)[i] != pattern(seed, first + i % period))
			return false;
	return true;
}

static void fill(uint32_t at, uint32_t bytes, uint32_t seed, uint32_t first)
{
	for (uint32_t i = 0; i < bytes / 4; i++)
		words_at(at)[i] = pattern(seed, first + i);
}

bool fabric_repetition(const struct point *p, const struct conditions *c, uint8_t *buffer,
		       uint32_t seed, uint32_t *cycles)
{
	const struct shares s = shares_of(p, c);
	const uint32_t words = s.stride / 4;
	uint32_t bases[FABRIC_DMA_MOST];
	uint32_t overhead;
	uint32_t taken;

#ifdef PERIPHERAL_SDRAM_CONTROLLER
	register_write(PERIPHERAL_SDRAM_CONTROLLER + PORT_RESETS, 0xFFFF);
#endif
	for (uint32_t i = 0; i < s.count; i++) {
		const uint32_t memory = (uint32_t)buffer + i * s.stride;

		bases[i] = registers_of(s.number[i]);
		if (p->to_fabric)
			fill(memory, s.bytes, seed, i * words);
		else
			memset((void *)memory, 0, s.bytes);
		fill(memory_of(s.number[i]), c->beat, ~seed, i * words);
		if (!p->offset) {
			caches_clean((void *)memory, s.bytes);
			if (!p->to_fabric)
				caches_invalidate((void *)memory, s.bytes);
		}
		program(p, c, s.number[i], memory + p->offset, s.bytes);
	}
	dsb();
	overhead = timed_empty_start(bases[0]);
	taken = timed_controllers(bases, s.count);
	*cycles = taken == UINT32_MAX ? taken : taken > overhead ? taken - overhead : 0;
	for (uint32_t i = 0; i < s.count; i++) {
		const uint32_t memory = (uint32_t)buffer + i * s.stride;
		const uint32_t last = i * words + (s.bytes - c->beat) / 4;

		if (!(p->to_fabric ? same(memory_of(s.number[i]), c->beat, seed, last, c->beat / 4)
				   : same(memory, s.bytes, ~seed, i * words, c->beat / 4)))
			return false;
	}
	return true;
}

#else
const char *fabric_refused(const struct point *p, const struct conditions *c, size_t room)
{
	(void)p;
	(void)c;
	(void)room;
	return "controllers: the board's file says no peripheral.fabric_dma";
}

bool fabric_repetition(const struct point *p, const struct conditions *c, uint8_t *buffer,
		       uint32_t seed, uint32_t *cycles)
{
	(void)p;
	(void)c;
	(void)buffer;
	(void)seed;
	(void)cycles;
	return false;
}
#endif
