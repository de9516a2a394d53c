// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of registers: ctl, the first 64 KiB with all pages, and cfg, a node's window.
 *
 * Accesses are of whole words. A read() of ctl takes no result from a DMA node: it reads the copies that
 * the node has of such registers. Only processes with CAP_SYS_RAWIO may write to registers that make a
 * DMA engine access memory.
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "card.h"
#include "compat.h"
#include "files.h"
#include "register.h"
#include "route.h"
#include "sysfs.h"

#define SPAN DATRA_CARD_NODE_WINDOW_BYTES

/* A set of nodes, a bit for each, as a register of the backplane. */
#define BACKPLANE_NODES(set)	FIELD_PREP(DATRA_CONTROL_BACKPLANE_NODES, set)

static u32 register_base(struct datra_file *file)
{
	return !file->node ? 0 : DATRA_CARD_NODE_WINDOW(file->node->index);
}

/* The DMA node in whose page an offset in ctl lies, or NULL. */
static struct datra_node *dma_page(struct datra_file *file, u32 offset)
{
	unsigned int page = offset / DATRA_CARD_NODE_PAGE_BYTES;
	struct datra_node *node;

	if (file->node || page == 0 || page > file->card->node_count)
		return NULL;
	node = &file->card->node[page - 1];
	return node->type == DATRA_NODE_TYPE_DMA ? node : NULL;
}

static u32 register_look(struct datra_file *file, u32 offset)
{
	u32 within = offset % DATRA_CARD_NODE_PAGE_BYTES;

	if (dma_page(file, offset) && within < DATRA_DMA_LOOK_BYTES) {
		if (file->card->extended)
			offset += DATRA_DMA_LOOK;
		else if (within == DATRA_DMA_TO_LOGIC_RESULT ||
			 within == DATRA_DMA_FROM_LOGIC_RESULT_BYTES)
			return 0;
	}
	return datra_read(file->card, register_base(file) + offset);
}

static bool register_commands_dma(struct datra_file *file, u32 offset)
{
	u32 within = offset % DATRA_CARD_NODE_PAGE_BYTES;

	return dma_page(file, offset) &&
	       ((within >= DATRA_DMA_TO_LOGIC_CONTROL && within < DATRA_DMA_LOOK_BYTES) ||
		within >= DATRA_DMA_TO_LOGIC_RING);
}

static ssize_t register_transfer(struct file *filp, char __user *to, const char __user *from,
				 size_t count, loff_t *position)
{
	struct datra_file *file = datra_file_of(filp);
	u32 words[64], offset = round_down(*position, 4), n;
	size_t done = 0;
	int section;

	if (*position >= SPAN)
		return 0;
	if (from && count < 4)
		return -EINVAL;
	count = min_t(size_t, round_down(count, 4), SPAN - offset);
	section = datra_enter(file->card);
	if (section < 0)
		return section;
	while (done < count) {
		size_t bytes = min(count - done, sizeof(words));

		if (from && copy_from_user(words, from + done, bytes))
			break;
		/* A read may take a word from a queue: be sure that the program has a place for it. */
		if (to && fault_in_writeable(to + done, bytes))
			break;
		for (n = 0; n < bytes / 4; n++) {
			u32 at = offset + done + 4 * n;

			if (to) {
				words[n] = register_look(file, at);
				continue;
			}
			if (register_commands_dma(file, at) && !capable(CAP_SYS_RAWIO)) {
				datra_leave(file->card, section);
				return -EPERM;
			}
			datra_write(file->card, register_base(file) + at, words[n]);
		}
		if (to && copy_to_user(to + done, words, bytes))
			break;
		done += bytes;
	}
	datra_leave(file->card, section);
	if (count && !done)
		return -EFAULT;
	*position = offset + done;
	return done;
}

static ssize_t register_read(struct file *filp, char __user *to, size_t count, loff_t *position)
{
	return register_transfer(filp, to, NULL, count, position);
}

static ssize_t register_write(struct file *filp, const char __user *from, size_t count,
			      loff_t *position)
{
	return register_transfer(filp, NULL, from, count, position);
}

static loff_t register_llseek(struct file *filp, loff_t offset, int whence)
{
	return fixed_size_llseek(filp, offset, whence, SPAN);
}

static vm_fault_t register_fault(struct vm_fault *vmf)
{
	return VM_FAULT_SIGBUS;		/* the card has gone */
}

static const struct vm_operations_struct register_vm_operations = {
	.fault = register_fault,
};

