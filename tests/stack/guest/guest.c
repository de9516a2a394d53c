/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program does with Datra's device files, and whether it gets what it may expect.
 *
 *	guest CASE [SEED [AMOUNT]]
 *
 * Runs inside the guest, on the driver and the RTL of the reference configuration. Prints
 * `ok CASE ...`, or `FAIL CASE line: what` and ends with 1. AMOUNT is of bytes or of rounds.
 */
#include <fcntl.h>
#include <linux/dma-heap.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

static const char *running;
uint64_t seed = 1;
size_t amount;

void fail(int line, const char *what, const char *format, ...)
{
	va_list arguments;

	printf("FAIL %s %d: %s", running, line, what);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
	_exit(1);
}

uint32_t random32(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed * 0x2545F4914F6CDD1DULL) >> 32;
}

uint32_t below(uint32_t most)
{
	return random32() % most;
}

uint32_t word(uint64_t n)
{
	n = (n + 12345) * 0x9E3779B97F4A7C15ULL;
	return (n ^ n >> 29) * 0xBF58476D1CE4E5B9ULL >> 32;
}

void fill(uint32_t *words, uint64_t first, size_t count)
{
	for (size_t i = 0; i < count; i++)
		words[i] = word(first + i);
}

void expect(const uint32_t *words, uint64_t first, size_t count, int line)
{
	for (size_t i = 0; i < count; i++)
		if (words[i] != word(first + i))
			fail(line, "word", " %llu is %08x, not %08x", (unsigned long long)(first + i),
			     words[i], word(first + i));
}

double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + 1e-9 * now.tv_nsec;
}

int opened(int line, const char *name, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/datra%s", name);
	fd = open(path, flags);
	if (fd < 0)
		fail(line, "open", " %s: %s", path, strerror(errno));
	return fd;
}

void route(unsigned source, unsigned output, unsigned sink, unsigned input)
{
	int ctl = OPEN("ctl", O_RDWR);
	struct datra_route_item_t item = { input, sink, output, source };
	struct datra_route_t routes = { 1, &item };

	GIVES(0, ioctl(ctl, DATRA_IOCSROUTE, &routes));
	close(ctl);
}

long statistic_of(const char *file, const char *name, bool from)
{
	char path[96];
	long value = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/datra/datra%s/%s", file, name);
	f = fopen(path, "r");
	for (int i = 0; i <= from; i++)
		if (!f || fscanf(f, "%ld", &value) != 1)
			fail(__LINE__, "no", " %s", path);
	fclose(f);
	return value;
}

long statistic(const char *file, const char *name)
{
	return statistic_of(file, name, false);
}

bool readable(int fd, int milliseconds)
{
	struct pollfd poller = { fd, POLLIN, 0 };

	return poll(&poller, 1, milliseconds) == 1 && poller.revents & POLLIN;
}

const struct file files[FILES] = {
	{ "ctl", "ctl", O_RDWR },   { "cfg0", "cfg0", O_RDWR }, { "cfg1", "cfg1", O_RDWR },
	{ "cfg2", "cfg2", O_RDWR }, { "cfg3", "cfg3", O_RDWR }, { "w2", "w2", O_WRONLY },
	{ "r2", "r2", O_RDONLY },   { "d0", "d0", O_RDWR },	{ "from-d0", "d0", O_RDONLY },
};

int opened_as(int line, unsigned kind, int more)
{
	return opened(line, files[kind].path, files[kind].flags | more);
}

const unsigned long ours[] = {
	DATRA_IOCSTIMEOUT, DATRA_IOCGTIMEOUT, DATRA_IOCFLUSH, DATRA_IOCSTANDALONE,
	DATRA_IOCSTANDALONE_START, DATRA_IOCSTANDALONE_STATE, DATRA_IOCDMABUF_EXPORT,
	DATRA_IOCDMABUF_IMPORT,
};

void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "%s: %s", path,
	      strerror(errno));
	close(fd);
}

void bench(const char *command)
{
	printf("@ %s\n", command);
	fflush(stdout);
	usleep(200000);
}

static void nothing(int number)
{
	(void)number;
}

