/* SPDX-License-Identifier: GPL-2.0-only */
/* What the studies change of a board beside the PL330: ACP, locks of the L2, ports of the SDRAM. */
#ifndef PLATFORM_REGISTERS_H
#define PLATFORM_REGISTERS_H

#include <linux/platform_device.h>

#include "study-ioctl.h"

/**
 * struct platform_registers - each NULL where the device tree does not name it
 * @acp: the Cyclone V's mapper of masters to the ACP
 * @l2: the L2 cache controller, an L2C-310
 * @sdram: priority and weights of the SDRAM controller's ports
 * @standard: of @sdram, as found
 */
struct platform_registers {
	void __iomem *acp;
	void __iomem *l2;
	void __iomem *sdram;
	u32 standard[3];
};

/* Maps what is named, and lets masters through the ACP as the Cyclone V study does. */
int platform_registers_map(struct platform_device *pdev, struct platform_registers *registers);
/* -ENODEV where there is no such register, -EINVAL for more ways than can be locked. */
int platform_registers_lock(struct platform_registers *registers, const struct study_locks *locks);
int platform_registers_schedule(struct platform_registers *registers,
				const struct study_scheduler *scheduler);
/* Puts back what was there before. */
void platform_registers_restore(struct platform_registers *registers);

#endif
