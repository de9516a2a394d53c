// SPDX-License-Identifier: GPL-2.0-only
/* Memory of the block modes and of the standalone mode: allocated, and mapped by programs. */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "blocks.h"
#include "card.h"

/* A process that has called mmap(). */
struct datra_mapper {
	struct list_head list;
	struct mm_struct *mm;
};

/* Gives the memory back that the device knows of. The caller holds card->blocks_lock. */
static void blocks_leave(struct datra_blocks *blocks)
{
	unsigned int i;

	if (blocks->lost)
		return;

	for (i = 0; i < blocks->chunks; i++) {
		void *cpu = blocks->chunk[i].cpu;

		switch (blocks->kind) {
		case DATRA_BLOCKS_COHERENT:
			dma_free_coherent(blocks->dev, blocks->chunk_bytes, cpu,
					  blocks->chunk[i].dma);
			blocks->chunk[i].cpu = NULL;
			break;
		case DATRA_BLOCKS_STREAMING:
			dma_unmap_single(blocks->dev, blocks->chunk[i].dma, blocks->chunk_bytes,
					 blocks->direction);
			if (atomic_read(&blocks->exports))
				break;	/* datra_blocks_free() finds it */
			free_pages_exact(cpu, blocks->chunk_bytes);
			blocks->chunk[i].cpu = NULL;
			break;
		case DATRA_BLOCKS_IMPORTED:
			blocks->end_import(blocks, i);
			break;
		}
	}
	blocks->chunks = 0;
}

static void datra_blocks_free(struct kref *references)
{
	struct datra_blocks *blocks = container_of(references, struct datra_blocks, references);
	struct datra_mapper *mapper, *next;
	unsigned int i;

	mutex_lock(&blocks->card->blocks_lock);
	list_del(&blocks->list);
	blocks_leave(blocks);
	mutex_unlock(&blocks->card->blocks_lock);
	for (i = 0; i < DATRA_MAX_BLOCKS; i++)
		if (blocks->chunk[i].cpu && !blocks->lost)
			free_pages_exact(blocks->chunk[i].cpu, blocks->chunk_bytes);
	list_for_each_entry_safe(mapper, next, &blocks->mappers, list) {
		mmdrop(mapper->mm);
		kfree(mapper);
	}
	datra_card_put(blocks->card);
	kfree(blocks);
}

/**
 * datra_blocks_leave() - takes all blocks of a card away from its device
 * @card: the card, whose engines have stopped
 *
 * Takes blocks_lock. May sleep.
 */
void datra_blocks_leave(struct datra_card *card)
{
	struct datra_blocks *blocks;

	mutex_lock(&card->blocks_lock);
	list_for_each_entry(blocks, &card->blocks, list)
		blocks_leave(blocks);
	mutex_unlock(&card->blocks_lock);
}

/**
 * datra_blocks_put() - gives back a reference; the last one frees the blocks
 * @blocks: the blocks
 *
 * Takes blocks_lock. May sleep.
 */
void datra_blocks_put(struct datra_blocks *blocks)
{
	kref_put(&blocks->references, datra_blocks_free);
}

/**
 * datra_blocks_new() - makes blocks that have no memory yet
 * @card: the card, which they keep a reference to
 * @direction: the stream's
 * @kind: whose memory they will be
 * @size: bytes of a block
 * @count: number of blocks
 *
 * Takes blocks_lock. May sleep.
 *
 * Return: the blocks, with one reference, or NULL without memory.
 */
struct datra_blocks *datra_blocks_new(struct datra_card *card, enum dma_data_direction direction,
				      enum datra_blocks_kind kind, u32 size, u32 count)
{
	struct datra_blocks *blocks = kzalloc(sizeof(*blocks), GFP_KERNEL);

	if (!blocks)
		return NULL;
	kref_init(&blocks->references);
	INIT_LIST_HEAD(&blocks->mappers);
	kref_get(&card->references);
	blocks->card = card;
	blocks->dev = card->dev;
	blocks->direction = direction;
	blocks->kind = kind;
	blocks->size = size;
	blocks->count = count;
	mutex_lock(&card->blocks_lock);
	list_add(&blocks->list, &card->blocks);
	mutex_unlock(&card->blocks_lock);
	return blocks;
}

/* Cached memory that the device reaches; zero. */
static bool streaming_alloc(struct datra_blocks *blocks, unsigned int chunk)
{
	/* A mask of less than all of memory must not end in a copy of it. */
	const gfp_t zone = dma_get_mask(blocks->dev) <= DMA_BIT_MASK(32) ? GFP_DMA32 : 0;
	void *cpu = alloc_pages_exact(blocks->chunk_bytes,
				      GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN | zone);
	dma_addr_t dma;

	if (!cpu)
		return false;
	dma = dma_map_single(blocks->dev, cpu, blocks->chunk_bytes, blocks->direction);
	if (dma_mapping_error(blocks->dev, dma)) {
		free_pages_exact(cpu, blocks->chunk_bytes);
		return false;
	}
	blocks->chunk[chunk].cpu = cpu;
	blocks->chunk[chunk].dma = dma;
	return true;
}

/**
 * datra_blocks_alloc() - makes blocks of memory that the device reaches
 * @card: the card
 * @direction: the stream's
 * @streaming: the processor caches the memory, and the kernel maintains the caches
 * @size: bytes of a block, whole pages
 * @count: number of blocks, up to DATRA_MAX_BLOCKS
 *
 * May sleep.
 *
 * Return: the blocks, with one reference and all zero, or NULL without memory.
 */
