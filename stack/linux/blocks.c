// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of the block modes: allocated, mapped by programs, given to other drivers as dma-bufs, or
 * taken from them.
 */
#include <linux/dma-buf.h>
#include <linux/fcntl.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "blocks.h"

/* A process, to wait for when its calls of mmap() must be over. */
struct datra_mapper {
	struct list_head list;
	struct mm_struct *mm;
};

static void import_end(struct datra_blocks *blocks, unsigned int chunk);

/* The caller holds card->blocks_lock. */
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
			import_end(blocks, i);
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

void datra_blocks_leave(struct datra_card *card)
{
	struct datra_blocks *blocks;

	mutex_lock(&card->blocks_lock);
	list_for_each_entry(blocks, &card->blocks, list)
		blocks_leave(blocks);
	mutex_unlock(&card->blocks_lock);
}

void datra_blocks_put(struct datra_blocks *blocks)
{
	kref_put(&blocks->references, datra_blocks_free);
}

static struct datra_blocks *blocks_new(struct datra_card *card,
				       enum dma_data_direction direction, enum datra_blocks_kind kind, u32 size, u32 count)
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

struct datra_blocks *datra_blocks_alloc(struct datra_card *card, enum dma_data_direction direction,
					bool streaming, u32 size, u32 count)
{
	bool together = (u64)size * count <= DATRA_RING_BYTES;
	unsigned int chunks = together ? 1 : count;
	struct datra_blocks *blocks;

	blocks = blocks_new(card, direction,
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

/* munmap() frees blocks under the lock of its process, so that cannot be taken under blocks_lock. */
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

/* Maps cached memory, from page @within of it. */
static int streaming_map(struct vm_area_struct *vma, void *cpu, unsigned long within)
{
	return remap_pfn_range(vma, vma->vm_start, page_to_pfn(virt_to_page(cpu)) + within,
			       vma->vm_end - vma->vm_start, vma->vm_page_prot);
}

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
		result = streaming_map(vma, blocks->chunk[chunk].cpu, within);
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

/* ---- dma-buf ----------------------------------------------------------------------------------- */

#if IS_ENABLED(CONFIG_DMA_SHARED_BUFFER)

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
MODULE_IMPORT_NS("DMA_BUF");
#else
MODULE_IMPORT_NS(DMA_BUF);
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define dma_buf_map_attachment_unlocked		dma_buf_map_attachment
#define dma_buf_unmap_attachment_unlocked	dma_buf_unmap_attachment
#endif

/**
 * struct datra_export - a block as a dma-buf
 * @blocks: the block's
 * @cpu: its memory
 * @lock: protects @mappings
 * @mappings: of the devices of others
 */
struct datra_export {
	struct datra_blocks *blocks;
	void *cpu;
	struct mutex lock;
	struct list_head mappings;
};

struct datra_export_mapping {
	struct list_head list;
	struct device *dev;
	struct sg_table table;
	bool mapped;
};

static int export_attach(struct dma_buf *dmabuf, struct dma_buf_attachment *attachment)
{
	struct datra_export *export = dmabuf->priv;
	struct datra_export_mapping *mapping = kzalloc(sizeof(*mapping), GFP_KERNEL);

	if (!mapping)
		return -ENOMEM;
	if (sg_alloc_table(&mapping->table, 1, GFP_KERNEL)) {
		kfree(mapping);
		return -ENOMEM;
	}
	sg_set_page(mapping->table.sgl, virt_to_page(export->cpu), dmabuf->size, 0);
	mapping->dev = attachment->dev;
	attachment->priv = mapping;
	mutex_lock(&export->lock);
	list_add(&mapping->list, &export->mappings);
	mutex_unlock(&export->lock);
	return 0;
}

static void export_detach(struct dma_buf *dmabuf, struct dma_buf_attachment *attachment)
{
	struct datra_export *export = dmabuf->priv;
	struct datra_export_mapping *mapping = attachment->priv;

	mutex_lock(&export->lock);
	list_del(&mapping->list);
	mutex_unlock(&export->lock);
	sg_free_table(&mapping->table);
	kfree(mapping);
}

static struct sg_table *export_map(struct dma_buf_attachment *attachment,
				   enum dma_data_direction direction)
{
	struct datra_export *export = attachment->dmabuf->priv;
	struct datra_export_mapping *mapping = attachment->priv;
	int result;

	mutex_lock(&export->lock);
	result = dma_map_sgtable(attachment->dev, &mapping->table, direction, 0);
	mapping->mapped = result == 0;
	mutex_unlock(&export->lock);
	return result ? ERR_PTR(result) : &mapping->table;
}

static void export_unmap(struct dma_buf_attachment *attachment, struct sg_table *table,
			 enum dma_data_direction direction)
{
	struct datra_export *export = attachment->dmabuf->priv;
	struct datra_export_mapping *mapping = attachment->priv;

	mutex_lock(&export->lock);
	mapping->mapped = false;
	dma_unmap_sgtable(attachment->dev, table, direction, 0);
	mutex_unlock(&export->lock);
}

/* The card's own device gets and gives back the block when it is enqueued and dequeued. */
static int export_begin_cpu_access(struct dma_buf *dmabuf, enum dma_data_direction direction)
{
	struct datra_export *export = dmabuf->priv;
	struct datra_export_mapping *mapping;

	mutex_lock(&export->lock);
	list_for_each_entry(mapping, &export->mappings, list)
		if (mapping->mapped)
			dma_sync_sgtable_for_cpu(mapping->dev, &mapping->table, direction);
	mutex_unlock(&export->lock);
	return 0;
}

static int export_end_cpu_access(struct dma_buf *dmabuf, enum dma_data_direction direction)
{
	struct datra_export *export = dmabuf->priv;
	struct datra_export_mapping *mapping;

	mutex_lock(&export->lock);
	list_for_each_entry(mapping, &export->mappings, list)
		if (mapping->mapped)
			dma_sync_sgtable_for_device(mapping->dev, &mapping->table, direction);
	mutex_unlock(&export->lock);
	return 0;
}

static int export_mmap(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	struct datra_export *export = dmabuf->priv;

	return streaming_map(vma, export->cpu, vma->vm_pgoff);
}

static void export_release(struct dma_buf *dmabuf)
{
	struct datra_export *export = dmabuf->priv;

	atomic_dec(&export->blocks->exports);
	datra_blocks_put(export->blocks);
	kfree(export);
}

static const struct dma_buf_ops export_operations = {
	.attach = export_attach,
	.detach = export_detach,
	.map_dma_buf = export_map,
	.unmap_dma_buf = export_unmap,
	.begin_cpu_access = export_begin_cpu_access,
	.end_cpu_access = export_end_cpu_access,
	.mmap = export_mmap,
	.release = export_release,
};

int datra_blocks_export(struct datra_blocks *blocks, unsigned int id, u32 flags)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct datra_export *export;
	struct dma_buf *dmabuf;
	int fd;

	if (blocks->kind != DATRA_BLOCKS_STREAMING || id >= blocks->count || flags & ~O_CLOEXEC)
		return -EINVAL;
	export = kzalloc(sizeof(*export), GFP_KERNEL);
	if (!export)
		return -ENOMEM;
	mutex_init(&export->lock);
	INIT_LIST_HEAD(&export->mappings);
	export->blocks = blocks;
	export->cpu = blocks->chunks == 1 ? blocks->chunk[0].cpu + id * blocks->size :
					    blocks->chunk[id].cpu;
	info.ops = &export_operations;
	info.size = blocks->size;
	info.flags = blocks->direction == DMA_TO_DEVICE ? O_RDWR : O_RDONLY;
	info.priv = export;
	kref_get(&blocks->references);
	atomic_inc(&blocks->exports);
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf)) {
		atomic_dec(&blocks->exports);
		datra_blocks_put(blocks);
		kfree(export);
		return PTR_ERR(dmabuf);
	}
	fd = dma_buf_fd(dmabuf, flags);
	if (fd < 0)
		dma_buf_put(dmabuf);
	return fd;
}

