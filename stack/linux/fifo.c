// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files w and r: the FIFOs of CPU nodes, word by word.
 *
 * A word carries a user signal. A reader gets words of one signal at a time: where it changes, read()
 * returns what it has, maybe nothing, and the next read() goes on with the new one.
 */
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "datra.h"

static bool fifo_burst;
module_param(fifo_burst, bool, 0644);
MODULE_PARM_DESC(fifo_burst, "Access FIFOs by copies, which a bus may make bursts of");

#define READ_THRESHOLD_MOST	127
#define WRITE_THRESHOLD_MOST	170

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

int datra_fifo_init(struct datra_fifo *fifo, struct datra_node *node, unsigned int index)
{
	fifo->node = node;
	fifo->index = index;
	mutex_init(&fifo->lock);
	datra_event_init(&fifo->event);
	return 0;
}

int datra_fifo_open(struct datra_file *file)
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
 * The copies of a 64-bit processor move 8 bytes at a time and what is left byte by byte, which the logic
 * refuses: an odd word goes by itself.
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

/* Arms the interrupt for more than @above words, or words' room. */
static void fifo_arm(struct datra_file *file, unsigned int above)
{
	struct datra_fifo *fifo = file->fifo;

	if (file->from_logic) {
		fifo_set(fifo, DATRA_CPU_AVAILABLE_ABOVE(fifo->index),
			 min(above, (unsigned int)READ_THRESHOLD_MOST));
		fifo->statistics.writes++;
		datra_arm(fifo->node, CPU_IRQ_FROM_LOGIC(fifo->index));
	} else {
		fifo_set(fifo, DATRA_CPU_FREE_ABOVE(fifo->index),
			 min(above, (unsigned int)WRITE_THRESHOLD_MOST));
		fifo->statistics.writes++;
		datra_arm(fifo->node, CPU_IRQ_TO_LOGIC(fifo->index));
	}
}

/* What fifo_step() has found, other than a number of bytes or an error. */
#define FIFO_NOTHING	0
#define FIFO_FRAME	1	/* the user signal changes here */

/*
 * Moves what can be moved at once, up to @count bytes; adds to @done. @above: for which number of words
 * to wait then. The logic tells of a signal that follows another in the FIFO, but not of one that comes
 * into an empty FIFO. So who waits for more leaves a word there, and where there is none, waits for it.
 * If it was told of fewer words than it had asked for (@told), another signal is behind them.
 */
static int fifo_take(struct datra_fifo *fifo, char __user *to, size_t count, size_t *done, bool wait,
		     bool told, unsigned int *above)
{
	unsigned int before = *above;
	u16 signal;

	*above = 0;
	while (*done < count) {
		u32 level = fifo_get(fifo, DATRA_CPU_AVAILABLE(fifo->index));
		u32 words = FIELD_GET(DATRA_CPU_AVAILABLE_WORDS, level);

		if (level == ~0U)
			return -ENODEV;		/* there is nothing behind the registers */
		if (words == 0)
			return FIFO_NOTHING;
		signal = FIELD_GET(DATRA_CPU_AVAILABLE_USER_SIGNAL, level);
		if (signal != fifo->signal) {
			fifo->signal = signal;
			return FIFO_FRAME;
		}
		if (wait && words < (count - *done) / 4 && !(told && words <= before)) {
			*above = (count - *done) / 4 - 1;
			if (--words == 0)
				return FIFO_NOTHING;
		}
		words = min3(words, (u32)ARRAY_SIZE(fifo->words), (u32)((count - *done) / 4));
		/* Words are taken for good: be as sure as one can that there is a place for them. */
		if (fault_in_writeable(to + *done, 4 * words))
			return -EFAULT;
		/* The logic takes any address of a window, and ours bursts; the original takes words. */
		if (fifo_burst)
			fifo_copy_from(fifo, words);
		else
			ioread32_rep(fifo_window(fifo), fifo->words, words);
		atomic64_add(words, &fifo->node->card->reads);
		fifo->statistics.reads += words;
		if (copy_to_user(to + *done, fifo->words, 4 * words))
			return -EFAULT;
		*done += 4 * words;
		fifo->statistics.bytes += 4 * words;
		fifo->statistics.frames++;
	}
	return FIFO_NOTHING;
}

