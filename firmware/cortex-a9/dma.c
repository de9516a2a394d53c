// SPDX-License-Identifier: Apache-2.0
#include "dma.h"

#include <string.h>

#include "board.h"
#include "caches.h"
#include "dma_security.h"
#include "interrupts.h"
#include "pl330_program.h"
#include "pl330_registers.h"
#include "register.h"
#include "timer.h"

enum { PIECE = FABRIC_BYTES < PL330_MAX_COPY ? FABRIC_BYTES : PL330_MAX_COPY, PIECES = 128,
       ROOM = 96, CHANNEL = 0, EVENT = 0, PATIENCE = 10000000 };

static uint8_t code[PIECES][ROOM] __attribute__((section(".buffers"), aligned(CACHE_LINE)));
static uint32_t lengths[PIECES];	/* bytes of the pieces' programs */
static uint32_t running;	/* the piece whose program was started last */

static const uint32_t interrupts[] = PL330_INTERRUPTS;	/* of the events, the last of faults */
enum { OF_FAULTS = sizeof interrupts / sizeof *interrupts - 1 };
static volatile uint32_t told;	/* an interrupt has come */

static uint32_t registers = PERIPHERAL_PL330;	/* those of the state that it is in */

static uint32_t controller(uint32_t offset)
{
	return register_read(registers + offset);
}

/* Has the controller execute an instruction. */
static void debug(const uint32_t words[2])
{
	register_write(registers + PL330_DBGINST0, words[0]);
	register_write(registers + PL330_DBGINST1, words[1]);
	register_write(registers + PL330_DBGCMD, 0);
}

static void hex(char *to, uint32_t value)
{
	for (unsigned digit = 0; digit < 8; digit++)
		to[digit] = "0123456789abcdef"[value >> (28 - 4 * digit) & 15];
}

const char *dma_fault(void)
{
	static char text[] = "the PL330 is at fault: FTR 0x........ at byte 0x........";
	static char of_manager[] = "the PL330's manager is at fault: FTRD 0x........";
	const uint32_t where = controller(PL330_CPC(CHANNEL));
	const uint32_t start = (uint32_t)code[running];
	uint32_t words[2];

	if (controller(PL330_FSRD)) {
		hex(strchr(of_manager, 'x') + 1, controller(PL330_FTRD));
		pl330_debug_kill(words, PL330_MANAGER);
		debug(words);
		return of_manager;
	}
	if (!(controller(PL330_FSRC) & 1u << CHANNEL))
		return NULL;
	hex(strchr(text, 'x') + 1, controller(PL330_FTR(CHANNEL)));
	hex(strrchr(text, 'x') + 1, where - start);
	/* A channel at fault takes no other program before it is stopped. */
	pl330_debug_kill(words, CHANNEL);
	debug(words);
	return text;
}

/* Writes the program of a piece. The controller reads memory, so the caches are cleaned of it. */
static bool prepare(const struct point *p, const struct conditions *c, const uint8_t *buffer,
		    uint32_t piece)
{
	const uint32_t done = piece * PIECE;
	const uint32_t memory = (uint32_t)buffer + done + p->offset;
	const uint32_t left = p->bytes - done;
	const uint32_t bytes = left < PIECE ? left : PIECE;
	struct pl330_program program;
	struct pl330_copy copy = PL330_STUDY_COPY(p->to_fabric ? memory : p->window,
						  p->to_fabric ? p->window : memory, bytes);

	if (p->security == SECURITY_NONSECURE && !p->secure_access)
		copy.protection = PL330_NONSECURE;
	if (p->completion == COMPLETION_INTERRUPT)
		copy.event = EVENT;
	pl330_begin(&program, code[piece], ROOM);
	if (pl330_write_copy(&program, &copy) != PL330_OK)
		return false;
	lengths[piece] = program.length;
	if (c->wrong_byte && c->wrong_byte <= ROOM)
		code[piece][c->wrong_byte - 1] = (uint8_t)c->wrong_value;
	return true;
}

__attribute__((target("general-regs-only"))) static void serve(void)
{
	register_write(registers + PL330_INTCLR, 1u << EVENT);
	/* That of faults lasts until the channel is stopped. */
	interrupts_leave(interrupts[OF_FAULTS]);
	told = 1;
}

static void take_interrupts(void)
{
	register_write(registers + PL330_INTEN, 1u << EVENT);
	interrupts_take(interrupts[EVENT], serve);
}

/* Starts a prepared piece and waits until it has ended; false: it is at fault. */
static bool execute(const struct point *p, const struct conditions *c, uint32_t piece)
{
	uint32_t words[2];
	uint32_t state;
	uint32_t looks = 0;

	running = piece;
	caches_clean(code[piece], lengths[piece]);
	pl330_debug_go(words, CHANNEL, p->security == SECURITY_NONSECURE && !p->secure_start,
		       (uint32_t)code[piece]);
	if (p->completion == COMPLETION_INTERRUPT) {
		told = 0;
		interrupts_take(interrupts[OF_FAULTS], serve);
		debug(words);
		interrupts_await(&told);
		return !controller(PL330_FSRC);
	}
	debug(words);
	do {
		state = PL330_STATE(controller(PL330_CSR(CHANNEL)));
		if (c->traffic)
			conditions_traffic();
	} while (state != PL330_STOPPED && state != PL330_FAULTING && ++looks < PATIENCE);
	return state == PL330_STOPPED;
}

uint32_t dma_copy(const struct point *p, const struct conditions *c, uint8_t *buffer)
{
	const bool coherent = p->offset != 0;
	const uint32_t pieces = (p->bytes + PIECE - 1) / PIECE;
	bool good = pieces <= PIECES;

	dma_security_set(p->security == SECURITY_NONSECURE, !p->secure_event);
	registers = dma_security_registers();
	if (p->completion == COMPLETION_INTERRUPT)
		take_interrupts();
	if (!coherent && p->to_fabric && !p->no_clean)
		caches_clean(buffer, p->bytes);
	if (!coherent && !p->to_fabric && !p->no_invalidate) {
		caches_clean(buffer, p->bytes);
		caches_invalidate(buffer, p->bytes);
	}
	for (uint32_t i = 0; good && p->prepared && i < pieces; i++)
		good = prepare(p, c, buffer, i);
	timer_start();
	for (uint32_t i = 0; good && i < pieces; i++)
		good = (p->prepared || prepare(p, c, buffer, i)) && execute(p, c, i);
	return good ? timer_now() : UINT32_MAX;
}
