// SPDX-License-Identifier: GPL-2.0-only
/*
 * Datra: streams between processor and FPGA.
 *
 * This file: cards, their device files, opening and closing, interrupts. The front ends are pci.c and
 * platform.c, the files register.c (ctl, cfg), fifo.c (r, w) and dma.c (d).
 *
 * A card that is removed stays in memory until its last file is closed. Each call on a file is a
 * section of the card's SRCU domain, left while it waits: removal marks the card as gone, wakes
 * everyone, and waits for the sections that are left.
 */
#include <linux/idr.h>
#include <linux/interrupt.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "blocks.h"
#include "datra.h"

#define DATRA_MINORS 4096

static bool dyplo_names;
module_param(dyplo_names, bool, 0444);
MODULE_PARM_DESC(dyplo_names, "Also create the device files under their older names /dev/dyplo*");

bool datra_rings = true;
module_param_named(rings, datra_rings, bool, 0444);
MODULE_PARM_DESC(rings, "Use rings of descriptors in memory where the logic has them");

unsigned int datra_busy_poll_us;
module_param_named(busy_poll_us, datra_busy_poll_us, uint, 0644);
MODULE_PARM_DESC(busy_poll_us, "Microseconds that who waits looks for himself before he sleeps");
static unsigned int stall_ms;
module_param(stall_ms, uint, 0644);
MODULE_PARM_DESC(stall_ms, "Milliseconds without progress after which a call ends with ETIMEDOUT, 0 none");

static dev_t datra_first;
static struct cdev datra_cdev;
static struct class *datra_class;
static DEFINE_XARRAY_ALLOC(datra_minors);	/* of struct datra_file */
static DEFINE_IDA(datra_indices);
static DEFINE_MUTEX(datra_cards_lock);
static struct datra_card *datra_cards[64];

/* The section goes on when the function has returned, which sparse is not to look at. */
int datra_enter(struct datra_card *card)
{
	int section = srcu_read_lock(&card->srcu);

	__release(&card->srcu);
	if (!READ_ONCE(card->gone))
		return section;
	datra_leave(card, section);
	return -ENODEV;
}

void datra_leave(struct datra_card *card, int section)
{
	__acquire(&card->srcu);
	srcu_read_unlock(&card->srcu, section);
}

void datra_arm(struct datra_node *node, u32 interrupts)
{
	unsigned long flags;

	spin_lock_irqsave(&node->armed_lock, flags);
	node->armed |= interrupts;
	node_write(node, NODE_IRQ_SET, interrupts);
	spin_unlock_irqrestore(&node->armed_lock, flags);
}

void datra_disarm(struct datra_node *node, u32 interrupts)
{
	unsigned long flags;

	spin_lock_irqsave(&node->armed_lock, flags);
	node->armed &= ~interrupts;
	node_write(node, NODE_IRQ_CLEAR, interrupts);
	spin_unlock_irqrestore(&node->armed_lock, flags);
}

int datra_wait(struct datra_card *card, struct datra_event *event, int seen, unsigned long since,
	       int *section)
{
	/* The original's logic can miss a change of signal, and any logic may lose an interrupt. */
	long patience = msecs_to_jiffies(card->extended ? 1000 : 20);
	const unsigned int stall = READ_ONCE(stall_ms);
	long left;

	if (stall) {
		left = since + msecs_to_jiffies(stall) - jiffies;
		if (left <= 0)
			return -ETIMEDOUT;
		patience = min(patience, left);
	}
	datra_leave(card, *section);
	left = wait_event_interruptible_timeout(event->wait,
						atomic_read(&event->count) != seen ||
						READ_ONCE(card->gone), patience);
	*section = datra_enter(card);
	if (*section < 0)
		return -ENODEV;
	if (left == 0 && datra_read(card, DATRA_CONTROL_VERSION) != card->version)
		return -ENODEV;		/* what does not answer reads as ones */
	return left < 0 ? -ERESTARTSYS : 0;
}

