/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The benchmark of a DMA node or of a CPU node's FIFOs, for `weighbridge run --backend uml`.
 *
 *	stream blocks coherent|streaming to|from|duplex BYTES DEPTH MEASURED [poll] [r|R]
 *	stream ring to|from BYTES MEASURED [r|R]
 *	stream words to|from BYTES MEASURED
 *
 * Blocks: DEPTH of them in flight in each direction, filled before, incoming first; then each in turn is
 * taken back, worked on and queued again. What is sent goes to the sink, what comes is made by the
 * test node. r works on every byte of a block in order, R on a word of each line in no order.
 *
 * Prints, for the blocks (or calls) that are measured, in each direction of duplex traffic, and of the
 * accesses to registers and interrupts in COUNTED of them:
 *
 *	# ns TOTAL blocks N counted N reads N writes N interrupts N
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "datra-ioctl.h"

enum { CPU = 0, DMA = 1, SINK = 2, TEST = 5 };
enum { MOST = 8 };

static void check(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "stream: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int opened(const char *name, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/datra%s", name);
	fd = open(path, flags);
	check(fd >= 0, path);
	return fd;
}

static void route(unsigned source, unsigned sink)
{
	struct datra_route_item_t item = { 0, sink, 0, source };
	struct datra_route_t routes = { 1, &item };
	int ctl = opened("ctl", O_RDWR);

	check(ioctl(ctl, DATRA_IOCSROUTE, &routes) == 0, "route");
	close(ctl);
}

/* The test node's first lane makes words for as long as there is room. */
static void source(void)
{
	const uint32_t enable = 1, lanes = 1;
	int window = opened("cfg5", O_WRONLY);

	check(pwrite(window, &enable, 4, 0x00) == 4, "test node");
	check(pwrite(window, &lanes, 4, 0x08) == 4, "test node");
	close(window);
}

static long counted(const char *name)
{
	char path[96];
	long value = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/datra/datractl/%s", name);
	file = fopen(path, "r");
	check(file && fscanf(file, "%ld", &value) == 1, path);
	fclose(file);
	return value;
}

static struct {
	long long ns;
	long reads, writes, interrupts, blocks;
} begun;

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/*
 * Before round i of those that are not measured (i < 0) and those that are. To look at the counters takes
 * time, in which the engine gets ahead: that is over when the measurement begins.
 */
static void round_begins(long i, long before)
{
	if (i == -before) {
		begun.reads = counted("register_reads");
		begun.writes = counted("register_writes");
		begun.interrupts = counted("card_interrupts");
		begun.blocks = before;
	}
	if (i == 0)
		begun.ns = now();
}

static void end(long blocks)
{
	const long long ns = now() - begun.ns;

	printf("# ns %lld blocks %ld counted %ld reads %ld writes %ld interrupts %ld\n", ns, blocks,
	       begun.blocks + blocks, counted("register_reads") - begun.reads,
	       counted("register_writes") - begun.writes,
	       counted("card_interrupts") - begun.interrupts);
}

/* The guest's processor does not see loads and stores in simulated time: it is told of them. */
static void tell(char what, const void *at, size_t bytes)
{
	static int costs = -1;
	char text[64];
	int length;

	if (costs < 0)
		costs = open("/proc/guest_costs", O_WRONLY);
	if (costs < 0)
		return;
	length = snprintf(text, sizeof(text), "%c %lu %zu", what, (unsigned long)at, bytes);
	check(write(costs, text, length) == length, "/proc/guest_costs");
}

/* ---- blocks ------------------------------------------------------------------------------------ */

struct lane {
	bool from;
	int fd;
	unsigned turn;
	struct datra_buffer_block block[MOST];
	void *data[MOST];
};

static size_t bytes;
static unsigned depth;
static bool polling;
static char work;

static void prepare(struct lane *lane, bool from, unsigned mode)
{
	struct datra_dma_configuration_req request = { mode, bytes, depth };

	lane->from = from;
	lane->fd = opened("d0", from ? O_RDONLY : O_RDWR);
	check(ioctl(lane->fd, DATRA_IOCDMA_RECONFIGURE, &request) == 0, "blocks");
	check(request.count == depth, "so many blocks");
	for (unsigned i = 0; i < depth; i++) {
		struct datra_buffer_block *block = &lane->block[i];

		block->id = i;
		check(ioctl(lane->fd, DATRA_IOCDMABLOCK_QUERY, block) == 0, "block");
		lane->data[i] = mmap(NULL, block->size, PROT_READ | (from ? 0 : PROT_WRITE),
				     MAP_SHARED, lane->fd, block->offset);
		check(lane->data[i] != MAP_FAILED, "mmap");
	}
}

