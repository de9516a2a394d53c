// SPDX-License-Identifier: GPL-2.0-only
/* A card that a front end has found: its nodes, their interrupts, its device files, its removal. */
#include <linux/idr.h>
#include <linux/interrupt.h>
#include <linux/slab.h>

#include "blocks.h"
#include "card.h"
#include "dma.h"
#include "fifo.h"
#include "files.h"
#include "probe.h"
#include "register.h"
#include "sysfs.h"
#include "waiting.h"

static DEFINE_IDA(datra_indices);

static void datra_node_interrupt(struct datra_node *node)
{
	u32 status;

	spin_lock(&node->armed_lock);
	status = node_read(node, NODE_IRQ_STATUS);
	if (status) {
		node_write(node, NODE_IRQ_CLEAR, status);
		node->armed &= ~status;
	}
	spin_unlock(&node->armed_lock);
	if (!status)
		return;
	if (node->type == DATRA_NODE_TYPE_CPU)
		datra_fifo_interrupt(node, status);
	else if (node->type == DATRA_NODE_TYPE_DMA)
		datra_dma_interrupt(node, status);
}

/*
 * Returns true if the rings in memory tell all that this interrupt can mean: then the driver need not
 * read a register. Sets *some if a ring has told something.
 */
static bool datra_rings_interrupt(struct datra_card *card, bool *some)
{
	bool all = true;
	unsigned int i, count;

	count = smp_load_acquire(&card->node_count);	/* with what is probed of them */

	for (i = 0; i < count; i++) {
		struct datra_node *node = &card->node[i];

		if (!READ_ONCE(node->armed))
			continue;
		if (node->type == DATRA_NODE_TYPE_DMA && datra_dma_ring_interrupt(node))
			*some = true;
		else
			all = false;
	}
	return all && *some;
}

static irqreturn_t datra_interrupt(int irq, void *data)
{
	struct datra_card *card = data;
	bool some = false;
	u32 pending;
	unsigned int i;

	atomic64_inc(&card->interrupts);
	if (!datra_rings_interrupt(card, &some)) {
		pending = datra_read(card, DATRA_CONTROL_IRQ_PENDING);
		if ((!pending && !some) || pending == ~0U)
			return IRQ_NONE;
		for (i = 0; i < card->node_count; i++)
			if (FIELD_GET(DATRA_CONTROL_IRQ_PENDING_NODES, pending) & BIT(i))
				datra_node_interrupt(&card->node[i]);
	}
	datra_write(card, DATRA_CONTROL_IRQ_REARM, 0);
	return IRQ_HANDLED;
}

static int card_files(struct datra_card *card)
{
	unsigned int i, q, writes = 0, reads = 0, streams = 0, count = 1 + card->node_count;
	struct datra_file *file;

	for (i = 0; i < card->node_count; i++)
		if (card->node[i].type == DATRA_NODE_TYPE_CPU)
			count += card->node[i].inputs + card->node[i].outputs;
		else if (card->node[i].type == DATRA_NODE_TYPE_DMA)
			count++;
	card->file = kcalloc(count, sizeof(*card->file), GFP_KERNEL);
	if (!card->file)
		return -ENOMEM;

	datra_file_add(card, &datra_control_kind, NULL, 0);
	for (i = 0; i < card->node_count; i++) {
		struct datra_node *node = &card->node[i];

		datra_file_add(card, &datra_config_kind, node, i);
		if (node->type == DATRA_NODE_TYPE_DMA)
			datra_file_add(card, &datra_dma_kind, node, streams++);
		if (node->type != DATRA_NODE_TYPE_CPU)
			continue;
		for (q = 0; q < node->outputs; q++) {
			file = datra_file_add(card, &datra_fifo_to_logic, node, writes++);
			file->fifo = datra_fifo_of(node, q, false);
		}
		for (q = 0; q < node->inputs; q++) {
			file = datra_file_add(card, &datra_fifo_from_logic, node, reads++);
			file->fifo = datra_fifo_of(node, q, true);
			file->from_logic = true;
		}
	}
	return datra_files_create(card);
}

static int datra_node_probe(struct datra_node *node)
{
	u32 revision = FIELD_GET(DATRA_NODE_VERSION_REVISION, node_read(node, DATRA_NODE_VERSION));
	u32 queues = node_read(node, DATRA_NODE_QUEUES);

	node->type = FIELD_GET(DATRA_NODE_TYPE_KIND, node_read(node, DATRA_NODE_TYPE));
	node->inputs = FIELD_GET(DATRA_NODE_QUEUES_INPUTS, queues);
	node->outputs = FIELD_GET(DATRA_NODE_QUEUES_OUTPUTS, queues);
	if (node->type != DATRA_NODE_TYPE_CPU && node->type != DATRA_NODE_TYPE_DMA)
		return 0;
	if (revision != 1) {
		dev_err(node->card->dev, "node %u: revision %u is not known\n", node->index,
			revision);
		return -EINVAL;
	}
	if (node->type == DATRA_NODE_TYPE_DMA)
		return datra_dma_init(node);
	return datra_fifo_init(node);
}

