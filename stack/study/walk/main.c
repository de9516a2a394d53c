/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weighbridge-study PLAN [DEVICE]: measures the plan's points in blocks, in an order of chance, and
 * prints one JSON object a line. Exit status: 0, 2 for a bad plan or no device, 130 interrupted.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "report.h"
#include "walk.h"

#define DEVICE "/dev/weighbridge-study"
#define BATCH_RESOLUTIONS 1000
#define MAX_COUNT 100000
#define DUMMY_BYTES (2 << 20)

const char* const outcome_names[] = {"ok",      "unverified", "refused",  "bus_error",
                                     "timeout", "no_memory",  "io_error", "interrupted"};

/* A run: its plan, its way, and how far it is. */
struct walk {
  struct plan plan;
  struct way way;
  void* traffic;     /* what the dummy traffic changes */
  uint64_t batch_ns; /* a batch takes that long at least */
  uint64_t samples;
  uint32_t block;
};

static volatile sig_atomic_t stopped;
static atomic_bool dummy_ends;

static void stop(int signal) { stopped = signal; }

static uint64_t now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

/* The least time that two readings in a row differ by, and the mean cost of one. */
static uint64_t read_timer(double* overhead_ns) {
  uint64_t resolution = UINT64_MAX, first = now(), last = first;
  enum { READINGS = 2000 };
  for (int i = 0; i < READINGS; ++i) {
    uint64_t next = now();
    if (next > last && next - last < resolution) resolution = next - last;
    last = next;
  }
  *overhead_ns = (double)(last - first) / READINGS;
  return resolution;
}

static void tell_machine(const struct way* way) {
  uint32_t features = way->info.features;
  char model[128] = "";
  FILE* file = fopen("/proc/device-tree/model", "r");
  if (file) {
    if (!fgets(model, sizeof(model), file)) model[0] = 0;
    fclose(file);
  }
  report_machine(model, features & STUDY_EMULATED, features & STUDY_HAS_ACP,
                 features & STUDY_HAS_PROGRAM, way->info.window_bytes, way->info.piece_bytes);
}

/* The study's dummy traffic: bytes of 2 MiB are changed one after another, for ever. */
static void* dummy(void* memory) {
  volatile uint8_t* bytes = memory;
  for (size_t i = 0; !atomic_load_explicit(&dummy_ends, memory_order_relaxed);
       i = (i + 1) % DUMMY_BYTES)
    bytes[i]++;
  return NULL;
}

static bool measure_batch(struct walk* walk, struct point* point, uint64_t seed, uint32_t count) {
  struct rusage before, after;
  way_fill(&walk->way, point, seed);
  getrusage(RUSAGE_THREAD, &before);
  int cpu = sched_getcpu();
  uint64_t begin = now();
  for (uint32_t i = 0; i < count; ++i)
    if (!way_move(&walk->way, point)) return false;
  uint64_t ns = now() - begin;
  getrusage(RUSAGE_THREAD, &after);
  struct batch batch = {
      .id = point->id,
      .block = walk->block,
      .count = count,
      .at_ns = begin,
      .ns = ns,
      .bytes = (uint64_t)count * point->bytes,
      .faults = (uint64_t)(after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt),
      .switches = (uint64_t)(after.ru_nivcsw + after.ru_nvcsw - before.ru_nivcsw - before.ru_nvcsw),
      .cpu = cpu,
  };
  report_batch(&batch);
  ++walk->samples;
  return true;
}

/* How many transfers are one batch, which takes batch_ns at least. */
static bool batch_count(struct walk* walk, struct point* point, uint32_t* count) {
  *count = 1;
  if (!walk->batch_ns) return true;
  for (;; *count *= 2) {
    uint64_t begin = now();
    for (uint32_t i = 0; i < *count; ++i)
      if (!way_move(&walk->way, point)) return false;
    if (now() - begin >= walk->batch_ns || *count > MAX_COUNT / 2) return true;
  }
}

static bool measure(struct walk* walk, struct point* point) {
  uint64_t seed = mixed(walk->plan.seed) ^ mixed((uint64_t)point->id << 32 | walk->block);
  uint32_t count;
  /* Looking at every byte once is the warm-up, too. */
  if (!way_verify(&walk->way, point, ~seed)) return false;
  if (walk->plan.samples && !batch_count(walk, point, &count)) return false;
  for (uint32_t i = 0; i < walk->plan.samples; ++i) {
    if (stopped) return false;
    if (!measure_batch(walk, point, seed + i, count) || !way_arrived(&walk->way, point))
      return false;
  }
  return true;
}

