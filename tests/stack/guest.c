/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program does with Datra's device files, and whether it gets what it may expect.
 *
 *	guest CASE [SEED [AMOUNT]]
 *
 * Runs inside the guest, on the driver and the RTL of the reference configuration. Prints
 * `ok CASE ...`, or `FAIL CASE line: what` and ends with 1. AMOUNT is of bytes or of rounds.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "datra-ioctl.h"

enum { CPU = 0, DMA = 1, SINK = 2, ADDER = 3, TEST = 5, NODES = 6 };

static const char *running;
static uint64_t seed = 1;
static size_t amount;

static void fail(int line, const char *format, ...)
{
	va_list arguments;

	printf("FAIL %s %d: ", running, line);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
	_exit(1);
}

#define CHECK(holds, ...)                                \
	do {                                             \
		if (!(holds))                            \
			fail(__LINE__, #holds " " __VA_ARGS__); \
	} while (0)

/* A call that must give a value, or fail with an error. */
#define GIVES(expected, call)                                                              \
	do {                                                                               \
		long got_ = (call);                                                        \
		if (got_ != (long)(expected))                                              \
			fail(__LINE__, #call " gives %ld (%s), not %ld", got_,             \
			     got_ < 0 ? strerror(errno) : "", (long)(expected));           \
	} while (0)
#define FAILS(error, call)                                                                  \
	do {                                                                                \
		errno = 0;                                                                  \
		long got_ = (call);                                                         \
		if (got_ != -1 || errno != (error))                                         \
			fail(__LINE__, #call " gives %ld (%s), not " #error, got_,          \
			     strerror(errno));                                              \
	} while (0)

static uint32_t random32(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed * 0x2545F4914F6CDD1DULL) >> 32;
}

static uint32_t below(uint32_t most)
{
	return random32() % most;
}

/* The stream that is sent: word n of it. */
static uint32_t word(uint64_t n)
{
	n = (n + 12345) * 0x9E3779B97F4A7C15ULL;
	return (n ^ n >> 29) * 0xBF58476D1CE4E5B9ULL >> 32;
}

static void fill(uint32_t *words, uint64_t first, size_t count)
{
	for (size_t i = 0; i < count; i++)
		words[i] = word(first + i);
}

static void expect(const uint32_t *words, uint64_t first, size_t count, int line)
{
	for (size_t i = 0; i < count; i++)
		if (words[i] != word(first + i))
			fail(line, "word %llu is %08x, not %08x", (unsigned long long)(first + i),
			     words[i], word(first + i));
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + 1e-9 * now.tv_nsec;
}

static int opened(int line, const char *name, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/datra%s", name);
	fd = open(path, flags);
	if (fd < 0)
		fail(line, "open %s: %s", path, strerror(errno));
	return fd;
}
#define OPEN(name, flags) opened(__LINE__, name, flags)

static void route(unsigned source, unsigned output, unsigned sink, unsigned input)
{
	int ctl = OPEN("ctl", O_RDWR);
	struct datra_route_item_t item = { input, sink, output, source };
	struct datra_route_t routes = { 1, &item };

	GIVES(0, ioctl(ctl, DATRA_IOCSROUTE, &routes));
	close(ctl);
}

/* A number that is counted; of a DMA node's file one for each direction. */
static long statistic_of(const char *file, const char *name, bool from)
{
	char path[96];
	long value = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/datra/datra%s/%s", file, name);
	f = fopen(path, "r");
	for (int i = 0; i <= from; i++)
		if (!f || fscanf(f, "%ld", &value) != 1)
			fail(__LINE__, "no %s", path);
	fclose(f);
	return value;
}

static long statistic(const char *file, const char *name)
{
	return statistic_of(file, name, false);
}

static bool readable(int fd, int milliseconds)
{
	struct pollfd poller = { fd, POLLIN, 0 };

	return poll(&poller, 1, milliseconds) == 1 && poller.revents & POLLIN;
}

/* ---- control and configuration ------------------------------------------------------------------ */

static void control(void)
{
	int ctl = OPEN("ctl", O_RDWR), other = OPEN("ctl", O_RDONLY);
	uint32_t words[8] = { 0 };
	unsigned long long number = 0x123456789ABCDEF0ULL, back = 0;
	char byte;

	GIVES(4, pread(ctl, words, 7, 0x30));
	CHECK(words[0] >> 16 == 2015, "%08x", words[0]);
	GIVES(0, read(ctl, words, 3));
	GIVES(8, lseek(ctl, 9, SEEK_SET) - 1);
	GIVES(4, read(ctl, words, 4));
	GIVES(12, lseek(ctl, 0, SEEK_CUR));
	GIVES(65536, lseek(ctl, 0, SEEK_END));
	GIVES(0, read(ctl, words, 4));
	GIVES(0, write(ctl, &byte, 1));
	FAILS(EINVAL, lseek(ctl, 1, SEEK_END));
	FAILS(EINVAL, lseek(ctl, -1, SEEK_SET));
	GIVES(8, pread(ctl, words, 100, 65528));
	FAILS(EINVAL, pwrite(ctl, words, 3, 0));
	FAILS(EFAULT, pread(ctl, (void *)16, 4, 0));
	FAILS(EFAULT, pwrite(ctl, (void *)16, 4, 0x38));
	words[0] = 0xCAFE1234;
	GIVES(4, pwrite(ctl, words, 4, 0x38));
	GIVES(4, pread(ctl, words + 1, 4, 0x38));
	CHECK(words[1] == 0xCAFE1234, "%08x", words[1]);
	FAILS(EINVAL, fsync(ctl));
	GIVES(0, ioctl(ctl, DATRA_IOCSLICENSE_KEY, &number));
	GIVES(0, ioctl(ctl, DATRA_IOCGLICENSE_KEY, &back));
	CHECK(back == number, "%llx", back);
	FAILS(EINVAL, ioctl(ctl, _IOW('d', 0x30, int), &number));
	FAILS(EFAULT, ioctl(ctl, DATRA_IOCGLICENSE_KEY, 16));
	GIVES(0, ioctl(ctl, DATRA_IOCGDEVICE_ID, &back));
	GIVES(0, ioctl(ctl, DATRA_IOCGSTATIC_ID, words));
	CHECK(words[0] == 1, "%u", words[0]);
	FAILS(EINVAL, ioctl(ctl, _IOR('d', 0x31, char), words));
	GIVES(1, ioctl(ctl, DATRA_IOCQLICENSE_INFO));
	GIVES(SINK, ioctl(ctl, DATRA_IOCQICAP_INDEX));
	FAILS(ENOTTY, ioctl(ctl, _IO('e', 0)));
	FAILS(ENOTTY, ioctl(ctl, _IO('d', 0x28)));
	FAILS(ENOTTY, ioctl(ctl, DATRA_IOCDMABLOCK_FREE));
	/* What is in a result register stays there. */
	GIVES(8, pread(other, words, 8, 0x1080));
	close(other);
	close(ctl);
	FAILS(ENOENT, open("/dev/datraw4", O_WRONLY));
}

/* All names are there, for user and group alone. */
static void names(void)
{
	unsigned both = access("/dev/dyploctl", F_OK) == 0, count = 0;
	DIR *directory = opendir("/dev");
	struct dirent *entry;

	CHECK(directory);
	while ((entry = readdir(directory))) {
		struct stat found;

		if (strncmp(entry->d_name, "datra", 5) && strncmp(entry->d_name, "dyplo", 5))
			continue;
		GIVES(0, fstatat(dirfd(directory), entry->d_name, &found, 0));
		CHECK(S_ISCHR(found.st_mode) && (found.st_mode & 0777) == 0660, "%s: %o",
		      entry->d_name, found.st_mode);
		count++;
	}
	closedir(directory);
	/* ctl, cfg0 to 5, w0 to 3, r0 to 3, d0 */
	CHECK(count == 16 * (1 + both), "%u", count);
}

static void backplane(void)
{
	int ctl = OPEN("ctl", O_RDWR), cfg = OPEN("cfg3", O_RDONLY);

	GIVES(0x3F, ioctl(ctl, DATRA_IOCQBACKPLANE_STATUS));
	GIVES(0x2F, ioctl(ctl, DATRA_IOCTBACKPLANE_DISABLE, 0x10UL | 0xFFFFFFFF00000000UL));
	GIVES(0x3F, ioctl(ctl, DATRA_IOCTBACKPLANE_ENABLE, 0x10));
	GIVES(8, ioctl(cfg, DATRA_IOCQBACKPLANE_STATUS));
	GIVES(0x37, ioctl(cfg, DATRA_IOCTBACKPLANE_DISABLE));
	GIVES(0, ioctl(cfg, DATRA_IOCQBACKPLANE_STATUS));
	GIVES(0x3F, ioctl(cfg, DATRA_IOCTBACKPLANE_ENABLE));
	GIVES(3, ioctl(cfg, DATRA_IOCQROUTE_QUERY_ID));
	GIVES(0x3F, ioctl(ctl, DATRA_IOCTBACKPLANE_ENABLE, 0xFFFFFFFF));
	close(cfg);
	close(ctl);
}

static void config(void)
{
	int reader = OPEN("cfg3", O_RDONLY), writer = OPEN("cfg3", O_WRONLY);
	uint32_t words[4] = { 1, 2, 3, 4 }, back[4];

	FAILS(EBUSY, open("/dev/datracfg3", O_RDWR));
	FAILS(EBUSY, open("/dev/datracfg3", O_RDONLY));
	GIVES(16, pwrite(writer, words, 17, 0));
	GIVES(16, pread(reader, back, 16, 0));
	CHECK(!memcmp(words, back, 16));
	memset(words, 0, 16);
	GIVES(16, pwrite(writer, words, 16, 0));
	FAILS(EBADF, read(writer, back, 4));
	GIVES(0, pread(reader, back, 2, 65536));
	FAILS(EINVAL, pwrite(writer, words, 2, 0));
	GIVES(0, ioctl(reader, DATRA_IOCRESET_FIFO_WRITE, 0xF));
	GIVES(0, ioctl(reader, DATRA_IOCRESET_FIFO_READ, 0xF));
	FAILS(ENOTTY, ioctl(reader, DATRA_IOCQTRESHOLD));
	close(reader);
	close(writer);
	close(OPEN("cfg3", O_RDWR));
}

