/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * What programs ask of Datra's device files. Numbers, structures and meaning are those of the
 * original, so that its programs run unchanged; with DYPLO_ for DATRA_ they carry its older names.
 * docs/linux.md tells what each call does on which file.
 */
#ifndef DATRA_IOCTL_H
#define DATRA_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* From queue src_fifo of src_node to queue dst_fifo of dst_node. */
struct datra_route_item_t {
	__u8 dstFifo;
	__u8 dstNode;
	__u8 srcFifo;
	__u8 srcNode;
};

struct datra_route_t {
	__u32 n_routes;
	struct datra_route_item_t *proutes;
};

enum {
	DATRA_DMA_MODE_STANDALONE = 0,
	DATRA_DMA_MODE_RINGBUFFER_BOUNCE = 1,
	DATRA_DMA_MODE_BLOCK_COHERENT = 2,
	DATRA_DMA_MODE_BLOCK_STREAMING = 3,
};

struct datra_dma_configuration_req {
	__u32 mode;
	__u32 size;	/* of a block, in bytes; comes back rounded up to pages */
	__u32 count;	/* of blocks; comes back limited to 8 */
};

struct datra_buffer_block_alloc_req {
	__u32 size;
	__u32 count;
};

struct datra_buffer_block {
	__u32 id;
	__u32 offset;		/* for mmap() */
	__u32 size;
	__u32 bytes_used;
	__u16 user_signal;
	__u16 state;		/* 0 the program's, 1 the driver's */
};

#define DATRA_IOC_MAGIC	'd'

enum {
	DATRA_IOC_ROUTE_CLEAR = 0x00,
	DATRA_IOC_ROUTE_SET = 0x01,
	DATRA_IOC_ROUTE_GET = 0x02,
	DATRA_IOC_ROUTE_TELL = 0x03,
	DATRA_IOC_ROUTE_DELETE = 0x04,
	DATRA_IOC_ROUTE_TELL_TO_LOGIC = 0x05,
	DATRA_IOC_ROUTE_TELL_FROM_LOGIC = 0x06,
	DATRA_IOC_ROUTE_QUERY_ID = 0x07,
	DATRA_IOC_BACKPLANE_STATUS = 0x08,
	DATRA_IOC_BACKPLANE_DISABLE = 0x09,
	DATRA_IOC_BACKPLANE_ENABLE = 0x0A,
	DATRA_IOC_ICAP_INDEX_QUERY = 0x0B,
	DATRA_IOC_RESET_FIFO_WRITE = 0x0C,
	DATRA_IOC_RESET_FIFO_READ = 0x0D,
	DATRA_IOC_TRESHOLD_QUERY = 0x10,
	DATRA_IOC_TRESHOLD_TELL = 0x11,
	DATRA_IOC_USERSIGNAL_QUERY = 0x12,
	DATRA_IOC_USERSIGNAL_TELL = 0x13,
	DATRA_IOC_DMA_RECONFIGURE = 0x1F,
	DATRA_IOC_DMABLOCK_ALLOC = 0x20,
	DATRA_IOC_DMABLOCK_FREE = 0x21,
	DATRA_IOC_DMABLOCK_QUERY = 0x22,
	DATRA_IOC_DMABLOCK_ENQUEUE = 0x23,
	DATRA_IOC_DMABLOCK_DEQUEUE = 0x24,
	DATRA_IOC_LICENSE_KEY = 0x30,
	DATRA_IOC_STATIC_ID = 0x31,
	DATRA_IOC_ROUTE_SINGLE_DELETE = 0x32,
	DATRA_IOC_DEVICE_ID = 0x33,
	DATRA_IOC_LICENSE_INFO = 0x34,
};

