/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weighbridge-study: walks a plan of the studies' transfers under Linux and prints samples.
 * plan.c reads the plan, way.c moves bytes by one of its ways, main.c measures, report.c prints.
 */
#ifndef WALK_H
#define WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../study-ioctl.h"
#include "lines/words.h"

enum outcome { OK, UNVERIFIED, REFUSED, BUS_ERROR, TIMEOUT, NO_MEMORY, IO_ERROR, INTERRUPTED };
extern const char* const outcome_names[];

enum direction { CPU_TO_FPGA, FPGA_TO_CPU };
enum buffer { USER, KERNEL_CACHED, KERNEL_UNCACHED };
enum copy { COPY_MEMCPY, COPY_FOR_LOOP };
enum when { BEFORE, AFTER };
enum priority { PRIORITY_NONE, PRIORITY_DEFAULT, PRIORITY_SAME, PRIORITY_L3_HIGHER };

struct point {
  uint32_t id, kernel, bytes, direction, master, route, buffer, copy, prepared, completion,
      security;
  uint32_t offset, dummy_traffic, lock_cpu_ways, lock_acp_ways, lock_when;
  uint32_t sdram_priority, sdram_weight, wrong;
  uint32_t locks, scheduler; /* one of their words is given */
  uint32_t blocks;           /* that are through */
  enum outcome outcome;
  char message[160];
};

/* A thousand of the clock's resolutions. */
#define BATCH_BY_CLOCK UINT32_MAX

struct plan {
  uint32_t seed, blocks, samples, timeout_us;
  uint32_t batch_us; /* least time of a sample; 0: one transfer is one; or BATCH_BY_CLOCK */
  struct point* points;
  uint32_t count;
};

/* Reads a plan, whose text it changes. False: see `fault`. */
bool plan_read(char* text, struct plan* plan, struct fault* fault);

/* The device, and one program's buffers. */
struct way {
  int file;
  struct study_info info;
  volatile uint8_t* window;
  uint8_t* user;     /* as many bytes as the longest point */
  uint8_t* expected; /* a piece */
  uint8_t* seen;     /* likewise */
};

bool way_open(struct way* way, const char* device, struct fault* fault);
/* Fresh memory; false if there is none. */
bool way_buffers(struct way* way, size_t bytes);
/* Has the device move bytes as the point says; else its outcome and message say why not. */
bool way_choose(struct way* way, struct point* point, uint32_t timeout_us);
/* What the point has locked or scheduled is as it was. */
void way_leave(struct way* way, const struct point* point);
/* Fills the source and, before or after it, locks what the point says. */
void way_fill(struct way* way, const struct point* point, uint64_t seed);
/* All bytes once, in pieces; false: see the point. */
bool way_move(struct way* way, struct point* point);
/* After way_fill() and way_move(): has the last piece arrived? False: see the point. */
bool way_arrived(struct way* way, struct point* point);
/* Fills, moves and looks at every piece, so at each byte. */
bool way_verify(struct way* way, struct point* point, uint64_t seed);

uint64_t mixed(uint64_t value);

#endif