static void routes(void)
{
	int ctl = OPEN("ctl", O_RDWR), cfg = OPEN("cfg3", O_RDONLY), w = OPEN("w1", O_WRONLY);
	int r = OPEN("r2", O_RDONLY), d = OPEN("d0", O_WRONLY);
	struct datra_route_item_t items[] = {
		{ 0, ADDER, 0, CPU }, { 1, ADDER, 1, CPU }, { 0, CPU, 0, ADDER }, { 3, CPU, 1, ADDER },
	}, back[16];
	struct datra_route_t some = { 4, items }, got = { 16, back };

	GIVES(0, ioctl(ctl, DATRA_IOCROUTE_CLEAR));
	GIVES(0, ioctl(ctl, DATRA_IOCGROUTE, &got));
	GIVES(0, ioctl(ctl, DATRA_IOCSROUTE, &some));
	GIVES(4, ioctl(ctl, DATRA_IOCGROUTE, &got));
	CHECK(!memcmp(items, back, sizeof(items)));
	got.n_routes = 2;
	GIVES(2, ioctl(ctl, DATRA_IOCGROUTE, &got));
	got.n_routes = 16;
	/* The same destination again takes it away from the first; the same source moves it. */
	GIVES(0, ioctl(ctl, DATRA_IOCTROUTE, CPU << 24 | 2 << 16 | ADDER << 8 | 1));
	GIVES(0, ioctl(ctl, DATRA_IOCTROUTE, CPU << 24 | 0 << 16 | ADDER << 8 | 3));
	GIVES(4, ioctl(ctl, DATRA_IOCGROUTE, &got));
	CHECK(back[0].srcFifo == 0 && back[0].dstFifo == 3 && back[1].srcFifo == 2);
	FAILS(EINVAL, ioctl(ctl, DATRA_IOCTROUTE, 6 << 24 | ADDER << 8));
	FAILS(EINVAL, ioctl(ctl, DATRA_IOCTROUTE, 6 << 8));
	FAILS(EINVAL, ioctl(ctl, DATRA_IOCTROUTE, 255 << 16 | ADDER << 8));
	FAILS(EINVAL, ioctl(ctl, DATRA_IOCTROUTE, ADDER << 8 | 255));
	FAILS(EINVAL, ioctl(ctl, DATRA_IOCTROUTE, ADDER << 8 | 4));
	FAILS(EINVAL, ioctl(ctl, DATRA_IOCTROUTE, DMA << 24 | 4 << 16 | ADDER << 8));
	/* A queue that the source has not, or the destination: kept, and nothing moves. */
	GIVES(0, ioctl(ctl, DATRA_IOCTROUTE, CPU << 24 | 3 << 16 | DMA << 8 | 3));
	GIVES(0, ioctl(ctl, DATRA_IOCTROUTE, SINK << 24 | 3 << 16 | ADDER << 8 | 2));
	GIVES(6, ioctl(ctl, DATRA_IOCGROUTE, &got));
	CHECK(back[3].srcNode == SINK && back[3].srcFifo == 3 && back[3].dstFifo == 2);
	GIVES(0, ioctl(ctl, DATRA_IOCTROUTE_SINGLE_DELETE, ADDER << 8 | 2));
	GIVES(0, ioctl(ctl, DATRA_IOCTROUTE_SINGLE_DELETE, DMA << 8 | 3));
	GIVES(4, ioctl(ctl, DATRA_IOCGROUTE, &got));
	FAILS(EINVAL, ioctl(ctl, DATRA_IOCTROUTE_DELETE, 99));
	FAILS(EINVAL, ioctl(ctl, DATRA_IOCTROUTE_SINGLE_DELETE, 99 << 8));
	items[1].srcNode = 99;
	GIVES(0, ioctl(ctl, DATRA_IOCROUTE_CLEAR));
	FAILS(EINVAL, ioctl(ctl, DATRA_IOCSROUTE, &some));
	GIVES(1, ioctl(ctl, DATRA_IOCGROUTE, &got));
	some.proutes = (void *)16;
	FAILS(EFAULT, ioctl(ctl, DATRA_IOCSROUTE, &some));
	FAILS(EFAULT, ioctl(ctl, DATRA_IOCSROUTE, 16));
	got.proutes = (void *)16;
	FAILS(EFAULT, ioctl(ctl, DATRA_IOCGROUTE, &got));
	got.proutes = back;
	GIVES(0, ioctl(ctl, DATRA_IOCTROUTE_SINGLE_DELETE, ADDER << 8 | 0));
	GIVES(0, ioctl(ctl, DATRA_IOCGROUTE, &got));

	GIVES(0, ioctl(w, DATRA_IOCTROUTE_TELL_TO_LOGIC, ADDER | 2 << 8));
	GIVES(0, ioctl(r, DATRA_IOCTROUTE_TELL_FROM_LOGIC, ADDER | 2 << 8));
	GIVES(0, ioctl(d, DATRA_IOCTROUTE_TELL_TO_LOGIC, SINK));
	GIVES(0, ioctl(w, DATRA_IOCTROUTE_TELL_TO_LOGIC, 77));
	FAILS(ENOTTY, ioctl(w, DATRA_IOCTROUTE_TELL_FROM_LOGIC, ADDER));
	FAILS(ENOTTY, ioctl(r, DATRA_IOCTROUTE_TELL_TO_LOGIC, ADDER));
	FAILS(ENOTTY, ioctl(d, DATRA_IOCTROUTE_TELL_FROM_LOGIC, ADDER));
	GIVES(CPU | 1 << 8, ioctl(w, DATRA_IOCQROUTE_QUERY_ID));
	GIVES(CPU | 2 << 8, ioctl(r, DATRA_IOCQROUTE_QUERY_ID));
	GIVES(DMA, ioctl(d, DATRA_IOCQROUTE_QUERY_ID));
	GIVES(3, ioctl(ctl, DATRA_IOCGROUTE, &got));
	GIVES(0, ioctl(cfg, DATRA_IOCROUTE_CLEAR));
	GIVES(1, ioctl(ctl, DATRA_IOCGROUTE, &got));
	GIVES(0, ioctl(ctl, DATRA_IOCTROUTE_DELETE, DMA));
	GIVES(0, ioctl(ctl, DATRA_IOCGROUTE, &got));
	close(ctl), close(cfg), close(w), close(r), close(d);
}

/* ---- FIFOs -------------------------------------------------------------------------------------- */

static void fifo_files(void)
{
	int w = OPEN("w0", O_WRONLY), r = OPEN("r0", O_RDONLY);
	uint32_t words[4];

	FAILS(EBUSY, open("/dev/datraw0", O_WRONLY));
	FAILS(EBUSY, open("/dev/datrar0", O_RDONLY));
	FAILS(EINVAL, open("/dev/datraw1", O_RDONLY));
	FAILS(EINVAL, open("/dev/datraw1", O_RDWR));
	FAILS(EINVAL, open("/dev/datrar1", O_WRONLY));
	FAILS(ESPIPE, lseek(w, 0, SEEK_SET));
	FAILS(ESPIPE, lseek(r, 0, SEEK_CUR));
	FAILS(EINVAL, write(w, words, 3));
	FAILS(EINVAL, write(w, words, 0));
	FAILS(EINVAL, read(r, words, 3));
	FAILS(EFAULT, write(w, (void *)16, 4));
	FAILS(EINVAL, fsync(w));
	GIVES(127, ioctl(w, DATRA_IOCQTRESHOLD));
	GIVES(1, ioctl(r, DATRA_IOCQTRESHOLD));
	GIVES(0, ioctl(r, DATRA_IOCTTRESHOLD, 1000));
	GIVES(192, ioctl(r, DATRA_IOCQTRESHOLD));
	GIVES(0, ioctl(r, DATRA_IOCTTRESHOLD, 0));
	GIVES(1, ioctl(r, DATRA_IOCQTRESHOLD));
	FAILS(EINVAL, ioctl(r, DATRA_IOCTUSERSIGNAL, 1));
	GIVES(0, ioctl(w, DATRA_IOCTUSERSIGNAL, 0x12345));
	GIVES(0x2345, ioctl(w, DATRA_IOCQUSERSIGNAL));
	GIVES(0, ioctl(w, DATRA_IOCTUSERSIGNAL, 0));
	FAILS(ENOTTY, ioctl(w, DATRA_IOCDMABLOCK_FREE));
	FAILS(ENOTTY, ioctl(w, _IO('x', 0x12)));
	close(w), close(r);
}

static void fifo_nonblock(void)
{
	int w = OPEN("w0", O_WRONLY | O_NONBLOCK), r = OPEN("r0", O_RDONLY | O_NONBLOCK);
	uint32_t words[4096], back[4096];
	ssize_t sent, got;

	route(CPU, 0, CPU, 0);
	FAILS(EAGAIN, read(r, back, 4));
	fill(words, 0, 4096);
	sent = write(w, words, sizeof(words));
	CHECK(sent >= 1024 && sent < 6000, "%zd", sent);
	while ((got = write(w, words + sent / 4, sizeof(words) - sent)) > 0)
		sent += got;
	CHECK(got == -1 && errno == EAGAIN);
	CHECK(sent < 6000, "%zd", sent);
	CHECK(!readable(w, 0) && readable(r, 1000));
	got = 0;
	while (got < sent) {
		ssize_t now = read(r, (char *)back + got, 4 * (1 + below(400)));

		CHECK(now > 0, "%zd", now);
		got += now;
	}
	expect(back, 0, sent / 4, __LINE__);
	FAILS(EAGAIN, read(r, back, 4));
	/* Reset throws away what is there. */
	CHECK(write(w, words, 400) == 400 && readable(r, 1000));
	usleep(1000);
	GIVES(0, ioctl(w, DATRA_IOCRESET_FIFO_WRITE));
	GIVES(0, ioctl(r, DATRA_IOCRESET_FIFO_READ));
	FAILS(EAGAIN, read(r, back, 4));
	close(w), close(r);
}

static void fifo_poll(void)
{
	int w = OPEN("w0", O_WRONLY), r = OPEN("r0", O_RDONLY);
	struct pollfd both[2] = { { r, POLLIN, 0 }, { w, POLLOUT, 0 } };
	uint32_t words[64], back[64];
	int status;

	route(CPU, 0, CPU, 0);
	GIVES(1, poll(both, 2, 0));
	CHECK(both[0].revents == 0 && both[1].revents == POLLOUT);
	GIVES(0, poll(both, 1, 20));
	fill(words, 0, 64);
	for (unsigned round = 0; round < 20; round++) {
		pid_t child = fork();

		if (child == 0) {
			usleep(1000 * below(10));
			_exit(write(w, words, sizeof(words)) != sizeof(words));
		}
		both[0].revents = 0;
		GIVES(1, poll(both, 1, 5000));
		CHECK(both[0].revents & POLLIN);
		GIVES(sizeof(back), read(r, back, sizeof(back)));
		expect(back, 0, 64, __LINE__);
		CHECK(waitpid(child, &status, 0) == child && status == 0);
	}
	close(w), close(r);
}

static void nothing(int number)
{
	(void)number;
}

/* A signal handler that does not restart calls, every so many microseconds. */
static void interrupt_every(unsigned microseconds)
{
	struct sigaction action = { .sa_handler = nothing };
	struct itimerval timer = { { 0, microseconds }, { 0, microseconds } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Words of different signals: each read() stays within one. */
static void fifo_signals(void)
{
	int w = OPEN("w0", O_WRONLY), r = OPEN("r0", O_RDONLY);
	uint32_t words[300], back[300];
	uint64_t sent = 0, got = 0;

	route(CPU, 0, CPU, 0);
	fill(words, 0, 3);
	GIVES(0, ioctl(w, DATRA_IOCTUSERSIGNAL, 1));
	GIVES(4, write(w, words, 4));
	GIVES(0, ioctl(w, DATRA_IOCTUSERSIGNAL, 2));
	GIVES(8, write(w, words + 1, 8));
	GIVES(0, read(r, back, 16));
	GIVES(1, ioctl(r, DATRA_IOCQUSERSIGNAL));
	GIVES(4, read(r, back, 16));
	GIVES(2, ioctl(r, DATRA_IOCQUSERSIGNAL));
	GIVES(8, read(r, back + 1, 8));
	expect(back, 0, 3, __LINE__);
	/* A reader of much is woken by a change, however few words wait. */
	for (unsigned round = 0; round < 60; round++) {
		unsigned signal = 3 + round, count = 1 + below(250), more = 1 + below(5);
		pid_t child = fork();
		int status;

		if (child == 0) {
			fill(words, sent, count + more);
			ioctl(w, DATRA_IOCTUSERSIGNAL, 2 * signal);
			if (write(w, words, 4 * count) != 4 * count)
				_exit(1);
			if (round % 2)
				usleep(2000);
			ioctl(w, DATRA_IOCTUSERSIGNAL, 2 * signal + 1);
			_exit(write(w, words + count, 4 * more) != 4 * more);
		}
		sent += count + more;
		GIVES(0, read(r, back, sizeof(back)));
		GIVES(4 * count, read(r, back, sizeof(back)));
		expect(back, got, count, __LINE__);
		GIVES(2 * signal + 1, ioctl(r, DATRA_IOCQUSERSIGNAL));
		GIVES(4 * more, read(r, back, 4 * more));
		expect(back, got + count, more, __LINE__);
		got += count + more;
		CHECK(waitpid(child, &status, 0) == child && status == 0);
	}
	/* A reader that is interrupted gets all that has come. */
	for (unsigned count = 0; count < 5; count++) {
		if (count)
			GIVES(4 * count, write(w, words, 4 * count));
		interrupt_every(50000);
		if (count)
			GIVES(4 * count, read(r, back, sizeof(back)));
		else
			FAILS(EINTR, read(r, back, sizeof(back)));
		interrupt_every(0);
	}
	close(w), close(r);
}

/* Copies a stream from one file to another while signals interrupt both; counts the interruptions. */
static void through(int out, int in, uint64_t bytes, uint32_t most, unsigned interrupts)
{
	uint32_t *buffer = malloc(4 * (size_t)most + 4096);
	uint64_t done = 0, interrupted = 0;
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
		if (got < 0 && errno == EINTR) {
			interrupted++;
			continue;
		}
		CHECK(got > 0 && got % 4 == 0, "%zd %s", got, strerror(errno));
		expect(buffer, done / 4, got / 4, __LINE__);
		done += got;
	}
	interrupt_every(0);
	CHECK(waitpid(child, &status, 0) == child && status == 0, "%x", status);
	free(buffer);
}

static void fifo_stream(void)
{
	int w = OPEN("w0", O_WRONLY), r = OPEN("r3", O_RDONLY);
	double begun = seconds();

	route(CPU, 0, ADDER, 1);
	route(ADDER, 1, CPU, 3);
	through(w, r, amount ?: 100000, 3000, 0);
	printf("# %.2f MB/s\n", (amount ?: 100000) / (seconds() - begun) / 1e6);
	through(w, r, 40000, 1000, 3000);
	close(w), close(r);
}

/* ---- DMA ---------------------------------------------------------------------------------------- */

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
static void emptied(int out, int in)
{
	GIVES(0, ioctl(out, DATRA_IOCRESET_FIFO_WRITE));
	GIVES(0, ioctl(in, DATRA_IOCRESET_FIFO_READ));
}

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

struct side {
	int fd;
	unsigned count, size;
	struct datra_buffer_block block[8];
	uint32_t *data[8];
};

static void configure(struct side *side, int fd, unsigned mode, unsigned size, unsigned count)
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

static void release(struct side *side)
{
	for (unsigned i = 0; i < side->count; i++)
		munmap(side->data[i], side->size);
	GIVES(0, ioctl(side->fd, DATRA_IOCDMABLOCK_FREE));
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

static void works(int out, int in)
{
	emptied(out, in);
	GIVES(0, ioctl(in, DATRA_IOCTTRESHOLD, 65536));
	through(out, in, 131072, 5000, 0);
}

/* What a frame costs when many are on their way: one direction, eight blocks, signals that share. */
static void dma_cost(void)
{
	int out = OPEN("d0", O_WRONLY);
	static uint32_t words[8192];
	unsigned long frames = amount ?: 6400;
	long reads, writes, interrupts;

	route(DMA, 0, SINK, 0);
	GIVES(0, ioctl(out, DATRA_IOCRESET_FIFO_WRITE));
	GIVES(0, ioctl(out, DATRA_IOCTTRESHOLD, 512));
	reads = statistic("ctl", "register_reads");
	writes = statistic("ctl", "register_writes");
	interrupts = statistic("ctl", "card_interrupts");
	for (unsigned long i = 0; i < frames / 64; i++)
		GIVES(sizeof(words), write(out, words, sizeof(words)));
	printf("# frames %lu reads %ld writes %ld interrupts %ld\n", frames / 64 * 64,
	       statistic("ctl", "register_reads") - reads,
	       statistic("ctl", "register_writes") - writes,
	       statistic("ctl", "card_interrupts") - interrupts);
	close(out);
}

/* ---- what the original has not ------------------------------------------------------------------ */

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "%s: %s", path,
	      strerror(errno));
	close(fd);
}

