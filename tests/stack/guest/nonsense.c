/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that make no sense: all of them once, and by the thousand. */
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guest.h"

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
				pwrite(file, words, odd[below(8)], DATRA_CONTROL_LICENCE_KEY(0) + below(8));
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

const struct test nonsense_tests[] = {
	{ "matrix", matrix },
	{ "fuzzed", fuzzed },
	{ },
};
