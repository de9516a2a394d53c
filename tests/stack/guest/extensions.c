/* SPDX-License-Identifier: Apache-2.0 */
/* What the original has not: partial frames, standalone memory, dma-bufs, busy polling. */
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

/* The end of a frame that has begun: by hand, and after a time without a word. */
static void partial(void)
{
	int out = OPEN("d0", O_RDWR), in = OPEN("d0", O_RDONLY | O_NONBLOCK), fd;
	uint32_t words[1000], back[2000], number = 0;
	struct side from;

	for (unsigned kind = 0; kind < TO; kind++) {
		fd = opened_as(__LINE__, kind, 0);
		for (unsigned i = 0; i < OURS; i++)
			FAILS(ENOTTY, ioctl(fd, ours[i], back));
		close(fd);
	}
	FAILS(ENOTTY, ioctl(out, DATRA_IOCFLUSH, &number));
	FAILS(ENOTTY, ioctl(out, DATRA_IOCSTIMEOUT, &number));
	FAILS(ENOTTY, ioctl(out, DATRA_IOCGTIMEOUT, &number));
	FAILS(ENOTTY, ioctl(in, _IO('d', 0x51)));
	FAILS(ENOTTY, ioctl(in, _IOW('d', 0x5F, uint32_t), 16));
	FAILS(EFAULT, ioctl(in, DATRA_IOCFLUSH, 16));
	FAILS(EFAULT, ioctl(in, DATRA_IOCGTIMEOUT, 16));
	number = 1;
	FAILS(EINVAL, ioctl(in, DATRA_IOCFLUSH, &number));
	number = 1000000;
	FAILS(ERANGE, ioctl(in, DATRA_IOCSTIMEOUT, &number));
	GIVES(0, ioctl(in, DATRA_IOCGTIMEOUT, &number));
	CHECK(number == 0);

	route(DMA, 0, DMA, 0);
	GIVES(0, ioctl(out, DATRA_IOCRESET_FIFO_WRITE));
	GIVES(0, ioctl(in, DATRA_IOCRESET_FIFO_READ));
	GIVES(0, ioctl(in, DATRA_IOCTTRESHOLD, 4096));
	fill(words, 0, 1000);
	FAILS(EAGAIN, read(in, back, sizeof(back)));
	for (unsigned round = 0; round < 40; round++) {
		size_t count = 1 + below(1000);

		GIVES(4 * count, write(out, words, 4 * count));
		CHECK(!readable(in, 3), "frame of %zu", count);
		number = 0;
		/* What has not come to the node yet comes with the next, or one after that. */
		for (size_t got = 0; got < count;) {
			unsigned tries = 0;
			ssize_t now;

			do {
				CHECK(tries++ < 50, "%zu of %zu", got, count);
				GIVES(0, ioctl(in, DATRA_IOCFLUSH, &number));
			} while (!readable(in, 100));
			now = read(in, back, sizeof(back));
			CHECK(now > 0 && now / 4 <= (ssize_t)(count - got));
			expect(back, got, now / 4, __LINE__);
			got += now / 4;
		}
		/* Where nothing has begun, nothing ends. */
		GIVES(0, ioctl(in, DATRA_IOCFLUSH, &number));
		CHECK(!readable(in, 2));
	}
	number = 100;
	GIVES(0, ioctl(in, DATRA_IOCSTIMEOUT, &number));
	CHECK(number == 100, "%u", number);
	for (unsigned round = 0; round < 40; round++) {
		size_t count = 1 + below(1000);

		GIVES(4 * count, write(out, words, 4 * count));
		for (size_t got = 0; got < count;) {
			ssize_t now;

			CHECK(readable(in, 5000), "%zu of %zu", got, count);
			now = read(in, back, sizeof(back));
			CHECK(now > 0);
			expect(back, got, now / 4, __LINE__);
			got += now / 4;
		}
	}
	/* In blocks, and still there after a reset; gone with the file. */
	configure(&from, in, 3, 8192, 2);
	from.block[0].bytes_used = 8192;
	GIVES(0, ioctl(in, DATRA_IOCDMABLOCK_ENQUEUE, &from.block[0]));
	GIVES(400, write(out, words, 400));
	CHECK(readable(in, 5000));
	GIVES(0, ioctl(in, DATRA_IOCDMABLOCK_DEQUEUE, &from.block[0]));
	GIVES(400, from.block[0].bytes_used);
	expect(from.data[0], 0, 100, __LINE__);
	release(&from);
	close(in);
	in = OPEN("d0", O_RDONLY | O_NONBLOCK);
	GIVES(0, ioctl(in, DATRA_IOCGTIMEOUT, &number));
	CHECK(number == 0);
	close(out), close(in);
}

