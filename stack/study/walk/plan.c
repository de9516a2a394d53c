/* SPDX-License-Identifier: Apache-2.0 */
/* Reads plans: the tables below are all that knows their words. ../README.md tells them. */
#include <stdlib.h>
#include <string.h>

#include "walk.h"

static const char* const kernels[] = {"transfer", NULL};
static const char* const directions[] = {"cpu_to_fpga", "fpga_to_cpu", NULL};
static const char* const masters[] = {"cpu", "pl330", "dmaengine", NULL};
static const char* const routes[] = {"sdramc", "acp", NULL};
static const char* const buffers[] = {"user", "kernel_cached", "kernel_uncached", NULL};
static const char* const copies[] = {"memcpy", "for-loop", NULL};
static const char* const completions[] = {"poll", "interrupt", NULL};
static const char* const securities[] = {"secure", "nonsecure", NULL};
static const char* const whens[] = {"before", "after", NULL};
static const char* const priorities[] = {"none", "default", "same", "l3_higher", NULL};

/* There is one kind of line, of kernel=transfer. */
enum { MAY = 1, MUST = 1 };
#define AT(member) WORD_AT(struct point, member)
static const struct word point_words[] = {
    {"id", WORD_NUMBER, AT(id), 0, UINT32_MAX, NULL, MAY, MUST},
    {"kernel", WORD_CHOICE, AT(kernel), 0, 0, kernels, MAY, MUST},
    {"bytes", WORD_SIZE, AT(bytes), 1, 1u << 28, NULL, MAY, MUST},
    {"direction", WORD_CHOICE, AT(direction), 0, 0, directions, MAY, MUST},
    {"master", WORD_CHOICE, AT(master), 0, 0, masters, MAY, MUST},
    {"route", WORD_CHOICE, AT(route), 0, 0, routes, MAY, 0},
    {"buffer", WORD_CHOICE, AT(buffer), 0, 0, buffers, MAY, MUST},
    {"copy", WORD_CHOICE, AT(copy), 0, 0, copies, MAY, 0},
    {"prepared", WORD_NUMBER, AT(prepared), 0, 1, NULL, MAY, 0},
    {"completion", WORD_CHOICE, AT(completion), 0, 0, completions, MAY, 0},
    {"security", WORD_CHOICE, AT(security), 0, 0, securities, MAY, 0},
    {"offset", WORD_SIZE, AT(offset), 0, UINT32_MAX, NULL, MAY, 0},
    {"dummy_traffic", WORD_NUMBER, AT(dummy_traffic), 0, 1, NULL, MAY, 0},
    {"lock_cpu_ways", WORD_NUMBER, AT(lock_cpu_ways), 0, 7, NULL, MAY, 0},
    {"lock_acp_ways", WORD_NUMBER, AT(lock_acp_ways), 0, 7, NULL, MAY, 0},
    {"lock_when", WORD_CHOICE, AT(lock_when), 0, 0, whens, MAY, 0},
    {"sdram_priority", WORD_CHOICE, AT(sdram_priority), 0, 0, priorities, MAY, 0},
    {"sdram_weight", WORD_NUMBER, AT(sdram_weight), 1, 16, NULL, MAY, 0},
    {"wrong", WORD_NUMBER, AT(wrong), 1, 4, NULL, MAY, 0},
    {0}};

#define SET(member) WORD_AT(struct plan, member)
static const struct word set_words[] = {
    {"seed", WORD_NUMBER, SET(seed), 0, UINT32_MAX, NULL, 0, 0},
    {"blocks", WORD_NUMBER, SET(blocks), 1, 1000, NULL, 0, 0},
    {"samples", WORD_NUMBER, SET(samples), 0, 100000, NULL, 0, 0},
    {"batch_us", WORD_NUMBER, SET(batch_us), 0, 10000000, NULL, 0, 0},
    {"timeout_us", WORD_NUMBER, SET(timeout_us), 1, 10000000, NULL, 0, 0},
    {0}};

