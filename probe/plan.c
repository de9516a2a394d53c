/* SPDX-License-Identifier: Apache-2.0 */
/* Reads plans. README.md tells their words; the tables below are all that knows them. */
#include <string.h>

#include "probe.h"
#include "sum.h"

const char* const kernel_names[KERNELS + 1] = {
    "load",         "read",      "write",      "copy",  "update", "uncached", "posted",
    "written_back", "file_read", "file_write", "ioctl", "block",  NULL};
const char* const outcome_names[] = {"ok",      "unverified", "refused",  "bus_error",
                                     "timeout", "no_memory",  "io_error", "interrupted"};

enum kind { NUMBER, SIZE, TIME, SHARE, CHOICE, TEXT };

struct word {
  const char* name;
  enum kind kind;
  size_t place;
  uint64_t least, most;
  const char* const* choices;
  unsigned kernels; /* which take it; */
  unsigned needed;  /* which cannot do without it */
};

#define IS(name) (1u << KERNEL_##name)
#define SWEEPS (IS(READ) | IS(WRITE) | IS(COPY) | IS(UPDATE))
#define WINDOWS (IS(UNCACHED) | IS(POSTED) | IS(WRITTEN_BACK))
#define CALLS (IS(FILE_READ) | IS(FILE_WRITE))
#define ALL ((1u << KERNELS) - 1)
#define AT(member) offsetof(struct point, member)
#define SET(member) offsetof(struct settings, member)
#define MOST_BYTES (UINT64_C(1) << 40)

static const char* const means_names[] = {"libc", "plain", "scalar", "vector", "stream", NULL};
static const char* const order_names[] = {"random", "page", "hop", "forward", "backward", NULL};
static const char* const traffic_names[] = {"none", "read", "write", "copy", NULL};
static const char* const pages_names[] = {"normal", "huge", NULL};
static const char* const direction_names[] = {"cpu_to_fpga", "fpga_to_cpu", "loop", NULL};
static const char* const mode_names[] = {"coherent", "streaming", NULL};
static const char* const yes_names[] = {"no", "yes", NULL};
static const char* const check_names[] = {"none", "crc32", NULL};
static const struct word point_words[] = {
    {"id", NUMBER, AT(id), 0, UINT64_MAX, NULL, ALL, ALL},
    {"kernel", CHOICE, AT(kernel), 0, 0, kernel_names, ALL, ALL},
    {"bytes", SIZE, AT(bytes), 1, MOST_BYTES, NULL, ALL, ALL & ~IS(IOCTL)},
    {"stride", SIZE, AT(stride), 1, MOST_BYTES, NULL, IS(LOAD) | SWEEPS, 0},
    {"order", CHOICE, AT(order), 0, 0, order_names, IS(LOAD), 0},
    {"within", SIZE, AT(within), 64, MOST_BYTES, NULL, IS(LOAD), 0},
    {"copy", CHOICE, AT(means), 0, 0, means_names, SWEEPS | WINDOWS, 0},
    {"width", SIZE, AT(width), 1, 8, NULL, SWEEPS | WINDOWS, 0},
    {"shift", SIZE, AT(shift), 0, 4095, NULL, SWEEPS, 0},
    {"window", TEXT, AT(target), 0, 0, NULL, WINDOWS, WINDOWS},
    {"file", TEXT, AT(target), 0, 0, NULL, CALLS | IS(IOCTL), CALLS | IS(IOCTL)},
    {"offset", SIZE, AT(offset), 0, MOST_BYTES, NULL, WINDOWS | CALLS, 0},
    {"length", SIZE, AT(length), 1, UINT64_MAX, NULL, WINDOWS, 0},
    {"traffic", CHOICE, AT(traffic), 0, 0, traffic_names, ALL, 0},
    {"threads", NUMBER, AT(threads), 1, 256, NULL, ALL, 0},
    {"traffic_bytes", SIZE, AT(traffic_bytes), 4096, MOST_BYTES, NULL, ALL, 0},
    {"request", NUMBER, AT(request), 0, UINT32_MAX, NULL, IS(IOCTL), IS(IOCTL)},
    {"card", NUMBER, AT(card), 0, 255, NULL, IS(BLOCK), 0},
    {"stream", NUMBER, AT(stream), 0, 255, NULL, IS(BLOCK), 0},
    {"direction", CHOICE, AT(direction), 0, 0, direction_names, IS(BLOCK), IS(BLOCK)},
    {"mode", CHOICE, AT(mode), 0, 0, mode_names, IS(BLOCK), 0},
    {"depth", NUMBER, AT(depth), 1, 8, NULL, IS(BLOCK), 0},
    {NULL, 0, 0, 0, 0, NULL, 0, 0}};