static void datra_card_undo(struct datra_card *card)
{
	unsigned int i;

	datra_files_destroy(card);
	free_irq(card->irq, card);
	for (i = 0; i < card->node_count; i++)
		if (card->node[i].type == DATRA_NODE_TYPE_DMA)
			datra_dma_exit(&card->node[i]);
	datra_blocks_leave(card);
	if (card->index >= 0) {
		datra_proc_show(card->index, NULL);
		ida_free(&datra_indices, card->index);
	}
}

/**
 * datra_card_probe() - makes a card ready for programs: interrupt, nodes, device files
 * @card: the card; its registers are mapped, its interrupt is known, and the device's DMA mask is set
 *
 * Nobody but the interrupt's handler knows the card before its files are there.
 *
 * Sleeps.
 *
 * Return: 0 or an error, after which the card has only to be put.
 */
int datra_card_probe(struct datra_card *card)
{
	u32 counts[2], year;
	unsigned int i, nodes = 0;
	int result;

	card->version = datra_read(card, DATRA_CONTROL_VERSION);
	year = FIELD_GET(DATRA_CONTROL_VERSION_YEAR, card->version);
	if (year != FIELD_GET(DATRA_CONTROL_VERSION_YEAR, DATRA_CONTROL_VERSION_RESET)) {
		dev_err(card->dev, "version register reads 0x%08x: no Datra logic\n", card->version);
		return -ENODEV;
	}
	card->extended = FIELD_GET(DATRA_CONTROL_EXTENSIONS_MARK,
				   datra_read(card, DATRA_CONTROL_EXTENSIONS)) ==
			 FIELD_GET(DATRA_CONTROL_EXTENSIONS_MARK, DATRA_CONTROL_EXTENSIONS_RESET);
	counts[0] = datra_read(card, DATRA_CONTROL_NODE_COUNT);
	counts[1] = datra_read(card, DATRA_CONTROL_NODE_COUNT_HIGH);
	for (i = 0; i < 2; i++)
		nodes += (counts[i] & 0xFF) + (counts[i] >> 8 & 0xFF) + (counts[i] >> 16 & 0xFF) +
			 (counts[i] >> 24);
	if (nodes == 0 || nodes > DATRA_MAX_NODES ||
	    DATRA_CARD_NODE_WINDOW(nodes - 1) + DATRA_CARD_NODE_WINDOW_BYTES > card->bytes) {
		dev_err(card->dev, "%u nodes do not fit\n", nodes);
		return -ENODEV;
	}
	card->node = kcalloc(nodes, sizeof(*card->node), GFP_KERNEL);
	if (!card->node)
		return -ENOMEM;
	for (i = 0; i < nodes; i++) {
		card->node[i].card = card;
		card->node[i].index = i;
		spin_lock_init(&card->node[i].armed_lock);
	}
	/* What an earlier driver has left armed or queued must not be told of. */
	datra_write(card, DATRA_CONTROL_BACKPLANE_CLEAR, ~0U);
	for (i = 0; i < nodes; i++)
		node_write(&card->node[i], NODE_IRQ_CLEAR, ~0U);
	datra_write(card, DATRA_CONTROL_IRQ_REARM, 0);
	card->index = ida_alloc_max(&datra_indices, DATRA_MAX_CARDS - 1, GFP_KERNEL);
	if (card->index < 0)
		return card->index;
	result = request_irq(card->irq, datra_interrupt, card->irq_flags, "datra", card);
	if (result) {
		ida_free(&datra_indices, card->index);
		return dev_err_probe(card->dev, result, "interrupt %d\n", card->irq);
	}
	for (i = 0; i < nodes; i++) {
		smp_store_release(&card->node_count, i + 1);	/* the interrupt looks at it */
		result = datra_node_probe(&card->node[i]);
		if (result)
			goto undo;
	}
	datra_write(card, DATRA_CONTROL_BACKPLANE_SET, (2ULL << nodes) - 1);
	datra_proc_show(card->index, card);
	result = card_files(card);
	if (result)
		goto undo;
	dev_info(card->dev, "datra%d: version %u.%u.%u, %u nodes%s\n", card->index, year,
		 (u32)FIELD_GET(DATRA_CONTROL_VERSION_MAJOR, card->version),
		 (u32)FIELD_GET(DATRA_CONTROL_VERSION_MINOR, card->version), nodes,
		 card->extended ? ", extended" : "");
	return 0;
undo:
	datra_card_undo(card);
	return result;
}

/**
 * datra_card_remove() - takes a card away from its programs, which may still have files open
 * @card: the card
 *
 * Afterwards the driver accesses no register, the device has no memory, and what programs have mapped
 * faults. Sleeps until all calls that are under way have noticed.
 */
void datra_card_remove(struct datra_card *card)
{
	unsigned int i;

	datra_files_destroy(card);
	WRITE_ONCE(card->gone, true);
	for (i = 0; i < card->node_count; i++) {
		struct datra_node *node = &card->node[i];

		if (node->type == DATRA_NODE_TYPE_CPU)
			datra_fifo_wake(node);
		else if (node->type == DATRA_NODE_TYPE_DMA)
			datra_dma_wake(node);
	}
	synchronize_srcu(&card->srcu);
	datra_blocks_settle(card);
	datra_files_unmap(card);
	datra_card_undo(card);
}
