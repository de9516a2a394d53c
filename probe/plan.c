/* SPDX-License-Identifier: Apache-2.0 */
/* Reads plans. README.md tells their words; the tables below are all that knows them. */
#include <string.h>

#include "lines/sum.h"
#include "probe.h"

const char* const kernel_names[KERNELS + 1] = {
    "load",         "read",      "write",      "copy",  "update", "uncached", "posted",
    "written_back", "file_read", "file_write", "ioctl", "block",  NULL};
const char* const outcome_names[] = {"ok",      "unverified", "refused",  "bus_error",
                                     "timeout", "no_memory",  "io_error", "interrupted"};

#define IS(name) (1u << KERNEL_##name)
#define SWEEPS (IS(READ) | IS(WRITE) | IS(COPY) | IS(UPDATE))
#define WINDOWS (IS(UNCACHED) | IS(POSTED) | IS(WRITTEN_BACK))
#define CALLS (IS(FILE_READ) | IS(FILE_WRITE))
#define ALL ((1u << KERNELS) - 1)
#define AT(member) WORD_AT(struct point, member)
#define SET(member) WORD_AT(struct settings, member)
#define MOST_BYTES (UINT64_C(1) << 40)

static const char* const means_names[] = {"libc", "plain", "scalar", "vector", "stream", NULL};
static const char* const order_names[] = {"random", "page", "hop", "forward", "backward", NULL};
static const char* const traffic_names[] = {"none", "read", "write", "copy", NULL};
static const char* const pages_names[] = {"normal", "huge", NULL};
static const char* const direction_names[] = {"cpu_to_fpga", "fpga_to_cpu", "loop", NULL};
static const char* const mode_names[] = {"coherent", "streaming", NULL};
static const char* const yes_names[] = {"no", "yes", NULL};
static const char* const check_names[] = {"none", "crc32", NULL};
static const char* const mistake_names[] = {"none",       "cold",      "untouched", "short_batches",
                                            "unused",     "in_flight", "same_core", "not_read_back",
                                            "wrong_byte", NULL};
static const struct word point_words[] = {
    {"id", WORD_NUMBER, AT(id), 0, UINT64_MAX, NULL, ALL, ALL},
    {"kernel", WORD_CHOICE, AT(kernel), 0, 0, kernel_names, ALL, ALL},
    {"bytes", WORD_SIZE, AT(bytes), 1, MOST_BYTES, NULL, ALL, ALL & ~IS(IOCTL)},
    {"stride", WORD_SIZE, AT(stride), 1, MOST_BYTES, NULL, IS(LOAD) | SWEEPS, 0},
    {"order", WORD_CHOICE, AT(order), 0, 0, order_names, IS(LOAD), 0},
    {"within", WORD_SIZE, AT(within), 64, MOST_BYTES, NULL, IS(LOAD), 0},
    {"copy", WORD_CHOICE, AT(means), 0, 0, means_names, SWEEPS | WINDOWS, 0},
    {"width", WORD_SIZE, AT(width), 1, 8, NULL, SWEEPS | WINDOWS, 0},
    {"shift", WORD_SIZE, AT(shift), 0, 4095, NULL, SWEEPS, 0},
    {"window", WORD_TEXT, AT(target), 0, 0, NULL, WINDOWS, WINDOWS},
    {"file", WORD_TEXT, AT(target), 0, 0, NULL, CALLS | IS(IOCTL), CALLS | IS(IOCTL)},
    {"offset", WORD_SIZE, AT(offset), 0, MOST_BYTES, NULL, WINDOWS | CALLS, 0},
    {"length", WORD_SIZE, AT(length), 1, UINT64_MAX, NULL, WINDOWS, 0},
    {"traffic", WORD_CHOICE, AT(traffic), 0, 0, traffic_names, ALL, 0},
    {"threads", WORD_NUMBER, AT(threads), 1, 256, NULL, ALL, 0},
    {"traffic_bytes", WORD_SIZE, AT(traffic_bytes), 4096, MOST_BYTES, NULL, ALL, 0},
    {"request", WORD_NUMBER, AT(request), 0, UINT32_MAX, NULL, IS(IOCTL), IS(IOCTL)},
    {"card", WORD_NUMBER, AT(card), 0, 255, NULL, IS(BLOCK), 0},
    {"stream", WORD_NUMBER, AT(stream), 0, 255, NULL, IS(BLOCK), 0},
    {"direction", WORD_CHOICE, AT(direction), 0, 0, direction_names, IS(BLOCK), IS(BLOCK)},
    {"mode", WORD_CHOICE, AT(mode), 0, 0, mode_names, IS(BLOCK), 0},
    {"heap", WORD_TEXT, AT(target), 0, 0, NULL, IS(BLOCK), 0},
    {"depth", WORD_NUMBER, AT(depth), 1, 8, NULL, IS(BLOCK), 0},
    {0}};

