/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What no program should ask of /dev/weighbridge-study.
 *
 *	abuse wrong           calls that must be refused, each with its errno
 *	abuse fuzz SEED N     N calls of chance; what is inside the limits may succeed
 *	abuse registers ACP L2 SDRAM   for a tree whose registers lie at these places of the window:
 *	                      are the studies' values written, and put back at the end?
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../../stack/study/study-ioctl.h"

#define DEVICE "/dev/weighbridge-study"
#define MAX_BYTES (512 << 10)

static int failures;
static uint8_t* memory;
/* An address that no program has; the compiler is not to see it. */
static void* volatile nowhere = (void*)8;

static int opened(void) {
  int file = open(DEVICE, O_RDWR);
  if (file < 0) {
    perror(DEVICE);
    exit(1);
  }
  return file;
}

static void expect(const char* what, long result, int error) {
  int got = result < 0 ? errno : 0;
  if (got == error) return;
  printf("%s: %s, not %s\n", what, strerror(got), strerror(error));
  failures++;
}

static const struct study_setup good = {
    .master = STUDY_MASTER_PL330, .buffer = STUDY_BUFFER_UNCACHED, .timeout_us = 1000000};

#define SETUP(error, ...)                                         \
  do {                                                            \
    struct study_setup setup = good;                              \
    struct study_setup* s = &setup;                               \
    __VA_ARGS__;                                                  \
    expect(#__VA_ARGS__, ioctl(file, STUDY_IOC_SETUP, s), error); \
  } while (0)

static void wrong(void) {
  int file = opened();
  struct study_info info;
  struct study_status status;
  expect("info", ioctl(file, STUDY_IOC_INFO, &info), 0);
  expect("second open", open(DEVICE, O_RDWR), EBUSY);
  expect("write before setup", write(file, memory, 8), ENXIO);
  expect("status before the PL330 is ours", ioctl(file, STUDY_IOC_STATUS, &status), ENXIO);
  expect("no such call", ioctl(file, _IO('w', 0x45)), ENOTTY);
  expect("info to nowhere", ioctl(file, STUDY_IOC_INFO, NULL), EFAULT);
  expect("setup from nowhere", ioctl(file, STUDY_IOC_SETUP, nowhere), EFAULT);
  SETUP(EINVAL, s->master = 3);
  SETUP(EINVAL, s->master = UINT32_MAX);
  SETUP(EINVAL, s->route = 2);
  SETUP(EINVAL, s->buffer = 2);
  SETUP(EINVAL, s->completion = 2);
  SETUP(EINVAL, s->prepared = 2);
  SETUP(EINVAL, s->prepared = 1);
  SETUP(EINVAL, s->bytes = 8);
  SETUP(EINVAL, s->prepared = 1, s->bytes = info.piece_bytes + 1);
  SETUP(EINVAL, s->prepared = 1, s->bytes = info.piece_bytes, s->offset = 1);
  SETUP(EINVAL, s->prepared = 1, s->bytes = UINT32_MAX);
  SETUP(EINVAL, s->prepared = 1, s->bytes = 8, s->buffer = STUDY_BUFFER_CACHED);
  SETUP(EINVAL, s->offset = info.window_bytes);
  SETUP(EINVAL, s->offset = UINT32_MAX);
  SETUP(EINVAL, s->nonsecure = 2);
  SETUP(EINVAL, s->timeout_us = 0);
  SETUP(EINVAL, s->timeout_us = 10000001);
  SETUP(EINVAL, s->wrong = 5);
  SETUP(EINVAL, s->wrong = 1, s->offset = 4);
  SETUP(EINVAL, s->master = STUDY_MASTER_CPU, s->route = 1);
  SETUP(EINVAL, s->master = STUDY_MASTER_CPU, s->completion = 1);
  SETUP(EINVAL, s->master = STUDY_MASTER_DMAENGINE, s->wrong = 1);
  SETUP(EINVAL, s->master = STUDY_MASTER_DMAENGINE, s->prepared = 1, s->bytes = 8);
  SETUP(info.features & STUDY_HAS_ACP ? EINVAL : ENODEV, s->route = STUDY_ROUTE_ACP);
  SETUP(0, s->offset = info.window_bytes - 8);
  expect("8 bytes at the window's end", write(file, memory, 8), 0);
  expect("9 bytes at the window's end", write(file, memory, 9), EINVAL);
  SETUP(0, s->offset = 0);
  expect("no bytes", read(file, memory, 0), EINVAL);
  expect("more than a piece", read(file, memory, info.piece_bytes + 1), EINVAL);
  expect("from nowhere", write(file, nowhere, 8), EFAULT);
  expect("to nowhere", read(file, nowhere, 8), EFAULT);
  SETUP(0, s->prepared = 1, s->bytes = 64);
  expect("another size than prepared", write(file, memory, 63), EINVAL);
  expect("the size prepared", write(file, memory, 64), 0);
  SETUP(EINVAL, s->master = 9);
  expect("the last good setup holds", write(file, memory, 64), 0);
  void* map = mmap(NULL, info.window_bytes + 4096, PROT_READ, MAP_SHARED, file, 0);
  expect("a map beyond the window", map == MAP_FAILED ? -1 : 0, EINVAL);
  map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, info.window_bytes);
  expect("a map behind the window", map == MAP_FAILED ? -1 : 0, EINVAL);
  struct study_locks locks = {8, 0};
  expect("locks", ioctl(file, STUDY_IOC_LOCKS, &locks),
         info.features & STUDY_HAS_LOCKS ? EINVAL : ENODEV);
  struct study_scheduler scheduler = {.priority = 1, .standard = 1};
  expect("scheduler", ioctl(file, STUDY_IOC_SCHEDULER, &scheduler),
         info.features & STUDY_HAS_SCHEDULER ? EINVAL : ENODEV);
  close(file);
}

