/* SPDX-License-Identifier: Apache-2.0 */
/* Each error of each call. */
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

/* The page of the DMA node, and what may be written without a right to raw I/O. */
enum { PAGE = DATRA_CARD_NODE_PAGE(DMA), KEY = DATRA_CONTROL_LICENCE_KEY(0) };

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
		fail(line, files[kind].name, " %08lx gives %ld (%s), not %s", cmd, result,
		     strerror(errno), strerrorname_np(error));
	printf("error %s %02lx %s\n", files[kind].name, _IOC_NR(cmd), strerrorname_np(error));
	fflush(stdout);
	if (error == ENODEV)
		return;
	look(kind, fd, &after);
	if (memcmp(&before, &after, sizeof(before)))
		fail(line, files[kind].name, " %08lx is refused and changes something", cmd);
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
		DENIED(EFAULT, i, "read", pread(fd[i], NOWHERE, 4, KEY));
		DENIED(EFAULT, i, "write", pwrite(fd[i], NOWHERE, 4, KEY));
		DENIED(EINVAL, i, "write", pwrite(fd[i], words, 3, KEY));
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
		DENIED(EPERM, CTL, "write",
		       pwrite(ctl, words, 4, PAGE + DATRA_DMA_TO_LOGIC_ADDRESS));
		DENIED(EPERM, CTL, "write",
		       pwrite(ctl, words, 4, PAGE + DATRA_DMA_FROM_LOGIC_BYTES));
		DENIED(EPERM, CTL, "mmap",
		       (long)mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, ctl, 0));
		GIVES(4, pwrite(ctl, words, 4, KEY));
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
	unsigned control = PAGE + (kind == TO ? DATRA_DMA_TO_LOGIC_CONTROL :
						DATRA_DMA_FROM_LOGIC_CONTROL);
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
	/* A process that asks for another block than the oldest consumes nothing. */
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

/* With commands by registers there is no memory that a stream runs on by itself. */
static void ringless(void)
{
	int out = OPEN("d0", O_WRONLY), in = OPEN("d0", O_RDONLY);
	struct datra_standalone_req memory = { 4096, 0 };

	REFUSED(ENOTTY, TO, out, DATRA_IOCSTANDALONE, &memory);
	REFUSED(ENOTTY, FROM, in, DATRA_IOCSTANDALONE, &memory);
	close(out), close(in);
}

const struct test error_tests[] = {
	{ "errors", errors },
	{ "ringless", ringless },
	{ },
};