static void datra_node_interrupt(struct datra_node *node)
{
	u32 status;
	unsigned int i;

	spin_lock(&node->armed_lock);
	status = node_read(node, NODE_IRQ_STATUS);
	if (status) {
		node_write(node, NODE_IRQ_CLEAR, status);
		node->armed &= ~status;
	}
	spin_unlock(&node->armed_lock);
	if (!status)
		return;
	if (node->type == DATRA_NODE_TYPE_CPU) {
		for (i = 0; i < node->outputs; i++)
			if (status & CPU_IRQ_TO_LOGIC(i)) {
				node->to_logic[i].statistics.interrupts++;
				datra_event_fire(&node->to_logic[i].event);
			}
		for (i = 0; i < node->inputs; i++)
			if (status & CPU_IRQ_FROM_LOGIC(i)) {
				node->from_logic[i].statistics.interrupts++;
				datra_event_fire(&node->from_logic[i].event);
			}
	} else if (node->type == DATRA_NODE_TYPE_DMA) {
		datra_dma_interrupt(node, status);
	}
}

/*
 * Whether rings in memory tell all that this interrupt can mean: then no register is read. @some: they
 * have told something.
 */
static bool datra_rings_interrupt(struct datra_card *card, bool *some)
{
	bool all = true;
	unsigned int i, count;

	count = smp_load_acquire(&card->node_count);	/* with what is probed of them */

	for (i = 0; i < count; i++) {
		struct datra_node *node = &card->node[i];

		if (!READ_ONCE(node->armed))
			continue;
		if (node->type == DATRA_NODE_TYPE_DMA && datra_dma_ring_interrupt(node))
			*some = true;
		else
			all = false;
	}
	return all && *some;
}

static irqreturn_t datra_interrupt(int irq, void *data)
{
	struct datra_card *card = data;
	bool some = false;
	u32 pending;
	unsigned int i;

	atomic64_inc(&card->interrupts);
	if (!datra_rings_interrupt(card, &some)) {
		pending = datra_read(card, DATRA_CONTROL_IRQ_PENDING);
		if ((!pending && !some) || pending == ~0U)
			return IRQ_NONE;
		for (i = 0; i < card->node_count; i++)
			if (FIELD_GET(DATRA_CONTROL_IRQ_PENDING_NODES, pending) & BIT(i))
				datra_node_interrupt(&card->node[i]);
	}
	datra_write(card, DATRA_CONTROL_IRQ_REARM, 0);
	return IRQ_HANDLED;
}

/* ---- opening and closing ----------------------------------------------------------------------- */

static void datra_card_free(struct kref *references)
{
	struct datra_card *card = container_of(references, struct datra_card, references);
	unsigned int i;

	for (i = 0; i < card->node_count; i++) {
		kfree(card->node[i].to_logic);
		kfree(card->node[i].from_logic);
		kfree(card->node[i].stream[0]);
		kfree(card->node[i].stream[1]);
	}
	cleanup_srcu_struct(&card->srcu);
	put_device(card->dev);
	kfree(card->node);
	kfree(card->file);
	kfree(card);
}

struct datra_card *datra_card_alloc(struct device *dev)
{
	struct datra_card *card = kzalloc(sizeof(*card), GFP_KERNEL);

	if (!card)
		return NULL;
	if (init_srcu_struct(&card->srcu)) {
		kfree(card);
		return NULL;
	}
	card->dev = get_device(dev);
	card->index = -1;
	kref_init(&card->references);
	mutex_init(&card->blocks_lock);
	INIT_LIST_HEAD(&card->blocks);
	mutex_init(&card->route_lock);
	dev_set_drvdata(dev, card);
	return card;
}

void datra_card_put(struct datra_card *card)
{
	kref_put(&card->references, datra_card_free);
}

static int datra_claim(struct datra_file *file, struct file *filp)
{
	bool read = filp->f_mode & FMODE_READ, write = filp->f_mode & FMODE_WRITE;

	switch (file->kind) {
	case DATRA_CONTROL_FILE:
		break;
	case DATRA_FIFO_FILE:
		if ((file->from_logic ? write : read) || (!read && !write))
			return -EINVAL;
		fallthrough;
	case DATRA_CONFIG_FILE:
		if ((read && file->readers) || (write && file->writers))
			return -EBUSY;
		file->readers |= read;
		file->writers |= write;
		break;
	case DATRA_DMA_FILE:
		/* Any writing means the stream to logic, also for who reads: mapping needs both. */
		if (!read && !write)
			return -EINVAL;
		if (write ? file->writers : file->readers)
			return -EBUSY;
		if (write)
			file->writers = true;
		else
			file->readers = true;
		break;
	}
	file->opens++;
	return 0;
}

