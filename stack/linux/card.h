/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A card, its nodes and their registers.
 *
 * A card that is removed stays in memory until its last file is closed. Each call on a file is a
 * section of the card's SRCU domain, which the call leaves while it sleeps: removal marks the card as
 * gone, wakes everyone, and waits until all sections have ended.
 */
#ifndef DATRA_CARD_H
#define DATRA_CARD_H

#include <linux/device.h>
#include <linux/io.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>

#include "datra-registers.h"

#define DATRA_MAX_NODES		31

struct datra_fifo;
struct datra_file;
struct datra_stream;

/**
 * struct datra_node - one node
 * @card: the card
 * @index: its number
 * @type: what it is
 * @inputs: number of queues from the router
 * @outputs: number of queues to the router
 * @to_logic: the FIFOs of a CPU node, @outputs of them in use
 * @from_logic: the FIFOs of a CPU node, @inputs of them in use
 * @stream: of a DMA node its streams, to logic and from logic
 * @armed_lock: serialises @armed with the register it mirrors
 * @armed: interrupts that have been armed and have not fired
 */
struct datra_node {
	struct datra_card *card;
	unsigned int index;
	enum datra_node_type type;
	unsigned int inputs, outputs;
	struct datra_fifo *to_logic, *from_logic;
	struct datra_stream *stream[2];
	spinlock_t armed_lock;
	u32 armed;
};

/**
 * struct datra_card - one FPGA
 * @dev: the device behind it
 * @base: its registers
 * @start: their physical address
 * @bytes: their length
 * @references: files that are open, and the driver's own
 * @srcu: sections that use registers
 * @gone: it has been removed; checked inside @srcu
 * @index: number of the card, in the names of its files
 * @irq: its interrupt
 * @irq_flags: flags of its request
 * @coherent: accesses of the logic to memory look into the caches
 * @extended: the logic has the registers that the original has not
 * @version: of the logic
 * @node_count: nodes that are ready for interrupts
 * @node: the nodes
 * @file: the device files
 * @file_count: their number
 * @blocks_lock: protects @blocks and what the device knows of them
 * @blocks: the blocks of all streams, also those that only mappings still have
 * @route_lock: serialises changes to the table of routes, which take several accesses
 * @reads: of registers
 * @writes: of registers
 * @interrupts: that have come
 */
struct datra_card {
	struct device *dev;
	void __iomem *base;
	resource_size_t start, bytes;
	struct kref references;
	struct srcu_struct srcu;
	bool gone;
	int index;
	int irq;
	unsigned long irq_flags;
	bool coherent, extended;
	u32 version;
	unsigned int node_count;
	struct datra_node *node;
	struct datra_file *file;
	unsigned int file_count;
	struct mutex blocks_lock;
	struct list_head blocks;
	struct mutex route_lock;
	atomic64_t reads, writes, interrupts;
};

/* The driver counts its accesses to registers: programs can see what a frame costs. */
static inline u32 datra_read(struct datra_card *card, u32 offset)
{
	atomic64_inc(&card->reads);
	return ioread32(card->base + offset);
}

static inline void datra_write(struct datra_card *card, u32 offset, u32 value)
{
	atomic64_inc(&card->writes);
	iowrite32(value, card->base + offset);
}

static inline u32 node_read(struct datra_node *node, u32 offset)
{
	return datra_read(node->card, DATRA_CARD_NODE_PAGE(node->index) + offset);
}

static inline void node_write(struct datra_node *node, u32 offset, u32 value)
{
	datra_write(node->card, DATRA_CARD_NODE_PAGE(node->index) + offset, value);
}

struct datra_card *datra_card_alloc(struct device *dev);
void datra_card_put(struct datra_card *card);
int datra_enter(struct datra_card *card);
void datra_leave(struct datra_card *card, int section);

#endif
