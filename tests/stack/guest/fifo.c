/* SPDX-License-Identifier: Apache-2.0 */
/* Files w and r: words, signals, thresholds. */
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

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

const struct test fifo_tests[] = {
	{ "fifo_files", fifo_files },
	{ "fifo_nonblock", fifo_nonblock },
	{ "fifo_poll", fifo_poll },
	{ "fifo_signals", fifo_signals },
	{ "fifo_stream", fifo_stream },
	{ },
};
