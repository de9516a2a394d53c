/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The benchmark of a DMA node or of a CPU node's FIFOs, for `weighbridge run --backend uml`.
 *
 *	stream blocks coherent|streaming to|from|duplex BYTES DEPTH MEASURED [poll] [r|R]
 *	stream ring to|from|duplex BYTES MEASURED [r|R]
 *	stream words to|from BYTES MEASURED [wait]
 *
 * Blocks: DEPTH of them in flight in each direction, filled before, incoming first; then each in turn is
 * taken back, worked on and queued again. The sink takes what is sent, and the test node makes what
 * comes. r works on every byte of a block in order, R on a word of each line in no order.
 *
 * Ring: calls of BYTES, one after another; duplex: each direction in turn moves what it can, with
 * poll() where neither can, until both have moved BYTES. One way, the lesser counts of what the program
 * has moved and of what the other node has moved: a rate that uses up a lead does not last.
 *
 * Words: the call finds the FIFO ready. With wait it finds the FIFO empty, or full: the neighbour is
 * switched off, and on again when the call sleeps. The time is that of a call that finds nothing, and
 * that from when the neighbour is on until the call has moved everything.
 *
 * Prints, for the blocks (or calls) that are measured, in each direction of duplex traffic, and of the
 * accesses to registers and interrupts in COUNTED of them:
 *
 *	# ns TOTAL blocks N counted N reads N writes N interrupts N
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "datra-ioctl.h"
#include "datra-registers.h"

enum { CPU = 0, DMA = 1, SINK = 2, TEST = 5 };
enum { MOST = 8 };
/* The longest frame of a ring; what goes through the ring before a measurement, four times its size. */
enum { FRAME = 65536, START = 1048576 };

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

	check(pwrite(window, &enable, 4, DATRA_TEST_WINDOW_ENABLE) == 4, "test node");
	check(pwrite(window, &lanes, 4, DATRA_TEST_WINDOW_START) == 4, "test node");
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

struct counts {
	long reads, writes, interrupts;
};

static struct {
	long long ns;
	double blocks; /* before the measurement, of which the counts are as well */
	struct counts counts;
} begun;

static struct counts counts(void)
{
	struct counts all;

	all.reads = counted("register_reads");
	all.writes = counted("register_writes");
	all.interrupts = counted("card_interrupts");
	return all;
}

/* The counts since the measurement began; they include those of reading the counters. */
static struct counts since(void)
{
	const struct counts all = counts(), *first = &begun.counts;

	return (struct counts){ all.reads - first->reads, all.writes - first->writes,
				all.interrupts - first->interrupts };
}

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void result(long measured, long long ns, double of, struct counts sum)
{
	printf("# ns %lld blocks %ld counted %.3f reads %ld writes %ld interrupts %ld\n", ns, measured, of,
	       sum.reads, sum.writes, sum.interrupts);
}

static void end(long measured, long long ns)
{
	result(measured, ns, begun.blocks + measured, since());
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
static bool polling, waiting;
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
		/* Incoming blocks are mapped read-only, but the program that is modelled writes them as well. */
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
	/* The blocks that the engine can get ahead while the program reads the counters, and one more. */
	const long before = bytes < 65536 / (2 * depth) ? 2 * depth : (65536 + bytes - 1) / bytes;
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
	/* Reading the counters takes time, in which the engine gets ahead: do it so many blocks before. */
	begun.counts = counts();
	begun.blocks = before;
	for (i = -before; i < measured; i++) {
		if (i == 0)
			begun.ns = now();
		for (unsigned k = 0; k < count; k++)
			turn(&lanes[k]);
	}
	end(measured, now() - begun.ns);
}

/* ---- copies ------------------------------------------------------------------------------------ */

static char *data;

static void moved(ssize_t got, size_t *done, const char *name)
{
	check(got > 0 || (got < 0 && errno == EAGAIN), name);
	if (got > 0)
		*done += got;
}

/* One call, or one of each, for `length` bytes of the buffer from `at` on; -1 for no such file. */
static void call(int to, int from, size_t at, size_t length)
{
	size_t sent = to < 0 ? length : 0, got = from < 0 ? length : 0;

	if (work && to >= 0)
		tell(work == 'r' ? 'w' : 'W', data + at, length);
	while (sent < length || got < length) {
		const size_t before = sent + got;

		if (sent < length)
			moved(write(to, data + at + sent, length - sent), &sent, "write");
		if (got < length)
			moved(read(from, data + at + got, length - got), &got, "read");
		if (to >= 0 && from >= 0 && sent + got == before) {
			struct pollfd files[2] = { { sent < length ? to : -1, POLLOUT, 0 },
						   { got < length ? from : -1, POLLIN, 0 } };

			check(poll(files, 2, -1) > 0, "poll");
		}
	}
	if (work && from >= 0)
		tell(work, data + at, length);
}

/* Words that the sink has taken, or that the test node's first lane has made. */
static uint32_t words_of(unsigned node)
{
	int window = opened(node == SINK ? "cfg2" : "cfg5", O_RDONLY);
	const off_t at = node == SINK ? DATRA_SINK_WINDOW_TAKEN :
					DATRA_TEST_WINDOW_LANE(0) + DATRA_TEST_WINDOW_LANE_SENT;
	uint32_t words = 0;

	check(pread(window, &words, 4, at) == 4, "words");
	close(window);
	begun.counts.reads++;
	return words;
}

/*
 * Before the measured calls the program moves enough to fill the caches: of a long buffer its end, which
 * the caches would hold. Then it uses up the lead that the engine has got meanwhile: a faster program
 * would profit from the lead for long. The other node's count of words tells what is left of it.
 */
