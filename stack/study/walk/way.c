/* SPDX-License-Identifier: Apache-2.0 */
/* Moves bytes between memory and the window, by the way of a point. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../pl330/pl330_registers.h"
#include "walk.h"

/* A bus error on the window ends the point, not the program. */
static sigjmp_buf escape;
static volatile sig_atomic_t guarded;

static void bus_error(int signal) {
  if (guarded) siglongjmp(escape, 1);
  _exit(128 + signal);
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* SplitMix64: the same bytes for a seed everywhere. */
uint64_t mixed(uint64_t value) {
  value += UINT64_C(0x9E3779B97F4A7C15);
  value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
  return value ^ value >> 31;
}

static void pattern(uint8_t* to, size_t bytes, uint64_t seed) {
  for (size_t i = 0; i < bytes; i += 8) {
    uint64_t word = mixed(seed ^ (uint64_t)i << 32);
    memcpy(to + i, &word, bytes - i < 8 ? bytes - i : 8);
  }
}

/* The window takes accesses of whole words where it can, and never one that is not aligned. */
static void from_window(uint8_t* to, const volatile uint8_t* from, size_t bytes) {
  size_t i = 0;
  for (; i < bytes && (uintptr_t)(from + i) % 4; ++i) to[i] = from[i];
  for (; i + 4 <= bytes; i += 4) {
    uint32_t word = *(const volatile uint32_t*)(from + i);
    memcpy(to + i, &word, 4);
  }
  for (; i < bytes; ++i) to[i] = from[i];
}

static void to_window(volatile uint8_t* to, const uint8_t* from, size_t bytes) {
  size_t i = 0;
  for (; i < bytes && (uintptr_t)(to + i) % 4; ++i) to[i] = from[i];
  for (; i + 4 <= bytes; i += 4) {
    uint32_t word;
    memcpy(&word, from + i, 4);
    *(volatile uint32_t*)(to + i) = word;
  }
  for (; i < bytes; ++i) to[i] = from[i];
}

bool way_open(struct way* way, const char* device, struct fault* fault) {
  *way = (struct way){.file = open(device, O_RDWR | O_CLOEXEC)};
  if (way->file < 0)
    return snprintf(fault->text, sizeof(fault->text), "%s: %s", device, strerror(errno)), false;
  if (ioctl(way->file, STUDY_IOC_INFO, &way->info) != 0 || way->info.version != STUDY_VERSION)
    return snprintf(fault->text, sizeof(fault->text),
                    "%s is not the module that this program is for", device),
           false;
  way->window =
      mmap(NULL, way->info.window_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, way->file, 0);
  if (way->window == MAP_FAILED)
    return snprintf(fault->text, sizeof(fault->text), "%s: no window: %s", device, strerror(errno)),
           false;
  struct sigaction action = {.sa_handler = bus_error, .sa_flags = SA_NODEFER};
  sigaction(SIGBUS, &action, NULL);
  return true;
}

bool way_buffers(struct way* way, size_t bytes) {
  uint8_t** const all[] = {&way->user, &way->expected, &way->seen};
  for (size_t i = 0; i < 3; ++i) {
    size_t size = i ? way->info.piece_bytes : bytes;
    free(*all[i]);
    *all[i] = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!*all[i]) return false;
    memset(*all[i], 0, size);
  }
  return true;
}

static bool fail(struct point* point, enum outcome outcome, const char* what) {
  point->outcome = outcome;
  snprintf(point->message, sizeof(point->message), "%s", what);
  return false;
}

static const char* fault_words(const struct study_status* status) {
  static const struct {
    uint32_t bit;
    const char* words;
  } table[] = {
      {PL330_FTR_UNDEFINED, "there is no such instruction"},
      {PL330_FTR_OPERAND, "an operand is not allowed"},
      {PL330_FTR_DMAGO, "the manager may not start a channel so"},
      {PL330_FTR_EVENT, "the event is not the channel's to use"},
      {PL330_FTR_PERIPHERAL, "the peripheral is not the channel's to use"},
      {PL330_FTR_SECURITY, "a non-secure channel asks for a secure access"},
      {PL330_FTR_FIFO_SIZE, "the FIFO is too short for the burst"},
      {PL330_FTR_FIFO_EMPTY, "a store without data"},
      {PL330_FTR_FETCH, "bus error on an instruction"},
      {PL330_FTR_STORE, "bus error on a store"},
      {PL330_FTR_LOAD, "bus error on a load"},
      {PL330_FTR_LOCKUP, "it waits for ever"},
  };
  for (size_t i = 0; i < sizeof(table) / sizeof(*table); ++i)
    if (status->ftr & table[i].bit) return table[i].words;
  return "it does not say why";
}

