/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What moves bytes, below the device file (file.c): controller.c lends the PL330 from the kernel's
 * driver and gives it back, and pl330.c or dmaengine.c move bytes by it. None calls back.
 */
#ifndef STUDY_H
#define STUDY_H

#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/types.h>

#include "study-ioctl.h"

struct amba_driver;
struct dma_chan;
struct pl330;

enum study_direction { CPU_TO_FPGA, FPGA_TO_CPU, DIRECTIONS };

/**
 * struct study_place - where a transfer's bytes are, for a controller
 * @memory: address of the kernel's buffer, as the controller sees it
 * @window: likewise of the FPGA's window
 */
struct study_place {
	dma_addr_t memory;
	dma_addr_t window;
};

/**
 * struct pl330_memory - where programs lie, room for one in each direction
 * @device: its address, as the controller sees it
 * @on_chip: mapped on-chip memory, or NULL
 * @memory: coherent memory, where @on_chip is NULL
 */
struct pl330_memory {
	dma_addr_t device;
	void __iomem *on_chip;
	void *memory;
};

/* pl330.c: the controller by programs of this module's. It is a driver that is attached by hand. */
extern struct amba_driver pl330_driver;

/* Forgets prepared programs. -EPERM when the manager is non-secure, and the setup is not. */
int pl330_choose(struct pl330 *pl330, const struct pl330_memory *memory,
		 const struct study_setup *setup);
/* Writes the program of a transfer; calls of another size then are the caller's mistake. */
int pl330_prepare(struct pl330 *pl330, enum study_direction direction,
		  const struct study_place *place, u32 bytes);
/* Runs it and sleeps or polls until it has ended. -EIO: see pl330_status(); -ETIMEDOUT. */
int pl330_run(struct pl330 *pl330, enum study_direction direction);
void pl330_status(struct pl330 *pl330, struct study_status *status);

/* controller.c: which driver has the PL330 */
struct device *controller_find(struct device *dev);
/* NULL or an ERR_PTR; -EBUSY while somebody uses a channel of the kernel's driver. */
struct pl330 *controller_take(struct device *controller);
/* Gives the controller to the kernel's driver; nothing is done if that has it. */
int controller_give_back(struct device *controller);

/* dmaengine.c: the controller by the kernel's driver */
struct dma_chan *dmaengine_claim(struct device *controller);
bool dmaengine_in_use(struct device *controller);
int dmaengine_run(struct dma_chan *channel, enum study_direction direction,
		  const struct study_place *place, u32 bytes, const struct study_setup *setup);

#endif
