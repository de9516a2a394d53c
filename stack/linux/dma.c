// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files d: the two streams of a DMA node.
 *
 * A stream has one list of frames in flight, oldest first: those given to the engine, of which those
 * that it has ended come first, of which those that nobody has taken yet. The engine gets its
 * commands by registers, or, if the logic can, by descriptors in memory (then a frame, or many, cost
 * one access); either way its results are the same, in order.
 *
 * Ring mode: frames lie in a ring of memory of the driver's, write() and read() copy.
 * Block modes: frames are blocks that the program has mapped, owned by one side at a time.
 * Standalone: frames are pieces of one memory that the program has mapped, from a list, maybe for ever.
 *
 * s->lock is never held while waiting. copy_*_user() is called under it, so mmap() must not take it:
 * s->map_lock is for that.
 */
#include <linux/bitfield.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "blocks.h"
#include "datra.h"

#define FLIGHT		64		/* frames in flight, entries of the rings: a power of two */
#define QUEUE_SLOTS	8		/* of the command queue in registers */
#define RESET_TIMEOUT_MS	1000
#define ENTRIES_BYTES	(FLIGHT * (sizeof(struct datra_descriptor) + sizeof(__le64)))

static unsigned int coalesce_frames = 16;
module_param(coalesce_frames, uint, 0644);
MODULE_PARM_DESC(coalesce_frames, "Frames that one interrupt of a ring may wait for");
static unsigned int coalesce_us = 50;
module_param(coalesce_us, uint, 0644);
MODULE_PARM_DESC(coalesce_us, "Microseconds that it may wait for them");

/* A descriptor as the logic reads it. */
struct datra_descriptor {
	__le64 address;
	__le32 bytes;
	__le32 signal;
} __aligned(16);
static_assert(offsetof(struct datra_descriptor, address) == DATRA_RING_DESCRIPTOR_ADDRESS(0));
static_assert(offsetof(struct datra_descriptor, bytes) == DATRA_RING_DESCRIPTOR_BYTES);
static_assert(offsetof(struct datra_descriptor, signal) == DATRA_RING_DESCRIPTOR_USER_SIGNAL);

/* Accesses that look into the caches: AxCACHE 1111, AxUSER 1. */
#define RING_COHERENT	(FIELD_PREP(DATRA_DMA_RING_ATTRIBUTES_CACHE, 0xF) | \
			 FIELD_PREP(DATRA_DMA_RING_ATTRIBUTES_USER, 1))

struct datra_frame {
	u32 bytes;		/* asked for */
	u32 got;
	u16 signal;
	u8 block;
	bool error;
};

struct datra_block_state {
	u32 bytes_used;
	u16 signal;
	bool queued;
};

/**
 * struct datra_stream - one direction of a DMA node
 * @node: the node
 * @from: from logic
 * @extended: it has the registers that the original has not
 * @rings: the engine works off descriptors in memory
 * @cyclic: it does so for ever
 * @resetting: someone resets it, with @lock let go
 * @stuck: a reset has not finished; the memory belongs to the engine until one does
 * @failed: a frame to logic met an error that write() has not told yet
 * @unacknowledged: frames have ended since the coalescer was last told
 * @lock: all but @blocks as seen by mmap(); never held while waiting
 * @map_lock: protects @blocks
 * @event: interrupts
 * @reset_done: the interrupt has seen the end of a reset
 * @statistics: since the driver was loaded
 * @flight: the frames in flight, by number modulo their greatest number
 * @submitted: frames given to the engine
 * @ended: of them, those that are done
 * @taken: of them, those that are consumed
 * @told: how many the ring's doorbell has told of
 * @descriptors: ring that the engine reads
 * @statuses: ring that the engine writes
 * @entries_dma: where @descriptors are for it, @statuses behind them
 * @memory: of ring mode
 * @memory_dma: where that is for the engine
 * @head: of ring mode, bytes given out since ever
 * @tail: bytes that have come back
 * @part: bytes of the oldest ended frame that have been read
 * @block_bytes: of a frame in ring mode, at most
 * @signal: the user signal last told, or of the frame last fetched
 * @register_signal: what the register of the user signal holds
 * @mode: ring or blocks
 * @blocks: of the block modes, or NULL
 * @block: their states
 * @errors: of the standalone mode, since the start
 * @timeout: ticks without a word after which a frame from logic ends
 */
