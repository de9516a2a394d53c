/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of the block modes and of the standalone mode. */
#ifndef DATRA_BLOCKS_H
#define DATRA_BLOCKS_H

#include <linux/dma-mapping.h>
#include <linux/kref.h>
#include <linux/list.h>

#include "card.h"

#define DATRA_MAX_BLOCKS	8
#define DATRA_RING_BYTES	(256 * 1024)
#define DMA_BYTES_LIMIT		(FIELD_MAX(DATRA_DMA_TO_LOGIC_BYTES_BYTES) + 1)

struct dma_buf_attachment;
struct sg_table;

enum datra_blocks_kind {
	DATRA_BLOCKS_COHERENT,
	DATRA_BLOCKS_STREAMING,
	DATRA_BLOCKS_IMPORTED,
};

/**
 * struct datra_blocks - blocks that a program maps
 * @references: the stream's, and one of each mapping and of each dma-buf
 * @list: of the card's
 * @mappers: processes that have called mmap(); removal waits for calls that are under way
 * @card: the card
 * @dev: its device
 * @lost: the engine could not be stopped: the memory is never freed
 * @direction: the stream's
 * @kind: whose memory it is, and how it is kept coherent
 * @settled: the card goes, and no call of mmap() is under way
 * @size: bytes of a block
 * @count: number of blocks
 * @chunks: number of pieces of memory
 * @chunk_bytes: length of a piece; blocks that fit into 256 KiB together are one piece
 * @exports: dma-bufs that have been made of them
 * @end_import: gives back a piece that belongs to another driver
 * @chunk: the pieces
 *
 * The structure lives until the stream and the last mapping have let go of it. When the card goes, the
 * memory is freed at once, but for what other drivers have as dma-bufs; what programs have mapped faults.
 */
struct datra_blocks {
	struct kref references;
	struct list_head list;
	struct list_head mappers;
	struct datra_card *card;
	struct device *dev;
	enum dma_data_direction direction;
	enum datra_blocks_kind kind;
	u32 size;
	unsigned int count, chunks;
	size_t chunk_bytes;
	atomic_t exports;
	bool lost, settled;
	void (*end_import)(struct datra_blocks *blocks, unsigned int chunk);
	struct {
		void *cpu;
		dma_addr_t dma;
		struct dma_buf_attachment *attachment;
		struct sg_table *table;
	} chunk[DATRA_MAX_BLOCKS];
};

struct datra_blocks *datra_blocks_new(struct datra_card *card, enum dma_data_direction direction,
				      enum datra_blocks_kind kind, u32 size, u32 count);
struct datra_blocks *datra_blocks_alloc(struct datra_card *card, enum dma_data_direction direction,
					bool streaming, u32 size, u32 count);
struct datra_blocks *datra_blocks_import(struct datra_card *card, enum dma_data_direction direction,
					 const s32 *fd, u32 count);
void datra_blocks_put(struct datra_blocks *blocks);
void datra_blocks_leave(struct datra_card *card);
void datra_blocks_settle(struct datra_card *card);
int datra_blocks_map_cached(struct vm_area_struct *vma, void *cpu, unsigned long within);
int datra_blocks_map(struct datra_blocks *blocks, struct vm_area_struct *vma);
int datra_blocks_export(struct datra_blocks *blocks, unsigned int id, u32 flags);

static inline dma_addr_t datra_block_dma(struct datra_blocks *blocks, unsigned int id)
{
	if (blocks->chunks == 1)
		return blocks->chunk[0].dma + id * blocks->size;
	return blocks->chunk[id].dma;
}

/* The engine gets @bytes of a block; datra_block_take() gives them back to the processor. */
static inline void datra_block_give(struct datra_blocks *blocks, unsigned int id, u32 bytes)
{
	if (blocks->kind == DATRA_BLOCKS_STREAMING)
		dma_sync_single_for_device(blocks->dev, datra_block_dma(blocks, id), bytes,
					   blocks->direction);
}

static inline void datra_block_take(struct datra_blocks *blocks, unsigned int id, u32 bytes)
{
	if (blocks->kind == DATRA_BLOCKS_STREAMING)
		dma_sync_single_for_cpu(blocks->dev, datra_block_dma(blocks, id), bytes,
					blocks->direction);
}

#endif
