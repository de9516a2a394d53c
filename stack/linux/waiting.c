// SPDX-License-Identifier: GPL-2.0-only
/* Arming the interrupts of a node, and waiting for what they tell. */
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/sched/signal.h>

#include "waiting.h"

unsigned int datra_busy_poll_us;
module_param_named(busy_poll_us, datra_busy_poll_us, uint, 0644);
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
