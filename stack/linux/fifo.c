// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files w and r: the FIFOs of CPU nodes, word by word.
 *
 * A word carries a user signal. A read() gets words of one signal: where the signal changes, it returns
 * what it has, maybe nothing, and the next read() goes on with the new signal.
 */
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "card.h"
#include "fifo.h"
#include "files.h"
#include "route.h"
#include "sysfs.h"
#include "waiting.h"

static bool fifo_burst;
module_param(fifo_burst, bool, 0644);
MODULE_PARM_DESC(fifo_burst, "Copy words of FIFOs by memcpy_toio() and memcpy_fromio(), so that a bus may form bursts");

#define READ_THRESHOLD_MOST	127
#define WRITE_THRESHOLD_MOST	170

/* Interrupts of a CPU node that FIFO i causes. */
#define CPU_IRQ_TO_LOGIC(i)	FIELD_PREP(DATRA_CPU_IRQ_TO_LOGIC, BIT(i))
#define CPU_IRQ_FROM_LOGIC(i)	FIELD_PREP(DATRA_CPU_IRQ_FROM_LOGIC, BIT(i))

#define NODE_FIFOS		4

/**
 * struct datra_fifo - one FIFO of a CPU node
 * @node: the node
 * @index: number within the node and the direction
 * @lock: serialises calls; no call holds it while it waits
 * @signal: the user signal that the program has set, or that of the word last seen
 * @threshold: how many words poll() waits for
 * @event: wakes the calls that wait for words or for room
 * @statistics: since the driver was loaded
 * @words: words on their way between the program's memory and the window
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

static u32 fifo_get(struct datra_fifo *fifo, u32 offset)
{
	fifo->statistics.reads++;
	return node_read(fifo->node, offset);
}

static void fifo_set(struct datra_fifo *fifo, u32 offset, u32 value)
{
	fifo->statistics.writes++;
	node_write(fifo->node, offset, value);
}

/**
 * datra_fifo_init() - makes the FIFOs of a CPU node
 * @node: the node
 *
 * Return: 0, -EINVAL if the node has more FIFOs than there can be, or -ENOMEM. May sleep. The memory is
 * freed with the card's.
 */
int datra_fifo_init(struct datra_node *node)
{
	unsigned int i;

	if (node->inputs > NODE_FIFOS || node->outputs > NODE_FIFOS)
		return -EINVAL;
	node->to_logic = kcalloc(NODE_FIFOS, sizeof(*node->to_logic), GFP_KERNEL);
	node->from_logic = kcalloc(NODE_FIFOS, sizeof(*node->from_logic), GFP_KERNEL);
	if (!node->to_logic || !node->from_logic)
		return -ENOMEM;
	for (i = 0; i < 2 * NODE_FIFOS; i++) {
		struct datra_fifo *fifo = datra_fifo_of(node, i / 2, i % 2);

		fifo->node = node;
		fifo->index = i / 2;
		mutex_init(&fifo->lock);
		datra_event_init(&fifo->event);
	}
	return 0;
}

/**
 * datra_fifo_of() - a FIFO of a CPU node
 * @node: the node
 * @index: the FIFO's number within the node and the direction
 * @from_logic: the direction
 *
 * Return: the FIFO.
 */
struct datra_fifo *datra_fifo_of(struct datra_node *node, unsigned int index, bool from_logic)
{
	return from_logic ? &node->from_logic[index] : &node->to_logic[index];
}

static void fifo_interrupt(struct datra_fifo *fifo)
{
	fifo->statistics.interrupts++;
	datra_event_fire(&fifo->event);
}

/**
 * datra_fifo_interrupt() - wakes the calls that wait on FIFOs of a node; in interrupt context
 * @node: the node
 * @status: of its interrupts, which have been acknowledged
 */
void datra_fifo_interrupt(struct datra_node *node, u32 status)
{
	unsigned int i;

	for (i = 0; i < node->outputs; i++)
		if (status & CPU_IRQ_TO_LOGIC(i))
			fifo_interrupt(&node->to_logic[i]);
	for (i = 0; i < node->inputs; i++)
		if (status & CPU_IRQ_FROM_LOGIC(i))
			fifo_interrupt(&node->from_logic[i]);
}

/**
 * datra_fifo_wake() - wakes all calls that wait on FIFOs of a node, as its card goes
 * @node: the node
 */