static void calls(int to, int from, bool ring, long measured)
{
	const size_t frame = bytes < FRAME ? bytes : FRAME;
	const size_t start = bytes < START ? bytes : START;
	const bool one_way = ring && (to < 0 || from < 0);
	double least = bytes / 4.0 * measured;
	uint32_t words = 0;
	size_t before = 0;

	for (int i = 0; ring && i < 2; i++)
		if ((i ? to : from) >= 0)
			check(ioctl(i ? to : from, DATRA_IOCTTRESHOLD, frame) == 0, "frame");
	begun.counts = counts();
	while (before < (ring ? START : 2 * bytes)) {
		call(to, from, bytes - start, start);
		before += start;
	}
	if (ring && from >= 0) {
		check(ioctl(from, DATRA_IOCRESET_FIFO_READ) == 0, "reset");
		for (int i = 0; i < 4; i++, before += frame)
			call(to, from, bytes - frame, frame);
	}
	begun.blocks = (double)before / bytes;
	begun.ns = now();
	if (one_way)
		words = words_of(to >= 0 ? SINK : TEST);
	for (long i = 0; i < measured; i++)
		call(to, from, 0, bytes);
	if (one_way)
		words = words_of(to >= 0 ? SINK : TEST) - words;
	if (one_way && words < least)
		least = words;
	end(measured, (now() - begun.ns) * (bytes / 4.0 * measured / least));
}

/* ---- a FIFO that is waited for ----------------------------------------------------------------- */

/* A process: for each order it waits some time, switches the neighbour on, and notes when. */
static void neighbour(int orders, int ctl, uint32_t nodes, volatile long long *at)
{
	const struct timespec pause = { 0, 50000 };
	char order;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(orders, &order, 1) == 1) {
		nanosleep(&pause, NULL);
		*at = now();
		check(pwrite(ctl, &nodes, 4, DATRA_CONTROL_BACKPLANE_SET) == 4, "neighbour");
	}
	exit(0);
}

static ssize_t once(int fd, bool from, size_t done)
{
	return from ? read(fd, data + done, bytes - done) : write(fd, data + done, bytes - done);
}

/* Empties or fills the FIFO. Words of a full FIFO may go on into the router for a while. */
static void make_wait(int fd, int ctl, uint32_t nodes, bool from)
{
	static char words[4096];

	check(pwrite(ctl, &nodes, 4, DATRA_CONTROL_BACKPLANE_CLEAR) == 4, "neighbour");
	if (from)
		check(ioctl(fd, DATRA_IOCRESET_FIFO_READ) == 0, "reset");
	for (int full = 0; !from && full < 4;)
		full = write(fd, words, sizeof(words)) < 0 ? full + 1 : 0;
}

static void waits(int fd, bool from, long measured)
{
	const uint32_t nodes = FIELD_PREP(DATRA_CONTROL_BACKPLANE_NODES, 1U << (from ? TEST : SINK));
	const int ctl = opened("ctl", O_RDWR), flags = fcntl(fd, F_GETFL);
	volatile long long *on = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				      -1, 0);
	long long ns = 0;
	struct counts sum = { 0, 0, 0 };
	int orders[2];
	pid_t child;

	check(on != MAP_FAILED && pipe(orders) == 0, "neighbour");
	child = fork();
	check(child >= 0, "fork");
	if (!child)
		neighbour(orders[0], ctl, nodes, on);
	for (long i = -1; i < measured; i++) {
		long long clock, empty, done_at;
		struct counts of;
		size_t done = 0;

		make_wait(fd, ctl, nodes, from);
		begun.counts = counts();
		clock = now();
		clock = now() - clock;
		empty = now();
		check(once(fd, from, 0) < 0 && errno == EAGAIN, "nothing to do");
		empty = now() - empty - clock;
		fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
		check(write(orders[1], "", 1) == 1, "order");
		while (done < bytes)
			moved(once(fd, from, done), &done, "words");
		done_at = now();
		fcntl(fd, F_SETFL, flags | O_NONBLOCK);
		of = since();
		if (i < 0)
			continue;
		/* A call until the neighbour is there, and one to look at the clock. */
		ns += done_at - *on - 2 * clock + empty;
		/* Both calls have the look that finds nothing; the neighbour's write belongs to neither. */
		sum.reads += of.reads - 1;
		sum.writes += of.writes - 1;
		sum.interrupts += of.interrupts;
	}
	close(orders[1]);
	close(orders[0]);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	result(measured, ns, measured, sum);
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
		waiting |= !strcmp(words[i], "wait");
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
	const bool to_logic = strcmp(words[2], "from"), from_logic = strcmp(words[2], "to");
	/* Not to block finds a FIFO ready: a call that waits is woken for each part that the FIFO can hold. */
	const int flags = ring && !(to_logic && from_logic) ? 0 : O_NONBLOCK;
	int to = -1, from = -1;

	bytes = strtoul(words[3], NULL, 10);
	data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(data != MAP_FAILED, "memory");
	memset(data, 1, bytes);
	if (to_logic) {
		route(ring ? DMA : CPU, SINK);
		to = opened(ring ? "d0" : "w0", O_WRONLY | flags);
	}
	if (from_logic) {
		route(TEST, ring ? DMA : CPU);
		source();
		from = opened(ring ? "d0" : "r0", O_RDONLY | flags);
	}
	if (waiting)
		waits(to_logic ? to : from, from_logic, strtol(words[4], NULL, 10));
	else
		calls(to, from, ring, strtol(words[4], NULL, 10));
	return 0;
}
