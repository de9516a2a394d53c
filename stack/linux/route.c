// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of routes: for each output queue of a node, the input queue that its words go to. The
 * registers are the table; a program may write them through the control file as well.
 */
#include <linux/minmax.h>

#include "card.h"
#include "route.h"

/* Queues of a node that have a register. A route from or to one that is not there moves nothing. */
#define ROUTE_QUEUES	4

/* A route's register: the number of the destination counts from 1. */
static u32 route_value(unsigned int node, unsigned int queue)
{
	return FIELD_PREP(DATRA_CONTROL_ROUTE_OUTPUT_NODE, node + 1) |
	       FIELD_PREP(DATRA_CONTROL_ROUTE_OUTPUT_QUEUE, queue);
}

/**
 * datra_route_add() - adds a route, and removes the one that leads to the same queue
 * @card: the card
 * @item: the route
 *
 * Takes route_lock. May sleep.
 *
 * Return: 0, or -EINVAL for a node or queue that is not there.
 */
int datra_route_add(struct datra_card *card, struct datra_route_item_t item)
{
	if (item.srcNode >= card->node_count || item.dstNode >= card->node_count ||
	    item.srcFifo >= ROUTE_QUEUES || item.dstFifo >= ROUTE_QUEUES)
		return -EINVAL;
	mutex_lock(&card->route_lock);
	datra_route_delete_to(card, item.dstNode, item.dstFifo);
	datra_write(card, DATRA_CONTROL_ROUTE_OUTPUT(item.srcNode, item.srcFifo),
		    route_value(item.dstNode, item.dstFifo));
	mutex_unlock(&card->route_lock);
	return 0;
}

/**
 * datra_route_list() - reads the routes
 * @card: the card
 * @items: receives them
 * @most: how many there is room for
 *
 * Does not sleep.
 *
 * Return: the number of routes that @items has received.
 */
int datra_route_list(struct datra_card *card, struct datra_route_item_t *items, u32 most)
{
	unsigned int node, queue;
	u32 count = 0;

	for (node = 0; node < card->node_count; node++)
		for (queue = 0; queue < ROUTE_QUEUES; queue++) {
			u32 value = datra_read(card, DATRA_CONTROL_ROUTE_OUTPUT(node, queue));
			u32 to = FIELD_GET(DATRA_CONTROL_ROUTE_OUTPUT_NODE, value);

			if (to == 0)
				continue;
			if (count == most)
				return count;
			items[count++] = (struct datra_route_item_t){
				.srcNode = node, .srcFifo = queue,
				.dstNode = to - 1,
				.dstFifo = FIELD_GET(DATRA_CONTROL_ROUTE_OUTPUT_QUEUE, value),
			};
		}
	return count;
}

/* Clears the routes whose register is @value in the bits of @mask. */
static void route_delete(struct datra_card *card, u32 value, u32 mask)
{
	unsigned int node, queue;

	for (node = 0; node < card->node_count; node++)
		for (queue = 0; queue < ROUTE_QUEUES; queue++)
			if ((datra_read(card, DATRA_CONTROL_ROUTE_OUTPUT(node, queue)) & mask) == value)
				datra_write(card, DATRA_CONTROL_ROUTE_OUTPUT(node, queue), 0);
}

/**
 * datra_route_delete_to() - removes the routes to a queue
 * @card: the card; its route_lock is held
 * @node: the queue's node
 * @queue: its number
 *
 * Does not sleep.
 */
void datra_route_delete_to(struct datra_card *card, unsigned int node, unsigned int queue)
{
	route_delete(card, route_value(node, queue), ~0U);
}

/**
 * datra_route_delete_node() - removes the routes from and to a node
 * @card: the card
 * @node: the node
 *
 * Takes route_lock. May sleep.
 */
void datra_route_delete_node(struct datra_card *card, unsigned int node)
{
	unsigned int queue;

	mutex_lock(&card->route_lock);
	for (queue = 0; queue < ROUTE_QUEUES; queue++)
		datra_write(card, DATRA_CONTROL_ROUTE_OUTPUT(node, queue), 0);
	route_delete(card, route_value(node, 0), DATRA_CONTROL_ROUTE_OUTPUT_NODE);
	mutex_unlock(&card->route_lock);
}

/**
 * datra_route_clear() - removes all routes
 * @card: the card
 *
 * Takes route_lock. May sleep.
 */
void datra_route_clear(struct datra_card *card)
{
	unsigned int node, queue;

	mutex_lock(&card->route_lock);
	for (node = 0; node < card->node_count; node++)
		for (queue = 0; queue < ROUTE_QUEUES; queue++)
			datra_write(card, DATRA_CONTROL_ROUTE_OUTPUT(node, queue), 0);
	mutex_unlock(&card->route_lock);
}

/**
 * datra_route_stream() - routes a stream of a node to or from another node
 * @node: the stream's node
 * @queue: the stream's queue of that node
 * @to_logic: the stream is the source of the route
 * @arg: the other node, and in bits 8 and up its queue
 *
 * Return: 0. A node that is not there is ignored, as by the original. May sleep.
 */
long datra_route_stream(struct datra_node *node, unsigned int queue, bool to_logic, u32 arg)
{
	struct datra_route_item_t item = {
		.srcNode = node->index, .srcFifo = queue, .dstNode = arg, .dstFifo = arg >> 8,
	};

	if (!to_logic) {
		swap(item.srcNode, item.dstNode);
		swap(item.srcFifo, item.dstFifo);
	}
	datra_route_add(node->card, item);
	return 0;
}
