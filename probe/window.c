/* SPDX-License-Identifier: Apache-2.0 */
/* A mapped window, access by access: reads, posted writes, and writes read back. */
#include "kernels.h"

static enum outcome opened(struct job* job, bool writes) {
  job->per = job->point->bytes;
  job->warm = 1;
  job->known = writes;
  return platform_window(&job->window, job->point, writes, job->set, job->message);
}

static enum outcome read_prepare(struct job* job) { return opened(job, false); }
static enum outcome write_prepare(struct job* job) { return opened(job, true); }

#define READS(type)                                                               \
  {                                                                               \
    const volatile type *at = job->window.data, *end = at + bytes / sizeof(type); \
    while (at < end) sum += *at++;                                                \
  }

static void read_run(struct job* job, uint64_t repetitions) {
  const uint64_t bytes = job->point->bytes;

  while (repetitions--) {
    uint64_t sum = 0;

    switch (job->point->width) {
      case 1:
        READS(uint8_t) break;
      case 2:
        READS(uint16_t) break;
      case 4:
        READS(uint32_t) break;
      default:
        READS(uint64_t)
    }
    job->sum += sum;
  }
}

/* The window is whoever's it is: what it holds is not known. */
static bool read_verify(struct job* job) {
  (void)job;
  return true;
}

/* A word of pass `pass`: neighbours differ, and so do passes. */
static uint64_t word(uint64_t pass, uint64_t at) {
  return (pass + at) * UINT64_C(0x9e3779b97f4a7c15) >> 13;
}

#define WRITES(type)                                                                         \
  {                                                                                          \
    volatile type *at = job->window.data, *end = at + bytes / sizeof(type);                  \
    for (; at < end; at++, value += UINT64_C(0x9e3779b97f4a7c15)) *at = (type)(value >> 13); \
    if (back) job->want += *(end - 1);                                                       \
  }

static void write_passes(struct job* job, uint64_t repetitions, bool back) {
  const uint64_t bytes = job->point->bytes;

  while (repetitions--) {
    uint64_t value = ++job->sum * UINT64_C(0x9e3779b97f4a7c15);

    switch (job->point->width) {
      case 1:
        WRITES(uint8_t) break;
      case 2:
        WRITES(uint16_t) break;
      case 4:
        WRITES(uint32_t) break;
      default:
        WRITES(uint64_t)
    }
  }
}

static void posted_run(struct job* job, uint64_t repetitions) {
  write_passes(job, repetitions, false);
}
static void back_run(struct job* job, uint64_t repetitions) {
  write_passes(job, repetitions, true);
}

#define CHECK(type)                                        \
  {                                                        \
    const volatile type* at = job->window.data;            \
    for (; place < bytes / sizeof(type); place++)          \
      if (at[place] != (type)word(job->sum, place)) break; \
    place *= sizeof(type);                                 \
  }

static bool write_verify(struct job* job) {
  const uint64_t bytes = job->point->bytes;
  uint64_t place = 0;

  switch (job->point->width) {
    case 1:
      CHECK(uint8_t) break;
    case 2:
      CHECK(uint16_t) break;
    case 4:
      CHECK(uint32_t) break;
    default:
      CHECK(uint64_t)
  }
  if (place == bytes) return true;
  say_at(job->message, "the window does not hold what was written, from byte ", place);
  return false;
}

static void release(struct job* job) { platform_window_close(&job->window); }

const struct kernel uncached_kernel = {read_prepare, read_run, read_verify, release};
const struct kernel posted_kernel = {write_prepare, posted_run, write_verify, release};
const struct kernel written_back_kernel = {write_prepare, back_run, write_verify, release};
