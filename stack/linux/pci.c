// SPDX-License-Identifier: GPL-2.0-only
/* Front end for cards behind PCI Express: BAR 0 has the registers, one message interrupt. */
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/pci.h>

#include "card.h"
#include "probe.h"

#if IS_ENABLED(CONFIG_PCI)

static int datra_pci_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct datra_card *card;
	u32 width;
	int result;

	result = pcim_enable_device(pdev);
	if (result)
		return result;
	result = pcim_iomap_regions(pdev, BIT(0), "datra");
	if (result)
		return dev_err_probe(&pdev->dev, result, "BAR 0 cannot be mapped\n");
	result = pci_alloc_irq_vectors(pdev, 1, 1, PCI_IRQ_ALL_TYPES);
	if (result < 0)
		return dev_err_probe(&pdev->dev, result, "no interrupt\n");

	card = datra_card_alloc(&pdev->dev);
	if (!card) {
		result = -ENOMEM;
		goto no_card;
	}
	card->base = pcim_iomap_table(pdev)[0];
	card->start = pci_resource_start(pdev, 0);
	card->bytes = pci_resource_len(pdev, 0);
	card->irq = pci_irq_vector(pdev, 0);
	card->irq_flags = IRQF_SHARED;
	width = datra_read(card, DATRA_CONTROL_ADDRESS_WIDTH);
	if (width < 32 || width > 64)
		width = 32;
	result = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(width));
	if (result)
		goto no_dma;
	pci_set_master(pdev);
	result = datra_card_probe(card);
	if (result == 0)
		return 0;

	pci_clear_master(pdev);
no_dma:
	datra_card_put(card);
no_card:
	pci_free_irq_vectors(pdev);
	return result;
}

static void datra_pci_remove(struct pci_dev *pdev)
{
	struct datra_card *card = pci_get_drvdata(pdev);

	datra_card_remove(card);
	pci_clear_master(pdev);
	pci_free_irq_vectors(pdev);
	datra_card_put(card);
}

static const struct pci_device_id datra_pci_ids[] = {
	{ PCI_DEVICE(0x10EE, 0x5742) },	/* Weighbridge's logic */
	{ PCI_DEVICE(0x10EE, 0x7024) },	/* Datra on Xilinx */
	{ PCI_DEVICE(0x1172, 0x7024) },	/* Datra on Altera */
	{ }
};
MODULE_DEVICE_TABLE(pci, datra_pci_ids);

static struct pci_driver datra_pci_driver = {
	.name = "datra",
	.id_table = datra_pci_ids,
	.probe = datra_pci_probe,
	.remove = datra_pci_remove,
};

int datra_pci_register(void)
{
	return pci_register_driver(&datra_pci_driver);
}

void datra_pci_unregister(void)
{
	pci_unregister_driver(&datra_pci_driver);
}

#else

int datra_pci_register(void)
{
	return 0;
}

void datra_pci_unregister(void)
{
}

#endif
