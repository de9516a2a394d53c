/* SPDX-License-Identifier: Apache-2.0 */
/* Files and devices by read(2), write(2) and ioctl(2): one call after another. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels.h"
#include "linux.h"

static enum outcome opened(struct job* job, int flags) {
  const struct point* point = job->point;
  struct stat status;

  job->per = point->bytes;
  job->warm = 1;
  /* Looked at before it is opened: opening some devices does something. */
  if (stat(point->target, &status) == 0 && linux_is_memory(&status) && !job->set->devmem) {
    strcpy(job->message, LINUX_MEMORY_REFUSED);
    return OUTCOME_REFUSED;
  }
  job->file = open(point->target, flags | O_CLOEXEC);
  if (job->file < 0 || fstat(job->file, &status)) {
    linux_say(job->message, point->target);
    return OUTCOME_REFUSED;
  }
  job->known = S_ISREG(status.st_mode);
  job->length = job->known ? (uint64_t)status.st_size : 0;
  return OUTCOME_OK;
}

/* A file of a known length must hold what is asked for. */
static enum outcome inside(struct job* job) {
  const struct point* point = job->point;

  if (!job->known || (point->offset <= job->length && point->bytes <= job->length - point->offset))
    return OUTCOME_OK;
  snprintf(job->message, MESSAGE, "bytes %llu to %llu lie outside: it has %llu bytes",
           (unsigned long long)point->offset,
           (unsigned long long)(point->offset + point->bytes - 1), (unsigned long long)job->length);
  return OUTCOME_REFUSED;
}

static enum outcome prepare(struct job* job, int flags) {
  enum outcome outcome = opened(job, flags);

  if (outcome == OUTCOME_OK) outcome = inside(job);
  if (outcome == OUTCOME_OK) outcome = job_memory(job, &job->a, job->point->bytes);
  if (outcome == OUTCOME_OK) job_fill(job, &job->a);
  return outcome;
}

static enum outcome read_prepare(struct job* job) { return prepare(job, O_RDONLY); }
static enum outcome write_prepare(struct job* job) { return prepare(job, O_WRONLY); }

/* Calls until all bytes have moved; a file begins anew at its offset, a stream goes on. */
static void passes(struct job* job, uint64_t repetitions, bool writes) {
  const struct point* point = job->point;
  char* data = job->a.data;

  while (repetitions-- && job->failed == OUTCOME_OK)
    for (uint64_t at = 0; at < point->bytes;) {
      const size_t left = point->bytes - at;
      const off_t place = (off_t)(point->offset + at);
      const ssize_t done = job->known ? writes ? pwrite(job->file, data + at, left, place)
                                               : pread(job->file, data + at, left, place)
                           : writes   ? write(job->file, data + at, left)
                                      : read(job->file, data + at, left);

      if (done > 0) {
        at += (uint64_t)done;
        continue;
      }
      if (done < 0 && errno == EINTR) continue;
      if (done == 0) errno = ENODATA;
      linux_say(job->message, writes ? "write" : "read");
      job->failed = OUTCOME_IO_ERROR;
      break;
    }
}

static void read_run(struct job* job, uint64_t repetitions) { passes(job, repetitions, false); }
static void write_run(struct job* job, uint64_t repetitions) { passes(job, repetitions, true); }

/* Compares the buffer with the file, read again by other calls; a stream has nothing to compare. */
static bool verify(struct job* job) {
  const struct point* point = job->point;
  const int file = job->known ? open(point->target, O_RDONLY | O_CLOEXEC) : -1;
  char piece[4096];
  uint64_t at = 0;

  if (!job->known) return true;
  while (file >= 0 && at < point->bytes) {
    const size_t left = point->bytes - at < sizeof(piece) ? point->bytes - at : sizeof(piece);
    const ssize_t done = pread(file, piece, left, (off_t)(point->offset + at));

    if (done <= 0 || memcmp(piece, (char*)job->a.data + at, (size_t)done)) break;
    at += (uint64_t)done;
  }
  if (file >= 0) close(file);
  if (at == point->bytes) return true;
  say_at(job->message, "the file does not hold what was moved, from byte ", at);
  return false;
}

/* The file may hold what was written, and that be nothing. */
static bool write_verify(struct job* job) {
  return filled(job->a.data, job->point->bytes, job->seed, job->message) && verify(job);
}

static void release(struct job* job) {
  if (job->file >= 0) close(job->file);
  job_release(job);
}

/* ---- ioctl: one request, with an argument of `bytes`, or none
 * ------------------------------------ */

static enum outcome ioctl_prepare(struct job* job) {
  enum outcome outcome = opened(job, O_RDONLY | O_NONBLOCK);

  job->known = false;
  if (outcome != OUTCOME_OK || !job->point->bytes) return outcome;
  outcome = job_memory(job, &job->a, job->point->bytes);
  if (outcome == OUTCOME_OK) memset(job->a.data, 0, job->point->bytes);
  return outcome;
}

static void ioctl_run(struct job* job, uint64_t repetitions) {
  while (repetitions-- && job->failed == OUTCOME_OK)
    if (ioctl(job->file, (unsigned)job->point->request, job->a.data) < 0 && errno != EINTR) {
      linux_say(job->message, "ioctl");
      job->failed = OUTCOME_IO_ERROR;
    }
}

static bool ioctl_verify(struct job* job) {
  (void)job;
  return true;
}

const struct kernel file_read_kernel = {read_prepare, read_run, verify, release};
const struct kernel file_write_kernel = {write_prepare, write_run, write_verify, release};
const struct kernel ioctl_kernel = {ioctl_prepare, ioctl_run, ioctl_verify, release};