void datra_fifo_wake(struct datra_node *node)
{
	unsigned int i;

	for (i = 0; i < 2 * NODE_FIFOS; i++)
		datra_event_fire(&datra_fifo_of(node, i / 2, i % 2)->event);
}

static int fifo_open(struct datra_file *file, struct file *filp)
{
	struct datra_fifo *fifo = file->fifo;

	fifo->signal = 0;
	fifo->threshold = file->from_logic ? 1 : READ_THRESHOLD_MOST;
	if (file->from_logic)
		return 0;
	fifo_set(fifo, DATRA_CPU_USER_SIGNAL(fifo->index), 0);
	return fifo_get(fifo, DATRA_CPU_USER_SIGNAL(fifo->index)) == 0 ? 0 : -EIO;
}

static void __iomem *fifo_window(struct datra_fifo *fifo)
{
	return fifo->node->card->base + DATRA_CARD_NODE_WINDOW(fifo->node->index) +
	       DATRA_CPU_WINDOW_FIFO(fifo->index);
}

/*
 * The copies of a 64-bit processor move 8 bytes at a time, and the rest byte by byte, which the logic
 * refuses: so an odd word is moved by itself.
 */
static void fifo_copy_from(struct datra_fifo *fifo, u32 words)
{
	u32 even = round_down(words, 2);

	memcpy_fromio(fifo->words, fifo_window(fifo), 4 * even);
	ioread32_rep(fifo_window(fifo) + 4 * even, fifo->words + even, words - even);
}

static void fifo_copy_to(struct datra_fifo *fifo, u32 words)
{
	u32 even = round_down(words, 2);

	memcpy_toio(fifo_window(fifo), fifo->words, 4 * even);
	iowrite32_rep(fifo_window(fifo) + 4 * even, fifo->words + even, words - even);
}

static u32 fifo_most(struct datra_file *file)
{
	return file->from_logic ? READ_THRESHOLD_MOST : WRITE_THRESHOLD_MOST;
}

/* Arms the interrupt for more than @above words, or words' room. */
static void fifo_arm(struct datra_file *file, unsigned int above)
{
	struct datra_fifo *fifo = file->fifo;

	fifo_set(fifo, file->from_logic ? DATRA_CPU_AVAILABLE_ABOVE(fifo->index) :
					  DATRA_CPU_FREE_ABOVE(fifo->index),
		 min(above, fifo_most(file)));
	fifo->statistics.writes++;
	datra_arm(fifo->node, file->from_logic ? CPU_IRQ_FROM_LOGIC(fifo->index) :
						 CPU_IRQ_TO_LOGIC(fifo->index));
}

/* The bits that tell how many words are available, or free. */
#define FIFO_WORDS	DATRA_CPU_AVAILABLE_WORDS
static_assert(FIFO_WORDS == DATRA_CPU_FREE_WORDS);

static u32 fifo_level(struct datra_file *file)
{
	return file->from_logic ? DATRA_CPU_AVAILABLE(file->fifo->index) :
				  DATRA_CPU_FREE(file->fifo->index);
}

/**
 * struct fifo_call - read() or write()
 * @call: what all calls have
 * @file: the file
 * @above: step() waits for more than so many words, or so many words' room
 */
struct fifo_call {
	struct datra_call call;
	struct datra_file *file;
	unsigned int above;
};

#define fifo_call_of(c)		container_of(c, struct fifo_call, call)

static void fifo_moved(struct datra_fifo *fifo, struct datra_call *call, u32 words)
{
	call->done += 4 * words;
	fifo->statistics.bytes += 4 * words;
	fifo->statistics.frames++;
}

/*
 * The logic tells of a signal that follows another in the FIFO, but not of one that comes into an empty
 * FIFO. So a call that waits for more leaves a word in the FIFO, and if there is none it waits for one.
 * If the logic has told of fewer words than the call had asked for, another signal is behind them. At
 * a change of the signal the call ends with what it has.
 */