/* Each kind of file, by the name that is told of it. */
static const struct {
	const char *name, *path;
	int flags;
} files[] = {
	{ "ctl", "ctl", O_RDWR },   { "cfg0", "cfg0", O_RDWR }, { "cfg1", "cfg1", O_RDWR },
	{ "cfg2", "cfg2", O_RDWR }, { "cfg3", "cfg3", O_RDWR }, { "w2", "w2", O_WRONLY },
	{ "r2", "r2", O_RDONLY },   { "d0", "d0", O_RDWR },	{ "from-d0", "d0", O_RDONLY },
};
enum { CTL, CFG0, CFG1, CFG2, CFG3, W, R, TO, FROM, FILES };

static int opened_as(int line, unsigned kind, int more)
{
	return opened(line, files[kind].path, files[kind].flags | more);
}

static const unsigned long ours[] = {
	DATRA_IOCSTIMEOUT, DATRA_IOCGTIMEOUT, DATRA_IOCFLUSH, DATRA_IOCSTANDALONE,
	DATRA_IOCSTANDALONE_START, DATRA_IOCSTANDALONE_STATE, DATRA_IOCDMABUF_EXPORT,
	DATRA_IOCDMABUF_IMPORT,
};
enum { OURS = sizeof(ours) / sizeof(*ours) };

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
		/* What has not come to the node yet comes with the next. */
		for (size_t got = 0; got < count;) {
			ssize_t now;

			GIVES(0, ioctl(in, DATRA_IOCFLUSH, &number));
			CHECK(readable(in, 5000), "%zu of %zu", got, count);
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

/* A dma-buf that is not ours. */
static int heap_alloc(size_t bytes)
{
	struct dma_heap_allocation_data request = { .len = bytes, .fd_flags = O_RDWR | O_CLOEXEC };
	int heap = open("/dev/dma_heap/system", O_RDONLY);

	CHECK(heap >= 0, "the guest's kernel has no heap of dma-bufs");
	GIVES(0, ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &request));
	close(heap);
	return request.fd;
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

/* Who waits looks himself: no interrupt comes. */
static void busy(void)
{
	int out = OPEN("d0", O_WRONLY), in = OPEN("d0", O_RDONLY), w = OPEN("w0", O_WRONLY);
	int r = OPEN("r0", O_RDONLY);
	uint32_t words[1024], back[1024];
	long interrupts;

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
	put("/sys/module/datra/parameters/busy_poll_us", "0");
	CHECK(statistic("d0", "reads") >= 0 && statistic("w0", "writes") >= 5000);
	close(out), close(in), close(w), close(r);
}

/* ---- what programs do not do on purpose --------------------------------------------------------- */

enum { FIFO_IN, RING_OUT, RING_IN, COHERENT, STANDALONE, STREAMING, FIFO_OUT };

/* What a process does until it is killed; each round another mode. */
static void __attribute__((noreturn)) do_for_ever(unsigned mode)
{
	static uint32_t words[65536];
	int out, in;

	if (mode == FIFO_IN) {
		in = OPEN("r0", O_RDONLY);
		while (read(in, words, sizeof(words)) > 0)
			;
		_exit(1);
	}
	if (mode == FIFO_OUT) {
		out = OPEN("w0", O_WRONLY);
		while (write(out, words, sizeof(words)) > 0)
			;
		_exit(1);
	}
	out = OPEN("d0", O_RDWR), in = OPEN("d0", O_RDONLY);
	route(DMA, 0, DMA, 0);
	if (mode == RING_OUT)
		while (write(out, words, sizeof(words)) > 0)
			;
	if (mode == RING_IN)
		while (write(out, words, 4096) > 0 && read(in, words, 8192) > 0)
			;
	if (mode == STANDALONE) {
		struct datra_standalone_req request = { 65536, 0 };
		struct datra_standalone_item item = { 0, 65536, 0, 0 };
		struct datra_standalone_list list = { (uintptr_t)&item, 1, DATRA_STANDALONE_CYCLIC };

		GIVES(0, ioctl(out, DATRA_IOCSTANDALONE, &request));
		GIVES(0, ioctl(out, DATRA_IOCSTANDALONE_START, &list));
		while (read(in, words, sizeof(words)) > 0)
			;
	}
	if (mode == COHERENT || mode == STREAMING) {
		struct side to, from;

		configure(&to, out, mode == COHERENT ? 2 : 3, 65536, 4);
		configure(&from, in, mode == COHERENT ? 2 : 3, 65536, 4);
		for (unsigned i = 0;; i++) {
			to.block[i % 4].bytes_used = 65536;
			from.block[i % 4].bytes_used = 65536;
			ioctl(in, DATRA_IOCDMABLOCK_ENQUEUE, &from.block[i % 4]);
			ioctl(out, DATRA_IOCDMABLOCK_ENQUEUE, &to.block[i % 4]);
			if (i >= 2) {
				ioctl(in, DATRA_IOCDMABLOCK_DEQUEUE, &from.block[(i - 2) % 4]);
				ioctl(out, DATRA_IOCDMABLOCK_DEQUEUE, &to.block[(i - 2) % 4]);
			}
		}
	}
	_exit(1);
}

/* Processes that die in the middle of everything; afterwards all works as before. */
static void killed(void)
{
	for (unsigned round = 0; round < (amount ?: 12); round++) {
		unsigned modes[2] = { round % 6, FIFO_OUT }, count = round % 6 == FIFO_IN ? 2 : 1;
		int status, out, in;
		pid_t child[2];

		if (count == 2)
			route(CPU, 0, CPU, 0);
		for (unsigned i = 0; i < count; i++) {
			child[i] = fork();
			if (child[i] == 0)
				do_for_ever(modes[i]);
		}
		usleep(1000 + below(60000));
		for (unsigned i = 0; i < count; i++)
			kill(child[i], SIGKILL);
		for (unsigned i = 0; i < count; i++)
			CHECK(waitpid(child[i], &status, 0) == child[i] && WIFSIGNALED(status), "%x",
			      status);
		if (count == 2) {
			uint32_t words[100], back[100];

			out = OPEN("w0", O_WRONLY), in = OPEN("r0", O_RDONLY);
			emptied(out, in);
			fill(words, round, 100);
			GIVES(400, write(out, words, 400));
			GIVES(400, read(in, back, 400));
			expect(back, round, 100, __LINE__);
			close(out), close(in);
		}
		out = OPEN("d0", O_WRONLY), in = OPEN("d0", O_RDONLY);
		route(DMA, 0, DMA, 0);
		works(out, in);
		close(out), close(in);
	}
}

/* Tells the bench to break something, or to mend it; see uml_device.cpp. */
static void bench(const char *command)
{
	printf("@ %s\n", command);
	fflush(stdout);
	usleep(200000);
}

/* Hardware that fails: the caller hears of it in time, and after a reset all works again. */
static void faults(void)
{
	int out = OPEN("d0", O_RDWR), in = OPEN("d0", O_RDONLY), w, r;
	static uint32_t words[65536];
	uint32_t back[64] = { 0 };
	struct side to;
	double begun;
	long result;

	route(DMA, 0, DMA, 0);
	works(out, in);

	/* Errors on the bus. */
	bench("slverr 1000000");
	begun = seconds();
	do
		result = write(out, words, sizeof(words));
	while (result > 0 && seconds() - begun < 4);
	CHECK(result == -1 && errno == EIO && seconds() - begun < 2.5, "%ld", result);
	bench("slverr 0");
	works(out, in);
	configure(&to, out, 2, 65536, 1);
	to.block[0].bytes_used = 65536;
	bench("slverr 3");
	result = ioctl(out, DATRA_IOCDMABLOCK_ENQUEUE, &to.block[0]);
	if (result == 0)
		result = ioctl(out, DATRA_IOCDMABLOCK_DEQUEUE, &to.block[0]);
	CHECK(result == -1 && (errno == EREMOTEIO || errno == EIO), "%ld %s", result,
	      strerror(errno));
	bench("slverr 0");
	release(&to);
	works(out, in);

	/* From logic only, with the descriptors already there: read() and DEQUEUE tell once. */
	w = OPEN("w0", O_WRONLY);
	route(CPU, 0, DMA, 0);
	fcntl(in, F_SETFL, O_NONBLOCK);
	for (unsigned blocks = 0; blocks < 2; blocks++) {
		struct datra_buffer_block block = { .id = 0, .bytes_used = 4096 };
		uint32_t flags = 0;

		GIVES(0, ioctl(in, DATRA_IOCRESET_FIFO_READ));
		if (blocks) {
			configure(&to, in, 3, 4096, 1);
			GIVES(0, ioctl(in, DATRA_IOCDMABLOCK_ENQUEUE, &block));
		} else {
			FAILS(EAGAIN, read(in, back, sizeof(back)));
		}
		bench("slverr 1");
		GIVES(sizeof(back), write(w, words, sizeof(back)));
		usleep(100000);
		GIVES(0, ioctl(in, DATRA_IOCFLUSH, &flags));
		CHECK(readable(in, 2500));
		if (blocks) {
			FAILS(EREMOTEIO, ioctl(in, DATRA_IOCDMABLOCK_DEQUEUE, &block));
			CHECK(block.state == 0 && block.bytes_used == sizeof(back));
			release(&to);
		} else {
			FAILS(EIO, read(in, back, sizeof(back)));
			FAILS(EAGAIN, read(in, back, sizeof(back)));
		}
	}
	/* A call that waits ends before the frame that has failed; the next one says so. */
	GIVES(0, ioctl(in, DATRA_IOCTTRESHOLD, 4096));
	FAILS(EAGAIN, read(in, words, 8192));
	GIVES(4096, write(w, words, 4096));
	bench("slverr 1");
	GIVES(4096, write(w, words, 4096));
	fcntl(in, F_SETFL, 0);
	GIVES(4096, read(in, words, 8192));
	FAILS(EIO, read(in, words, 8192));
	bench("slverr 0");
	close(w);
	route(DMA, 0, DMA, 0);
	works(out, in);

	/* A bus that does not move: a reset cannot finish, and says so; later it can. */
	bench("freeze");
	fcntl(out, F_SETFL, O_NONBLOCK);
	while (write(out, words, sizeof(words)) > 0)
		;
	begun = seconds();
	FAILS(ETIMEDOUT, ioctl(out, DATRA_IOCRESET_FIFO_WRITE));
	CHECK(seconds() - begun < 2);
	FAILS(EIO, write(out, words, 4));
	bench("thaw");
	fcntl(out, F_SETFL, 0);
	works(out, in);

	/* Interrupts that are lost, or late. */
	w = OPEN("w0", O_WRONLY);
	r = OPEN("r0", O_RDONLY);
	route(CPU, 0, CPU, 0);
	emptied(w, r);
	GIVES(4, write(w, words, 4));
	while (read(r, back, 4) == 0)
		;	/* another signal */
	for (unsigned late = 0; late < 2; late++) {
		pid_t child;
		int status;

		bench(late ? "hold" : "lose 1000");
		begun = seconds();
		child = fork();
		if (child == 0) {
			usleep(100000);
			_exit(write(w, words, sizeof(back)) != sizeof(back));
		}
		GIVES(sizeof(back), read(r, back, sizeof(back)));
		CHECK(seconds() - begun < 2.5, "%f", seconds() - begun);
		CHECK(waitpid(child, &status, 0) == child && status == 0);
		bench(late ? "release" : "lose 0");
		works(out, in);

		/* The same of a ring, and of blocks. */
		for (unsigned blocks = 0; blocks < 2; blocks++) {
			struct datra_buffer_block block = { .id = 0, .bytes_used = 4096 };

			GIVES(0, ioctl(in, DATRA_IOCRESET_FIFO_READ));
			if (blocks) {
				configure(&to, in, 2, 4096, 1);
				GIVES(0, ioctl(in, DATRA_IOCDMABLOCK_ENQUEUE, &block));
			} else {
				GIVES(0, ioctl(in, DATRA_IOCTTRESHOLD, 4096));
			}
			bench(late ? "hold" : "lose 1000");
			begun = seconds();
			child = fork();
			if (child == 0) {
				usleep(100000);
				_exit(write(out, words, 4096) != 4096);
			}
			if (blocks)
				GIVES(0, ioctl(in, DATRA_IOCDMABLOCK_DEQUEUE, &block));
			else
				GIVES(4096, read(in, words + 2048, 4096));
			CHECK(seconds() - begun < 2.5, "%f", seconds() - begun);
			CHECK(waitpid(child, &status, 0) == child && status == 0);
			bench(late ? "release" : "lose 0");
			if (blocks)
				release(&to);
			works(out, in);
		}
	}
	close(w), close(r), close(out), close(in);
}

/* With stall_ms who waits for what does not move is told, within twice that. */
static void stalls(void)
{
	int out = OPEN("d0", O_RDWR), in = OPEN("d0", O_RDONLY);
	int w = OPEN("w0", O_WRONLY), r = OPEN("r0", O_RDONLY);
	static uint32_t words[65536];
	struct side to;
	double begun;
	long result;

	route(DMA, 0, DMA, 0);
	works(out, in);
	put("/sys/module/datra/parameters/stall_ms", "500");
	begun = seconds();
	FAILS(ETIMEDOUT, read(r, words, 64));
	CHECK(seconds() - begun > .4 && seconds() - begun < 1, "%f", seconds() - begun);
	begun = seconds();
	FAILS(ETIMEDOUT, read(in, words, 64));
	CHECK(seconds() - begun > .4 && seconds() - begun < 1, "%f", seconds() - begun);
	/* From a FIFO that nobody empties: what has been written, then nothing. */
	do
		begun = seconds(), result = write(w, words, 4096);
	while (result > 0);
	CHECK(errno == ETIMEDOUT && seconds() - begun < 1, "%f", seconds() - begun);
	bench("freeze");
	do
		begun = seconds(), result = write(out, words, sizeof(words));
	while (result > 0);
	CHECK(errno == ETIMEDOUT && seconds() - begun < 1, "%f", seconds() - begun);
	bench("thaw");
	works(out, in);
	configure(&to, out, 2, 4096, 1);
	to.block[0].bytes_used = 4096;
	bench("freeze");
	GIVES(0, ioctl(out, DATRA_IOCDMABLOCK_ENQUEUE, &to.block[0]));
	begun = seconds();
	FAILS(ETIMEDOUT, ioctl(out, DATRA_IOCDMABLOCK_DEQUEUE, &to.block[0]));
	CHECK(seconds() - begun > .4 && seconds() - begun < 1, "%f", seconds() - begun);
	bench("thaw");
	GIVES(0, ioctl(out, DATRA_IOCDMABLOCK_DEQUEUE, &to.block[0]));
	release(&to);
	put("/sys/module/datra/parameters/stall_ms", "0");
	works(out, in);
	close(w), close(r), close(out), close(in);
}

/* How the logic's accesses to memory are marked: AMOUNT. */
static void attributes(void)
{
	int ctl = OPEN("ctl", O_RDONLY);
	uint32_t marks[2];

	GIVES(4, pread(ctl, &marks[0], 4, 0x1230));
	GIVES(4, pread(ctl, &marks[1], 4, 0x12B0));
	CHECK(marks[0] == amount && marks[1] == amount, "%x %x", marks[0], marks[1]);
	close(ctl);
}

/* The device vanishes: nobody hangs, who waits is told, and the driver lets go of it. */
static void gone(void)
{
	int out = OPEN("d0", O_WRONLY), in = OPEN("d0", O_RDONLY), r = OPEN("r1", O_RDONLY);
	int w = OPEN("w1", O_WRONLY), ctl = OPEN("ctl", O_RDWR), status;
	struct datra_buffer_block block = { .id = 0, .bytes_used = 4096 };
	struct pollfd poller = { in, POLLIN, 0 };
	static uint32_t words[65536];
	double begun = seconds();
	struct side from;
	pid_t waits;

	configure(&from, in, 3, 4096, 1);
	GIVES(0, ioctl(in, DATRA_IOCDMABLOCK_ENQUEUE, &block));
	waits = fork();
	if (waits == 0)
		_exit(ioctl(in, DATRA_IOCDMABLOCK_DEQUEUE, &block) != -1 || errno != ENODEV);
	usleep(50000);
	printf("@ die\n");
	fflush(stdout);
	/*
	 * What is written does not read back, mostly in the call that notices it; else the driver has
	 * been told between two calls that the card has gone.
	 */
	while (ioctl(w, DATRA_IOCTUSERSIGNAL, 1) == 0)
		;
	printf("error %s 13 %s\n", files[W].name, strerrorname_np(errno));
	usleep(200000);
	GIVES(-1, read(r, words, 4));
	CHECK(errno == ENODEV, "%s", strerror(errno));
	FAILS(ENODEV, write(w, words, 4));
	CHECK(waitpid(waits, &status, 0) == waits && status == 0, "%x", status);
	FAILS(ENODEV, ioctl(in, DATRA_IOCDMABLOCK_DEQUEUE, &block));
	CHECK(poll(&poller, 1, 0) >= 0);
	ioctl(in, DATRA_IOCDMABLOCK_FREE);
	while (write(out, words, sizeof(words)) > 0)
		;
	CHECK(errno == ENODEV || errno == EIO, "%s", strerror(errno));
	CHECK(seconds() - begun < 6, "%f", seconds() - begun);
	/* The bus notices, too: the driver is told to let go, with all the files open. */
	while (access("/dev/datractl", F_OK) == 0 && seconds() - begun < 9)
		usleep(1000);
	FAILS(ENOENT, open("/dev/datractl", O_RDWR));
	FAILS(ENODEV, ioctl(ctl, DATRA_IOCROUTE_CLEAR));
	close(out), close(in), close(r), close(w), close(ctl);
	munmap(from.data[0], from.size);
	while (syscall(SYS_delete_module, "datra", O_NONBLOCK))
		CHECK(errno == EAGAIN && seconds() - begun < 15, "%s", strerror(errno));
}

/* The driver lets go of the card while all its files are busy, and takes it again. */
static void unbound(void)
{
	for (unsigned round = 0; round < (amount ?: 5); round++) {
		pid_t child[4];
		static uint32_t words[65536];
		struct side from, old;
		int status, in, ends[2];

		route(DMA, 0, CPU, 1);
		in = OPEN("d0", O_RDONLY);
		/* Blocks that only a mapping still has: they go with the card, too. */
		configure(&old, in, 2 + round % 2, 8192, 2);
		configure(&from, in, 2 + round % 2, 65536, 2);
		for (unsigned i = 0; i < 4; i++) {
			child[i] = fork();
			if (child[i])
				continue;
			int fd = i == 0 ? OPEN("d0", O_WRONLY) : i == 1 ? in :
				 i == 2 ? OPEN("r0", O_RDONLY) : OPEN("w0", O_WRONLY);
			struct datra_buffer_block block = { .bytes_used = 65536 };
			long result = ioctl(in, DATRA_IOCDMABLOCK_ENQUEUE, &block);

			do
				result = i == 1 ? ioctl(fd, DATRA_IOCDMABLOCK_DEQUEUE, &block) :
					 i == 2 ? read(fd, words, 4096) :
						  write(fd, words, sizeof(words));
			while (result > 0 || (result == 0 && i == 2));	/* another signal */
			_exit(errno != ENODEV);
		}
		usleep(20000 + below(40000));
		put("/sys/bus/pci/drivers/datra/unbind", "0000:00:00.0");
		CHECK(access("/dev/datractl", F_OK) != 0);
		for (unsigned i = 0; i < 4; i++)
			CHECK(waitpid(child[i], &status, 0) == child[i] && status == 0, "%u: %x", i,
			      status);
		FAILS(ENODEV, ioctl(in, DATRA_IOCQTRESHOLD));
		/* What was mapped is gone. */
		GIVES(0, pipe(ends));
		FAILS(EFAULT, write(ends[1], from.data[0], 4));
		FAILS(EFAULT, write(ends[1], old.data[1], 4));
		close(ends[0]), close(ends[1]);
		for (unsigned i = 0; i < from.count; i++)
			munmap(from.data[i], from.size), munmap(old.data[i], old.size);
		close(in);
		put("/sys/bus/pci/drivers/datra/bind", "0000:00:00.0");
		int out = OPEN("d0", O_WRONLY);

		in = OPEN("d0", O_RDONLY);
		route(DMA, 0, DMA, 0);
		works(out, in);
		close(out), close(in);
	}
}

/* The module is removed while everyone opens, uses and closes its files, and put back. */
static void unloaded(void)
{
	pid_t child[4];
	int status, fd;

	for (unsigned round = 0; round < (amount ?: 5); round++) {
		double begun = seconds();

		for (unsigned i = 0; i < 4; i++) {
			static const char *const path[] = { "/dev/datrad0", "/dev/datrad0",
							    "/dev/datraw0", "/dev/datractl" };

			child[i] = fork();
			if (child[i])
				continue;
			while (access("/dev/datractl", F_OK) == 0) {
				uint32_t words[256] = { 0 };

				fd = open(path[i], (i == 1 || i == 3 ? O_RDONLY : O_WRONLY) | O_NONBLOCK);
				if (fd < 0)
					continue;
				if (i == 1 || i == 3)
					status = read(fd, words, sizeof(words));
				else
					status = write(fd, words, sizeof(words));
				usleep(below(3000));
				close(fd);
				usleep(below(3000));
			}
			_exit(0);
		}
		fd = OPEN("cfg3", O_RDONLY);
		usleep(20000);
		FAILS(EAGAIN, syscall(SYS_delete_module, "datra", O_NONBLOCK));
		close(fd);
		while (syscall(SYS_delete_module, "datra", O_NONBLOCK))
			CHECK(errno == EAGAIN && seconds() - begun < 20, "%s", strerror(errno));
		for (unsigned i = 0; i < 4; i++)
			CHECK(waitpid(child[i], &status, 0) == child[i] && status == 0, "%x", status);
		fd = open("/datra.ko", O_RDONLY);
		GIVES(0, syscall(SYS_finit_module, fd, "", 0));
		close(fd);
		int out = OPEN("d0", O_WRONLY), in = OPEN("d0", O_RDONLY);

		route(DMA, 0, DMA, 0);
		works(out, in);
		close(out), close(in);
	}
}

/* Two cards: each has its own names, memory and interrupts, and one goes on when the other goes. */
static void cards(void)
{
	int out[2], in[2], ctl[2], fd;
	pid_t child[2];
	int status;

	ctl[0] = OPEN("ctl", O_RDWR), ctl[1] = OPEN("1.ctl", O_RDWR);
	CHECK(access("/dev/dyplo1.cfg3", F_OK) == 0 && access("/dev/dyplor3", F_OK) == 0);
	FAILS(ENOENT, open("/dev/datra2.ctl", O_RDWR));
	for (unsigned card = 0; card < 2; card++) {
		GIVES(0, ioctl(ctl[card], DATRA_IOCROUTE_CLEAR));
		out[card] = OPEN(card ? "1.d0" : "d0", O_WRONLY);
		in[card] = OPEN(card ? "1.d0" : "d0", O_RDONLY);
	}
	GIVES(0, ioctl(ctl[1], DATRA_IOCTROUTE, DMA << 24 | DMA << 8));
	struct datra_route_item_t item;
	struct datra_route_t got = { 1, &item };

	GIVES(0, ioctl(ctl[0], DATRA_IOCGROUTE, &got));
	GIVES(1, ioctl(ctl[1], DATRA_IOCGROUTE, &got));
	GIVES(0, ioctl(ctl[0], DATRA_IOCTROUTE, DMA << 24 | DMA << 8));
	for (unsigned card = 0; card < 2; card++) {
		child[card] = fork();
		if (child[card] == 0) {
			seed += card;
			for (unsigned i = 0; i < 4; i++)
				works(out[card], in[card]);
			_exit(0);
		}
	}
	for (unsigned card = 0; card < 2; card++)
		CHECK(waitpid(child[card], &status, 0) == child[card] && status == 0, "%x", status);
	CHECK(statistic("d0", "bytes") > 200000 && statistic("1.d0", "bytes") > 200000);

	/* The second goes while both work; the first does not notice. */
	child[0] = fork();
	if (child[0] == 0) {
		for (unsigned i = 0; i < 4; i++)
			works(out[0], in[0]);
		_exit(0);
	}
	usleep(20000);
	put("/sys/bus/pci/drivers/datra/unbind", "0000:00:01.0");
	FAILS(ENODEV, ioctl(ctl[1], DATRA_IOCROUTE_CLEAR));
	FAILS(ENOENT, open("/dev/datra1.ctl", O_RDWR));
	CHECK(waitpid(child[0], &status, 0) == child[0] && status == 0, "%x", status);
	close(out[1]), close(in[1]), close(ctl[1]);
	put("/sys/bus/pci/drivers/datra/bind", "0000:00:01.0");
	/* The first goes: the plain names go with it, and come back. */
	put("/sys/bus/pci/drivers/datra/unbind", "0000:00:00.0");
	FAILS(ENOENT, open("/dev/datractl", O_RDWR));
	fd = OPEN("1.ctl", O_RDWR);
	close(out[0]), close(in[0]), close(ctl[0]);
	put("/sys/bus/pci/drivers/datra/bind", "0000:00:00.0");
	out[0] = OPEN("1.d0", O_WRONLY), in[0] = OPEN("1.d0", O_RDONLY);
	GIVES(0, ioctl(fd, DATRA_IOCTROUTE, DMA << 24 | DMA << 8));
	works(out[0], in[0]);
	close(fd), close(out[0]), close(in[0]);
	close(OPEN("ctl", O_RDWR));
}

/* ---- each error of each call -------------------------------------------------------------------- */

/* What a call that is refused must leave alone. */
struct look {
	struct datra_route_item_t routes[64];
	struct datra_buffer_block block[8];
	struct datra_standalone_state state;
	unsigned long long key;
	long value[16];
};

static void look(unsigned kind, int fd, struct look *seen)
{
	memset(seen, 0, sizeof(*seen));
	if (kind < W) {
		int ctl = OPEN("ctl", O_RDONLY);
		struct datra_route_t routes = { 64, seen->routes };

		seen->value[0] = ioctl(ctl, DATRA_IOCGROUTE, &routes);
		seen->value[1] = ioctl(ctl, DATRA_IOCQBACKPLANE_STATUS);
		GIVES(0, ioctl(ctl, DATRA_IOCGLICENSE_KEY, &seen->key));
		close(ctl);
		return;
	}
	seen->value[0] = ioctl(fd, DATRA_IOCQTRESHOLD);
	seen->value[1] = ioctl(fd, DATRA_IOCQUSERSIGNAL);
	if (kind < TO)
		return;
	for (unsigned i = 0; i < 8; i++) {
		seen->block[i].id = i;
		seen->value[2 + i] = ioctl(fd, DATRA_IOCDMABLOCK_QUERY, &seen->block[i]);
	}
	seen->value[10] = ioctl(fd, DATRA_IOCSTANDALONE_STATE, &seen->state);
	if (kind == FROM)
		seen->value[11] = ioctl(fd, DATRA_IOCGTIMEOUT, &seen->value[12]);
}

/* A call that is refused, and leaves all as it was; tells of it. */
static void refused(int line, unsigned kind, int fd, unsigned long cmd, unsigned long argument,
		    int error)
{
	struct look before, after;
	long result;

	if (error != ENODEV)
		look(kind, fd, &before);
	errno = 0;
	result = ioctl(fd, cmd, argument);
	if (result != -1 || errno != error)
		fail(line, "%s %08lx gives %ld (%s), not %s", files[kind].name, cmd, result,
		     strerror(errno), strerrorname_np(error));
	printf("error %s %02lx %s\n", files[kind].name, _IOC_NR(cmd), strerrorname_np(error));
	fflush(stdout);
	if (error == ENODEV)
		return;
	look(kind, fd, &after);
	if (memcmp(&before, &after, sizeof(before)))
		fail(line, "%s %08lx is refused and changes something", files[kind].name, cmd);
}
#define REFUSED(error, kind, fd, cmd, argument) \
	refused(__LINE__, kind, fd, cmd, (unsigned long)(argument), error)
/* The same of what is no ioctl. */
#define DENIED(error, kind, what, call)                                                      \
	do {                                                                                 \
		FAILS(error, call);                                                          \
		printf("error %s %s %s\n", files[kind].name, what, strerrorname_np(error));  \
		fflush(stdout);                                                              \
	} while (0)
#define NOWHERE ((void *)16)
/* Of a call that waits: a signal ends it, and with stall_ms the time. */
#define WAITS(check, ...)                      \
	do {                                   \
		interrupt_every(20000);        \
		check(EINTR, __VA_ARGS__);     \
		interrupt_every(0);            \
		patience("50");                \
		check(ETIMEDOUT, __VA_ARGS__); \
		patience("0");                 \
	} while (0)

static void nonblocking(int fd, bool on)
{
	GIVES(0, fcntl(fd, F_SETFL, on ? O_NONBLOCK : 0));
}

static void patience(const char *milliseconds)
{
	put("/sys/module/datra/parameters/stall_ms", milliseconds);
}

static void register_errors(void)
{
	int fd[CFG3 + 1], ctl;
	struct datra_route_item_t item = { 0, ADDER, 0, 99 };
	struct datra_route_t routes = { 1, &item }, nowhere = { 1, NOWHERE };
	uint32_t words[4] = { 0 };
	int status;
	pid_t child;

	for (unsigned i = 0; i <= CFG3; i++)
		fd[i] = opened_as(__LINE__, i, 0);
	ctl = fd[CTL];
	route(CPU, 0, ADDER, 0);
	REFUSED(EFAULT, CTL, ctl, DATRA_IOCSROUTE, NOWHERE);
	REFUSED(EFAULT, CTL, ctl, DATRA_IOCSROUTE, &nowhere);
	REFUSED(EINVAL, CTL, ctl, DATRA_IOCSROUTE, &routes);
	REFUSED(EFAULT, CTL, ctl, DATRA_IOCGROUTE, NOWHERE);
	REFUSED(EFAULT, CTL, ctl, DATRA_IOCGROUTE, &nowhere);
	REFUSED(EINVAL, CTL, ctl, DATRA_IOCTROUTE, NODES << 24 | ADDER << 8);
	REFUSED(EINVAL, CTL, ctl, DATRA_IOCTROUTE, NODES << 8);
	REFUSED(EINVAL, CTL, ctl, DATRA_IOCTROUTE, 4 << 16 | ADDER << 8);
	REFUSED(EINVAL, CTL, ctl, DATRA_IOCTROUTE, ADDER << 8 | 4);
	REFUSED(EINVAL, CTL, ctl, DATRA_IOCTROUTE_DELETE, NODES);
	REFUSED(EINVAL, CTL, ctl, DATRA_IOCTROUTE_SINGLE_DELETE, NODES << 8);
	REFUSED(EINVAL, CTL, ctl, DATRA_IOCTROUTE_SINGLE_DELETE, ADDER << 8 | 4);
	REFUSED(EFAULT, CTL, ctl, DATRA_IOCSLICENSE_KEY, NOWHERE);
	REFUSED(EFAULT, CTL, ctl, DATRA_IOCGLICENSE_KEY, NOWHERE);
	REFUSED(EINVAL, CTL, ctl, _IOW('d', 0x30, int), words);
	REFUSED(EINVAL, CTL, ctl, _IOR('d', 0x30, char), words);
	REFUSED(EFAULT, CTL, ctl, DATRA_IOCGSTATIC_ID, NOWHERE);
	REFUSED(EINVAL, CTL, ctl, _IOR('d', 0x31, short), words);
	REFUSED(EFAULT, CTL, ctl, DATRA_IOCGDEVICE_ID, NOWHERE);
	REFUSED(EINVAL, CTL, ctl, _IOR('d', 0x33, int), words);
	REFUSED(EINVAL, CTL, ctl, _IOW('d', 0x33, unsigned long long), words);

	for (unsigned i = 0; i <= CFG3; i++) {
		char path[32];
		int reader;

		snprintf(path, sizeof(path), "/dev/datra%s", files[i].path);
		if (i != CTL) {
			DENIED(EBUSY, i, "open", open(path, O_RDONLY));
			DENIED(EBUSY, i, "open", open(path, O_WRONLY));
		}
		DENIED(EFAULT, i, "read", pread(fd[i], NOWHERE, 4, 0x38));
		DENIED(EFAULT, i, "write", pwrite(fd[i], NOWHERE, 4, 0x38));
		DENIED(EINVAL, i, "write", pwrite(fd[i], words, 3, 0x38));
		DENIED(EINVAL, i, "lseek", lseek(fd[i], -1, SEEK_SET));
		DENIED(EINVAL, i, "lseek", lseek(fd[i], 1, SEEK_END));
		DENIED(EINVAL, i, "lseek", lseek(fd[i], 65537, SEEK_SET));
		DENIED(EINVAL, i, "fsync", fsync(fd[i]));
		DENIED(EINVAL, i, "mmap",
		       (long)mmap(NULL, 69632, PROT_READ, MAP_SHARED, fd[i], 0));
		DENIED(EINVAL, i, "mmap",
		       (long)mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd[i], 65536));
		close(fd[i]);
		reader = OPEN(files[i].path, O_RDONLY);
		DENIED(EBADF, i, "write", write(reader, words, 4));
		DENIED(EACCES, i, "mmap",
		       (long)mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, reader, 0));
		close(reader);
		reader = OPEN(files[i].path, O_WRONLY);
		DENIED(EBADF, i, "read", read(reader, words, 4));
		close(reader);
	}
	/* Who has no right to raw I/O reaches no engine. */
	ctl = OPEN("ctl", O_RDWR);
	child = fork();
	if (child == 0) {
		GIVES(0, setuid(1000));
		DENIED(EPERM, CTL, "write", pwrite(ctl, words, 4, 0x800 * (DMA + 1) + 0x70));
		DENIED(EPERM, CTL, "write", pwrite(ctl, words, 4, 0x800 * (DMA + 1) + 0xC8));
		DENIED(EPERM, CTL, "mmap",
		       (long)mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, ctl, 0));
		GIVES(4, pwrite(ctl, words, 4, 0x38));
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0, "%x", status);
	close(ctl);
}

