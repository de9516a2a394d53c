/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of normal or huge pages, touched; and windows of files and devices. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "linux.h"

enum { HUGE = 2 << 20 };

static size_t rounded(size_t bytes, size_t page) { return (bytes + page - 1) / page * page; }

/* Whether all of [data, data + bytes) lies on huge pages, by what /proc/self/smaps says of it. */
static bool is_huge(const char* data, size_t bytes) {
  FILE* maps = fopen("/proc/self/smaps", "re");
  unsigned long from, to, kib;
  size_t huge = 0;
  bool inside = false;
  char line[256];

  if (!maps) return false;
  while (fgets(line, sizeof(line), maps)) {
    if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
      inside = from < (uintptr_t)data + bytes && to > (uintptr_t)data;
    else if (inside && sscanf(line, "AnonHugePages: %lu kB", &kib) == 1)
      huge += (size_t)kib * 1024;
  }
  fclose(maps);
  return huge >= bytes;
}

/* What the kernel could give without ending a program for it; UINT64_MAX where it does not tell. */
static uint64_t available(void) {
  FILE* file = fopen("/proc/meminfo", "re");
  unsigned long long kib = UINT64_MAX >> 10;
  char line[128];

  while (file && fgets(line, sizeof(line), file) &&
         sscanf(line, "MemAvailable: %llu kB", &kib) != 1);
  if (file) fclose(file);
  return kib << 10;
}

enum outcome platform_memory(struct memory* memory, uint64_t bytes, enum pages pages,
                             char* message) {
  const size_t page = pages == PAGES_HUGE ? HUGE : (size_t)sysconf(_SC_PAGESIZE);
  const int how = MAP_PRIVATE | MAP_ANONYMOUS;

  memset(memory, 0, sizeof(*memory));
  if (bytes > SIZE_MAX / 4) {
    strcpy(message, "more than this processor can address");
    return OUTCOME_NO_MEMORY;
  }
  if (bytes > available()) {
    strcpy(message, "more than the memory that this machine has free");
    return OUTCOME_NO_MEMORY;
  }
  memory->bytes = rounded((size_t)bytes, page);
  if (pages == PAGES_HUGE) {
    memory->base = mmap(NULL, memory->bytes, PROT_READ | PROT_WRITE, how | MAP_HUGETLB, -1, 0);
    if (memory->base != MAP_FAILED) {
      memory->mapped = memory->bytes;
      memory->data = memory->base;
      memset(memory->data, 0x5a, memory->bytes);
      return OUTCOME_OK;
    }
  }
  memory->mapped = memory->bytes + (pages == PAGES_HUGE ? HUGE : 0);
  memory->base = mmap(NULL, memory->mapped, PROT_READ | PROT_WRITE, how, -1, 0);
  if (memory->base == MAP_FAILED) {
    memory->base = NULL;
    linux_say(message, "memory");
    return OUTCOME_NO_MEMORY;
  }
  memory->data = (void*)rounded((uintptr_t)memory->base, page);
  madvise(memory->data, memory->bytes, pages == PAGES_HUGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  /* Not zeros: a page of them might be shared with others. */
  if (pages != PAGES_UNTOUCHED) memset(memory->data, 0x5a, memory->bytes);
  if (pages == PAGES_HUGE && !is_huge(memory->data, memory->bytes)) {
    platform_release(memory);
    strcpy(message,
           "the kernel gives no huge pages; see "
           "/sys/kernel/mm/transparent_hugepage/enabled, or use pages=normal");
    return OUTCOME_NO_MEMORY;
  }
  return OUTCOME_OK;
}

void platform_release(struct memory* memory) {
  if (memory->base) munmap(memory->base, memory->mapped);
  memory->base = NULL;
}

/* ---- windows
 * ------------------------------------------------------------------------------------- */

static enum outcome refuse(int fd, char* message, const char* why) {
  if (fd >= 0) close(fd);
  snprintf(message, MESSAGE, "%s", why);
  return OUTCOME_REFUSED;
}

/* How long a UIO device's first map is; 0: unknown. */
static uint64_t uio_length(const struct stat* status) {
  char path[96];
  unsigned long long bytes = 0;
  FILE* file;

  snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/maps/map0/size", major(status->st_rdev),
           minor(status->st_rdev));
  file = fopen(path, "re");
  if (!file) return 0;
  if (fscanf(file, "%llx", &bytes) != 1) bytes = 0;
  fclose(file);
  return bytes;
}