static const struct word set_words[] = {
    {"seed", NUMBER, SET(seed), 0, UINT64_MAX, NULL, 0, 0},
    {"blocks", NUMBER, SET(blocks), 1, 1000, NULL, 0, 0},
    {"samples", NUMBER, SET(samples), 1, 1000000, NULL, 0, 0},
    {"group", NUMBER, SET(group), 1, 64, NULL, 0, 0},
    {"spread", SHARE, SET(spread), 0, 0, NULL, 0, 0},
    {"budget", TIME, SET(budget), 0, UINT64_C(1) << 56, NULL, 0, 0},
    {"batch", TIME, SET(batch), 0, UINT64_C(1) << 36, NULL, 0, 0},
    {"timeout", TIME, SET(timeout), 1000000, UINT64_C(1) << 56, NULL, 0, 0},
    {"cpu", NUMBER, SET(cpu), 0, 4095, NULL, 0, 0},
    {"pages", CHOICE, SET(pages), 0, 0, pages_names, 0, 0},
    {"devmem", CHOICE, SET(devmem), 0, 0, yes_names, 0, 0},
    {"check", CHOICE, SET(check), 0, 0, check_names, 0, 0},
    {NULL, 0, 0, 0, 0, NULL, 0, 0}};

/* ---- one line of what is wrong
 * ------------------------------------------------------------------- */

struct fault {
  char* text;
  size_t used;
  bool any;
};

/* Adds text, of which control characters and what is no ASCII are shown as `?`. */
static void say(struct fault* fault, const char* text) {
  for (; *text && fault->used + 1 < FAULT; text++)
    fault->text[fault->used++] = *text < ' ' || *text > '~' ? '?' : *text;
  fault->text[fault->used] = 0;
}

static void say_word(struct fault* fault, const char* text) {
  char shown[44];
  size_t length = strlen(text);

  if (length < sizeof(shown)) {
    say(fault, text);
    return;
  }
  memcpy(shown, text, 40);
  memcpy(shown + 40, "...", 4);
  say(fault, shown);
}

static void say_number(struct fault* fault, uint64_t value) {
  char digits[21];
  size_t place = sizeof(digits) - 1;

  digits[place] = 0;
  do digits[--place] = (char)('0' + value % 10);
  while (value /= 10);
  say(fault, digits + place);
}

static void begin(struct fault* fault, unsigned line) {
  fault->any = true;
  fault->used = 0;
  say(fault, "plan line ");
  say_number(fault, line);
  say(fault, ": ");
}

static bool wrong(struct fault* fault, unsigned line, const char* key, const char* value,
                  const char* why) {
  begin(fault, line);
  say_word(fault, key);
  if (value) {
    say(fault, "=");
    say_word(fault, value);
  }
  say(fault, ": ");
  say(fault, why);
  return false;
}

/* ---- values
 * -------------------------------------------------------------------------------------- */

struct unit {
  const char* name;
  uint64_t factor;
};
static const struct unit no_units[] = {{"", 1}, {NULL, 0}};
static const struct unit size_units[] = {{"", 1},          {"B", 1},         {"KiB", 1 << 10},
                                         {"MiB", 1 << 20}, {"GiB", 1 << 30}, {NULL, 0}};
static const struct unit time_units[] = {
    {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"min", UINT64_C(60000000000)},
    {NULL, 0}};

