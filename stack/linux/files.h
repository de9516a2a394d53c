/* SPDX-License-Identifier: GPL-2.0-only */
/* Device files: their names, who has them open, and what the kinds of files differ in. */
#ifndef DATRA_FILES_H
#define DATRA_FILES_H

#include <linux/fs.h>
#include <linux/mutex.h>

#include "datra-ioctl.h"

struct attribute_group;
struct datra_card;
struct datra_file;
struct datra_fifo;
struct datra_node;
struct datra_statistics;

/**
 * struct datra_file_kind - what the files of one kind have in common
 * @name: in front of the file's number
 * @numbered: the file has a number
 * @shared: any number of programs may have the file open
 * @streams: 0, 1, or 2: then writing, or both, means the stream to logic, and reading the other
 * @operations: of a file that has been opened
 * @groups: attributes in sysfs, or NULL
 * @allows: whether a file can be opened so; NULL if it always can
 * @open: called with the file's open_lock held and in a section; returns 0 or an error; or NULL
 * @close: called with open_lock held, not in a section; may sleep; or NULL
 * @statistics: those of a stream; may sleep
 */
struct datra_file_kind {
	const char *name;
	bool numbered, shared;
	unsigned int streams;
	const struct file_operations *operations;
	const struct attribute_group **groups;
	bool (*allows)(bool read, bool write);
	int (*open)(struct datra_file *file, struct file *filp);
	void (*close)(struct file *filp);
	struct datra_statistics *(*statistics)(struct datra_file *file, bool from_logic);
};

/**
 * struct datra_file - one device file
 * @card: the card
 * @node: the node, but for the control file
 * @kind: what it is
 * @number: in its name
 * @from_logic: of a FIFO, which way it goes
 * @fifo: of FIFO files
 * @open_lock: protects what follows
 * @readers: it is open for reading
 * @writers: it is open for writing
 * @opens: how often it is open
 * @mapping: of user mappings, to be torn down when the card goes
 * @device: under both names
 * @minor: under both names
 */
struct datra_file {
	struct datra_card *card;
	struct datra_node *node;
	const struct datra_file_kind *kind;
	unsigned int number;
	bool from_logic;
	struct datra_fifo *fifo;
	struct mutex open_lock;
	bool readers, writers;
	unsigned int opens;
	struct address_space *mapping;
	struct device *device[2];
	int minor[2];
};

static inline struct datra_file *datra_file_of(struct file *filp)
{
	return filp->private_data;
}

struct datra_file *datra_file_add(struct datra_card *card, const struct datra_file_kind *kind,
				  struct datra_node *node, unsigned int number);
int datra_files_create(struct datra_card *card);
void datra_files_destroy(struct datra_card *card);
void datra_files_unmap(struct datra_card *card);
int datra_release(struct inode *inode, struct file *filp);

int datra_files_init(void);
void datra_files_exit(void);

#endif
