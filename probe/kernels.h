/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel moves bytes: prepared with fresh memory for each block, run for any number of
 * repetitions, verified after them.
 */
#ifndef PROBE_KERNELS_H
#define PROBE_KERNELS_H

#include "platform.h"

/* Loops are measured as they are written: joined neither to library calls nor to vectors. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-vectorize", "no-tree-loop-distribute-patterns")
#endif

/* One block of one point. */
struct job {
  const struct point* point;
  const struct settings* set;
  uint64_t seed;
  uint64_t repetitions; /* done in this block */
  uint64_t per;         /* bytes that one repetition moves */
  uint64_t warm;        /* repetitions before the first sample */
  bool known;           /* whether verify() can tell right bytes from wrong */
  enum outcome failed;  /* set within run() where a call fails */
  char message[MESSAGE];

  struct memory a, b, order;
  struct window window;
  void* at;           /* where a chain of loads stands */
  uint64_t nodes;     /* of that chain */
  uint64_t sum, want; /* of words read; of one repetition */
  int file;
  uint64_t length;            /* of that file */
  void *to, *from;            /* streams of blocks */
  struct window shares[2][8]; /* buffers of a heap that are blocks: to, from */
};

struct kernel {
  /* Allocates, fills, sets per, warm and known. What it leaves behind release() frees. */
  enum outcome (*prepare)(struct job* job);
  void (*run)(struct job* job, uint64_t repetitions);
  /* Whether the bytes are where they belong. Says what is wrong in job->message. */
  bool (*verify)(struct job* job);
  void (*release)(struct job* job);
};

extern const struct kernel chase_kernel, read_kernel, write_kernel, update_kernel, copy_kernel;
extern const struct kernel uncached_kernel, posted_kernel, written_back_kernel;
extern const struct kernel file_read_kernel, file_write_kernel, ioctl_kernel, block_kernel;
/* NULL where this build does not have it: file.c and block.c need an operating system. */
const struct kernel* platform_kernel(enum kernel_name name);

/* The memory of a job, of the run's pages. */
enum outcome job_memory(struct job* job, struct memory* memory, uint64_t bytes);
void job_release(struct job* job);
/* Words of the job's own sequence into its source. */
void job_fill(struct job* job, const struct memory* memory);
/* Whether a test has asked for this mistake. */
static inline bool makes(const struct job* job, enum mistake mistake) {
  return job->set->mistake == mistake;
}
/* Words of a sequence that the seed gives; and whether they are still there. */
void fill(void* data, size_t bytes, uint64_t seed);
bool filled(const void* data, size_t bytes, uint64_t seed, char* message);

/* `text` and a number, and what is wrong by errno's name where there is one, into a message. */
void say_at(char* message, const char* text, uint64_t number);

uint64_t sequence_next(uint64_t* state);
uint64_t sequence_below(uint64_t* state, uint64_t limit);
/* Puts 0 to count - 1 in an order that the state gives. */
void sequence_shuffle(uint32_t* items, uint64_t count, uint64_t* state);

#endif
