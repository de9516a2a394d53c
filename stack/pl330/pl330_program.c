// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* The assembler for the PL330, and the program of a copy: see pl330_program.h. */
#include "pl330_program.h"

#define OPCODE_END	0x00
#define OPCODE_KILL	0x01
#define OPCODE_LOAD	0x04
#define OPCODE_STORE	0x08
#define OPCODE_WMB	0x13
#define OPCODE_LOOP	0x20	/* bit 1: counter */
#define OPCODE_SEV	0x34
#define OPCODE_LOOP_END	0x38	/* of a counted loop; bit 2: counter */
#define OPCODE_GO	0xa0	/* bit 1: non-secure */
#define OPCODE_MOVE	0xbc

#define MAX_BEATS	16
#define MAX_ROUNDS	256
/* Cacheable, bufferable, allocating: what the studies set on both sides. */
#define CACHE		7
/* The bytes of the bus, modulo which the addresses of a copy must agree. */
#define BUS_BYTES	8
/* Where the destination's half begins in the channel control register. */
#define DESTINATION_SHIFT	14
#define LAST_ADDRESS	(~(uint32_t)0)

void pl330_begin(struct pl330_program *program, void *code, uint32_t room)
{
	program->code = code;
	program->room = room;
	program->length = 0;
	program->fault = PL330_OK;
}

const char *pl330_fault_text(enum pl330_fault fault)
{
	switch (fault) {
	case PL330_OK:
		return "";
	case PL330_NO_ROOM:
		return "the buffer is too short for the program";
	case PL330_BAD_SIZE:
		return "a program copies 1 to 262144 bytes";
	case PL330_BAD_ADDRESS:
		return "source and destination must agree modulo 8 and end below 4 GiB";
	case PL330_BAD_SHAPE:
		return "beats have 1, 2, 4 or 8 bytes, and bursts at least one beat";
	case PL330_BAD_OPERAND:
		return "an operand is outside the range of its instruction";
	}
	return "no such fault";
}

static void fail(struct pl330_program *program, enum pl330_fault fault)
{
	if (program->fault == PL330_OK)
		program->fault = fault;
}

/* One instruction: so many bytes of the array, all or none. */
static void put(struct pl330_program *program, const uint8_t *bytes, uint32_t count)
{
	uint32_t i;

	if (program->fault != PL330_OK)
		return;
	if (count > program->room - program->length) {
		fail(program, PL330_NO_ROOM);
		return;
	}
	for (i = 0; i < count; i++)
		program->code[program->length + i] = bytes[i];
	program->length += count;
}

static void put_opcode(struct pl330_program *program, uint8_t opcode)
{
	put(program, &opcode, 1);
}

static void put_pair(struct pl330_program *program, uint32_t opcode, uint32_t operand)
{
	const uint8_t bytes[2] = { (uint8_t)opcode, (uint8_t)operand };

	put(program, bytes, sizeof(bytes));
}

void pl330_move(struct pl330_program *program, enum pl330_register to, uint32_t value)
{
	const uint8_t bytes[6] = {
		OPCODE_MOVE, (uint8_t)to, (uint8_t)value, (uint8_t)(value >> 8),
		(uint8_t)(value >> 16), (uint8_t)(value >> 24),
	};

	if ((uint32_t)to > PL330_DAR)
		fail(program, PL330_BAD_OPERAND);
	put(program, bytes, sizeof(bytes));
}

/* 1, 2, 4, 8 and 16 as 0 to 4; another number as 5. */
static uint32_t size_code(uint32_t bytes)
{
	uint32_t code = 0;

	while (code < 5 && bytes != 1u << code)
		code++;
	return code;
}

static uint32_t half_of_control(struct pl330_program *program, const struct pl330_burst *burst)
{
	uint32_t size = size_code(burst->beat_bytes);

	if (size > 4 || burst->beats < 1 || burst->beats > MAX_BEATS || burst->protection > 7 ||
	    burst->cache > 7 || burst->increment > 1)
		fail(program, PL330_BAD_OPERAND);
	return burst->increment | size << 1 | ((burst->beats - 1) & 15) << 4 |
	       burst->protection << 8 | burst->cache << 11;
}

void pl330_move_control(struct pl330_program *program, const struct pl330_burst *source,
			const struct pl330_burst *destination)
{
	uint32_t low = half_of_control(program, source);
	uint32_t high = half_of_control(program, destination);

	pl330_move(program, PL330_CCR, low | high << DESTINATION_SHIFT);
}

void pl330_load(struct pl330_program *program)
{
	put_opcode(program, OPCODE_LOAD);
}

void pl330_store(struct pl330_program *program)
{
	put_opcode(program, OPCODE_STORE);
}

void pl330_write_barrier(struct pl330_program *program)
{
	put_opcode(program, OPCODE_WMB);
}

void pl330_end(struct pl330_program *program)
{
	put_opcode(program, OPCODE_END);
}

