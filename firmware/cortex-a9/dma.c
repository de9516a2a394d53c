// SPDX-License-Identifier: Apache-2.0
#include "dma.h"

#include "board.h"
#include "caches.h"
#include "pl330_program.h"
#include "pl330_registers.h"
#include "register.h"
#include "timer.h"

enum { PIECE = FABRIC_BYTES < PL330_MAX_COPY ? FABRIC_BYTES : PL330_MAX_COPY, PIECES = 128,
       ROOM = 96, CHANNEL = 0 };

static uint8_t code[PIECES][ROOM] __attribute__((section(".buffers"), aligned(CACHE_LINE)));

static uint32_t controller(uint32_t offset)
{
	return register_read(PERIPHERAL_PL330 + offset);
}

uint32_t dma_fault(void)
{
	return controller(PL330_FSRC) & 1u << CHANNEL ? controller(PL330_FTR(CHANNEL)) : 0;
}

/* Writes the program of a piece. The controller reads memory, so the caches are cleaned of it. */
static bool prepare(const struct point *p, const uint8_t *buffer, uint32_t piece)
{
	const uint32_t done = piece * PIECE;
	const uint32_t memory = (uint32_t)buffer + done + p->offset;
	const uint32_t left = p->bytes - done;
	const uint32_t bytes = left < PIECE ? left : PIECE;
	struct pl330_program program;
	const struct pl330_copy copy = PL330_STUDY_COPY(p->to_fabric ? memory : p->window,
							p->to_fabric ? p->window : memory, bytes);

	pl330_begin(&program, code[piece], ROOM);
	return pl330_write_copy(&program, &copy) == PL330_OK;
}

/* Starts a prepared piece and looks until it has stopped; false: it is at fault. */
static bool execute(uint32_t piece)
{
	uint32_t words[2];
	uint32_t state;

	caches_clean(code[piece], ROOM);
	pl330_debug_go(words, CHANNEL, 0, (uint32_t)code[piece]);
	register_write(PERIPHERAL_PL330 + PL330_DBGINST0, words[0]);
	register_write(PERIPHERAL_PL330 + PL330_DBGINST1, words[1]);
	register_write(PERIPHERAL_PL330 + PL330_DBGCMD, 0);
	do {
		state = PL330_STATE(controller(PL330_CSR(CHANNEL)));
	} while (state != PL330_STOPPED && state != PL330_FAULTING);
	return state == PL330_STOPPED;
}

uint32_t dma_copy(const struct point *p, uint8_t *buffer)
{
	const bool coherent = p->offset != 0;
	const uint32_t pieces = (p->bytes + PIECE - 1) / PIECE;
	bool good = pieces <= PIECES;

	if (!coherent && p->to_fabric && !p->no_clean)
		caches_clean(buffer, p->bytes);
	if (!coherent && !p->to_fabric && !p->no_invalidate) {
		caches_clean(buffer, p->bytes);
		caches_invalidate(buffer, p->bytes);
	}
	for (uint32_t i = 0; good && p->prepared && i < pieces; i++)
		good = prepare(p, buffer, i);
	timer_start();
	for (uint32_t i = 0; good && i < pieces; i++)
		good = (p->prepared || prepare(p, buffer, i)) && execute(i);
	return timer_now();
}
