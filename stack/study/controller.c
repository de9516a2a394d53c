// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lends the PL330 from the kernel's driver. Both drivers start programs by the controller's debug
 * registers, so only one of them may have it at a time.
 */
#include <linux/amba/bus.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/of.h>

#include "study.h"

/**
 * controller_find() - the PL330 that the device tree names
 * @dev: whose node has the property weighbridge,dma-controller
 *
 * Return: the device, which the caller puts; -ENODEV without the property, -EPROBE_DEFER when the
 * device is not there yet.
 */
struct device *controller_find(struct device *dev)
{
	struct device_node *node;
	struct device *controller;

	node = of_parse_phandle(dev->of_node, "weighbridge,dma-controller", 0);
	if (!node)
		return ERR_PTR(-ENODEV);
	controller = bus_find_device_by_of_node(&amba_bustype, node);
	of_node_put(node);
	return controller ?: ERR_PTR(-EPROBE_DEFER);
}

static bool is_ours(struct device *controller)
{
	return controller->driver == &pl330_driver.drv;
}

/**
 * controller_take() - unbinds the kernel's driver and binds ours
 * @controller: what controller_find() has given
 *
 * Return: what pl330.c calls take; -EBUSY while a channel of the kernel's driver is in use, or the
 * fault of our driver's probe, after which the kernel's has the controller again.
 */
struct pl330 *controller_take(struct device *controller)
{
	int ret;

	if (!is_ours(controller)) {
		if (controller->driver && dmaengine_in_use(controller))
			return ERR_PTR(-EBUSY);
		device_release_driver(controller);
		ret = device_driver_attach(&pl330_driver.drv, controller);
		if (ret) {
			dev_err(controller, "cannot be taken from the kernel's driver: %d\n", ret);
			if (device_attach(controller) < 0)
				dev_err(controller, "has no driver now\n");
			return ERR_PTR(ret);
		}
	}
	return dev_get_drvdata(controller);
}

/**
 * controller_give_back() - unbinds our driver and binds the kernel's
 * @controller: what controller_find() has given
 *
 * Return: 0, or -ENODEV when the kernel has no driver for it.
 */
int controller_give_back(struct device *controller)
{
	int ret;

	if (controller->driver && !is_ours(controller))
		return 0;
	device_release_driver(controller);
	ret = device_attach(controller);
	if (ret < 0)
		return ret;
	return ret ? 0 : -ENODEV;
}
