/* SPDX-License-Identifier: Apache-2.0 */
/* A mapped window, access by access: reads, posted writes, and writes read back. */
#include <string.h>

#include "kernels.h"
#include "sweeps.h"

/* Whether bytes go between the window and a buffer, as a program's copy does, and not word by word.
 */
static bool by_copy(const struct job* job) { return !by_words(job->point->means); }

static enum outcome opened(struct job* job, bool writes) {
  enum outcome outcome = OUTCOME_OK;

  job->per = job->point->bytes;
  job->warm = 1;
  if (by_copy(job)) outcome = job_memory(job, &job->a, job->point->bytes);
  if (outcome == OUTCOME_OK && by_copy(job)) job_fill(job, &job->a);
  if (outcome == OUTCOME_OK)
    outcome = platform_window(&job->window, job->point, writes, job->set, job->message);
  job->known = writes;
  return outcome;
}

static enum outcome read_prepare(struct job* job) { return opened(job, false); }
static enum outcome write_prepare(struct job* job) { return opened(job, true); }

static void copy_pass(const struct job* job, void* to, const void* from) {
  if (job->point->means == MEANS_LIBC)
    memcpy(to, from, job->point->bytes);
  else if (job->point->means == MEANS_VECTOR)
    vector_sweeps()->copy(to, from, job->point->bytes);
  else
    stream_copy(to, from, job->point->bytes);
  __asm__ volatile("" : : "r"(to), "r"(from) : "memory");
}

#define READS(type)                                                               \
  {                                                                               \
    const volatile type *at = job->window.data, *end = at + bytes / sizeof(type); \
    while (at < end) sum += *at++;                                                \
  }

static void read_run(struct job* job, uint64_t repetitions) {
  const uint64_t bytes = job->point->bytes;

  while (repetitions--) {
    uint64_t sum = 0;

    if (by_copy(job)) {
      copy_pass(job, job->a.data, (void*)job->window.data);
      continue;
    }

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
    /* The last pass counts: what it has read is compared. */
    job->sum = sum;
  }
}

#define SUMS(type) \
  for (uint64_t at = 0; at < bytes; at += sizeof(type)) sum += *(const type*)(data + at);

/*
 * What a window holds is its owner's. Of a file read(2) tells it as well; where that differs,
 * somebody may have changed it meanwhile: then nothing is known.
 */
static bool read_verify(struct job* job) {
  const uint64_t bytes = job->point->bytes;
  const char* data;
  uint64_t sum = 0;

  job->known = job_memory(job, &job->b, bytes) == OUTCOME_OK &&
               platform_window_content(job->point, job->b.data);
  if (!job->known) return true;
  data = job->b.data;
  if (by_copy(job)) {
    job->known = memcmp(data, job->a.data, bytes) == 0;
    return true;
  }
  switch (job->point->width) {
    case 1:
      SUMS(uint8_t) break;
    case 2:
      SUMS(uint16_t) break;
    case 4:
      SUMS(uint32_t) break;
    default:
      SUMS(uint64_t)
  }
  job->known = sum == job->sum;
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
    if (by_copy(job)) {
      copy_pass(job, (void*)job->window.data, job->a.data);
      if (back) job->want += ((const volatile uint8_t*)job->window.data)[bytes - 1];
      continue;
    }
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
  write_passes(job, repetitions, !makes(job, MISTAKE_NOT_READ_BACK));
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

  if (by_copy(job)) return filled((void*)job->window.data, bytes, job->seed, job->message);
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

/* The last word of each pass was read back; of a copy, the last byte. */
static bool back_verify(struct job* job) {
  const struct point* point = job->point;
  const uint64_t last = point->bytes / point->width - 1;
  const uint64_t mask = point->width == 8 ? UINT64_MAX : (UINT64_C(1) << point->width * 8) - 1;
  uint64_t sum = 0;

  if (!write_verify(job)) return false;
  if (by_copy(job))
    sum = job->repetitions * ((const uint8_t*)job->a.data)[point->bytes - 1];
  else
    for (uint64_t pass = 1; pass <= job->sum; pass++) sum += word(pass, last) & mask;
  if (sum == job->want) return true;
  say_at(job->message, "what was read back is not what was written, in passes: ", job->repetitions);
  return false;
}

static void release(struct job* job) {
  platform_window_close(&job->window);
  job_release(job);
}

const struct kernel uncached_kernel = {read_prepare, read_run, read_verify, release};
const struct kernel posted_kernel = {write_prepare, posted_run, write_verify, release};
const struct kernel written_back_kernel = {write_prepare, back_run, back_verify, release};