/* What a call of the module's has failed with. */
static bool fail_call(struct way* way, struct point* point, int error) {
  struct study_status status;
  if (error == EIO && ioctl(way->file, STUDY_IOC_STATUS, &status) == 0 && status.outcome) {
    point->outcome = IO_ERROR;
    snprintf(point->message, sizeof(point->message),
             "PL330 %s fault at byte %u of %u: %s (CSR 0x%x, FTR 0x%x)",
             status.outcome == STUDY_MANAGER_FAULT ? "manager" : "channel", status.pc,
             status.program_bytes, fault_words(&status), status.csr, status.ftr);
    return false;
  }
  switch (error) {
    case EIO:
      return fail(point, IO_ERROR, "the kernel's driver of the PL330 reports a fault");
    case ETIMEDOUT:
      return fail(point, TIMEOUT, "the transfer has not ended in time");
    case ENOMEM:
      return fail(point, NO_MEMORY, "the kernel has no memory for it");
    case EBUSY:
      return fail(point, REFUSED, "somebody else uses the PL330");
    case EPERM:
      return fail(point, REFUSED, "the PL330's manager is non-secure: security=nonsecure");
    case ENODEV:
      return fail(point, REFUSED, "this board has no such way");
    default:
      return fail(point, REFUSED, strerror(error));
  }
}

static uint32_t piece_of(const struct way* way, const struct point* point) {
  uint32_t lead = point->offset % 8;
  uint32_t most = way->info.piece_bytes - lead;
  uint32_t behind = way->info.window_bytes - point->offset;
  return least(most, behind);
}

/* Priorities of 3 bits and weights of 5 a port, as the study's programs write them. */
static struct study_scheduler scheduler(const struct point* point) {
  static const uint32_t weights[][3] = {{1, 0x40000000, 0x2108},
                                        {2, 0x80000000, 0x2208},
                                        {4, 0, 0x2409},
                                        {8, 0, 0x280A},
                                        {16, 0, 0x300C}};
  if (point->sdram_priority == PRIORITY_DEFAULT) return (struct study_scheduler){.standard = 1};
  size_t row = 0;
  if (point->sdram_priority == PRIORITY_SAME)
    while (weights[row][0] != point->sdram_weight) ++row;
  return (struct study_scheduler){
      .priority = point->sdram_priority == PRIORITY_L3_HIGHER ? 0x071C0000 : 0,
      .weight = {weights[row][1], weights[row][2]}};
}

bool way_choose(struct way* way, struct point* point, uint32_t timeout_us) {
  if (point->offset >= way->info.window_bytes)
    return fail(point, REFUSED, "offset= is behind the window");
  if (point->prepared && point->bytes > piece_of(way, point) && point->bytes % piece_of(way, point))
    return fail(point, REFUSED,
                "a prepared program moves pieces of one size: bytes= is no multiple");
  struct study_setup setup = {
      .master = point->master,
      .route = point->route,
      .buffer = point->buffer == KERNEL_UNCACHED ? STUDY_BUFFER_UNCACHED : STUDY_BUFFER_CACHED,
      .completion = point->completion,
      .prepared = point->prepared,
      .bytes = point->prepared ? least(point->bytes, piece_of(way, point)) : 0,
      .offset = point->offset,
      .nonsecure = point->security,
      .timeout_us = timeout_us,
      .wrong = point->wrong,
  };
  if (ioctl(way->file, STUDY_IOC_SETUP, &setup) != 0) return fail_call(way, point, errno);
  struct study_scheduler given = scheduler(point);
  if (point->scheduler && ioctl(way->file, STUDY_IOC_SCHEDULER, &given) != 0)
    return fail_call(way, point, errno);
  struct study_locks none = {0};
  if (point->locks && ioctl(way->file, STUDY_IOC_LOCKS, &none) != 0)
    return fail_call(way, point, errno);
  return true;
}

static void lock(struct way* way, uint32_t cpu_ways, uint32_t acp_ways) {
  struct study_locks locks = {cpu_ways, acp_ways};
  ioctl(way->file, STUDY_IOC_LOCKS, &locks); /* way_choose() has seen that it can */
}

void way_leave(struct way* way, const struct point* point) {
  struct study_scheduler standard = {.standard = 1};
  if (point->locks) lock(way, 0, 0);
  if (point->scheduler) ioctl(way->file, STUDY_IOC_SCHEDULER, &standard);
}

