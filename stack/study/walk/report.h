/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of output, by the probe's own writer of JSON lines. Each is flushed. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct batch {
  uint32_t id, block, count;
  uint64_t at_ns, ns, bytes, faults, switches;
  int cpu;
};

/* What is emulated is said in the machine's line: its times are those of no hardware. */
void report_machine(const char* model, bool emulated, bool acp, bool program_on_chip,
                    uint32_t window_bytes, uint32_t piece_bytes);
void report_timer(uint64_t resolution_ns, double overhead_ns, uint64_t batch_ns);
void report_batch(const struct batch* batch);
void report_point(uint32_t id, const char* outcome, const char* message, uint32_t blocks);
void report_end(uint32_t points, uint64_t samples);
/* Whether every line so far has been taken. */
bool report_taken(void);

#endif