static void fifo_errors(void)
{
	int w = opened_as(__LINE__, W, 0), r = opened_as(__LINE__, R, 0);
	static uint32_t words[4096];

	route(CPU, 2, CPU, 2);
	emptied(w, r);
	REFUSED(EINVAL, R, r, DATRA_IOCTUSERSIGNAL, 1);
	DENIED(EBUSY, W, "open", open("/dev/datraw2", O_WRONLY));
	DENIED(EBUSY, R, "open", open("/dev/datrar2", O_RDONLY));
	DENIED(EINVAL, W, "open", open("/dev/datraw2", O_RDONLY));
	DENIED(EINVAL, W, "open", open("/dev/datraw2", O_RDWR));
	DENIED(EINVAL, R, "open", open("/dev/datrar2", O_WRONLY));
	DENIED(EINVAL, R, "open", open("/dev/datrar2", O_RDWR));
	DENIED(EINVAL, R, "read", read(r, words, 0));
	DENIED(EINVAL, R, "read", read(r, words, 3));
	DENIED(EINVAL, W, "write", write(w, words, 3));
	DENIED(EBADF, R, "write", write(r, words, 4));
	DENIED(EBADF, W, "read", read(w, words, 4));
	DENIED(EFAULT, W, "write", write(w, NOWHERE, 4));
	for (unsigned i = W; i <= R; i++) {
		DENIED(ESPIPE, i, "lseek", lseek(i == W ? w : r, 0, SEEK_SET));
		DENIED(EINVAL, i, "fsync", fsync(i == W ? w : r));
		/* A mapping is refused to who may not read, before a file is asked that has none. */
		DENIED(i == W ? EACCES : ENODEV, i, "mmap",
		       (long)mmap(NULL, 4096, PROT_READ, MAP_SHARED, i == W ? w : r, 0));
	}
	WAITS(DENIED, R, "read", read(r, words, 4));
	nonblocking(r, true);
	DENIED(EAGAIN, R, "read", read(r, words, 4));
	/* What is read to nowhere is not taken. */
	fill(words, 0, 2);
	GIVES(8, write(w, words, 8));
	CHECK(readable(r, 1000));
	DENIED(EFAULT, R, "read", read(r, NOWHERE, 8));
	GIVES(8, read(r, words, 8));
	expect(words, 0, 2, __LINE__);
	nonblocking(w, true);
	while (write(w, words, sizeof(words)) > 0)
		;
	DENIED(EAGAIN, W, "write", write(w, words, 4));
	nonblocking(w, false);
	WAITS(DENIED, W, "write", write(w, words, 4));
	emptied(w, r);
	close(w), close(r);
}