/* Fills the source of the piece at `begin` and gives what has to arrive; locks as the point says.
 */
static void fill_piece(struct way* way, const struct point* point, uint64_t seed, uint32_t begin,
                       uint32_t bytes) {
  if (point->locks && point->lock_when == AFTER) lock(way, 0, 0);
  if (point->locks && point->lock_when == BEFORE)
    lock(way, point->lock_cpu_ways, point->lock_acp_ways);
  pattern(way->expected, bytes, mixed(seed ^ begin));
  if (point->direction == CPU_TO_FPGA) {
    memcpy(way->user + begin, way->expected, bytes);
  } else {
    memset(way->user + begin, 0, bytes);
    to_window(way->window + point->offset, way->expected, bytes);
  }
  if (point->locks && point->lock_when == AFTER)
    lock(way, point->lock_cpu_ways, point->lock_acp_ways);
}

void way_fill(struct way* way, const struct point* point, uint64_t seed) {
  uint32_t piece = piece_of(way, point);
  for (uint32_t begin = 0; begin < point->bytes; begin += least(piece, point->bytes - begin))
    fill_piece(way, point, seed, begin, least(piece, point->bytes - begin));
}

static void copy_words(volatile uint8_t* to, const volatile uint8_t* from, uint32_t bytes) {
  uint32_t i = 0;
  for (; i + 4 <= bytes; i += 4)
    *(volatile uint32_t*)(to + i) = *(const volatile uint32_t*)(from + i);
  for (; i < bytes; ++i) to[i] = from[i];
}

/* By the program itself; false: a bus error. */
static bool copy_guarded(volatile uint8_t* to, volatile uint8_t* from, uint32_t bytes,
                         uint32_t copy) {
  if (sigsetjmp(escape, 0)) return guarded = 0, false;
  guarded = 1;
  if (copy == COPY_FOR_LOOP)
    copy_words(to, from, bytes);
  else
    memcpy((void*)to, (void*)from, bytes);
  guarded = 0;
  return true;
}

/* One piece of memory, from or to the beginning of the point's place in the window. */
static bool move_piece(struct way* way, struct point* point, uint8_t* memory, uint32_t bytes) {
  volatile uint8_t* window = way->window + point->offset;
  bool out = point->direction == CPU_TO_FPGA;
  if (point->buffer == USER)
    return copy_guarded(out ? window : memory, out ? memory : window, bytes, point->copy) ||
           fail(point, BUS_ERROR, "bus error on the window");
  ssize_t moved = out ? write(way->file, memory, bytes) : read(way->file, memory, bytes);
  if (moved == (ssize_t)bytes) return true;
  if (moved < 0 && errno == EINTR) return false; /* the point is cut, not at fault */
  return fail_call(way, point, moved < 0 ? errno : EINVAL);
}

bool way_move(struct way* way, struct point* point) {
  uint32_t piece = piece_of(way, point);
  for (uint32_t begin = 0; begin < point->bytes; begin += least(piece, point->bytes - begin))
    if (!move_piece(way, point, way->user + begin, least(piece, point->bytes - begin)))
      return false;
  return true;
}

/* Has what was filled last arrived, as the piece at `begin`? */
static bool check_piece(struct way* way, struct point* point, uint32_t begin, uint32_t bytes) {
  const uint8_t* there = way->user + begin;
  if (point->direction == CPU_TO_FPGA) {
    from_window(way->seen, way->window + point->offset, bytes);
    there = way->seen;
  }
  if (!memcmp(there, way->expected, bytes)) return true;
  uint32_t at = 0;
  while (there[at] == way->expected[at]) ++at;
  point->outcome = UNVERIFIED;
  snprintf(point->message, sizeof(point->message), "byte %u of %u is 0x%02x, not 0x%02x",
           begin + at, point->bytes, there[at], way->expected[at]);
  return false;
}

bool way_arrived(struct way* way, struct point* point) {
  uint32_t last = (point->bytes - 1) / piece_of(way, point) * piece_of(way, point);
  return check_piece(way, point, last, point->bytes - last);
}

bool way_verify(struct way* way, struct point* point, uint64_t seed) {
  uint32_t piece = piece_of(way, point), bytes;
  for (uint32_t begin = 0; begin < point->bytes; begin += bytes) {
    bytes = least(piece, point->bytes - begin);
    fill_piece(way, point, seed, begin, bytes);
    if (!move_piece(way, point, way->user + begin, bytes) || !check_piece(way, point, begin, bytes))
      return false;
  }
  return true;
}
