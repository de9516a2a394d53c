// SPDX-License-Identifier: Apache-2.0
/* Source: Cortex-A9 TRM (ACTLR), L2C-310 TRM (registers), ARM DDI 0406 B3.5 (descriptors). */
#include "caches.h"

#include "board.h"
#include "cp15.h"
#include "register.h"

enum {
	L2_CONTROL = 0x100,
	L2_AUXILIARY = 0x104,
	L2_TAG_LATENCY = 0x108,
	L2_DATA_LATENCY = 0x10C,
	L2_COUNTERS = 0x200,
	L2_SYNC = 0x730,
	L2_INVALIDATE_LINE = 0x770,
	L2_INVALIDATE_WAYS = 0x77C,
	L2_CLEAN_LINE = 0x7B0,
	L2_CLEAN_INVALIDATE_WAYS = 0x7FC,
	L2_LOCK = 0x900,
	L2_LOCK_STRIDE = 8,
	L2_WAYS = 0xFF,
	AUX_FULL_LINE_OF_ZEROS = 1u << 0,
	AUX_DEVICE_LIMIT = 1u << 11,
	AUX_WAY_64K = 3u << 17,
	AUX_DATA_PREFETCH = 1u << 28,
	AUX_INSTRUCTION_PREFETCH = 1u << 29,
	AUX_EARLY_RESPONSE = 1u << 30,
	SCU_CONTROL = 0x000,
	SCU_ENABLE = 1u << 0,
	SCU_SPECULATIVE = 1u << 3,
	L1_SETS = 256,
	L1_WAYS = 4,
};

/* A section's descriptor: write-back without allocation on writes, shared or not; and a device. */
enum {
	SECTION_SHAREABLE = 0x00017C0E,
	SECTION_NONSHAREABLE = 0x00007C0E,
	SECTION_DEVICE = 0x00002C02,
};

static uint32_t table[4096] __attribute__((section(".tables"), aligned(16384)));

static uint32_t l2(unsigned offset)
{
	return register_read(PERIPHERAL_CACHE_CONTROLLER + offset);
}

static void l2_set(unsigned offset, uint32_t value)
{
	register_write(PERIPHERAL_CACHE_CONTROLLER + offset, value);
}

static void each_line_of_l1(void (*act)(uint32_t))
{
	for (uint32_t way = 0; way < L1_WAYS; way++)
		for (uint32_t set = 0; set < L1_SETS; set++)
			act(way << 30 | set << 5);
	dsb();
}

static void all_off(void)
{
	const uint32_t sctlr = cp15_read_sctlr();

	if (sctlr & SCTLR_C)
		each_line_of_l1(cp15_write_dccisw);
	if (l2(L2_CONTROL) & 1) {
		l2_set(L2_CLEAN_INVALIDATE_WAYS, L2_WAYS);
		while (l2(L2_CLEAN_INVALIDATE_WAYS) & L2_WAYS)
			;
		l2_set(L2_SYNC, 0);
		l2_set(L2_CONTROL, 0);
	}
	cp15_write_sctlr(sctlr & ~(uint32_t)(SCTLR_M | SCTLR_C | SCTLR_I | SCTLR_Z | SCTLR_A));
	isb();
	cp15_write_actlr(0);
	each_line_of_l1(cp15_write_dcisw);
	cp15_write_iciallu(0);
	cp15_write_bpiall(0);
	cp15_write_tlbiall(0);
	dsb();
	isb();
	register_write(PERIPHERAL_PRIVATE + SCU_CONTROL, 0);
	caches_lock(0, 0);
}

static void fill_table(enum memory memory)
{
	const uint32_t normal =
		memory == MEMORY_SHAREABLE ? SECTION_SHAREABLE : SECTION_NONSHAREABLE;

	for (uint32_t i = 0; i < 4096; i++)
		table[i] = i << 20 | (i < MEMORY_BYTES >> 20 ? normal : (uint32_t)SECTION_DEVICE);
}

static void mmu_on(enum memory memory)
{
	fill_table(memory);
	dsb();
	cp15_write_ttbcr(0);
	cp15_write_ttbr0((uint32_t)table | 0x48);
	cp15_write_dacr(0xFFFFFFFF);
	cp15_write_tlbiall(0);
	dsb();
	isb();
	cp15_write_sctlr(cp15_read_sctlr() | SCTLR_M);
	isb();
}

