// SPDX-License-Identifier: GPL-2.0-only
/* Makes the device of what the device tree says: ranges, buffers, the PL330. */
#include <linux/amba/bus.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>

#include "device.h"
#include "platform-registers.h"
#include "study.h"

#define MAX_PIECE	SZ_256K
/* Room for the programs of both directions. */
#define PROGRAM_BYTES	512

static int allocate_buffers(struct study *study)
{
	unsigned long pages = devm_get_free_pages(study->dev, GFP_KERNEL | GFP_DMA | __GFP_ZERO,
						  get_order(study->piece));

	study->buffers[STUDY_BUFFER_CACHED] = (void *)pages;
	study->buffers[STUDY_BUFFER_UNCACHED] = dmam_alloc_coherent(study->dev, study->piece,
								    &study->uncached, GFP_KERNEL);
	if (!study->buffers[STUDY_BUFFER_CACHED] || !study->buffers[STUDY_BUFFER_UNCACHED])
		return -ENOMEM;
	return 0;
}

static int place_programs(struct study *study, struct platform_device *pdev)
{
	struct pl330_memory *programs = &study->programs;
	struct resource *place = platform_get_resource_byname(pdev, IORESOURCE_MEM, "program");

	if (!place) {
		programs->memory = dmam_alloc_coherent(study->dev, PROGRAM_BYTES,
						       &programs->device, GFP_KERNEL);
		return programs->memory ? 0 : -ENOMEM;
	}
	if (resource_size(place) < PROGRAM_BYTES)
		return dev_err_probe(study->dev, -EINVAL, "range 'program': %d bytes are needed\n",
				     PROGRAM_BYTES);
	/* Not requested: the kernel's driver of on-chip memory has all of it, and hands out its beginning. */
	programs->on_chip = devm_ioremap(study->dev, place->start, resource_size(place));
	if (!programs->on_chip)
		return -ENOMEM;
	programs->device = place->start;
	study->features |= STUDY_HAS_PROGRAM;
	return 0;
}

static int read_tree(struct study *study, struct platform_device *pdev)
{
	struct device_node *node = study->dev->of_node;

	study->window = platform_get_resource_byname(pdev, IORESOURCE_MEM, "window");
	study->window_io = devm_ioremap_resource(study->dev, study->window);
	if (IS_ERR(study->window_io))
		return dev_err_probe(study->dev, PTR_ERR(study->window_io), "range 'window'\n");
	if (of_property_read_u32(node, "weighbridge,piece-bytes", &study->piece))
		study->piece = min_t(resource_size_t, resource_size(study->window), MAX_PIECE);
	if (study->piece < sizeof(u64) || study->piece > MAX_PIECE ||
	    study->piece > resource_size(study->window))
		return dev_err_probe(study->dev, -EINVAL,
				     "weighbridge,piece-bytes: 8 to %u, and not beyond the window\n",
				     (unsigned int)MAX_PIECE);
	if (!of_property_read_u32(node, "weighbridge,acp-offset", &study->acp_offset))
		study->features |= STUDY_HAS_ACP;
	if (of_property_read_bool(node, "weighbridge,emulated"))
		study->features |= STUDY_EMULATED;
	return 0;
}

static void put_controller(void *controller)
{
	put_device(controller);
}

static int find_controller(struct study *study)
{
	struct device *controller = controller_find(study->dev);

	if (controller == ERR_PTR(-ENODEV))
		return 0;
	if (IS_ERR(controller))
		return PTR_ERR(controller);
	study->controller = controller;
	return devm_add_action_or_reset(study->dev, put_controller, controller);
}

static int study_probe(struct platform_device *pdev)
{
	struct study *study;
	int ret;

	study = devm_kzalloc(&pdev->dev, sizeof(*study), GFP_KERNEL);
	if (!study)
		return -ENOMEM;
	study->dev = &pdev->dev;
	mutex_init(&study->mutex);
	ret = dma_set_mask_and_coherent(study->dev, DMA_BIT_MASK(32));
	if (!ret)
		ret = find_controller(study);
	if (!ret)
		ret = read_tree(study, pdev);
	if (!ret)
		ret = place_programs(study, pdev);
	if (!ret)
		ret = allocate_buffers(study);
	if (!ret)
		ret = platform_registers_map(pdev, &study->registers);
	if (ret)
		return ret;
	if (study->registers.l2)
		study->features |= STUDY_HAS_LOCKS;
	if (study->registers.sdram)
		study->features |= STUDY_HAS_SCHEDULER;
	study->misc.minor = MISC_DYNAMIC_MINOR;
	study->misc.name = "weighbridge-study";
	study->misc.fops = &study_operations;
	study->misc.parent = study->dev;
	platform_set_drvdata(pdev, study);
	return misc_register(&study->misc);
}

static void study_remove(struct platform_device *pdev)
{
	struct study *study = platform_get_drvdata(pdev);

	misc_deregister(&study->misc);
}

static const struct of_device_id study_ids[] = {
	{ .compatible = "weighbridge,study" },
	{}
};
MODULE_DEVICE_TABLE(of, study_ids);

static struct platform_driver study_driver = {
	.driver = {
		.name = "weighbridge-study",
		.of_match_table = study_ids,
		/* An open file keeps the module, and nothing else may pull the device from under it. */
		.suppress_bind_attrs = true,
	},
	.probe = study_probe,
	.remove_new = study_remove,
};

static int __init study_init(void)
{
	int ret = amba_driver_register(&pl330_driver);

	if (ret)
		return ret;
	ret = platform_driver_register(&study_driver);
	if (ret)
		amba_driver_unregister(&pl330_driver);
	return ret;
}

static void __exit study_exit(void)
{
	platform_driver_unregister(&study_driver);
	amba_driver_unregister(&pl330_driver);
}

module_init(study_init);
module_exit(study_exit);

MODULE_DESCRIPTION("Transfers between processor and FPGA as the Cyclone V and Zynq studies measure them");
MODULE_LICENSE("GPL");