/* What goes through a stream when the bench lets it: to logic into the sink, from logic out of w0. */
static void flows(unsigned kind, int w, unsigned bytes)
{
	static uint32_t words[16384];

	if (kind == TO)
		route(DMA, 0, SINK, 0);
	else
		GIVES(bytes, write(w, words, bytes));
}

static void unrouted(int w)
{
	int ctl = OPEN("ctl", O_RDWR);

	GIVES(0, ioctl(w, DATRA_IOCRESET_FIFO_WRITE));
	GIVES(0, ioctl(ctl, DATRA_IOCROUTE_CLEAR));
	close(ctl);
	route(CPU, 0, DMA, 0);
}

static void ring_errors(unsigned kind, int fd, int w)
{
	unsigned long reset = kind == TO ? DATRA_IOCRESET_FIFO_WRITE : DATRA_IOCRESET_FIFO_READ;
	unsigned control = 0x800 * (DMA + 1) + (kind == TO ? 0x60 : 0xB0);
	struct datra_buffer_block_alloc_req alloc = { 0, 1 };
	struct datra_buffer_block block = { .bytes_used = 4096 };
	struct datra_dmabuf_export export = { 0, O_CLOEXEC, -1 };
	struct datra_dmabuf_import import = { 0, 0, { fd } };
	struct datra_standalone_req memory = { 0, 0 };
	struct datra_standalone_list list = { 0, 1, 0 };
	struct datra_standalone_state state;
	static const struct datra_dma_configuration_req wrong[] = {
		{ 0, 4096, 2 }, { 77, 4096, 2 }, { 2, 0, 2 }, { 3, 4096, 0 }, { 2, 0x20000000, 8 },
		{ 3, 0xFFFFFFFF, 8 },
	};
	struct datra_dma_configuration_req request;
	static uint32_t words[16384];
	uint32_t number = 1;
	int ctl = OPEN("ctl", O_RDWR);

	for (unsigned i = 0; i < OURS; i++)
		if (kind == TO && _IOC_NR(ours[i]) < 0x52)
			REFUSED(ENOTTY, kind, fd, ours[i], &number);
		else if (ours[i] != DATRA_IOCSTANDALONE_STATE)
			REFUSED(EFAULT, kind, fd, ours[i], NOWHERE);
	REFUSED(EFAULT, kind, fd, DATRA_IOCDMA_RECONFIGURE, NOWHERE);
	REFUSED(EFAULT, kind, fd, DATRA_IOCDMABLOCK_ALLOC, NOWHERE);
	REFUSED(EFAULT, kind, fd, DATRA_IOCDMABLOCK_QUERY, NOWHERE);
	REFUSED(EFAULT, kind, fd, DATRA_IOCDMABLOCK_ENQUEUE, NOWHERE);
	REFUSED(EFAULT, kind, fd, DATRA_IOCDMABLOCK_DEQUEUE, NOWHERE);
	REFUSED(EINVAL, kind, fd, DATRA_IOCDMABLOCK_QUERY, &block);
	REFUSED(EINVAL, kind, fd, DATRA_IOCDMABLOCK_ENQUEUE, &block);
	REFUSED(EINVAL, kind, fd, DATRA_IOCDMABLOCK_DEQUEUE, &block);
	REFUSED(EINVAL, kind, fd, DATRA_IOCSTANDALONE_START, &list);
	REFUSED(EINVAL, kind, fd, DATRA_IOCSTANDALONE_STATE, &state);
	REFUSED(EINVAL, kind, fd, DATRA_IOCDMABUF_EXPORT, &export);
	REFUSED(EINVAL, kind, fd, DATRA_IOCTTRESHOLD, 0);
	REFUSED(EINVAL, kind, fd, DATRA_IOCTTRESHOLD, 3000);
	REFUSED(EINVAL, kind, fd, DATRA_IOCTTRESHOLD, kind == TO ? 4 : 32);
	if (kind == FROM) {
		REFUSED(EACCES, kind, fd, DATRA_IOCTUSERSIGNAL, 1);
		REFUSED(EINVAL, kind, fd, DATRA_IOCFLUSH, &number);
		number = 1000000;
		REFUSED(ERANGE, kind, fd, DATRA_IOCSTIMEOUT, &number);
	}
	/* Each of these has reset the stream, in which nothing was. */
	for (unsigned i = 0; i < 6; i++) {
		request = wrong[i];
		REFUSED(i < 4 ? EINVAL : ENOMEM, kind, fd, DATRA_IOCDMA_RECONFIGURE, &request);
	}
	REFUSED(EINVAL, kind, fd, DATRA_IOCDMABLOCK_ALLOC, &alloc);
	alloc.size = 0x20000000;
	REFUSED(ENOMEM, kind, fd, DATRA_IOCDMABLOCK_ALLOC, &alloc);
	REFUSED(EINVAL, kind, fd, DATRA_IOCSTANDALONE, &memory);
	memory.size = 4096, memory.flags = 1;
	REFUSED(EINVAL, kind, fd, DATRA_IOCSTANDALONE, &memory);
	memory.size = 0xFFFFFFFF, memory.flags = 0;
	REFUSED(ENOMEM, kind, fd, DATRA_IOCSTANDALONE, &memory);
	for (import.count = 0; import.count < 10; import.count += 9)
		REFUSED(EINVAL, kind, fd, DATRA_IOCDMABUF_IMPORT, &import);
	import.count = 1;
	REFUSED(EINVAL, kind, fd, DATRA_IOCDMABUF_IMPORT, &import);
	import.fd[0] = -1;
	REFUSED(EBADF, kind, fd, DATRA_IOCDMABUF_IMPORT, &import);

	/* An engine that is off cannot be reset. */
	number = 0;
	GIVES(4, pwrite(ctl, &number, 4, control));
	REFUSED(EINVAL, kind, fd, DATRA_IOCRESET_FIFO_WRITE, 0);
	REFUSED(EINVAL, kind, fd, DATRA_IOCRESET_FIFO_READ, 0);
	number = 1;
	GIVES(4, pwrite(ctl, &number, 4, control));
	GIVES(0, ioctl(fd, reset));
	close(ctl);

	/* With frames in flight. */
	unrouted(w);
	nonblocking(fd, true);
	DENIED(EINVAL, kind, "mmap", (long)mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0));
	DENIED(ESPIPE, kind, "lseek", lseek(fd, 0, SEEK_SET));
	DENIED(EINVAL, kind, "fsync", fsync(fd));
	DENIED(EBUSY, kind, "open", open("/dev/datrad0", files[kind].flags));
	DENIED(EINVAL, kind, "open", open("/dev/datrad0", O_ACCMODE));
	GIVES(0, ioctl(fd, DATRA_IOCTTRESHOLD, 4096));
	if (kind == TO) {
		DENIED(EINVAL, kind, "read", read(fd, words, 3));
		DENIED(EINVAL, kind, "read", read(fd, words, 4096));
		DENIED(EINVAL, kind, "write", write(fd, words, 3));
		DENIED(EFAULT, kind, "write", write(fd, NOWHERE, 4));
		while (write(fd, words, sizeof(words)) > 0)
			;
		DENIED(EAGAIN, kind, "write", write(fd, words, 4));
	} else {
		DENIED(EINVAL, kind, "read", read(fd, words, 3));
		DENIED(EBADF, kind, "write", write(fd, words, 4));
		DENIED(EAGAIN, kind, "read", read(fd, words, 4));
	}
	REFUSED(EBUSY, kind, fd, DATRA_IOCTTRESHOLD, 8192);
	nonblocking(fd, false);
	if (kind == TO)
		WAITS(DENIED, kind, "write", write(fd, words, 4));
	else
		WAITS(DENIED, kind, "read", read(fd, words, 4));

	/* The bus refuses one burst of what is moved. */
	bench("slverr 1");
	flows(kind, w, 4096);
	CHECK(poll(&(struct pollfd){ fd, POLLIN | POLLOUT, 0 }, 1, 2000) == 1);
	if (kind == TO) {
		nonblocking(fd, true);
		/* Frames before it have to go, and write() finds room or none. */
		for (double begun = seconds(); seconds() - begun < 2; usleep(100))
			if (write(fd, words, 4096) < 0 && errno != EAGAIN)
				break;
		CHECK(errno == EIO, "%s", strerror(errno));
		printf("error %s write EIO\n", files[kind].name);
		nonblocking(fd, false);
	} else {
		nonblocking(fd, true);
		DENIED(EIO, kind, "read", read(fd, words, 4));
		DENIED(EAGAIN, kind, "read", read(fd, words, 4));
		flows(kind, w, 4096);
		CHECK(readable(fd, 2000));
		DENIED(EFAULT, kind, "read", read(fd, NOWHERE, 4));
		GIVES(4096, read(fd, words, 4096));
		nonblocking(fd, false);
	}
	bench("slverr 0");
	GIVES(0, ioctl(fd, reset));
	GIVES(0, ioctl(fd, DATRA_IOCTTRESHOLD, 65536));
}

