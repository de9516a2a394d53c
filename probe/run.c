/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches, blocks, order and budget. Points go in groups, at random; the blocks of a group's points
 * are interleaved, each with fresh memory, so that what drifts meets all of them.
 */
#include <string.h>

#include "kernels.h"
#include "lines/json.h"
#include "statistics.h"
#include "timer.h"

enum { SLICES = 8, LEAST_SAMPLES = 8, MOST_KEPT = 1000, MOST_BLOCKS = 64, MOST_RETRIES = 32 };
/* Repetitions from which on more of them must take longer: milliseconds of the shortest there are.
 */
enum { STILL_COUNT = 1 << 22 };
/* Blocks that are added where the medians of the first ones are too far apart. */
enum { MORE_BLOCKS = 2 };

struct run {
  const struct plan* plan;
  struct timer timer;
  uint64_t begun, samples;
  uint64_t batch; /* ns, at least */
  bool output;    /* is there */
};

/* What is kept of a point from block to block. */
struct progress {
  const struct point* point;
  enum outcome outcome;
  bool known, done;
  uint64_t blocks, samples;
  double medians[MOST_BLOCKS];
  char message[MESSAGE];
};

/* One block, as it goes through platform_guard(). */
struct block {
  struct run* run;
  struct progress* progress;
  const struct kernel* kernel;
  struct job job;
  uint64_t enough, until; /* ns of platform_now(): where a block may end, and where it must */
  uint64_t count;         /* of the batch */
  uint64_t ticks, slowest, usual;
  bool sliced, verified;
  enum outcome outcome;
};

const struct kernel* kernel_of(enum kernel_name name) {
  switch (name) {
    case KERNEL_LOAD:
      return &chase_kernel;
    case KERNEL_READ:
      return &read_kernel;
    case KERNEL_WRITE:
      return &write_kernel;
    case KERNEL_COPY:
      return &copy_kernel;
    case KERNEL_UPDATE:
      return &update_kernel;
    case KERNEL_UNCACHED:
      return &uncached_kernel;
    case KERNEL_POSTED:
      return &posted_kernel;
    case KERNEL_WRITTEN_BACK:
      return &written_back_kernel;
    default:
      return platform_kernel(name);
  }
}

/* ---- what is done under guard
 * -------------------------------------------------------------------- */

static void prepare(void* argument) {
  struct block* block = argument;

  block->outcome = block->kernel->prepare(&block->job);
}

static void verify(void* argument) {
  struct block* block = argument;

  const struct job* job = &block->job;
  uint8_t* moved = (uint8_t*)(uintptr_t)job->window.data;

  if (!moved) moved = job->b.data ? job->b.data : job->a.data;
  if (makes(job, MISTAKE_WRONG_BYTE) && moved) moved[job->point->bytes / 2] ^= 1;
  block->verified = block->kernel->verify(&block->job);
}

static void repeat(struct block* block, uint64_t count) {
  block->kernel->run(&block->job, count);
  block->job.repetitions += count;
}

/*
 * A batch in slices, between which the time is taken: a slice much slower than its neighbours had a
 * guest, be it an interrupt or another machine.
 */
static void batch(void* argument) {
  struct block* block = argument;
  const struct timer* timer = &block->run->timer;
  const uint64_t slices = block->count < SLICES ? block->count : SLICES;
  uint64_t stamps[SLICES + 1];
  double took[SLICES];

  const uint64_t begun = platform_now();

  stamps[0] = timer->read();
  for (uint64_t i = 0; i < slices; i++) {
    repeat(block, block->count / slices + (i < block->count % slices));
    stamps[i + 1] = timer->read();
  }
  block->ticks = timer_ticks(timer, stamps[0], stamps[slices]);
  /* A counter of 32 bits comes round within seconds: a long batch has the clock's time. */
  if (timer->mask != UINT64_MAX &&
      (double)(platform_now() - begun) > (double)(timer->mask >> 1) * timer->tick_ns)
    block->ticks = (uint64_t)((double)(platform_now() - begun) / timer->tick_ns);
  block->sliced = slices == SLICES && block->count % SLICES == 0;
  if (!block->sliced) return;
  for (uint64_t i = 0; i < slices; i++)
    took[i] = (double)timer_ticks(timer, stamps[i], stamps[i + 1]);
  sort(took, SLICES);
  block->slowest = (uint64_t)took[SLICES - 1];
  block->usual = (uint64_t)median(took, SLICES);
}

