/* SPDX-License-Identifier: GPL-2.0-only */
/* Register map, see docs/registers.md. Offsets; a node's are within its page. */
#ifndef DATRA_REGISTERS_H
#define DATRA_REGISTERS_H

#include <linux/bits.h>

#define DATRA_PAGE(node)		(0x800 * ((node) + 1))
#define DATRA_WINDOW(node)		(0x10000 * ((node) + 1))
#define DATRA_WINDOW_BYTES		0x10000

/* Control page */
#define DATRA_STATIC_ID			0x0C
#define DATRA_NODE_COUNT		0x14	/* and 0x18, byte fields */
#define DATRA_ADDRESS_WIDTH		0x1C
#define DATRA_VERSION			0x30
#define DATRA_VERSION_YEAR		2015
#define DATRA_VERSION_STATIC_ID		0x07DF0104U	/* from which on the static id counts */
#define DATRA_LICENCE			0x34
#define DATRA_LICENCE_KEY		0x38
#define DATRA_DEVICE_ID			0x40
#define DATRA_BACKPLANE_STATUS		0x50
#define DATRA_BACKPLANE_SET		0x54
#define DATRA_BACKPLANE_CLEAR		0x58
#define DATRA_IRQ_PENDING		0x60
#define DATRA_IRQ_REARM			0x64
#define DATRA_EXTENSIONS		0x78
#define DATRA_EXTENSIONS_MARK		0x5742
#define DATRA_CLOCK_HZ			0x7C
#define DATRA_ROUTE(node, queue)	(0x610 + 16 * (node) + 4 * (queue))

/* Every node */
#define NODE_TYPE			0x00
#define NODE_VERSION			0x04
#define NODE_QUEUES			0x14
#define NODE_IRQ_MASK			0x20
#define NODE_IRQ_STATUS			0x24
#define NODE_IRQ_SET			0x28
#define NODE_IRQ_CLEAR			0x2C
#define NODE_RESET_WRITE		0x40
#define NODE_RESET_READ			0x44

/* CPU node, FIFO i */
#define CPU_SIGNAL(i)			(0x30 + 4 * (i))
#define CPU_AVAILABLE(i)		(0x400 + 4 * (i))
#define CPU_AVAILABLE_ABOVE(i)		(0x420 + 4 * (i))
#define CPU_FREE(i)			(0x500 + 4 * (i))
#define CPU_FREE_ABOVE(i)		(0x520 + 4 * (i))
#define CPU_FIFO(i)			(0x400 * (i))	/* in the window */
#define CPU_IRQ_TO_LOGIC(i)		BIT(i)
#define CPU_IRQ_FROM_LOGIC(i)		BIT(16 + (i))

/* DMA node; to logic, from logic */
#define DMA_CONTROL(from)		((from) ? 0xB0 : 0x60)
#define DMA_CONTROL_RUN			BIT(0)
#define DMA_CONTROL_RESET		BIT(1)
#define DMA_STATUS(from)		((from) ? 0xB4 : 0x64)
#define DMA_STATUS_RESULTS		GENMASK(31, 24)
#define DMA_STATUS_FREE			GENMASK(23, 16)
#define DMA_ADDRESS(from)		((from) ? 0xC0 : 0x70)
#define DMA_ADDRESS_HIGH(from)		((from) ? 0xCC : 0x7C)
#define DMA_SIGNAL			0x74
#define DMA_BYTES(from)			((from) ? 0xC8 : 0x78)	/* queues the command */
#define DMA_BYTES_LIMIT			(1 << 24)	/* no length is so much */
#define DMA_TO_RESULT			0x80	/* takes it */
#define DMA_TO_RESULT_ERROR		0x88
#define DMA_FROM_RESULT_SIGNAL		0xD4
#define DMA_FROM_RESULT_BYTES		0xD8	/* takes it */
#define DMA_FROM_RESULT_ERROR		0xE0
#define DMA_IRQ_RESULT(from)		BIT((from) ? 16 : 0)
#define DMA_IRQ_RING(from)		BIT((from) ? 17 : 1)
#define DMA_IRQ_FAULT(from)		BIT((from) ? 18 : 2)
#define DMA_IRQ_RESET(from)		BIT((from) ? 31 : 15)
#define DMA_IDENTIFICATION		0x100
#define DMA_IDENTIFICATION_RINGS	0x57424431	/* "WBD1" */
#define DMA_RING(from, offset)		(((from) ? 0x280 : 0x200) + (offset))
#define DMA_LOOK			0x300	/* 0x000-0x0FF without taking anything */

/* Ring of a direction */
#define RING_CONTROL			0x00
#define RING_ENABLE			BIT(0)
#define RING_CYCLIC			BIT(1)
#define RING_STATE			0x04
#define RING_FAULT			BIT(1)
#define RING_DESCRIPTORS		0x08
#define RING_STATUSES			0x10
#define RING_MASK			0x18
#define RING_TAIL			0x1C
#define RING_COALESCE			0x28	/* frames, ticks of 64 cycles << 16 */
#define RING_TIMEOUT			0x2C
#define RING_ATTRIBUTES			0x30
#define RING_COHERENT			0x10F	/* AxUSER 1, AxCACHE 1111 */
#define RING_CUT			0x34
#define RING_COUNTER(i)			(0x40 + 4 * (i))

/* A status of the ring */
#define STATUS_WORDS			GENMASK(21, 0)
#define STATUS_ERROR			GENMASK(24, 23)
#define STATUS_ROUND			BIT(26)

enum datra_node_type {
	NODE_CPU = 2,
	NODE_IO = 3,
	NODE_FIXED = 4,
	NODE_PR = 5,
	NODE_DMA = 6,
	NODE_ICAP = 7,
};

#endif
