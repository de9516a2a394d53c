// SPDX-License-Identifier: GPL-2.0-only
/* Files d: the two streams of a DMA node. */
#include <linux/bitfield.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/uaccess.h>

#include "blocks.h"
#include "card.h"
#include "dma.h"
#include "route.h"

static int stream_step(struct datra_call *call)
{
	struct stream_call *own = stream_call_of(call);
	struct datra_stream *s = own->s;

	if (!own->nr)
		return s->mode->transfer ? s->mode->transfer(s, call) : -EBUSY;
	if (!s->blocks || own->block.id >= s->blocks->count)
		return -EINVAL;
	if (own->nr != DATRA_IOC_DMABLOCK_QUERY)
		return s->mode->block ? s->mode->block(s, own->nr, &own->block) : -EINVAL;
	block_describe(s, own->block.id, &own->block);
	return 0;
}

static const struct datra_call_operations stream_call_operations = {
	.step = stream_step,
	.ready = engine_ready,
	.arm = engine_call_arm,
};

static struct stream_call stream_call(struct file *filp)
{
	struct datra_stream *s = stream_of(filp);

	return (struct stream_call){
		.call = {
			.operations = &stream_call_operations,
			.card = s->node->card,
			.event = &s->event,
			.lock = &s->lock,
			.block = !(filp->f_flags & O_NONBLOCK),
		},
		.s = s,
	};
}

static ssize_t dma_read(struct file *filp, char __user *to, size_t count, loff_t *position)
{
	struct stream_call own = stream_call(filp);

	if (!own.s->from)
		return -EINVAL;
	own.call.to = to;
	own.call.count = count;
	return datra_call_transfer(&own.call);
}

static ssize_t dma_write(struct file *filp, const char __user *from, size_t count,
			 loff_t *position)
{
	struct stream_call own = stream_call(filp);

	own.call.from = from;
	own.call.count = count;
	return datra_call_transfer(&own.call);
}

static long block_ioctl(struct file *filp, unsigned int nr, void __user *user)
{
	struct stream_call own = stream_call(filp);
	long result;

	own.nr = nr;
	if (copy_from_user(&own.block, user, sizeof(own.block)))
		return -EFAULT;
	result = datra_call_run(&own.call);
	if ((result == 0 || result == -EREMOTEIO) &&
	    copy_to_user(user, &own.block, sizeof(own.block)))
		return -EFAULT;
	return result;
}

static long dma_threshold(struct datra_stream *s, u32 bytes)
{
	if (bytes == s->block_bytes)
		return 0;
	if (s->mode == &datra_standalone_mode)
		return -EBUSY;
	if (!s->from && s->mode->refresh)
		s->mode->refresh(s);
	if (s->submitted != s->taken || s->resetting)
		return -EBUSY;
	if (bytes == 0 || DATRA_RING_BYTES % bytes || bytes % (s->from ? 64 : 8))
		return -EINVAL;
	s->block_bytes = bytes;
	s->head = 0;
	s->tail = 0;
	return 0;
}