static void measure_block(struct walk* walk, struct point* point) {
  pthread_t thread;
  if (!way_choose(&walk->way, point, walk->plan.timeout_us)) return;
  atomic_store(&dummy_ends, false);
  bool started = point->dummy_traffic && pthread_create(&thread, NULL, dummy, walk->traffic) == 0;
  if (point->dummy_traffic && !started) {
    point->outcome = NO_MEMORY;
    snprintf(point->message, sizeof(point->message), "no thread for the dummy traffic");
  } else if (measure(walk, point)) {
    ++point->blocks;
  }
  atomic_store(&dummy_ends, true);
  if (started) pthread_join(thread, NULL);
  way_leave(&walk->way, point);
}

static void shuffle(struct point** order, const struct plan* plan, uint32_t block) {
  uint64_t state = mixed(mixed(plan->seed) ^ block);
  for (uint32_t i = 0; i < plan->count; ++i) order[i] = &plan->points[i];
  for (uint32_t i = plan->count; i > 1; --i) {
    state = mixed(state);
    uint32_t other = (uint32_t)(state % i);
    struct point* point = order[i - 1];
    order[i - 1] = order[other];
    order[other] = point;
  }
}

static char* read_all(const char* name) {
  FILE* file = strcmp(name, "-") ? fopen(name, "r") : stdin;
  if (!file) return NULL;
  size_t used = 0, room = 1 << 16;
  char* text = malloc(room);
  while (text && !feof(file) && !ferror(file)) {
    used += fread(text + used, 1, room - used - 1, file);
    if (used + 1 == room) text = realloc(text, room *= 2);
  }
  if (!text || ferror(file)) return NULL;
  if (memchr(text, 0, used)) return errno = EILSEQ, NULL;
  text[used] = 0;
  return text;
}

/* A point ends with its last block, or where it has failed. */
static void tell_point(const struct walk* walk, const struct point* point) {
  bool cut = point->outcome == OK && point->blocks < walk->plan.blocks;
  report_point(point->id, outcome_names[cut ? INTERRUPTED : point->outcome],
               cut ? "interrupted" : point->message, point->blocks);
}

static int go(struct walk* walk) {
  const struct plan* plan = &walk->plan;
  size_t longest = 0;
  struct point** order = calloc(plan->count, sizeof(*order));
  walk->traffic = calloc(1, DUMMY_BYTES);
  for (uint32_t i = 0; i < plan->count; ++i)
    if (plan->points[i].bytes > longest) longest = plan->points[i].bytes;
  for (walk->block = 0; walk->block < plan->blocks && !stopped; ++walk->block) {
    if (!order || !walk->traffic || !way_buffers(&walk->way, longest))
      return fprintf(stderr, "no memory for %zu bytes\n", longest), 2;
    shuffle(order, plan, walk->block);
    for (uint32_t i = 0; i < plan->count && !stopped && report_taken(); ++i) {
      if (order[i]->outcome != OK) continue;
      measure_block(walk, order[i]);
      if (order[i]->outcome != OK || order[i]->blocks == plan->blocks) tell_point(walk, order[i]);
    }
  }
  for (uint32_t i = 0; i < plan->count; ++i)
    if (plan->points[i].outcome == OK && plan->points[i].blocks < plan->blocks)
      tell_point(walk, &plan->points[i]);
  report_end(plan->count, walk->samples);
  return !report_taken() ? 1 : stopped ? 130 : 0;
}

int main(int count, char** words) {
  if (count < 2 || count > 3) return fprintf(stderr, "usage: weighbridge-study PLAN [DEVICE]\n"), 2;
  static struct walk walk;
  struct fault fault;
  char* text = read_all(words[1]);
  if (!text) return fprintf(stderr, "%s: %s\n", words[1], strerror(errno)), 2;
  if (!plan_read(text, &walk.plan, &fault) ||
      !way_open(&walk.way, count > 2 ? words[2] : DEVICE, &fault))
    return fprintf(stderr, "%s\n", fault.text), 2;
  struct sigaction action = {.sa_handler = stop};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  double overhead_ns;
  uint64_t resolution_ns = read_timer(&overhead_ns);
  walk.batch_ns = walk.plan.batch_us == BATCH_BY_CLOCK ? BATCH_RESOLUTIONS * resolution_ns
                                                       : walk.plan.batch_us * UINT64_C(1000);
  tell_machine(&walk.way);
  report_timer(resolution_ns, overhead_ns, walk.batch_ns);
  return go(&walk);
}
