/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside of the driver: a card, its nodes, its device files. */
#ifndef DATRA_H
#define DATRA_H

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/io.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>
#include <linux/version.h>
#include <linux/wait.h>

#include "datra-ioctl.h"
#include "datra-registers.h"

/* What the pages of CPU and DMA nodes have in the same places. */
#define NODE_IRQ_STATUS		DATRA_CPU_IRQ_STATUS
#define NODE_IRQ_SET		DATRA_CPU_IRQ_SET
#define NODE_IRQ_CLEAR		DATRA_CPU_IRQ_CLEAR
static_assert(DATRA_DMA_IRQ_STATUS == NODE_IRQ_STATUS && DATRA_DMA_IRQ_SET == NODE_IRQ_SET &&
	      DATRA_DMA_IRQ_CLEAR == NODE_IRQ_CLEAR);

/* Those of a DMA node for one direction: by name, in its ring, in its registers of interrupts. */
#define DMA_OF(from, name)	((from) ? DATRA_DMA_FROM_LOGIC_##name : DATRA_DMA_TO_LOGIC_##name)
#define DMA_RING(from, name)	(DMA_OF(from, RING) + DATRA_DMA_RING_##name)
#define DMA_IRQ(from, name)	\
	((from) ? DATRA_DMA_IRQ_FROM_LOGIC_##name : DATRA_DMA_IRQ_TO_LOGIC_##name)
#define DMA_BYTES_LIMIT		(FIELD_MAX(DATRA_DMA_TO_LOGIC_BYTES_BYTES) + 1)

/* Of a CPU node, for FIFO i. */
#define CPU_IRQ_TO_LOGIC(i)	FIELD_PREP(DATRA_CPU_IRQ_TO_LOGIC, BIT(i))
#define CPU_IRQ_FROM_LOGIC(i)	FIELD_PREP(DATRA_CPU_IRQ_FROM_LOGIC, BIT(i))

/* A set of nodes, a bit for each, as a register of the backplane. */
#define BACKPLANE_NODES(set)	FIELD_PREP(DATRA_CONTROL_BACKPLANE_NODES, set)

#define DATRA_MAX_NODES		31
#define DATRA_MAX_BLOCKS	8
#define DATRA_RING_BYTES	(256 * 1024)
#define DATRA_BLOCK_BYTES	(64 * 1024)

struct datra_card;
struct datra_node;

/**
 * struct datra_event - what an interrupt has to say to those who wait
 * @wait: they
 * @count: rises with each; whoever arms the interrupt notes it before, and waits for another value
 */
struct datra_event {
	wait_queue_head_t wait;
	atomic_t count;
};

/**
 * struct datra_statistics - of one stream, since the driver was loaded
 * @bytes: moved
 * @frames: results of the DMA engine, or batches of words
 * @stalls: how often a caller had to wait
 * @interrupts: that were meant for this stream
 * @errors: frames that met an error on the bus
 * @reads: of registers for it, but for the interrupt's
 * @writes: likewise
 */
struct datra_statistics {
	u64 bytes, frames, stalls, interrupts, errors, reads, writes;
};

/**
 * struct datra_fifo - one FIFO of a CPU node
 * @node: the node
 * @index: number within the node and the direction
 * @lock: one reader or writer at a time; never held while waiting
 * @signal: the user signal last told or seen
 * @threshold: of poll(), in words
 * @event: interrupts
 * @statistics: since the driver was loaded
 * @words: what is on its way between user memory and the window
 */
struct datra_fifo {
	struct datra_node *node;
	unsigned int index;
	struct mutex lock;
	u16 signal;
	unsigned int threshold;
	struct datra_event event;
	struct datra_statistics statistics;
	u32 words[256];
};

struct datra_stream;

/**
 * struct datra_node - one node
 * @card: the card
 * @index: its number
 * @type: what it is
 * @inputs: queues at the router
 * @outputs: queues at the router
 * @to_logic: of a CPU node its FIFOs
 * @from_logic: likewise
 * @stream: of a DMA node its streams, to logic and from logic
 * @armed_lock: serialises @armed with the register it mirrors
 * @armed: interrupts that have been armed and have not fired
 */
struct datra_node {
	struct datra_card *card;
	unsigned int index;
	enum datra_node_type type;
	unsigned int inputs, outputs;
	struct datra_fifo *to_logic, *from_logic;
	struct datra_stream *stream[2];
	spinlock_t armed_lock;
	u32 armed;
};

enum datra_kind {
	DATRA_CONTROL_FILE,
	DATRA_CONFIG_FILE,
	DATRA_FIFO_FILE,
	DATRA_DMA_FILE,
};

/**
 * struct datra_file - one device file
 * @card: the card
 * @node: the node, but for the control file
 * @kind: what it is
 * @number: in its name
 * @from_logic: of a FIFO, which way it goes
 * @fifo: of FIFO files
 * @open_lock: protects what follows
 * @readers: it is open for reading
 * @writers: it is open for writing
 * @opens: how often it is open
 * @mapping: of user mappings, to be torn down when the card goes
 * @device: under both names
 * @minor: under both names
 */
struct datra_file {
	struct datra_card *card;
	struct datra_node *node;
	enum datra_kind kind;
	unsigned int number;
	bool from_logic;
	struct datra_fifo *fifo;
	struct mutex open_lock;
	bool readers, writers;
	unsigned int opens;
	struct address_space *mapping;
	struct device *device[2];
	int minor[2];
};

/**
 * struct datra_card - one FPGA
 * @dev: the device behind it
 * @base: its registers
 * @start: their physical address
 * @bytes: their length
 * @references: files that are open, and the driver's own
 * @srcu: sections that use registers
 * @gone: it has been removed; checked inside @srcu
 * @index: number of the card, in the names of its files
 * @irq: its interrupt
 * @irq_flags: how to request that
 * @coherent: its accesses to memory are to look into the caches
 * @extended: it has the registers that the original has not
 * @version: of the logic
 * @node_count: nodes that are ready for interrupts
 * @node: the nodes
 * @file: the device files
 * @file_count: their number
 * @blocks_lock: protects @blocks and what the device knows of them
 * @blocks: all of its nodes, whoever has them
 * @route_lock: changes to the table of routes, which take several accesses
 * @reads: of registers
 * @writes: of registers
 * @interrupts: that have come
 */
struct datra_card {
	struct device *dev;
	void __iomem *base;
	resource_size_t start, bytes;
	struct kref references;
	struct srcu_struct srcu;
	bool gone;
	int index;
	int irq;
	unsigned long irq_flags;
	bool coherent, extended;
	u32 version;
	unsigned int node_count;
	struct datra_node *node;
	struct datra_file *file;
	unsigned int file_count;
	struct mutex blocks_lock;
	struct list_head blocks;
	struct mutex route_lock;
	atomic64_t reads, writes, interrupts;
};

/* Accesses to registers are counted: what a frame costs is a figure to be seen. */
static inline u32 datra_read(struct datra_card *card, u32 offset)
{
	atomic64_inc(&card->reads);
	return ioread32(card->base + offset);
}

static inline void datra_write(struct datra_card *card, u32 offset, u32 value)
{
	atomic64_inc(&card->writes);
	iowrite32(value, card->base + offset);
}

static inline u32 node_read(struct datra_node *node, u32 offset)
{
	return datra_read(node->card, DATRA_CARD_NODE_PAGE(node->index) + offset);
}

static inline void node_write(struct datra_node *node, u32 offset, u32 value)
{
	datra_write(node->card, DATRA_CARD_NODE_PAGE(node->index) + offset, value);
}

static inline void datra_event_init(struct datra_event *event)
{
	init_waitqueue_head(&event->wait);
	atomic_set(&event->count, 0);
}

static inline void datra_event_fire(struct datra_event *event)
{
	atomic_inc(&event->count);
	wake_up_interruptible_all(&event->wait);
}

/* Arms interrupts of a node; fires at once where the condition holds. */
void datra_arm(struct datra_node *node, u32 interrupts);
/* Acknowledges and disarms. */
void datra_disarm(struct datra_node *node, u32 interrupts);

/*
 * Waits for an event after @seen, a second at most. Returns 0, -ERESTARTSYS, -ENODEV, or -ETIMEDOUT
 * once nothing has moved @since for longer than stall_ms. Leaves the section of @srcu that the caller is
 * in while it sleeps, so that a card can be removed meanwhile.
 */
int datra_wait(struct datra_card *card, struct datra_event *event, int seen, unsigned long since,
	       int *section);

/* A section in which the card's registers may be used; negative if it is gone. */
int datra_enter(struct datra_card *card);
void datra_leave(struct datra_card *card, int section);

int datra_card_probe(struct datra_card *card);
void datra_card_remove(struct datra_card *card);
struct datra_card *datra_card_alloc(struct device *dev);
void datra_card_put(struct datra_card *card);

/* Routes; the caller is in a section. */
int datra_route_add(struct datra_card *card, struct datra_route_item_t item);
int datra_route_list(struct datra_card *card, struct datra_route_item_t *items, u32 most);
void datra_route_delete_node(struct datra_card *card, unsigned int node);
void datra_route_delete_to(struct datra_card *card, unsigned int node, unsigned int queue);
void datra_route_clear(struct datra_card *card);

long datra_control_ioctl(struct datra_file *file, unsigned int cmd, unsigned long arg);
long datra_config_ioctl(struct datra_file *file, unsigned int cmd, unsigned long arg);
/* -ENOIOCTLCMD for what is not common to FIFOs and DMA streams */
long datra_stream_route_ioctl(struct datra_file *file, unsigned int nr, u32 arg);

int datra_fifo_init(struct datra_fifo *fifo, struct datra_node *node, unsigned int index);
extern const struct file_operations datra_fifo_operations;
int datra_fifo_open(struct datra_file *file);

int datra_dma_init(struct datra_node *node);
void datra_dma_exit(struct datra_node *node);
void datra_dma_interrupt(struct datra_node *node, u32 status);
/* Returns true if it has handled all that the node's armed interrupts can mean, without a read. */
bool datra_dma_ring_interrupt(struct datra_node *node);
void datra_dma_wake(struct datra_node *node);
int datra_dma_open(struct datra_file *file, struct file *filp);
void datra_dma_release(struct datra_file *file, struct file *filp);
struct datra_statistics *datra_dma_statistics(struct datra_node *node, bool from_logic);
extern const struct file_operations datra_dma_operations;

extern const struct file_operations datra_register_operations;

static inline struct datra_file *datra_file_of(struct file *filp)
{
	return filp->private_data;
}

int datra_release(struct inode *inode, struct file *filp);

extern bool datra_rings;
extern unsigned int datra_busy_poll_us;

int datra_pci_register(void);
void datra_pci_unregister(void);
int datra_platform_register(void);
void datra_platform_unregister(void);

#endif
