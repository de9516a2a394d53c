// SPDX-License-Identifier: GPL-2.0-only
/*
 * The engine of a DMA node. The driver gives it frames by registers, or by descriptors in memory, and
 * learns from it which of them have ended.
 */
#include <linux/bitfield.h>
#include <linux/dma-mapping.h>
#include <linux/iopoll.h>
#include <linux/module.h>

#include "card.h"
#include "dma.h"

#define QUEUE_SLOTS	8		/* of the command queue in registers */
#define RESET_TIMEOUT_US	1000000

static unsigned int coalesce_frames = 16;
module_param(coalesce_frames, uint, 0644);
MODULE_PARM_DESC(coalesce_frames, "How many ended frames an interrupt of a ring waits for at most");
static unsigned int coalesce_us = 50;
module_param(coalesce_us, uint, 0644);
MODULE_PARM_DESC(coalesce_us, "How long an interrupt of a ring waits for more frames at most, in microseconds");

static void stream_arm(struct datra_stream *s, u32 interrupts)
{
	s->statistics.writes++;
	datra_arm(s->node, interrupts);
}

static void stream_disarm(struct datra_stream *s, u32 interrupts)
{
	s->statistics.writes++;
	datra_disarm(s->node, interrupts);
}

static bool engine_ended(struct datra_stream *s, u64 *status)
{
	u32 at = READ_ONCE(s->ended);

	*status = le64_to_cpu(READ_ONCE(s->statuses[at % FLIGHT]));
	return at != READ_ONCE(s->submitted) &&
	       !!(*status & DATRA_RING_STATUS_FRAME_ROUND) == !!(at & FLIGHT);
}

static void engine_end_one(struct datra_stream *s, u32 got, u16 signal, u32 error)
{
	struct datra_frame *frame = &s->flight[s->ended % FLIGHT];

	frame->got = got;
	if (s->from)
		frame->signal = signal;
	frame->error = error != 0;
	s->statistics.frames++;
	s->statistics.bytes += got;
	s->statistics.errors += frame->error;
	WRITE_ONCE(s->ended, s->ended + 1);
}

/**
 * engine_harvest() - learns which frames have ended
 * @s: the stream; its lock is held
 *
 * Raises @s->ended, and counts the frames. Does not sleep. With rings it accesses no register.
 */
void engine_harvest(struct datra_stream *s)
{
	struct datra_node *node = s->node;
	u32 count, error = 0, bytes, signal = 0, tag;
	u64 status;

	if (s->submitted == s->ended || s->resetting || s->stuck)
		return;
	if (s->rings) {
		while (engine_ended(s, &status)) {
			dma_rmb();	/* the frame's data are read after its status */
			tag = status >> 32;
			engine_end_one(s, FIELD_GET(DATRA_RING_STATUS_FRAME_WORDS, (u32)status) * 4,
				       FIELD_GET(DATRA_RING_STATUS_TAG_USER_SIGNAL, tag),
				       FIELD_GET(DATRA_RING_STATUS_FRAME_ERROR, (u32)status));
			s->unacknowledged = true;
		}
		return;
	}
	count = FIELD_GET(DATRA_DMA_STATUS_RESULTS, stream_read(s, DMA_OF(s->from, STATUS)));
	count = min(count, s->submitted - s->ended);	/* the register may hold anything */
	while (count--) {
		if (s->from) {
			signal = stream_read(s, DATRA_DMA_FROM_LOGIC_RESULT_SIGNAL);
			if (node->card->extended)
				error = stream_read(s, DATRA_DMA_FROM_LOGIC_RESULT_ERROR);
			bytes = stream_read(s, DATRA_DMA_FROM_LOGIC_RESULT_BYTES);
			bytes = min(bytes, s->flight[s->ended % FLIGHT].bytes);
		} else {
			if (node->card->extended)
				error = stream_read(s, DATRA_DMA_TO_LOGIC_RESULT_ERROR);
			stream_read(s, DATRA_DMA_TO_LOGIC_RESULT);
			bytes = s->flight[s->ended % FLIGHT].bytes;
		}
		engine_end_one(s, bytes, signal, error);
	}
}

/**
 * engine_has_room() - whether the engine can be given another frame
 * @s: the stream; its lock is held
 *
 * Return: true if engine_submit() may follow. Does not sleep.
 */
bool engine_has_room(struct datra_stream *s)
{
	if (s->resetting || s->stuck)
		return false;
	return s->submitted - s->taken < FLIGHT &&
	       (s->rings || s->submitted - s->ended < QUEUE_SLOTS);
}

/**
 * engine_submit() - queues a frame; the engine may not see it before engine_start()
 * @s: the stream, whose engine has room; its lock is held
 * @address: of the frame's memory, for the device
 * @bytes: its length
 * @signal: the user signal of a frame to logic
 * @block: which block it is, in the block modes
 *
 * Does not sleep.
 */