#define DATRA_IOCROUTE_CLEAR	_IO(DATRA_IOC_MAGIC, DATRA_IOC_ROUTE_CLEAR)
#define DATRA_IOCSROUTE		_IOW(DATRA_IOC_MAGIC, DATRA_IOC_ROUTE_SET, struct datra_route_t)
#define DATRA_IOCGROUTE		_IOR(DATRA_IOC_MAGIC, DATRA_IOC_ROUTE_GET, struct datra_route_t)
#define DATRA_IOCTROUTE		_IO(DATRA_IOC_MAGIC, DATRA_IOC_ROUTE_TELL)
#define DATRA_IOCTROUTE_DELETE	_IO(DATRA_IOC_MAGIC, DATRA_IOC_ROUTE_DELETE)
#define DATRA_IOCTROUTE_TELL_TO_LOGIC \
	_IO(DATRA_IOC_MAGIC, DATRA_IOC_ROUTE_TELL_TO_LOGIC)
#define DATRA_IOCTROUTE_TELL_FROM_LOGIC \
	_IO(DATRA_IOC_MAGIC, DATRA_IOC_ROUTE_TELL_FROM_LOGIC)
#define DATRA_IOCQROUTE_QUERY_ID	_IO(DATRA_IOC_MAGIC, DATRA_IOC_ROUTE_QUERY_ID)
#define DATRA_IOCQBACKPLANE_STATUS	_IO(DATRA_IOC_MAGIC, DATRA_IOC_BACKPLANE_STATUS)
#define DATRA_IOCTBACKPLANE_DISABLE	_IO(DATRA_IOC_MAGIC, DATRA_IOC_BACKPLANE_DISABLE)
#define DATRA_IOCTBACKPLANE_ENABLE	_IO(DATRA_IOC_MAGIC, DATRA_IOC_BACKPLANE_ENABLE)
#define DATRA_IOCQICAP_INDEX	_IO(DATRA_IOC_MAGIC, DATRA_IOC_ICAP_INDEX_QUERY)
#define DATRA_IOCRESET_FIFO_WRITE	_IO(DATRA_IOC_MAGIC, DATRA_IOC_RESET_FIFO_WRITE)
#define DATRA_IOCRESET_FIFO_READ	_IO(DATRA_IOC_MAGIC, DATRA_IOC_RESET_FIFO_READ)
#define DATRA_IOCQTRESHOLD	_IO(DATRA_IOC_MAGIC, DATRA_IOC_TRESHOLD_QUERY)
#define DATRA_IOCTTRESHOLD	_IO(DATRA_IOC_MAGIC, DATRA_IOC_TRESHOLD_TELL)
#define DATRA_IOCQUSERSIGNAL	_IO(DATRA_IOC_MAGIC, DATRA_IOC_USERSIGNAL_QUERY)
#define DATRA_IOCTUSERSIGNAL	_IO(DATRA_IOC_MAGIC, DATRA_IOC_USERSIGNAL_TELL)
#define DATRA_IOCDMA_RECONFIGURE \
	_IOWR(DATRA_IOC_MAGIC, DATRA_IOC_DMA_RECONFIGURE, struct datra_dma_configuration_req)
#define DATRA_IOCDMABLOCK_ALLOC \
	_IOWR(DATRA_IOC_MAGIC, DATRA_IOC_DMABLOCK_ALLOC, struct datra_buffer_block_alloc_req)
#define DATRA_IOCDMABLOCK_FREE	_IO(DATRA_IOC_MAGIC, DATRA_IOC_DMABLOCK_FREE)
#define DATRA_IOCDMABLOCK_QUERY \
	_IOWR(DATRA_IOC_MAGIC, DATRA_IOC_DMABLOCK_QUERY, struct datra_buffer_block)
#define DATRA_IOCDMABLOCK_ENQUEUE \
	_IOWR(DATRA_IOC_MAGIC, DATRA_IOC_DMABLOCK_ENQUEUE, struct datra_buffer_block)
#define DATRA_IOCDMABLOCK_DEQUEUE \
	_IOWR(DATRA_IOC_MAGIC, DATRA_IOC_DMABLOCK_DEQUEUE, struct datra_buffer_block)