static bool guarded(struct block* block, void (*work)(void*)) {
  block->outcome = OUTCOME_OK;
  enum outcome outcome =
      platform_guard(work, block, block->run->plan->set.timeout, block->job.message);

  if (outcome != OUTCOME_OK) block->outcome = outcome;
  if (block->outcome == OUTCOME_OK) block->outcome = block->job.failed;
  return block->outcome == OUTCOME_OK;
}

/* ---- samples
 * ------------------------------------------------------------------------------------- */

static bool put_sample(struct block* block, uint64_t at, const struct usage* before,
                       const struct usage* after, uint64_t traffic, double mhz) {
  const struct run* run = block->run;
  const struct point* point = block->progress->point;
  struct line line;

  line_begin(&line, "sample");
  line_number(&line, "id", point->id);
  line_number(&line, "block", block->progress->blocks);
  line_number(&line, "at_ns", at);
  line_real(&line, "ns", (double)block->ticks * run->timer.tick_ns / (double)block->count);
  line_number(&line, "count", block->count);
  line_number(&line, "bytes", block->count * block->job.per);
  if (before->cpu >= 0) line_number(&line, "cpu", (uint64_t)before->cpu);
  if (after->cpu != before->cpu) line_number(&line, "cpu_after", (uint64_t)after->cpu);
  line_number(&line, "faults", after->faults - before->faults);
  line_number(&line, "switches", after->switches - before->switches);
  if (block->sliced)
    line_real(&line, "gap_ns", (double)(block->slowest - block->usual) * run->timer.tick_ns);
  else
    line_null(&line, "gap_ns");
  if (mhz > 0)
    line_real(&line, "mhz", mhz);
  else
    line_null(&line, "mhz");
  if (point->traffic != TRAFFIC_NONE) line_number(&line, "traffic_bytes", traffic);
  return line_end(&line);
}

/* More repetitions, for a batch that has taken `ticks` of `enough`: whole slices where there are as
 * many. */
static void grow(struct block* block, double enough) {
  const double more = block->ticks ? enough * 1.1 / (double)block->ticks : 16;

  block->count = (uint64_t)((double)block->count * (more > 16 ? 16 : more)) + 1;
  if (block->count > SLICES) block->count = (block->count + SLICES - 1) / SLICES * SLICES;
}

static double ticks_of_batch(const struct block* block) {
  if (makes(&block->job, MISTAKE_SHORT_BATCHES)) return 0;
  return (double)block->run->batch / block->run->timer.tick_ns;
}

/* Finds the repetitions that take a batch's time. */
static bool calibrate(struct block* block) {
  const double enough = ticks_of_batch(block);
  uint64_t before = 0;

  for (block->count = 1;;) {
    if (!guarded(block, batch)) return false;
    if ((double)block->ticks >= enough) return true;
    if (block->count > STILL_COUNT && block->ticks <= before) {
      strcpy(block->job.message, "time stands still here: more repetitions take no more of it");
      block->outcome = OUTCOME_REFUSED;
      return false;
    }
    before = block->ticks;
    grow(block, enough);
  }
}

/* Until each repetition that the kernel asks for is done, or a twentieth of the block's time is
 * over. */
static bool warm(struct block* block) {
  const uint64_t begun = platform_now(), most = (block->until - begun) / 20;

  while (block->job.repetitions < block->job.warm) {
    const uint64_t left = block->job.warm - block->job.repetitions;

    block->count = left < 4096 ? left : 4096;
    if (!guarded(block, batch)) return false;
    if (platform_now() - begun > most && block->job.repetitions >= 2) break;
  }
  return true;
}