#define GIVEN(name) words_given(reading, point_words, name)
#define WRONG(name, why) words_wrong(reading, point_words, name, why, fault)

/* Words that do not go together. What the board cannot do, it refuses itself. */
static bool sensible(const struct reading* reading, const struct point* point,
                     struct fault* fault) {
  bool cpu = point->master == STUDY_MASTER_CPU;
  if (cpu && (GIVEN("route") || GIVEN("completion")))
    return WRONG(GIVEN("route") ? "route" : "completion",
                 "the processor's copies have neither route nor completion; leave it out");
  if (!cpu && !GIVEN("route"))
    return WRONG("route", "master=pl330 and dmaengine need route=sdramc or acp");
  if (!cpu && point->buffer == USER)
    return WRONG("buffer", "a controller needs buffer=kernel_cached or kernel_uncached");
  if (GIVEN("copy") && (!cpu || point->buffer != USER))
    return WRONG("copy", "only master=cpu with buffer=user takes it; leave it out");
  if (point->master != STUDY_MASTER_PL330 &&
      (point->prepared || GIVEN("security") || GIVEN("wrong")))
    return WRONG(point->prepared     ? "prepared"
                 : GIVEN("security") ? "security"
                                     : "wrong",
                 "only master=pl330 takes it; leave it out");
  if (GIVEN("lock_when") && !GIVEN("lock_cpu_ways"))
    return WRONG("lock_when", "it needs lock_cpu_ways, too");
  if (GIVEN("sdram_weight") != (point->sdram_priority == PRIORITY_SAME))
    return WRONG("sdram_weight", "give sdram_weight and sdram_priority=same together");
  if (GIVEN("sdram_weight") && (point->sdram_weight & (point->sdram_weight - 1)))
    return WRONG("sdram_weight", "a weight is 1, 2, 4, 8 or 16");
  if (point->buffer == USER && point->offset % 8)
    return WRONG("offset", "a program's own copies need a multiple of 8");
  if (point->wrong && point->offset % 8) return WRONG("offset", "wrong= needs a multiple of 8");
  return true;
}

static bool read_point(struct reading* reading, char* words, struct plan* plan,
                       struct fault* fault) {
  struct point* point = &plan->points[plan->count];
  if (!words_read(reading, words, point_words, point, fault) ||
      !words_complete(reading, point_words, MAY, "kernel transfer", fault) ||
      !sensible(reading, point, fault))
    return false;
  for (uint32_t i = 0; i < plan->count; ++i)
    if (plan->points[i].id == point->id)
      return WRONG("id", "another point has it; give each its own");
  point->locks = GIVEN("lock_cpu_ways") || GIVEN("lock_acp_ways");
  point->scheduler = point->sdram_priority != PRIORITY_NONE;
  ++plan->count;
  return true;
}

bool plan_read(char* text, struct plan* plan, struct fault* fault) {
  unsigned number = 0;
  size_t lines = 1;
  struct reading set = {0};
  for (const char* c = text; *c; ++c) lines += *c == '\n';
  *plan = (struct plan){
      .seed = 1, .blocks = 5, .samples = 20, .timeout_us = 1000000, .batch_us = BATCH_BY_CLOCK};
  plan->points = calloc(lines, sizeof(*plan->points));
  if (!plan->points) return fault_begin(fault, FAULT_LINE, 0, 0, NULL, NULL, "no memory for it");
  for (char* next; text; text = next) {
    struct reading reading = {.line = ++number, .start = text};
    char* words;
    if ((next = strchr(text, '\n'))) *next++ = 0;
    enum line_kind kind = line_kind(text, &words);
    if (kind == LINE_END) break;
    if (kind == LINE_SET) {
      set.line = number;
      set.start = text;
      if (!words_read(&set, words, set_words, plan, fault)) return false;
    } else if (kind == LINE_POINT && !read_point(&reading, words, plan, fault)) {
      return false;
    }
  }
  if (plan->count) return true;
  return fault_begin(fault, FAULT_LINE, number, 0, NULL, NULL, "the plan has no point");
}