void interrupt_every(unsigned microseconds)
{
	struct sigaction action = { .sa_handler = nothing };
	struct itimerval timer = { { 0, microseconds }, { 0, microseconds } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

void through(int out, int in, uint64_t bytes, uint32_t most, unsigned interrupts)
{
	uint32_t *buffer = malloc(4 * (size_t)most + 4096);
	uint64_t done = 0;
	pid_t child = fork();
	int status;

	if (child == 0) {
		if (interrupts)
			interrupt_every(interrupts);
		while (done < bytes) {
			size_t count = 4 * (size_t)(1 + below(most));
			ssize_t sent;

			if (count > bytes - done)
				count = bytes - done;
			fill(buffer, done / 4, count / 4);
			sent = write(out, buffer, count);
			if (sent < 0 && errno == EINTR)
				continue;
			if (sent <= 0 || sent % 4)
				_exit(1);
			done += sent;
		}
		_exit(0);
	}
	seed += 17;
	if (interrupts)
		interrupt_every(interrupts + 100);
	while (done < bytes) {
		size_t count = 4 * (size_t)(1 + below(most));
		ssize_t got;

		if (count > bytes - done)
			count = bytes - done;
		got = read(in, buffer, count);
		if (got < 0 && errno == EINTR)
			continue;
		CHECK(got > 0 && got % 4 == 0, "%zd %s", got, strerror(errno));
		expect(buffer, done / 4, got / 4, __LINE__);
		done += got;
	}
	interrupt_every(0);
	CHECK(waitpid(child, &status, 0) == child && status == 0, "%x", status);
	free(buffer);
}

void emptied(int out, int in)
{
	GIVES(0, ioctl(out, DATRA_IOCRESET_FIFO_WRITE));
	GIVES(0, ioctl(in, DATRA_IOCRESET_FIFO_READ));
}

void configure(struct side *side, int fd, unsigned mode, unsigned size, unsigned count)
{
	struct datra_dma_configuration_req request = { mode, size, count };

	side->fd = fd;
	GIVES(0, ioctl(fd, DATRA_IOCDMA_RECONFIGURE, &request));
	CHECK(request.count == count && request.size >= size && request.size % 4096 == 0);
	side->count = count;
	side->size = request.size;
	for (unsigned i = 0; i < count; i++) {
		struct datra_buffer_block *block = &side->block[i];
		bool writes = (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;

		block->id = i;
		GIVES(0, ioctl(fd, DATRA_IOCDMABLOCK_QUERY, block));
		CHECK(block->offset == i * side->size && block->state == 0 && !block->bytes_used);
		side->data[i] = mmap(NULL, side->size, PROT_READ | (writes ? PROT_WRITE : 0),
				     MAP_SHARED, fd, block->offset);
		CHECK(side->data[i] != MAP_FAILED, "%s", strerror(errno));
		for (unsigned at = 0; at < side->size / 4; at += 512)
			CHECK(side->data[i][at] == 0, "what someone left behind");
	}
}

void release(struct side *side)
{
	for (unsigned i = 0; i < side->count; i++)
		munmap(side->data[i], side->size);
	GIVES(0, ioctl(side->fd, DATRA_IOCDMABLOCK_FREE));
}

void works(int out, int in)
{
	emptied(out, in);
	GIVES(0, ioctl(in, DATRA_IOCTTRESHOLD, 65536));
	through(out, in, 131072, 5000, 0);
}

int heap_alloc(size_t bytes)
{
	struct dma_heap_allocation_data request = { .len = bytes, .fd_flags = O_RDWR | O_CLOEXEC };
	int heap = open("/dev/dma_heap/system", O_RDONLY);

	CHECK(heap >= 0, "the guest's kernel has no heap of dma-bufs");
	GIVES(0, ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &request));
	close(heap);
	return request.fd;
}

static const struct test *const groups[] = {
	control_tests, fifo_tests, dma_tests, extension_tests, abuse_tests, error_tests, cost_tests,
	nonsense_tests,
};

static const struct test *found(const char *name)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		for (const struct test *test = groups[i]; test->name; test++)
			if (!strcmp(name, test->name))
				return test;
	return NULL;
}

int main(int count, char **words)
{
	const struct test *test = count > 1 ? found(words[1]) : NULL;
	double begun = seconds();

	if (!test) {
		fprintf(stderr, "guest CASE [SEED [AMOUNT]]: no such case\n");
		return 2;
	}
	if (count > 2)
		seed = strtoull(words[2], NULL, 10) * 2654435761 + 1;
	if (count > 3)
		amount = strtoull(words[3], NULL, 10);
	running = test->name;
	test->run();
	if (access("/sys/class/datra/datractl", F_OK))
		printf("ok %s\n", running);
	else
		printf("ok %s %.3f s, %ld reads, %ld writes, %ld interrupts\n", running,
		       seconds() - begun, statistic("ctl", "register_reads"),
		       statistic("ctl", "register_writes"), statistic("ctl", "card_interrupts"));
	return 0;
}
