/* SPDX-License-Identifier: Apache-2.0 */
#include "timer.h"

enum { READINGS = 4000, ADDITIONS = 8192 };

/*
 * Resolution: the least step that two readings have shown; overhead: what a reading takes, as the
 * least mean of a hundred in a row.
 */
void timer_measure(struct timer* timer) {
  uint64_t least = UINT64_MAX, best = UINT64_MAX, last = timer->read();

  for (unsigned i = 0; i < READINGS; i++) {
    const uint64_t now = timer->read(), step = timer_ticks(timer, last, now);

    if (step && step < least) least = step;
    last = now;
  }
  for (unsigned i = 0; i < READINGS / 100; i++) {
    const uint64_t from = timer->read();
    uint64_t whole;

    for (unsigned k = 0; k < 99; k++) timer->read();
    whole = timer_ticks(timer, from, timer->read());
    if (whole < best) best = whole;
  }
  timer->resolution_ns = least == UINT64_MAX ? 0 : (double)least * timer->tick_ns;
  timer->overhead_ns = (double)best / 100 * timer->tick_ns;
}

/* Register to register, for a processor may do chains of additions of a constant at once. */
#if defined(__x86_64__)
#define ADD "add %1, %0\n\t"
#elif defined(__aarch64__) || defined(__arm__)
#define ADD "add %0, %0, %1\n\t"
#endif

double timer_core_mhz(const struct timer* timer) {
#ifdef ADD
#define ADD16 ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD
  uint64_t least = UINT64_MAX;

  for (unsigned i = 0; i < 3; i++) {
    uintptr_t value = i, other = 1;
    const uint64_t from = timer->read();
    uint64_t took;

    for (unsigned k = 0; k < ADDITIONS; k += 64)
      __asm__ volatile(ADD16 ADD16 ADD16 ADD16 : "+r"(value) : "r"(other) : "cc");
    took = timer_ticks(timer, from, timer->read());
    if (took && took < least) least = took;
  }
  if (least == UINT64_MAX || (double)least * timer->tick_ns < 10 * timer->resolution_ns) return 0;
  return ADDITIONS / ((double)least * timer->tick_ns - timer->overhead_ns) * 1e3;
#else
  (void)timer;
  return 0;
#endif
}
