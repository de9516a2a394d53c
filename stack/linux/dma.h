/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two streams of a DMA node.
 *
 * A stream numbers its frames since the last reset. @submitted frames have been given to the engine,
 * it has ended @ended of them, and @taken of those have been consumed. The engine gets its commands by
 * registers, or by descriptors in memory if the logic has rings: then one access may start many frames.
 * Either way it ends frames in the order in which it got them.
 *
 * A stream's mode says what its frames are: see dma-ring.c, dma-block.c and dma-standalone.c.
 *
 * Nobody sleeps for an event with s->lock held. copy_*_user() is called under it and may take the lock
 * of the process's memory, under which mmap() is called: so mmap() takes s->map_lock alone.
 */
#ifndef DATRA_DMA_H
#define DATRA_DMA_H

#include <linux/dma-mapping.h>

#include "blocks.h"
#include "card.h"
#include "datra-ioctl.h"
#include "files.h"
#include "sysfs.h"
#include "waiting.h"

/* Those of a DMA node for one direction: by name, in its ring, in its registers of interrupts. */
#define DMA_OF(from, name)	((from) ? DATRA_DMA_FROM_LOGIC_##name : DATRA_DMA_TO_LOGIC_##name)
#define DMA_RING(from, name)	(DMA_OF(from, RING) + DATRA_DMA_RING_##name)
#define DMA_IRQ(from, name)	\
	((from) ? DATRA_DMA_IRQ_FROM_LOGIC_##name : DATRA_DMA_IRQ_TO_LOGIC_##name)

#define FLIGHT		64		/* frames in flight, entries of the rings: a power of two */
#define DATRA_BLOCK_BYTES	(64 * 1024)

/* A descriptor as the logic reads it. */
struct datra_descriptor {
	__le64 address;
	__le32 bytes;
	__le32 signal;
} __aligned(16);
static_assert(offsetof(struct datra_descriptor, address) == DATRA_RING_DESCRIPTOR_ADDRESS(0));
static_assert(offsetof(struct datra_descriptor, bytes) == DATRA_RING_DESCRIPTOR_BYTES);
static_assert(offsetof(struct datra_descriptor, signal) == DATRA_RING_DESCRIPTOR_USER_SIGNAL);

struct datra_frame {
	u32 bytes;		/* asked for */
	u32 got;		/* moved */
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
 * @cyclic: the engine works through the descriptors for ever
 * @resetting: a call resets the stream, and has let go of @lock
 * @stuck: a reset has not finished; the memory belongs to the engine until one does
 * @failed: a frame to logic has met an error, which no write() has told yet
 * @unacknowledged: the driver has seen frames end since it last acknowledged the interrupt
 * @lock: protects all but what has a lock of its own; no call holds it while it waits
 * @map_lock: taken to change @blocks, and by mmap(), which cannot take @lock
 * @event: wakes the calls that wait for frames or a reset
 * @reset_done: the interrupt has seen the end of a reset
 * @statistics: since the driver was loaded
 * @flight: the frames in flight, by number modulo their greatest number
 * @submitted: frames given to the engine
 * @ended: frames of those that the engine has ended
 * @taken: frames of those that the driver has consumed
 * @told: value of @submitted that the engine has been told
 * @descriptors: ring that the engine reads
 * @statuses: ring that the engine writes
 * @entries_dma: address of @descriptors for the device; @statuses follow them
 * @memory: the ring of ring mode
 * @memory_dma: its address for the device
 * @head: in ring mode, bytes of @memory that frames have taken since the reset
 * @tail: bytes of those that are free again
 * @part: bytes of the oldest ended frame that have been read
 * @block_bytes: length of a frame in ring mode, at most
 * @signal: the user signal that the program has set, or that of the frame last read
 * @register_signal: what the register of the user signal holds
 * @mode: what its frames are
 * @blocks: memory that programs map; NULL in ring mode
 * @block: state of each block
 * @errors: in standalone mode, frames with an error since the start
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

	const struct datra_mode *mode;
	struct datra_blocks *blocks;
	struct datra_block_state block[DATRA_MAX_BLOCKS];
	u32 errors, timeout;
};

/* Accesses for a stream; its statistics count them. */
static inline u32 stream_read(struct datra_stream *s, u32 offset)
{
	s->statistics.reads++;
	return node_read(s->node, offset);
}

static inline void stream_write(struct datra_stream *s, u32 offset, u32 value)
{
	s->statistics.writes++;
	node_write(s->node, offset, value);
}

static inline struct datra_stream *stream_of(struct file *filp)
{
	return datra_file_of(filp)->node->stream[!(filp->f_mode & FMODE_WRITE)];
}

static inline enum dma_data_direction stream_direction(struct datra_stream *s)
{
	return s->from ? DMA_FROM_DEVICE : DMA_TO_DEVICE;
}

/**
 * struct stream_call - a call on a stream
 * @call: what all calls have
 * @s: the stream
 * @nr: what an ioctl on a block asks for
 * @block: the block that it names, and what it gives back
 */
struct stream_call {
	struct datra_call call;
	struct datra_stream *s;
	unsigned int nr;
	struct datra_buffer_block block;
};

#define stream_call_of(c)	container_of(c, struct stream_call, call)

/**
 * struct datra_mode - what a mode of a stream does; the stream's lock is held
 * @transfer: step() of read() and write(); NULL: the mode has neither
 * @block: step() of giving a block to the engine, or taking it back; NULL: the mode has neither
 * @ready: for poll(): whether a call would have something to do, as the engine's frames are now
 * @refresh: gives the engine empty frames from logic, or takes back those to logic that have ended; or NULL
 */
struct datra_mode {
	int (*transfer)(struct datra_stream *s, struct datra_call *call);
	int (*block)(struct datra_stream *s, unsigned int nr, struct datra_buffer_block *block);
	bool (*ready)(struct datra_stream *s);
	void (*refresh)(struct datra_stream *s);
};

extern const struct datra_mode datra_ring_mode, datra_block_mode, datra_standalone_mode;

int stream_begin(struct datra_stream *s);
void stream_end(struct datra_stream *s);
int stream_free_blocks(struct datra_stream *s);
void stream_take_blocks(struct datra_stream *s, const struct datra_mode *mode,
			struct datra_blocks *blocks);

void engine_harvest(struct datra_stream *s);
bool engine_has_room(struct datra_stream *s);
void engine_submit(struct datra_stream *s, dma_addr_t address, u32 bytes, u16 signal,
		   unsigned int block);
void engine_start(struct datra_stream *s);
bool engine_arm(struct datra_stream *s);
bool engine_ready(struct datra_call *call);
bool engine_call_arm(struct datra_call *call);
u64 engine_hertz(struct datra_stream *s);
int engine_reset(struct datra_stream *s);
int stream_reset(struct datra_stream *s);

void block_describe(struct datra_stream *s, u32 id, struct datra_buffer_block *block);
long dma_configure(struct datra_stream *s, struct datra_dma_configuration_req *request);
long dmabuf_export(struct datra_stream *s, struct datra_dmabuf_export *request);
long dmabuf_import(struct datra_stream *s, struct datra_dmabuf_import *request);

long dma_standalone(struct datra_stream *s, struct datra_standalone_req *request);
long standalone_start(struct datra_stream *s, const struct datra_standalone_list *list);
long standalone_state(struct datra_stream *s, struct datra_standalone_state *state);

int datra_dma_init(struct datra_node *node);
void datra_dma_exit(struct datra_node *node);
void datra_dma_interrupt(struct datra_node *node, u32 status);
bool datra_dma_ring_interrupt(struct datra_node *node);
void datra_dma_wake(struct datra_node *node);
struct datra_statistics *datra_dma_statistics(struct datra_file *file, bool from_logic);
extern const struct datra_file_kind datra_dma_kind;

#endif
