// SPDX-License-Identifier: GPL-2.0-only
/* Blocks that are given to other drivers as dma-bufs, or taken from them. */
#include <linux/dma-buf.h>
#include <linux/fcntl.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "blocks.h"
#include "compat.h"

#if IS_ENABLED(CONFIG_DMA_SHARED_BUFFER)

COMPAT_IMPORT_NS(DMA_BUF);

/**
 * struct datra_export - a block as a dma-buf
 * @blocks: what the block belongs to
 * @cpu: the block's memory
 * @lock: protects @mappings
 * @mappings: one for each device of another driver
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

/* For the card's own device the caches are maintained when the block is enqueued and dequeued. */
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

	return datra_blocks_map_cached(vma, export->cpu, vma->vm_pgoff);
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

/**
 * datra_blocks_export() - makes a block a dma-buf, which keeps the blocks alive
 * @blocks: the blocks, of the streaming mode
 * @id: which block
 * @flags: O_CLOEXEC or 0
 *
 * May sleep.
 *
 * Return: a descriptor of the dma-buf, or an error; -ENOTTY if the kernel has no dma-bufs.
 */
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

/* A command of the engine holds one address and one length. */
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

/**
 * datra_blocks_import() - makes blocks of dma-bufs of other drivers
 * @card: the card
 * @direction: the stream's
 * @fd: descriptors of the dma-bufs, which are of one size
 * @count: their number
 *
 * May sleep.
 *
 * Return: the blocks, with one reference, or an error; -EINVAL if a dma-buf is not one piece for the
 * device; -ENOTTY if the kernel has no dma-bufs.
 */
struct datra_blocks *datra_blocks_import(struct datra_card *card, enum dma_data_direction direction,
					 const s32 *fd, u32 count)
{
	struct datra_blocks *blocks;
	int result;

	if (count == 0 || count > DATRA_MAX_BLOCKS)
		return ERR_PTR(-EINVAL);
	blocks = datra_blocks_new(card, direction, DATRA_BLOCKS_IMPORTED, 0, count);
	if (!blocks)
		return ERR_PTR(-ENOMEM);
	blocks->end_import = import_end;
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
