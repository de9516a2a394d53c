/* SPDX-License-Identifier: Apache-2.0 */
/* Copies from memory to memory. */
#include <string.h>

#include "kernels.h"
#include "sweeps.h"

/* In the order of the addresses: buffers may overlap for all that the compiler knows. */
#define FOUR(i, step)                                                               \
  d[(i) * (step)] = s[(i) * (step)], d[((i) + 1) * (step)] = s[((i) + 1) * (step)], \
          d[((i) + 2) * (step)] = s[((i) + 2) * (step)],                            \
          d[((i) + 3) * (step)] = s[((i) + 3) * (step)]
#define ALL(step)                                                                              \
  FOUR(0, step), FOUR(4, step), FOUR(8, step), FOUR(12, step), FOUR(16, step), FOUR(20, step), \
      FOUR(24, step), FOUR(28, step)

/* Unrolled where sweep.c unrolls. */
#define COPY(type, bits)                                                             \
  static void copy_##bits(void* to, const void* from, uint64_t words, uint64_t step, \
                          bool unrolled) {                                           \
    type* d = to;                                                                    \
    const type* s = from;                                                            \
    if (unrolled && step == 1)                                                       \
      for (; words >= 32; words -= 32, d += 32, s += 32) ALL(1);                     \
    else if (unrolled && step == 4)                                                  \
      for (; words >= 32; words -= 32, d += 128, s += 128) ALL(4);                   \
    for (; words; words--, d += step, s += step) *d = *s;                            \
  }
typedef uint32_t word32 __attribute__((may_alias));
typedef uint64_t word64 __attribute__((may_alias));
COPY(word32, 32)
COPY(word64, 64)

static enum outcome prepare(struct job* job) {
  static char line[128] __attribute__((aligned(64)));
  const struct point* point = job->point;
  enum outcome outcome;

  if (point->means == MEANS_STREAM && !stream_copy(line, line + 64, 64)) {
    say_at(job->message,
           "this processor has no stores that pass its caches by; vectors have bytes: ",
           platform_vector_bytes());
    return OUTCOME_REFUSED;
  }
  outcome = job_memory(job, &job->a, point->bytes);
  if (outcome == OUTCOME_OK) outcome = job_memory(job, &job->b, point->bytes);
  if (outcome != OUTCOME_OK) return outcome;
  job_fill(job, &job->a);
  fill(job->b.data, point->bytes, ~job->seed);
  job->per = point->bytes / point->stride * point->width;
  job->warm = 2;
  job->known = true;
  return OUTCOME_OK;
}

static void run(struct job* job, uint64_t repetitions) {
  const struct point* point = job->point;
  void* to = job->b.data;
  const void* from = job->a.data;
  const uint64_t words = point->bytes / point->stride, step = point->stride / point->width;

  for (; repetitions--;) {
    switch (point->means) {
      case MEANS_LIBC:
        memcpy(to, from, point->bytes);
        break;
      case MEANS_VECTOR:
        vector_sweeps()->copy(to, from, point->bytes);
        break;
      case MEANS_STREAM:
        stream_copy(to, from, point->bytes);
        break;
      default:
        if (point->width == 8)
          copy_64(to, from, words, step, point->means == MEANS_SCALAR);
        else
          copy_32(to, from, words, step, point->means == MEANS_SCALAR);
    }
    __asm__ volatile("" : : "r"(to), "r"(from) : "memory");
  }
}

static bool verify(struct job* job) {
  const struct point* point = job->point;
  const char *to = job->b.data, *from = job->a.data;

  if (!by_words(point->means) && memcmp(to, from, point->bytes)) {
    say_at(job->message, "the copy differs, of bytes: ", point->bytes);
    return false;
  }
  for (uint64_t at = 0; by_words(point->means) && at < point->bytes; at += point->stride) {
    if (memcmp(to + at, from + at, point->width) == 0) continue;
    say_at(job->message, "the copy differs from byte ", at);
    return false;
  }
  return filled(from, point->bytes, job->seed, job->message);
}

const struct kernel copy_kernel = {prepare, run, verify, job_release};
