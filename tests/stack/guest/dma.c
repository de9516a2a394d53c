/* SPDX-License-Identifier: Apache-2.0 */
/* Files d, as the original has them: ring, coherent, streaming. */
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

static void dma_files(void)
{
	int d = OPEN("d0", O_RDWR), from = OPEN("d0", O_RDONLY);
	struct datra_dma_configuration_req request = { 0, 4096, 2 };
	struct datra_buffer_block block = { 0 };
	struct datra_buffer_block_alloc_req alloc = { 5000, 9 };
	uint32_t words[4];

	FAILS(EBUSY, open("/dev/datrad0", O_WRONLY));
	FAILS(EBUSY, open("/dev/datrad0", O_RDONLY));
	FAILS(EINVAL, read(d, words, 2));
	FAILS(EINVAL, read(d, words, 16));
	FAILS(EBADF, write(from, words, 4));
	FAILS(EINVAL, write(d, words, 3));
	FAILS(EFAULT, write(d, (void *)16, 4));
	FAILS(ESPIPE, lseek(d, 0, SEEK_SET));
	FAILS(EINVAL, fsync(d));
	FAILS(ENOTTY, ioctl(d, _IO('d', 0x29)));
	GIVES(65536, ioctl(d, DATRA_IOCQTRESHOLD));
	FAILS(EINVAL, ioctl(d, DATRA_IOCTTRESHOLD, 0));
	FAILS(EINVAL, ioctl(d, DATRA_IOCTTRESHOLD, 3000));
	FAILS(EINVAL, ioctl(d, DATRA_IOCTTRESHOLD, 4));
	FAILS(EINVAL, ioctl(from, DATRA_IOCTTRESHOLD, 32));
	GIVES(0, ioctl(d, DATRA_IOCTTRESHOLD, 4096));
	GIVES(4096, ioctl(d, DATRA_IOCQTRESHOLD));
	GIVES(0, ioctl(d, DATRA_IOCTUSERSIGNAL, 0x10007));
	GIVES(7, ioctl(d, DATRA_IOCQUSERSIGNAL));
	FAILS(EACCES, ioctl(from, DATRA_IOCTUSERSIGNAL, 1));
	GIVES(0, ioctl(d, DATRA_IOCRESET_FIFO_WRITE));
	GIVES(0, ioctl(from, DATRA_IOCRESET_FIFO_WRITE));
	FAILS(EINVAL, ioctl(d, DATRA_IOCDMA_RECONFIGURE, &request));
	request.mode = 77;
	FAILS(EINVAL, ioctl(d, DATRA_IOCDMA_RECONFIGURE, &request));
	request.mode = 2, request.count = 0;
	FAILS(EINVAL, ioctl(d, DATRA_IOCDMA_RECONFIGURE, &request));
	request.size = 0, request.count = 1;
	FAILS(EINVAL, ioctl(d, DATRA_IOCDMA_RECONFIGURE, &request));
	request.size = 0x20000000, request.count = 8;
	FAILS(ENOMEM, ioctl(d, DATRA_IOCDMA_RECONFIGURE, &request));
	request.size = 0xFFFFFFFF, request.count = 8;
	FAILS(ENOMEM, ioctl(d, DATRA_IOCDMA_RECONFIGURE, &request));
	request.mode = 1;
	GIVES(0, ioctl(d, DATRA_IOCDMA_RECONFIGURE, &request));
	CHECK(request.size == 4096 && request.count == 64);
	FAILS(EFAULT, ioctl(d, DATRA_IOCDMA_RECONFIGURE, 16));
	FAILS(EINVAL, ioctl(d, DATRA_IOCDMABLOCK_QUERY, &block));
	FAILS(EFAULT, ioctl(d, DATRA_IOCDMABLOCK_QUERY, 16));
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, d, 0) == MAP_FAILED && errno == EINVAL);
	GIVES(0, ioctl(d, DATRA_IOCDMABLOCK_ALLOC, &alloc));
	CHECK(alloc.size == 8192 && alloc.count == 8, "%u %u", alloc.size, alloc.count);
	block.id = 3;
	GIVES(0, ioctl(d, DATRA_IOCDMABLOCK_QUERY, &block));
	CHECK(block.offset == 3 * 8192 && block.size == 8192 && block.state == 0);
	block.id = 8;
	FAILS(EINVAL, ioctl(d, DATRA_IOCDMABLOCK_QUERY, &block));
	FAILS(EBUSY, write(d, words, 4));
	FAILS(EINVAL, read(d, words, 4));
	GIVES(0, ioctl(d, DATRA_IOCTTRESHOLD, 8192));
	FAILS(EINVAL, ioctl(d, DATRA_IOCTTRESHOLD, 3000));
	block.id = 0, block.bytes_used = 8196;
	FAILS(EINVAL, ioctl(d, DATRA_IOCDMABLOCK_ENQUEUE, &block));
	block.bytes_used = 0;
	FAILS(EINVAL, ioctl(d, DATRA_IOCDMABLOCK_ENQUEUE, &block));
	block.bytes_used = 6;
	FAILS(EINVAL, ioctl(d, DATRA_IOCDMABLOCK_ENQUEUE, &block));
	FAILS(EINVAL, ioctl(d, DATRA_IOCDMABLOCK_DEQUEUE, &block));
	GIVES(0, ioctl(d, DATRA_IOCDMABLOCK_FREE));
	GIVES(0, ioctl(d, DATRA_IOCDMABLOCK_FREE));
	FAILS(EINVAL, ioctl(d, DATRA_IOCDMABLOCK_QUERY, &block));
	FAILS(EINVAL, write(d, words, 0));
	close(d), close(from);
	d = OPEN("d0", O_WRONLY);
	GIVES(65536, ioctl(d, DATRA_IOCQTRESHOLD));
	GIVES(0, ioctl(d, DATRA_IOCQUSERSIGNAL));
	close(d);
}