/* Memory that the engine works through by itself, once and for ever. */
static void standalone(void)
{
	int out = OPEN("d0", O_RDWR), in = OPEN("d0", O_RDONLY);
	struct datra_standalone_req request = { 20000, 0 };
	struct datra_standalone_item items[64] = { { 0 } };
	struct datra_standalone_list list = { (uintptr_t)items, 5, 0 };
	struct datra_standalone_state state;
	struct datra_buffer_block block = { 0 };
	struct pollfd poller = { out, POLLOUT, 0 };
	uint32_t *memory, back[4096];
	uint64_t frames;

	FAILS(EINVAL, ioctl(out, DATRA_IOCSTANDALONE_START, &list));
	FAILS(EINVAL, ioctl(out, DATRA_IOCSTANDALONE_STATE, &state));
	request.size = 0;
	FAILS(EINVAL, ioctl(out, DATRA_IOCSTANDALONE, &request));
	request.size = 0xFFFFFFFF;
	FAILS(ENOMEM, ioctl(out, DATRA_IOCSTANDALONE, &request));
	request.size = 20000;
	GIVES(0, ioctl(out, DATRA_IOCSTANDALONE, &request));
	CHECK(request.size == 20480, "%u", request.size);
	GIVES(0, ioctl(out, DATRA_IOCDMABLOCK_QUERY, &block));
	FAILS(EINVAL, ioctl(out, DATRA_IOCDMABLOCK_ENQUEUE, &block));
	FAILS(EINVAL, ioctl(out, DATRA_IOCDMABLOCK_DEQUEUE, &block));
	FAILS(EBUSY, write(out, back, 4));
	memory = mmap(NULL, request.size, PROT_READ | PROT_WRITE, MAP_SHARED, out, block.offset);
	CHECK(memory != MAP_FAILED, "%s", strerror(errno));
	fill(memory, 0, request.size / 4);

	/* A list, once. */
	route(DMA, 0, DMA, 0);
	GIVES(0, ioctl(in, DATRA_IOCRESET_FIFO_READ));
	GIVES(0, ioctl(in, DATRA_IOCTTRESHOLD, 4096));
	for (unsigned i = 0; i < 5; i++)
		items[i] = (struct datra_standalone_item){ 4000 * i, 4 * (i + 100), 7 + i, 0 };
	items[2].offset = 20480;
	FAILS(EINVAL, ioctl(out, DATRA_IOCSTANDALONE_START, &list));
	items[2].offset = 0xFFFFFFFC;
	FAILS(EINVAL, ioctl(out, DATRA_IOCSTANDALONE_START, &list));
	items[2].offset = 20480 - 4 * 101;
	FAILS(EINVAL, ioctl(out, DATRA_IOCSTANDALONE_START, &list));
	items[2].offset = 8002;
	FAILS(EINVAL, ioctl(out, DATRA_IOCSTANDALONE_START, &list));
	items[2].offset = 8000;
	for (unsigned round = 0; round < 3; round++) {
		CHECK(!readable(in, 0));	/* and frames are asked for */
		GIVES(0, ioctl(out, DATRA_IOCSTANDALONE_START, &list));
		GIVES(1, poll(&poller, 1, 5000));
		GIVES(0, ioctl(out, DATRA_IOCSTANDALONE_STATE, &state));
		CHECK(state.frames == 5 && !state.errors && !state.running);
		for (unsigned i = 0; i < 4; i++) {
			GIVES(4 * (i + 100), read(in, back, sizeof(back)));
			expect(back, 1000 * i, i + 100, __LINE__);
			GIVES(7 + i, ioctl(in, DATRA_IOCQUSERSIGNAL));
		}
		GIVES(0, ioctl(in, DATRA_IOCRESET_FIFO_READ));
	}

	/* For ever, from a number of items that is a power of two. */
	GIVES(0, ioctl(in, DATRA_IOCRESET_FIFO_READ));
	list.flags = DATRA_STANDALONE_CYCLIC;
	FAILS(EINVAL, ioctl(out, DATRA_IOCSTANDALONE_START, &list));
	list.count = 4;
	for (unsigned i = 0; i < 4; i++)
		items[i] = (struct datra_standalone_item){ 4096 * i, 4096, 0, 0 };
	GIVES(0, ioctl(out, DATRA_IOCSTANDALONE_START, &list));
	FAILS(EBUSY, ioctl(out, DATRA_IOCSTANDALONE_START, &list));
	for (unsigned round = 0; round < 50; round++) {
		GIVES(sizeof(back), read(in, back, sizeof(back)));
		expect(back, 0, 4096, __LINE__);
	}
	GIVES(0, poll(&poller, 1, 1));
	GIVES(0, ioctl(out, DATRA_IOCSTANDALONE_STATE, &state));
	CHECK(state.running && state.frames >= 200 && !state.errors);
	GIVES(0, ioctl(out, DATRA_IOCRESET_FIFO_WRITE));
	GIVES(0, ioctl(out, DATRA_IOCSTANDALONE_STATE, &state));
	CHECK(!state.running && state.frames == 0);
	munmap(memory, request.size);
	GIVES(0, ioctl(out, DATRA_IOCDMABLOCK_FREE));
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, out, 0) == MAP_FAILED);

	/* From logic: the memory is a ring of what came last. */
	GIVES(0, ioctl(in, DATRA_IOCRESET_FIFO_READ));
	request.size = 8192;
	GIVES(0, ioctl(in, DATRA_IOCSTANDALONE, &request));
	memory = mmap(NULL, 8192, PROT_READ, MAP_SHARED, in, 0);
	CHECK(memory != MAP_FAILED && memory[0] == 0);
	list.count = 2;
	GIVES(0, ioctl(in, DATRA_IOCSTANDALONE_START, &list));
	fill(back, 0, 4096);
	GIVES(sizeof(back), write(out, back, sizeof(back)));
	do
		GIVES(0, ioctl(in, DATRA_IOCSTANDALONE_STATE, &state));
	while (state.frames < 3);
	/* The last frame ends with the word after it. */
	frames = state.frames;
	GIVES(4, write(out, back, 4));
	do
		GIVES(0, ioctl(in, DATRA_IOCSTANDALONE_STATE, &state));
	while (state.frames < 4);
	CHECK(frames <= 4 && state.running);
	expect(memory, 2048, 2048, __LINE__);
	munmap(memory, 8192);
	close(out), close(in);
}