static void datra_unclaim(struct datra_file *file, struct file *filp)
{
	bool read = filp->f_mode & FMODE_READ, write = filp->f_mode & FMODE_WRITE;

	if (file->kind == DATRA_DMA_FILE && write)
		read = false;
	if (read)
		file->readers = false;
	if (write)
		file->writers = false;
	if (--file->opens == 0 && file->mapping) {
		iput(file->mapping->host);
		file->mapping = NULL;
	}
}

static int datra_open(struct inode *inode, struct file *filp)
{
	const struct file_operations *operations;
	struct datra_file *file;
	struct datra_card *card;
	int section, result;

	xa_lock(&datra_minors);
	file = xa_load(&datra_minors, iminor(inode));
	if (file)
		kref_get(&file->card->references);
	xa_unlock(&datra_minors);
	if (!file)
		return -ENOENT;
	card = file->card;
	section = datra_enter(card);
	if (section < 0) {
		datra_card_put(card);
		return section;
	}

	filp->private_data = file;
	mutex_lock(&file->open_lock);
	result = datra_claim(file, filp);
	if (result == 0) {
		operations = &datra_register_operations;
		if (file->kind == DATRA_FIFO_FILE) {
			operations = &datra_fifo_operations;
			result = datra_fifo_open(file);
		} else if (file->kind == DATRA_DMA_FILE) {
			operations = &datra_dma_operations;
			result = datra_dma_open(file, filp);
		}
		if (result)
			datra_unclaim(file, filp);
	}
	if (result == 0) {
		/* One address space for all that is mapped, whatever the name it was opened by. */
		if (file->mapping) {
			filp->f_mapping = file->mapping;
		} else {
			ihold(inode);
			file->mapping = inode->i_mapping;
		}
		replace_fops(filp, fops_get(operations));
		if (operations != &datra_register_operations)
			stream_open(inode, filp);
	}
	mutex_unlock(&file->open_lock);
	datra_leave(card, section);
	if (result)
		datra_card_put(card);
	return result;
}

int datra_release(struct inode *inode, struct file *filp)
{
	struct datra_file *file = datra_file_of(filp);
	struct datra_card *card = file->card;

	mutex_lock(&file->open_lock);
	if (file->kind == DATRA_DMA_FILE)
		datra_dma_release(file, filp);
	datra_unclaim(file, filp);
	mutex_unlock(&file->open_lock);
	datra_card_put(card);
	return 0;
}

static const struct file_operations datra_operations = {
	.owner = THIS_MODULE,
	.open = datra_open,
};

/* ---- device files ------------------------------------------------------------------------------ */

static const char *datra_kind_name(struct datra_file *file)
{
	switch (file->kind) {
	case DATRA_CONTROL_FILE:
		return "ctl";
	case DATRA_CONFIG_FILE:
		return "cfg";
	case DATRA_FIFO_FILE:
		return file->from_logic ? "r" : "w";
	default:
		return "d";
	}
}

static struct datra_statistics *datra_statistics_of(struct device *dev, bool from_logic)
{
	struct datra_file *file = dev_get_drvdata(dev);

	if (file->kind == DATRA_FIFO_FILE)
		return &file->fifo->statistics;
	return datra_dma_statistics(file->node, from_logic);
}

#define DATRA_STATISTIC(name)									\
static ssize_t name##_show(struct device *dev, struct device_attribute *attribute, char *buf)	\
{												\
	struct datra_file *file = dev_get_drvdata(dev);						\
												\
	if (file->kind == DATRA_FIFO_FILE)							\
		return sysfs_emit(buf, "%llu\n", datra_statistics_of(dev, false)->name);	\
	return sysfs_emit(buf, "%llu %llu\n", datra_statistics_of(dev, false)->name,		\
			  datra_statistics_of(dev, true)->name);				\
}												\
static DEVICE_ATTR_RO(name)