static long dma_ioctl_inside(struct datra_file *file, struct datra_stream *s, unsigned int nr,
			     unsigned long arg)
{
	union {
		struct datra_dma_configuration_req configuration;
		struct datra_buffer_block_alloc_req alloc;
	} request;
	long result;

	switch (nr) {
	case DATRA_IOC_ROUTE_TELL_TO_LOGIC:
	case DATRA_IOC_ROUTE_TELL_FROM_LOGIC:
		if (s->from != (nr == DATRA_IOC_ROUTE_TELL_FROM_LOGIC))
			return -ENOTTY;
		return datra_route_stream(s->node, 0, !s->from, arg);
	case DATRA_IOC_ROUTE_QUERY_ID:
		return file->node->index;
	case DATRA_IOC_RESET_FIFO_WRITE:
	case DATRA_IOC_RESET_FIFO_READ:
		if (!s->stuck &&
		    !(node_read(s->node, DMA_OF(s->from, CONTROL)) & DATRA_DMA_CONTROL_RUN))
			return s->resetting ? -EBUSY : -EINVAL;
		result = stream_reset(s);
		if (result == 0)
			memset(s->block, 0, sizeof(s->block));
		return result;
	case DATRA_IOC_TRESHOLD_QUERY:
		return s->block_bytes;
	case DATRA_IOC_TRESHOLD_TELL:
		return dma_threshold(s, arg);
	case DATRA_IOC_USERSIGNAL_QUERY:
		return s->signal;
	case DATRA_IOC_USERSIGNAL_TELL:
		if (s->from)
			return -EACCES;
		s->signal = arg;
		return 0;
	case DATRA_IOC_DMA_RECONFIGURE:
		if (copy_from_user(&request.configuration, (void __user *)arg,
				   sizeof(request.configuration)))
			return -EFAULT;
		result = dma_configure(s, &request.configuration);
		if (result == 0 && copy_to_user((void __user *)arg, &request.configuration,
						sizeof(request.configuration)))
			result = -EFAULT;
		return result;
	case DATRA_IOC_DMABLOCK_ALLOC: {
		struct datra_dma_configuration_req coherent = {
			.mode = DATRA_DMA_MODE_BLOCK_COHERENT,
		};

		if (copy_from_user(&request.alloc, (void __user *)arg, sizeof(request.alloc)))
			return -EFAULT;
		coherent.size = request.alloc.size;
		coherent.count = request.alloc.count;
		result = dma_configure(s, &coherent);
		request.alloc.size = coherent.size;
		request.alloc.count = coherent.count;
		if (result == 0 && copy_to_user((void __user *)arg, &request.alloc,
						sizeof(request.alloc)))
			result = -EFAULT;
		return result;
	}
	case DATRA_IOC_DMABLOCK_FREE:
		return stream_free_blocks(s);
	default:
		return -ENOTTY;
	}
}

static long dma_timeout(struct datra_stream *s, u32 *us, bool tell)
{
	u64 hertz = engine_hertz(s), ticks;

	if (!s->from || !s->extended)
		return -ENOTTY;
	if (tell) {
		ticks = div_u64(*us * hertz + 63999999, 64000000);
		if (ticks > FIELD_MAX(DATRA_DMA_RING_TIMEOUT_TICKS))
			return -ERANGE;
		s->timeout = ticks;
		stream_write(s, DMA_RING(true, TIMEOUT), ticks);
	}
	*us = div64_u64((u64)s->timeout * 64000000, hertz);
	return 0;
}

static long dma_flush(struct datra_stream *s, u32 flags)
{
	if (!s->from || !s->extended)
		return -ENOTTY;
	if (flags)
		return -EINVAL;
	if (s->mode->refresh)
		s->mode->refresh(s);
	stream_write(s, DMA_RING(true, CUT), 1);
	return 0;
}

static long dma_extra_ioctl(struct datra_stream *s, unsigned int cmd, void __user *user)
{
	union {
		u32 number;
		struct datra_standalone_req standalone;
		struct datra_standalone_list list;
		struct datra_standalone_state state;
		struct datra_dmabuf_export export;
		struct datra_dmabuf_import import;
	} given = { };
	long result;

	switch (cmd) {
	case DATRA_IOCSTIMEOUT:
	case DATRA_IOCGTIMEOUT:
	case DATRA_IOCFLUSH:
	case DATRA_IOCSTANDALONE:
	case DATRA_IOCSTANDALONE_START:
	case DATRA_IOCSTANDALONE_STATE:
	case DATRA_IOCDMABUF_EXPORT:
	case DATRA_IOCDMABUF_IMPORT:
		break;
	default:
		return -ENOTTY;
	}
	if (_IOC_DIR(cmd) & _IOC_WRITE && copy_from_user(&given, user, _IOC_SIZE(cmd)))
		return -EFAULT;
	switch (cmd) {
	case DATRA_IOCSTIMEOUT:
		result = dma_timeout(s, &given.number, true);
		break;
	case DATRA_IOCGTIMEOUT:
		result = dma_timeout(s, &given.number, false);
		break;
	case DATRA_IOCFLUSH:
		result = dma_flush(s, given.number);
		break;
	case DATRA_IOCSTANDALONE:
		result = dma_standalone(s, &given.standalone);
		break;
	case DATRA_IOCSTANDALONE_START:
		result = standalone_start(s, &given.list);
		break;
	case DATRA_IOCSTANDALONE_STATE:
		result = standalone_state(s, &given.state);
		break;
	case DATRA_IOCDMABUF_EXPORT:
		result = dmabuf_export(s, &given.export);
		break;
	default:
		result = dmabuf_import(s, &given.import);
	}
	if (result == 0 && _IOC_DIR(cmd) & _IOC_READ &&
	    copy_to_user(user, &given, _IOC_SIZE(cmd)))
		result = -EFAULT;
	return result;
}