static uint64_t state;

static uint32_t chance(uint32_t below) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)((state >> 33) % below);
}

/* Mostly near the limits, seldom anything. */
static uint32_t value(uint32_t limit) {
  switch (chance(16)) {
    case 0:
      return chance(UINT32_MAX);
    case 1:
      return UINT32_MAX - chance(4);
    case 2:
      return limit - 1 + chance(3);
    default:
      return limit ? chance(limit + 1) : 0;
  }
}

static void fuzz(int count) {
  int file = opened();
  struct study_info info;
  ioctl(file, STUDY_IOC_INFO, &info);
  long accepted = 0, moved = 0;
  for (int i = 0; i < count; ++i) {
    long done;
    uint32_t bytes = value(chance(3) ? 600 : info.piece_bytes);
    if (bytes > MAX_BYTES) bytes = MAX_BYTES;
    switch (chance(8)) {
      case 0:
      case 1:
      case 2: {
        struct study_setup setup = {.master = value(2),
                                    .route = chance(4) ? 0 : value(1),
                                    .buffer = value(1),
                                    .completion = value(1),
                                    .prepared = chance(3) ? 0 : value(1),
                                    .offset = chance(2) ? 0 : value(info.window_bytes),
                                    .nonsecure = chance(4) ? 0 : value(1),
                                    .timeout_us = chance(8) ? 1000000 : value(10000000),
                                    .wrong = chance(4) ? 0 : value(4)};
        if (setup.prepared) setup.bytes = bytes;
        if (chance(16) == 0)
          for (size_t word = 0; word < sizeof(setup) / 4; ++word)
            ((uint32_t*)&setup)[word] ^= chance(4) ? 0 : 1u << chance(32);
        done = ioctl(file, STUDY_IOC_SETUP, &setup);
        break;
      }
      case 3:
        done = ioctl(file, chance(2) ? STUDY_IOC_STATUS : STUDY_IOC_INFO, memory + MAX_BYTES - 64);
        break;
      case 4: {
        struct study_locks locks = {value(7), value(7)};
        done = ioctl(file, STUDY_IOC_LOCKS, &locks);
        break;
      }
      case 5:
        done = ioctl(file, _IOC(chance(4), 'w', 0x40 + value(5) % 256, value(64) % 16384),
                     chance(4) ? memory : NULL);
        break;
      case 6:
        done = write(file, chance(16) ? memory : NULL, bytes);
        moved += done > 0 ? done : 0;
        break;
      default:
        done = read(file, chance(16) ? memory : NULL, bytes);
        moved += done > 0 ? done : 0;
    }
    accepted += done >= 0;
    if (done < 0 && errno == EBUSY) {
      printf("call %d: the channel is busy\n", i);
      failures++;
      break;
    }
  }
  printf("fuzz: %d calls, %ld accepted, %ld bytes moved\n", count, accepted, moved);
  if (!accepted || accepted == count || !moved) failures++;
  close(file);
}

static volatile uint32_t* window_of(int file, uint32_t bytes) {
  void* window = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (window == MAP_FAILED) exit(1);
  return window;
}

static void same(const char* what, uint32_t got, uint32_t wanted) {
  if (got == wanted) return;
  printf("%s is 0x%x, not 0x%x\n", what, got, wanted);
  failures++;
}

static void registers(uint32_t acp, uint32_t l2, uint32_t sdram) {
  int file = opened();
  struct study_info info;
  ioctl(file, STUDY_IOC_INFO, &info);
  volatile uint32_t* window = window_of(file, info.window_bytes);
  volatile uint32_t *lock = window + (l2 + 0x900) / 4, *ports = window + sdram / 4;
  uint32_t standard = ports[0];
  same("ACP read", window[(acp + 0x28) / 4], 0x1f0);
  same("ACP write", window[(acp + 0x2c) / 4], 0x1f0);
  struct study_locks locks = {1, 7};
  expect("locks", ioctl(file, STUDY_IOC_LOCKS, &locks), 0);
  for (int half = 0; half < 2; ++half) {
    same("lock of cpu 0", lock[half], 0x01);
    same("lock of cpu 1", lock[2 + half], 0x01);
    same("lock of ACP reads", lock[6 + half], 0xfe);
    same("lock of ACP writes", lock[8 + half], 0xfe);
  }
  struct study_scheduler scheduler = {.priority = 0x071C0000, .weight = {0x40000000, 0x2108}};
  expect("scheduler", ioctl(file, STUDY_IOC_SCHEDULER, &scheduler), 0);
  same("priority", ports[0], 0x071C0000);
  same("weights", ports[1], 0x40000000);
  same("more weights", ports[2], 0x2108);
  /* The last that is open of the file puts back what was there. */
  munmap((void*)window, info.window_bytes);
  close(file);
  file = opened();
  window = window_of(file, info.window_bytes);
  same("locks at the end", window[(l2 + 0x900) / 4], 0);
  same("ACP locks at the end", window[(l2 + 0x918) / 4], 0);
  same("priority at the end", window[sdram / 4], standard);
  close(file);
}

int main(int count, char** words) {
  memory = calloc(1, MAX_BYTES + 4096);
  if (count > 1 && !strcmp(words[1], "wrong")) wrong();
  if (count > 3 && !strcmp(words[1], "fuzz")) {
    state = (uint64_t)atoll(words[2]);
    fuzz(atoi(words[3]));
  }
  if (count > 4 && !strcmp(words[1], "registers"))
    registers((uint32_t)atoi(words[2]), (uint32_t)atoi(words[3]), (uint32_t)atoi(words[4]));
  printf("%d failures\n", failures);
  return failures > 0;
}
