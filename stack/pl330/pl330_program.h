/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Writes programs for the ARM CoreLink DMA-330 (PL330) into a buffer of the caller's.
 *
 * The same file is compiled into a kernel and into firmware without an operating system: it
 * allocates nothing and calls nothing. A fault stays in the program, and what follows a fault
 * writes nothing, so a caller checks once, at the end:
 *
 *	uint8_t code[PL330_COPY_BYTES];
 *	struct pl330_program program;
 *	struct pl330_copy copy = PL330_STUDY_COPY(source, destination, bytes);
 *
 *	pl330_begin(&program, code, sizeof(code));
 *	if (pl330_write_copy(&program, &copy) != PL330_OK)
 *		... pl330_fault_text(program.fault)
 *
 * The controller reads the code at its own address of the buffer: whoever runs it must first clean
 * the caches over program.length bytes, or use memory that is not cached.
 *
 * Source: ARM DDI 0424 (DMA-330 TRM), instruction set and channel control registers.
 */
#ifndef PL330_PROGRAM_H
#define PL330_PROGRAM_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

enum pl330_fault {
	PL330_OK,
	PL330_NO_ROOM,		/* the buffer is too short for the program */
	PL330_BAD_SIZE,		/* a copy has no bytes, or more than PL330_MAX_COPY */
	PL330_BAD_ADDRESS,	/* source and destination differ modulo 8, or pass 2^32 */
	PL330_BAD_SHAPE,	/* beats are not of 1, 2, 4 or 8 bytes, or bursts shorter than a beat */
	PL330_BAD_OPERAND,	/* an operand is outside the range of its instruction */
};

struct pl330_program {
	uint8_t *code;		/* the caller's buffer */
	uint32_t room;		/* its bytes */
	uint32_t length;	/* bytes written */
	enum pl330_fault fault;	/* the first one */
};

void pl330_begin(struct pl330_program *program, void *code, uint32_t room);

/* What is wrong, in words; "" for PL330_OK. */
const char *pl330_fault_text(enum pl330_fault fault);

/* Registers of a channel, as DMAMOV numbers them. */
enum pl330_register { PL330_SAR = 0, PL330_CCR = 1, PL330_DAR = 2 };

/* One half of the channel control register: how the source is read, the destination written. */
struct pl330_burst {
	uint32_t increment;	/* 1: addresses rise; 0: all beats go to one address */
	uint32_t beat_bytes;	/* 1, 2, 4, 8 or 16 */
	uint32_t beats;		/* 1..16 */
	uint32_t protection;	/* AxPROT, 0..7; bit 1: non-secure */
	/* ARCACHE[2:0] for the source; AWCACHE[3], AWCACHE[1:0] for the destination; 0..7. */
	uint32_t cache;
};

/* DMAMOV of a value, or of a channel control register without endian swap. */
void pl330_move(struct pl330_program *program, enum pl330_register to, uint32_t value);
void pl330_move_control(struct pl330_program *program, const struct pl330_burst *source,
			const struct pl330_burst *destination);

void pl330_load(struct pl330_program *program);			/* DMALD */
void pl330_store(struct pl330_program *program);		/* DMAST */
void pl330_write_barrier(struct pl330_program *program);	/* DMAWMB */
void pl330_end(struct pl330_program *program);			/* DMAEND */
void pl330_send_event(struct pl330_program *program, uint32_t event);	/* DMASEV, 0..31 */

/* DMALP with a counter, 0 or 1, and 1..256 rounds; DMALPEND back over so many bytes, 0..255. */
void pl330_loop(struct pl330_program *program, uint32_t counter, uint32_t rounds);
void pl330_loop_end(struct pl330_program *program, uint32_t counter, uint32_t back);

/* The longest copy of one program. The studies cut longer transfers into pieces of it. */
#define PL330_MAX_COPY	(256 * 1024)

/* Room for any copy with the studies' shape. A copy of other beats may need 6 KiB. */
#define PL330_COPY_BYTES	96

/* For struct pl330_copy: completion is awaited by polling, the program sends no event. */
#define PL330_NO_EVENT	(~(uint32_t)0)

#define PL330_NONSECURE	2	/* bit of AxPROT */

struct pl330_copy {
	uint32_t source;	/* addresses as the controller sees them, equal modulo 8 */
	uint32_t destination;
	uint32_t bytes;		/* 1..PL330_MAX_COPY */
	uint32_t burst_bytes;	/* of the longest burst; what exceeds 16 beats makes no difference */
	uint32_t beat_bytes;	/* 1, 2, 4 or 8 */
	uint32_t protection;	/* AxPROT of both sides: 0 secure, or PL330_NONSECURE */
	uint32_t event;		/* to send when all is stored, or PL330_NO_EVENT */
};

/* A copy as the Cyclone V and Zynq studies program it: bursts of 16 beats of 8 bytes, secure. */
#define PL330_STUDY_COPY(from, to, size) { \
	.source = (from), .destination = (to), .bytes = (size), \
	.burst_bytes = 128, .beat_bytes = 8, .protection = 0, .event = PL330_NO_EVENT }

/*
 * The whole program of a copy. Single bytes lead up to a boundary of a beat, then come bursts in
 * loops of at most 256 rounds, one shorter burst, and single bytes for the rest; both addresses
 * rise, and both sides are marked cacheable, bufferable and allocating. Returns program->fault.
 */
enum pl330_fault pl330_write_copy(struct pl330_program *program, const struct pl330_copy *copy);

/*
 * The words for DBGINST0 and DBGINST1 by which the manager starts a channel, 0..7, at an address.
 * A non-secure manager can start non-secure channels alone.
 */
void pl330_debug_go(uint32_t words[2], uint32_t channel, uint32_t nonsecure, uint32_t address);

/* The words by which a channel, 0..7, or the manager is stopped at once, also after a fault. */
#define PL330_MANAGER	8
void pl330_debug_kill(uint32_t words[2], uint32_t thread);

#endif