/* Decimal, or hexadecimal with 0x, and a unit. */
static bool number(const char* text, const struct unit* units, uint64_t* value) {
  bool hexadecimal = text[0] == '0' && text[1] == 'x';
  const unsigned base = hexadecimal ? 16 : 10;
  const char* digit = hexadecimal ? text + 2 : text;
  bool any = false;

  *value = 0;
  for (;; digit++, any = true) {
    unsigned one = *digit >= '0' && *digit <= '9'                  ? (unsigned)(*digit - '0')
                   : hexadecimal && *digit >= 'a' && *digit <= 'f' ? (unsigned)(*digit - 'a' + 10)
                   : hexadecimal && *digit >= 'A' && *digit <= 'F' ? (unsigned)(*digit - 'A' + 10)
                                                                   : base;
    if (one >= base) break;
    if (*value > (UINT64_MAX - one) / base) return false;
    *value = *value * base + one;
  }
  for (; any && units->name; units++) {
    if (strcmp(digit, units->name) != 0) continue;
    if (*value > UINT64_MAX / units->factor) return false;
    *value *= units->factor;
    return true;
  }
  return false;
}

/* A fraction between 0 and 1, as 0.03. */
static bool share(const char* text, double* value) {
  double digit = 0.1;

  *value = 0;
  if ((text[0] != '0' && text[0] != '1') || (text[1] && text[1] != '.')) return false;
  *value = text[0] - '0';
  if (!text[1]) return true;
  for (text += 2; *text; text++, digit /= 10) {
    if (*text < '0' || *text > '9') return false;
    *value += digit * (*text - '0');
  }
  return *value <= 1;
}

static bool choice(const char* text, const char* const* choices, uint64_t* value) {
  for (*value = 0; choices[*value]; ++*value)
    if (strcmp(text, choices[*value]) == 0) return true;
  return false;
}

static bool limits(struct fault* fault, unsigned line, const struct word* word, const char* text) {
  wrong(fault, line, word->name, text, "give a ");
  say(fault, word->kind == SIZE   ? "size from "
             : word->kind == TIME ? "time from "
                                  : "number from ");
  say_number(fault, word->least);
  say(fault, " to ");
  say_number(fault, word->most);
  say(fault, word->kind == SIZE   ? ", as 4096 or 4KiB"
             : word->kind == TIME ? " ns, as 20s or 500us"
                                  : "");
  return false;
}

static bool put(struct fault* fault, unsigned line, const struct word* word, char* text,
                void* object) {
  char* place = (char*)object + word->place;
  const struct unit* units = word->kind == SIZE   ? size_units
                             : word->kind == TIME ? time_units
                                                  : no_units;
  uint64_t value;

  if (word->kind == TEXT) {
    if (!*text) return wrong(fault, line, word->name, text, "give a path");
    memcpy(place, &text, sizeof(text));
    return true;
  }
  if (word->kind == SHARE)
    return share(text, (double*)(void*)place) ||
           wrong(fault, line, word->name, text, "give a share from 0 to 1, as 0.03");
  if (word->kind == CHOICE) {
    if (choice(text, word->choices, &value)) {
      memcpy(place, &value, sizeof(value));
      return true;
    }
    wrong(fault, line, word->name, text, "give one of");
    for (const char* const* name = word->choices; *name; name++) {
      say(fault, " ");
      say(fault, *name);
    }
    return false;
  }
  if (!number(text, units, &value) || value < word->least || value > word->most)
    return limits(fault, line, word, text);
  memcpy(place, &value, sizeof(value));
  return true;
}

/* ---- lines
 * --------------------------------------------------------------------------------------- */

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Cuts the next word off the line; NULL at its end. */
static char* cut(char** line) {
  char* word;

  while (blank(**line)) ++*line;
  if (!**line) return NULL;
  word = *line;
  while (**line && !blank(**line)) ++*line;
  if (**line) *(*line)++ = 0;
  return word;
}

/* The words of one line into `object`; `given` gets a bit for each that was there. */
static bool words(struct fault* fault, unsigned number, char* line, const struct word* table,
                  void* object, uint32_t* given) {
  char* word;

  while ((word = cut(&line))) {
    char* value = strchr(word, '=');
    const struct word* found = table;

    if (!value || value == word)
      return wrong(fault, number, word, NULL, "a word is KEY=VALUE, without blanks");
    *value++ = 0;
    while (found->name && strcmp(found->name, word) != 0) found++;
    if (!found->name) {
      wrong(fault, number, word, NULL, "no such key; there are");
      for (found = table; found->name; found++) {
        say(fault, " ");
        say(fault, found->name);
      }
      return false;
    }
    if (*given & 1u << (found - table))
      return wrong(fault, number, word, value, "given twice; give it once");
    *given |= 1u << (found - table);
    if (!put(fault, number, found, value, object)) return false;
  }
  return true;
}

