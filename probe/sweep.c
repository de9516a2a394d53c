/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over memory after another: read, write, read-modify-write. */
#include <string.h>

#include "kernels.h"
#include "sweeps.h"

/* Sums are chains as they are written. A loop begins with a line of the instruction cache, for
 * where the linker puts it changes the time of small buffers by a fifth. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-reassoc", "align-loops=64")
#endif

/* Takes part in the order of what is compiled, so that no pass is left out or joined with the next.
 */
static inline void pass_ends(void* memory) { __asm__ volatile("" : : "r"(memory) : "memory"); }

static uint64_t moved(const struct point* point) {
  return point->bytes / point->stride * point->width;
}

/* ---- by words
 * ------------------------------------------------------------------------------------ */

/*
 * Unrolled 32 times where the stride is one that other tools use; else, and if a plain loop is
 * asked for, a word an iteration. At a stride of four words they are the loops of LMbench's bw_mem:
 * stores are of the constant 1, which a processor may decode more slowly than a register's, and an
 * update adds up what is there and stores 1.
 */
#define FOUR(i, step) \
  p[(i) * (step)] + p[((i) + 1) * (step)] + p[((i) + 2) * (step)] + p[((i) + 3) * (step)]
#define SUM(step)                                                                    \
  (FOUR(0, step) + FOUR(4, step) + FOUR(8, step) + FOUR(12, step) + FOUR(16, step) + \
   FOUR(20, step) + FOUR(24, step) + FOUR(28, step))
#define PUT(i, step)                                                                     \
  p[(i) * (step)] = value, p[((i) + 1) * (step)] = value, p[((i) + 2) * (step)] = value, \
          p[((i) + 3) * (step)] = value
#define ADD(i, step) \
  p[(i) * (step)]++, p[((i) + 1) * (step)]++, p[((i) + 2) * (step)]++, p[((i) + 3) * (step)]++
#define ONE(i, step)                                                         \
  p[(i) * (step)] = 1, p[((i) + 1) * (step)] = 1, p[((i) + 2) * (step)] = 1, \
          p[((i) + 3) * (step)] = 1
#define TAKE(i) sum += p[i], p[i] = 1
#define SWAP(i, step) \
  TAKE((i) * (step)), TAKE(((i) + 1) * (step)), TAKE(((i) + 2) * (step)), TAKE(((i) + 3) * (step))
#define EACH(what, step)                                                                       \
  what(0, step), what(4, step), what(8, step), what(12, step), what(16, step), what(20, step), \
      what(24, step), what(28, step)

#define SCALAR(type, bits)                                                                       \
  static type read_##bits(const void* from, uint64_t words, uint64_t step, bool unrolled) {      \
    const type* p = from;                                                                        \
    type sum = 0;                                                                                \
    if (unrolled && step == 1)                                                                   \
      for (; words >= 32; words -= 32, p += 32) sum += SUM(1);                                   \
    else if (unrolled && step == 4)                                                              \
      for (; words >= 32; words -= 32, p += 128) sum += SUM(4);                                  \
    for (; words; words--, p += step) sum += *p;                                                 \
    return sum;                                                                                  \
  }                                                                                              \
  static void write_##bits(void* to, uint64_t words, uint64_t step, bool unrolled, type value) { \
    type* p = to;                                                                                \
    if (unrolled && step == 1)                                                                   \
      for (; words >= 32; words -= 32, p += 32) EACH(PUT, 1);                                    \
    else if (unrolled && step == 4)                                                              \
      for (value = 1; words >= 32; words -= 32, p += 128) EACH(ONE, 4);                          \
    for (; words; words--, p += step) *p = value;                                                \
  }                                                                                              \
  static type update_##bits(void* to, uint64_t words, uint64_t step, bool unrolled) {            \
    type *p = to, sum = 0;                                                                       \
    if (unrolled && step == 1)                                                                   \
      for (; words >= 32; words -= 32, p += 32) EACH(ADD, 1);                                    \
    else if (unrolled && step == 4)                                                              \
      for (; words; words -= 32, p += 128) {                                                     \
        if (words < 32) {                                                                        \
          for (; words; words--, p += 4) TAKE(0);                                                \
          break;                                                                                 \
        }                                                                                        \
        EACH(SWAP, 4);                                                                           \
      }                                                                                          \
    for (; words; words--, p += step) ++*p;                                                      \
    return sum;                                                                                  \
  }

typedef uint32_t word32 __attribute__((may_alias));
typedef uint64_t word64 __attribute__((may_alias));
SCALAR(word32, 32)
SCALAR(word64, 64)

static uint64_t words(const struct point* point) { return point->bytes / point->stride; }
static uint64_t step(const struct point* point) { return point->stride / point->width; }
static bool unrolled(const struct point* point) { return point->means == MEANS_SCALAR; }
/* Whether passes store the constant 1. */
static bool constant(const struct point* point) { return unrolled(point) && step(point) == 4; }

/* ---- read
 * ---------------------------------------------------------------------------------------- */

static uint64_t read_pass(const struct job* job) {
  const struct point* point = job->point;

  if (point->means == MEANS_VECTOR) return vector_sweeps()->read(job->a.data, point->bytes);
  if (point->width == 8) return read_64(job->a.data, words(point), step(point), unrolled(point));
  return read_32(job->a.data, words(point), step(point), unrolled(point));
}

/* The sum that a pass must give, by another loop than that which is measured. */
static uint64_t read_sum(const struct job* job) {
  const struct point* point = job->point;
  const bool wide = point->means == MEANS_VECTOR || point->width == 8;
  const size_t stride = point->means == MEANS_VECTOR ? 8 : point->stride;
  uint64_t sum = 0;

  for (size_t at = 0; at < point->bytes; at += stride) {
    uint64_t value = 0;

    memcpy(&value, (char*)job->a.data + at, wide ? 8 : 4);
    sum += wide ? value : (uint32_t)value;
  }
  return wide ? sum : (uint32_t)sum;
}