static void block_errors(unsigned kind, int fd, int w)
{
	unsigned long reset = kind == TO ? DATRA_IOCRESET_FIFO_WRITE : DATRA_IOCRESET_FIFO_READ;
	unsigned bytes = kind == TO ? 65536 : 256;
	struct pollfd poller = { fd, kind == TO ? POLLOUT : POLLIN, 0 };
	struct datra_dmabuf_export export = { 2, O_CLOEXEC, -1 };
	struct datra_buffer_block block = { .id = 2, .bytes_used = 4 };
	uint32_t words[4];
	struct side side;

	unrouted(w);
	configure(&side, fd, 3, 65536, 2);
	REFUSED(EINVAL, kind, fd, DATRA_IOCDMABLOCK_QUERY, &block);
	REFUSED(EINVAL, kind, fd, DATRA_IOCDMABLOCK_ENQUEUE, &block);
	REFUSED(EINVAL, kind, fd, DATRA_IOCDMABLOCK_DEQUEUE, &block);
	REFUSED(EINVAL, kind, fd, DATRA_IOCDMABUF_EXPORT, &export);
	export.id = 0, export.flags = O_APPEND;
	REFUSED(EINVAL, kind, fd, DATRA_IOCDMABUF_EXPORT, &export);
	block.id = 0;
	REFUSED(EINVAL, kind, fd, DATRA_IOCDMABLOCK_DEQUEUE, &block);
	for (unsigned i = 0; i < 3; i++) {
		block.bytes_used = i == 0 ? 0 : i == 1 ? 65540 : 6;
		REFUSED(EINVAL, kind, fd, DATRA_IOCDMABLOCK_ENQUEUE, &block);
	}
	if (kind == TO)
		DENIED(EBUSY, kind, "write", write(fd, words, 4));
	else
		DENIED(EBUSY, kind, "read", read(fd, words, 4));
	DENIED(EINVAL, kind, "mmap", (long)mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 131072));
	if (kind == FROM)
		DENIED(EACCES, kind, "mmap", (long)mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, 0));

	for (unsigned i = 0; i < 2; i++) {
		side.block[i].bytes_used = bytes;
		GIVES(0, ioctl(fd, DATRA_IOCDMABLOCK_ENQUEUE, &side.block[i]));
	}
	block.bytes_used = bytes;
	REFUSED(EBUSY, kind, fd, DATRA_IOCDMABLOCK_ENQUEUE, &block);
	REFUSED(EBUSY, kind, fd, DATRA_IOCTTRESHOLD, 8192);
	WAITS(REFUSED, kind, fd, DATRA_IOCDMABLOCK_DEQUEUE, &block);
	nonblocking(fd, true);
	REFUSED(EAGAIN, kind, fd, DATRA_IOCDMABLOCK_DEQUEUE, &block);
	nonblocking(fd, false);
	flows(kind, w, bytes);
	GIVES(1, poll(&poller, 1, 2000));
	/* Nothing is consumed by who asks for another than the oldest. */
	block.id = 1;
	REFUSED(EIO, kind, fd, DATRA_IOCDMABLOCK_DEQUEUE, &block);
	GIVES(0, ioctl(fd, DATRA_IOCDMABLOCK_DEQUEUE, &side.block[0]));
	CHECK(side.block[0].bytes_used == bytes && side.block[0].state == 0);

	/* The bus refuses a burst of it, with the descriptor already there: the block comes back. */
	GIVES(0, ioctl(fd, reset));
	unrouted(w);
	side.block[0].bytes_used = bytes;
	GIVES(0, ioctl(fd, DATRA_IOCDMABLOCK_ENQUEUE, &side.block[0]));
	bench("slverr 1");
	flows(kind, w, bytes);
	errno = 0;
	DENIED(EREMOTEIO, kind, "24", ioctl(fd, DATRA_IOCDMABLOCK_DEQUEUE, &side.block[0]));
	CHECK(side.block[0].state == 0 && side.block[0].bytes_used == bytes);
	bench("slverr 0");
	release(&side);
}

