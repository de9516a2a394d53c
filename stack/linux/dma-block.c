// SPDX-License-Identifier: GPL-2.0-only
/* Block modes: frames are blocks that the program has mapped; it owns a block, or the engine does. */
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "blocks.h"
#include "card.h"
#include "dma.h"

static unsigned int blocks_queued(struct datra_stream *s)
{
	unsigned int i, count = 0;

	for (i = 0; i < s->blocks->count; i++)
		count += s->block[i].queued;
	return count;
}

/**
 * block_describe() - tells a program how a block stands
 * @s: the stream, which has blocks; its lock is held
 * @id: which block
 * @block: receives the description
 */
void block_describe(struct datra_stream *s, u32 id, struct datra_buffer_block *block)
{
	*block = (struct datra_buffer_block){
		.id = id,
		.offset = id * s->blocks->size,
		.size = s->blocks->size,
		.bytes_used = s->block[id].bytes_used,
		.user_signal = s->block[id].signal,
		.state = s->block[id].queued,
	};
}

static int block_enqueue(struct datra_stream *s, struct datra_buffer_block *block)
{
	struct datra_block_state *state = &s->block[block->id];
	u32 bytes = block->bytes_used;

	if (state->queued)
		return -EBUSY;
	if (bytes == 0 || bytes > s->blocks->size || bytes % 4)
		return -EINVAL;
	if (s->stuck)
		return -EIO;
	engine_harvest(s);
	if (!engine_has_room(s))
		return -EWOULDBLOCK;
	datra_block_give(s->blocks, block->id, bytes);
	state->queued = true;
	state->bytes_used = s->from ? 0 : bytes;
	state->signal = block->user_signal;
	if (!s->from)
		s->signal = block->user_signal;
	engine_submit(s, datra_block_dma(s->blocks, block->id), bytes, block->user_signal, block->id);
	engine_start(s);
	block_describe(s, block->id, block);
	return 0;
}

static int block_dequeue(struct datra_stream *s, struct datra_buffer_block *block)
{
	struct datra_block_state *state = &s->block[block->id];
	struct datra_frame *frame;

	if (!state->queued)
		return -EINVAL;
	if (s->stuck && !s->resetting)
		return -EIO;
	engine_harvest(s);
	if (s->taken == s->ended)
		return DATRA_NOTHING;
	frame = &s->flight[s->taken % FLIGHT];
	if (frame->block != block->id)
		return -EIO;
	s->taken++;
	state->queued = false;
	if (s->from) {
		state->bytes_used = frame->got;
		state->signal = frame->signal;
		s->signal = frame->signal;
	}
	datra_block_take(s->blocks, block->id, frame->bytes);
	block_describe(s, block->id, block);
	return frame->error ? -EREMOTEIO : 0;
}

static int block_exchange(struct datra_stream *s, unsigned int nr, struct datra_buffer_block *block)
{
	return nr == DATRA_IOC_DMABLOCK_ENQUEUE ? block_enqueue(s, block) : block_dequeue(s, block);
}

static bool block_ready(struct datra_stream *s)
{
	engine_harvest(s);
	return s->taken != s->ended || (!s->from && blocks_queued(s) < s->blocks->count);
}

const struct datra_mode datra_block_mode = {
	.block = block_exchange,
	.ready = block_ready,
};

/**
 * dma_configure() - the ioctl DMA_RECONFIGURE: resets the stream, and gives it another mode
 * @s: the stream; its lock is held, and let go while it is reset
 * @request: mode, size and number of blocks; receives the size and number that it has got
 *
 * Sleeps.
 *
 * Return: 0 or an error, after which the stream is in ring mode unless the reset has failed.
 */
long dma_configure(struct datra_stream *s, struct datra_dma_configuration_req *request)
{
	struct datra_blocks *blocks;
	u64 size;
	long result;

	result = stream_free_blocks(s);
	if (result)
		return result;
	switch (request->mode) {
	case DATRA_DMA_MODE_RINGBUFFER_BOUNCE:
		request->size = s->block_bytes;
		request->count = DATRA_RING_BYTES / s->block_bytes;
		return 0;
	case DATRA_DMA_MODE_BLOCK_COHERENT:
	case DATRA_DMA_MODE_BLOCK_STREAMING:
		break;
	default:
		return -EINVAL;
	}
	size = ALIGN((u64)request->size, PAGE_SIZE);
	if (size == 0 || request->count == 0)
		return -EINVAL;
	if (size >= DMA_BYTES_LIMIT)
		return -ENOMEM;
	request->count = min_t(u32, request->count, DATRA_MAX_BLOCKS);
	request->size = size;
	blocks = datra_blocks_alloc(s->node->card, stream_direction(s),
				    request->mode == DATRA_DMA_MODE_BLOCK_STREAMING, size,
				    request->count);
	if (!blocks)
		return -ENOMEM;
	stream_take_blocks(s, &datra_block_mode, blocks);
	return 0;
}

/**
 * dmabuf_export() - the ioctl DMABUF_EXPORT
 * @s: the stream; its lock is held
 * @request: the block; receives a descriptor of its dma-buf
 *
 * May sleep.
 *
 * Return: 0 or an error.
 */
long dmabuf_export(struct datra_stream *s, struct datra_dmabuf_export *request)
{
	if (!s->blocks)
		return -EINVAL;
	request->fd = datra_blocks_export(s->blocks, request->id, request->flags);
	return request->fd < 0 ? request->fd : 0;
}

/**
 * dmabuf_import() - the ioctl DMABUF_IMPORT: resets the stream, and gives it dma-bufs for blocks
 * @s: the stream; its lock is held, and let go while it is reset
 * @request: descriptors; receives the size of a block
 *
 * Sleeps.
 *
 * Return: 0 or an error.
 */
long dmabuf_import(struct datra_stream *s, struct datra_dmabuf_import *request)
{
	struct datra_blocks *blocks;
	long result = stream_free_blocks(s);

	if (result)
		return result;
	blocks = datra_blocks_import(s->node->card, stream_direction(s), request->fd,
				     request->count);
	if (IS_ERR(blocks))
		return PTR_ERR(blocks);
	request->size = blocks->size;
	stream_take_blocks(s, &datra_block_mode, blocks);
	return 0;
}
