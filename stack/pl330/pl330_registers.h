/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Registers of the ARM CoreLink DMA-330 (PL330), 32 bits each, as offsets from its first byte.
 * Source: ARM DDI 0424, chapter 3.
 */
#ifndef PL330_REGISTERS_H
#define PL330_REGISTERS_H

#define PL330_DSR		0x000	/* state of the manager */
#define PL330_INTEN		0x020	/* a bit for each event: it raises its interrupt */
#define PL330_INTMIS		0x028	/* interrupts that are raised */
#define PL330_INTCLR		0x02c
#define PL330_FSRD		0x030	/* 1: the manager is at fault */
#define PL330_FSRC		0x034	/* a bit for each channel that is at fault */
#define PL330_FTRD		0x038	/* why the manager is at fault */
#define PL330_FTR(channel)	(0x040 + 4 * (channel))	/* why a channel is at fault */
#define PL330_CSR(channel)	(0x100 + 8 * (channel))	/* state of a channel */
#define PL330_CPC(channel)	(0x104 + 8 * (channel))	/* address of a channel's instruction */
#define PL330_DBGSTATUS		0xd00	/* bit 0: the debug registers are busy */
#define PL330_DBGCMD		0xd04	/* 0 executes what DBGINST0 and DBGINST1 hold */
#define PL330_DBGINST0		0xd08
#define PL330_DBGINST1		0xd0c
#define PL330_CR0		0xe00	/* configuration: see PL330_CR0_* */
#define PL330_PERIPH_ID0	0xfe0	/* four of them, a byte each: part 0x330, designer ARM */

#define PL330_BYTES		0x1000	/* of address space */

/* CR0 */
#define PL330_CR0_CHANNELS(cr0)		((((cr0) >> 4) & 7) + 1)
#define PL330_CR0_EVENTS(cr0)		((((cr0) >> 17) & 31) + 1)
#define PL330_CR0_MANAGER_NONSECURE	(1u << 2)	/* at reset */

/* Part number and designer in the bytes of PERIPH_ID0..2. */
#define PL330_IDENTITY		0x41330
#define PL330_IDENTITY_MASK	0xfffff

/* DSR and CSR: the lowest bits are the state; with another one, a thread is at work. */
#define PL330_STATE(csr)	((csr) & 15)
#define PL330_STOPPED		0x0
#define PL330_KILLING		0x8
#define PL330_FAULTING_COMPLETING	0xe
#define PL330_FAULTING		0xf
#define PL330_CSR_NONSECURE	(1u << 21)
#define PL330_DSR_NONSECURE	(1u << 9)

/* FTR of a channel; FTRD of the manager has the first two, DMAGO, FETCH and DEBUG. */
#define PL330_FTR_UNDEFINED	(1u << 0)	/* there is no such instruction */
#define PL330_FTR_OPERAND	(1u << 1)	/* an operand is not allowed */
#define PL330_FTR_DMAGO		(1u << 4)	/* manager: DMAGO without the right to */
#define PL330_FTR_EVENT		(1u << 5)	/* an event that is secure */
#define PL330_FTR_PERIPHERAL	(1u << 6)	/* a peripheral that is secure */
#define PL330_FTR_SECURITY	(1u << 7)	/* a non-secure channel asks for secure accesses */
#define PL330_FTR_FIFO_SIZE	(1u << 12)	/* the FIFO can never take the burst */
#define PL330_FTR_FIFO_EMPTY	(1u << 13)	/* a store without the data for it */
#define PL330_FTR_FETCH		(1u << 16)	/* bus error: instruction */
#define PL330_FTR_STORE		(1u << 17)	/* bus error: store */
#define PL330_FTR_LOAD		(1u << 18)	/* bus error: load */
#define PL330_FTR_DEBUG		(1u << 30)	/* the instruction came by the debug registers */
#define PL330_FTR_LOCKUP	(1u << 31)	/* the channel waits for room that never comes */

#endif