struct datra_blocks *datra_blocks_alloc(struct datra_card *card, enum dma_data_direction direction,
					bool streaming, u32 size, u32 count)
{
	bool together = (u64)size * count <= DATRA_RING_BYTES;
	unsigned int chunks = together ? 1 : count;
	struct datra_blocks *blocks;

	blocks = datra_blocks_new(card, direction,
				  streaming ? DATRA_BLOCKS_STREAMING : DATRA_BLOCKS_COHERENT, size, count);
	if (!blocks)
		return NULL;
	blocks->chunk_bytes = together ? (size_t)size * count : size;
	while (blocks->chunks < chunks) {
		unsigned int i = blocks->chunks;

		if (!streaming)
			blocks->chunk[i].cpu = dma_alloc_coherent(card->dev,
								  blocks->chunk_bytes,
								  &blocks->chunk[i].dma,
								  GFP_KERNEL | __GFP_NOWARN);
		else
			streaming_alloc(blocks, i);
		if (!blocks->chunk[i].cpu) {
			datra_blocks_put(blocks);
			return NULL;
		}
		blocks->chunks++;
	}
	return blocks;
}

/* ---- mappings ---------------------------------------------------------------------------------- */

static int blocks_note_mapper(struct datra_blocks *blocks, struct mm_struct *mm)
{
	struct datra_mapper *mapper;

	list_for_each_entry(mapper, &blocks->mappers, list)
		if (mapper->mm == mm)
			return 0;
	mapper = kmalloc(sizeof(*mapper), GFP_KERNEL);
	if (!mapper)
		return -ENOMEM;
	mmgrab(mm);
	mapper->mm = mm;
	list_add(&mapper->list, &blocks->mappers);
	return 0;
}

static struct datra_blocks *blocks_unsettled(struct datra_card *card)
{
	struct datra_blocks *blocks, *found = NULL;

	mutex_lock(&card->blocks_lock);
	list_for_each_entry(blocks, &card->blocks, list)
		if (!blocks->settled && kref_get_unless_zero(&blocks->references)) {
			blocks->settled = true;
			found = blocks;
			break;
		}
	mutex_unlock(&card->blocks_lock);
	return found;
}

/**
 * datra_blocks_settle() - waits until no call of mmap() is under way
 * @card: the card, which has gone: none can begin
 *
 * Files know afterwards what is mapped. Takes the locks of the processes' memories, and not under
 * blocks_lock, which munmap() takes under them. Sleeps.
 */
void datra_blocks_settle(struct datra_card *card)
{
	struct datra_mapper *mapper;
	struct datra_blocks *blocks;

	while ((blocks = blocks_unsettled(card))) {
		list_for_each_entry(mapper, &blocks->mappers, list) {
			mmap_read_lock(mapper->mm);
			mmap_read_unlock(mapper->mm);
		}
		datra_blocks_put(blocks);
	}
}

static void map_open(struct vm_area_struct *vma)
{
	struct datra_blocks *blocks = vma->vm_private_data;

	kref_get(&blocks->references);
}

static void map_close(struct vm_area_struct *vma)
{
	datra_blocks_put(vma->vm_private_data);
}

static vm_fault_t map_fault(struct vm_fault *vmf)
{
	return VM_FAULT_SIGBUS;		/* the card has gone */
}

static const struct vm_operations_struct map_operations = {
	.fault = map_fault,
	.open = map_open,
	.close = map_close,
};

/**
 * datra_blocks_map_cached() - maps cached memory of blocks into a process
 * @vma: where to; its length is not checked
 * @cpu: the memory
 * @within: the page of it that comes first
 *
 * May sleep.
 *
 * Return: 0 or an error.
 */
int datra_blocks_map_cached(struct vm_area_struct *vma, void *cpu, unsigned long within)
{
	return remap_pfn_range(vma, vma->vm_start, page_to_pfn(virt_to_page(cpu)) + within,
			       vma->vm_end - vma->vm_start, vma->vm_page_prot);
}

/**
 * datra_blocks_map() - mmap() of blocks; the mapping gets a reference to them
 * @blocks: the blocks; their stream's map_lock is held
 * @vma: where to, and which part of the blocks
 *
 * May sleep.
 *
 * Return: 0, -EINVAL if the part is not there or is not one piece, or another error.
 */
int datra_blocks_map(struct datra_blocks *blocks, struct vm_area_struct *vma)
{
	unsigned long first = vma->vm_pgoff, bytes = vma->vm_end - vma->vm_start, within = first;
	unsigned int chunk = 0;
	int result;

	if (blocks->kind == DATRA_BLOCKS_IMPORTED)
		return -EINVAL;		/* they are mapped where they come from */
	if (blocks->chunks > 1) {
		chunk = first / (blocks->size >> PAGE_SHIFT);
		within = first % (blocks->size >> PAGE_SHIFT);
		if (chunk >= blocks->chunks || within)
			return -EINVAL;
	}
	if (within >= blocks->chunk_bytes >> PAGE_SHIFT ||
	    bytes > blocks->chunk_bytes - (within << PAGE_SHIFT))
		return -EINVAL;
	result = blocks_note_mapper(blocks, vma->vm_mm);
	if (result)
		return result;
	if (blocks->kind == DATRA_BLOCKS_STREAMING) {
		result = datra_blocks_map_cached(vma, blocks->chunk[chunk].cpu, within);
	} else {
		vma->vm_pgoff = within;		/* what the DMA API looks at */
		result = dma_mmap_coherent(blocks->dev, vma, blocks->chunk[chunk].cpu,
					   blocks->chunk[chunk].dma, blocks->chunk_bytes);
		/* Of pages that a write will copy, the kernel keeps there where they are. */
		if (!is_cow_mapping(vma->vm_flags))
			vma->vm_pgoff = first;
	}
	if (result)
		return result;
	vma->vm_private_data = blocks;
	vma->vm_ops = &map_operations;
	kref_get(&blocks->references);
	return 0;
}
