/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of routes. The caller is in a section of the card. */
#ifndef DATRA_ROUTE_H
#define DATRA_ROUTE_H

#include "datra-ioctl.h"

struct datra_card;
struct datra_node;

int datra_route_add(struct datra_card *card, struct datra_route_item_t item);
int datra_route_list(struct datra_card *card, struct datra_route_item_t *items, u32 most);
void datra_route_delete_node(struct datra_card *card, unsigned int node);
void datra_route_delete_to(struct datra_card *card, unsigned int node, unsigned int queue);
void datra_route_clear(struct datra_card *card);
long datra_route_stream(struct datra_node *node, unsigned int queue, bool to_logic, u32 arg);

#endif
