/* SPDX-License-Identifier: Apache-2.0 */
/* Which counter tells time on this Linux machine: the cheapest that CLOCK_MONOTONIC agrees with. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "linux.h"

enum { WINDOW_NS = 10000000 };

struct candidate {
  const char* name;
  uint64_t (*read)(void);
  uint64_t mask;
  /* Ticks a second, where the counter tells; 0: it is measured over the first window. */
  double (*rate)(void);
};

/* A fence on either side: nothing measured may leak out of the batch. */
#if defined(__x86_64__)
static uint64_t tsc(void) {
  uint32_t low, high;

  __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
  return (uint64_t)high << 32 | low;
}

/* Leaf 0x80000007, bit 8: one rate in every state of the processor. */
static bool invariant(void) {
  unsigned a, b, c, d = 0;

  return __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1;
}

#define UNUSABLE "invariant"
static const struct candidate candidates[] = {{"tsc", tsc, UINT64_MAX, NULL}};
static bool usable(const struct candidate* one) {
  (void)one;
  return invariant();
}
#elif defined(__aarch64__)
static uint64_t pmccntr(void) {
  uint64_t value;

  __asm__ volatile("isb\n\tmrs %0, pmccntr_el0\n\tisb" : "=r"(value) : : "memory");
  return value;
}
static uint64_t cntvct(void) {
  uint64_t value;

  __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(value) : : "memory");
  return value;
}
static double cntfrq(void) {
  uint64_t value;

  __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(value));
  return (double)value;
}
static const struct candidate candidates[] = {{"pmccntr", pmccntr, UINT64_MAX, NULL},
                                              {"cntvct", cntvct, UINT64_MAX, cntfrq}};
#elif defined(__arm__)
static uint64_t pmccntr(void) {
  uint32_t value;

  __asm__ volatile("isb\n\tmrc p15, 0, %0, c9, c13, 0\n\tisb" : "=r"(value) : : "memory");
  return value;
}
static uint64_t cntvct(void) {
  uint32_t low, high;

  __asm__ volatile("isb\n\tmrrc p15, 1, %0, %1, c14\n\tisb" : "=r"(low), "=r"(high) : : "memory");
  return (uint64_t)high << 32 | low;
}
static double cntfrq(void) {
  uint32_t value;

  __asm__ volatile("mrc p15, 0, %0, c14, c0, 0" : "=r"(value));
  return value;
}
static const struct candidate candidates[] = {{"pmccntr", pmccntr, UINT32_MAX, NULL},
                                              {"cntvct", cntvct, UINT64_MAX, cntfrq}};
#endif
#if !defined(__x86_64__)
#define UNUSABLE "readable"
static void read_once(void* argument) {
  const struct candidate* one = argument;

  one->read();
  if (one->rate) one->rate();
}

/* The kernel lets programs read these or not: an attempt ends in SIGILL. */
static bool usable(const struct candidate* one) {
  char message[MESSAGE];

  return platform_guard(read_once, (void*)one, 1000000000, message) == OUTCOME_OK;
}
#endif

/* Ticks a nanosecond over a window of CLOCK_MONOTONIC. */
static double rate_now(const struct candidate* one) {
  const uint64_t from = platform_now(), first = one->read();
  uint64_t to, last;

  do {
    to = platform_now();
    last = one->read();
  } while (to - from < WINDOW_NS);
  return (double)((last - first) & one->mask) / (double)(to - from);
}

static bool agree(double a, double b) { return a > 0 && b > 0 && a < b * 1.01 && b < a * 1.01; }

void platform_timer(struct timer* timer) {
  static char why[MESSAGE];
  size_t used = 0;

  *timer = (struct timer){"clock_gettime", platform_now, UINT64_MAX, 1, 0, 0, why};
  why[0] = 0;
  if (linux_file_says("/proc/cpuinfo", "User Mode Linux")) {
    strcpy(why, "User-Mode Linux: counters read the host's time");
    return;
  }
  for (unsigned i = 0; i < sizeof(candidates) / sizeof(*candidates); i++) {
    const struct candidate* one = &candidates[i];
    double told, seen;

    if (!usable(one)) {
      used +=
          (size_t)snprintf(why + used, sizeof(why) - used, "%s is not %s; ", one->name, UNUSABLE);
      continue;
    }
    told = one->rate ? one->rate() / 1e9 : rate_now(one);
    seen = rate_now(one);
    if (agree(told, seen)) {
      timer->name = one->name;
      timer->read = one->read;
      timer->mask = one->mask;
      /* Measured over the longer of both: what a counter says of itself may be rounded. */
      timer->tick_ns = one->rate ? 1 / told : 2 / (told + seen);
      snprintf(why + used, sizeof(why) - used, "agrees with CLOCK_MONOTONIC to %.3f %% over 10 ms",
               (told > seen ? told / seen - 1 : seen / told - 1) * 100);
      return;
    }
    used += (size_t)snprintf(why + used, sizeof(why) - used,
                             "%s: %.6f and %.6f ticks/ns differ by 1 %%; ", one->name, told, seen);
  }
}