static void standalone_errors(unsigned kind, int fd, int w)
{
	struct datra_standalone_item items[3] = { { 0, 4096, 0, 0 }, { 0, 4096, 0, 0 }, { 0, 4096, 0, 0 } };
	static const struct datra_standalone_item wrong[] = {
		{ 65536, 4, 0, 0 }, { 65532, 8, 0, 0 }, { 0xFFFFFFFC, 4, 0, 0 }, { 2, 4, 0, 0 },
		{ 0, 6, 0, 0 }, { 0, 0, 0, 0 }, { 0, 4, 0, 1 },
	};
	struct datra_standalone_list list = { (uintptr_t)items, 0, 0 };
	struct datra_dmabuf_export export = { 0, O_CLOEXEC, -1 };
	struct datra_buffer_block block = { .bytes_used = 4096 };
	struct datra_standalone_req memory = { 65536, 0 };

	unrouted(w);
	GIVES(0, ioctl(fd, DATRA_IOCSTANDALONE, &memory));
	REFUSED(EINVAL, kind, fd, DATRA_IOCSTANDALONE_START, &list);
	list.count = 65;
	REFUSED(EINVAL, kind, fd, DATRA_IOCSTANDALONE_START, &list);
	list.count = 3, list.flags = DATRA_STANDALONE_CYCLIC;
	REFUSED(EINVAL, kind, fd, DATRA_IOCSTANDALONE_START, &list);
	list.flags = 2;
	REFUSED(EINVAL, kind, fd, DATRA_IOCSTANDALONE_START, &list);
	list.flags = 0;
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		items[2] = wrong[i];
		REFUSED(EINVAL, kind, fd, DATRA_IOCSTANDALONE_START, &list);
	}
	list.items = 16;
	REFUSED(EFAULT, kind, fd, DATRA_IOCSTANDALONE_START, &list);
	REFUSED(EFAULT, kind, fd, DATRA_IOCSTANDALONE_STATE, NOWHERE);
	REFUSED(EINVAL, kind, fd, DATRA_IOCDMABLOCK_ENQUEUE, &block);
	REFUSED(EINVAL, kind, fd, DATRA_IOCDMABLOCK_DEQUEUE, &block);
	REFUSED(EINVAL, kind, fd, DATRA_IOCDMABUF_EXPORT, &export);
	list = (struct datra_standalone_list){ (uintptr_t)items, 2, DATRA_STANDALONE_CYCLIC };
	GIVES(0, ioctl(fd, DATRA_IOCSTANDALONE_START, &list));
	REFUSED(EBUSY, kind, fd, DATRA_IOCSTANDALONE_START, &list);
	GIVES(0, ioctl(fd, DATRA_IOCDMABLOCK_FREE));
}

/* With the bus frozen nothing that resets a stream can end. */
static void stuck_errors(int out, int in)
{
	int fd[2] = { out, in }, status;
	struct datra_dma_configuration_req request = { 2, 4096, 2 };
	struct datra_buffer_block_alloc_req alloc = { 4096, 2 };
	struct datra_standalone_req memory = { 4096, 0 };
	struct datra_dmabuf_import import = { 1, 0, { heap_alloc(4096) } };
	const struct { unsigned long cmd; void *argument; } resets[] = {
		{ DATRA_IOCRESET_FIFO_WRITE, NULL }, { DATRA_IOCRESET_FIFO_READ, NULL },
		{ DATRA_IOCDMA_RECONFIGURE, &request }, { DATRA_IOCDMABLOCK_ALLOC, &alloc },
		{ DATRA_IOCDMABLOCK_FREE, NULL }, { DATRA_IOCSTANDALONE, &memory },
		{ DATRA_IOCDMABUF_IMPORT, &import },
	};
	enum { RESETS = sizeof(resets) / sizeof(*resets) };
	struct side side[2];
	pid_t child[2];

	for (unsigned i = 0; i < 2; i++)
		configure(&side[i], fd[i], 3, 65536, 2);
	bench("freeze");
	for (unsigned i = 0; i < 2; i++) {
		side[i].block[0].bytes_used = side[i].block[1].bytes_used = 65536;
		GIVES(0, ioctl(fd[i], DATRA_IOCDMABLOCK_ENQUEUE, &side[i].block[0]));
	}
	/* One resets each, and finds out; meanwhile others cannot, and get no place in the queue. */
	for (unsigned i = 0; i < 2; i++) {
		child[i] = fork();
		if (child[i] == 0) {
			REFUSED(ETIMEDOUT, TO + i, fd[i], resets[0].cmd, NULL);
			_exit(0);
		}
	}
	usleep(100000);
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned n = 0; n < RESETS; n++)
			REFUSED(EBUSY, TO + i, fd[i], resets[n].cmd, resets[n].argument);
		REFUSED(EAGAIN, TO + i, fd[i], DATRA_IOCDMABLOCK_ENQUEUE, &side[i].block[1]);
	}
	for (unsigned i = 0; i < 2; i++)
		CHECK(waitpid(child[i], &status, 0) == child[i] && status == 0, "%x", status);
	for (unsigned i = 0; i < 2; i++) {
		REFUSED(EIO, TO + i, fd[i], DATRA_IOCDMABLOCK_ENQUEUE, &side[i].block[1]);
		REFUSED(EIO, TO + i, fd[i], DATRA_IOCDMABLOCK_DEQUEUE, &side[i].block[0]);
		child[i] = fork();
		if (child[i])
			continue;
		for (unsigned n = 1; n < RESETS; n++)
			REFUSED(ETIMEDOUT, TO + i, fd[i], resets[n].cmd, resets[n].argument);
		_exit(0);
	}
	for (unsigned i = 0; i < 2; i++)
		CHECK(waitpid(child[i], &status, 0) == child[i] && status == 0, "%x", status);
	bench("thaw");
	for (unsigned i = 0; i < 2; i++)
		release(&side[i]);
	close(import.fd[0]);
	route(DMA, 0, DMA, 0);
	works(out, in);
}

/* All calls of all files, when the card has gone. */
static void gone_errors(void)
{
	static const unsigned long theirs[] = {
		DATRA_IOCROUTE_CLEAR, DATRA_IOCSROUTE, DATRA_IOCGROUTE, DATRA_IOCTROUTE,
		DATRA_IOCTROUTE_DELETE, DATRA_IOCTROUTE_TELL_TO_LOGIC,
		DATRA_IOCTROUTE_TELL_FROM_LOGIC, DATRA_IOCQROUTE_QUERY_ID,
		DATRA_IOCQBACKPLANE_STATUS, DATRA_IOCTBACKPLANE_DISABLE,
		DATRA_IOCTBACKPLANE_ENABLE, DATRA_IOCQICAP_INDEX, DATRA_IOCRESET_FIFO_WRITE,
		DATRA_IOCRESET_FIFO_READ, DATRA_IOCQTRESHOLD, DATRA_IOCTTRESHOLD,
		DATRA_IOCQUSERSIGNAL, DATRA_IOCTUSERSIGNAL, DATRA_IOCDMA_RECONFIGURE,
		DATRA_IOCDMABLOCK_ALLOC, DATRA_IOCDMABLOCK_FREE, DATRA_IOCDMABLOCK_QUERY,
		DATRA_IOCDMABLOCK_ENQUEUE, DATRA_IOCDMABLOCK_DEQUEUE, DATRA_IOCSLICENSE_KEY,
		DATRA_IOCGLICENSE_KEY, DATRA_IOCGSTATIC_ID, DATRA_IOCTROUTE_SINGLE_DELETE,
		DATRA_IOCGDEVICE_ID, DATRA_IOCQLICENSE_INFO,
	};
	uint32_t words[16] = { 0 };
	int fd[FILES];

	for (unsigned i = 0; i < FILES; i++)
		fd[i] = opened_as(__LINE__, i, 0);
	put("/sys/bus/pci/drivers/datra/unbind", "0000:00:00.0");
	for (unsigned i = 0; i < FILES; i++) {
		struct pollfd poller = { fd[i], POLLIN, 0 };

		for (unsigned n = 0; n < sizeof(theirs) / sizeof(*theirs); n++)
			REFUSED(ENODEV, i, fd[i], theirs[n], words);
		for (unsigned n = 0; n < OURS; n++)
			REFUSED(ENODEV, i, fd[i], ours[n], words);
		if (i != W && i != TO)
			DENIED(ENODEV, i, "read", read(fd[i], words, 4));
		if (i != R && i != FROM)
			DENIED(ENODEV, i, "write", write(fd[i], words, 4));
		if (i != W)
			DENIED(ENODEV, i, "mmap",
			       (long)mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd[i], 0));
		GIVES(1, poll(&poller, 1, 1000));
		CHECK(i < W || poller.revents & POLLERR, "%x", poller.revents);
		close(fd[i]);
	}
	FAILS(ENOENT, open("/dev/datrad0", O_RDWR));
	put("/sys/bus/pci/drivers/datra/bind", "0000:00:00.0");
}

static void errors(void)
{
	int out, in, w;

	register_errors();
	fifo_errors();
	out = OPEN("d0", O_RDWR), in = OPEN("d0", O_RDONLY), w = OPEN("w0", O_WRONLY);
	emptied(out, in);
	for (unsigned kind = TO; kind <= FROM; kind++) {
		ring_errors(kind, kind == TO ? out : in, w);
		block_errors(kind, kind == TO ? out : in, w);
		standalone_errors(kind, kind == TO ? out : in, w);
	}
	stuck_errors(out, in);
	close(out), close(in), close(w);
	gone_errors();
}

/* ---- interrupts, and what is paid for them ------------------------------------------------------ */

static void longest(double begun, double *most)
{
	double took = seconds() - begun;

	*most = took > *most ? took : *most;
}

/* Writes a frame each time that the reader has found nothing, and so sleeps or is about to. */
static pid_t answered(int out, const uint32_t *words, unsigned rounds)
{
	long stalls = statistic_of("d0", "stalls", true);
	pid_t child = fork();

	for (unsigned round = 0; child == 0 && round < rounds; round++) {
		while (statistic_of("d0", "stalls", true) <= stalls + round)
			usleep(50);
		GIVES(4096, write(out, words, 4096));
	}
	if (child == 0)
		_exit(0);
	return child;
}

