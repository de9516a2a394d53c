/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that devices share (dma-buf): of a heap, as /dev/dma_heap/system, or this program's own
 * pages by /dev/udmabuf. The structures are those of linux/dma-heap.h, linux/udmabuf.h and
 * linux/dma-buf.h, which the C libraries here do not bring along.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "linux.h"

struct of_heap {
  uint64_t bytes;
  uint32_t fd, fd_flags;
  uint64_t heap_flags;
};
struct of_pages {
  uint32_t memory, flags;
  uint64_t offset, bytes;
};
#define HEAP_ALLOCATE _IOWR('H', 0x0, struct of_heap)
#define PAGES_SHARE _IOW('u', 0x42, struct of_pages)
#define SYNCHRONISE _IOW('b', 0, uint64_t)
enum { SYNC_BOTH = 3, SYNC_END = 4 };

/* What the kernel calls a device, below /dev; false where it does not tell. */
static bool named(const struct stat* status, const char* begin) {
  char path[64], line[128];
  FILE* file;
  bool found = false;

  if (!S_ISCHR(status->st_mode)) return false;
  snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/uevent", major(status->st_rdev),
           minor(status->st_rdev));
  file = fopen(path, "re");
  while (file && !found && fgets(line, sizeof(line), file))
    found = !strncmp(line, "DEVNAME=", 8) && !strncmp(line + 8, begin, strlen(begin));
  if (file) fclose(file);
  return found;
}

bool linux_shares(const struct stat* status) {
  return named(status, "dma_heap/") || named(status, "udmabuf\n");
}

int linux_share(const struct stat* status, int device, uint64_t bytes) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
  int memory, buffer = -1;

  if (named(status, "dma_heap/")) {
    struct of_heap asked = {.bytes = whole, .fd_flags = O_RDWR | O_CLOEXEC};

    return ioctl(device, HEAP_ALLOCATE, &asked) ? -1 : (int)asked.fd;
  }
  memory = memfd_create("probe", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  /* Pages that could be taken away are not shared. */
  if (memory >= 0 && ftruncate(memory, (off_t)whole) == 0 &&
      fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK) == 0) {
    struct of_pages asked = {.memory = (uint32_t)memory, .bytes = whole};

    buffer = ioctl(device, PAGES_SHARE, &asked);
  }
  if (memory >= 0) close(memory);
  return buffer;
}

void linux_sync(int buffer, bool end) {
  const uint64_t flags = SYNC_BOTH | (end ? SYNC_END : 0);

  ioctl(buffer, SYNCHRONISE, &flags);
}