/* What an earlier program has left in the streams goes. */

static void dma_ring(void)
{
	int out = OPEN("d0", O_WRONLY), in = OPEN("d0", O_RDONLY);
	uint64_t bytes = amount ?: 1000000;
	double begun = seconds();

	route(DMA, 0, ADDER, 0);
	route(ADDER, 0, DMA, 0);
	emptied(out, in);
	GIVES(0, ioctl(in, DATRA_IOCTTRESHOLD, 4096));
	through(out, in, bytes / 4096 * 4096, 20000, 0);
	printf("# %.2f MB/s\n", bytes / (seconds() - begun) / 1e6);
	through(out, in, 40 * 4096, 3000, 2500);
	GIVES(0, ioctl(in, DATRA_IOCRESET_FIFO_READ));
	GIVES(0, ioctl(in, DATRA_IOCTTRESHOLD, 65536));
	through(out, in, 8 * 65536, 30000, 0);
	close(out), close(in);
}

/* Blocks of one length from memory to memory, all in flight: MB/s each way from the first that is back. */
static double block_rate(struct side *to, struct side *from, unsigned bytes, unsigned blocks)
{
	double begun = 0;

	for (unsigned i = 0; i < blocks + from->count; i++) {
		struct side *sides[2] = { from, to };

		for (unsigned k = 0; k < 2; k++) {
			struct datra_buffer_block *block = &sides[k]->block[i % sides[k]->count];

			if (block->state) {
				GIVES(0, ioctl(sides[k]->fd, DATRA_IOCDMABLOCK_DEQUEUE, block));
				CHECK(block->bytes_used == bytes);
			}
			if (sides[k] == from && i >= from->count)
				expect(from->data[block->id], (i - from->count) % to->count * bytes / 4, bytes / 4,
				       __LINE__);
			if (sides[k] == to && i < to->count)
				fill(to->data[block->id], i * bytes / 4, bytes / 4);
			block->bytes_used = bytes;
			block->user_signal = 0;
			GIVES(0, ioctl(sides[k]->fd, DATRA_IOCDMABLOCK_ENQUEUE, block));
		}
		if (i == from->count)
			begun = seconds();
	}
	return (blocks - 1) * (double)bytes / (seconds() - begun) / 1e6;
}

/* What the driver's users get of the bus, both ways at once. */
static void dma_width(void)
{
	static const unsigned sizes[] = { 1024, 65536 };
	const unsigned bytes = amount ?: 1000000;
	int out = OPEN("d0", O_RDWR), in = OPEN("d0", O_RDONLY);

	route(DMA, 0, DMA, 0);
	for (unsigned i = 0; i < 2; i++) {
		struct side to, from;

		emptied(out, in);
		configure(&to, out, 2, sizes[i], 8);
		configure(&from, in, 2, sizes[i], 8);
		printf("# blocks of %u: %.1f MB/s\n", sizes[i],
		       block_rate(&to, &from, sizes[i], bytes / sizes[i]));
		release(&to);
		release(&from);
	}
	close(out), close(in);
}

