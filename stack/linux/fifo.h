/* SPDX-License-Identifier: GPL-2.0-only */
/* The FIFOs of CPU nodes. */
#ifndef DATRA_FIFO_H
#define DATRA_FIFO_H

#include "files.h"

struct datra_node;

extern const struct datra_file_kind datra_fifo_to_logic, datra_fifo_from_logic;

int datra_fifo_init(struct datra_node *node);
void datra_fifo_interrupt(struct datra_node *node, u32 status);
void datra_fifo_wake(struct datra_node *node);
struct datra_fifo *datra_fifo_of(struct datra_node *node, unsigned int index, bool from_logic);

#endif
