// SPDX-License-Identifier: GPL-2.0-only
/* Attributes of the device files, and /proc/datra. */
#include <linux/device.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

#include "card.h"
#include "files.h"
#include "sysfs.h"

static DEFINE_MUTEX(cards_lock);
static struct datra_card *cards[DATRA_MAX_CARDS];

static ssize_t statistic_show(struct device *dev, size_t member, char *buf)
{
	struct datra_file *file = dev_get_drvdata(dev);
	u64 value[2];
	unsigned int i;

	for (i = 0; i < file->kind->streams; i++)
		value[i] = *(u64 *)((void *)file->kind->statistics(file, i) + member);
	if (file->kind->streams == 1)
		return sysfs_emit(buf, "%llu\n", value[0]);
	return sysfs_emit(buf, "%llu %llu\n", value[0], value[1]);
}

#define DATRA_STATISTIC(name)									\
static ssize_t name##_show(struct device *dev, struct device_attribute *attribute, char *buf)	\
{												\
	return statistic_show(dev, offsetof(struct datra_statistics, name), buf);		\
}												\
static DEVICE_ATTR_RO(name)

DATRA_STATISTIC(bytes);
DATRA_STATISTIC(frames);
DATRA_STATISTIC(stalls);
DATRA_STATISTIC(interrupts);
DATRA_STATISTIC(errors);
DATRA_STATISTIC(reads);
DATRA_STATISTIC(writes);

static struct attribute *datra_stream_attrs[] = {
	&dev_attr_bytes.attr, &dev_attr_frames.attr, &dev_attr_stalls.attr,
	&dev_attr_interrupts.attr, &dev_attr_errors.attr, &dev_attr_reads.attr,
	&dev_attr_writes.attr, NULL,
};
static const struct attribute_group datra_stream_group = { .attrs = datra_stream_attrs };
const struct attribute_group *datra_stream_groups[] = { &datra_stream_group, NULL };

#define DATRA_CARD_STATISTIC(name, member)							\
static ssize_t name##_show(struct device *dev, struct device_attribute *attribute, char *buf)	\
{												\
	struct datra_file *file = dev_get_drvdata(dev);						\
												\
	return sysfs_emit(buf, "%lld\n", atomic64_read(&file->card->member));			\
}												\
static DEVICE_ATTR_RO(name)

DATRA_CARD_STATISTIC(register_reads, reads);
DATRA_CARD_STATISTIC(register_writes, writes);
DATRA_CARD_STATISTIC(card_interrupts, interrupts);

static struct attribute *datra_control_attrs[] = {
	&dev_attr_register_reads.attr, &dev_attr_register_writes.attr,
	&dev_attr_card_interrupts.attr, NULL,
};
static const struct attribute_group datra_control_group = { .attrs = datra_control_attrs };
const struct attribute_group *datra_control_groups[] = { &datra_control_group, NULL };

static void show_card(struct seq_file *m, struct datra_card *card)
{
	static const char *const kinds[] = {
		[DATRA_NODE_TYPE_CPU] = "cpu",
		[DATRA_NODE_TYPE_IO] = "io",
		[DATRA_NODE_TYPE_FIXED] = "fixed",
		[DATRA_NODE_TYPE_REPLACEABLE] = "replaceable",
		[DATRA_NODE_TYPE_DMA] = "dma",
		[DATRA_NODE_TYPE_ICAP] = "icap",
	};
	unsigned int i;

	seq_printf(m, "datra%d %s version %u.%u.%u nodes %u\n", card->index, dev_name(card->dev),
		   (u32)FIELD_GET(DATRA_CONTROL_VERSION_YEAR, card->version),
		   (u32)FIELD_GET(DATRA_CONTROL_VERSION_MAJOR, card->version),
		   (u32)FIELD_GET(DATRA_CONTROL_VERSION_MINOR, card->version),
		   card->node_count);
	for (i = 0; i < card->node_count; i++) {
		struct datra_node *node = &card->node[i];
		const char *kind = node->type < ARRAY_SIZE(kinds) ? kinds[node->type] : NULL;

		seq_printf(m, "node %u %s in %u out %u\n", i, kind ?: "?", node->inputs,
			   node->outputs);
	}
	seq_printf(m, "register reads %lld writes %lld interrupts %lld\n",
		   atomic64_read(&card->reads), atomic64_read(&card->writes),
		   atomic64_read(&card->interrupts));
}

static int show_cards(struct seq_file *m, void *data)
{
	unsigned int i;

	mutex_lock(&cards_lock);
	for (i = 0; i < DATRA_MAX_CARDS; i++)
		if (cards[i])
			show_card(m, cards[i]);
	mutex_unlock(&cards_lock);
	return 0;
}

/**
 * datra_proc_show() - says which card /proc/datra shows in a place
 * @index: the place
 * @card: the card, which stays in memory until the next call for this place; or NULL
 *
 * May sleep: no one reads of the card before in this place when the function has returned.
 */
void datra_proc_show(unsigned int index, struct datra_card *card)
{
	mutex_lock(&cards_lock);
	cards[index] = card;
	mutex_unlock(&cards_lock);
}

int datra_proc_init(void)
{
	return proc_create_single("datra", 0444, NULL, show_cards) ? 0 : -ENOMEM;
}

void datra_proc_exit(void)
{
	remove_proc_entry("datra", NULL);
}
