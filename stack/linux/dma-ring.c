// SPDX-License-Identifier: GPL-2.0-only
/* Ring mode: frames lie in a ring of the driver's memory; write() copies into it, read() out of it. */
#include <linux/dma-mapping.h>
#include <linux/uaccess.h>

#include "dma.h"

static u32 frame_align(struct datra_stream *s)
{
	return max(64, dma_get_cache_alignment());
}

static u32 ring_room(struct datra_stream *s)
{
	u32 free = DATRA_RING_BYTES - (s->head - s->tail);

	return min(free, DATRA_RING_BYTES - s->head % DATRA_RING_BYTES);
}

/* To logic: takes back the room of frames that have ended. */
static void ring_reclaim(struct datra_stream *s)
{
	engine_harvest(s);
	while (s->taken != s->ended) {
		struct datra_frame *frame = &s->flight[s->taken++ % FLIGHT];

		s->tail += ALIGN(frame->bytes, frame_align(s));
		s->failed |= frame->error;
	}
}

/* From logic: gives the engine as many empty frames as there is room for. */
static void ring_prime(struct datra_stream *s)
{
	while (engine_has_room(s) && ring_room(s) >= s->block_bytes) {
		engine_submit(s, s->memory_dma + s->head % DATRA_RING_BYTES, s->block_bytes, 0, 0);
		s->head += s->block_bytes;
	}
	engine_start(s);
}

/* Copies words to logic. A call that has moved nothing tells the error of earlier frames. */
static int ring_put(struct datra_stream *s, struct datra_call *call)
{
	int result = 0;

	ring_reclaim(s);
	if (s->failed) {
		if (call->done)
			return 0;
		s->failed = false;
		return -EIO;
	}
	while (call->done < call->count && engine_has_room(s)) {
		u32 bytes = min_t(size_t, call->count - call->done, min(s->block_bytes, ring_room(s)));
		u32 at = s->head % DATRA_RING_BYTES;

		if (bytes == 0)
			break;
		if (copy_from_user(s->memory + at, call->from + call->done, bytes)) {
			result = -EFAULT;
			break;
		}
		engine_submit(s, s->memory_dma + at, bytes, s->signal, 0);
		s->head += ALIGN(bytes, frame_align(s));
		call->done += bytes;
	}
	engine_start(s);
	return result ?: call->done < call->count ? DATRA_NOTHING : 0;
}

static void ring_consume(struct datra_stream *s)
{
	s->part = 0;
	s->taken++;
	s->tail += s->block_bytes;
}

/* Copies words from logic. The call ends after a frame that is shorter than its block. */
static int ring_take(struct datra_stream *s, struct datra_call *call)
{
	int result = DATRA_NOTHING;

	ring_prime(s);
	engine_harvest(s);
	while (call->done < call->count && s->taken != s->ended && result == DATRA_NOTHING) {
		struct datra_frame *frame = &s->flight[s->taken % FLIGHT];
		u32 bytes = min_t(size_t, call->count - call->done, frame->got - s->part);

		if (frame->error && s->part == 0) {
			result = 0;
			if (call->done)
				break;		/* the next call tells the error */
			result = -EIO;
			ring_consume(s);
			break;
		}
		if (copy_to_user(call->to + call->done,
				 s->memory + s->tail % DATRA_RING_BYTES + s->part, bytes)) {
			result = -EFAULT;
			break;
		}
		s->signal = frame->signal;
		call->done += bytes;
		s->part += bytes;
		if (s->part == frame->got) {
			if (frame->got < frame->bytes)
				result = 0;
			ring_consume(s);
		}
	}
	ring_prime(s);
	return call->done == call->count ? 0 : result;
}

static int ring_transfer(struct datra_stream *s, struct datra_call *call)
{
	if (s->stuck && !s->resetting)
		return -EIO;
	return call->to ? ring_take(s, call) : ring_put(s, call);
}

static void ring_refresh(struct datra_stream *s)
{
	if (s->from)
		ring_prime(s);
	else
		ring_reclaim(s);
}

static bool ring_ready(struct datra_stream *s)
{
	ring_refresh(s);
	if (!s->from)
		return s->failed || (engine_has_room(s) && ring_room(s) > 0);
	engine_harvest(s);
	return s->taken != s->ended;
}

const struct datra_mode datra_ring_mode = {
	.transfer = ring_transfer,
	.ready = ring_ready,
	.refresh = ring_refresh,
};