DATRA_STATISTIC(bytes);
DATRA_STATISTIC(frames);
DATRA_STATISTIC(stalls);
DATRA_STATISTIC(interrupts);
DATRA_STATISTIC(errors);
DATRA_STATISTIC(reads);
DATRA_STATISTIC(writes);

static struct attribute *datra_stream_attrs[] = {
	&dev_attr_bytes.attr, &dev_attr_frames.attr, &dev_attr_stalls.attr,
	&dev_attr_interrupts.attr, &dev_attr_errors.attr, &dev_attr_reads.attr,
	&dev_attr_writes.attr, NULL,
};
ATTRIBUTE_GROUPS(datra_stream);

#define DATRA_CARD_STATISTIC(name, member)							\
static ssize_t name##_show(struct device *dev, struct device_attribute *attribute, char *buf)	\
{												\
	struct datra_file *file = dev_get_drvdata(dev);						\
												\
	return sysfs_emit(buf, "%lld\n", atomic64_read(&file->card->member));			\
}												\
static DEVICE_ATTR_RO(name)

DATRA_CARD_STATISTIC(register_reads, reads);
DATRA_CARD_STATISTIC(register_writes, writes);
DATRA_CARD_STATISTIC(card_interrupts, interrupts);

static struct attribute *datra_control_attrs[] = {
	&dev_attr_register_reads.attr, &dev_attr_register_writes.attr,
	&dev_attr_card_interrupts.attr, NULL,
};
ATTRIBUTE_GROUPS(datra_control);

static int datra_file_create(struct datra_file *file, unsigned int which)
{
	const struct attribute_group **groups = NULL;
	const char *prefix = which ? "dyplo" : "datra";
	struct datra_card *card = file->card;
	char name[32], number[12] = "";
	struct device *device;
	u32 minor;
	int result;

	if (file->kind == DATRA_CONTROL_FILE)
		groups = datra_control_groups;
	else if (file->kind != DATRA_CONFIG_FILE)
		groups = datra_stream_groups;
	if (file->kind != DATRA_CONTROL_FILE)
		snprintf(number, sizeof(number), "%u", file->number);
	if (card->index == 0)
		snprintf(name, sizeof(name), "%s%s%s", prefix, datra_kind_name(file), number);
	else
		snprintf(name, sizeof(name), "%s%d.%s%s", prefix, card->index,
			 datra_kind_name(file), number);

	result = xa_alloc(&datra_minors, &minor, file, XA_LIMIT(0, DATRA_MINORS - 1), GFP_KERNEL);
	if (result)
		return result;
	device = device_create_with_groups(datra_class, card->dev, datra_first + minor, file,
					   groups, "%s", name);
	if (IS_ERR(device)) {
		xa_erase(&datra_minors, minor);
		return PTR_ERR(device);
	}
	file->minor[which] = minor;
	file->device[which] = device;
	return 0;
}

static void datra_files_destroy(struct datra_card *card)
{
	unsigned int i, which;

	for (i = 0; i < card->file_count; i++)
		for (which = 0; which < 2; which++)
			if (card->file[i].device[which]) {
				xa_erase(&datra_minors, card->file[i].minor[which]);
				device_destroy(datra_class,
					       datra_first + card->file[i].minor[which]);
				card->file[i].device[which] = NULL;
			}
}

static struct datra_file *datra_file_add(struct datra_card *card, enum datra_kind kind,
					 struct datra_node *node, unsigned int number)
{
	struct datra_file *file = &card->file[card->file_count++];

	file->card = card;
	file->kind = kind;
	file->node = node;
	file->number = number;
	mutex_init(&file->open_lock);
	return file;
}

