/* SPDX-License-Identifier: GPL-2.0-only */
/* What the driver counts and shows, in sysfs and in /proc/datra. */
#ifndef DATRA_SYSFS_H
#define DATRA_SYSFS_H

#include <linux/types.h>

struct attribute_group;
struct datra_card;

#define DATRA_MAX_CARDS		64

/**
 * struct datra_statistics - of one stream, since the driver was loaded
 * @bytes: moved
 * @frames: results of the DMA engine, or batches of words
 * @stalls: how often a caller had to wait
 * @interrupts: that were meant for this stream
 * @errors: frames that met an error on the bus
 * @reads: accesses to registers for the stream, without those of the interrupt's handler
 * @writes: likewise
 */
struct datra_statistics {
	u64 bytes, frames, stalls, interrupts, errors, reads, writes;
};

extern const struct attribute_group *datra_stream_groups[];
extern const struct attribute_group *datra_control_groups[];

int datra_proc_init(void);
void datra_proc_exit(void);
void datra_proc_show(unsigned int index, struct datra_card *card);

#endif
