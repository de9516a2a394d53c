/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives mutated plans to the parser, for the sanitizers to watch.
 *
 *	fuzz_plan SEED COUNT PLAN
 *
 * Each plan lies in memory of just its size. Prints how many were taken and how many refused; ends
 * with 1 where one was refused without a line that says why, or taken with a point outside its
 * limits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../probe/probe.h"

static uint64_t state;

static uint64_t draw(uint64_t limit) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state % limit;
}

static const char* const pieces[] = {"\n",         "#",
                                     "=",          " ",
                                     "set ",       "id=",
                                     "id=1",       "kernel=",
                                     "load",       "copy",
                                     "posted",     "block",
                                     "bytes=0",    "bytes=18446744073709551615",
                                     "KiB",        "MiB",
                                     "GiB",        "0x",
                                     "ffffffff",   "stride=",
                                     "width=16",   "spread=1",
                                     "0.0.0",      "budget=9s",
                                     "window=",    "file=/",
                                     "\t",         "\r\n",
                                     "-1",         "1e9",
                                     "\xff\xfe",   "set set=1",
                                     "seed=",      "within=",
                                     "order=page", "threads=",
                                     "depth=",     "mode=",
                                     "length=0x1", "min",
                                     "cpu=",       "direction=cpu_to_fpga"};

static size_t mutate(char* text, size_t length, size_t room) {
  for (uint64_t times = draw(3) + 1; times; times--) {
    const size_t at = draw(length + 1);
    const char* piece = pieces[draw(sizeof(pieces) / sizeof(*pieces))];
    size_t size = strlen(piece);

    switch (draw(5)) {
      case 0: /* another byte */
        if (at < length) text[at] = (char)draw(256);
        break;
      case 1: /* less */
        size = draw(20);
        if (size > length - at) size = length - at;
        memmove(text + at, text + at + size, length - at - size);
        length -= size;
        break;
      case 2: /* a part once more */
        size = draw(40);
        if (size > length - at) size = length - at;
        if (length + size > room) break;
        memmove(text + at + size, text + at, length - at);
        length += size;
        break;
      default: /* a word that means something, between or over others */
        if (draw(2) && at + size <= length) {
          memcpy(text + at, piece, size);
        } else if (length + size <= room) {
          memmove(text + at + size, text + at, length - at);
          memcpy(text + at, piece, size);
          length += size;
        }
    }
  }
  return length;
}

static int wrong(const char* what, unsigned long plan) {
  fprintf(stderr, "plan %lu: %s\n", plan, what);
  _exit(1); /* without a word on what is not freed then */
}

static int check(const char* base, size_t size, unsigned long number, unsigned long* taken) {
  enum { ROOM = 4096 };
  static char scratch[ROOM];
  struct fault fault = {0};
  char* text;
  size_t length;
  struct plan plan;
  bool good;

  memcpy(scratch, base, size);
  length = mutate(scratch, size, ROOM);
  text = malloc(length + 1);
  memcpy(text, scratch, length);
  text[length] = 0;
  plan.points = malloc(plan_room(text, length) * sizeof(*plan.points));
  good = plan_parse(text, length, &plan, &fault);
  *taken += good;
  for (size_t i = 0; good && i < plan.count; i++) {
    const struct point* point = &plan.points[i];

    if (point->kernel >= KERNELS || point->traffic > TRAFFIC_COPY || point->threads > 256)
      return wrong("a point outside its limits", number);
    if (point->kernel < KERNEL_UNCACHED &&
        (!point->stride || (point->kernel != KERNEL_LOAD && point->bytes % point->stride)))
      return wrong("a point that would never end", number);
    if (point->target && strlen(point->target) > length)
      return wrong("a path from nowhere", number);
  }
  if (!good &&
      (fault.kind == FAULT_NONE || fault.column > length || strncmp(fault.text, "plan line ", 10) ||
       strlen(fault.text) >= sizeof(fault.text) || strchr(fault.text, '\n')))
    return wrong("refused without a line", number);
  free(plan.points);
  free(text);
  return 0;
}

int main(int count, char** arguments) {
  static char base[2048];
  unsigned long taken = 0, plans = count > 3 ? strtoul(arguments[2], NULL, 10) : 0;
  FILE* file = count > 3 ? fopen(arguments[3], "rb") : NULL;
  size_t size;

  if (!file) return 2;
  state = strtoull(arguments[1], NULL, 10) * 2 + 1;
  size = fread(base, 1, sizeof(base), file);
  fclose(file);
  for (unsigned long i = 0; i < plans; i++)
    if (check(base, size, i, &taken)) return 1;
  printf("%lu taken, %lu refused\n", taken, plans - taken);
  return 0;
}