static int datra_files_create(struct datra_card *card)
{
	unsigned int i, q, writes = 0, reads = 0, streams = 0, count = 1 + card->node_count;
	struct datra_file *file;
	int result;

	for (i = 0; i < card->node_count; i++)
		if (card->node[i].type == DATRA_NODE_TYPE_CPU)
			count += card->node[i].inputs + card->node[i].outputs;
		else if (card->node[i].type == DATRA_NODE_TYPE_DMA)
			count++;
	card->file = kcalloc(count, sizeof(*card->file), GFP_KERNEL);
	if (!card->file)
		return -ENOMEM;

	datra_file_add(card, DATRA_CONTROL_FILE, NULL, 0);
	for (i = 0; i < card->node_count; i++) {
		struct datra_node *node = &card->node[i];

		datra_file_add(card, DATRA_CONFIG_FILE, node, i);
		if (node->type == DATRA_NODE_TYPE_DMA)
			datra_file_add(card, DATRA_DMA_FILE, node, streams++);
		if (node->type != DATRA_NODE_TYPE_CPU)
			continue;
		for (q = 0; q < node->outputs; q++) {
			file = datra_file_add(card, DATRA_FIFO_FILE, node, writes++);
			file->fifo = &node->to_logic[q];
		}
		for (q = 0; q < node->inputs; q++) {
			file = datra_file_add(card, DATRA_FIFO_FILE, node, reads++);
			file->fifo = &node->from_logic[q];
			file->from_logic = true;
		}
	}
	for (i = 0; i < card->file_count; i++) {
		result = datra_file_create(&card->file[i], 0);
		if (result == 0 && dyplo_names)
			result = datra_file_create(&card->file[i], 1);
		if (result)
			return result;
	}
	return 0;
}

/* ---- cards ------------------------------------------------------------------------------------- */

static int datra_node_probe(struct datra_node *node)
{
	u32 revision = FIELD_GET(DATRA_NODE_VERSION_REVISION, node_read(node, DATRA_NODE_VERSION));
	u32 queues = node_read(node, DATRA_NODE_QUEUES);
	unsigned int i;
	int result;

	node->type = FIELD_GET(DATRA_NODE_TYPE_KIND, node_read(node, DATRA_NODE_TYPE));
	node->inputs = FIELD_GET(DATRA_NODE_QUEUES_INPUTS, queues);
	node->outputs = FIELD_GET(DATRA_NODE_QUEUES_OUTPUTS, queues);
	if (node->type != DATRA_NODE_TYPE_CPU && node->type != DATRA_NODE_TYPE_DMA)
		return 0;
	if (revision != 1) {
		dev_err(node->card->dev, "node %u: revision %u is not known\n", node->index,
			revision);
		return -EINVAL;
	}
	if (node->type == DATRA_NODE_TYPE_DMA)
		return datra_dma_init(node);
	if (node->inputs > 4 || node->outputs > 4)
		return -EINVAL;
	node->to_logic = kcalloc(4, sizeof(*node->to_logic), GFP_KERNEL);
	node->from_logic = kcalloc(4, sizeof(*node->from_logic), GFP_KERNEL);
	if (!node->to_logic || !node->from_logic)
		return -ENOMEM;
	for (i = 0; i < 4; i++) {
		result = datra_fifo_init(&node->to_logic[i], node, i) ?:
			 datra_fifo_init(&node->from_logic[i], node, i);
		if (result)
			return result;
	}
	return 0;
}

static void datra_card_undo(struct datra_card *card)
{
	unsigned int i;

	datra_files_destroy(card);
	free_irq(card->irq, card);
	for (i = 0; i < card->node_count; i++)
		if (card->node[i].type == DATRA_NODE_TYPE_DMA)
			datra_dma_exit(&card->node[i]);
	datra_blocks_leave(card);
	if (card->index >= 0) {
		mutex_lock(&datra_cards_lock);
		datra_cards[card->index] = NULL;
		mutex_unlock(&datra_cards_lock);
		ida_free(&datra_indices, card->index);
	}
}

/*
 * Front ends call this with registers mapped, the interrupt known and the DMA mask set. Nobody but the
 * interrupt knows the card before its files are there.
 */