/* A program that gives a second to each MiB that goes to the logic and comes back, and else dies. */
static void dma_timely(void)
{
	int out = OPEN("d0", O_WRONLY), in = OPEN("d0", O_RDONLY);

	route(DMA, 0, DMA, 0);
	emptied(out, in);
	for (size_t done = 0; done < (amount ?: 1048576); done += 1048576) {
		alarm(1);
		through(out, in, 1048576, 20000, 0);
	}
	alarm(0);
	close(out), close(in);
}

/* Frames end where the signal changes: a read() gives one frame at most. */
static void dma_ring_signals(void)
{
	int out = OPEN("d0", O_WRONLY), in = OPEN("d0", O_RDONLY | O_NONBLOCK);
	uint32_t words[2000], back[4096];
	uint64_t first = 0;

	route(DMA, 0, DMA, 0);
	emptied(out, in);
	GIVES(0, ioctl(in, DATRA_IOCTTRESHOLD, 4096));
	FAILS(EAGAIN, read(in, back, sizeof(back)));
	for (unsigned round = 1; round < 40; round++) {
		size_t count = 1 + below(1000), got = 0;

		fill(words, first, count + 1);
		GIVES(0, ioctl(out, DATRA_IOCTUSERSIGNAL, 2 * round));
		GIVES(4 * count, write(out, words, 4 * count));
		/* Nobody knows yet that the frame is over. */
		if (count % 1024)
			CHECK(!readable(in, 2), "frame of %zu", count);
		GIVES(0, ioctl(out, DATRA_IOCTUSERSIGNAL, 2 * round + 1));
		GIVES(4, write(out, words + count, 4));
		CHECK(readable(in, 5000), "frame of %zu", count);
		got = read(in, back, sizeof(back));
		CHECK(got == 4 * count, "%zu not %zu", got, 4 * count);
		expect(back, first, count, __LINE__);
		GIVES(2 * round, ioctl(in, DATRA_IOCQUSERSIGNAL));
		GIVES(0, ioctl(out, DATRA_IOCTUSERSIGNAL, 2 * round + 2));
		GIVES(4, write(out, words, 4));
		CHECK(readable(in, 5000));
		GIVES(4, read(in, back, sizeof(back)));
		expect(back, first + count, 1, __LINE__);
		/* Of the frame that the last word has begun, nothing is left behind. */
		GIVES(0, ioctl(in, DATRA_IOCRESET_FIFO_READ));
		FAILS(EAGAIN, read(in, back, 4));
		first += count;
	}
	close(out), close(in);
}

static void dma_nonblock(void)
{
	int out = OPEN("d0", O_WRONLY | O_NONBLOCK), in = OPEN("d0", O_RDONLY | O_NONBLOCK);
	static uint32_t words[1 << 18], back[1 << 18];
	struct pollfd poller = { out, POLLOUT, 0 };
	ssize_t sent = 0, got = 0, now;

	route(DMA, 0, DMA, 0);
	emptied(out, in);
	GIVES(0, ioctl(in, DATRA_IOCTTRESHOLD, 65536));
	fill(words, 0, 1 << 18);
	while ((now = write(out, (char *)words + sent, sizeof(words) - sent)) > 0)
		sent += now;
	CHECK(now == -1 && errno == EAGAIN);
	CHECK(sent >= 256 * 1024 && sent < 300 * 1024, "%zd", sent);
	GIVES(0, poll(&poller, 1, 10));
	FAILS(EBUSY, ioctl(out, DATRA_IOCTTRESHOLD, 4096));
	FAILS(EAGAIN, read(in, back, 4));
	FAILS(EBUSY, ioctl(in, DATRA_IOCTTRESHOLD, 4096));
	while (got < sent / 65536 * 65536) {
		CHECK(readable(in, 5000), "%zd of %zd", got, sent);
		now = read(in, (char *)back + got, sent - got);
		CHECK(now > 0, "%zd %s", now, strerror(errno));
		got += now;
		while ((now = write(out, (char *)words + sent, sizeof(words) - sent)) > 0)
			sent += now;
	}
	GIVES(sizeof(words), sent);
	expect(back, 0, got / 4, __LINE__);
	GIVES(1, poll(&poller, 1, 1000));
	close(out), close(in);
}