static const struct word set_words[] = {
    {"seed", WORD_NUMBER, SET(seed), 0, UINT64_MAX, NULL, 0, 0},
    {"blocks", WORD_NUMBER, SET(blocks), 1, 1000, NULL, 0, 0},
    {"samples", WORD_NUMBER, SET(samples), 1, 1000000, NULL, 0, 0},
    {"group", WORD_NUMBER, SET(group), 1, 64, NULL, 0, 0},
    {"spread", WORD_SHARE, SET(spread), 0, 0, NULL, 0, 0},
    {"budget", WORD_TIME, SET(budget), 0, UINT64_C(1) << 56, NULL, 0, 0},
    {"batch", WORD_TIME, SET(batch), 0, UINT64_C(1) << 36, NULL, 0, 0},
    {"timeout", WORD_TIME, SET(timeout), 1000000, UINT64_C(1) << 56, NULL, 0, 0},
    {"cpu", WORD_NUMBER, SET(cpu), 0, 4095, NULL, 0, 0},
    {"pages", WORD_CHOICE, SET(pages), 0, 0, pages_names, 0, 0},
    {"devmem", WORD_CHOICE, SET(devmem), 0, 0, yes_names, 0, 0},
    {"check", WORD_CHOICE, SET(check), 0, 0, check_names, 0, 0},
    {"mistake", WORD_CHOICE, SET(mistake), 0, 0, mistake_names, 0, 0},
    {0}};

/* A fault of words that do not go together, where `key` is. */
#define WRONG(key, why) words_wrong(reading, point_words, key, why, fault)

static bool power_of_two(uint64_t value) { return value && !(value & (value - 1)); }

static bool multiple(const struct reading* reading, const struct point* point, const char* key,
                     struct fault* fault) {
  WRONG(key, "give a multiple of ");
  fault_number(fault, point->width);
  fault_say(fault, by_words(point->means) ? ", the width" : ", which vectors move");
  return false;
}

/* What one key alone cannot tell. */
static bool sensible(const struct reading* reading, const struct point* point,
                     struct fault* fault) {
  const uint64_t pointer = sizeof(void*);
  const unsigned kernel = 1u << point->kernel;

  if (kernel & IS(LOAD)) {
    if (point->stride < pointer || point->stride % pointer)
      return WRONG("stride",
                   "a stride of loads is a multiple of a pointer's size, at least one pointer");
    if (point->bytes / point->stride < 2) return WRONG("bytes", "a cycle has at least two strides");
    if (point->bytes / point->stride > UINT32_MAX)
      return WRONG("bytes", "a cycle has less than 2^32 strides");
    if (point->order == ORDER_PAGE && point->within < point->stride)
      return WRONG("within", "give at least the stride");
  }
  if (kernel & (SWEEPS | WINDOWS)) {
    if (!power_of_two(point->width)) return WRONG("width", "a width is 1, 2, 4 or 8");
    if (point->bytes % point->width) return multiple(reading, point, "bytes", fault);
    if (point->offset % point->width) return multiple(reading, point, "offset", fault);
    if (point->shift % point->width) return multiple(reading, point, "shift", fault);
  }
  if (kernel & SWEEPS) {
    if (by_words(point->means) && point->width < 4)
      return WRONG("width", "memory is moved in words of 4 or 8 bytes");
    if (point->stride < point->width || point->stride % point->width ||
        point->bytes % point->stride)
      return WRONG("stride", "give a multiple of the width that divides the bytes");
    if (kernel & (IS(READ) | IS(UPDATE)) &&
        (point->means == MEANS_LIBC || point->means == MEANS_STREAM))
      return WRONG("copy", "reading and updating are plain, scalar or vector");
  }
  return true;
}

