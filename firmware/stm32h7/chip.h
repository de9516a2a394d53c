/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers of the STM32H735 by their offsets in each block, after ST's RM0468 and ARM's manual of
 * the Cortex-M7. Where the blocks lie says board.h, which is generated from the platform's file.
 */
#ifndef CHIP_H
#define CHIP_H

#include <stdint.h>

#include "board.h"

#define REGISTER(block, offset) (*(volatile uint32_t *)((block) + (offset)))

/* Code that has to be fast lies in the processor's own memory. */
#define HOT __attribute__((section(".itcm"), noinline))
/* Where the MDMA finds its list: it cannot read one in the processor's own memory. */
#define SHARED __attribute__((section(".sram"), aligned(32)))

#define RCC_CR REGISTER(PERIPHERAL_RCC, 0x00)
#define RCC_CFGR REGISTER(PERIPHERAL_RCC, 0x10)
#define RCC_D1CFGR REGISTER(PERIPHERAL_RCC, 0x18)
#define RCC_D2CFGR REGISTER(PERIPHERAL_RCC, 0x1C)
#define RCC_D3CFGR REGISTER(PERIPHERAL_RCC, 0x20)
#define RCC_PLLCKSELR REGISTER(PERIPHERAL_RCC, 0x28)
#define RCC_PLLCFGR REGISTER(PERIPHERAL_RCC, 0x2C)
#define RCC_PLL1DIVR REGISTER(PERIPHERAL_RCC, 0x30)
#define RCC_PLL2DIVR REGISTER(PERIPHERAL_RCC, 0x38)
#define RCC_D1CCIPR REGISTER(PERIPHERAL_RCC, 0x4C)
#define RCC_AHB3ENR REGISTER(PERIPHERAL_RCC, 0xD4)
#define RCC_AHB4ENR REGISTER(PERIPHERAL_RCC, 0xE0)
#define RCC_APB1LENR REGISTER(PERIPHERAL_RCC, 0xE8)
#define RCC_APB2ENR REGISTER(PERIPHERAL_RCC, 0xF0)

#define PWR_CSR1 REGISTER(PERIPHERAL_PWR, 0x04)
#define PWR_CR3 REGISTER(PERIPHERAL_PWR, 0x0C)
#define PWR_D3CR REGISTER(PERIPHERAL_PWR, 0x18)
#define FLASH_ACR REGISTER(PERIPHERAL_FLASH_CONTROL, 0x00)

#define FMC_BCR1 REGISTER(PERIPHERAL_FMC, 0x000)
#define FMC_BTR1 REGISTER(PERIPHERAL_FMC, 0x004)
#define FMC_BWTR1 REGISTER(PERIPHERAL_FMC, 0x104)

#define GPIO_MODER(port) REGISTER(PERIPHERAL_GPIO, 0x400 * (port) + 0x00)
#define GPIO_OSPEEDR(port) REGISTER(PERIPHERAL_GPIO, 0x400 * (port) + 0x08)
#define GPIO_PUPDR(port) REGISTER(PERIPHERAL_GPIO, 0x400 * (port) + 0x0C)
#define GPIO_AFR(port, high) REGISTER(PERIPHERAL_GPIO, 0x400 * (port) + 0x20 + 4 * (high))

#define USART_CR1 REGISTER(PERIPHERAL_USART, 0x00)
#define USART_BRR REGISTER(PERIPHERAL_USART, 0x0C)
#define USART_ISR REGISTER(PERIPHERAL_USART, 0x1C)
#define USART_RDR REGISTER(PERIPHERAL_USART, 0x24)
#define USART_TDR REGISTER(PERIPHERAL_USART, 0x28)

#define TIM_CR1 REGISTER(PERIPHERAL_TIMER, 0x00)
#define TIM_EGR REGISTER(PERIPHERAL_TIMER, 0x14)
#define TIM_CNT REGISTER(PERIPHERAL_TIMER, 0x24)
#define TIM_PSC REGISTER(PERIPHERAL_TIMER, 0x28)

#define MDMA_ISR(channel) REGISTER(PERIPHERAL_MDMA, 0x40 + 0x40 * (channel))
#define MDMA_IFCR(channel) REGISTER(PERIPHERAL_MDMA, 0x44 + 0x40 * (channel))
#define MDMA_CR(channel) REGISTER(PERIPHERAL_MDMA, 0x4C + 0x40 * (channel))
/* From here on as a node of a list has them. */
#define MDMA_LIST(channel) ((volatile uint32_t *)(PERIPHERAL_MDMA + 0x50 + 0x40 * (channel)))

#define SYST_CSR REGISTER(PERIPHERAL_SYSTEM, 0x010)
#define SYST_RVR REGISTER(PERIPHERAL_SYSTEM, 0x014)
#define SCB_ICSR REGISTER(PERIPHERAL_SYSTEM, 0xD04)
#define ICSR_PENDSTCLR (1u << 25)
#define SCB_CCR REGISTER(PERIPHERAL_SYSTEM, 0xD14)
#define MPU_CTRL REGISTER(PERIPHERAL_SYSTEM, 0xD94)
#define MPU_RNR REGISTER(PERIPHERAL_SYSTEM, 0xD98)
#define MPU_RBAR REGISTER(PERIPHERAL_SYSTEM, 0xD9C)
#define MPU_RASR REGISTER(PERIPHERAL_SYSTEM, 0xDA0)
#define SCB_DEMCR REGISTER(PERIPHERAL_SYSTEM, 0xDFC)
#define SCB_ICIALLU REGISTER(PERIPHERAL_SYSTEM, 0xF50)
#define SCB_DCISW REGISTER(PERIPHERAL_SYSTEM, 0xF60)
#define SCB_DCCMVAC REGISTER(PERIPHERAL_SYSTEM, 0xF68)
#define DWT_CTRL REGISTER(PERIPHERAL_WATCH, 0x00)
#define DWT_CYCCNT REGISTER(PERIPHERAL_WATCH, 0x04)

static inline void barrier(void)
{
	__asm__ volatile("dsb\n\tisb" ::: "memory");
}

/* What is behind the memory bus. */
#define WINDOW_REGISTER(page, offset) REGISTER(WINDOW_BASE + (page), (offset))

#endif
