/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <stdio.h>

#include "lines/json.h"

static bool lost;

/* What json.c asks of the program. */
bool lines_emit(const char* bytes, size_t length) {
  if (fwrite(bytes, 1, length, stdout) != length || fflush(stdout)) lost = true;
  return !lost;
}

bool report_taken(void) { return !lost; }

void report_machine(const char* model, bool emulated, bool acp, bool program_on_chip,
                    uint32_t window_bytes, uint32_t piece_bytes) {
  struct line line;
  line_begin(&line, "probe");
  line_text(&line, "version", "study-1");
  line_text(&line, "arch", "armhf");
#ifdef __GLIBC__
  line_text(&line, "libc", "glibc");
#else
  line_text(&line, "libc", "musl");
#endif
  line_end(&line);
  line_begin(&line, "machine");
  line_text(&line, "model", model);
  line_truth(&line, "emulated", emulated);
  line_truth(&line, "acp", acp);
  line_truth(&line, "program_on_chip", program_on_chip);
  line_number(&line, "window_bytes", window_bytes);
  line_number(&line, "piece_bytes", piece_bytes);
  line_end(&line);
}

void report_timer(uint64_t resolution_ns, double overhead_ns, uint64_t batch_ns) {
  struct line line;
  line_begin(&line, "timer");
  line_text(&line, "name", "clock_gettime");
  line_number(&line, "resolution_ns", resolution_ns);
  line_real(&line, "overhead_ns", overhead_ns);
  line_number(&line, "batch_ns", batch_ns);
  line_text(&line, "why", "the processor's cycle counter is not for programs");
  line_end(&line);
}

void report_batch(const struct batch* batch) {
  struct line line;
  line_begin(&line, "sample");
  line_number(&line, "id", batch->id);
  line_number(&line, "block", batch->block);
  line_number(&line, "at_ns", batch->at_ns);
  line_real(&line, "ns", (double)batch->ns / batch->count);
  line_number(&line, "count", batch->count);
  line_number(&line, "bytes", batch->bytes);
  if (batch->cpu >= 0) line_number(&line, "cpu", (uint64_t)batch->cpu);
  line_number(&line, "faults", batch->faults);
  line_number(&line, "switches", batch->switches);
  line_end(&line);
}

void report_point(uint32_t id, const char* outcome, const char* message, uint32_t blocks) {
  struct line line;
  line_begin(&line, "point");
  line_number(&line, "id", id);
  line_text(&line, "outcome", outcome);
  line_text(&line, "message", message);
  line_number(&line, "blocks", blocks);
  line_truth(&line, "verified", true);
  line_end(&line);
}

void report_end(uint32_t points, uint64_t samples) {
  struct line line;
  line_begin(&line, "end");
  line_number(&line, "points", points);
  line_number(&line, "samples", samples);
  line_end(&line);
}