void engine_submit(struct datra_stream *s, dma_addr_t address, u32 bytes, u16 signal,
		   unsigned int block)
{
	struct datra_node *node = s->node;
	u32 at = s->submitted % FLIGHT;

	s->flight[at] = (struct datra_frame){ .bytes = bytes, .signal = signal, .block = block };
	if (s->rings) {
		s->descriptors[at] = (struct datra_descriptor){
			.address = cpu_to_le64(address), .bytes = cpu_to_le32(bytes),
			.signal = cpu_to_le32(signal),
		};
	} else {
		stream_write(s, DMA_OF(s->from, ADDRESS), lower_32_bits(address));
		if (upper_32_bits(dma_get_mask(node->card->dev)))
			stream_write(s, DMA_OF(s->from, ADDRESS_HIGH), upper_32_bits(address));
		if (!s->from && signal != s->register_signal) {
			stream_write(s, DATRA_DMA_TO_LOGIC_SIGNAL, signal);
			s->register_signal = signal;
		}
		stream_write(s, DMA_OF(s->from, BYTES), bytes);
	}
	WRITE_ONCE(s->submitted, s->submitted + 1);
}

/**
 * engine_start() - tells the engine of the frames that have been queued
 * @s: the stream; its lock is held
 *
 * Does not sleep.
 */
void engine_start(struct datra_stream *s)
{
	if (!s->rings || s->told == s->submitted)
		return;
	dma_wmb();	/* descriptors before the doorbell */
	stream_write(s, DMA_RING(s->from, TAIL), FIELD_GET(DATRA_DMA_RING_TAIL_COUNT, s->submitted));
	s->told = s->submitted;
}

/**
 * engine_arm() - arms the interrupt for the end of frames
 * @s: the stream; its lock is held
 *
 * Return: true if frames have ended since the last engine_harvest(), and nothing was armed. Does not
 * sleep.
 */
bool engine_arm(struct datra_stream *s)
{
	u64 status;

	if (!s->rings) {
		stream_arm(s, DMA_IRQ(s->from, RESULT));
		return false;
	}
	if (s->unacknowledged) {
		/* Frames that engine_harvest() has seen must not cause an interrupt. */
		stream_disarm(s, DMA_IRQ(s->from, RING));
		s->unacknowledged = false;
		if (engine_ended(s, &status))
			return true;
	}
	stream_arm(s, DMA_IRQ(s->from, RING) | DMA_IRQ(s->from, FAULT));
	return false;
}

/**
 * engine_hertz() - the frequency of the logic's clock
 * @s: the stream
 *
 * Return: cycles in a second. Timers of the logic count ticks of 64 cycles. Does not sleep.
 */
u64 engine_hertz(struct datra_stream *s)
{
	return datra_read(s->node->card, DATRA_CONTROL_CLOCK) ?: 100000000;
}

static void engine_enable(struct datra_stream *s)
{
	u32 ticks;

	stream_write(s, DMA_OF(s->from, CONTROL), DATRA_DMA_CONTROL_RUN);
	s->register_signal = 0;
	if (!s->from)
		stream_write(s, DATRA_DMA_TO_LOGIC_SIGNAL, 0);
	if (!s->rings)
		return;
	ticks = min_t(u64, div_u64(coalesce_us * engine_hertz(s), 64000000),
		      FIELD_MAX(DATRA_DMA_RING_COALESCE_TICKS));
	/* The first round of statuses has 0 where there is 1 now. */
	memset(s->statuses, 0xFF, FLIGHT * sizeof(*s->statuses));
	stream_write(s, DMA_RING(s->from, DESCRIPTORS(0)), lower_32_bits(s->entries_dma));
	stream_write(s, DMA_RING(s->from, DESCRIPTORS(1)), upper_32_bits(s->entries_dma));
	stream_write(s, DMA_RING(s->from, STATUSES(0)),
		     lower_32_bits(s->entries_dma + FLIGHT * sizeof(struct datra_descriptor)));
	stream_write(s, DMA_RING(s->from, STATUSES(1)),
		     upper_32_bits(s->entries_dma + FLIGHT * sizeof(struct datra_descriptor)));
	stream_write(s, DMA_RING(s->from, MASK), FLIGHT - 1);
	stream_write(s, DMA_RING(s->from, COALESCE),
		     FIELD_PREP(DATRA_DMA_RING_COALESCE_FRAMES,
				min_t(u32, coalesce_frames, FIELD_MAX(DATRA_DMA_RING_COALESCE_FRAMES))) |
		     FIELD_PREP(DATRA_DMA_RING_COALESCE_TICKS, ticks));
	stream_write(s, DMA_RING(s->from, CONTROL), DATRA_DMA_RING_CONTROL_ENABLE);
}

/**
 * engine_ready() - whether a frame has ended, for a call that polls
 * @call: of a stream
 *
 * Nothing is locked.
 *
 * Return: true if the call's step may find something. Does not sleep.
 */
bool engine_ready(struct datra_call *call)
{
	struct datra_stream *s = stream_call_of(call)->s;
	u64 status;

	if (READ_ONCE(s->resetting) || READ_ONCE(s->stuck))
		return true;
	return s->rings ? engine_ended(s, &status) :
			  stream_read(s, DMA_OF(s->from, STATUS)) & DATRA_DMA_STATUS_RESULTS;
}

