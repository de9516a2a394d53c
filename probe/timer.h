/* SPDX-License-Identifier: Apache-2.0 */
/* The timer that the platform gives, measured; and the clock of the core. */
#ifndef PROBE_TIMER_H
#define PROBE_TIMER_H

#include "platform.h"

/* Measures resolution and overhead of a timer whose tick is known. */
void timer_measure(struct timer* timer);
static inline uint64_t timer_ticks(const struct timer* timer, uint64_t from, uint64_t to) {
  return (to - from) & timer->mask;
}
/* The core's clock, of a chain of additions that each take a cycle; 0 where that is not known. */
double timer_core_mhz(const struct timer* timer);

#endif