static int fifo_put(struct datra_fifo *fifo, const char __user *from, size_t count, size_t *done,
		    unsigned int *above)
{
	while (*done < count) {
		u32 words = fifo_get(fifo, DATRA_CPU_FREE(fifo->index));

		*above = (count - *done) / 4 - 1;
		if (words == ~0U)
			return -ENODEV;
		if (words == 0)
			return FIFO_NOTHING;
		words = min3(words, (u32)ARRAY_SIZE(fifo->words), (u32)((count - *done) / 4));
		if (copy_from_user(fifo->words, from + *done, 4 * words))
			return -EFAULT;
		if (fifo_burst)
			fifo_copy_to(fifo, words);
		else
			iowrite32_rep(fifo_window(fifo), fifo->words, words);
		atomic64_add(words, &fifo->node->card->writes);
		fifo->statistics.writes += words;
		*done += 4 * words;
		fifo->statistics.bytes += 4 * words;
		fifo->statistics.frames++;
	}
	return FIFO_NOTHING;
}

/* Looks whether what fifo_arm() would wait for is there, for as long as has been chosen. */
/* What is available, or free, is told in the same bits. */
#define FIFO_WORDS	DATRA_CPU_AVAILABLE_WORDS
static_assert(FIFO_WORDS == DATRA_CPU_FREE_WORDS);

static u32 fifo_level(struct datra_file *file)
{
	return file->from_logic ? DATRA_CPU_AVAILABLE(file->fifo->index) :
				  DATRA_CPU_FREE(file->fifo->index);
}

static void fifo_spin(struct datra_file *file, unsigned int above)
{
	struct datra_fifo *fifo = file->fifo;
	ktime_t end = ktime_add_us(ktime_get(), READ_ONCE(datra_busy_poll_us));
	u32 offset = fifo_level(file);
	u32 most = file->from_logic ? READ_THRESHOLD_MOST : WRITE_THRESHOLD_MOST;

	while (FIELD_GET(FIFO_WORDS, fifo_get(fifo, offset)) <= min(above, most) &&
	       !signal_pending(current) && !READ_ONCE(file->card->gone)) {
		if (ktime_after(ktime_get(), end))
			return;
		cpu_relax();
	}
}

static ssize_t fifo_transfer(struct file *filp, char __user *to, const char __user *from,
			     size_t count)
{
	struct datra_file *file = datra_file_of(filp);
	struct datra_fifo *fifo = file->fifo;
	bool block = !(filp->f_flags & O_NONBLOCK), spins = block && datra_busy_poll_us;
	bool told = false;
	int section, seen, result, nothing = -EAGAIN;
	unsigned long moved = jiffies;
	unsigned int above = 0;
	size_t done = 0, before;

	count = round_down(min_t(size_t, count, INT_MAX), 4);
	if (count == 0)
		return -EINVAL;
	section = datra_enter(file->card);
	if (section < 0)
		return section;
	for (;;) {
		result = mutex_lock_interruptible(&fifo->lock);
		if (result) {
			result = -ERESTARTSYS;
			break;
		}
		seen = atomic_read(&fifo->event.count);
		before = done;
		if (to)
			result = fifo_take(fifo, to, count, &done, block, told, &above);
		else
			result = fifo_put(fifo, from, count, &done, &above);
		if (result == FIFO_NOTHING && done < count && spins) {
			mutex_unlock(&fifo->lock);
			fifo_spin(file, above);
			spins = false;
			told = false;	/* nothing is armed yet */
			continue;
		}
		if (result == FIFO_NOTHING && done < count && block) {
			fifo->statistics.stalls++;
			fifo_arm(file, above);
		}
		mutex_unlock(&fifo->lock);
		if (result || done == count || !block)
			break;
		if (done != before)
			moved = jiffies;
		result = datra_wait(file->card, &fifo->event, seen, moved, &section);
		if (result == -ENODEV)
			break;
		if (result) {
			/* A last look: who waits leaves a word where it is, and does not any more. */
			nothing = result;
			block = false;
		}
		told = atomic_read(&fifo->event.count) != seen;
		spins = block && datra_busy_poll_us;
	}
	if (section >= 0)
		datra_leave(file->card, section);
	if (done || result == FIFO_FRAME)
		return done;
	return result < 0 ? result : nothing;
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
		return file->from_logic ? -ENOTTY : datra_stream_route_ioctl(file, nr, arg);
	case DATRA_IOC_ROUTE_TELL_FROM_LOGIC:
		return file->from_logic ? datra_stream_route_ioctl(file, nr, arg) : -ENOTTY;
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
		/* That of the next word; if there is none, the last one seen. */
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

const struct file_operations datra_fifo_operations = {
	.owner = THIS_MODULE,
	.release = datra_release,
	.read = fifo_read,
	.write = fifo_write,
	.poll = fifo_poll,
	.unlocked_ioctl = fifo_ioctl,
	.compat_ioctl = fifo_ioctl,
};