static int fifo_take(struct datra_call *call)
{
	struct fifo_call *own = fifo_call_of(call);
	struct datra_fifo *fifo = own->file->fifo;
	unsigned int before = own->above;
	u16 signal;

	own->above = 0;
	while (call->done < call->count) {
		u32 level = fifo_get(fifo, DATRA_CPU_AVAILABLE(fifo->index));
		u32 words = FIELD_GET(DATRA_CPU_AVAILABLE_WORDS, level);
		u32 left = (call->count - call->done) / 4;

		if (level == ~0U)
			return -ENODEV;		/* there is nothing behind the registers */
		if (words == 0)
			return DATRA_NOTHING;
		signal = FIELD_GET(DATRA_CPU_AVAILABLE_USER_SIGNAL, level);
		if (signal != fifo->signal) {
			fifo->signal = signal;
			return 0;
		}
		if (call->block && words < left && !(call->told && words <= before)) {
			own->above = left - 1;
			if (--words == 0)
				return DATRA_NOTHING;
		}
		words = min3(words, (u32)ARRAY_SIZE(fifo->words), left);
		/* Words are taken for good: be as sure as one can that there is a place for them. */
		if (fault_in_writeable(call->to + call->done, 4 * words))
			return -EFAULT;
		/* The logic takes any address of a window, and ours bursts; the original takes words. */
		if (fifo_burst)
			fifo_copy_from(fifo, words);
		else
			ioread32_rep(fifo_window(fifo), fifo->words, words);
		atomic64_add(words, &fifo->node->card->reads);
		fifo->statistics.reads += words;
		if (copy_to_user(call->to + call->done, fifo->words, 4 * words))
			return -EFAULT;
		fifo_moved(fifo, call, words);
	}
	return 0;
}

static int fifo_put(struct datra_call *call)
{
	struct fifo_call *own = fifo_call_of(call);
	struct datra_fifo *fifo = own->file->fifo;

	while (call->done < call->count) {
		u32 words = fifo_get(fifo, DATRA_CPU_FREE(fifo->index));
		u32 left = (call->count - call->done) / 4;

		own->above = left - 1;
		if (words == ~0U)
			return -ENODEV;
		if (words == 0)
			return DATRA_NOTHING;
		words = min3(words, (u32)ARRAY_SIZE(fifo->words), left);
		if (copy_from_user(fifo->words, call->from + call->done, 4 * words))
			return -EFAULT;
		if (fifo_burst)
			fifo_copy_to(fifo, words);
		else
			iowrite32_rep(fifo_window(fifo), fifo->words, words);
		atomic64_add(words, &fifo->node->card->writes);
		fifo->statistics.writes += words;
		fifo_moved(fifo, call, words);
	}
	return 0;
}

static int fifo_step(struct datra_call *call)
{
	return call->to ? fifo_take(call) : fifo_put(call);
}

static bool fifo_ready(struct datra_call *call)
{
	struct fifo_call *own = fifo_call_of(call);

	return FIELD_GET(FIFO_WORDS, fifo_get(own->file->fifo, fifo_level(own->file))) >
	       min(own->above, fifo_most(own->file));
}

static bool fifo_call_arm(struct datra_call *call)
{
	struct fifo_call *own = fifo_call_of(call);

	if (call->block) {
		own->file->fifo->statistics.stalls++;
		fifo_arm(own->file, own->above);
	}
	return false;
}

static const struct datra_call_operations fifo_call_operations = {
	.step = fifo_step,
	.ready = fifo_ready,
	.arm = fifo_call_arm,
	.last_look = true,	/* a call that waits leaves a word in the FIFO */
};

static ssize_t fifo_transfer(struct file *filp, char __user *to, const char __user *from,
			     size_t count)
{
	struct datra_file *file = datra_file_of(filp);
	struct fifo_call own = {
		.call = {
			.operations = &fifo_call_operations,
			.card = file->card,
			.event = &file->fifo->event,
			.lock = &file->fifo->lock,
			.block = !(filp->f_flags & O_NONBLOCK),
			.to = to,
			.from = from,
			.count = count,
		},
		.file = file,
	};

	return datra_call_transfer(&own.call);
}

static ssize_t fifo_read(struct file *filp, char __user *to, size_t count, loff_t *position)
{
	return fifo_transfer(filp, to, NULL, count);
}

static ssize_t fifo_write(struct file *filp, const char __user *from, size_t count,
			  loff_t *position)
{
	return fifo_transfer(filp, NULL, from, count);
}

static __poll_t fifo_poll(struct file *filp, poll_table *table)
{
	struct datra_file *file = datra_file_of(filp);
	struct datra_fifo *fifo = file->fifo;
	__poll_t ready = file->from_logic ? EPOLLIN | EPOLLRDNORM : EPOLLOUT | EPOLLWRNORM;
	u32 offset = fifo_level(file);
	int section;

	poll_wait(filp, &fifo->event.wait, table);
	section = datra_enter(file->card);
	if (section < 0)
		return EPOLLERR | EPOLLHUP;
	if (FIELD_GET(FIFO_WORDS, fifo_get(fifo, offset)) == 0) {
		ready = 0;
		fifo_arm(file, fifo->threshold - 1);
	}
	datra_leave(file->card, section);
	return ready;
}