static bool samples(struct block* block) {
  struct run* run = block->run;
  const uint64_t wanted = run->plan->set.samples;
  double kept[MOST_KEPT], sorted[MOST_KEPT];
  size_t count = 0;
  unsigned retries = 0;

  while (count < wanted) {
    struct usage before, after;
    uint64_t at, traffic;
    const double mhz = timer_core_mhz(&run->timer);

    traffic = platform_traffic_moved();
    platform_usage(&before);
    at = platform_now();
    if (!guarded(block, batch)) return false;
    platform_usage(&after);
    traffic = platform_traffic_moved() - traffic;
    /* Too short: what was calibrated was disturbed. The count stays, so quick batches are not
     * sifted out. */
    if ((double)block->ticks < ticks_of_batch(block) && retries++ < MOST_RETRIES) {
      grow(block, ticks_of_batch(block));
      continue;
    }
    if (!put_sample(block, at, &before, &after, traffic, mhz)) {
      run->output = false;
      return false;
    }
    run->samples++;
    block->progress->samples++;
    kept[count++ % MOST_KEPT] = (double)block->ticks * run->timer.tick_ns / (double)block->count;
    if (platform_stopped()) {
      block->outcome = OUTCOME_INTERRUPTED;
      return false;
    }
    if (count < LEAST_SAMPLES && count < wanted &&
        platform_now() < block->until + run->plan->set.timeout)
      continue;
    const uint64_t now = platform_now();

    if (now >= block->until) break;
    if (now < block->enough) continue;
    /* Sorting is for when the count has grown by an eighth: what it costs stays small. */
    if (count % (1 + count / 8)) continue;
    const size_t most = count < MOST_KEPT ? count : MOST_KEPT;

    memcpy(sorted, kept, most * sizeof(*kept));
    sort(sorted, most);
    if (spread(sorted, most) <= run->plan->set.spread / 2) break;
  }
  const size_t most = count < MOST_KEPT ? count : MOST_KEPT;

  sort(kept, most);
  if (block->progress->blocks < MOST_BLOCKS)
    block->progress->medians[block->progress->blocks] = median(kept, most);
  return true;
}

/* ---- mistakes on purpose
 * ------------------------------------------------------------------------- */

static void begin_job(struct block* block, uint64_t seed) {
  memset(&block->job, 0, sizeof(block->job));
  block->job.point = block->progress->point;
  block->job.set = &block->run->plan->set;
  block->job.seed = seed;
  block->job.file = -1;
}

/* Memory that nothing was done with before the samples, once it is known how long a batch is. */
static bool renew(struct block* block) {
  enum { MORE_THAN_CACHES = 64 << 20 };
  struct memory other;

  block->kernel->release(&block->job);
  begin_job(block, block->job.seed);
  if (!guarded(block, prepare)) return false;
  if (makes(&block->job, MISTAKE_COLD) &&
      platform_memory(&other, MORE_THAN_CACHES, PAGES_NORMAL, block->job.message) == OUTCOME_OK)
    platform_release(&other);
  return true;
}

static bool fresh(const struct block* block) {
  return makes(&block->job, MISTAKE_COLD) || makes(&block->job, MISTAKE_UNTOUCHED);
}

/* ---- blocks and points
 * --------------------------------------------------------------------------- */

static void one_block(struct run* run, struct progress* progress, uint64_t share) {
  struct block block;
  uint64_t seed = run->plan->set.seed ^ progress->point->id * UINT64_C(0xd1342543de82ef95);
  const enum outcome traffic =
      platform_traffic_start(progress->point, &run->plan->set, progress->message);

  if (traffic != OUTCOME_OK) {
    progress->outcome = traffic;
    return;
  }
  memset(&block, 0, sizeof(block));
  block.run = run;
  block.progress = progress;
  block.kernel = kernel_of((enum kernel_name)progress->point->kernel);
  /* Clocks and neighbours change over milliseconds: a block that ends as soon as its samples agree
   * would see one state of the machine, and the next block another. */
  block.enough = platform_now() + share / 2;
  block.until = platform_now() + share;
  for (uint64_t i = 0; i < progress->blocks; i++) sequence_next(&seed);
  begin_job(&block, sequence_next(&seed));
  if (!block.kernel) {
    progress->outcome = OUTCOME_REFUSED;
    strcpy(progress->message, "this program was built without it; probe/Makefile builds with it");
  } else {
    bool fine = guarded(&block, prepare) && warm(&block) && calibrate(&block) &&
                (!fresh(&block) || renew(&block)) && samples(&block);

    if (fine && guarded(&block, verify) && !block.verified) block.outcome = OUTCOME_UNVERIFIED;
    block.kernel->release(&block.job);
    progress->outcome = block.outcome;
    progress->known = block.job.known;
    memcpy(progress->message, block.job.message, sizeof(progress->message));
  }
  platform_traffic_stop();
  progress->blocks++;
}

static void put_point(struct run* run, struct progress* progress) {
  struct line line;

  progress->done = true;
  line_begin(&line, "point");
  line_number(&line, "id", progress->point->id);
  line_text(&line, "outcome", outcome_names[progress->outcome]);
  line_text(&line, "message", progress->outcome == OUTCOME_OK ? "" : progress->message);
  line_number(&line, "blocks", progress->blocks);
  line_number(&line, "samples", progress->samples);
  line_hex(&line, "asked", progress->point->asked);
  if (progress->outcome == OUTCOME_OK) line_truth(&line, "verified", progress->known);
  run->output = line_end(&line) && run->output;
}

/* Blocks are added while the median of the blocks' medians is not known as well as was asked for.
 */
