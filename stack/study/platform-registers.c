// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of the platform that the studies change. Sources: for the L2, ARM DDI 0246 (L2C-310);
 * for the mapper and the SDRAM controller, Intel's Cyclone V HPS register map, and the values, which
 * programs give, those of the study.
 */
#include <linux/io.h>

#include "platform-registers.h"

/* ACP mapper: how masters without an entry of their own come through, read and write. */
#define ACP_DYNAMIC_READ	0x28
#define ACP_DYNAMIC_WRITE	0x2c
#define ACP_USER		(0x1f << 4)	/* coherent: inner and outer, write-allocating */

/* L2C-310: lockdown of ways by master, a register each for data and for instructions. */
#define L2_LOCK(master)		(0x900 + 8 * (master))
#define L2_WAYS			8
#define L2_CPUS			2
/* The masters as which ACP reads and writes arrive. */
#define L2_ACP_READ		3
#define L2_ACP_WRITE		4

static void __iomem *map(struct platform_device *pdev, const char *name, resource_size_t bytes)
{
	struct resource *place = platform_get_resource_byname(pdev, IORESOURCE_MEM, name);

	if (!place)
		return NULL;
	if (resource_size(place) < bytes)
		return IOMEM_ERR_PTR(-EINVAL);
	/* Not requested: the kernel's own drivers have them too. */
	return devm_ioremap(&pdev->dev, place->start, resource_size(place)) ?:
	       IOMEM_ERR_PTR(-ENOMEM);
}

/**
 * platform_registers_map() - maps what the device tree names
 * @pdev: whose resources
 * @registers: receives them
 *
 * Return: 0, -EINVAL when a range is too short, -ENOMEM.
 */
int platform_registers_map(struct platform_device *pdev, struct platform_registers *registers)
{
	int i;

	registers->acp = map(pdev, "acp-mapper", ACP_DYNAMIC_WRITE + 4);
	registers->l2 = map(pdev, "l2", L2_LOCK(L2_WAYS));
	registers->sdram = map(pdev, "sdram", sizeof(registers->standard));
	if (IS_ERR(registers->acp))
		return PTR_ERR(registers->acp);
	if (IS_ERR(registers->l2))
		return PTR_ERR(registers->l2);
	if (IS_ERR(registers->sdram))
		return PTR_ERR(registers->sdram);
	if (registers->acp) {
		writel(ACP_USER, registers->acp + ACP_DYNAMIC_READ);
		writel(ACP_USER, registers->acp + ACP_DYNAMIC_WRITE);
	}
	for (i = 0; registers->sdram && i < ARRAY_SIZE(registers->standard); i++)
		registers->standard[i] = readl(registers->sdram + 4 * i);
	return 0;
}

static void lock_ways(struct platform_registers *registers, unsigned int master, u32 ways)
{
	writel(ways, registers->l2 + L2_LOCK(master));
	writel(ways, registers->l2 + L2_LOCK(master) + 4);
}

/**
 * platform_registers_lock() - keeps masters from filling ways of the L2
 * @registers: of the platform
 * @locks: how many ways, of which the processor's are the lowest and the ACP's the highest, so that
 *         1 and 7, or 4 and 4, divide the cache
 *
 * Return: 0, -ENODEV, -EINVAL when a master would have no way left.
 */
int platform_registers_lock(struct platform_registers *registers, const struct study_locks *locks)
{
	u32 acp;
	int i;

	if (!registers->l2)
		return -ENODEV;
	if (locks->cpu_ways >= L2_WAYS || locks->acp_ways >= L2_WAYS)
		return -EINVAL;
	for (i = 0; i < L2_CPUS; i++)
		lock_ways(registers, i, BIT(locks->cpu_ways) - 1);
	acp = (BIT(locks->acp_ways) - 1) << (L2_WAYS - locks->acp_ways);
	lock_ways(registers, L2_ACP_READ, acp);
	lock_ways(registers, L2_ACP_WRITE, acp);
	return 0;
}

static void schedule_ports(struct platform_registers *registers, u32 priority, u32 low, u32 high)
{
	writel(priority, registers->sdram);
	writel(low, registers->sdram + 4);
	writel(high, registers->sdram + 8);
}

/**
 * platform_registers_schedule() - priority and weights of the SDRAM's ports
 * @registers: of the platform
 * @scheduler: their values
 *
 * Return: 0, -ENODEV, -EINVAL when values are given beside the standard ones.
 */
int platform_registers_schedule(struct platform_registers *registers,
				const struct study_scheduler *scheduler)
{
	u32 given = scheduler->priority | scheduler->weight[0] | scheduler->weight[1];

	if (!registers->sdram)
		return -ENODEV;
	if (scheduler->standard > 1 || (scheduler->standard && given))
		return -EINVAL;
	if (scheduler->standard)
		schedule_ports(registers, registers->standard[0], registers->standard[1],
			       registers->standard[2]);
	else
		schedule_ports(registers, scheduler->priority, scheduler->weight[0],
			       scheduler->weight[1]);
	return 0;
}

/**
 * platform_registers_restore() - no way locked, ports as found
 * @registers: of the platform
 */
void platform_registers_restore(struct platform_registers *registers)
{
	const struct study_locks none = {};
	const struct study_scheduler standard = { .standard = 1 };

	if (registers->l2)
		platform_registers_lock(registers, &none);
	if (registers->sdram)
		platform_registers_schedule(registers, &standard);
}
