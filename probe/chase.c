/* SPDX-License-Identifier: Apache-2.0 */
/* Dependent loads: each gives the address of the next, so that none can begin before the last ends.
 */
#include "kernels.h"

enum { PAGE = 4096 };

/* Visits groups of `group` neighbours, groups and neighbours in random order. */
static void by_group(uint32_t* order, uint32_t* scratch, uint64_t nodes, uint64_t group,
                     uint64_t* state) {
  const uint64_t groups = (nodes + group - 1) / group;
  uint32_t* within = scratch + groups;
  uint64_t used = 0;

  sequence_shuffle(scratch, groups, state);
  for (uint64_t g = 0; g < groups; g++) {
    const uint64_t first = scratch[g] * group;
    const uint64_t count = nodes - first < group ? nodes - first : group;

    sequence_shuffle(within, count, state);
    for (uint64_t i = 0; i < count; i++) order[used++] = (uint32_t)(first + within[i]);
  }
}

/* A new page at each access and a new place in it: page after page at one place would go to the
 * same set of a cache again and again, and measure its conflicts. */
static void by_place(uint32_t* order, uint32_t* scratch, uint64_t nodes, uint64_t in_page,
                     uint64_t* state) {
  const uint64_t pages = (nodes + in_page - 1) / in_page;
  uint32_t* place = scratch + pages;
  uint64_t used = 0;

  sequence_shuffle(scratch, pages, state);
  sequence_shuffle(place, in_page, state);
  for (uint64_t i = 0; i < in_page; i++)
    for (uint64_t p = 0; p < pages; p++) {
      const uint64_t node = scratch[p] * in_page + place[(i + p) % in_page];

      if (node < nodes) order[used++] = (uint32_t)node;
    }
}

static void sequence(struct job* job) {
  const struct point* point = job->point;
  uint32_t *order = job->order.data, *scratch = order + job->nodes;
  uint64_t state = job->seed, each;

  switch (point->order) {
    case ORDER_PAGE:
      each = point->within / point->stride;
      by_group(order, scratch, job->nodes, each, &state);
      break;
    case ORDER_HOP:
      each = point->stride < PAGE ? PAGE / point->stride : 1;
      by_place(order, scratch, job->nodes, each, &state);
      break;
    case ORDER_FORWARD:
      for (uint64_t i = 0; i < job->nodes; i++) order[i] = (uint32_t)i;
      break;
    case ORDER_BACKWARD:
      for (uint64_t i = 0; i < job->nodes; i++) order[i] = (uint32_t)(job->nodes - 1 - i);
      break;
    default:
      sequence_shuffle(order, job->nodes, &state);
  }
}

static void* node(const struct job* job, uint64_t step) {
  const uint32_t* order = job->order.data;

  return (char*)job->a.data + order[step % job->nodes] * job->point->stride;
}

static enum outcome prepare(struct job* job) {
  const struct point* point = job->point;
  uint64_t each = point->within / point->stride;
  enum outcome outcome = job_memory(job, &job->a, point->bytes);

  job->nodes = point->bytes / point->stride;
  job->per = sizeof(void*);
  job->known = true;
  /* Once round; of a large cycle as much as run() does in its time for warming. */
  job->warm = job->nodes;
  if (each > job->nodes) each = job->nodes;
  /* The order, and room for the numbers of groups and of the places in one: at most nodes + each.
   */
  if (outcome == OUTCOME_OK)
    outcome = platform_memory(&job->order, (job->nodes * 2 + each + PAGE) * sizeof(uint32_t),
                              PAGES_NORMAL, job->message);
  if (outcome != OUTCOME_OK) return outcome;
  sequence(job);
  for (uint64_t i = 0; i < job->nodes; i++) *(void**)node(job, i) = node(job, i + 1);
  job->at = node(job, 0);
  return OUTCOME_OK;
}

#define FOUR                                                                       \
  at = *(void* volatile*)at, at = *(void* volatile*)at, at = *(void* volatile*)at, \
  at = *(void* volatile*)at;

static void run(struct job* job, uint64_t repetitions) {
  void* at = job->at;
  uint64_t left = repetitions;

  /* Each address is known beforehand, and where the loads lead nobody asks. */
  for (; makes(job, MISTAKE_IN_FLIGHT) && left; left--)
    (void)*(void* volatile*)((char*)job->a.data + left % job->nodes * job->point->stride);
  for (; left >= 32; left -= 32) {
    FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR
  }
  while (left--) at = *(void* volatile*)at;
  job->at = at;
}

static bool verify(struct job* job) {
  if (job->at == node(job, job->repetitions)) return true;
  say_at(job->message, "the chain of loads is not where it must be after load ", job->repetitions);
  return false;
}

const struct kernel chase_kernel = {prepare, run, verify, job_release};
