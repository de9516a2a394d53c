// SPDX-License-Identifier: GPL-2.0-only
/* Arming the interrupts of a node, and waiting for what they tell. */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/sched/signal.h>

#include "waiting.h"

static unsigned int busy_poll_us;
module_param(busy_poll_us, uint, 0644);
MODULE_PARM_DESC(busy_poll_us, "How long a waiting process polls before it sleeps, in microseconds");
static unsigned int stall_ms;
module_param(stall_ms, uint, 0644);
MODULE_PARM_DESC(stall_ms, "A call that sees nothing move for so many milliseconds ends with ETIMEDOUT; 0: never");

/**
 * datra_arm() - arms interrupts of a node; the logic fires at once where the condition holds
 * @node: the node
 * @interrupts: bits of its register
 *
 * Does not sleep.
 */
void datra_arm(struct datra_node *node, u32 interrupts)
{
	unsigned long flags;

	spin_lock_irqsave(&node->armed_lock, flags);
	node->armed |= interrupts;
	node_write(node, NODE_IRQ_SET, interrupts);
	spin_unlock_irqrestore(&node->armed_lock, flags);
}

/**
 * datra_disarm() - acknowledges and disarms interrupts of a node
 * @node: the node
 * @interrupts: bits of its register
 *
 * Does not sleep.
 */
void datra_disarm(struct datra_node *node, u32 interrupts)
{
	unsigned long flags;

	spin_lock_irqsave(&node->armed_lock, flags);
	node->armed &= ~interrupts;
	node_write(node, NODE_IRQ_CLEAR, interrupts);
	spin_unlock_irqrestore(&node->armed_lock, flags);
}

/*
 * Sleeps until an event after @seen, a second at most, out of the section. Returns 0, -ERESTARTSYS,
 * -ENODEV, or -ETIMEDOUT once nothing has moved since @moved for longer than stall_ms. *section is
 * negative if the card has gone.
 */
static int wait_for_event(struct datra_call *call, int seen, unsigned long moved, int *section)
{
	struct datra_card *card = call->card;
	/* The original's logic can miss a change of signal, and any logic may lose an interrupt. */
	long patience = msecs_to_jiffies(card->extended ? 1000 : 20);
	const unsigned int stall = READ_ONCE(stall_ms);
	long left;

	if (stall) {
		left = moved + msecs_to_jiffies(stall) - jiffies;
		if (left <= 0)
			return -ETIMEDOUT;
		patience = min(patience, left);
	}
	datra_leave(card, *section);
	left = wait_event_interruptible_timeout(call->event->wait,
						atomic_read(&call->event->count) != seen ||
						READ_ONCE(card->gone), patience);
	*section = datra_enter(card);
	if (*section < 0)
		return -ENODEV;
	if (left == 0 && datra_read(card, DATRA_CONTROL_VERSION) != card->version)
		return -ENODEV;		/* what does not answer reads as ones */
	return left < 0 ? -ERESTARTSYS : 0;
}

/*
 * Polls for @us microseconds. What it sees only makes the caller look again. read_poll_timeout() would
 * access the register once more when the time is over, and not end for a signal.
 */
static void poll_ready(struct datra_call *call, unsigned int us)
{
	ktime_t end = ktime_add_us(ktime_get(), us);

	while (!signal_pending(current) && !READ_ONCE(call->card->gone) &&
	       !call->operations->ready(call) && !ktime_after(ktime_get(), end))
		cpu_relax();
}

/**
 * datra_call_run() - does what a call asks for, and waits where it has to
 * @call: the call
 *
 * May sleep. The caller holds no lock, and is in no section.
 *
 * Return: what the last step() has returned, 0 or an error; -EAGAIN if the call would have to wait and
 * may not; -ERESTARTSYS for a signal; -ETIMEDOUT after stall_ms; -ENODEV if the card has gone. The call
 * may have moved bytes nevertheless.
 */
int datra_call_run(struct datra_call *call)
{
	const struct datra_call_operations *operations = call->operations;
	int section = datra_enter(call->card), why = -EAGAIN, seen, result;
	unsigned long moved = jiffies;
	bool polled = false, ready;
	unsigned int poll_us;
	size_t before;

	if (section < 0)
		return section;
	for (;;) {
		if (mutex_lock_interruptible(call->lock)) {
			result = -ERESTARTSYS;
			break;
		}
		seen = atomic_read(&call->event->count);
		before = call->done;
		result = operations->step(call);
		if (call->done != before)
			moved = jiffies;
		poll_us = call->block && !polled ? READ_ONCE(busy_poll_us) : 0;
		ready = result == DATRA_NOTHING && !poll_us && operations->arm(call);
		mutex_unlock(call->lock);
		if (result != DATRA_NOTHING)
			break;
		if (poll_us) {
			poll_ready(call, poll_us);
			polled = true;
			call->told = false;	/* nothing is armed yet */
			continue;
		}
		if (!call->block) {
			result = why;
			break;
		}
		if (ready)
			continue;
		result = wait_for_event(call, seen, moved, &section);
		if (result == -ENODEV || (result && !operations->last_look))
			break;
		if (result) {
			why = result;
			call->block = false;
		}
		call->told = atomic_read(&call->event->count) != seen;
		polled = false;
	}
	if (section >= 0)
		datra_leave(call->card, section);
	return result;
}

/**
 * datra_call_transfer() - read() or write() of whole words
 * @call: the call; its count is rounded down to words
 *
 * May sleep. The caller holds no lock, and is in no section.
 *
 * Return: bytes moved, or an error if there are none: -EINVAL for less than a word, or that of
 * datra_call_run().
 */
ssize_t datra_call_transfer(struct datra_call *call)
{
	int result;

	call->count = round_down(min_t(size_t, call->count, INT_MAX), 4);
	if (call->count == 0)
		return -EINVAL;
	result = datra_call_run(call);
	return call->done || result == 0 ? call->done : result;
}
