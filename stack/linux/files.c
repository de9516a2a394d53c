// SPDX-License-Identifier: GPL-2.0-only
/* Device files: creating and removing them, opening and closing. */
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/xarray.h>

#include "card.h"
#include "compat.h"
#include "files.h"

#define DATRA_MINORS 4096

static bool dyplo_names;
module_param(dyplo_names, bool, 0444);
MODULE_PARM_DESC(dyplo_names, "Also create the device files under their older names /dev/dyplo*");

static dev_t datra_first;
static struct cdev datra_cdev;
static struct class *datra_class;
static DEFINE_XARRAY_ALLOC(datra_minors);	/* of struct datra_file */

/* ---- opening and closing ----------------------------------------------------------------------- */

static void file_ways(struct datra_file *file, struct file *filp, bool *read, bool *write)
{
	*write = filp->f_mode & FMODE_WRITE;
	/* A program that maps blocks of the stream to logic needs both. */
	*read = filp->f_mode & FMODE_READ && !(file->kind->streams == 2 && *write);
}

static int file_claim(struct datra_file *file, struct file *filp)
{
	bool read, write;

	if (file->kind->allows &&
	    !file->kind->allows(filp->f_mode & FMODE_READ, filp->f_mode & FMODE_WRITE))
		return -EINVAL;
	file_ways(file, filp, &read, &write);
	if (!file->kind->shared) {
		if ((read && file->readers) || (write && file->writers))
			return -EBUSY;
		file->readers |= read;
		file->writers |= write;
	}
	file->opens++;
	return 0;
}

static void file_unclaim(struct datra_file *file, struct file *filp)
{
	bool read, write;

	file_ways(file, filp, &read, &write);
	file->readers &= !read;
	file->writers &= !write;
	if (--file->opens == 0 && file->mapping) {
		iput(file->mapping->host);
		file->mapping = NULL;
	}
}

static int datra_open(struct inode *inode, struct file *filp)
{
	struct datra_file *file;
	struct datra_card *card;
	int section, result;

	xa_lock(&datra_minors);
	file = xa_load(&datra_minors, iminor(inode));
	if (file)
		kref_get(&file->card->references);
	xa_unlock(&datra_minors);
	if (!file)
		return -ENOENT;
	card = file->card;
	section = datra_enter(card);
	if (section < 0) {
		datra_card_put(card);
		return section;
	}

	filp->private_data = file;
	mutex_lock(&file->open_lock);
	result = file_claim(file, filp);
	if (result == 0 && file->kind->open) {
		result = file->kind->open(file, filp);
		if (result)
			file_unclaim(file, filp);
	}
	if (result == 0) {
		/* One address space for all that is mapped, whatever the name it was opened by. */
		if (file->mapping) {
			filp->f_mapping = file->mapping;
		} else {
			ihold(inode);
			file->mapping = inode->i_mapping;
		}
		replace_fops(filp, fops_get(file->kind->operations));
		if (file->kind->streams)
			stream_open(inode, filp);
	}
	mutex_unlock(&file->open_lock);
	datra_leave(card, section);
	if (result)
		datra_card_put(card);
	return result;
}

/**
 * datra_release() - what all kinds of files do when they are closed
 * @inode: not used
 * @filp: the file, which lets go of the card
 *
 * Return: 0. May sleep.
 */
int datra_release(struct inode *inode, struct file *filp)
{
	struct datra_file *file = datra_file_of(filp);
	struct datra_card *card = file->card;

	mutex_lock(&file->open_lock);
	if (file->kind->close)
		file->kind->close(filp);
	file_unclaim(file, filp);
	mutex_unlock(&file->open_lock);
	datra_card_put(card);
	return 0;
}

static const struct file_operations datra_operations = {
	.owner = THIS_MODULE,
	.open = datra_open,
};

/* ---- creating and removing --------------------------------------------------------------------- */