static void fill(struct lane *lane)
{
	static volatile char seen;

	for (unsigned i = 0; i < depth; i++) {
		/* Incoming blocks are read-only here; the program meant has written them as well. */
		if (lane->from)
			for (size_t at = 0; at < bytes; at += 4096)
				seen += ((char *)lane->data[i])[at];
		else
			memset(lane->data[i], i + 1, bytes);
		tell('w', lane->data[i], bytes);
	}
}

static void enqueue(struct lane *lane, unsigned i)
{
	lane->block[i].bytes_used = bytes;
	check(ioctl(lane->fd, DATRA_IOCDMABLOCK_ENQUEUE, &lane->block[i]) == 0, "enqueue");
}

static void turn(struct lane *lane)
{
	const unsigned i = lane->turn++ % depth;

	while (ioctl(lane->fd, DATRA_IOCDMABLOCK_DEQUEUE, &lane->block[i]))
		check(polling && errno == EAGAIN, "dequeue");
	check(lane->block[i].bytes_used == bytes, "a whole block");
	if (work)
		tell(lane->from ? work : work == 'r' ? 'w' : 'W', lane->data[i], bytes);
	enqueue(lane, i);
}

static void blocks(unsigned mode, const char *traffic, long measured)
{
	static struct lane lanes[2];
	unsigned count = 0;
	long i;

	if (strcmp(traffic, "from"))
		prepare(&lanes[count++], false, mode);
	if (strcmp(traffic, "to"))
		prepare(&lanes[count++], true, mode);
	for (i = count; i-- > 0;)
		fill(&lanes[i]);
	for (i = 0; i < (long)count; i++) {
		if (polling)
			fcntl(lanes[i].fd, F_SETFL, O_NONBLOCK);
		for (unsigned k = 0; k < depth; k++)
			enqueue(&lanes[i], k);
	}
	for (i = -2L * depth; i < measured; i++) {
		round_begins(i, 2 * depth);
		for (unsigned k = 0; k < count; k++)
			turn(&lanes[k]);
	}
	end(measured);
}

/* ---- copies ------------------------------------------------------------------------------------ */

/* As many calls before those that are measured as use up what the driver's ring holds at first. */
static void calls(const char *name, bool from, bool ring, long measured)
{
	const long before = ring ? 4 + 2 * 262144 / (bytes < 65536 ? bytes : 65536) : 2;
	/* A FIFO is found ready: who waits for more words than it holds is woken for each part of them. */
	const int fd = opened(name, (from ? O_RDONLY : O_WRONLY) | (ring ? 0 : O_NONBLOCK));
	char *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(data != MAP_FAILED, "memory");
	memset(data, 1, bytes);
	if (ring)
		check(ioctl(fd, DATRA_IOCTTRESHOLD, bytes < 65536 ? bytes : 65536) == 0, "frame");
	for (long i = -before; i < measured; i++) {
		round_begins(i, before);
		if (work && !from)
			tell(work == 'r' ? 'w' : 'W', data, bytes);
		for (size_t done = 0; done < bytes;) {
			const ssize_t got = from ? read(fd, data + done, bytes - done)
						 : write(fd, data + done, bytes - done);

			if (got < 0 && errno == EAGAIN)
				continue;
			check(got > 0, name);
			done += got;
		}
		if (work && from)
			tell(work, data, bytes);
	}
	end(measured);
}

int main(int count, char **words)
{
	const bool in_blocks = count > 6 && !strcmp(words[1], "blocks");
	const bool ring = count > 4 && !strcmp(words[1], "ring");

	if (!in_blocks && !ring && !(count > 4 && !strcmp(words[1], "words"))) {
		fprintf(stderr, "stream blocks|ring|words ...: see stream.c\n");
		return 2;
	}
	for (int i = in_blocks ? 7 : 5; i < count; i++) {
		polling |= !strcmp(words[i], "poll");
		if (strlen(words[i]) == 1)
			work = words[i][0];
	}
	if (in_blocks) {
		bytes = strtoul(words[4], NULL, 10);
		depth = strtoul(words[5], NULL, 10);
		check(depth > 0 && depth <= MOST, "so many blocks");
		route(DMA, SINK);
		route(TEST, DMA);
		source();
		blocks(!strcmp(words[2], "coherent") ? DATRA_DMA_MODE_BLOCK_COHERENT
						     : DATRA_DMA_MODE_BLOCK_STREAMING,
		       words[3], strtol(words[6], NULL, 10));
		return 0;
	}
	const bool from = !strcmp(words[2], "from");

	bytes = strtoul(words[3], NULL, 10);
	if (from) {
		route(TEST, ring ? DMA : CPU);
		source();
	} else {
		route(ring ? DMA : CPU, SINK);
	}
	calls(ring ? "d0" : from ? "r0" : "w0", from, ring, strtol(words[4], NULL, 10));
	return 0;
}
