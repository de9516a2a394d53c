/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts that a node is armed with, and calls that wait for them. */
#ifndef DATRA_WAITING_H
#define DATRA_WAITING_H

#include <linux/atomic.h>
#include <linux/wait.h>

#include "card.h"

/* What the pages of CPU and DMA nodes have in the same places. */
#define NODE_IRQ_STATUS		DATRA_CPU_IRQ_STATUS
#define NODE_IRQ_SET		DATRA_CPU_IRQ_SET
#define NODE_IRQ_CLEAR		DATRA_CPU_IRQ_CLEAR
static_assert(DATRA_DMA_IRQ_STATUS == NODE_IRQ_STATUS && DATRA_DMA_IRQ_SET == NODE_IRQ_SET &&
	      DATRA_DMA_IRQ_CLEAR == NODE_IRQ_CLEAR);

/**
 * struct datra_event - what wakes the calls that wait on a stream
 * @wait: those calls
 * @count: rises with each event; a call reads it before it arms the interrupt, and waits until it differs
 */
struct datra_event {
	wait_queue_head_t wait;
	atomic_t count;
};

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

extern unsigned int datra_busy_poll_us;

void datra_arm(struct datra_node *node, u32 interrupts);
void datra_disarm(struct datra_node *node, u32 interrupts);
int datra_wait(struct datra_card *card, struct datra_event *event, int seen, unsigned long since,
	       int *section);

#endif