static enum outcome prepare(struct job* job) {
  enum outcome outcome = job_memory(job, &job->a, job->point->bytes);

  job->per = moved(job->point);
  job->warm = 2;
  job->known = true;
  if (outcome != OUTCOME_OK) return outcome;
  job_fill(job, &job->a);
  return OUTCOME_OK;
}

static enum outcome read_prepare(struct job* job) {
  const enum outcome outcome = prepare(job);

  if (outcome == OUTCOME_OK) job->want = read_sum(job);
  return outcome;
}

static void read_run(struct job* job, uint64_t repetitions) {
  /* The compiler leaves out what nobody uses. */
  for (; makes(job, MISTAKE_UNUSED) && repetitions; repetitions--) (void)read_pass(job);
  while (repetitions--) {
    job->sum += read_pass(job);
    pass_ends(job->a.data);
  }
}

static bool read_verify(struct job* job) {
  if (job->sum == job->want * job->repetitions)
    /* The sum is right as well where source and pass are wrong alike. */
    return filled(job->a.data, job->point->bytes, job->seed, job->message);
  say_at(job->message, "the sum of the words read is wrong after pass ", job->repetitions);
  return false;
}

/* ---- write: each pass another value
 * -------------------------------------------------------------- */

static enum outcome write_prepare(struct job* job) {
  static char line[64] __attribute__((aligned(64)));

  if (job->point->means == MEANS_STREAM && !stream_write(line, sizeof(line), 0)) {
    say_at(job->message,
           "this processor has no stores that pass its caches by; vectors have bytes: ",
           platform_vector_bytes());
    return OUTCOME_REFUSED;
  }
  return prepare(job);
}

static void write_run(struct job* job, uint64_t repetitions) {
  const struct point* point = job->point;
  void* to = job->a.data;

  for (; repetitions--; pass_ends(to)) {
    const uint64_t value = ++job->sum * UINT64_C(0x0101010101010101);

    switch (point->means) {
      case MEANS_LIBC:
        memset(to, (int)(job->sum & 0xff), point->bytes);
        break;
      case MEANS_VECTOR:
        vector_sweeps()->write(to, point->bytes, value);
        break;
      case MEANS_STREAM:
        stream_write(to, point->bytes, value);
        break;
      default:
        if (point->width == 8)
          write_64(to, words(point), step(point), unrolled(point), value);
        else
          write_32(to, words(point), step(point), unrolled(point), (uint32_t)value);
    }
  }
}

/* Whether each word that the passes touch is `value`, or `add` more than it was; others as they
 * were. */
static bool words_are(struct job* job, const uint64_t* value, uint64_t add) {
  const struct point* point = job->point;
  const size_t width = by_words(point->means) ? (size_t)point->width : 8;
  const size_t stride = by_words(point->means) ? (size_t)point->stride : 8;
  const uint64_t mask = width == 8 ? UINT64_MAX : UINT32_MAX;
  const size_t bytes = (size_t)point->bytes;
  uint64_t state = job->seed;

  for (size_t at = 0; at < bytes; at += 8) {
    const size_t here = bytes - at < 8 ? bytes - at : 8;
    uint64_t was = 0, is = 0, want = 0;

    /* As fill() does it: words, and byte by byte what is left of the last. */
    if (here == 8) was = sequence_next(&state);
    for (size_t i = 0; here < 8 && i < here; i++) was |= (sequence_next(&state) & 0xff) << i * 8;
    memcpy(&is, (char*)job->a.data + at, here);
    for (size_t part = 0; part < here; part += width) {
      uint64_t one = was >> part * 8 & mask;

      if ((at + part) % stride == 0) one = (value ? *value : one + add) & mask;
      want |= one << part * 8;
    }
    if (here < 8) want &= (UINT64_C(1) << here * 8) - 1;
    if (is == want) continue;
    say_at(job->message, "wrong bytes after the last pass, from byte ", at);
    return false;
  }
  return true;
}

static bool write_verify(struct job* job) {
  uint64_t value = job->sum * UINT64_C(0x0101010101010101);

  if (constant(job->point)) value = 1;
  if (job->point->means == MEANS_LIBC) value = (job->sum & 0xff) * UINT64_C(0x0101010101010101);
  return words_are(job, &value, 0);
}

/* ---- update: each pass adds one, or takes what is there and stores one
 * ------------------------------------------------------------------ */

static void update_run(struct job* job, uint64_t repetitions) {
  const struct point* point = job->point;

  for (; repetitions--; pass_ends(job->a.data)) {
    if (point->means == MEANS_VECTOR)
      vector_sweeps()->update(job->a.data, point->bytes);
    else if (point->width == 8)
      job->sum += update_64(job->a.data, words(point), step(point), unrolled(point));
    else
      job->sum += update_32(job->a.data, words(point), step(point), unrolled(point));
  }
}

static bool update_verify(struct job* job) {
  const uint64_t one = 1;

  if (!constant(job->point)) return words_are(job, NULL, job->repetitions);
  /* The first pass takes what was filled in, each other one ones. */
  if (job->sum == job->want + (job->repetitions - 1) * words(job->point))
    return words_are(job, &one, 0);
  say_at(job->message, "the sum of the words taken is wrong after pass ", job->repetitions);
  return false;
}

const struct kernel read_kernel = {read_prepare, read_run, read_verify, job_release};
const struct kernel write_kernel = {write_prepare, write_run, write_verify, job_release};
const struct kernel update_kernel = {read_prepare, update_run, update_verify, job_release};