static int file_create(struct datra_file *file, unsigned int which)
{
	const char *prefix = which ? "dyplo" : "datra";
	struct datra_card *card = file->card;
	char card_part[16] = "", number[12] = "";
	struct device *device;
	u32 minor;
	int result;

	if (card->index)
		snprintf(card_part, sizeof(card_part), "%d.", card->index);
	if (file->kind->numbered)
		snprintf(number, sizeof(number), "%u", file->number);
	result = xa_alloc(&datra_minors, &minor, file, XA_LIMIT(0, DATRA_MINORS - 1), GFP_KERNEL);
	if (result)
		return result;
	device = device_create_with_groups(datra_class, card->dev, datra_first + minor, file,
					   file->kind->groups, "%s%s%s%s", prefix, card_part,
					   file->kind->name, number);
	if (IS_ERR(device)) {
		xa_erase(&datra_minors, minor);
		return PTR_ERR(device);
	}
	file->minor[which] = minor;
	file->device[which] = device;
	return 0;
}

/**
 * datra_file_add() - adds a file to those that datra_files_create() will create
 * @card: the card, whose array of files has a place for it
 * @kind: what it is
 * @node: the node that it belongs to, or NULL
 * @number: in its name
 *
 * Return: the file.
 */
struct datra_file *datra_file_add(struct datra_card *card, const struct datra_file_kind *kind,
				  struct datra_node *node, unsigned int number)
{
	struct datra_file *file = &card->file[card->file_count++];

	file->card = card;
	file->kind = kind;
	file->node = node;
	file->number = number;
	mutex_init(&file->open_lock);
	return file;
}

/**
 * datra_files_create() - creates the card's device files: programs may open them before it returns
 * @card: the card
 *
 * Return: 0, or an error; then datra_files_destroy() removes those that are there. May sleep.
 */
int datra_files_create(struct datra_card *card)
{
	unsigned int i;
	int result = 0;

	for (i = 0; i < card->file_count && result == 0; i++) {
		result = file_create(&card->file[i], 0);
		if (result == 0 && dyplo_names)
			result = file_create(&card->file[i], 1);
	}
	return result;
}

/**
 * datra_files_destroy() - removes the device files; those that are open stay open
 * @card: the card
 *
 * May sleep, and may be called again.
 */
void datra_files_destroy(struct datra_card *card)
{
	unsigned int i, which;

	for (i = 0; i < card->file_count; i++)
		for (which = 0; which < 2; which++)
			if (card->file[i].device[which]) {
				xa_erase(&datra_minors, card->file[i].minor[which]);
				device_destroy(datra_class,
					       datra_first + card->file[i].minor[which]);
				card->file[i].device[which] = NULL;
			}
}

/**
 * datra_files_unmap() - makes all fault that programs have mapped of the card
 * @card: the card, which has gone: no call of mmap() is under way
 *
 * Takes the files' open_lock. May sleep.
 */
void datra_files_unmap(struct datra_card *card)
{
	unsigned int i;

	for (i = 0; i < card->file_count; i++) {
		struct datra_file *file = &card->file[i];

		mutex_lock(&file->open_lock);
		if (file->mapping)
			unmap_mapping_range(file->mapping, 0, 0, 1);
		mutex_unlock(&file->open_lock);
	}
}

static char *datra_devnode(devnode_const struct device *dev, umode_t *mode)
{
	if (mode)
		*mode = 0660;
	return NULL;
}

int __init datra_files_init(void)
{
	int result = alloc_chrdev_region(&datra_first, 0, DATRA_MINORS, "datra");

	if (result)
		return result;
	datra_class = compat_class_create("datra");
	if (IS_ERR(datra_class)) {
		result = PTR_ERR(datra_class);
		goto no_class;
	}
	datra_class->devnode = datra_devnode;
	cdev_init(&datra_cdev, &datra_operations);
	datra_cdev.owner = THIS_MODULE;
	result = cdev_add(&datra_cdev, datra_first, DATRA_MINORS);
	if (result)
		goto no_cdev;
	return 0;

no_cdev:
	class_destroy(datra_class);
no_class:
	unregister_chrdev_region(datra_first, DATRA_MINORS);
	return result;
}

void datra_files_exit(void)
{
	cdev_del(&datra_cdev);
	class_destroy(datra_class);
	unregister_chrdev_region(datra_first, DATRA_MINORS);
}