/* Memory to memory for ever, while the processor sleeps; it ends when the guest is killed. */
static void endless(void)
{
	int out = OPEN("d0", O_RDWR), in = OPEN("d0", O_RDONLY);
	struct datra_standalone_req request = { 8192, 0 };
	struct datra_standalone_item items[2] = { { 0, 4096, 0, 0 }, { 4096, 4096, 0, 0 } };
	struct datra_standalone_list list = { (uintptr_t)items, 2, DATRA_STANDALONE_CYCLIC };

	route(DMA, 0, DMA, 0);
	GIVES(0, ioctl(in, DATRA_IOCSTANDALONE, &request));
	GIVES(0, ioctl(in, DATRA_IOCSTANDALONE_START, &list));
	GIVES(0, ioctl(out, DATRA_IOCSTANDALONE, &request));
	/* Until the kernel's timers are rare: it is to ask for no instant soon. */
	sleep(amount);
	GIVES(0, ioctl(out, DATRA_IOCSTANDALONE_START, &list));
	printf("# endless\n");
	fflush(stdout);
	pause();
}

static void dmabuf_sync(int fd, uint64_t flags)
{
	struct dma_buf_sync sync = { flags };

	GIVES(0, ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync));
}

/* Blocks of others, and blocks for others. */
static void dmabuf(void)
{
	int out = OPEN("d0", O_RDWR), in = OPEN("d0", O_RDONLY);
	struct datra_dmabuf_export export = { 0, O_CLOEXEC, -1 };
	struct datra_dmabuf_import import = { 2, 0, { heap_alloc(65536), heap_alloc(65536) } };
	struct datra_buffer_block block;
	struct side from;
	uint32_t *data[2], *seen;
	int keep;

	FAILS(EINVAL, ioctl(in, DATRA_IOCDMABUF_EXPORT, &export));
	for (unsigned i = 0; i < 2; i++) {
		data[i] = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, import.fd[i], 0);
		CHECK(data[i] != MAP_FAILED);
		dmabuf_sync(import.fd[i], DMA_BUF_SYNC_WRITE | DMA_BUF_SYNC_START);
		fill(data[i], 16384 * i, 16384);
		dmabuf_sync(import.fd[i], DMA_BUF_SYNC_WRITE | DMA_BUF_SYNC_END);
	}
	import.count = 9;
	FAILS(EINVAL, ioctl(out, DATRA_IOCDMABUF_IMPORT, &import));
	import.count = 0;
	FAILS(EINVAL, ioctl(out, DATRA_IOCDMABUF_IMPORT, &import));
	import.count = 3, import.fd[2] = out;
	FAILS(EINVAL, ioctl(out, DATRA_IOCDMABUF_IMPORT, &import));
	import.fd[2] = -1;
	FAILS(EBADF, ioctl(out, DATRA_IOCDMABUF_IMPORT, &import));
	import.fd[2] = heap_alloc(4096);
	FAILS(EINVAL, ioctl(out, DATRA_IOCDMABUF_IMPORT, &import));
	close(import.fd[2]);
	import.count = 2;
	GIVES(0, ioctl(out, DATRA_IOCDMABUF_IMPORT, &import));
	CHECK(import.size == 65536, "%u", import.size);
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, out, 0) == MAP_FAILED && errno == EINVAL);
	FAILS(EINVAL, ioctl(out, DATRA_IOCDMABUF_EXPORT, &export));
	close(import.fd[0]), close(import.fd[1]);

	/* Out of the heap's buffers into blocks of ours. */
	route(DMA, 0, DMA, 0);
	configure(&from, in, 3, 65536, 2);
	for (unsigned i = 0; i < 2; i++) {
		from.block[i].bytes_used = 65536;
		GIVES(0, ioctl(in, DATRA_IOCDMABLOCK_ENQUEUE, &from.block[i]));
		block = (struct datra_buffer_block){ .id = i, .bytes_used = 65536 };
		GIVES(0, ioctl(out, DATRA_IOCDMABLOCK_ENQUEUE, &block));
	}
	for (unsigned i = 0; i < 2; i++) {
		GIVES(0, ioctl(in, DATRA_IOCDMABLOCK_DEQUEUE, &from.block[i]));
		CHECK(from.block[i].bytes_used == 65536);
		expect(from.data[i], 16384 * i, 16384, __LINE__);
		munmap(data[i], 65536);
	}

	/* A block of ours is a dma-buf, which goes out as it came in; it outlives the stream. */
	export.id = 2;
	FAILS(EINVAL, ioctl(in, DATRA_IOCDMABUF_EXPORT, &export));
	export.id = 1, export.flags = 1;
	FAILS(EINVAL, ioctl(in, DATRA_IOCDMABUF_EXPORT, &export));
	export.flags = O_CLOEXEC;
	GIVES(0, ioctl(in, DATRA_IOCDMABUF_EXPORT, &export));
	keep = export.fd;
	GIVES(65536, lseek(keep, 0, SEEK_END));
	CHECK(mmap(NULL, 65536, PROT_WRITE, MAP_SHARED, keep, 0) == MAP_FAILED);
	seen = mmap(NULL, 65536, PROT_READ, MAP_SHARED, keep, 0);
	CHECK(seen != MAP_FAILED, "%s", strerror(errno));
	import = (struct datra_dmabuf_import){ 1, 0, { keep } };
	GIVES(0, ioctl(out, DATRA_IOCDMABUF_IMPORT, &import));
	from.block[0].bytes_used = 65536;
	GIVES(0, ioctl(in, DATRA_IOCDMABLOCK_ENQUEUE, &from.block[0]));
	block = (struct datra_buffer_block){ .id = 0, .bytes_used = 65536 };
	GIVES(0, ioctl(out, DATRA_IOCDMABLOCK_ENQUEUE, &block));
	GIVES(0, ioctl(in, DATRA_IOCDMABLOCK_DEQUEUE, &from.block[0]));
	expect(from.data[0], 16384, 16384, __LINE__);
	release(&from);
	close(out), close(in);
	dmabuf_sync(keep, DMA_BUF_SYNC_READ | DMA_BUF_SYNC_START);
	expect(seen, 16384, 16384, __LINE__);
	dmabuf_sync(keep, DMA_BUF_SYNC_READ | DMA_BUF_SYNC_END);
	/* Also the card. */
	put("/sys/bus/pci/drivers/datra/unbind", "0000:00:00.0");
	expect(seen, 16384, 16384, __LINE__);
	put("/sys/bus/pci/drivers/datra/bind", "0000:00:00.0");
	munmap(seen, 65536);
	close(keep);
}

