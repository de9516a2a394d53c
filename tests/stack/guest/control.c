/* SPDX-License-Identifier: Apache-2.0 */
/* What belongs to no stream: control, configuration, routes, names. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"

static void control(void)
{
	int ctl = OPEN("ctl", O_RDWR), other = OPEN("ctl", O_RDONLY);
	uint32_t words[8] = { 0 };
	unsigned long long number = 0x123456789ABCDEF0ULL, back = 0;
	char byte;

	GIVES(4, pread(ctl, words, 7, DATRA_CONTROL_VERSION));
	CHECK(FIELD_GET(DATRA_CONTROL_VERSION_YEAR, words[0]) == 2015, "%08x", words[0]);
	GIVES(0, read(ctl, words, 3));
	GIVES(8, lseek(ctl, 9, SEEK_SET) - 1);
	GIVES(4, read(ctl, words, 4));
	GIVES(12, lseek(ctl, 0, SEEK_CUR));
	GIVES(65536, lseek(ctl, 0, SEEK_END));
	GIVES(0, read(ctl, words, 4));
	GIVES(0, write(ctl, &byte, 1));
	FAILS(EINVAL, lseek(ctl, 1, SEEK_END));
	FAILS(EINVAL, lseek(ctl, -1, SEEK_SET));
	GIVES(8, pread(ctl, words, 100, DATRA_CARD_NODE_WINDOW(0) - 8));
	FAILS(EINVAL, pwrite(ctl, words, 3, 0));
	FAILS(EFAULT, pread(ctl, (void *)16, 4, 0));
	FAILS(EFAULT, pwrite(ctl, (void *)16, 4, DATRA_CONTROL_LICENCE_KEY(0)));
	words[0] = 0xCAFE1234;
	GIVES(4, pwrite(ctl, words, 4, DATRA_CONTROL_LICENCE_KEY(0)));
	GIVES(4, pread(ctl, words + 1, 4, DATRA_CONTROL_LICENCE_KEY(0)));
	CHECK(words[1] == 0xCAFE1234, "%08x", words[1]);
	FAILS(EINVAL, fsync(ctl));
	/* In a guest of this kind only: its processor has no addresses for a device's registers. */
	FAILS(ENODEV, (long)mmap(NULL, 4096, PROT_READ, MAP_SHARED, ctl, 0));
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
	GIVES(8, pread(other, words, 8,
		       DATRA_CARD_NODE_PAGE(DMA) + DATRA_DMA_TO_LOGIC_RESULT));
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

const struct test control_tests[] = {
	{ "control", control },
	{ "backplane", backplane },
	{ "names", names },
	{ "config", config },
	{ "routes", routes },
	{ },
};