static void import_end(struct datra_blocks *blocks, unsigned int chunk)
{
	struct dma_buf_attachment *attachment = blocks->chunk[chunk].attachment;
	struct dma_buf *dmabuf = attachment->dmabuf;

	dma_buf_unmap_attachment_unlocked(attachment, blocks->chunk[chunk].table,
					  blocks->direction);
	dma_buf_detach(dmabuf, attachment);
	dma_buf_put(dmabuf);
}

/* One address and one length is what a command holds. */
static bool import_is_one_piece(struct sg_table *table, size_t bytes)
{
	dma_addr_t next = sg_dma_address(table->sgl);
	struct scatterlist *piece;
	size_t found = 0;
	int i;

	for_each_sgtable_dma_sg(table, piece, i) {
		if (sg_dma_address(piece) != next)
			return false;
		next += sg_dma_len(piece);
		found += sg_dma_len(piece);
	}
	return found >= bytes && sg_dma_address(table->sgl) % 4 == 0;
}

static int import_begin(struct datra_blocks *blocks, int fd)
{
	struct dma_buf *dmabuf = dma_buf_get(fd);
	struct dma_buf_attachment *attachment;
	struct sg_table *table;
	int result = -EINVAL;

	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	if (dmabuf->size >= DMA_BYTES_LIMIT || (blocks->size && dmabuf->size != blocks->size))
		goto put;
	attachment = dma_buf_attach(dmabuf, blocks->dev);
	if (IS_ERR(attachment)) {
		result = PTR_ERR(attachment);
		goto put;
	}
	table = dma_buf_map_attachment_unlocked(attachment, blocks->direction);
	if (IS_ERR(table)) {
		result = PTR_ERR(table);
		dma_buf_detach(dmabuf, attachment);
		goto put;
	}
	blocks->size = dmabuf->size;
	blocks->chunk[blocks->chunks].attachment = attachment;
	blocks->chunk[blocks->chunks].table = table;
	blocks->chunk[blocks->chunks].dma = sg_dma_address(table->sgl);
	blocks->chunks++;
	return import_is_one_piece(table, dmabuf->size) ? 0 : -EINVAL;
put:
	dma_buf_put(dmabuf);
	return result;
}

struct datra_blocks *datra_blocks_import(struct datra_card *card, enum dma_data_direction direction,
					 const s32 *fd, u32 count)
{
	struct datra_blocks *blocks;
	int result;

	if (count == 0 || count > DATRA_MAX_BLOCKS)
		return ERR_PTR(-EINVAL);
	blocks = blocks_new(card, direction, DATRA_BLOCKS_IMPORTED, 0, count);
	if (!blocks)
		return ERR_PTR(-ENOMEM);
	while (blocks->chunks < count) {
		result = import_begin(blocks, fd[blocks->chunks]);
		if (result) {
			datra_blocks_put(blocks);
			return ERR_PTR(result);
		}
	}
	return blocks;
}

#else

static void import_end(struct datra_blocks *blocks, unsigned int chunk)
{
}

int datra_blocks_export(struct datra_blocks *blocks, unsigned int id, u32 flags)
{
	return -ENOTTY;
}

struct datra_blocks *datra_blocks_import(struct datra_card *card, enum dma_data_direction direction,
					 const s32 *fd, u32 count)
{
	return ERR_PTR(-ENOTTY);
}

#endif
