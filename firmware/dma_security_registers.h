/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Where a board sets the PL330's security: it takes what is written there when it leaves its reset.
 * Source: Cyclone V handbook, "System Manager" and "Reset Manager"; Zynq-7000 manual, "SLCR".
 * Which of the two a board has is the kind of its platform file's peripheral.dma_security.
 */
#ifndef DMA_SECURITY_REGISTERS_H
#define DMA_SECURITY_REGISTERS_H

/* Offsets from the system manager's, and from the reset manager's first register. */
#define SYSTEM_MANAGER_DMA		0x70
#define SYSTEM_MANAGER_DMA_NONSECURE	(1u << 4)	/* the controller's manager */
#define SYSTEM_MANAGER_DMA_EVENTS(mask)	((mask) << 5)	/* a bit for each that is non-secure */
#define RESET_MANAGER_PERIPHERALS	0x14
#define RESET_MANAGER_DMA		(1u << 28)

/* Offsets from the first register of the SLCR. */
#define SLCR_LOCK			0x004
#define SLCR_LOCK_KEY			0x767b
#define SLCR_UNLOCK			0x008
#define SLCR_UNLOCK_KEY			0xdf0d
#define SLCR_DMA_RESET			0x20c
#define SLCR_DMA_NONSECURE		0x440
#define SLCR_DMA_EVENTS			0x444	/* a bit for each that is non-secure */

#define DMA_EVENTS			8	/* that have an interrupt */

#endif
