/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The measuring core: a plan in, samples out. README.md has the words of both.
 *
 * plan.c, run.c, statistics.c, sequence.c, the kernels chase.c, sweep.c, copy.c and window.c, and
 * what reads and writes lines, lines/, know no operating system: what they need of one is in
 * platform.h, which linux.c answers here and a firmware answers for itself.
 */
#ifndef PROBE_H
#define PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lines/words.h"

#define PROBE_VERSION "0.1.0"
/* A hash over the sources, by the Makefile. */
#ifndef PROBE_BUILD
#define PROBE_BUILD "unknown"
#endif

enum kernel_name {
  KERNEL_LOAD,
  KERNEL_READ,
  KERNEL_WRITE,
  KERNEL_COPY,
  KERNEL_UPDATE,
  KERNEL_UNCACHED,
  KERNEL_POSTED,
  KERNEL_WRITTEN_BACK,
  KERNEL_FILE_READ,
  KERNEL_FILE_WRITE,
  KERNEL_IOCTL,
  KERNEL_BLOCK,
  KERNELS
};

enum outcome {
  OUTCOME_OK,
  OUTCOME_UNVERIFIED,
  OUTCOME_REFUSED,
  OUTCOME_BUS_ERROR,
  OUTCOME_TIMEOUT,
  OUTCOME_NO_MEMORY,
  OUTCOME_IO_ERROR,
  OUTCOME_INTERRUPTED
};

/* By which instructions bytes move. */
enum means { MEANS_LIBC, MEANS_PLAIN, MEANS_SCALAR, MEANS_VECTOR, MEANS_STREAM };
/* Whether it goes word by word: by instructions of `width` bytes, `stride` apart. */
static inline bool by_words(uint64_t means) {
  return means == MEANS_PLAIN || means == MEANS_SCALAR;
}
/* In which order dependent loads visit their working set. */
enum order { ORDER_RANDOM, ORDER_PAGE, ORDER_HOP, ORDER_FORWARD, ORDER_BACKWARD };
enum traffic { TRAFFIC_NONE, TRAFFIC_READ, TRAFFIC_WRITE, TRAFFIC_COPY };
/* Untouched ones are no choice of a plan's. */
enum pages { PAGES_NORMAL, PAGES_HUGE, PAGES_UNTOUCHED };
/* What a line ends with, on a way that may change bytes. */
enum check { CHECK_NONE, CHECK_CRC32 };
enum direction { CPU_TO_FPGA, FPGA_TO_CPU, LOOP };
/* Mistakes of measuring that the probe makes where a test asks for them; README.md tells each. */
enum mistake {
  MISTAKE_NONE,
  MISTAKE_COLD,
  MISTAKE_UNTOUCHED,
  MISTAKE_SHORT_BATCHES,
  MISTAKE_UNUSED,
  MISTAKE_IN_FLIGHT,
  MISTAKE_SAME_CORE,
  MISTAKE_NOT_READ_BACK,
  MISTAKE_WRONG_BYTE
};
enum block_mode { BLOCK_COHERENT, BLOCK_STREAMING };

/* A point of the plan. Texts lie in the plan's own text. Sizes are bytes, times nanoseconds. */
struct point {
  uint64_t id;
  uint64_t kernel; /* enum kernel_name */
  uint64_t bytes, stride, within, width, offset, length;
  uint64_t means, order, shift;
  uint64_t traffic, threads, traffic_bytes;
  uint64_t request;                              /* of an ioctl */
  uint64_t card, stream, direction, mode, depth; /* of Datra's blocks */
  const char* target;                            /* the path of a window, file or heap */
  unsigned line;
  uint32_t asked; /* the sum of its line, without blanks at its ends and its comment */
};

/* What holds for the whole run. */
struct settings {
  uint64_t seed, blocks, samples, group;
  uint64_t budget, batch, timeout; /* ns */
  uint64_t cpu;                    /* CPU_ANY: the first that the program may use */
  uint64_t pages;
  uint64_t devmem;
  uint64_t check;   /* enum check */
  uint64_t mistake; /* enum mistake */
  double spread;
};
#define CPU_ANY UINT64_MAX

struct plan {
  struct settings set;
  struct point* points;
  size_t count;
};

/* Whether the last whole line of `text` says that the plan ends, for a way without an end of its
 * own. */
bool plan_ended(const char* text, size_t length);
/* How many points `text` can hold at most. */
size_t plan_room(const char* text, size_t length);
/*
 * Reads `text`, which it cuts into words in place and which must end with a NUL that `length` does
 * not count; `plan->points` has room for plan_room() points. False: see `fault`.
 */
bool plan_parse(char* text, size_t length, struct plan* plan, struct fault* fault);
void plan_defaults(struct settings* set);

extern const char* const kernel_names[KERNELS + 1]; /* NULL ends them */
extern const char* const outcome_names[];

/*
 * Measures the plan and writes samples by lines_emit(). Gives the exit status: 0, 1 when the
 * output could not be written, 130 after an interrupt.
 */
int probe_run(const struct plan* plan);

#endif