static bool point_line(struct reading* reading, char* words, struct point* point,
                       struct fault* fault) {
  char name[32] = "kernel ";
  unsigned kernel;
  bool stride;

  memset(point, 0, sizeof(*point));
  point->line = reading->line;
  point->stride = 64;
  point->within = 65536;
  point->traffic_bytes = 64 << 20;
  point->threads = 1;
  point->depth = 2;
  point->mode = BLOCK_STREAMING;
  if (!words_read(reading, words, point_words, point, fault)) return false;
  kernel = 1u << point->kernel;
  strcpy(name + strlen(name), kernel_names[point->kernel]);
  if (!words_complete(reading, point_words, kernel, name, fault)) return false;
  stride = words_given(reading, point_words, "stride");
  if (!words_given(reading, point_words, "copy"))
    point->means = kernel & IS(COPY) ? MEANS_LIBC : MEANS_SCALAR;
  if (!by_words(point->means)) {
    if (point->width || stride)
      return WRONG(point->width ? "width" : "stride",
                   "only copy=scalar and copy=plain go by words");
    point->width = point->stride = point->means == MEANS_LIBC ? 1 : 64;
  }
  if (!point->width) point->width = kernel & WINDOWS ? 4 : sizeof(uintptr_t);
  if (!stride && kernel & SWEEPS) point->stride = point->width;
  if (point->traffic == TRAFFIC_NONE) {
    if (point->threads != 1)
      return WRONG("threads", "counts the threads of traffic; give traffic=read, write or copy");
    point->threads = 0;
  }
  return sensible(reading, point, fault);
}

void plan_defaults(struct settings* set) {
  memset(set, 0, sizeof(*set));
  set->seed = 1;
  set->blocks = 5;
  set->samples = 1000;
  set->group = 16;
  set->spread = 0.03;
  set->budget = UINT64_C(20000000000);
  set->batch = 100000;
  set->timeout = UINT64_C(10000000000);
  set->cpu = CPU_ANY;
}

/* Whether the line from `text` to `stop` ends with the sum of what is before it. */
static bool whole(const char* text, const char* stop) {
  uint32_t sum;

  while (stop > text && line_blank(stop[-1])) stop--;
  if (stop - text < 10 || stop[-9] != '#' || stop[-10] != ' ') return stop == text;
  return sum_read(stop - 8, &sum) && sum == sum_of(text, (size_t)(stop - 10 - text));
}

bool plan_ended(const char* text, size_t length) {
  size_t begin;

  if (!length || text[length - 1] != '\n') return false;
  begin = --length;
  while (begin && text[begin - 1] != '\n') begin--;
  return length - begin >= 3 && !strncmp(text + begin, "end", 3) &&
         (length - begin == 3 || line_blank(text[begin + 3]));
}

size_t plan_room(const char* text, size_t length) {
  size_t lines = 1;

  while (length--) lines += *text++ == '\n';
  return lines;
}

/* Two points of one number could not be told apart in the samples. */
static bool numbered(const struct plan* plan, struct fault* fault) {
  uint64_t most = 0;

  for (size_t i = 0; i < plan->count; i++) {
    const struct point* point = &plan->points[i];

    /* Plans come in the order of their numbers, nearly always: only what does not is searched. */
    for (size_t k = 0; i && point->id <= most && k < i; k++) {
      if (plan->points[k].id != point->id) continue;
      fault_begin(fault, FAULT_TWICE, point->line, 0, "id", NULL, "taken by line ");
      fault_number(fault, plan->points[k].line);
      fault_say(fault, "; give each point its own");
      return false;
    }
    if (point->id > most) most = point->id;
  }
  return true;
}

bool plan_parse(char* text, size_t length, struct plan* plan, struct fault* fault) {
  char* const end = text + length;
  struct reading settings = {0};
  unsigned line = 0;

  plan_defaults(&plan->set);
  plan->count = 0;
  while (text < end) {
    struct reading reading = {.line = ++line, .start = text};
    char *stop = memchr(text, '\n', (size_t)(end - text)), *words;
    enum line_kind kind;

    if (!stop) stop = end;
    *stop = 0;
    if (strlen(text) != (size_t)(stop - text))
      return fault_begin(fault, FAULT_LINE, line, 0, text, NULL,
                         "a plan is text, and holds no NUL");
    if (plan->set.check == CHECK_CRC32 && !whole(text, stop))
      return fault_begin(fault, FAULT_LINE, line, 0, "sum", NULL,
                         "the line was changed on its way; send it again");
    kind = line_kind(text, &words);
    text = stop + 1;
    if (kind == LINE_END) break;
    if (kind == LINE_SET) {
      settings.line = line;
      settings.start = reading.start;
      if (!words_read(&settings, words, set_words, &plan->set, fault)) return false;
    }
    if (kind == LINE_POINT) {
      struct point* point = &plan->points[plan->count++];
      const uint32_t asked = sum_of(words, line_trimmed(words));

      if (!point_line(&reading, words, point, fault)) return false;
      point->asked = asked;
    }
  }
  if (!plan->count)
    return fault_begin(fault, FAULT_LINE, line, 0, NULL, NULL,
                       "no point; give a line as id=1 kernel=load bytes=32KiB");
  return numbered(plan, fault);
}
