// SPDX-License-Identifier: GPL-2.0-only
/* The life of a card in memory, and the sections in which its registers may be used. */
#include <linux/slab.h>

#include "card.h"

static void card_free(struct kref *references)
{
	struct datra_card *card = container_of(references, struct datra_card, references);
	unsigned int i;

	for (i = 0; i < card->node_count; i++) {
		kfree(card->node[i].to_logic);
		kfree(card->node[i].from_logic);
		kfree(card->node[i].stream[0]);
		kfree(card->node[i].stream[1]);
	}
	cleanup_srcu_struct(&card->srcu);
	put_device(card->dev);
	kfree(card->node);
	kfree(card->file);
	kfree(card);
}

/**
 * datra_card_alloc() - makes a card for a device, whose driver data it becomes
 * @dev: the device
 *
 * Return: a card with one reference, which datra_card_put() gives back, or NULL without memory. May
 * sleep.
 */
struct datra_card *datra_card_alloc(struct device *dev)
{
	struct datra_card *card = kzalloc(sizeof(*card), GFP_KERNEL);

	if (!card)
		return NULL;
	if (init_srcu_struct(&card->srcu)) {
		kfree(card);
		return NULL;
	}
	card->dev = get_device(dev);
	card->index = -1;
	kref_init(&card->references);
	mutex_init(&card->blocks_lock);
	INIT_LIST_HEAD(&card->blocks);
	mutex_init(&card->route_lock);
	dev_set_drvdata(dev, card);
	return card;
}

/**
 * datra_card_put() - gives back a reference; the last one frees the card
 * @card: the card
 *
 * May sleep. The caller is not in a section of the card, and holds none of its locks.
 */
void datra_card_put(struct datra_card *card)
{
	kref_put(&card->references, card_free);
}

/**
 * datra_enter() - begins a section in which the card's registers may be used
 * @card: the card, to which the caller has a reference
 *
 * Removal of the card waits for the end of the section: no one may sleep for an event in it.
 * The section goes on when the function has returned, which sparse is not to look at.
 *
 * Return: the section, for datra_leave(), or -ENODEV if the card has gone. Does not sleep.
 */
int datra_enter(struct datra_card *card)
{
	int section = srcu_read_lock(&card->srcu);

	__release(&card->srcu);
	if (!READ_ONCE(card->gone))
		return section;
	datra_leave(card, section);
	return -ENODEV;
}

/**
 * datra_leave() - ends a section
 * @card: the card
 * @section: what datra_enter() has returned
 */
void datra_leave(struct datra_card *card, int section)
{
	__acquire(&card->srcu);
	srcu_read_unlock(&card->srcu, section);
}
