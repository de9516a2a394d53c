// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/weighbridge-study: transfers between the processor's memory and a window into an FPGA, by
 * each of the ways that the Cyclone V and Zynq studies measure under Linux. README.md is the manual.
 */
#include <linux/bitops.h>
#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "device.h"
#include "study.h"

#define MAX_TIMEOUT_US	10000000
#define INSTRUCTIONS	4

static struct study *study_of(struct file *file)
{
	return container_of(file->private_data, struct study, misc);
}

/* A call of `count` bytes at the setup's place: is it within the window and the buffer? */
static bool fits(const struct study *study, const struct study_setup *setup, size_t count)
{
	u32 lead = setup->offset % sizeof(u64);

	return count > 0 && count <= study->piece && lead + count <= study->piece &&
	       setup->offset < resource_size(study->window) &&
	       count <= resource_size(study->window) - setup->offset;
}

/* The kernel's buffer, from where its address agrees with the window's modulo 8. */
static void *buffer(const struct study *study)
{
	return study->buffers[study->setup.buffer] + study->setup.offset % sizeof(u64);
}

static bool needs_cleaning(const struct study_setup *setup)
{
	return setup->master != STUDY_MASTER_CPU && setup->route == STUDY_ROUTE_SDRAMC &&
	       setup->buffer == STUDY_BUFFER_CACHED;
}

/* Where the transfer is for a controller; a cached buffer that it reaches past the caches is mapped. */
static int map_place(struct study *study, enum study_direction direction, size_t count,
		     struct study_place *place)
{
	const struct study_setup *setup = &study->setup;
	u32 lead = setup->offset % sizeof(u64);

	place->window = study->window->start + setup->offset;
	if (setup->buffer == STUDY_BUFFER_UNCACHED) {
		place->memory = study->uncached + lead;
	} else if (setup->route == STUDY_ROUTE_ACP) {
		place->memory = virt_to_phys(buffer(study)) + study->acp_offset;
	} else {
		place->memory = dma_map_single(study->dev, buffer(study), count,
					       direction == CPU_TO_FPGA ? DMA_TO_DEVICE :
									  DMA_FROM_DEVICE);
		if (dma_mapping_error(study->dev, place->memory))
			return -ENOMEM;
	}
	return 0;
}

static void unmap_place(struct study *study, enum study_direction direction, size_t count,
			const struct study_place *place)
{
	if (needs_cleaning(&study->setup))
		dma_unmap_single(study->dev, place->memory, count,
				 direction == CPU_TO_FPGA ? DMA_TO_DEVICE : DMA_FROM_DEVICE);
}

/* By the controller, between the kernel's buffer and the window. */
static int move_by_controller(struct study *study, enum study_direction direction, size_t count)
{
	const struct study_setup *setup = &study->setup;
	struct study_place place;
	int ret;

	if (setup->prepared)
		return pl330_run(study->pl330, direction);
	ret = map_place(study, direction, count, &place);
	if (ret)
		return ret;
	if (setup->master == STUDY_MASTER_DMAENGINE) {
		ret = dmaengine_run(study->channel, direction, &place, count, setup);
	} else {
		ret = pl330_prepare(study->pl330, direction, &place, count);
		if (!ret)
			ret = pl330_run(study->pl330, direction);
	}
	unmap_place(study, direction, count, &place);
	return ret;
}

static int move(struct study *study, enum study_direction direction, size_t count)
{
	if (study->setup.master != STUDY_MASTER_CPU)
		return move_by_controller(study, direction, count);
	if (direction == CPU_TO_FPGA)
		memcpy_toio(study->window_io + study->setup.offset, buffer(study), count);
	else
		memcpy_fromio(buffer(study), study->window_io + study->setup.offset, count);
	return 0;
}

/* Has the setup been chosen, and is the call one that it allows? */
static int check_call(struct study *study, size_t count)
{
	if (!study->chosen)
		return -ENXIO;
	if (!fits(study, &study->setup, count))
		return -EINVAL;
	if (study->setup.prepared && count != study->setup.bytes)
		return -EINVAL;
	return 0;
}

static ssize_t study_write(struct file *file, const char __user *from, size_t count, loff_t *at)
{
	struct study *study = study_of(file);
	int ret;

	if (mutex_lock_interruptible(&study->mutex))
		return -ERESTARTSYS;
	ret = check_call(study, count);
	if (!ret && copy_from_user(buffer(study), from, count))
		ret = -EFAULT;
	if (!ret)
		ret = move(study, CPU_TO_FPGA, count);
	mutex_unlock(&study->mutex);
	return ret ?: count;
}

static ssize_t study_read(struct file *file, char __user *to, size_t count, loff_t *at)
{
	struct study *study = study_of(file);
	int ret;

	if (mutex_lock_interruptible(&study->mutex))
		return -ERESTARTSYS;
	ret = check_call(study, count);
	if (!ret)
		ret = move(study, FPGA_TO_CPU, count);
	if (!ret && copy_to_user(to, buffer(study), count))
		ret = -EFAULT;
	mutex_unlock(&study->mutex);
	return ret ?: count;
}

static int study_mmap(struct file *file, struct vm_area_struct *area)
{
	struct study *study = study_of(file);

	/* Refuses what is outside of the window. */
	area->vm_page_prot = pgprot_noncached(area->vm_page_prot);
	return vm_iomap_memory(area, study->window->start, resource_size(study->window));
}

