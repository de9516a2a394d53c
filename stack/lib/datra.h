/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libdatra: programs on Datra's device files.
 *
 * A call that fails gives -1, or NULL, and sets errno; datra_error() then says what was asked of
 * which file. A program may use the descriptor of every object with poll() and the ioctls of
 * datra-ioctl.h.
 *
 *	struct datra_stream *out = datra_fifo_open(0, DATRA_TO_LOGIC, 0, 0);
 *	datra_connect(0, 0, 0, 3, 0);			from queue 0 of node 0 to queue 0 of node 3
 *	datra_write(out, words, sizeof(words));
 */
#ifndef LIBDATRA_H
#define LIBDATRA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum datra_direction { DATRA_TO_LOGIC, DATRA_FROM_LOGIC };

enum datra_mode { DATRA_COHERENT = 2, DATRA_STREAMING = 3 };

/* Says which call has failed last in this thread. */
const char *datra_error(void);

/* ---- nodes and routes. `card` counts from 0. ---------------------------------------------------- */

struct datra_node {
	unsigned type, version, inputs, outputs;
	bool enabled;
};

struct datra_route {
	uint8_t sink_queue, sink, source_queue, source;
};

/* Fills in up to `most` nodes; gives how many there are. */
int datra_nodes(unsigned card, struct datra_node *nodes, unsigned most);
int datra_routes(unsigned card, struct datra_route *routes, unsigned most);
int datra_connect(unsigned card, unsigned source, unsigned source_queue, unsigned sink,
		  unsigned sink_queue);
int datra_disconnect(unsigned card);
/* Both give the mask of the nodes that are enabled after the change. */
int datra_enable(unsigned card, uint32_t nodes);
int datra_disable(unsigned card, uint32_t nodes);
/* A word of the register map, below 64 KiB; reading takes nothing from a queue. */
int datra_peek(unsigned card, uint32_t offset, uint32_t *value);
int datra_poke(unsigned card, uint32_t offset, uint32_t value);
/* A word of a node's window. */
int datra_window_peek(unsigned card, unsigned node, uint32_t offset, uint32_t *value);
int datra_window_poke(unsigned card, unsigned node, uint32_t offset, uint32_t value);

/* ---- streams by copying: CPU FIFOs, and DMA in ring mode ----------------------------------------- */

struct datra_stream;

struct datra_stream *datra_fifo_open(unsigned card, enum datra_direction direction, unsigned number,
				     int flags);
struct datra_stream *datra_dma_open(unsigned card, enum datra_direction direction, unsigned number,
				    int flags);
void datra_close(struct datra_stream *stream);
int datra_descriptor(const struct datra_stream *stream);
/* Both move all bytes, unless the stream does not block; a read also ends where a frame ends. */
ssize_t datra_write(struct datra_stream *stream, const void *data, size_t bytes);
ssize_t datra_read(struct datra_stream *stream, void *data, size_t bytes);
/* Sends what is written from now on with this signal. */
int datra_set_signal(struct datra_stream *stream, uint16_t signal);
/* Gives the signal of the next word (FIFO), or of the frame read last (DMA). */
int datra_signal(struct datra_stream *stream);
/* How many words poll() waits for (FIFO), or how many bytes a frame has (DMA). */
int datra_set_threshold(struct datra_stream *stream, unsigned threshold);
int datra_reset(struct datra_stream *stream);
/* Gives node | queue << 8, for datra_connect(). */
int datra_queue(struct datra_stream *stream);
/* Ends the frame that a DMA stream from logic has begun. */
int datra_flush(struct datra_stream *stream);
/* Ends such a frame when no word has come for so many microseconds; 0, as after opening: never. */
int datra_set_timeout(struct datra_stream *stream, unsigned microseconds);

/* ---- blocks without copying ---------------------------------------------------------------------- */

struct datra_block {
	void *data;
	uint32_t size, bytes;
	uint16_t signal;
};

/* Up to 8 blocks of a DMA stream, which the program fills, or reads, in place. */
int datra_blocks(struct datra_stream *stream, enum datra_mode mode, uint32_t size, unsigned count);
unsigned datra_block_count(const struct datra_stream *stream);
struct datra_block *datra_block(struct datra_stream *stream, unsigned number);
/* Gives a block to the logic: block->bytes to send with block->signal, or at most to receive. */
int datra_submit(struct datra_stream *stream, unsigned number);
/* Waits for the oldest block that was given, takes it back, and gives its number. */
int datra_wait(struct datra_stream *stream);
/* Gives a descriptor of a dma-buf that is the block; only for blocks of DATRA_STREAMING. */
int datra_export(struct datra_stream *stream, unsigned number);
/* Uses dma-bufs of other drivers, of one size, as blocks. Their owners map them: data is NULL. */
int datra_import(struct datra_stream *stream, const int *descriptors, unsigned count);

/* ---- standalone: the stream works through a memory of its own ------------------------------------ */

struct datra_piece {
	uint32_t offset, bytes;
	uint16_t signal;
};

struct datra_progress {
	uint64_t frames;
	uint32_t errors;
	bool running;
};

/* Gives the stream memory, which is block 0. */
int datra_standalone(struct datra_stream *stream, uint32_t size);
/* Works through up to 64 pieces of it, once, or for ever: then their number is a power of two. */
int datra_start(struct datra_stream *stream, const struct datra_piece *pieces, unsigned count,
		bool cyclic);
/* How far the stream is; datra_reset() stops it. */
int datra_progress(struct datra_stream *stream, struct datra_progress *progress);

#ifdef __cplusplus
}
#endif
#endif