static bool power_of_two(uint64_t value) { return value && !(value & (value - 1)); }

static bool multiple(struct fault* fault, const struct point* point, const char* key) {
  wrong(fault, point->line, key, NULL, "give a multiple of ");
  say_number(fault, point->width);
  say(fault, by_words(point->means) ? ", the width" : ", which vectors move");
  return false;
}

/* What one key alone cannot tell. */
static bool sensible(struct fault* fault, const struct point* point) {
  const uint64_t pointer = sizeof(void*);
  const unsigned line = point->line, kernel = 1u << point->kernel;

  if (kernel & IS(LOAD)) {
    if (point->stride < pointer || point->stride % pointer)
      return wrong(fault, line, "stride", NULL,
                   "a stride of loads is a multiple of a pointer's size, at least one pointer");
    if (point->bytes / point->stride < 2)
      return wrong(fault, line, "bytes", NULL, "a cycle has at least two strides");
    if (point->bytes / point->stride > UINT32_MAX)
      return wrong(fault, line, "bytes", NULL, "a cycle has less than 2^32 strides");
    if (point->order == ORDER_PAGE && point->within < point->stride)
      return wrong(fault, line, "within", NULL, "give at least the stride");
  }
  if (kernel & (SWEEPS | WINDOWS)) {
    if (!power_of_two(point->width))
      return wrong(fault, line, "width", NULL, "a width is 1, 2, 4 or 8");
    if (point->bytes % point->width) return multiple(fault, point, "bytes");
    if (point->offset % point->width) return multiple(fault, point, "offset");
    if (point->shift % point->width) return multiple(fault, point, "shift");
  }
  if (kernel & SWEEPS) {
    if (by_words(point->means) && point->width < 4)
      return wrong(fault, line, "width", NULL, "memory is moved in words of 4 or 8 bytes");
    if (point->stride < point->width || point->stride % point->width ||
        point->bytes % point->stride)
      return wrong(fault, line, "stride", NULL,
                   "give a multiple of the width that divides the bytes");
    if (kernel & (IS(READ) | IS(UPDATE)) &&
        (point->means == MEANS_LIBC || point->means == MEANS_STREAM))
      return wrong(fault, line, "copy", NULL, "reading and updating are plain, scalar or vector");
  }
  return true;
}