struct datra_stream {
	struct datra_node *node;
	bool from, extended, rings, cyclic, resetting, stuck, failed, unacknowledged;
	struct mutex lock;
	struct mutex map_lock;
	struct datra_event event;
	bool reset_done;
	struct datra_statistics statistics;

	struct datra_frame flight[FLIGHT];
	u32 submitted, ended, taken, told;
	struct datra_descriptor *descriptors;
	__le64 *statuses;
	dma_addr_t entries_dma;

	void *memory;
	dma_addr_t memory_dma;
	u32 head, tail, part, block_bytes;
	u16 signal, register_signal;

	u32 mode;
	struct datra_blocks *blocks;
	struct datra_block_state block[DATRA_MAX_BLOCKS];
	u32 errors, timeout;
};

static u32 stream_read(struct datra_stream *s, u32 offset)
{
	s->statistics.reads++;
	return node_read(s->node, offset);
}

static void stream_write(struct datra_stream *s, u32 offset, u32 value)
{
	s->statistics.writes++;
	node_write(s->node, offset, value);
}

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

static u32 frame_align(struct datra_stream *s)
{
	return max(64, dma_get_cache_alignment());
}

/* ---- the engine -------------------------------------------------------------------------------- */

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

/* Learns which frames have ended. */
static void engine_harvest(struct datra_stream *s)
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
	count = min(count, s->submitted - s->ended);	/* whatever the hardware says */
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

static bool engine_has_room(struct datra_stream *s)
{
	if (s->resetting || s->stuck)
		return false;
	return s->submitted - s->taken < FLIGHT &&
	       (s->rings || s->submitted - s->ended < QUEUE_SLOTS);
}

