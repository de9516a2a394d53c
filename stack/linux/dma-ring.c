// SPDX-License-Identifier: GPL-2.0-only
/* Ring mode: frames lie in a ring of memory of the driver's, write() and read() copy. */
#include <linux/dma-mapping.h>
#include <linux/uaccess.h>

#include "dma.h"

static u32 frame_align(struct datra_stream *s)
{
	return max(64, dma_get_cache_alignment());
}

u32 ring_room(struct datra_stream *s)
{
	u32 free = DATRA_RING_BYTES - (s->head - s->tail);

	return min(free, DATRA_RING_BYTES - s->head % DATRA_RING_BYTES);
}

/* To logic: what has ended makes room. */
void ring_reclaim(struct datra_stream *s)
{
	engine_harvest(s);
	while (s->taken != s->ended) {
		struct datra_frame *frame = &s->flight[s->taken++ % FLIGHT];

		s->tail += ALIGN(frame->bytes, frame_align(s));
		s->failed |= frame->error;
	}
}

/* From logic: as many empty blocks as there is room for. */
void ring_prime(struct datra_stream *s)
{
	while (engine_has_room(s) && ring_room(s) >= s->block_bytes) {
		engine_submit(s, s->memory_dma + s->head % DATRA_RING_BYTES, s->block_bytes, 0, 0);
		s->head += s->block_bytes;
	}
	engine_start(s);
}

/* Returns 1 where what went before has failed: the next call says so. */
static int ring_put(struct datra_stream *s, const char __user *from, size_t count, size_t *done)
{
	int result = 0;

	ring_reclaim(s);
	if (s->failed) {
		if (*done)
			return 1;
		s->failed = false;
		return -EIO;
	}
	while (*done < count && engine_has_room(s)) {
		u32 bytes = min_t(size_t, count - *done, min(s->block_bytes, ring_room(s)));
		u32 at = s->head % DATRA_RING_BYTES;

		if (bytes == 0)
			break;
		if (copy_from_user(s->memory + at, from + *done, bytes)) {
			result = -EFAULT;
			break;
		}
		engine_submit(s, s->memory_dma + at, bytes, s->signal, 0);
		s->head += ALIGN(bytes, frame_align(s));
		*done += bytes;
	}
	engine_start(s);
	return result;
}

/* Returns 1 where a frame has ended before its block was full, or the next one has failed. */
static int ring_take(struct datra_stream *s, char __user *to, size_t count, size_t *done)
{
	int result = 0;

	ring_prime(s);
	engine_harvest(s);
	while (*done < count && s->taken != s->ended && result == 0) {
		struct datra_frame *frame = &s->flight[s->taken % FLIGHT];
		u32 bytes = min_t(size_t, count - *done, frame->got - s->part);

		if (frame->error && s->part == 0) {
			if (*done) {
				result = 1;	/* the next call says so */
				break;
			}
			result = -EIO;
			s->taken++;
			s->tail += s->block_bytes;
			break;
		}
		if (copy_to_user(to + *done, s->memory + s->tail % DATRA_RING_BYTES + s->part,
				 bytes)) {
			result = -EFAULT;
			break;
		}
		s->signal = frame->signal;
		*done += bytes;
		s->part += bytes;
		if (s->part == frame->got) {
			result = frame->got < frame->bytes;
			s->part = 0;
			s->taken++;
			s->tail += s->block_bytes;
		}
	}
	ring_prime(s);
	return result;
}

ssize_t ring_transfer(struct file *filp, char __user *to, const char __user *from, size_t count)
{
	struct datra_file *file = datra_file_of(filp);
	struct datra_stream *s = stream_of(filp);
	bool block = !(filp->f_flags & O_NONBLOCK), spins = block && datra_busy_poll_us, again;
	unsigned long moved = jiffies;
	int section, seen, result;
	size_t done = 0, before;

	count = round_down(min_t(size_t, count, INT_MAX), 4);
	if (count == 0)
		return -EINVAL;
	section = datra_enter(file->card);
	if (section < 0)
		return section;
	do {
		again = false;
		if (mutex_lock_interruptible(&s->lock)) {
			result = -ERESTARTSYS;
			break;
		}
		seen = atomic_read(&s->event.count);
		before = done;
		if (s->mode != DATRA_DMA_MODE_RINGBUFFER_BOUNCE)
			result = -EBUSY;
		else if (s->stuck && !s->resetting)
			result = -EIO;
		else if (to)
			result = ring_take(s, to, count, &done);
		else
			result = ring_put(s, from, count, &done);
		if (result == 0 && done < count) {
			again = block;
			if (spins) {
				mutex_unlock(&s->lock);
				engine_spin(s);
				spins = false;
				continue;
			}
			s->statistics.stalls++;
			if (engine_arm(s) && block) {
				mutex_unlock(&s->lock);
				continue;
			}
		}
		mutex_unlock(&s->lock);
		if (done != before)
			moved = jiffies;
		if (again)
			result = datra_wait(file->card, &s->event, seen, moved, &section);
		spins = block && datra_busy_poll_us;
	} while (again && result == 0);
	if (section >= 0)
		datra_leave(file->card, section);
	if (done || result == 1)
		return done;
	return result < 0 ? result : -EAGAIN;
}