static bool point_line(struct fault* fault, unsigned line, char* text, struct point* point) {
  uint32_t given = 0;
  unsigned kernel;
  bool means = false, stride = false, width = false, threads = false;

  memset(point, 0, sizeof(*point));
  point->line = line;
  point->stride = 64;
  point->within = 65536;
  point->traffic_bytes = 64 << 20;
  point->threads = 1;
  point->depth = 2;
  point->mode = BLOCK_STREAMING;
  if (!words(fault, line, text, point_words, point, &given)) return false;
  kernel = 1u << point->kernel;
  for (const struct word* word = point_words; word->name; word++) {
    const bool here = given & 1u << (word - point_words);

    if (here && !(word->kernels & kernel)) {
      wrong(fault, line, word->name, NULL, "kernel ");
      say(fault, kernel_names[point->kernel]);
      say(fault, " does not take it; leave it out");
      return false;
    }
    if (!here && word->needed & kernel) {
      wrong(fault, line, word->name, NULL, "give it; kernel ");
      say(fault, kernel_names[point->kernel]);
      say(fault, " needs it");
      return false;
    }
    means |= here && word->place == AT(means);
    stride |= here && word->place == AT(stride);
    width |= here && word->place == AT(width);
    threads |= here && word->place == AT(threads);
  }
  if (!means) point->means = kernel & IS(COPY) ? MEANS_LIBC : MEANS_SCALAR;
  if (!by_words(point->means)) {
    if (width || stride)
      return wrong(fault, line, width ? "width" : "stride", NULL,
                   "only copy=scalar and copy=plain go by words");
    point->width = point->stride = point->means == MEANS_LIBC ? 1 : 64;
  }
  if (!point->width) point->width = kernel & WINDOWS ? 4 : sizeof(uintptr_t);
  if (!stride && kernel & SWEEPS) point->stride = point->width;
  if (point->traffic == TRAFFIC_NONE) {
    if (threads && point->threads != 1)
      return wrong(fault, line, "threads", NULL,
                   "counts the threads of traffic; give traffic=read, write or copy");
    point->threads = 0;
  }
  return sensible(fault, point);
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

static size_t trimmed(const char* text) {
  size_t length = strlen(text);

  while (length && blank(text[length - 1])) length--;
  return length;
}

static bool ends(const char* line) { return trimmed(line) == 3 && !strncmp(line, "end", 3); }

/* Whether the line from `text` to `stop` ends with the sum of what is before it. */
static bool whole(const char* text, const char* stop) {
  uint32_t sum;

  while (stop > text && blank(stop[-1])) stop--;
  if (stop - text < 10 || stop[-9] != '#' || stop[-10] != ' ') return stop == text;
  return sum_read(stop - 8, &sum) && sum == sum_of(text, (size_t)(stop - 10 - text));
}

bool plan_ended(const char* text, size_t length) {
  size_t begin;

  if (!length || text[length - 1] != '\n') return false;
  begin = --length;
  while (begin && text[begin - 1] != '\n') begin--;
  return length - begin >= 3 && !strncmp(text + begin, "end", 3) &&
         (length - begin == 3 || blank(text[begin + 3]));
}

size_t plan_room(const char* text, size_t length) {
  size_t lines = 1;

  while (length--) lines += *text++ == '\n';
  return lines;
}

/* Two points of one number could not be told apart in the samples. */
static bool numbered(struct fault* fault, const struct plan* plan) {
  uint64_t most = 0;

  for (size_t i = 0; i < plan->count; i++) {
    const struct point* point = &plan->points[i];

    /* Plans come in the order of their numbers, nearly always: only what does not is searched. */
    for (size_t k = 0; i && point->id <= most && k < i; k++) {
      if (plan->points[k].id != point->id) continue;
      wrong(fault, point->line, "id", NULL, "taken by line ");
      say_number(fault, plan->points[k].line);
      say(fault, "; give each point its own");
      return false;
    }
    if (point->id > most) most = point->id;
  }
  return true;
}

bool plan_parse(char* text, size_t length, struct plan* plan, char message[FAULT]) {
  struct fault fault = {message, 0, false};
  char* const end = text + length;
  uint32_t settings = 0;
  unsigned line = 0;

  plan_defaults(&plan->set);
  plan->count = 0;
  while (text < end) {
    char* stop = memchr(text, '\n', (size_t)(end - text));
    char *comment, *rest = text;

    line++;
    if (!stop) stop = end;
    *stop = 0;
    if (strlen(text) != (size_t)(stop - text))
      return wrong(&fault, line, text, NULL, "a plan is text, and holds no NUL");
    if (plan->set.check == CHECK_CRC32 && !whole(text, stop))
      return wrong(&fault, line, "sum", NULL, "the line was changed on its way; send it again");
    comment = strchr(text, '#');
    if (comment) *comment = 0;
    text = stop + 1;
    while (blank(*rest)) rest++;
    if (!*rest) continue;
    if (ends(rest)) break;
    if (strncmp(rest, "set", 3) == 0 && (!rest[3] || blank(rest[3]))) {
      if (!words(&fault, line, rest + 3, set_words, &plan->set, &settings)) return false;
    } else {
      const uint32_t asked = sum_of(rest, trimmed(rest));

      if (!point_line(&fault, line, rest, &plan->points[plan->count++])) return false;
      plan->points[plan->count - 1].asked = asked;
    }
  }
  if (!plan->count) {
    begin(&fault, line);
    say(&fault, "no point; give a line as id=1 kernel=load bytes=32KiB");
    return false;
  }
  return numbered(&fault, plan);
}