static long dma_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct datra_file *file = datra_file_of(filp);
	struct datra_stream *s = stream_of(filp);
	unsigned int nr = _IOC_NR(cmd);
	int section;
	long result;

	if (_IOC_TYPE(cmd) != DATRA_IOC_MAGIC)
		return -ENOTTY;
	if (nr >= DATRA_IOC_DMABLOCK_QUERY && nr <= DATRA_IOC_DMABLOCK_DEQUEUE)
		return block_ioctl(filp, nr, (void __user *)arg);
	section = datra_enter(file->card);
	if (section < 0)
		return section;
	mutex_lock(&s->lock);
	if (nr >= DATRA_IOC_OURS)
		result = dma_extra_ioctl(s, cmd, (void __user *)arg);
	else
		result = dma_ioctl_inside(file, s, nr, arg);
	mutex_unlock(&s->lock);
	datra_leave(file->card, section);
	return result;
}

static int dma_open(struct datra_file *file, struct file *filp)
{
	return stream_begin(stream_of(filp));
}

static void dma_close(struct file *filp)
{
	stream_end(stream_of(filp));
}

static int dma_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct datra_stream *s = stream_of(filp);
	int section = datra_enter(s->node->card);
	int result = -EINVAL;

	if (section < 0)
		return section;
	mutex_lock(&s->map_lock);
	if (s->blocks)
		result = datra_blocks_map(s->blocks, vma);
	mutex_unlock(&s->map_lock);
	datra_leave(s->node->card, section);
	return result;
}

static __poll_t dma_poll(struct file *filp, poll_table *table)
{
	struct datra_stream *s = stream_of(filp);
	__poll_t ready = s->from ? EPOLLIN | EPOLLRDNORM : EPOLLOUT | EPOLLWRNORM;
	bool is_ready;
	int section;

	poll_wait(filp, &s->event.wait, table);
	section = datra_enter(s->node->card);
	if (section < 0)
		return EPOLLERR | EPOLLHUP;
	mutex_lock(&s->lock);
	if (s->stuck && !s->resetting) {
		ready |= EPOLLERR;
		is_ready = true;
	} else {
		is_ready = s->mode->ready(s);
	}
	if (!is_ready && !s->cyclic && engine_arm(s))
		is_ready = true;
	mutex_unlock(&s->lock);
	datra_leave(s->node->card, section);
	return is_ready ? ready : 0;
}

static const struct file_operations dma_operations = {
	.owner = THIS_MODULE,
	.release = datra_release,
	.read = dma_read,
	.write = dma_write,
	.poll = dma_poll,
	.mmap = dma_mmap,
	.unlocked_ioctl = dma_ioctl,
	.compat_ioctl = dma_ioctl,
};

static bool dma_allows(bool read, bool write)
{
	return read || write;
}

const struct datra_file_kind datra_dma_kind = {
	.name = "d",
	.numbered = true,
	.streams = 2,
	.operations = &dma_operations,
	.groups = datra_stream_groups,
	.allows = dma_allows,
	.open = dma_open,
	.close = dma_close,
	.statistics = datra_dma_statistics,
};