/* With coalesce_frames=1: a wait that no interrupt ends would last for the driver's patience, 1 s. */
static void waits(void)
{
	int out = OPEN("d0", O_WRONLY), in = OPEN("d0", O_RDONLY), status;
	unsigned rounds = amount ?: 200;
	static uint32_t words[1024];
	long interrupts, stalls;
	double most = 0, begun;
	struct side side;
	pid_t child;

	route(DMA, 0, DMA, 0);
	emptied(out, in);
	configure(&side, in, 3, 4096, 1);
	interrupts = statistic_of("d0", "interrupts", true);
	child = answered(out, words, rounds);
	for (unsigned round = 0; round < rounds; round++) {
		side.block[0].bytes_used = 4096;
		GIVES(0, ioctl(in, DATRA_IOCDMABLOCK_ENQUEUE, &side.block[0]));
		begun = seconds();
		GIVES(0, ioctl(in, DATRA_IOCDMABLOCK_DEQUEUE, &side.block[0]));
		longest(begun, &most);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0, "%x", status);
	interrupts = statistic_of("d0", "interrupts", true) - interrupts;
	CHECK(interrupts >= rounds, "%ld", interrupts);
	release(&side);

	/* Many on their way, in both directions. */
	GIVES(0, ioctl(in, DATRA_IOCTTRESHOLD, 4096));
	stalls = statistic_of("d0", "stalls", false) + statistic_of("d0", "stalls", true);
	child = fork();
	for (unsigned round = 0; round < 2 * rounds; round++) {
		begun = seconds();
		if (child)
			GIVES(4096, read(in, words, 4096));
		else
			GIVES(4096, write(out, words, 4096));
		longest(begun, &most);
	}
	CHECK(most < 0.5, "%f", most);
	if (child == 0)
		_exit(0);
	CHECK(waitpid(child, &status, 0) == child && status == 0, "%x", status);
	stalls = statistic_of("d0", "stalls", false) + statistic_of("d0", "stalls", true) - stalls;
	CHECK(stalls > 0);
	printf("# waits: %u frames, %ld interrupts, %.4f s at most; %u frames, %ld stalls\n", rounds,
	       interrupts, most, 2 * rounds, stalls);
	close(out), close(in);
}

static long accesses(void)
{
	return statistic("ctl", "register_reads") + statistic("ctl", "register_writes");
}

/* With rings=0: what a frame of a ring costs, found ready and waited for. */
static void ring_cost(void)
{
	int out = OPEN("d0", O_WRONLY), in = OPEN("d0", O_RDONLY), status;
	enum { ROUNDS = 64 };
	static uint32_t words[1024];
	long before, to = 0, from = 0, waited;
	pid_t child;

	route(DMA, 0, DMA, 0);
	emptied(out, in);
	GIVES(0, ioctl(in, DATRA_IOCTTRESHOLD, 4096));
	CHECK(!readable(in, 0));	/* and frames are asked for */
	for (unsigned round = 0; round < ROUNDS; round++) {
		before = accesses();
		GIVES(4096, write(out, words, 4096));
		to += accesses() - before;
		usleep(2000);
		before = accesses();
		GIVES(4096, read(in, words, 4096));
		from += accesses() - before;
	}
	printf("# ready: write %.2f read %.2f\n", (double)to / ROUNDS, (double)from / ROUNDS);

	before = accesses();
	child = answered(out, words, ROUNDS);
	for (unsigned round = 0; round < ROUNDS; round++)
		GIVES(4096, read(in, words, 4096));
	CHECK(waitpid(child, &status, 0) == child && status == 0, "%x", status);
	waited = accesses() - before - to;

	/* Into the sink, which is slower than the writer: each waits for a place in the queue. */
	emptied(out, in);
	route(DMA, 0, SINK, 0);
	before = accesses();
	for (unsigned round = 0; round < 4 * ROUNDS; round++)
		GIVES(4096, write(out, words, 4096));
	printf("# waited: write %.2f read %.2f\n", (double)(accesses() - before) / (4 * ROUNDS),
	       (double)waited / ROUNDS);
	close(out), close(in);
}

/* With commands by registers there is no memory that a stream runs on by itself. */
static void ringless(void)
{
	int out = OPEN("d0", O_WRONLY), in = OPEN("d0", O_RDONLY);
	struct datra_standalone_req memory = { 4096, 0 };

	REFUSED(ENOTTY, TO, out, DATRA_IOCSTANDALONE, &memory);
	REFUSED(ENOTTY, FROM, in, DATRA_IOCSTANDALONE, &memory);
	close(out), close(in);
}

/* What a call gives, for an argument of 0, and for one that points nowhere. */
static void told(unsigned kind, int fd, unsigned nr, unsigned long cmd)
{
	for (unsigned bad = 0; bad < 2; bad++) {
		errno = 0;
		printf("%s %02x %u ", files[kind].name, nr, bad);
		printf("%s\n", ioctl(fd, cmd, bad ? 0x7FFFFFF0UL : 0UL) < 0 ? strerrorname_np(errno) :
									      "ok");
	}
}

/* All numbers on all files; then ours, with the sizes that they have. */
static void matrix(void)
{
	for (unsigned kind = 0; kind < FILES; kind++) {
		int fd = opened_as(__LINE__, kind, O_NONBLOCK);

		for (unsigned nr = 0; nr < 0x60; nr++) {
			unsigned size = nr == 0x30 || nr == 0x33 ? 8 : 4;

			told(kind, fd, nr, nr >= 0x30 && nr < 0x34 && nr != 0x32 ?
						   _IOC(_IOC_READ, 'd', nr, size) : _IO('d', nr));
		}
		for (unsigned i = 0; i < OURS; i++)
			told(kind, fd, ours[i], ours[i]);
		FAILS(ENOTTY, ioctl(fd, _IO('D', 7)));
		close(fd);
	}
}

/* Calls that make no sense, by the thousand; afterwards all works. */
static void fuzzed(void)
{
	static const unsigned numbers[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17,
		18, 19, 31, 32, 33, 34, 35, 36, 40, 48, 49, 50, 51, 52, 63 };
	static const uint32_t odd[] = { 0, 1, 2, 3, 4, 7, 8, 9, 63, 64, 255, 256, 4095, 4096, 4097,
		65535, 65536, 262144, 262145, 0x7FFFFFFF, 0x80000000, 0xFFFFF000, 0xFFFFFFFF };
	static uint32_t buffer[8192];
	int fd[FILES], heap[2] = { -1, -1 };

	for (unsigned i = 0; i < FILES; i++)
		fd[i] = opened_as(__LINE__, i, O_NONBLOCK);
	for (unsigned i = 0; i < 2; i++)
		heap[i] = heap_alloc(65536);
	for (unsigned long round = 0; round < (amount ?: 2000); round++) {
		unsigned kind = below(FILES);
		int file = fd[kind];
		uint32_t words[16] = { 0 };
		unsigned long argument, cmd;
		struct pollfd poller = { file, POLLIN | POLLOUT, 0 };
		size_t length;
		void *map;

		for (unsigned i = 0; i < 8; i++)
			words[i] = below(3) ? odd[below(sizeof(odd) / 4)] : random32() >> below(32);
		if (below(2))
			words[0] = below(9);
		/* Not so large that memory runs out, which is no news. */
		if (words[1] < 0x1000000 && words[1] > 0x10000)
			words[1] &= 0xFFFF;
		argument = below(4) == 0 ? words[7] : below(8) == 0 ? random32() : (unsigned long)words;
		switch (below(16)) {
		case 0:
			read(file, buffer, odd[below(kind < W ? 12 : 15)]);
			break;
		case 1:
			/* Not where the file stands: what starts an engine is in the same registers. */
			if (kind >= W)
				write(file, buffer, odd[below(15)]);
			else if (kind == CTL)
				pwrite(file, words, odd[below(8)], 0x38 + below(8));
			else
				pwrite(file, words, below(33), kind == CFG0 ? below(0x1000) : odd[below(17)]);
			break;
		case 2:
			poll(&poller, 1, 0);
			break;
		case 3:
			if (kind < W)
				break;	/* the bench cannot map registers */
			length = 4096 * (1 + below(20));
			map = mmap(NULL, length, PROT_READ, MAP_SHARED, file, 4096L * below(20));
			if (map != MAP_FAILED) {
				CHECK(*(volatile uint32_t *)map | 1);
				munmap(map, length);
			}
			break;
		case 4:
			lseek(file, odd[below(20)], below(3));
			break;
		case 5:
			cmd = ours[below(OURS)];
			/* What it gives is closed again; what it takes is a heap's, or nothing. */
			if (cmd == DATRA_IOCDMABUF_IMPORT && below(2))
				words[0] = 1 + below(2), words[2] = heap[0], words[3] = heap[1];
			if (cmd == DATRA_IOCSTANDALONE && below(2))
				words[0] = 1 + below(65536), words[1] = 0;
			if (cmd == DATRA_IOCSTANDALONE_START && below(4)) {
				for (unsigned i = 0; i < 3 * 64; i += 3)
					buffer[i] = 4 * below(2048), buffer[i + 1] = 4 * below(2048),
					buffer[i + 2] = below(65536);
				words[0] = (uint32_t)(uintptr_t)buffer;
				words[1] = (uintptr_t)buffer >> 32;
				words[2] = below(70), words[3] = below(3);
			}
			if (ioctl(file, cmd, argument) == 0 && cmd == DATRA_IOCDMABUF_EXPORT)
				close(words[2]);
			break;
		default:
			ioctl(file, _IOC(below(4), below(50) ? 'd' : 'e',
					 numbers[below(sizeof(numbers) / 4)], below(3) ? 8 : below(64)),
			      argument);
		}
	}
	for (unsigned i = 0; i < FILES; i++)
		close(fd[i]);
	close(heap[0]), close(heap[1]);
	int ctl = OPEN("ctl", O_RDWR), out = OPEN("d0", O_WRONLY), in = OPEN("d0", O_RDONLY);

	GIVES(0, ioctl(ctl, DATRA_IOCROUTE_CLEAR));
	GIVES(0x3F, ioctl(ctl, DATRA_IOCTBACKPLANE_ENABLE, 0x3F));
	route(DMA, 0, DMA, 0);
	works(out, in);
	close(ctl), close(out), close(in);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "control", control },		  { "backplane", backplane },
	{ "names", names },		  { "waits", waits },
	{ "ring_cost", ring_cost },
	{ "ringless", ringless },
	{ "config", config },		  { "routes", routes },
	{ "fifo_files", fifo_files },	  { "fifo_nonblock", fifo_nonblock },
	{ "fifo_poll", fifo_poll },	  { "fifo_signals", fifo_signals },
	{ "fifo_stream", fifo_stream },	  { "dma_files", dma_files },
	{ "dma_ring", dma_ring },	  { "dma_ring_signals", dma_ring_signals },
	{ "dma_nonblock", dma_nonblock }, { "dma_coherent", dma_coherent },
	{ "dma_streaming", dma_streaming }, { "killed", killed },
	{ "dma_cost", dma_cost },
	{ "partial", partial },		  { "standalone", standalone },
	{ "dmabuf", dmabuf },		  { "busy", busy },
	{ "faults", faults },		  { "gone", gone },
	{ "unloaded", unloaded },	  { "cards", cards },
	{ "unbound", unbound },		  { "matrix", matrix },
	{ "fuzzed", fuzzed },		  { "stalls", stalls },
	{ "attributes", attributes },	  { "dma_timely", dma_timely },	  { "errors", errors },
};

int main(int count, char **words)
{
	if (count > 2)
		seed = strtoull(words[2], NULL, 10) * 2654435761 + 1;
	if (count > 3)
		amount = strtoull(words[3], NULL, 10);
	for (size_t i = 0; count > 1 && i < sizeof(cases) / sizeof(*cases); i++) {
		double begun = seconds();

		if (strcmp(words[1], cases[i].name))
			continue;
		running = cases[i].name;
		cases[i].run();
		if (access("/sys/class/datra/datractl", F_OK)) {
			printf("ok %s\n", running);
			return 0;
		}
		printf("ok %s %.3f s, %ld reads, %ld writes, %ld interrupts\n", running,
		       seconds() - begun, statistic("ctl", "register_reads"),
		       statistic("ctl", "register_writes"), statistic("ctl", "card_interrupts"));
		return 0;
	}
	fprintf(stderr, "guest CASE [SEED [AMOUNT]]: no such case\n");
	return 2;
}
