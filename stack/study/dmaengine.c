// SPDX-License-Identifier: GPL-2.0-only
/* Moves bytes by the kernel's own driver of the PL330. */
#include <linux/completion.h>
#include <linux/dmaengine.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>

#include "study.h"

static bool is_of(struct dma_chan *channel, void *controller)
{
	return channel->device->dev == controller;
}

/**
 * dmaengine_claim() - a channel for copies in memory
 * @controller: whose channel
 *
 * Return: the channel, which the caller releases; -EBUSY if there is none.
 */
struct dma_chan *dmaengine_claim(struct device *controller)
{
	dma_cap_mask_t mask;
	struct dma_chan *channel;

	dma_cap_zero(mask);
	dma_cap_set(DMA_MEMCPY, mask);
	channel = dma_request_channel(mask, is_of, controller);
	return channel ?: ERR_PTR(-EBUSY);
}

/**
 * dmaengine_in_use() - has somebody else a channel of the kernel's driver?
 * @controller: which the kernel's driver has
 *
 * A driver that asks for a channel between this answer and the unbinding loses it.
 *
 * Return: true also when there is no channel left to look with.
 */
bool dmaengine_in_use(struct device *controller)
{
	struct dma_chan *ours = dmaengine_claim(controller);
	struct dma_chan *channel;
	bool used = false;

	if (IS_ERR(ours))
		return true;
	list_for_each_entry(channel, &ours->device->channels, device_node)
		used |= channel != ours && channel->client_count;
	dma_release_channel(ours);
	return used;
}

static void finished(void *done)
{
	complete(done);
}

static enum dma_status polled(struct dma_chan *channel, dma_cookie_t cookie, u32 timeout_us)
{
	ktime_t end = ktime_add_us(ktime_get(), timeout_us);
	enum dma_status status;

	do {
		status = dma_async_is_tx_complete(channel, cookie, NULL, NULL);
		cpu_relax();
	} while (status == DMA_IN_PROGRESS && ktime_before(ktime_get(), end));
	return status;
}

static dma_cookie_t submitted(struct dma_chan *channel, enum study_direction direction,
			      const struct study_place *place, dma_addr_t window, u32 bytes,
			      struct completion *done)
{
	struct dma_async_tx_descriptor *transfer;
	bool out = direction == CPU_TO_FPGA;

	transfer = dmaengine_prep_dma_memcpy(channel, out ? window : place->memory,
					     out ? place->memory : window, bytes,
					     DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	if (!transfer)
		return -ENOMEM;
	if (done) {
		transfer->callback = finished;
		transfer->callback_param = done;
	}
	return dmaengine_submit(transfer);
}

/**
 * dmaengine_run() - moves bytes and awaits their end
 * @channel: from dmaengine_claim()
 * @direction: of the bytes
 * @place: @place->window is a physical address here, which is mapped for the controller
 * @bytes: how many
 * @setup: how the end is awaited, and how long
 *
 * Return: 0, -ENOMEM, -EIO when the kernel's driver reports a fault, -ETIMEDOUT.
 */
int dmaengine_run(struct dma_chan *channel, enum study_direction direction,
		  const struct study_place *place, u32 bytes, const struct study_setup *setup)
{
	DECLARE_COMPLETION_ONSTACK(done);
	bool sleeps = setup->completion == STUDY_COMPLETION_INTERRUPT;
	struct device *dev = channel->device->dev;
	enum dma_status status;
	dma_cookie_t cookie;
	dma_addr_t window;
	int ret = 0;

	window = dma_map_resource(dev, place->window, bytes, DMA_BIDIRECTIONAL, 0);
	if (dma_mapping_error(dev, window))
		return -ENOMEM;
	cookie = submitted(channel, direction, place, window, bytes, sleeps ? &done : NULL);
	if (dma_submit_error(cookie)) {
		ret = cookie;
		goto out_unmap;
	}
	dma_async_issue_pending(channel);
	if (sleeps)
		wait_for_completion_timeout(&done, usecs_to_jiffies(setup->timeout_us) + 1);
	status = polled(channel, cookie, sleeps ? 0 : setup->timeout_us);
	if (status != DMA_COMPLETE) {
		ret = status == DMA_ERROR ? -EIO : -ETIMEDOUT;
		dmaengine_terminate_sync(channel);
	}
out_unmap:
	dma_unmap_resource(dev, window, bytes, DMA_BIDIRECTIONAL, 0);
	return ret;
}