/**
 * engine_call_arm() - engine_arm() for a call, which has found nothing
 * @call: of a stream, whose lock is held
 *
 * Return: true if frames have ended in the meantime. Does not sleep.
 */
bool engine_call_arm(struct datra_call *call)
{
	struct datra_stream *s = stream_call_of(call)->s;

	s->statistics.stalls++;
	return engine_arm(s);
}

/* The handler of the interrupt may have cleared the bit. */
static bool reset_is_over(struct datra_stream *s)
{
	return READ_ONCE(s->reset_done) ||
	       stream_read(s, NODE_IRQ_STATUS) & DMA_IRQ(s->from, RESET);
}

/**
 * engine_reset() - stops the engine, waits until it owes the bus nothing, and starts it without frames
 * @s: the stream; nobody else uses it, or @s->resetting is set. The lock is not held
 *
 * Sleeps.
 *
 * Return: 0, or -ETIMEDOUT: then the stream is stuck, and its memory stays the engine's.
 */
int engine_reset(struct datra_stream *s)
{
	struct datra_node *node = s->node;
	bool over;

	WRITE_ONCE(s->reset_done, false);
	stream_arm(s, DMA_IRQ(s->from, RESET));
	stream_write(s, DMA_OF(s->from, CONTROL), DATRA_DMA_CONTROL_RESET);
	if (!reset_is_over(s) &&
	    read_poll_timeout(reset_is_over, over, over, 100, RESET_TIMEOUT_US, true, s)) {
		s->stuck = true;
		dev_err(node->card->dev, "node %u: the stream %s logic is stuck\n", node->index,
			s->from ? "from" : "to");
		return -ETIMEDOUT;
	}
	stream_disarm(s, DMA_IRQ(s->from, RESET) | DMA_IRQ(s->from, RING) |
		     DMA_IRQ(s->from, FAULT) | DMA_IRQ(s->from, RESULT));
	s->submitted = 0;
	s->ended = 0;
	s->taken = 0;
	s->told = 0;
	s->unacknowledged = false;
	s->head = 0;
	s->tail = 0;
	s->part = 0;
	s->failed = false;
	s->stuck = false;
	s->cyclic = false;
	s->errors = 0;
	engine_enable(s);
	return 0;
}

/**
 * stream_reset() - engine_reset() for a stream that calls use
 * @s: the stream; its lock is held, and let go while the engine is reset
 *
 * Sleeps, and wakes the calls that wait on the stream. What the engine was given is forgotten.
 *
 * Return: 0, -EBUSY if another call resets the stream, or the error of engine_reset().
 */
int stream_reset(struct datra_stream *s)
{
	int result;

	if (s->resetting)
		return -EBUSY;
	if (s->rings)
		engine_harvest(s);	/* what has moved is counted */
	s->resetting = true;
	mutex_unlock(&s->lock);
	result = engine_reset(s);
	mutex_lock(&s->lock);
	s->resetting = false;
	datra_event_fire(&s->event);
	return result;
}

/**
 * datra_dma_interrupt() - wakes the calls that wait on streams of a node; in interrupt context
 * @node: the node
 * @status: of its interrupts, which have been acknowledged
 */
void datra_dma_interrupt(struct datra_node *node, u32 status)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct datra_stream *s = node->stream[i];

		if (!s || !(status & (DMA_IRQ(i, RESULT) | DMA_IRQ(i, RING) | DMA_IRQ(i, FAULT) |
				      DMA_IRQ(i, RESET))))
			continue;
		if (status & DMA_IRQ(i, RESET))
			WRITE_ONCE(s->reset_done, true);
		if (status & DMA_IRQ(i, FAULT))
			WRITE_ONCE(s->stuck, true);
		s->statistics.interrupts++;
		datra_event_fire(&s->event);
	}
}

/**
 * datra_dma_ring_interrupt() - handles an interrupt of rings without reading a register
 * @node: the node
 *
 * In interrupt context. Takes armed_lock.
 *
 * Return: true if frames have ended, and no armed interrupt of the node means anything else.
 */
bool datra_dma_ring_interrupt(struct datra_node *node)
{
	u32 ended = 0, armed;
	unsigned int i;
	u64 status;

	spin_lock(&node->armed_lock);
	armed = node->armed;
	if (!(armed & ~(DMA_IRQ(0, RING) | DMA_IRQ(0, FAULT) | DMA_IRQ(1, RING) |
			DMA_IRQ(1, FAULT))))
		for (i = 0; i < 2; i++)
			if (node->stream[i] && armed & DMA_IRQ(i, RING) &&
			    engine_ended(node->stream[i], &status))
				ended |= DMA_IRQ(i, RING) | DMA_IRQ(i, FAULT);
	if (ended) {
		node->armed &= ~ended;
		node_write(node, NODE_IRQ_CLEAR, ended);
	}
	spin_unlock(&node->armed_lock);
	if (!ended)
		return false;
	for (i = 0; i < 2; i++)
		if (ended & DMA_IRQ(i, RING)) {
			node->stream[i]->statistics.interrupts++;
			datra_event_fire(&node->stream[i]->event);
		}
	return true;
}
