// SPDX-License-Identifier: Apache-2.0
#include "dma_security.h"

#include "board.h"
#include "cp15.h"
#include "dma_security_registers.h"
#include "register.h"

static bool is_nonsecure;
static uint32_t nonsecure_events;

#if defined(DMA_SECURITY_SYSTEM_MANAGER)
static void reset(bool nonsecure, uint32_t events)
{
	const uint32_t at = PERIPHERAL_DMA_RESET + RESET_MANAGER_PERIPHERALS;
	const uint32_t security = (nonsecure ? SYSTEM_MANAGER_DMA_NONSECURE : 0) |
				  SYSTEM_MANAGER_DMA_EVENTS(events);

	register_write(at, register_read(at) | RESET_MANAGER_DMA);
	register_write(PERIPHERAL_DMA_SECURITY + SYSTEM_MANAGER_DMA, security);
	dsb();
	register_write(at, register_read(at) & ~RESET_MANAGER_DMA);
	dsb();
}
#elif defined(DMA_SECURITY_SLCR)
static void reset(bool nonsecure, uint32_t events)
{
	const uint32_t slcr = PERIPHERAL_DMA_SECURITY;

	register_write(slcr + SLCR_UNLOCK, SLCR_UNLOCK_KEY);
	register_write(slcr + SLCR_DMA_RESET, 1);
	register_write(slcr + SLCR_DMA_NONSECURE, nonsecure ? 1 : 0);
	register_write(slcr + SLCR_DMA_EVENTS, events);
	dsb();
	register_write(slcr + SLCR_DMA_RESET, 0);
	register_write(slcr + SLCR_LOCK, SLCR_LOCK_KEY);
	dsb();
}
#else
#error "the board's file says no peripheral.dma_security"
#endif

void dma_security_set(bool nonsecure, bool events_too)
{
	const uint32_t events = nonsecure && events_too ? (1u << DMA_EVENTS) - 1 : 0;

	if (nonsecure != is_nonsecure || events != nonsecure_events)
		reset(nonsecure, events);
	is_nonsecure = nonsecure;
	nonsecure_events = events;
}

uint32_t dma_security_registers(void)
{
	return is_nonsecure ? PERIPHERAL_PL330_NONSECURE : PERIPHERAL_PL330;
}