static long fifo_ioctl_inside(struct datra_file *file, unsigned int nr, unsigned long arg)
{
	struct datra_fifo *fifo = file->fifo;
	u32 level;

	switch (nr) {
	case DATRA_IOC_ROUTE_TELL_TO_LOGIC:
	case DATRA_IOC_ROUTE_TELL_FROM_LOGIC:
		if (file->from_logic != (nr == DATRA_IOC_ROUTE_TELL_FROM_LOGIC))
			return -ENOTTY;
		return datra_route_stream(fifo->node, fifo->index, !file->from_logic, arg);
	case DATRA_IOC_ROUTE_QUERY_ID:
		return file->node->index | fifo->index << 8;
	case DATRA_IOC_RESET_FIFO_WRITE:
	case DATRA_IOC_RESET_FIFO_READ:
		fifo_set(fifo,
			 file->from_logic ? DATRA_CPU_RESET_FROM_LOGIC : DATRA_CPU_RESET_TO_LOGIC,
			 BIT(fifo->index));
		return 0;
	case DATRA_IOC_TRESHOLD_QUERY:
		return fifo->threshold;
	case DATRA_IOC_TRESHOLD_TELL:
		fifo->threshold = clamp((u32)arg, 1U, 192U);
		return 0;
	case DATRA_IOC_USERSIGNAL_QUERY:
		if (!file->from_logic)
			return FIELD_GET(DATRA_CPU_USER_SIGNAL_USER_SIGNAL,
					 fifo_get(fifo, DATRA_CPU_USER_SIGNAL(fifo->index)));
		/* The signal of the next word; if there is none, that of the word last seen. */
		level = fifo_get(fifo, DATRA_CPU_AVAILABLE(fifo->index));
		return FIELD_GET(DATRA_CPU_AVAILABLE_WORDS, level) ?
			       FIELD_GET(DATRA_CPU_AVAILABLE_USER_SIGNAL, level) : fifo->signal;
	case DATRA_IOC_USERSIGNAL_TELL:
		if (file->from_logic)
			return -EINVAL;
		fifo->signal = arg;
		fifo_set(fifo, DATRA_CPU_USER_SIGNAL(fifo->index), fifo->signal);
		level = fifo_get(fifo, DATRA_CPU_USER_SIGNAL(fifo->index));
		return level == fifo->signal ? 0 : -EIO;
	default:
		return -ENOTTY;
	}
}

static long fifo_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct datra_file *file = datra_file_of(filp);
	int section;
	long result;

	if (_IOC_TYPE(cmd) != DATRA_IOC_MAGIC)
		return -ENOTTY;
	section = datra_enter(file->card);
	if (section < 0)
		return section;
	mutex_lock(&file->fifo->lock);
	result = fifo_ioctl_inside(file, _IOC_NR(cmd), arg);
	mutex_unlock(&file->fifo->lock);
	datra_leave(file->card, section);
	return result;
}

static const struct file_operations fifo_operations = {
	.owner = THIS_MODULE,
	.release = datra_release,
	.read = fifo_read,
	.write = fifo_write,
	.poll = fifo_poll,
	.unlocked_ioctl = fifo_ioctl,
	.compat_ioctl = fifo_ioctl,
};

static bool to_logic_allows(bool read, bool write)
{
	return write && !read;
}

static bool from_logic_allows(bool read, bool write)
{
	return read && !write;
}

static struct datra_statistics *fifo_statistics(struct datra_file *file, bool from_logic)
{
	return &file->fifo->statistics;
}

const struct datra_file_kind datra_fifo_to_logic = {
	.name = "w",
	.numbered = true,
	.streams = 1,
	.operations = &fifo_operations,
	.groups = datra_stream_groups,
	.allows = to_logic_allows,
	.open = fifo_open,
	.statistics = fifo_statistics,
};

const struct datra_file_kind datra_fifo_from_logic = {
	.name = "r",
	.numbered = true,
	.streams = 1,
	.operations = &fifo_operations,
	.groups = datra_stream_groups,
	.allows = from_logic_allows,
	.open = fifo_open,
	.statistics = fifo_statistics,
};