/* Frames of any length through blocks; each has a signal of its own, so that it ends where it ends. */
static void blocks(unsigned mode, unsigned size, uint64_t bytes)
{
	int out = OPEN("d0", O_RDWR), in = OPEN("d0", O_RDONLY);
	struct side to, from;
	struct { uint64_t first; unsigned bytes; } frame[64];
	unsigned sent = 0, freed = 0, got = 0, queued = 0;
	uint64_t first = 0;

	route(DMA, 0, ADDER, 2);
	route(ADDER, 2, DMA, 0);
	configure(&to, out, mode, size, 2 + below(6));
	configure(&from, in, mode, size, 2 + below(6));
	for (; queued < from.count; queued++) {
		from.block[queued].bytes_used = size;
		GIVES(0, ioctl(in, DATRA_IOCDMABLOCK_ENQUEUE, &from.block[queued]));
		CHECK(from.block[queued].state == 1 && from.block[queued].bytes_used == 0);
	}
	FAILS(EBUSY, ioctl(in, DATRA_IOCDMABLOCK_ENQUEUE, &from.block[0]));
	while (first < bytes || got + 1 < sent) {
		/* No more than the receiver has frames for, and those that end only with the next. */
		if (first < bytes && sent - got < from.count && sent - got < 60) {
			struct datra_buffer_block *block = &to.block[sent % to.count];

			if (block->state) {
				GIVES(0, ioctl(out, DATRA_IOCDMABLOCK_DEQUEUE, block));
				CHECK(block->state == 0 && block->id == sent % to.count);
				freed++;
			}
			block->bytes_used = 4 * (1 + below(size / 4));
			block->user_signal = sent + 1;
			frame[sent % 64].first = first;
			frame[sent % 64].bytes = block->bytes_used;
			fill(to.data[block->id], first, block->bytes_used / 4);
			first += block->bytes_used / 4;
			if (first >= bytes / 4)
				first = bytes;
			GIVES(0, ioctl(out, DATRA_IOCDMABLOCK_ENQUEUE, block));
			CHECK(block->state == 1);
			sent++;
		} else {
			struct datra_buffer_block *block = &from.block[got % from.count];
			struct datra_buffer_block wrong = { .id = (got + 1) % from.count };

			GIVES(0, ioctl(in, DATRA_IOCDMABLOCK_DEQUEUE, block));
			CHECK(block->bytes_used == frame[got % 64].bytes, "%u not %u",
			      block->bytes_used, frame[got % 64].bytes);
			CHECK(block->user_signal == (got + 1) % 65536);
			expect(from.data[block->id], frame[got % 64].first, block->bytes_used / 4,
			       __LINE__);
			block->bytes_used = size;
			GIVES(0, ioctl(in, DATRA_IOCDMABLOCK_ENQUEUE, block));
			got++;
			if (got + 1 < sent && wrong.id != got % from.count)
				FAILS(EIO, (readable(in, 1000), ioctl(in, DATRA_IOCDMABLOCK_DEQUEUE, &wrong)));
		}
	}
	release(&to);
	release(&from);
	printf("# %u frames\n", sent);
	close(out), close(in);
}

static void dma_coherent(void)
{
	blocks(2, 4096, amount / 2 ?: 100000);
	blocks(2, 100000, amount ?: 1000000);
}

static void dma_streaming(void)
{
	blocks(3, 8192, amount / 2 ?: 100000);
	blocks(3, 100000, amount ?: 1000000);
}

/* Blocks as memory of the process's own: it sees them until it writes, and changes nothing. */
static void dma_private(void)
{
	for (unsigned round = 0; round < 8; round++) {
		bool reader = round & 1, two = round & 4;
		int fd = OPEN("d0", reader ? O_RDONLY : O_RDWR), status;
		struct side side;
		size_t bytes = two ? 8192 : 4096;
		uint32_t *own;
		pid_t child;

		configure(&side, fd, round & 2 ? 3 : 2, 8192, 1);
		own = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, two ? 0 : 4096);
		CHECK(own != MAP_FAILED, "%s", strerror(errno));
		CHECK(own[0] == 0 && own[bytes / 4 - 1] == 0);
		own[1] = 0x12345678;
		CHECK(side.data[0][1] == 0 && side.data[0][1025] == 0);
		child = fork();
		if (child == 0) {
			own[0] = 1;
			_exit(own[1] != 0x12345678);
		}
		CHECK(waitpid(child, &status, 0) == child && status == 0, "%x", status);
		CHECK(own[0] == 0 && own[1] == 0x12345678);
		munmap(own, bytes);
		release(&side);
		close(fd);
	}
}

const struct test dma_tests[] = {
	{ "dma_files", dma_files },
	{ "dma_ring", dma_ring },
	{ "dma_width", dma_width },
	{ "dma_ring_signals", dma_ring_signals },
	{ "dma_nonblock", dma_nonblock },
	{ "dma_coherent", dma_coherent },
	{ "dma_streaming", dma_streaming },
	{ "dma_private", dma_private },
	{ "dma_timely", dma_timely },
	{ },
};