static int register_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct datra_file *file = datra_file_of(filp);
	int section, result;

	if (!file->node && !capable(CAP_SYS_RAWIO)) {
		/* The pages of DMA nodes are part of it: a write there makes an engine access memory. */
		if (vma->vm_flags & VM_WRITE)
			return -EPERM;
		vm_flags_clear(vma, VM_MAYWRITE);
	}
	section = datra_enter(file->card);
	if (section < 0)
		return section;
	vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
	vma->vm_ops = &register_vm_operations;
	result = vm_iomap_memory(vma, file->card->start + register_base(file), SPAN);
	if (result == 0 && IS_ENABLED(CONFIG_UML))
		result = -ENODEV;	/* devices there have no addresses that a program could use */
	datra_leave(file->card, section);
	return result;
}

/* ---- ioctl ------------------------------------------------------------------------------------- */

static long route_set(struct datra_card *card, unsigned long arg, bool get)
{
	struct datra_route_item_t items[64], *user;
	u32 count, n;
	long result = 0;

	if (in_compat_syscall()) {
		u32 given[2];

		if (copy_from_user(given, (void __user *)arg, sizeof(given)))
			return -EFAULT;
		count = given[0];
		user = (struct datra_route_item_t *)(unsigned long)given[1];
	} else {
		struct datra_route_t given;

		if (copy_from_user(&given, (void __user *)arg, sizeof(given)))
			return -EFAULT;
		count = given.n_routes;
		user = given.proutes;
	}
	if (get) {
		struct datra_route_item_t *all;

		count = min(count, 4U * DATRA_MAX_NODES);
		all = kcalloc(max(count, 1U), sizeof(*all), GFP_KERNEL);
		if (!all)
			return -ENOMEM;
		result = datra_route_list(card, all, count);
		if (copy_to_user((void __user *)user, all, result * sizeof(*all)))
			result = -EFAULT;
		kfree(all);
		return result;
	}
	while (count && result == 0) {
		u32 now = min_t(u32, count, ARRAY_SIZE(items));

		if (copy_from_user(items, (void __user *)user, now * sizeof(*items)))
			return -EFAULT;
		for (n = 0; n < now && result == 0; n++)
			result = datra_route_add(card, items[n]);
		user += now;
		count -= now;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return result;
}

static struct datra_route_item_t route_unpack(u32 arg)
{
	return (struct datra_route_item_t){
		.dstFifo = arg, .dstNode = arg >> 8, .srcFifo = arg >> 16, .srcNode = arg >> 24,
	};
}

static long number64(struct datra_card *card, u32 offset, unsigned int cmd, unsigned long arg)
{
	u64 value;

	if (_IOC_SIZE(cmd) != sizeof(value))
		return -EINVAL;
	if (_IOC_DIR(cmd) & _IOC_WRITE) {
		if (copy_from_user(&value, (void __user *)arg, sizeof(value)))
			return -EFAULT;
		datra_write(card, offset, value);
		datra_write(card, offset + 4, value >> 32);
		return 0;
	}
	value = datra_read(card, offset);
	value |= (u64)datra_read(card, offset + 4) << 32;
	return copy_to_user((void __user *)arg, &value, sizeof(value)) ? -EFAULT : 0;
}

/* From this version on the logic has a static identification. */
#define VERSION_STATIC_ID	(FIELD_PREP(DATRA_CONTROL_VERSION_YEAR, 2015) | \
				 FIELD_PREP(DATRA_CONTROL_VERSION_MAJOR, 1) | \
				 FIELD_PREP(DATRA_CONTROL_VERSION_MINOR, 4))

static u32 backplane_status(struct datra_card *card)
{
	return FIELD_GET(DATRA_CONTROL_BACKPLANE_NODES,
			 datra_read(card, DATRA_CONTROL_BACKPLANE_STATUS));
}

static long static_id(struct datra_card *card, unsigned int cmd, unsigned long arg)
{
	u32 value;

	if (_IOC_SIZE(cmd) != sizeof(value))
		return -EINVAL;
	value = datra_read(card, DATRA_CONTROL_STATIC_ID);
	if (copy_to_user((void __user *)arg, &value, sizeof(value)))
		return -EFAULT;
	return value == 0 && card->version < VERSION_STATIC_ID ? -EIO : 0;
}

