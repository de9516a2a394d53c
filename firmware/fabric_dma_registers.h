/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Registers of a DMA controller in the fabric, 32 bits each, as offsets from its first byte.
 * Source: Intel, Embedded Peripherals IP User Guide, "DMA Controller Core". Which controllers a
 * design has, and where, is the study's: the first one is at the FPGA-to-HPS bridge, the others at
 * the FPGA-to-SDRAM ports; each has a memory of its own in the fabric.
 */
#ifndef FABRIC_DMA_REGISTERS_H
#define FABRIC_DMA_REGISTERS_H

#define FABRIC_DMA_STATUS	0x00
#define FABRIC_DMA_READ		0x04	/* address */
#define FABRIC_DMA_WRITE	0x08	/* address */
#define FABRIC_DMA_LENGTH	0x0c	/* in bytes, 24 bits */
#define FABRIC_DMA_CONTROL	0x18

/* STATUS */
#define FABRIC_DMA_DONE		(1u << 0)	/* written with 0: over */
#define FABRIC_DMA_BUSY		(1u << 1)

/* CONTROL */
#define FABRIC_DMA_BYTE		(1u << 0)	/* width of a beat: one of these */
#define FABRIC_DMA_HALFWORD	(1u << 1)
#define FABRIC_DMA_WORD		(1u << 2)
#define FABRIC_DMA_DOUBLEWORD	(1u << 10)
#define FABRIC_DMA_QUADWORD	(1u << 11)
#define FABRIC_DMA_GO		(1u << 3)
#define FABRIC_DMA_LENGTH_ENDS	(1u << 7)
#define FABRIC_DMA_READ_STAYS	(1u << 8)	/* the address is the same for every beat */
#define FABRIC_DMA_WRITE_STAYS	(1u << 9)
#define FABRIC_DMA_RESET	(1u << 12)	/* the second write in a row resets */
#define FABRIC_DMA_AFTER_RESET	(FABRIC_DMA_WORD | FABRIC_DMA_LENGTH_ENDS)

/* The controllers, from the first one's registers on. */
#define FABRIC_DMA_MOST		5u
#define FABRIC_DMA_STRIDE	0x100u
#define FABRIC_DMA_MEMORY(n)	(0x10000u * ((n) + 1u))
#define FABRIC_DMA_MEMORY_BYTES	0x1000u

#endif
