// SPDX-License-Identifier: Apache-2.0
/*
 * Ways to copy 64 KiB from memory into the fabric of a Cyclone V; -DSTEP=words and so on chooses the
 * one that copy() is. The tutorial docs/tutorials/measure.md goes through them. A test compares the
 * addresses with the platform file.
 */
#include <stdint.h>

#include "pl330_program.h"
#include "pl330_registers.h"

#define FABRIC 0xC0000000u		/* the HPS-to-FPGA bridge */
#define COHERENT 0x80000000u		/* the PL330 finds memory there through the caches */
#define PL330 0xFFE01000u		/* its secure registers */
#define CACHE_CONTROLLER 0xFFFEF000u
#define CLEAN_LINE 0x7B0u		/* of the cache controller, as the next one */
#define SYNC 0x730u

enum { BYTES = 64 << 10, LINE = 32 };

static uint8_t source[BYTES] __attribute__((aligned(64)));
static uint8_t stack[1024] __attribute__((aligned(8), used));
static uint8_t code[PL330_COPY_BYTES] __attribute__((aligned(LINE)));

static uint32_t reg_read(uint32_t address)
{
	return *(volatile uint32_t *)address;
}

static void reg_write(uint32_t address, uint32_t value)
{
	*(volatile uint32_t *)address = value;
}

/* One word a turn. */
__attribute__((unused)) static void words(void)
{
	volatile uint32_t *to = (volatile uint32_t *)FABRIC;
	const uint32_t *from = (const uint32_t *)source;

	for (unsigned i = 0; i < BYTES / 4; i++)
		to[i] = from[i];
}

/* Two words in one store. */
__attribute__((unused)) static void pairs(void)
{
	const uint8_t *from = source;

	for (uint32_t to = FABRIC; to < FABRIC + BYTES; to += 8, from += 8)
		__asm__ volatile("ldrd	r4, r5, [%1]\n\t"
				 "strd	r4, r5, [%0]"
				 : : "r"(to), "r"(from) : "r4", "r5", "memory");
}

/* Eight words in one store. */
__attribute__((unused)) static void bursts(void)
{
	const uint8_t *from = source;

	for (uint32_t to = FABRIC; to < FABRIC + BYTES;)
		__asm__ volatile("ldmia	%1!, {r4-r11}\n\t"
				 "stmia	%0!, {r4-r11}"
				 : "+r"(to), "+r"(from) : : "r4", "r5", "r6", "r7", "r8", "r9",
				   "r10", "r11", "memory");
}

/* The source is asked for 128 bytes ahead. */
__attribute__((unused)) static void preloaded(void)
{
	const uint8_t *from = source;

	for (uint32_t to = FABRIC; to < FABRIC + BYTES;)
		__asm__ volatile("pld	[%1, #128]\n\t"
				 "ldmia	%1!, {r4-r11}\n\t"
				 "stmia	%0!, {r4-r11}"
				 : "+r"(to), "+r"(from) : : "r4", "r5", "r6", "r7", "r8", "r9",
				   "r10", "r11", "memory");
}

/* Writes the controller's program for the copy. */
static void prepare(uint32_t from)
{
	const struct pl330_copy copy = PL330_STUDY_COPY(from, FABRIC, BYTES);
	struct pl330_program program;

	pl330_begin(&program, code, sizeof code);
	pl330_write_copy(&program, &copy);
}

/* Writes a range back from both levels of the caches. */
static void clean(const void *start, uint32_t bytes)
{
	const uint32_t first = (uint32_t)start;

	for (uint32_t line = first; line < first + bytes; line += LINE)
		__asm__ volatile("mcr	p15, 0, %0, c7, c10, 1" : : "r"(line) : "memory");
	__asm__ volatile("dsb" : : : "memory");
	for (uint32_t line = first; line < first + bytes; line += LINE)
		reg_write(CACHE_CONTROLLER + CLEAN_LINE, line);
	reg_write(CACHE_CONTROLLER + SYNC, 0);
	__asm__ volatile("dsb" : : : "memory");
}

/* Starts the controller's first channel and looks until it has stopped. */
static void run(void)
{
	uint32_t words[2];

	pl330_debug_go(words, 0, 0, (uint32_t)code);
	reg_write(PL330 + PL330_DBGINST0, words[0]);
	reg_write(PL330 + PL330_DBGINST1, words[1]);
	reg_write(PL330 + PL330_DBGCMD, 0);
	while (PL330_STATE(reg_read(PL330 + PL330_CSR(0))) != PL330_STOPPED)
		;
}

/* The DMA controller copies. Its program still lies in the processor's caches. */
__attribute__((unused)) static void forgotten(void)
{
	prepare((uint32_t)source);
	run();
}

/* Through the coherency port, which finds the source in the caches. */
__attribute__((unused)) static void coherent(void)
{
	prepare((uint32_t)source + COHERENT);
	clean(code, sizeof code);
	run();
}

/* Straight from memory, where a source lies that no cache holds. */
__attribute__((unused)) static void straight(void)
{
	prepare((uint32_t)source);
	clean(code, sizeof code);
	run();
}

/* The same with a source that the processor has written, and that must be written back first. */
__attribute__((unused)) static void cleaned(void)
{
	prepare((uint32_t)source);
	clean(code, sizeof code);
	clean(source, BYTES);
	run();
}

void copy(void)
{
	STEP();
}

/* As a boot loader starts the program: no cache is on. */
__attribute__((naked, noreturn)) void start(void)
{
	__asm__ volatile("ldr sp, =stack + 1024\n\t"
			 "bl copy\n"
			 "1:	wfi\n\t"
			 "b 1b");
}