/* The controller takes its auxiliary register only while it is off: all of it at once. */
static void l2_initialise(unsigned level, bool published_bit)
{
	uint32_t aux = AUX_WAY_64K | AUX_DATA_PREFETCH | AUX_INSTRUCTION_PREFETCH;

	if (level >= 10)
		aux |= published_bit ? AUX_EARLY_RESPONSE : AUX_FULL_LINE_OF_ZEROS;
	if (level >= 12)
		aux |= AUX_EARLY_RESPONSE;
	if (level >= 13)
		aux |= AUX_DEVICE_LIMIT;
	l2_set(L2_AUXILIARY, aux);
	l2_set(L2_TAG_LATENCY, 0);
	l2_set(L2_DATA_LATENCY, 0);
	l2_set(L2_INVALIDATE_WAYS, L2_WAYS);
	while (l2(L2_INVALIDATE_WAYS) & L2_WAYS)
		;
	l2_set(L2_SYNC, 0);
	l2_set(L2_COUNTERS, 1);
}

void caches_set(unsigned level, enum memory memory, bool published_bit)
{
	uint32_t sctlr;
	uint32_t actlr = 0;

	all_off();
	if (level == 0) {
		cp15_write_sctlr(cp15_read_sctlr() | SCTLR_I | SCTLR_Z);
		isb();
		return;
	}
	if (level >= 2)
		l2_initialise(level, published_bit);
	if (level >= 3)
		register_write(PERIPHERAL_PRIVATE + SCU_CONTROL,
			       SCU_ENABLE | (level >= 11 ? SCU_SPECULATIVE : 0u));
	if (SHAREABLE_IN_L1 && level >= 3 && memory == MEMORY_SHAREABLE)
		actlr |= ACTLR_SMP;
	if (level >= 7)
		actlr |= ACTLR_L1_PREFETCH;
	if (level >= 9)
		actlr |= ACTLR_L2_PREFETCH_HINT;
	cp15_write_actlr(actlr);
	mmu_on(memory);
	if (level >= 8)
		l2_set(L2_CONTROL, 1);
	sctlr = cp15_read_sctlr();
	if (level >= 4)
		sctlr |= SCTLR_I;
	if (level >= 5)
		sctlr |= SCTLR_Z;
	if (level >= 6)
		sctlr |= SCTLR_C;
	cp15_write_sctlr(sctlr);
	isb();
	/* The core may write lines of zeros only when the controller behind it takes them. */
	if (level >= 10)
		cp15_write_actlr(actlr | ACTLR_FULL_LINE_OF_ZEROS);
	isb();
}

static void by_line(const void *start, size_t bytes, void (*inner)(uint32_t), unsigned outer)
{
	const uint32_t end = (uint32_t)start + bytes;
	const bool second = l2(L2_CONTROL) & 1;

	for (uint32_t line = (uint32_t)start & ~(CACHE_LINE - 1u); line < end; line += CACHE_LINE)
		inner(line);
	dsb();
	if (!second)
		return;
	for (uint32_t line = (uint32_t)start & ~(CACHE_LINE - 1u); line < end; line += CACHE_LINE)
		l2_set(outer, line);
	l2_set(L2_SYNC, 0);
	dsb();
}

void caches_clean(const void *start, size_t bytes)
{
	by_line(start, bytes, cp15_write_dccmvac, L2_CLEAN_LINE);
}

void caches_invalidate(const void *start, size_t bytes)
{
	by_line(start, bytes, cp15_write_dcimvac, L2_INVALIDATE_LINE);
	/* The first level may have taken a line again from the second meanwhile. */
	by_line(start, bytes, cp15_write_dcimvac, L2_SYNC);
}

void caches_lock(uint32_t processor_ways, uint32_t coherent_ways)
{
	/* Identifiers 0 and 1 are the processors, 3 and 4 the coherency port's reads and writes. */
	for (unsigned id = 0; id < 5; id++) {
		const uint32_t ways = id < 2 ? processor_ways : id == 2 ? 0 : coherent_ways;

		l2_set(L2_LOCK + L2_LOCK_STRIDE * id, ways);
		l2_set(L2_LOCK + L2_LOCK_STRIDE * id + 4, ways);
	}
}
