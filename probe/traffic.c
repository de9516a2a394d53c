/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that move bytes beside what is measured, each on a processor of its own if there is one.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "linux.h"
#include "sweeps.h"

enum { MOST = 256, CHUNK = 4096 };

struct mover {
  pthread_t thread;
  const struct point* point;
  struct memory from, to;
  int cpu;
  _Atomic uint64_t moved;
  char pad[64]; /* a line of its own: counting must not be traffic between processors */
};

static struct mover movers[MOST];
static unsigned running;
static atomic_bool ending;

static void* move(void* argument) {
  struct mover* mover = argument;
  const struct point* point = mover->point;
  const struct sweeps* sweeps = vector_sweeps();
  const size_t bytes = point->traffic_bytes / 64 * 64;
  volatile uint64_t sink;
  cpu_set_t one;

  linux_block_signals();
  CPU_ZERO(&one);
  CPU_SET(mover->cpu, &one);
  sched_setaffinity(0, sizeof(one), &one);
  while (!atomic_load_explicit(&ending, memory_order_relaxed))
    for (size_t at = 0; at < bytes && !atomic_load_explicit(&ending, memory_order_relaxed);
         at += CHUNK) {
      const size_t here = bytes - at < CHUNK ? bytes - at : CHUNK;
      char *from = (char*)mover->from.data + at, *to = (char*)mover->to.data + at;

      if (point->traffic == TRAFFIC_READ)
        sink = sweeps->read(from, here);
      else if (point->traffic == TRAFFIC_WRITE)
        sweeps->write(from, here, at);
      else
        sweeps->copy(to, from, here);
      atomic_fetch_add_explicit(&mover->moved, here, memory_order_relaxed);
    }
  (void)sink;
  return NULL;
}

enum outcome platform_traffic_start(const struct point* point, const struct settings* set,
                                    char* message) {
  ending = false;
  for (running = 0; running < point->threads; running++) {
    struct mover* mover = &movers[running];
    enum outcome outcome;

    memset(mover, 0, sizeof(*mover));
    mover->point = point;
    mover->cpu =
        set->mistake == MISTAKE_SAME_CORE ? linux_main_cpu() : linux_cpu_for_traffic(running);
    outcome = platform_memory(&mover->from, point->traffic_bytes, PAGES_NORMAL, message);
    if (outcome == OUTCOME_OK && point->traffic == TRAFFIC_COPY)
      outcome = platform_memory(&mover->to, point->traffic_bytes, PAGES_NORMAL, message);
    if (outcome == OUTCOME_OK && pthread_create(&mover->thread, NULL, move, mover)) {
      snprintf(message, MESSAGE, "the system gives no thread for traffic");
      outcome = OUTCOME_NO_MEMORY;
    }
    if (outcome != OUTCOME_OK) {
      platform_release(&mover->from);
      platform_release(&mover->to);
      platform_traffic_stop();
      return outcome;
    }
  }
  /* None is measured beside before all are under way. */
  for (unsigned i = 0; i < running && !platform_stopped(); i++)
    while (!atomic_load_explicit(&movers[i].moved, memory_order_relaxed) && !platform_stopped())
      nanosleep(&(struct timespec){0, 20000}, NULL);
  return OUTCOME_OK;
}

uint64_t platform_traffic_moved(void) {
  uint64_t sum = 0;

  for (unsigned i = 0; i < running; i++)
    sum += atomic_load_explicit(&movers[i].moved, memory_order_relaxed);
  return sum;
}

void platform_traffic_stop(void) {
  ending = true;
  for (; running; running--) {
    struct mover* mover = &movers[running - 1];

    pthread_join(mover->thread, NULL);
    platform_release(&mover->from);
    platform_release(&mover->to);
  }
}