/* Queues a frame; engine_start() must follow. */
static void engine_submit(struct datra_stream *s, dma_addr_t address, u32 bytes, u16 signal,
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

static void engine_start(struct datra_stream *s)
{
	if (!s->rings || s->told == s->submitted)
		return;
	dma_wmb();	/* descriptors before the doorbell */
	stream_write(s, DMA_RING(s->from, TAIL), FIELD_GET(DATRA_DMA_RING_TAIL_COUNT, s->submitted));
	s->told = s->submitted;
}

/* Arms the interrupt for the end of frames. Returns true if some have ended in the meantime. */
static bool engine_arm(struct datra_stream *s)
{
	u64 status;

	if (!s->rings) {
		stream_arm(s, DMA_IRQ(s->from, RESULT));
		return false;
	}
	if (s->unacknowledged) {
		/* Those that were seen without an interrupt shall not cause one. */
		stream_disarm(s, DMA_IRQ(s->from, RING));
		s->unacknowledged = false;
		if (engine_ended(s, &status))
			return true;
	}
	stream_arm(s, DMA_IRQ(s->from, RING) | DMA_IRQ(s->from, FAULT));
	return false;
}

/* Cycles of the logic in a second; its ticks are of 64 each. */
static u64 engine_hertz(struct datra_stream *s)
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

/*
 * Looks for the end of a frame for as long as who wants no interrupt has chosen. Nothing is locked: what
 * is seen only makes the caller look again.
 */
static void engine_spin(struct datra_stream *s)
{
	ktime_t end = ktime_add_us(ktime_get(), READ_ONCE(datra_busy_poll_us));
	u64 status;

	while (!READ_ONCE(s->resetting) && !READ_ONCE(s->stuck) && !signal_pending(current) &&
	       !READ_ONCE(s->node->card->gone)) {
		if (s->rings ? engine_ended(s, &status) :
			       stream_read(s, DMA_OF(s->from, STATUS)) & DATRA_DMA_STATUS_RESULTS)
			return;
		if (ktime_after(ktime_get(), end))
			return;
		cpu_relax();
	}
}

/*
 * Stops the engine and waits until it owes the bus nothing. The caller has set s->resetting, or is
 * alone. What the engine was given is forgotten.
 */
static int engine_reset(struct datra_stream *s)
{
	struct datra_node *node = s->node;
	unsigned long end = jiffies + msecs_to_jiffies(RESET_TIMEOUT_MS);
	bool late = false;

	WRITE_ONCE(s->reset_done, false);
	stream_arm(s, DMA_IRQ(s->from, RESET));
	stream_write(s, DMA_OF(s->from, CONTROL), DATRA_DMA_CONTROL_RESET);
	while (!READ_ONCE(s->reset_done)) {
		if (stream_read(s, NODE_IRQ_STATUS) & DMA_IRQ(s->from, RESET))
			break;
		if (late) {
			s->stuck = true;
			dev_err(node->card->dev, "node %u: the stream %s logic is stuck\n",
				node->index, s->from ? "from" : "to");
			return -ETIMEDOUT;
		}
		usleep_range(20, 100);
		late = time_after(jiffies, end);
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

/* As engine_reset(), with s->lock held, which is let go meanwhile. */
static int stream_reset(struct datra_stream *s)
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

/* ---- interrupts -------------------------------------------------------------------------------- */

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

void datra_dma_wake(struct datra_node *node)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (node->stream[i])
			datra_event_fire(&node->stream[i]->event);
}

/* Frames that have ended are counted when someone looks, if that costs no access. */
struct datra_statistics *datra_dma_statistics(struct datra_node *node, bool from_logic)
{
	struct datra_stream *s = node->stream[from_logic];

	if (s->rings) {
		mutex_lock(&s->lock);
		engine_harvest(s);
		mutex_unlock(&s->lock);
	}
	return &s->statistics;
}

/* ---- blocks ------------------------------------------------------------------------------------ */

static void stream_drop_blocks(struct datra_stream *s)
{
	struct datra_blocks *blocks;

	mutex_lock(&s->map_lock);
	blocks = s->blocks;
	s->blocks = NULL;
	mutex_unlock(&s->map_lock);
	s->mode = DATRA_DMA_MODE_RINGBUFFER_BOUNCE;
	if (blocks)
		datra_blocks_put(blocks);
}

static void stream_take_blocks(struct datra_stream *s, u32 mode, struct datra_blocks *blocks)
{
	memset(s->block, 0, sizeof(s->block));
	s->mode = mode;
	mutex_lock(&s->map_lock);
	s->blocks = blocks;
	mutex_unlock(&s->map_lock);
}

static enum dma_data_direction stream_direction(struct datra_stream *s)
{
	return s->from ? DMA_FROM_DEVICE : DMA_TO_DEVICE;
}

/* ---- opening ----------------------------------------------------------------------------------- */

static struct datra_stream *stream_of(struct file *filp)
{
	return datra_file_of(filp)->node->stream[!(filp->f_mode & FMODE_WRITE)];
}

int datra_dma_open(struct datra_file *file, struct file *filp)
{
	struct datra_stream *s = stream_of(filp);
	int result = 0;

	mutex_lock(&s->lock);
	if (s->stuck)
		result = stream_reset(s) ? -EIO : 0;
	if (result == 0 && s->mode != DATRA_DMA_MODE_RINGBUFFER_BOUNCE)
		stream_drop_blocks(s);	/* of one who could not stop the engine */
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

void datra_dma_release(struct datra_file *file, struct file *filp)
{
	struct datra_stream *s = stream_of(filp);
	int section = datra_enter(file->card);

	mutex_lock(&s->lock);
	if (s->mode != DATRA_DMA_MODE_RINGBUFFER_BOUNCE) {
		/* If the engine cannot be stopped, its memory must not become someone else's. */
		if (section < 0 || stream_reset(s) == 0)
			stream_drop_blocks(s);
	}
	mutex_unlock(&s->lock);
	if (section >= 0)
		datra_leave(file->card, section);
}

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
		s->mode = DATRA_DMA_MODE_RINGBUFFER_BOUNCE;
		s->block_bytes = DATRA_BLOCK_BYTES;
		mutex_init(&s->lock);
		mutex_init(&s->map_lock);
		datra_event_init(&s->event);
		s->extended = node->card->extended &&
			      node_read(node, DATRA_DMA_IDENTIFICATION) ==
				      DATRA_DMA_IDENTIFICATION_RESET;
		s->rings = datra_rings && s->extended;
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

/* The interrupt is gone, and nobody is in a section. */
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
		stream_drop_blocks(s);
		mutex_unlock(&s->lock);
		if (s->memory)
			dma_free_coherent(dev, DATRA_RING_BYTES, s->memory, s->memory_dma);
		if (s->descriptors)
			dma_free_coherent(dev, ENTRIES_BYTES, s->descriptors, s->entries_dma);
		s->memory = NULL;
		s->descriptors = NULL;
	}
}

/* ---- ring mode --------------------------------------------------------------------------------- */

static u32 ring_room(struct datra_stream *s)
{
	u32 free = DATRA_RING_BYTES - (s->head - s->tail);

	return min(free, DATRA_RING_BYTES - s->head % DATRA_RING_BYTES);
}

/* To logic: what has ended makes room. */
static void ring_reclaim(struct datra_stream *s)
{
	engine_harvest(s);
	while (s->taken != s->ended) {
		struct datra_frame *frame = &s->flight[s->taken++ % FLIGHT];

		s->tail += ALIGN(frame->bytes, frame_align(s));
		s->failed |= frame->error;
	}
}

/* From logic: as many empty blocks as there is room for. */
static void ring_prime(struct datra_stream *s)
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

static ssize_t ring_transfer(struct file *filp, char __user *to, const char __user *from,
			     size_t count)
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

static ssize_t dma_read(struct file *filp, char __user *to, size_t count, loff_t *position)
{
	return stream_of(filp)->from ? ring_transfer(filp, to, NULL, count) : -EINVAL;
}

static ssize_t dma_write(struct file *filp, const char __user *from, size_t count,
			 loff_t *position)
{
	return ring_transfer(filp, NULL, from, count);
}

/* ---- block modes ------------------------------------------------------------------------------- */

static unsigned int blocks_queued(struct datra_stream *s)
{
	unsigned int i, count = 0;

	for (i = 0; i < s->blocks->count; i++)
		count += s->block[i].queued;
	return count;
}

static void block_describe(struct datra_stream *s, u32 id, struct datra_buffer_block *block)
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

static long block_enqueue(struct datra_stream *s, struct datra_buffer_block *block)
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

/* -EAGAIN if nothing has ended. */
static long block_dequeue(struct datra_stream *s, struct datra_buffer_block *block)
{
	struct datra_block_state *state = &s->block[block->id];
	struct datra_frame *frame;

	if (!state->queued)
		return -EINVAL;
	if (s->stuck && !s->resetting)
		return -EIO;
	engine_harvest(s);
	if (s->taken == s->ended)
		return -EAGAIN;
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

static long dma_block_ioctl(struct file *filp, unsigned int nr, unsigned long arg)
{
	struct datra_file *file = datra_file_of(filp);
	struct datra_stream *s = stream_of(filp);
	bool block = !(filp->f_flags & O_NONBLOCK), spins = block && datra_busy_poll_us, again;
	struct datra_buffer_block given;
	const unsigned long since = jiffies;
	int section, seen;
	long result;

	if (copy_from_user(&given, (void __user *)arg, sizeof(given)))
		return -EFAULT;
	section = datra_enter(file->card);
	if (section < 0)
		return section;
	do {
		again = false;
		result = -ERESTARTSYS;
		if (mutex_lock_interruptible(&s->lock))
			break;
		seen = atomic_read(&s->event.count);
		if (!s->blocks || given.id >= s->blocks->count) {
			result = -EINVAL;
		} else if (nr == DATRA_IOC_DMABLOCK_QUERY) {
			block_describe(s, given.id, &given);
			result = 0;
		} else if (s->mode == DATRA_DMA_MODE_STANDALONE) {
			result = -EINVAL;
		} else if (nr == DATRA_IOC_DMABLOCK_ENQUEUE) {
			result = block_enqueue(s, &given);
		} else {
			result = block_dequeue(s, &given);
			if (result == -EAGAIN) {
				again = block;
				if (spins) {
					mutex_unlock(&s->lock);
					engine_spin(s);
					spins = false;
					result = 0;
					continue;
				}
				s->statistics.stalls++;
				if (engine_arm(s) && block) {
					mutex_unlock(&s->lock);
					result = 0;
					continue;
				}
			}
		}
		mutex_unlock(&s->lock);
		if (again)
			result = datra_wait(file->card, &s->event, seen, since, &section);
		spins = block && datra_busy_poll_us;
	} while (again && result == 0);
	if (section >= 0)
		datra_leave(file->card, section);
	if ((result == 0 || result == -EREMOTEIO) &&
	    copy_to_user((void __user *)arg, &given, sizeof(given)))
		return -EFAULT;
	return result;
}

static long dma_configure(struct datra_stream *s, struct datra_dma_configuration_req *request)
{
	struct datra_blocks *blocks;
	u64 size;
	long result;

	result = stream_reset(s);
	if (result)
		return result;
	stream_drop_blocks(s);
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
	stream_take_blocks(s, request->mode, blocks);
	return 0;
}

static long dma_threshold(struct datra_stream *s, u32 bytes)
{
	if (bytes == s->block_bytes)
		return 0;
	if (s->mode == DATRA_DMA_MODE_STANDALONE)
		return -EBUSY;
	if (!s->from && s->mode == DATRA_DMA_MODE_RINGBUFFER_BOUNCE)
		ring_reclaim(s);
	if (s->submitted != s->taken || s->resetting)
		return -EBUSY;
	if (bytes == 0 || DATRA_RING_BYTES % bytes || bytes % (s->from ? 64 : 8))
		return -EINVAL;
	s->block_bytes = bytes;
	s->head = 0;
	s->tail = 0;
	return 0;
}

static long dma_ioctl_inside(struct datra_file *file, struct datra_stream *s, unsigned int nr,
			     unsigned long arg)
{
	union {
		struct datra_dma_configuration_req configuration;
		struct datra_buffer_block_alloc_req alloc;
	} request;
	long result;

	switch (nr) {
	case DATRA_IOC_ROUTE_TELL_TO_LOGIC:
		return s->from ? -ENOTTY : datra_stream_route_ioctl(file, nr, arg);
	case DATRA_IOC_ROUTE_TELL_FROM_LOGIC:
		return s->from ? datra_stream_route_ioctl(file, nr, arg) : -ENOTTY;
	case DATRA_IOC_ROUTE_QUERY_ID:
		return file->node->index;
	case DATRA_IOC_RESET_FIFO_WRITE:
	case DATRA_IOC_RESET_FIFO_READ:
		if (!s->stuck &&
		    !(node_read(s->node, DMA_OF(s->from, CONTROL)) & DATRA_DMA_CONTROL_RUN))
			return s->resetting ? -EBUSY : -EINVAL;
		result = stream_reset(s);
		if (result == 0)
			memset(s->block, 0, sizeof(s->block));
		return result;
	case DATRA_IOC_TRESHOLD_QUERY:
		return s->block_bytes;
	case DATRA_IOC_TRESHOLD_TELL:
		return dma_threshold(s, arg);
	case DATRA_IOC_USERSIGNAL_QUERY:
		return s->signal;
	case DATRA_IOC_USERSIGNAL_TELL:
		if (s->from)
			return -EACCES;
		s->signal = arg;
		return 0;
	case DATRA_IOC_DMA_RECONFIGURE:
		if (copy_from_user(&request.configuration, (void __user *)arg,
				   sizeof(request.configuration)))
			return -EFAULT;
		result = dma_configure(s, &request.configuration);
		if (result == 0 && copy_to_user((void __user *)arg, &request.configuration,
						sizeof(request.configuration)))
			result = -EFAULT;
		return result;
	case DATRA_IOC_DMABLOCK_ALLOC: {
		struct datra_dma_configuration_req coherent = {
			.mode = DATRA_DMA_MODE_BLOCK_COHERENT,
		};

		if (copy_from_user(&request.alloc, (void __user *)arg, sizeof(request.alloc)))
			return -EFAULT;
		coherent.size = request.alloc.size;
		coherent.count = request.alloc.count;
		result = dma_configure(s, &coherent);
		request.alloc.size = coherent.size;
		request.alloc.count = coherent.count;
		if (result == 0 && copy_to_user((void __user *)arg, &request.alloc,
						sizeof(request.alloc)))
			result = -EFAULT;
		return result;
	}
	case DATRA_IOC_DMABLOCK_FREE:
		result = stream_reset(s);
		if (result == 0)
			stream_drop_blocks(s);
		return result;
	default:
		return -ENOTTY;
	}
}

/* ---- what the original has not ----------------------------------------------------------------- */

static long dma_timeout(struct datra_stream *s, u32 *us, bool tell)
{
	u64 hertz = engine_hertz(s), ticks;

	if (!s->from || !s->extended)
		return -ENOTTY;
	if (tell) {
		ticks = div_u64(*us * hertz + 63999999, 64000000);
		if (ticks > FIELD_MAX(DATRA_DMA_RING_TIMEOUT_TICKS))
			return -ERANGE;
		s->timeout = ticks;
		stream_write(s, DMA_RING(true, TIMEOUT), ticks);
	}
	*us = div64_u64((u64)s->timeout * 64000000, hertz);
	return 0;
}

static long dma_flush(struct datra_stream *s, u32 flags)
{
	if (!s->from || !s->extended)
		return -ENOTTY;
	if (flags)
		return -EINVAL;
	if (s->mode == DATRA_DMA_MODE_RINGBUFFER_BOUNCE)
		ring_prime(s);
	stream_write(s, DMA_RING(true, CUT), 1);
	return 0;
}

static long dma_standalone(struct datra_stream *s, struct datra_standalone_req *request)
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
	result = stream_reset(s);
	if (result)
		return result;
	stream_drop_blocks(s);
	blocks = datra_blocks_alloc(s->node->card, stream_direction(s), false, size, 1);
	if (!blocks)
		return -ENOMEM;
	stream_take_blocks(s, DATRA_DMA_MODE_STANDALONE, blocks);
	request->size = size;
	return 0;
}

/* Forgets the frames that have ended. */
static void standalone_harvest(struct datra_stream *s)
{
	engine_harvest(s);
	while (s->taken != s->ended)
		s->errors += s->flight[s->taken++ % FLIGHT].error;
}

static long standalone_start(struct datra_stream *s, const struct datra_standalone_list *list)
{
	struct datra_standalone_item *items;
	unsigned int i;
	long result = 0;

	if (s->mode != DATRA_DMA_MODE_STANDALONE || list->count == 0 ||
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

static long standalone_state(struct datra_stream *s, struct datra_standalone_state *state)
{
	if (s->mode != DATRA_DMA_MODE_STANDALONE)
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

static long dmabuf_export(struct datra_stream *s, struct datra_dmabuf_export *request)
{
	if (!s->blocks)
		return -EINVAL;
	request->fd = datra_blocks_export(s->blocks, request->id, request->flags);
	return request->fd < 0 ? request->fd : 0;
}

static long dmabuf_import(struct datra_stream *s, struct datra_dmabuf_import *request)
{
	struct datra_blocks *blocks;
	long result = stream_reset(s);

	if (result)
		return result;
	stream_drop_blocks(s);
	blocks = datra_blocks_import(s->node->card, stream_direction(s), request->fd,
				     request->count);
	if (IS_ERR(blocks))
		return PTR_ERR(blocks);
	request->size = blocks->size;
	stream_take_blocks(s, DATRA_DMA_MODE_BLOCK_STREAMING, blocks);
	return 0;
}

static long dma_extra_ioctl(struct datra_stream *s, unsigned int cmd, void __user *user)
{
	union {
		u32 number;
		struct datra_standalone_req standalone;
		struct datra_standalone_list list;
		struct datra_standalone_state state;
		struct datra_dmabuf_export export;
		struct datra_dmabuf_import import;
	} given = { };
	long result;

	switch (cmd) {
	case DATRA_IOCSTIMEOUT:
	case DATRA_IOCGTIMEOUT:
	case DATRA_IOCFLUSH:
	case DATRA_IOCSTANDALONE:
	case DATRA_IOCSTANDALONE_START:
	case DATRA_IOCSTANDALONE_STATE:
	case DATRA_IOCDMABUF_EXPORT:
	case DATRA_IOCDMABUF_IMPORT:
		break;
	default:
		return -ENOTTY;
	}
	if (_IOC_DIR(cmd) & _IOC_WRITE && copy_from_user(&given, user, _IOC_SIZE(cmd)))
		return -EFAULT;
	switch (cmd) {
	case DATRA_IOCSTIMEOUT:
		result = dma_timeout(s, &given.number, true);
		break;
	case DATRA_IOCGTIMEOUT:
		result = dma_timeout(s, &given.number, false);
		break;
	case DATRA_IOCFLUSH:
		result = dma_flush(s, given.number);
		break;
	case DATRA_IOCSTANDALONE:
		result = dma_standalone(s, &given.standalone);
		break;
	case DATRA_IOCSTANDALONE_START:
		result = standalone_start(s, &given.list);
		break;
	case DATRA_IOCSTANDALONE_STATE:
		result = standalone_state(s, &given.state);
		break;
	case DATRA_IOCDMABUF_EXPORT:
		result = dmabuf_export(s, &given.export);
		break;
	default:
		result = dmabuf_import(s, &given.import);
	}
	if (result == 0 && _IOC_DIR(cmd) & _IOC_READ &&
	    copy_to_user(user, &given, _IOC_SIZE(cmd)))
		result = -EFAULT;
	return result;
}

static long dma_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct datra_file *file = datra_file_of(filp);
	struct datra_stream *s = stream_of(filp);
	unsigned int nr = _IOC_NR(cmd);
	int section;
	long result;

	if (_IOC_TYPE(cmd) != DATRA_IOC_MAGIC)
		return -ENOTTY;
	if (nr >= DATRA_IOC_DMABLOCK_QUERY && nr <= DATRA_IOC_DMABLOCK_DEQUEUE)
		return dma_block_ioctl(filp, nr, arg);
	section = datra_enter(file->card);
	if (section < 0)
		return section;
	mutex_lock(&s->lock);
	if (nr >= DATRA_IOC_OURS)
		result = dma_extra_ioctl(s, cmd, (void __user *)arg);
	else
		result = dma_ioctl_inside(file, s, nr, arg);
	mutex_unlock(&s->lock);
	datra_leave(file->card, section);
	return result;
}

static int dma_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct datra_stream *s = stream_of(filp);
	int section = datra_enter(s->node->card);
	int result = -EINVAL;

	if (section < 0)
		return section;
	mutex_lock(&s->map_lock);
	if (s->blocks)
		result = datra_blocks_map(s->blocks, vma);
	mutex_unlock(&s->map_lock);
	datra_leave(s->node->card, section);
	return result;
}

static __poll_t dma_poll(struct file *filp, poll_table *table)
{
	struct datra_stream *s = stream_of(filp);
	__poll_t ready = s->from ? EPOLLIN | EPOLLRDNORM : EPOLLOUT | EPOLLWRNORM;
	bool is_ready;
	int section;

	poll_wait(filp, &s->event.wait, table);
	section = datra_enter(s->node->card);
	if (section < 0)
		return EPOLLERR | EPOLLHUP;
	mutex_lock(&s->lock);
	if (s->stuck && !s->resetting) {
		ready |= EPOLLERR;
		is_ready = true;
	} else if (s->mode == DATRA_DMA_MODE_RINGBUFFER_BOUNCE && !s->from) {
		ring_reclaim(s);
		is_ready = s->failed || (engine_has_room(s) && ring_room(s) > 0);
	} else {
		if (s->mode == DATRA_DMA_MODE_RINGBUFFER_BOUNCE)
			ring_prime(s);
		engine_harvest(s);
		is_ready = s->taken != s->ended;
		if (s->mode == DATRA_DMA_MODE_STANDALONE)
			is_ready = !s->cyclic && s->submitted == s->ended;
		else if (s->blocks && !s->from)
			is_ready |= blocks_queued(s) < s->blocks->count;
	}
	if (!is_ready && !s->cyclic && engine_arm(s))
		is_ready = true;
	mutex_unlock(&s->lock);
	datra_leave(s->node->card, section);
	return is_ready ? ready : 0;
}

const struct file_operations datra_dma_operations = {
	.owner = THIS_MODULE,
	.release = datra_release,
	.read = dma_read,
	.write = dma_write,
	.poll = dma_poll,
	.mmap = dma_mmap,
	.unlocked_ioctl = dma_ioctl,
	.compat_ioctl = dma_ioctl,
};
