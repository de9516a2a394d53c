/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Datra's blocks without copying, by libdatra: `depth` of them in flight in each direction, a
 * repetition takes the oldest back and gives it to the logic again. In a loop all that is sent
 * comes back, and is compared. With a heap the blocks are buffers that its driver has made. What is
 * at the other end of one direction is the caller's to route.
 */
#ifdef PROBE_DATRA
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "datra.h"
#include "kernels.h"
#include "linux.h"

static enum outcome failed(struct job* job) {
  snprintf(job->message, MESSAGE, "%s", datra_error());
  job->failed = OUTCOME_IO_ERROR;
  return OUTCOME_IO_ERROR;
}

static struct window* shares(struct job* job, const void* stream) {
  return job->shares[stream == job->from];
}

/* Where a block's bytes are for the processor: other drivers' buffers are mapped by themselves. */
static void* data_of(struct job* job, void* stream, unsigned number) {
  return job->point->target ? (void*)shares(job, stream)[number].data
                            : datra_block(stream, number)->data;
}

/* Buffers that another driver has made become blocks; -1 after a fault. */
static int imported(struct job* job, void* stream) {
  const struct point* point = job->point;
  struct window* share = shares(job, stream);
  int descriptors[8];

  for (uint64_t i = 0; i < point->depth; i++) {
    job->failed = platform_window(&share[i], point, true, job->set, job->message);
    if (job->failed != OUTCOME_OK) return -1;
    descriptors[i] = share[i].shared;
    if (descriptors[i]) continue;
    snprintf(job->message, MESSAGE, "%.90s: no heap of buffers that devices share", point->target);
    job->failed = OUTCOME_REFUSED;
    return -1;
  }
  return datra_import(stream, descriptors, (unsigned)point->depth);
}

/* How many blocks the stream has; 0 after a fault, which is told. */
static unsigned opened(struct job* job, enum datra_direction direction, void** stream) {
  const struct point* point = job->point;
  const enum datra_mode mode = point->mode == BLOCK_COHERENT ? DATRA_COHERENT : DATRA_STREAMING;
  int count = -1;

  *stream = datra_dma_open((unsigned)point->card, direction, (unsigned)point->stream, 0);
  if (*stream)
    count = point->target
                ? imported(job, *stream)
                : datra_blocks(*stream, mode, (uint32_t)point->bytes, (unsigned)point->depth);
  if (count > 0) return (unsigned)count;
  if (job->failed != OUTCOME_OK) return 0;
  failed(job);
  return 0;
}

static bool give(struct job* job, struct datra_stream* stream, unsigned number) {
  datra_block(stream, number)->bytes = (uint32_t)job->point->bytes;
  if (datra_submit(stream, number) == 0) return true;
  failed(job);
  return false;
}

static bool take(struct job* job, struct datra_stream* stream, unsigned* number) {
  const int taken = datra_wait(stream);

  if (taken >= 0) {
    *number = (unsigned)taken;
    return true;
  }
  failed(job);
  return false;
}

static uint64_t pattern(const struct job* job, unsigned number) {
  return job->seed + number * UINT64_C(0xd1342543de82ef95);
}

static enum outcome prepare(struct job* job) {
  const struct point* point = job->point;
  const unsigned card = (unsigned)point->card;
  unsigned depth = 0;

  job->per = point->bytes;
  job->warm = 2 * point->depth;
  job->known = point->direction == LOOP;
  if (point->direction != CPU_TO_FPGA) {
    depth = opened(job, DATRA_FROM_LOGIC, &job->from);
    if (!depth) return job->failed;
  }
  if (point->direction != FPGA_TO_CPU) {
    const unsigned count = opened(job, DATRA_TO_LOGIC, &job->to);

    if (!count) return job->failed;
    if (depth && count != depth) {
      snprintf(job->message, MESSAGE, "%u blocks there and %u back; give another depth", count,
               depth);
      return OUTCOME_REFUSED;
    }
    depth = count;
  }
  if (job->known) {
    const int out = datra_queue(job->to), in = datra_queue(job->from);

    if (out < 0 || in < 0 || datra_connect(card, out & 0xff, out >> 8, in & 0xff, in >> 8))
      return failed(job);
  }
  for (unsigned i = 0; i < depth; i++) {
    if (job->to) fill(data_of(job, job->to, i), point->bytes, pattern(job, i));
    if (job->to && point->target) linux_sync(shares(job, job->to)[i].shared, true);
    if (job->from && point->target) linux_sync(shares(job, job->from)[i].shared, true);
    if (job->from && !give(job, job->from, i)) return OUTCOME_IO_ERROR;
  }
  for (unsigned i = 0; job->to && i < depth; i++)
    if (!give(job, job->to, i)) return OUTCOME_IO_ERROR;
  job->nodes = depth;
  return OUTCOME_OK;
}

static void run(struct job* job, uint64_t repetitions) {
  unsigned to = 0, from = 0;

  while (repetitions-- && job->failed == OUTCOME_OK) {
    if (job->from && !take(job, job->from, &from)) return;
    if (job->to && !take(job, job->to, &to)) return;
    if (job->from && !give(job, job->from, from)) return;
    if (job->to && !give(job, job->to, to)) return;
  }
}

/* What is still in flight comes back, in the order in which it was given. */
static bool verify(struct job* job) {
  unsigned number;

  for (uint64_t i = 0; job->known && i < job->nodes; i++) {
    if (!take(job, job->from, &number)) return false;
    if (datra_block(job->from, number)->bytes != job->point->bytes) {
      say_at(job->message, "a block came back with another length, in bytes: ",
             datra_block(job->from, number)->bytes);
      return false;
    }
    if (job->point->target) linux_sync(shares(job, job->from)[number].shared, false);
    if (!filled(data_of(job, job->from, number), job->point->bytes, pattern(job, number),
                job->message))
      return false;
  }
  return true;
}

static void release(struct job* job) {
  datra_close(job->to);
  datra_close(job->from);
  for (unsigned i = 0; i < 8; i++) {
    platform_window_close(&job->shares[0][i]);
    platform_window_close(&job->shares[1][i]);
  }
}

const struct kernel block_kernel = {prepare, run, verify, release};
#endif
