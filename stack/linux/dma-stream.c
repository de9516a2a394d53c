// SPDX-License-Identifier: GPL-2.0-only
/* The life of a stream, and the memory that it has. */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "blocks.h"
#include "card.h"
#include "dma.h"

#define ENTRIES_BYTES	(FLIGHT * (sizeof(struct datra_descriptor) + sizeof(__le64)))

/* Accesses that look into the caches: AxCACHE 1111, AxUSER 1. */
#define RING_COHERENT	(FIELD_PREP(DATRA_DMA_RING_ATTRIBUTES_CACHE, 0xF) | \
			 FIELD_PREP(DATRA_DMA_RING_ATTRIBUTES_USER, 1))

static bool rings = true;
module_param(rings, bool, 0444);
MODULE_PARM_DESC(rings, "Use rings of descriptors in memory where the logic has them");

/* Back to ring mode. The engine has no frame, or the device is gone. */
static void drop_blocks(struct datra_stream *s)
{
	struct datra_blocks *blocks;

	mutex_lock(&s->map_lock);
	blocks = s->blocks;
	s->blocks = NULL;
	mutex_unlock(&s->map_lock);
	s->mode = &datra_ring_mode;
	if (blocks)
		datra_blocks_put(blocks);
}

/**
 * stream_free_blocks() - resets the stream, and takes it back to ring mode
 * @s: the stream; its lock is held, and let go while it is reset
 *
 * Sleeps.
 *
 * Return: 0, or the error of stream_reset(): then the stream keeps its blocks, as the engine may still
 * write to them.
 */
int stream_free_blocks(struct datra_stream *s)
{
	int result = stream_reset(s);

	if (result == 0)
		drop_blocks(s);
	return result;
}

/**
 * stream_take_blocks() - gives a stream its blocks, and the mode that uses them
 * @s: the stream, which has no blocks and no frames; its lock is held
 * @mode: the mode
 * @blocks: the blocks, with the stream's reference to them
 *
 * May sleep.
 */
void stream_take_blocks(struct datra_stream *s, const struct datra_mode *mode,
			struct datra_blocks *blocks)
{
	memset(s->block, 0, sizeof(s->block));
	s->mode = mode;
	mutex_lock(&s->map_lock);
	s->blocks = blocks;
	mutex_unlock(&s->map_lock);
}

/**
 * stream_begin() - makes a stream ready for the program that has opened it
 * @s: the stream
 *
 * May sleep.
 *
 * Return: 0, or -EIO if the engine is stuck.
 */
int stream_begin(struct datra_stream *s)
{
	int result = 0;

	mutex_lock(&s->lock);
	if (s->stuck)
		result = stream_reset(s) ? -EIO : 0;
	if (result == 0 && s->blocks)
		drop_blocks(s);		/* of a program that could not stop the engine */
	if (result == 0 && !s->from) {
		s->signal = 0;
		s->block_bytes = DATRA_BLOCK_BYTES;
	}
	if (result == 0 && s->timeout) {
		s->timeout = 0;
		stream_write(s, DMA_RING(true, TIMEOUT), 0);
	}
	mutex_unlock(&s->lock);
	return result;
}

/**
 * stream_end() - gives back the blocks of the program that closes the stream
 * @s: the stream
 *
 * May sleep.
 */
void stream_end(struct datra_stream *s)
{
	int section = datra_enter(s->node->card);

	mutex_lock(&s->lock);
	/* If the engine cannot be stopped, its memory must not become someone else's. */
	if (s->blocks && section < 0)
		drop_blocks(s);
	else if (s->blocks)
		stream_free_blocks(s);
	mutex_unlock(&s->lock);
	if (section >= 0)
		datra_leave(s->node->card, section);
}

/**
 * datra_dma_init() - makes the streams of a DMA node, and starts their engines
 * @node: the node, whose interrupt may come already
 *
 * Sleeps.
 *
 * Return: 0, -ENOMEM or -ETIMEDOUT; datra_dma_exit() undoes what has been done.
 */
int datra_dma_init(struct datra_node *node)
{
	struct device *dev = node->card->dev;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct datra_stream *s = kzalloc(sizeof(*s), GFP_KERNEL);
		int result;

		if (!s)
			return -ENOMEM;
		s->node = node;
		s->from = i;
		s->mode = &datra_ring_mode;
		s->block_bytes = DATRA_BLOCK_BYTES;
		mutex_init(&s->lock);
		mutex_init(&s->map_lock);
		datra_event_init(&s->event);
		s->extended = node->card->extended &&
			      node_read(node, DATRA_DMA_IDENTIFICATION) ==
				      DATRA_DMA_IDENTIFICATION_RESET;
		s->rings = rings && s->extended;
		if (s->extended && s->from)
			stream_write(s, DMA_RING(true, TIMEOUT), 0);
		/* A port beside the caches looks into them if an access says so. */
		if (s->extended && node->card->coherent)
			stream_write(s, DMA_RING(s->from, ATTRIBUTES), RING_COHERENT);
		s->memory = dma_alloc_coherent(dev, DATRA_RING_BYTES, &s->memory_dma, GFP_KERNEL);
		s->descriptors = dma_alloc_coherent(dev, ENTRIES_BYTES, &s->entries_dma,
						    GFP_KERNEL);
		s->statuses = (void *)(s->descriptors + FLIGHT);
		smp_store_release(&node->stream[i], s);	/* the interrupt looks at it */
		if (!s->memory || !s->descriptors)
			return -ENOMEM;
		result = engine_reset(s);
		if (result)
			return result;
	}
	return 0;
}

/**
 * datra_dma_exit() - stops the engines of a DMA node, and frees what they use
 * @node: the node; its interrupt has been freed, and nobody is in a section
 *
 * Sleeps. Memory that an engine may still write to, as it cannot be stopped, stays allocated for ever.
 */
void datra_dma_exit(struct datra_node *node)
{
	struct device *dev = node->card->dev;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct datra_stream *s = node->stream[i];

		if (!s)
			continue;
		if (s->memory && s->descriptors) {
			if (engine_reset(s)) {
				dev_err(dev, "node %u: memory is lost to it\n", node->index);
				if (s->blocks)
					s->blocks->lost = true;
				continue;
			}
			node_write(node, DMA_RING(i, CONTROL), 0);
			node_write(node, DMA_OF(i, CONTROL), 0);
		}
		mutex_lock(&s->lock);
		drop_blocks(s);
		mutex_unlock(&s->lock);
		if (s->memory)
			dma_free_coherent(dev, DATRA_RING_BYTES, s->memory, s->memory_dma);
		if (s->descriptors)
			dma_free_coherent(dev, ENTRIES_BYTES, s->descriptors, s->entries_dma);
		s->memory = NULL;
		s->descriptors = NULL;
	}
}

/**
 * datra_dma_wake() - wakes all calls that wait on streams of a node, as its card goes
 * @node: the node
 */
void datra_dma_wake(struct datra_node *node)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (node->stream[i])
			datra_event_fire(&node->stream[i]->event);
}

/**
 * datra_dma_statistics() - what a stream has counted
 * @file: the node's
 * @from_logic: which of its streams
 *
 * Takes the stream's lock: frames that have ended are counted here if that costs no access. May sleep.
 *
 * Return: the counts.
 */
struct datra_statistics *datra_dma_statistics(struct datra_file *file, bool from_logic)
{
	struct datra_stream *s = file->node->stream[from_logic];

	if (s->rings) {
		mutex_lock(&s->lock);
		engine_harvest(s);
		mutex_unlock(&s->lock);
	}
	return &s->statistics;
}
