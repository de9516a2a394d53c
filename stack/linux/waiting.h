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

struct datra_call;

/* What step() returns if the call has to wait; it returns 0 or an error if the call has ended. */
#define DATRA_NOTHING		1

/**
 * struct datra_call_operations - what a kind of stream does for a call
 * @step: does what can be done at once; the call's lock is held
 * @ready: whether step() would find more, asked while the call polls; nothing is locked
 * @arm: arms the interrupt that tells of more; the lock is held; returns true if there is more already
 * @last_look: step() does what it can once more before the call gives up
 */
struct datra_call_operations {
	int (*step)(struct datra_call *call);
	bool (*ready)(struct datra_call *call);
	bool (*arm)(struct datra_call *call);
	bool last_look;
};

/**
 * struct datra_call - a program's call on a stream, which may have to wait
 * @operations: those of the stream
 * @card: the stream's
 * @event: the stream's
 * @lock: the stream's
 * @block: the call may wait; false in the last look before it gives up
 * @told: the interrupt that arm() has armed has come
 * @to: where words from logic go; NULL in a call that writes
 * @from: where words to logic are
 * @count: bytes asked for
 * @done: bytes moved
 */
struct datra_call {
	const struct datra_call_operations *operations;
	struct datra_card *card;
	struct datra_event *event;
	struct mutex *lock;
	bool block, told;
	char __user *to;
	const char __user *from;
	size_t count, done;
};

int datra_call_run(struct datra_call *call);
ssize_t datra_call_transfer(struct datra_call *call);
void datra_arm(struct datra_node *node, u32 interrupts);
void datra_disarm(struct datra_node *node, u32 interrupts);

#endif
