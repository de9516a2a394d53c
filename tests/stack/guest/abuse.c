/* SPDX-License-Identifier: Apache-2.0 */
/* What programs do not do on purpose, and what hardware does. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

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
	CHECK(readable(in, 2500)); /* else the error may meet the first frame */
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

/* With stall_ms the driver tells a process that waits in vain, within twice that time. */
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
	const unsigned page = DATRA_CARD_NODE_PAGE(DMA);
	uint32_t marks[2];

	GIVES(4, pread(ctl, &marks[0], 4,
		       page + DATRA_DMA_TO_LOGIC_RING + DATRA_DMA_RING_ATTRIBUTES));
	GIVES(4, pread(ctl, &marks[1], 4,
		       page + DATRA_DMA_FROM_LOGIC_RING + DATRA_DMA_RING_ATTRIBUTES));
	CHECK(marks[0] == amount && marks[1] == amount, "%x %x", marks[0], marks[1]);
	close(ctl);
}

/* The device vanishes: no process hangs, those that wait are told, and the driver lets go of it. */
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

const struct test abuse_tests[] = {
	{ "killed", killed },
	{ "faults", faults },
	{ "gone", gone },
	{ "unloaded", unloaded },
	{ "cards", cards },
	{ "unbound", unbound },
	{ "stalls", stalls },
	{ "attributes", attributes },
	{ },
};
