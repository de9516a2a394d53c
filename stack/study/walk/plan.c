/* SPDX-License-Identifier: Apache-2.0 */
/* Reads plans: the tables below are all that knows their words. ../README.md tells them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "walk.h"

struct word {
  const char* name;
  size_t place;
  uint32_t least, most;
  const char* const* choices; /* or NULL: a number */
  bool needed;
};

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

#define AT(member) offsetof(struct point, member)
static const struct word point_words[] = {
    {"id", AT(id), 0, UINT32_MAX, NULL, true},
    {"kernel", AT(kernel), 0, 0, kernels, true},
    {"bytes", AT(bytes), 1, 1u << 28, NULL, true},
    {"direction", AT(direction), 0, 0, directions, true},
    {"master", AT(master), 0, 0, masters, true},
    {"route", AT(route), 0, 0, routes, false},
    {"buffer", AT(buffer), 0, 0, buffers, true},
    {"copy", AT(copy), 0, 0, copies, false},
    {"prepared", AT(prepared), 0, 1, NULL, false},
    {"completion", AT(completion), 0, 0, completions, false},
    {"security", AT(security), 0, 0, securities, false},
    {"offset", AT(offset), 0, UINT32_MAX, NULL, false},
    {"dummy_traffic", AT(dummy_traffic), 0, 1, NULL, false},
    {"lock_cpu_ways", AT(lock_cpu_ways), 0, 7, NULL, false},
    {"lock_acp_ways", AT(lock_acp_ways), 0, 7, NULL, false},
    {"lock_when", AT(lock_when), 0, 0, whens, false},
    {"sdram_priority", AT(sdram_priority), 0, 0, priorities, false},
    {"sdram_weight", AT(sdram_weight), 1, 16, NULL, false},
    {"wrong", AT(wrong), 1, 4, NULL, false},
    {NULL, 0, 0, 0, NULL, false}};

#define SET(member) offsetof(struct plan, member)
static const struct word set_words[] = {{"seed", SET(seed), 0, UINT32_MAX, NULL, false},
                                        {"blocks", SET(blocks), 1, 1000, NULL, false},
                                        {"samples", SET(samples), 0, 100000, NULL, false},
                                        {"batch_us", SET(batch_us), 0, 10000000, NULL, false},
                                        {"timeout_us", SET(timeout_us), 1, 10000000, NULL, false},
                                        {NULL, 0, 0, 0, NULL, false}};

static bool read_size(const char* text, uint32_t* value) {
  char* end;
  if (*text < '0' || *text > '9') return false;
  unsigned long long number = strtoull(text, &end, 10);
  uint64_t unit = !strcmp(end, "KiB") ? 1024 : !strcmp(end, "MiB") ? 1 << 20 : *end ? 0 : 1;
  if (!unit || number > UINT32_MAX || number * unit > UINT32_MAX) return false;
  *value = (uint32_t)(number * unit);
  return true;
}

static void list(char* to, size_t room, const char* const* choices) {
  size_t used = 0;
  for (; *choices && used < room; ++choices)
    used += (size_t)snprintf(to + used, room - used, "%s%s", used ? ", " : "", *choices);
}

/* One word of a line into the struct at `into`; `given` has a bit for each that was. */
static bool read_word(char* text, const struct word* words, void* into, uint32_t* given,
                      char fault[200]) {
  char* value = strchr(text, '=');
  if (!value || !value[1]) return snprintf(fault, 200, "%.60s: a word is name=value", text), false;
  *value++ = 0;
  const struct word* word = words;
  while (word->name && strcmp(word->name, text) != 0) ++word;
  if (!word->name) return snprintf(fault, 200, "there is no word '%.60s' here", text), false;
  uint32_t bit = 1u << (word - words);
  if (*given & bit) return snprintf(fault, 200, "%s is given twice", text), false;
  *given |= bit;
  uint32_t number = 0;
  if (word->choices) {
    while (word->choices[number] && strcmp(word->choices[number], value) != 0) ++number;
    if (!word->choices[number]) {
      char allowed[100];
      list(allowed, sizeof(allowed), word->choices);
      return snprintf(fault, 200, "%s=%.40s: it is one of %s", text, value, allowed), false;
    }
  } else if (!read_size(value, &number) || number < word->least || number > word->most) {
    return snprintf(fault, 200, "%s=%.40s: it is a whole number from %u to %u", text, value,
                    word->least, word->most),
           false;
  }
  memcpy((char*)into + word->place, &number, sizeof(number));
  return true;
}