static bool enough(const struct run* run, const struct progress* progress) {
  const struct settings* set = &run->plan->set;
  double sorted[MOST_BLOCKS];
  const size_t count = (size_t)progress->blocks;

  if (count < set->blocks) return false;
  if (set->blocks < 5 || count >= set->blocks * (1 + MORE_BLOCKS) || count >= MOST_BLOCKS)
    return true;
  memcpy(sorted, progress->medians, count * sizeof(*sorted));
  sort(sorted, count);
  return spread(sorted, count) <= set->spread || platform_now() - run->begun >= set->budget;
}

/* The time of one block: what is left of the budget, in equal parts for the blocks that are left.
 */
static uint64_t share_of(const struct run* run, uint64_t blocks_left) {
  const uint64_t used = platform_now() - run->begun, budget = run->plan->set.budget;

  return used >= budget || !blocks_left ? 0 : (budget - used) / blocks_left;
}

static void group(struct run* run, struct progress* points, size_t count, uint64_t points_left) {
  const uint64_t blocks = run->plan->set.blocks;
  uint32_t order[64];
  bool more = true;

  for (uint64_t round = 0; more && run->output; round++) {
    /* By the round's own number: how many rounds there are depends on the time. */
    uint64_t state = run->plan->set.seed + (points_left << 32) + round;

    more = false;
    sequence_shuffle(order, count, &state);
    for (size_t i = 0; i < count && run->output; i++) {
      struct progress* point = &points[order[i]];
      uint64_t left = points_left * blocks;

      if (point->done) continue;
      if (platform_stopped()) point->outcome = OUTCOME_INTERRUPTED;
      left -= round < blocks ? count * round + i : count * blocks;
      if (point->outcome == OUTCOME_OK) one_block(run, point, share_of(run, left ? left : 1));
      if (!run->output) return;
      if (point->outcome != OUTCOME_OK || enough(run, point))
        put_point(run, point);
      else
        more = true;
    }
  }
}

static bool put_timer(const struct run* run) {
  const struct timer* timer = &run->timer;
  struct line line;

  line_begin(&line, "timer");
  line_text(&line, "name", timer->name);
  line_real(&line, "resolution_ns", timer->resolution_ns);
  line_real(&line, "overhead_ns", timer->overhead_ns);
  line_real(&line, "tick_ns", timer->tick_ns);
  line_number(&line, "batch_ns", run->batch);
  line_text(&line, "why", timer->why);
  return line_end(&line);
}

/* A batch lasts 1000 resolutions, 1000 readings and what the plan asks for, whichever is longest.
 */
static uint64_t batch_of(const struct timer* timer, uint64_t asked) {
  const double least = 1000 * (timer->resolution_ns > timer->overhead_ns ? timer->resolution_ns
                                                                         : timer->overhead_ns);

  return least > (double)asked ? (uint64_t)least + 1 : asked;
}

int probe_run(const struct plan* plan) {
  /* Both lie still for the run: a firmware has no heap. */
  static struct progress points[64];
  struct run run = {.plan = plan, .begun = platform_now(), .output = true};
  uint64_t state = plan->set.seed, done = 0;
  /* Groups of one size, nearly: a last group of two would see the machine for a moment only. */
  const size_t groups = (plan->count + plan->set.group - 1) / plan->set.group;
  const size_t size = groups ? (plan->count + groups - 1) / groups : 0;
  struct memory order;
  struct line line;
  char message[MESSAGE];

  if (plan->set.check == CHECK_CRC32) lines_summed();
  platform_timer(&run.timer);
  timer_measure(&run.timer);
  run.batch = batch_of(&run.timer, plan->set.batch);
  if (!platform_describe(plan) || !put_timer(&run)) return 1;
  if (platform_memory(&order, plan->count * sizeof(uint32_t), PAGES_NORMAL, message) != OUTCOME_OK)
    return 1;
  sequence_shuffle(order.data, plan->count, &state);
  for (size_t first = 0; first < plan->count && run.output; first += size) {
    const size_t count = plan->count - first < size ? plan->count - first : size;

    memset(points, 0, sizeof(points));
    for (size_t i = 0; i < count; i++)
      points[i].point = &plan->points[((uint32_t*)order.data)[first + i]];
    group(&run, points, count, plan->count - first);
    done += count;
  }
  platform_release(&order);
  line_begin(&line, "end");
  line_number(&line, "points", done);
  line_number(&line, "samples", run.samples);
  if (!run.output || !line_end(&line)) return 1;
  return platform_stopped() ? 130 : 0;
}