#define DATRA_IOCSLICENSE_KEY	_IOW(DATRA_IOC_MAGIC, DATRA_IOC_LICENSE_KEY, unsigned long long)
#define DATRA_IOCGLICENSE_KEY	_IOR(DATRA_IOC_MAGIC, DATRA_IOC_LICENSE_KEY, unsigned long long)
#define DATRA_IOCGSTATIC_ID	_IOR(DATRA_IOC_MAGIC, DATRA_IOC_STATIC_ID, unsigned int)
#define DATRA_IOCTROUTE_SINGLE_DELETE \
	_IO(DATRA_IOC_MAGIC, DATRA_IOC_ROUTE_SINGLE_DELETE)
#define DATRA_IOCGDEVICE_ID	_IOR(DATRA_IOC_MAGIC, DATRA_IOC_DEVICE_ID, unsigned long long)
#define DATRA_IOCQLICENSE_INFO	_IO(DATRA_IOC_MAGIC, DATRA_IOC_LICENSE_INFO)

#define DATRA_IOC_OURS	0x50

/*
 * What the original has not, on d files. Of these calls the whole number counts, not its low eight bits
 * alone. A call gives ENOTTY if the logic or the kernel lacks what it needs.
 */

/*
 * From logic: a frame that has begun ends when no word has come for so many microseconds. 0, as after
 * open(): never. The number comes back rounded to what the logic can do; ERANGE above that.
 */
#define DATRA_IOCSTIMEOUT	_IOWR(DATRA_IOC_MAGIC, 0x50, __u32)
#define DATRA_IOCGTIMEOUT	_IOR(DATRA_IOC_MAGIC, 0x50, __u32)

/* From logic: the frame that has begun ends now. The argument points to 0. */
#define DATRA_IOCFLUSH		_IOW(DATRA_IOC_MAGIC, 0x51, __u32)

/*
 * Standalone: the stream has one piece of memory, mapped at offset 0, and works off a list of pieces
 * of it, once or for ever, without the processor. It stops by a reset; DATRA_IOCDMABLOCK_FREE ends it.
 */
struct datra_standalone_req {
	__u32 size;	/* in bytes; comes back rounded up to pages */
	__u32 flags;	/* 0 */
};

struct datra_standalone_item {
	__u32 offset;	/* in the memory; a multiple of 4, as the length */
	__u32 bytes;
	__u16 user_signal;	/* to logic */
	__u16 reserved;
};

#define DATRA_STANDALONE_CYCLIC	1	/* for ever; the number of items is then a power of two */
#define DATRA_STANDALONE_ITEMS	64	/* at most */

struct datra_standalone_list {
	__u64 items;	/* pointer to struct datra_standalone_item */
	__u32 count;
	__u32 flags;
};

struct datra_standalone_state {
	__u64 frames;	/* that have ended since the start */
	__u32 errors;	/* of them met an error on the bus */
	__u32 running;
};

#define DATRA_IOCSTANDALONE	_IOWR(DATRA_IOC_MAGIC, 0x52, struct datra_standalone_req)
#define DATRA_IOCSTANDALONE_START	_IOW(DATRA_IOC_MAGIC, 0x53, struct datra_standalone_list)
#define DATRA_IOCSTANDALONE_STATE	_IOR(DATRA_IOC_MAGIC, 0x54, struct datra_standalone_state)

/*
 * dma-buf. A program can give a block of the streaming mode to another driver, and can use the memory of
 * another driver as blocks: it maps such blocks by their own descriptors, and says with
 * DMA_BUF_IOCTL_SYNC when it touches them.
 */
struct datra_dmabuf_export {
	__u32 id;
	__u32 flags;	/* O_CLOEXEC, or 0 */
	__s32 fd;	/* comes back */
};

struct datra_dmabuf_import {
	__u32 count;	/* 1 to 8 */
	__u32 size;	/* comes back: of each, which is that of all */
	__s32 fd[8];
};

#define DATRA_IOCDMABUF_EXPORT	_IOWR(DATRA_IOC_MAGIC, 0x55, struct datra_dmabuf_export)
#define DATRA_IOCDMABUF_IMPORT	_IOWR(DATRA_IOC_MAGIC, 0x56, struct datra_dmabuf_import)

#endif
