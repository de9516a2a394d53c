/* SPDX-License-Identifier: GPL-2.0-only */
/* The device: probe.c makes it of what the device tree says, and file.c lets a program use it. */
#ifndef DEVICE_H
#define DEVICE_H

#include <linux/fs.h>
#include <linux/ioport.h>
#include <linux/miscdevice.h>
#include <linux/mutex.h>

#include "platform-registers.h"
#include "study.h"

/**
 * struct study - the device
 * @dev: of the platform
 * @misc: the device file
 * @controller: the PL330, or NULL: the device tree names none
 * @mutex: held by every call but mmap()
 * @opened: bit 0: by one program, which is all that may
 * @window: the FPGA's, and where it is mapped here
 * @window_io: the same, mapped
 * @piece: the most that a call moves, in bytes
 * @acp_offset: what is added to an address of memory to reach it through the ACP
 * @features: bits of study_info.features
 * @programs: where the PL330's programs lie
 * @registers: of the platform
 * @buffers: the kernel's, each of @piece bytes
 * @uncached: address of the uncached one for controllers
 * @chosen: a setup holds
 * @setup: which one
 * @pl330: the controller when it is ours
 * @channel: of the kernel's driver, when that has it
 */
struct study {
	struct device *dev;
	struct miscdevice misc;
	struct device *controller;
	struct mutex mutex;
	unsigned long opened;
	struct resource *window;
	void __iomem *window_io;
	u32 piece;
	u32 acp_offset;
	u32 features;
	struct pl330_memory programs;
	struct platform_registers registers;
	void *buffers[STUDY_BUFFERS];
	dma_addr_t uncached;
	bool chosen;
	struct study_setup setup;
	struct pl330 *pl330;
	struct dma_chan *channel;
};

extern const struct file_operations study_operations;

#endif