bool linux_is_memory(const struct stat* status) {
  const unsigned number = minor(status->st_rdev);

  return S_ISCHR(status->st_mode) && major(status->st_rdev) == 1 &&
         (number == 1 || number == 2 || number == 4);
}

enum outcome platform_window(struct window* window, const struct point* point, bool writes,
                             const struct settings* set, char* message) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from = point->offset / page * page;
  struct stat status;
  uint64_t length;
  int fd;

  memset(window, 0, sizeof(*window));
  /* Looked at before it is opened: opening some devices does something. */
  if (stat(point->target, &status)) {
    linux_say(message, point->target);
    return OUTCOME_REFUSED;
  }
  if (linux_is_memory(&status) && !set->devmem) return refuse(-1, message, LINUX_MEMORY_REFUSED);
  if (!S_ISCHR(status.st_mode) && !S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode))
    return refuse(-1, message, "neither a file nor a device that can be mapped");
  fd = open(point->target, (writes ? O_RDWR : O_RDONLY) | O_SYNC | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 || fstat(fd, &status)) {
    linux_say(message, point->target);
    if (fd >= 0) close(fd);
    return OUTCOME_REFUSED;
  }
  if (linux_shares(&status)) {
    window->shared = linux_share(&status, fd, point->offset + point->bytes);
    if (window->shared <= 0) {
      linux_say(message, point->target);
      close(fd);
      window->shared = 0;
      return OUTCOME_REFUSED;
    }
  }
  length = S_ISREG(status.st_mode)   ? (uint64_t)status.st_size
           : S_ISBLK(status.st_mode) ? (uint64_t)lseek(fd, 0, SEEK_END)
           : window->shared          ? point->offset + point->bytes
                                     : uio_length(&status);
  if (S_ISCHR(status.st_mode) && !length) length = point->length;
  if (!length && S_ISCHR(status.st_mode))
    return refuse(fd, message, "the device does not tell its length; give length=BYTES");
  if (point->length && point->length < length) length = point->length;
  if (point->bytes > SIZE_MAX / 4)
    return refuse(fd, message, "more than this processor can address");
  if (point->offset > length || point->bytes > length - point->offset) {
    snprintf(message, MESSAGE, "bytes %llu to %llu lie outside: it has %llu bytes",
             (unsigned long long)point->offset,
             (unsigned long long)(point->offset + point->bytes - 1), (unsigned long long)length);
    close(fd);
    return OUTCOME_REFUSED;
  }
  window->bytes = point->bytes;
  window->mapping.mapped = (size_t)(point->offset - from + point->bytes);
  window->mapping.base = mmap(NULL, window->mapping.mapped, PROT_READ | (writes ? PROT_WRITE : 0),
                              MAP_SHARED, window->shared ? window->shared : fd, (off_t)from);
  if (window->mapping.base == MAP_FAILED) {
    window->mapping.base = NULL;
    linux_say(message, "mapping it");
    close(fd);
    return OUTCOME_REFUSED;
  }
  close(fd);
  if (window->shared) linux_sync(window->shared, false);
  window->data = (char*)window->mapping.base + (point->offset - from);
  return OUTCOME_OK;
}

bool platform_window_content(const struct point* point, void* data) {
  const int fd = open(point->target, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  bool whole;

  if (fd < 0) return false;
  whole = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
          pread(fd, data, point->bytes, (off_t)point->offset) == (ssize_t)point->bytes;
  close(fd);
  return whole;
}

void platform_window_close(struct window* window) {
  if (window->shared) {
    linux_sync(window->shared, true);
    close(window->shared);
  }
  window->shared = 0;
  platform_release(&window->mapping);
}
