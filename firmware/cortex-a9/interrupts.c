// SPDX-License-Identifier: Apache-2.0
/* Source: Cortex-A9 MPCore TRM, chapter 3; ARM IHI 0048 (GIC, version 1). */
#include "interrupts.h"

#include <stddef.h>

#include "board.h"
#include "cp15.h"
#include "register.h"

enum {
	CONTROL = 0x100,	/* the interface to the core */
	MASK = 0x104,
	ACKNOWLEDGE = 0x10C,
	END = 0x110,
	DISTRIBUTOR = 0x1000,
	ENABLE = 0x1100,
	DISABLE = 0x1180,
	PRIORITY = 0x1400,
	TARGET = 0x1800,
	ALL_PRIORITIES = 0xF8,
	MIDDLE = 0x80,
	NONE = 1023,
};

static void (*served)(void);	/* with the core's registers alone: start.S saves no others */

static void set(uint32_t offset, uint32_t value)
{
	register_write(PERIPHERAL_PRIVATE + offset, value);
}

static void set_byte(uint32_t offset, uint32_t number, uint32_t value)
{
	const uint32_t at = PERIPHERAL_PRIVATE + offset + number / 4 * 4;
	const uint32_t shift = number % 4 * 8;

	register_write(at, (register_read(at) & ~(0xFFu << shift)) | value << shift);
}

void interrupts_take(uint32_t number, void (*serve)(void))
{
	served = serve;
	set_byte(PRIORITY, number, MIDDLE);
	set_byte(TARGET, number, 1);
	set(ENABLE + number / 32 * 4, 1u << number % 32);
	set(DISTRIBUTOR, 1);
	set(MASK, ALL_PRIORITIES);
	set(CONTROL, 1);
	dsb();
}

void interrupts_leave(uint32_t number)
{
	set(DISABLE + number / 32 * 4, 1u << number % 32);
	dsb();
}

void interrupts_await(volatile uint32_t *word)
{
	/* An interrupt between the look and the sleep is not lost: masked, it ends the sleep. */
	while (!*word)
		__asm__ volatile("dsb\n\twfi\n\tcpsie i\n\tisb\n\tcpsid i" : : : "memory");
}

__attribute__((target("general-regs-only"))) void interrupts_serve(void)
{
	const uint32_t number = register_read(PERIPHERAL_PRIVATE + ACKNOWLEDGE);

	if ((number & NONE) == NONE)
		return;
	if (served)
		served();
	dsb();
	set(END, number);
}