int datra_card_probe(struct datra_card *card)
{
	u32 counts[2], year;
	unsigned int i, nodes = 0;
	int result;

	card->version = datra_read(card, DATRA_CONTROL_VERSION);
	year = FIELD_GET(DATRA_CONTROL_VERSION_YEAR, card->version);
	if (year != FIELD_GET(DATRA_CONTROL_VERSION_YEAR, DATRA_CONTROL_VERSION_RESET)) {
		dev_err(card->dev, "version register reads 0x%08x: no Datra logic\n", card->version);
		return -ENODEV;
	}
	card->extended = FIELD_GET(DATRA_CONTROL_EXTENSIONS_MARK,
				   datra_read(card, DATRA_CONTROL_EXTENSIONS)) ==
			 FIELD_GET(DATRA_CONTROL_EXTENSIONS_MARK, DATRA_CONTROL_EXTENSIONS_RESET);
	counts[0] = datra_read(card, DATRA_CONTROL_NODE_COUNT);
	counts[1] = datra_read(card, DATRA_CONTROL_NODE_COUNT_HIGH);
	for (i = 0; i < 2; i++)
		nodes += (counts[i] & 0xFF) + (counts[i] >> 8 & 0xFF) + (counts[i] >> 16 & 0xFF) +
			 (counts[i] >> 24);
	if (nodes == 0 || nodes > DATRA_MAX_NODES ||
	    DATRA_CARD_NODE_WINDOW(nodes - 1) + DATRA_CARD_NODE_WINDOW_BYTES > card->bytes) {
		dev_err(card->dev, "%u nodes do not fit\n", nodes);
		return -ENODEV;
	}
	card->node = kcalloc(nodes, sizeof(*card->node), GFP_KERNEL);
	if (!card->node)
		return -ENOMEM;
	for (i = 0; i < nodes; i++) {
		card->node[i].card = card;
		card->node[i].index = i;
		spin_lock_init(&card->node[i].armed_lock);
	}
	/* What an earlier driver has left armed or queued must not be told of. */
	datra_write(card, DATRA_CONTROL_BACKPLANE_CLEAR, ~0U);
	for (i = 0; i < nodes; i++)
		node_write(&card->node[i], NODE_IRQ_CLEAR, ~0U);
	datra_write(card, DATRA_CONTROL_IRQ_REARM, 0);
	card->index = ida_alloc_max(&datra_indices, ARRAY_SIZE(datra_cards) - 1, GFP_KERNEL);
	if (card->index < 0)
		return card->index;
	result = request_irq(card->irq, datra_interrupt, card->irq_flags, "datra", card);
	if (result) {
		ida_free(&datra_indices, card->index);
		return dev_err_probe(card->dev, result, "interrupt %d\n", card->irq);
	}
	for (i = 0; i < nodes; i++) {
		smp_store_release(&card->node_count, i + 1);	/* the interrupt looks at it */
		result = datra_node_probe(&card->node[i]);
		if (result)
			goto undo;
	}
	datra_write(card, DATRA_CONTROL_BACKPLANE_SET, (2ULL << nodes) - 1);
	mutex_lock(&datra_cards_lock);
	datra_cards[card->index] = card;
	mutex_unlock(&datra_cards_lock);
	result = datra_files_create(card);
	if (result)
		goto undo;
	dev_info(card->dev, "datra%d: version %u.%u.%u, %u nodes%s\n", card->index, year,
		 (u32)FIELD_GET(DATRA_CONTROL_VERSION_MAJOR, card->version),
		 (u32)FIELD_GET(DATRA_CONTROL_VERSION_MINOR, card->version), nodes,
		 card->extended ? ", extended" : "");
	return 0;
undo:
	datra_card_undo(card);
	return result;
}

/* After it no register is used, no memory of the device is left, and what was mapped faults. */
void datra_card_remove(struct datra_card *card)
{
	struct address_space *mapping;
	unsigned int i, q;

	datra_files_destroy(card);
	WRITE_ONCE(card->gone, true);
	for (i = 0; i < card->node_count; i++) {
		struct datra_node *node = &card->node[i];

		for (q = 0; node->type == DATRA_NODE_TYPE_CPU && q < 4; q++) {
			datra_event_fire(&node->to_logic[q].event);
			datra_event_fire(&node->from_logic[q].event);
		}
		if (node->type == DATRA_NODE_TYPE_DMA)
			datra_dma_wake(node);
	}
	synchronize_srcu(&card->srcu);
	datra_blocks_settle(card);
	for (i = 0; i < card->file_count; i++) {
		struct datra_file *file = &card->file[i];

		mutex_lock(&file->open_lock);
		mapping = file->mapping;
		if (mapping)
			unmap_mapping_range(mapping, 0, 0, 1);
		mutex_unlock(&file->open_lock);
	}
	datra_card_undo(card);
}