static bool given(uint32_t bits, const char* name) {
  const struct word* word = point_words;
  while (strcmp(word->name, name) != 0) ++word;
  return bits >> (word - point_words) & 1;
}

/* Words that do not go together. What the board cannot do, it refuses itself. */
static const char* contradiction(const struct point* point, uint32_t bits) {
  bool cpu = point->master == STUDY_MASTER_CPU;
  if (cpu && (given(bits, "route") || given(bits, "completion")))
    return "the processor's copies have neither route nor completion";
  if (!cpu && !given(bits, "route")) return "master=pl330 and dmaengine need route=sdramc or acp";
  if (!cpu && point->buffer == USER)
    return "a controller needs buffer=kernel_cached or kernel_uncached";
  if (given(bits, "copy") && (!cpu || point->buffer != USER))
    return "copy= is of master=cpu buffer=user";
  if (point->master != STUDY_MASTER_PL330 &&
      (point->prepared || given(bits, "security") || given(bits, "wrong")))
    return "prepared, security and wrong are of master=pl330";
  if (given(bits, "lock_when") && !given(bits, "lock_cpu_ways"))
    return "lock_when= needs lock_cpu_ways=";
  if (given(bits, "sdram_weight") != (point->sdram_priority == PRIORITY_SAME))
    return "sdram_weight= goes with sdram_priority=same, and that with it";
  if (given(bits, "sdram_weight") && (point->sdram_weight & (point->sdram_weight - 1)))
    return "sdram_weight is 1, 2, 4, 8 or 16";
  if (point->buffer == USER && point->offset % 8)
    return "a program's own copies need an offset that is a multiple of 8";
  if (point->wrong && point->offset % 8) return "wrong= needs an offset that is a multiple of 8";
  return NULL;
}

static bool read_point(char* rest, struct plan* plan, char fault[200]) {
  struct point* point = &plan->points[plan->count];
  uint32_t bits = 0;
  for (char *word, *save = NULL; (word = strtok_r(save ? NULL : rest, " \t\r", &save));)
    if (!read_word(word, point_words, point, &bits, fault)) return false;
  for (const struct word* word = point_words; word->name; ++word)
    if (word->needed && !(bits >> (word - point_words) & 1))
      return snprintf(fault, 200, "%s= is missing", word->name), false;
  const char* wrong = contradiction(point, bits);
  if (wrong) return snprintf(fault, 200, "%s", wrong), false;
  for (uint32_t i = 0; i < plan->count; ++i)
    if (plan->points[i].id == point->id)
      return snprintf(fault, 200, "id=%u is there already", point->id), false;
  point->locks = given(bits, "lock_cpu_ways") || given(bits, "lock_acp_ways");
  point->scheduler = point->sdram_priority != PRIORITY_NONE;
  ++plan->count;
  return true;
}

bool plan_read(char* text, struct plan* plan, char fault[240]) {
  size_t lines = 1;
  for (const char* c = text; *c; ++c) lines += *c == '\n';
  *plan = (struct plan){
      .seed = 1, .blocks = 5, .samples = 20, .timeout_us = 1000000, .batch_us = BATCH_BY_CLOCK};
  plan->points = calloc(lines, sizeof(*plan->points));
  if (!plan->points) return snprintf(fault, 240, "no memory for %zu lines", lines), false;
  uint32_t set = 0;
  for (size_t number = 1; text; ++number) {
    char* next = strchr(text, '\n');
    if (next) *next++ = 0;
    text[strcspn(text, "#")] = 0;
    text += strspn(text, " \t\r");
    char what[200];
    bool good = true;
    if (!strncmp(text, "set", 3) && (text[3] == ' ' || text[3] == '\t')) {
      for (char *word, *save = NULL;
           good && (word = strtok_r(save ? NULL : text + 3, " \t\r", &save));)
        good = read_word(word, set_words, plan, &set, what);
    } else if (*text) {
      good = read_point(text, plan, what);
    }
    if (!good) return snprintf(fault, 240, "plan line %zu: %s", number, what), false;
    text = next;
  }
  if (!plan->count) return snprintf(fault, 240, "the plan has no point"), false;
  return true;
}