/* Does the setup make sense, on this board? */
static int check_setup(const struct study *study, const struct study_setup *setup)
{
	if (setup->master >= STUDY_MASTERS || setup->route >= STUDY_ROUTES ||
	    setup->buffer >= STUDY_BUFFERS || setup->completion >= STUDY_COMPLETIONS ||
	    setup->prepared > 1 || setup->nonsecure > 1 || setup->wrong > INSTRUCTIONS ||
	    setup->timeout_us < 1 || setup->timeout_us > MAX_TIMEOUT_US)
		return -EINVAL;
	if (!fits(study, setup, setup->prepared ? setup->bytes : 1) ||
	    (!setup->prepared && setup->bytes))
		return -EINVAL;
	if (setup->master != STUDY_MASTER_PL330 &&
	    (setup->prepared || setup->nonsecure || setup->wrong))
		return -EINVAL;
	if (setup->master == STUDY_MASTER_CPU)
		return setup->route || setup->completion ? -EINVAL : 0;
	if (!study->controller)
		return -ENODEV;
	if (setup->route == STUDY_ROUTE_ACP) {
		if (!(study->features & STUDY_HAS_ACP))
			return -ENODEV;
		/* What is not cached is no business of the caches' port. */
		if (setup->buffer != STUDY_BUFFER_CACHED)
			return -EINVAL;
	}
	/* A prepared program's addresses stay, and a mapping for the device would have to as well. */
	if (setup->prepared && needs_cleaning(setup))
		return -EINVAL;
	/* The first instructions move registers only in a program that begins with whole beats. */
	if (setup->wrong && setup->offset % sizeof(u64))
		return -EINVAL;
	return 0;
}

static void release_channel(struct study *study)
{
	if (study->channel)
		dma_release_channel(study->channel);
	study->channel = NULL;
}

/* Lets the right driver have the controller. */
static int choose_driver(struct study *study, const struct study_setup *setup)
{
	int ret;

	if (setup->master == STUDY_MASTER_PL330) {
		release_channel(study);
		if (!study->pl330) {
			struct pl330 *pl330 = controller_take(study->controller);

			if (IS_ERR(pl330))
				return PTR_ERR(pl330);
			study->pl330 = pl330;
		}
		return pl330_choose(study->pl330, &study->programs, setup);
	}
	if (study->pl330) {
		study->pl330 = NULL;
		ret = controller_give_back(study->controller);
		if (ret)
			return ret;
	}
	if (setup->master == STUDY_MASTER_DMAENGINE && !study->channel) {
		struct dma_chan *channel = dmaengine_claim(study->controller);

		if (IS_ERR(channel))
			return PTR_ERR(channel);
		study->channel = channel;
	} else if (setup->master == STUDY_MASTER_CPU) {
		release_channel(study);
	}
	return 0;
}

static int choose(struct study *study, const struct study_setup *setup)
{
	int direction, ret;

	ret = check_setup(study, setup);
	if (ret)
		return ret;
	study->chosen = false;
	ret = choose_driver(study, setup);
	if (ret)
		return ret;
	study->setup = *setup;
	for (direction = 0; setup->prepared && direction < DIRECTIONS; direction++) {
		struct study_place place;

		ret = map_place(study, direction, setup->bytes, &place);
		if (!ret)
			ret = pl330_prepare(study->pl330, direction, &place, setup->bytes);
		if (ret)
			return ret;
	}
	study->chosen = true;
	return 0;
}

static int tell(const struct study *study, void __user *to)
{
	const struct study_info info = {
		.version = STUDY_VERSION,
		.features = study->features,
		.window_bytes = resource_size(study->window),
		.piece_bytes = study->piece,
	};

	return copy_to_user(to, &info, sizeof(info)) ? -EFAULT : 0;
}

static long control(struct study *study, unsigned int request, void __user *with)
{
	union {
		struct study_setup setup;
		struct study_status status;
		struct study_locks locks;
		struct study_scheduler scheduler;
	} given;

	switch (request) {
	case STUDY_IOC_INFO:
		return tell(study, with);
	case STUDY_IOC_SETUP:
		if (copy_from_user(&given.setup, with, sizeof(given.setup)))
			return -EFAULT;
		return choose(study, &given.setup);
	case STUDY_IOC_STATUS:
		if (!study->pl330)
			return -ENXIO;
		pl330_status(study->pl330, &given.status);
		return copy_to_user(with, &given.status, sizeof(given.status)) ? -EFAULT : 0;
	case STUDY_IOC_LOCKS:
		if (copy_from_user(&given.locks, with, sizeof(given.locks)))
			return -EFAULT;
		return platform_registers_lock(&study->registers, &given.locks);
	case STUDY_IOC_SCHEDULER:
		if (copy_from_user(&given.scheduler, with, sizeof(given.scheduler)))
			return -EFAULT;
		return platform_registers_schedule(&study->registers, &given.scheduler);
	}
	return -ENOTTY;
}

static long study_ioctl(struct file *file, unsigned int request, unsigned long argument)
{
	struct study *study = study_of(file);
	long ret;

	if (mutex_lock_interruptible(&study->mutex))
		return -ERESTARTSYS;
	ret = control(study, request, (void __user *)argument);
	mutex_unlock(&study->mutex);
	return ret;
}

static int study_open(struct inode *inode, struct file *file)
{
	struct study *study = study_of(file);

	if (test_and_set_bit(0, &study->opened))
		return -EBUSY;
	study->chosen = false;
	return stream_open(inode, file);
}

/* Leaves the board as the program has found it. */
static int study_release(struct inode *inode, struct file *file)
{
	struct study *study = study_of(file);

	release_channel(study);
	if (study->pl330) {
		study->pl330 = NULL;
		controller_give_back(study->controller);
	}
	platform_registers_restore(&study->registers);
	clear_bit(0, &study->opened);
	return 0;
}

const struct file_operations study_operations = {
	.owner = THIS_MODULE,
	.open = study_open,
	.release = study_release,
	.read = study_read,
	.write = study_write,
	.unlocked_ioctl = study_ioctl,
	.mmap = study_mmap,
};