/* Who waits looks himself: no interrupt comes, if he looks for long enough. */
static void busy(void)
{
	int out = OPEN("d0", O_WRONLY), in = OPEN("d0", O_RDONLY), w = OPEN("w0", O_WRONLY);
	int r = OPEN("r0", O_RDONLY);
	uint32_t words[1024], back[1024];
	long interrupts;
	pid_t child;
	int status;

	put("/sys/module/datra/parameters/busy_poll_us", "1000000");
	route(DMA, 0, DMA, 0);
	route(CPU, 0, CPU, 0);
	GIVES(0, ioctl(out, DATRA_IOCRESET_FIFO_WRITE));
	GIVES(0, ioctl(in, DATRA_IOCRESET_FIFO_READ));
	GIVES(0, ioctl(in, DATRA_IOCTTRESHOLD, 4096));
	interrupts = statistic("ctl", "card_interrupts");
	for (unsigned round = 0; round < 50; round++) {
		fill(words, 1024 * round, 1024);
		GIVES(4096, write(out, words, 4096));
		GIVES(4096, read(in, back, 4096));
		expect(back, 1024 * round, 1024, __LINE__);
		GIVES(400, write(w, words, 400));
		GIVES(400, read(r, back, 400));
		expect(back, 1024 * round, 100, __LINE__);
	}
	GIVES(interrupts, statistic("ctl", "card_interrupts"));

	/* Who sleeps after all sleeps until enough is there, not word for word. */
	put("/sys/module/datra/parameters/busy_poll_us", "300");
	child = fork();
	if (child == 0) {
		for (unsigned i = 0; i < 50; i++) {
			usleep(2000);
			GIVES(4, write(w, words + i, 4));
		}
		_exit(0);
	}
	GIVES(200, read(r, back, 200));
	expect(back, 1024 * 49, 50, __LINE__);
	CHECK(waitpid(child, &status, 0) == child && status == 0, "%x", status);
	interrupts = statistic("ctl", "card_interrupts") - interrupts;
	CHECK(interrupts < 25, "%ld", interrupts);
	put("/sys/module/datra/parameters/busy_poll_us", "0");
	CHECK(statistic("d0", "reads") >= 0 && statistic("w0", "writes") >= 5000);
	close(out), close(in), close(w), close(r);
}

const struct test extension_tests[] = {
	{ "partial", partial },
	{ "standalone", standalone },
	{ "endless", endless },
	{ "dmabuf", dmabuf },
	{ "busy", busy },
	{ },
};
