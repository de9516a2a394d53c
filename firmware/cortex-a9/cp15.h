/* SPDX-License-Identifier: Apache-2.0 */
/* The system coprocessor's registers by their names. Source: ARM DDI 0406, table B3-42. */
#ifndef CP15_H
#define CP15_H

#include <stdint.h>

#define CP15_READ(name, opc1, crn, crm, opc2)                                   \
	static inline uint32_t cp15_read_##name(void)                           \
	{                                                                       \
		uint32_t value;                                                 \
		__asm__ volatile("mrc p15, " #opc1 ", %0, " #crn ", " #crm ", " #opc2 \
				 : "=r"(value));                                \
		return value;                                                   \
	}
#define CP15_WRITE(name, opc1, crn, crm, opc2)                                  \
	static inline void cp15_write_##name(uint32_t value)                    \
	{                                                                       \
		__asm__ volatile("mcr p15, " #opc1 ", %0, " #crn ", " #crm ", " #opc2 \
				 : : "r"(value) : "memory");                    \
	}

CP15_READ(sctlr, 0, c1, c0, 0)
CP15_WRITE(sctlr, 0, c1, c0, 0)
CP15_READ(actlr, 0, c1, c0, 1)
CP15_WRITE(actlr, 0, c1, c0, 1)
CP15_WRITE(ttbr0, 0, c2, c0, 0)
CP15_WRITE(ttbcr, 0, c2, c0, 2)
CP15_WRITE(dacr, 0, c3, c0, 0)
CP15_WRITE(tlbiall, 0, c8, c7, 0)
CP15_WRITE(iciallu, 0, c7, c5, 0)
CP15_WRITE(bpiall, 0, c7, c5, 6)
CP15_WRITE(dccmvac, 0, c7, c10, 1)
CP15_WRITE(dcimvac, 0, c7, c6, 1)
CP15_WRITE(dccimvac, 0, c7, c14, 1)
CP15_WRITE(dcisw, 0, c7, c6, 2)
CP15_WRITE(dccisw, 0, c7, c14, 2)
CP15_WRITE(pmcr, 0, c9, c12, 0)
CP15_WRITE(pmcntenset, 0, c9, c12, 1)
CP15_READ(pmccntr, 0, c9, c13, 0)

enum {
	SCTLR_M = 1u << 0,
	SCTLR_A = 1u << 1,
	SCTLR_C = 1u << 2,
	SCTLR_Z = 1u << 11,
	SCTLR_I = 1u << 12,
	ACTLR_L2_PREFETCH_HINT = 1u << 1,
	ACTLR_L1_PREFETCH = 1u << 2,
	ACTLR_FULL_LINE_OF_ZEROS = 1u << 3,
	ACTLR_SMP = 1u << 6,
};

static inline void dsb(void)
{
	__asm__ volatile("dsb" : : : "memory");
}

static inline void isb(void)
{
	__asm__ volatile("isb" : : : "memory");
}

#endif