/* ---- /proc/datra ------------------------------------------------------------------------------- */

static void datra_show_card(struct seq_file *m, struct datra_card *card)
{
	static const char *const kinds[] = {
		[DATRA_NODE_TYPE_CPU] = "cpu",
		[DATRA_NODE_TYPE_IO] = "io",
		[DATRA_NODE_TYPE_FIXED] = "fixed",
		[DATRA_NODE_TYPE_REPLACEABLE] = "replaceable",
		[DATRA_NODE_TYPE_DMA] = "dma",
		[DATRA_NODE_TYPE_ICAP] = "icap",
	};
	unsigned int i;

	seq_printf(m, "datra%d %s version %u.%u.%u nodes %u\n", card->index, dev_name(card->dev),
		   (u32)FIELD_GET(DATRA_CONTROL_VERSION_YEAR, card->version),
		   (u32)FIELD_GET(DATRA_CONTROL_VERSION_MAJOR, card->version),
		   (u32)FIELD_GET(DATRA_CONTROL_VERSION_MINOR, card->version),
		   card->node_count);
	for (i = 0; i < card->node_count; i++) {
		struct datra_node *node = &card->node[i];
		const char *kind = node->type < ARRAY_SIZE(kinds) ? kinds[node->type] : NULL;

		seq_printf(m, "node %u %s in %u out %u\n", i, kind ?: "?", node->inputs,
			   node->outputs);
	}
	seq_printf(m, "register reads %lld writes %lld interrupts %lld\n",
		   atomic64_read(&card->reads), atomic64_read(&card->writes),
		   atomic64_read(&card->interrupts));
}

static int datra_proc_show(struct seq_file *m, void *data)
{
	unsigned int i;

	mutex_lock(&datra_cards_lock);
	for (i = 0; i < ARRAY_SIZE(datra_cards); i++)
		if (datra_cards[i])
			datra_show_card(m, datra_cards[i]);
	mutex_unlock(&datra_cards_lock);
	return 0;
}

/* ---- the module -------------------------------------------------------------------------------- */

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
static char *datra_devnode(const struct device *dev, umode_t *mode)
#else
static char *datra_devnode(struct device *dev, umode_t *mode)
#endif
{
	if (mode)
		*mode = 0660;
	return NULL;
}

static int __init datra_module_init(void)
{
	int result = alloc_chrdev_region(&datra_first, 0, DATRA_MINORS, "datra");

	if (result)
		return result;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	datra_class = class_create("datra");
#else
	datra_class = class_create(THIS_MODULE, "datra");
#endif
	if (IS_ERR(datra_class)) {
		result = PTR_ERR(datra_class);
		goto no_class;
	}
	datra_class->devnode = datra_devnode;
	cdev_init(&datra_cdev, &datra_operations);
	datra_cdev.owner = THIS_MODULE;
	result = cdev_add(&datra_cdev, datra_first, DATRA_MINORS);
	if (result)
		goto no_cdev;
	if (!proc_create_single("datra", 0444, NULL, datra_proc_show)) {
		result = -ENOMEM;
		goto no_proc;
	}
	result = datra_pci_register();
	if (result)
		goto no_pci;
	result = datra_platform_register();
	if (result)
		goto no_platform;
	return 0;

no_platform:
	datra_pci_unregister();
no_pci:
	remove_proc_entry("datra", NULL);
no_proc:
	cdev_del(&datra_cdev);
no_cdev:
	class_destroy(datra_class);
no_class:
	unregister_chrdev_region(datra_first, DATRA_MINORS);
	return result;
}

static void __exit datra_module_exit(void)
{
	datra_platform_unregister();
	datra_pci_unregister();
	remove_proc_entry("datra", NULL);
	cdev_del(&datra_cdev);
	class_destroy(datra_class);
	unregister_chrdev_region(datra_first, DATRA_MINORS);
	ida_destroy(&datra_indices);
}

module_init(datra_module_init);
module_exit(datra_module_exit);
MODULE_DESCRIPTION("Datra: streams between processor and FPGA");
MODULE_AUTHOR("Weighbridge");
MODULE_LICENSE("GPL");
