// SPDX-License-Identifier: GPL-2.0-only
/* Standalone mode: the engine works through a list of pieces of one mapped memory, once or for ever. */
#include <linux/dma-mapping.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "blocks.h"
#include "card.h"
#include "dma.h"

static bool standalone_ready(struct datra_stream *s)
{
	engine_harvest(s);
	return !s->cyclic && s->submitted == s->ended;
}

const struct datra_mode datra_standalone_mode = {
	.ready = standalone_ready,
};

/**
 * dma_standalone() - the ioctl STANDALONE: resets the stream, and gives it one piece of memory
 * @s: the stream; its lock is held, and let go while it is reset
 * @request: the size, which is rounded up to pages
 *
 * Sleeps.
 *
 * Return: 0 or an error; -ENOTTY if the logic has no rings.
 */
long dma_standalone(struct datra_stream *s, struct datra_standalone_req *request)
{
	u64 size = ALIGN((u64)request->size, PAGE_SIZE);
	struct datra_blocks *blocks;
	long result;

	if (!s->rings)
		return -ENOTTY;
	if (size == 0 || request->flags)
		return -EINVAL;
	if (size >= DMA_BYTES_LIMIT)
		return -ENOMEM;
	result = stream_free_blocks(s);
	if (result)
		return result;
	blocks = datra_blocks_alloc(s->node->card, stream_direction(s), false, size, 1);
	if (!blocks)
		return -ENOMEM;
	stream_take_blocks(s, &datra_standalone_mode, blocks);
	request->size = size;
	return 0;
}

/* Counts the errors of frames that have ended, and forgets the frames. */
static void standalone_harvest(struct datra_stream *s)
{
	engine_harvest(s);
	while (s->taken != s->ended)
		s->errors += s->flight[s->taken++ % FLIGHT].error;
}

/**
 * standalone_start() - the ioctl STANDALONE_START
 * @s: the stream; its lock is held, and let go while it is reset
 * @list: the pieces, in the program's memory
 *
 * Sleeps.
 *
 * Return: 0 or an error; -EBUSY if the engine still works through the list before.
 */
long standalone_start(struct datra_stream *s, const struct datra_standalone_list *list)
{
	struct datra_standalone_item *items;
	unsigned int i;
	long result = 0;

	if (s->mode != &datra_standalone_mode || list->count == 0 ||
	    list->count > DATRA_STANDALONE_ITEMS || list->flags & ~DATRA_STANDALONE_CYCLIC)
		return -EINVAL;
	if (list->flags & DATRA_STANDALONE_CYCLIC && !is_power_of_2(list->count))
		return -EINVAL;
	standalone_harvest(s);
	if (s->cyclic || s->submitted != s->ended)
		return -EBUSY;
	items = memdup_user(u64_to_user_ptr(list->items), list->count * sizeof(*items));
	if (IS_ERR(items))
		return PTR_ERR(items);
	for (i = 0; i < list->count; i++)
		if (items[i].bytes == 0 || items[i].bytes % 4 || items[i].offset % 4 ||
		    items[i].offset > s->blocks->size ||
		    items[i].bytes > s->blocks->size - items[i].offset || items[i].reserved)
			result = -EINVAL;
	if (result)
		goto free;
	/* The engine begins with the first descriptor only after a reset. */
	result = stream_reset(s);
	if (result)
		goto free;
	if (list->flags & DATRA_STANDALONE_CYCLIC) {
		for (i = 0; i < FLIGHT; i++) {
			struct datra_standalone_item *item = &items[i % list->count];

			s->descriptors[i] = (struct datra_descriptor){
				.address = cpu_to_le64(datra_block_dma(s->blocks, 0) + item->offset),
				.bytes = cpu_to_le32(item->bytes),
				.signal = cpu_to_le32(item->user_signal),
			};
		}
		s->cyclic = true;
		stream_write(s, DMA_RING(s->from, COUNTERS(0)), 0);
		dma_wmb();	/* descriptors before the start */
		stream_write(s, DMA_RING(s->from, CONTROL),
			     DATRA_DMA_RING_CONTROL_ENABLE | DATRA_DMA_RING_CONTROL_CYCLIC);
	} else {
		for (i = 0; i < list->count; i++)
			engine_submit(s, datra_block_dma(s->blocks, 0) + items[i].offset,
				      items[i].bytes, items[i].user_signal, 0);
		engine_start(s);
	}
free:
	kfree(items);
	return result;
}

/**
 * standalone_state() - the ioctl STANDALONE_STATE
 * @s: the stream; its lock is held
 * @state: receives the counts of frames and errors, and whether the engine works
 *
 * Does not sleep.
 *
 * Return: 0, or -EINVAL if the mode is another one.
 */
long standalone_state(struct datra_stream *s, struct datra_standalone_state *state)
{
	if (s->mode != &datra_standalone_mode)
		return -EINVAL;
	if (s->cyclic) {
		state->frames = stream_read(s, DMA_RING(s->from, COUNTERS(0)));
		state->errors = stream_read(s, DMA_RING(s->from, COUNTERS(4)));
		state->running = !(stream_read(s, DMA_RING(s->from, STATE)) &
				   DATRA_DMA_RING_STATE_FAULT);
		return 0;
	}
	standalone_harvest(s);
	state->frames = s->ended;
	state->errors = s->errors;
	state->running = s->submitted != s->ended && !s->stuck;
	return 0;
}