static long control_ioctl(struct datra_file *file, unsigned int cmd, unsigned long arg)
{
	struct datra_card *card = file->card;
	struct datra_route_item_t item = route_unpack(arg);
	u32 mask = BACKPLANE_NODES((u32)arg & ((1ULL << card->node_count) - 1));
	unsigned int i;

	switch (_IOC_NR(cmd)) {
	case DATRA_IOC_ROUTE_CLEAR:
		datra_route_clear(card);
		return 0;
	case DATRA_IOC_ROUTE_SET:
		return route_set(card, arg, false);
	case DATRA_IOC_ROUTE_GET:
		return route_set(card, arg, true);
	case DATRA_IOC_ROUTE_TELL:
		return datra_route_add(card, item);
	case DATRA_IOC_ROUTE_DELETE:
		if ((u32)arg >= card->node_count)
			return -EINVAL;
		datra_route_delete_node(card, (u32)arg);
		return 0;
	case DATRA_IOC_ROUTE_SINGLE_DELETE:
		if (item.dstNode >= card->node_count || item.dstFifo >= 4)
			return -EINVAL;
		mutex_lock(&card->route_lock);
		datra_route_delete_to(card, item.dstNode, item.dstFifo);
		mutex_unlock(&card->route_lock);
		return 0;
	case DATRA_IOC_BACKPLANE_DISABLE:
		datra_write(card, DATRA_CONTROL_BACKPLANE_CLEAR, mask);
		return backplane_status(card);
	case DATRA_IOC_BACKPLANE_ENABLE:
		datra_write(card, DATRA_CONTROL_BACKPLANE_SET, mask);
		return backplane_status(card);
	case DATRA_IOC_BACKPLANE_STATUS:
		return backplane_status(card);
	case DATRA_IOC_ICAP_INDEX_QUERY:
		for (i = 0; i < card->node_count; i++)
			if (card->node[i].type == DATRA_NODE_TYPE_ICAP)
				return i;
		return -ENODEV;
	case DATRA_IOC_LICENSE_KEY:
		return number64(card, DATRA_CONTROL_LICENCE_KEY(0), cmd, arg);
	case DATRA_IOC_DEVICE_ID:
		if (_IOC_DIR(cmd) & _IOC_WRITE)
			return -EINVAL;
		return number64(card, DATRA_CONTROL_DEVICE_ID(0), cmd, arg);
	case DATRA_IOC_STATIC_ID:
		return static_id(card, cmd, arg);
	case DATRA_IOC_LICENSE_INFO:
		return datra_read(card, DATRA_CONTROL_LICENCE);
	default:
		return -ENOTTY;
	}
}

static long config_ioctl(struct datra_file *file, unsigned int cmd, unsigned long arg)
{
	struct datra_node *node = file->node;
	struct datra_card *card = file->card;

	switch (_IOC_NR(cmd)) {
	case DATRA_IOC_ROUTE_CLEAR:
	case DATRA_IOC_ROUTE_DELETE:
		datra_route_delete_node(card, node->index);
		return 0;
	case DATRA_IOC_ROUTE_QUERY_ID:
		return node->index;
	case DATRA_IOC_BACKPLANE_STATUS:
		return backplane_status(card) & BIT(node->index);
	case DATRA_IOC_BACKPLANE_DISABLE:
		datra_write(card, DATRA_CONTROL_BACKPLANE_CLEAR, BACKPLANE_NODES(BIT(node->index)));
		return backplane_status(card);
	case DATRA_IOC_BACKPLANE_ENABLE:
		datra_write(card, DATRA_CONTROL_BACKPLANE_SET, BACKPLANE_NODES(BIT(node->index)));
		return backplane_status(card);
	case DATRA_IOC_RESET_FIFO_WRITE:
		node_write(node, DATRA_CPU_RESET_TO_LOGIC, arg);
		return 0;
	case DATRA_IOC_RESET_FIFO_READ:
		node_write(node, DATRA_CPU_RESET_FROM_LOGIC, arg);
		return 0;
	default:
		return -ENOTTY;
	}
}

static long register_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct datra_file *file = datra_file_of(filp);
	int section;
	long result;

	if (_IOC_TYPE(cmd) != DATRA_IOC_MAGIC)
		return -ENOTTY;
	section = datra_enter(file->card);
	if (section < 0)
		return section;
	if (!file->node)
		result = control_ioctl(file, cmd, arg);
	else
		result = config_ioctl(file, cmd, arg);
	datra_leave(file->card, section);
	return result;
}

static const struct file_operations register_operations = {
	.owner = THIS_MODULE,
	.release = datra_release,
	.llseek = register_llseek,
	.read = register_read,
	.write = register_write,
	.mmap = register_mmap,
	.unlocked_ioctl = register_ioctl,
	.compat_ioctl = register_ioctl,
};

const struct datra_file_kind datra_control_kind = {
	.name = "ctl",
	.shared = true,
	.operations = &register_operations,
	.groups = datra_control_groups,
};

const struct datra_file_kind datra_config_kind = {
	.name = "cfg",
	.numbered = true,
	.operations = &register_operations,
};
