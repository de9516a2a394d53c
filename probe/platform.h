/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the core asks of the system it runs on: time, memory, windows, faults; and, of lines/json.h,
 * lines_emit(). linux.c and memory.c answer for Linux; a firmware writes a file of its own.
 */
#ifndef PROBE_PLATFORM_H
#define PROBE_PLATFORM_H

#include "probe.h"

/* A counter that time is read from. `mask` has the bits that the counter really has. */
struct timer {
  const char* name;
  uint64_t (*read)(void);
  uint64_t mask;
  double tick_ns;
  double resolution_ns, overhead_ns;
  const char* why;
};

/* Chosen once; run.c then measures resolution and overhead. */
void platform_timer(struct timer* timer);
/* Nanoseconds of a clock that never goes back. */
uint64_t platform_now(void);

/* Writes the lines "probe" and "machine". */
bool platform_describe(const struct plan* plan);

struct memory {
  void* data;
  size_t bytes, mapped;
  void* base;
};

/* Fresh memory, touched, of the pages that were asked for, aligned to one. */
enum outcome platform_memory(struct memory* memory, uint64_t bytes, enum pages pages,
                             char* message);
void platform_release(struct memory* memory);

/* Maps bytes [offset, offset + bytes) of a window, or refuses before anything is touched. */
struct window {
  volatile void* data;
  size_t bytes;
  struct memory mapping;
  int shared; /* the descriptor of a buffer that devices share; else 0 */
};
enum outcome platform_window(struct window* window, const struct point* point, bool writes,
                             const struct settings* set, char* message);
void platform_window_close(struct window* window);
/* What the window of a file holds, by another way than its mapping; false where there is none. */
bool platform_window_content(const struct point* point, void* data);

/*
 * Calls work(argument). A bus error, a time-out of `timeout_ns` and an interrupt within it come
 * back as outcomes.
 */
enum outcome platform_guard(void (*work)(void*), void* argument, uint64_t timeout_ns,
                            char* message);
/* Whether the user has asked to stop. */
bool platform_stopped(void);

struct usage {
  uint64_t faults, switches;
  int cpu; /* -1: unknown */
};
void platform_usage(struct usage* usage);

/* Threads that move bytes beside a point; `moved` counts what they have moved since they began. */
enum outcome platform_traffic_start(const struct point* point, const struct settings* set,
                                    char* message);
uint64_t platform_traffic_moved(void);
void platform_traffic_stop(void);

enum { MESSAGE = 160 };

/* Whether the processor has vectors of this size at all; the widest is used. */
unsigned platform_vector_bytes(void);

#endif
