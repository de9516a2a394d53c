// SPDX-License-Identifier: GPL-2.0-only
/* Front end for logic beside the processor on one chip, described by the device tree. */
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/property.h>

#include "card.h"
#include "compat.h"
#include "probe.h"

#if IS_ENABLED(CONFIG_OF)

static int datra_platform_probe(struct platform_device *pdev)
{
	struct datra_card *card;
	struct resource *resource;
	void __iomem *base;
	u32 width;
	int irq, result;

	base = devm_platform_get_and_ioremap_resource(pdev, 0, &resource);
	if (IS_ERR(base))
		return PTR_ERR(base);
	irq = platform_get_irq(pdev, 0);
	if (irq < 0)
		return irq;

	card = datra_card_alloc(&pdev->dev);
	if (!card)
		return -ENOMEM;
	card->base = base;
	card->start = resource->start;
	card->bytes = resource_size(resource);
	card->irq = irq;
	card->coherent = device_get_dma_attr(&pdev->dev) == DEV_DMA_COHERENT;
	width = datra_read(card, DATRA_CONTROL_ADDRESS_WIDTH);
	if (width < 32 || width > 64)
		width = 32;
	result = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(width));
	if (result == 0)
		result = datra_card_probe(card);
	if (result)
		datra_card_put(card);
	return result;
}

static platform_remove_type datra_platform_remove(struct platform_device *pdev)
{
	struct datra_card *card = platform_get_drvdata(pdev);

	datra_card_remove(card);
	datra_card_put(card);
	return PLATFORM_REMOVED;
}

static const struct of_device_id datra_of_ids[] = {
	{ .compatible = "weighbridge,datra-1.0" },
	{ .compatible = "topic,datra-1.00.a" },
	{ }
};
MODULE_DEVICE_TABLE(of, datra_of_ids);

static struct platform_driver datra_platform_driver = {
	.driver = {
		.name = "datra",
		.of_match_table = datra_of_ids,
	},
	.probe = datra_platform_probe,
	.remove = datra_platform_remove,
};

int datra_platform_register(void)
{
	return platform_driver_register(&datra_platform_driver);
}

void datra_platform_unregister(void)
{
	platform_driver_unregister(&datra_platform_driver);
}

#else

int datra_platform_register(void)
{
	return 0;
}

void datra_platform_unregister(void)
{
}

#endif
