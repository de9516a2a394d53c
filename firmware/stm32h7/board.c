/* SPDX-License-Identifier: Apache-2.0 */
/* The chip as the program needs it: clocks, pins, memory protection, caches, memory controller. */
#include "board.h"

#include "chip.h"

/* The core's PLL multiplies 5 MHz, the memory bus's half of the crystal. */
#define CORE_REFERENCE_KHZ 5000u
#define BUS_REFERENCE_KHZ (CRYSTAL_KHZ / 2)
#define BUS_DIVISION 2u
_Static_assert(CRYSTAL_KHZ % CORE_REFERENCE_KHZ == 0 && CORE_KHZ % CORE_REFERENCE_KHZ == 0,
	       "the core's clock is no multiple of its PLL's reference");
_Static_assert(BUS_DIVISION * BUS_KHZ % BUS_REFERENCE_KHZ == 0,
	       "the memory bus's clock is no multiple of its PLL's reference");

static void clocks_start(void)
{
	PWR_CR3 = 1u << 1; /* the linear regulator */
	while ((PWR_CSR1 >> 13 & 1) == 0)
		;
	PWR_D3CR = 0; /* the highest of its voltages */
	while ((PWR_D3CR >> 13 & 1) == 0)
		;
	FLASH_ACR = 3u << 4 | 3u; /* wait states at 250 MHz */
	RCC_CR |= 1u << 16;
	while ((RCC_CR >> 17 & 1) == 0)
		;
	RCC_PLLCKSELR = 2u | CRYSTAL_KHZ / CORE_REFERENCE_KHZ << 4 | 2u << 12;
	/* References of 4 to 8 and of 8 to 16 MHz; outputs P of the first, R of the second. */
	RCC_PLLCFGR = 2u << 2 | 3u << 6 | 1u << 16 | 1u << 21;
	RCC_PLL1DIVR = CORE_KHZ / CORE_REFERENCE_KHZ - 1;
	RCC_PLL2DIVR = BUS_DIVISION * BUS_KHZ / BUS_REFERENCE_KHZ - 1;
	RCC_CR |= 1u << 24 | 1u << 26;
	while ((RCC_CR >> 25 & 1) == 0 || (RCC_CR >> 27 & 1) == 0)
		;
	RCC_D1CFGR = 8u | 5u << 4; /* AHB: half of the core, APB: a quarter of that */
	RCC_D2CFGR = 5u << 4 | 5u << 8;
	RCC_D3CFGR = 5u << 4;
	RCC_CFGR = 3;
	while ((RCC_CFGR >> 3 & 7) != 3)
		;
	RCC_D1CCIPR = 2; /* the memory controller by the second PLL */
	RCC_AHB3ENR = 1u << 12 | 1u;
	RCC_AHB4ENR = 0x1F; /* ports A to E */
	RCC_APB1LENR = 1u;
	RCC_APB2ENR = 1u << 4;
}

enum { PORT_A, PORT_B, PORT_C, PORT_D, PORT_E };

static void pins(unsigned int port, uint32_t which, uint32_t function)
{
	for (unsigned int pin = 0; pin < 16; pin++) {
		if ((which >> pin & 1) == 0)
			continue;
		GPIO_OSPEEDR(port) |= 3u << 2 * pin;
		GPIO_AFR(port, pin / 8) = (GPIO_AFR(port, pin / 8) & ~(15u << 4 * (pin % 8))) |
					  function << 4 * (pin % 8);
		GPIO_MODER(port) = (GPIO_MODER(port) & ~(3u << 2 * pin)) | 2u << 2 * pin;
	}
}

static void pins_start(void)
{
	/* AD0-3, 13-15, A16-18, CLK, NOE, NWE, NWAIT, NE1; AD4-12, NBL; NADV. */
	pins(PORT_D, 0xFFFF & ~(1u << 2), 12);
	pins(PORT_E, 0xFF83, 12);
	pins(PORT_B, 1u << 7, 12);
	GPIO_PUPDR(PORT_D) |= 1u << 2 * 6; /* NWAIT is high where nothing drives it */
	pins(PORT_A, 3u << 9, 7);
}

static void caches_start(void)
{
	/* Each store into the window has left before the next: strongly ordered, not executable. */
	MPU_RNR = 0;
	MPU_RBAR = WINDOW_BASE;
	MPU_RASR = 1u << 28 | 3u << 24 | 19u << 1 | 1u;
	MPU_CTRL = 4u | 1u; /* elsewhere the map that holds without regions */
	barrier();
	SCB_ICIALLU = 0;
	for (uint32_t set = 0; set < 256; set++)
		for (uint32_t way = 0; way < 4; way++)
			SCB_DCISW = way << 30 | set << 5;
	barrier();
	SCB_CCR |= 1u << 17 | 1u << 16;
	barrier();
}

static void bus_start(void)
{
	/* CLKDIV 1 halves the clock; no latency beyond two clocks, no turn-around beyond the gap. */
	FMC_BTR1 = (BUS_DIVISION - 1) << 20;
	FMC_BWTR1 = 0;
	/*
	 * PSRAM, 16 bits, multiplexed, bursts both ways, NWAIT active in the wait state, a clock that
	 * runs on; the bank's place is changed with the SDRAM's, which is a device's by default.
	 */
	FMC_BCR1 = 1u << 31 | 1u << 24 | 1u << 20 | 1u << 19 | 1u << 13 | 1u << 12 | 1u << 11 |
		   1u << 8 | 1u << 7 | 1u << 4 | 1u << 2 | 1u << 1 | 1u;
	barrier();
}

void board_start(void)
{
	clocks_start();
	pins_start();
	caches_start();
	bus_start();
	SCB_DEMCR = 1u << 24;
	DWT_CTRL |= 1u;
	/* Tenths of a millisecond: the timer runs at twice its bus's clock. */
	TIM_PSC = CORE_KHZ / 2 / 2 / 10 - 1;
	TIM_EGR = 1;
	TIM_CR1 = 1;
	USART_BRR = CORE_KHZ * 1000u / 8 / 115200u;
	USART_CR1 = 1u << 3 | 1u << 2 | 1u;
}