void pl330_send_event(struct pl330_program *program, uint32_t event)
{
	if (event > 31)
		fail(program, PL330_BAD_OPERAND);
	put_pair(program, OPCODE_SEV, event << 3);
}

void pl330_loop(struct pl330_program *program, uint32_t counter, uint32_t rounds)
{
	if (counter > 1 || rounds < 1 || rounds > MAX_ROUNDS)
		fail(program, PL330_BAD_OPERAND);
	put_pair(program, OPCODE_LOOP | counter << 1, rounds - 1);
}

void pl330_loop_end(struct pl330_program *program, uint32_t counter, uint32_t back)
{
	if (counter > 1 || back > 255)
		fail(program, PL330_BAD_OPERAND);
	put_pair(program, OPCODE_LOOP_END | counter << 2, back);
}

static void shape(struct pl330_program *program, const struct pl330_copy *copy,
		  uint32_t beat_bytes, uint32_t beats)
{
	const struct pl330_burst burst = {
		.increment = 1,
		.beat_bytes = beat_bytes,
		.beats = beats,
		.protection = copy->protection,
		.cache = CACHE,
	};

	pl330_move_control(program, &burst, &burst);
}

static void transfer(struct pl330_program *program, uint32_t rounds)
{
	uint32_t begin;

	if (rounds > 1)
		pl330_loop(program, 0, rounds);
	begin = program->length;
	pl330_load(program);
	pl330_store(program);
	if (rounds > 1)
		pl330_loop_end(program, 0, program->length - begin);
}

/*
 * Full bursts. Of few beats, bursts one beat shorter if only those leave no rest: the second shape
 * that a rest needs takes longer to write than such a copy takes to run.
 */
static uint32_t beats_per_burst(uint32_t beats)
{
	const uint32_t few = 32 * MAX_BEATS;
	const uint32_t shorter = MAX_BEATS - 1;

	if (beats <= few && beats % MAX_BEATS != 0 && beats % shorter == 0)
		return shorter;
	return MAX_BEATS;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static enum pl330_fault check(const struct pl330_copy *copy)
{
	if (copy->bytes == 0 || copy->bytes > PL330_MAX_COPY)
		return PL330_BAD_SIZE;
	if (copy->source % BUS_BYTES != copy->destination % BUS_BYTES ||
	    copy->bytes - 1 > LAST_ADDRESS - copy->source ||
	    copy->bytes - 1 > LAST_ADDRESS - copy->destination)
		return PL330_BAD_ADDRESS;
	if (size_code(copy->beat_bytes) > 3 || copy->burst_bytes < copy->beat_bytes)
		return PL330_BAD_SHAPE;
	return PL330_OK;
}

enum pl330_fault pl330_write_copy(struct pl330_program *program, const struct pl330_copy *copy)
{
	const uint32_t beat = copy->beat_bytes;
	uint32_t left = copy->bytes;
	uint32_t burst_beats, bursts;
	enum pl330_fault fault = check(copy);

	if (fault != PL330_OK) {
		fail(program, fault);
		return program->fault;
	}
	pl330_move(program, PL330_SAR, copy->source);
	pl330_move(program, PL330_DAR, copy->destination);

	if (copy->source % beat != 0) {
		const uint32_t head = least(beat - copy->source % beat, left);

		shape(program, copy, 1, head);
		transfer(program, 1);
		left -= head;
	}
	burst_beats = least(beats_per_burst(left / beat), copy->burst_bytes / beat);
	bursts = left / (beat * burst_beats);
	if (bursts > 0)
		shape(program, copy, beat, burst_beats);
	while (bursts > 0) {
		const uint32_t rounds = least(bursts, MAX_ROUNDS);

		transfer(program, rounds);
		bursts -= rounds;
	}
	if (left / beat % burst_beats > 0) {
		shape(program, copy, beat, left / beat % burst_beats);
		transfer(program, 1);
	}
	if (left % beat > 0) {
		shape(program, copy, 1, left % beat);
		transfer(program, 1);
	}
	if (copy->event != PL330_NO_EVENT) {
		pl330_write_barrier(program);
		pl330_send_event(program, copy->event);
	}
	pl330_end(program);
	return program->fault;
}

void pl330_debug_go(uint32_t words[2], uint32_t channel, uint32_t nonsecure, uint32_t address)
{
	/* The first two bytes of the instruction are the upper half; the manager executes it. */
	words[0] = (channel & 7) << 24 | (OPCODE_GO | (nonsecure ? 2u : 0u)) << 16;
	words[1] = address;
}

void pl330_debug_kill(uint32_t words[2], uint32_t thread)
{
	words[0] = OPCODE_KILL << 16;
	/* Bit 0: a channel executes it, not the manager. */
	if (thread != PL330_MANAGER)
		words[0] |= (thread & 7) << 8 | 1;
	words[1] = 0;
}
