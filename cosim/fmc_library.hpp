/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
 *
 * The logic behind a microcontroller's memory bus as a shared library: its pins are driven here, by
 * a model of the memory controller and of the wire. Times are in ticks of the caller's; no call
 * goes back in time.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fmc_logic;

/* Periods of the bus's clock and of a byte on the wire. */
struct fmc_logic* fmc_open(int64_t bus_period, int64_t wire_period, uint64_t seed);
void fmc_close(struct fmc_logic* logic);

/* An access of 8 to 64 bits that begins at the first clock from `at` on; when its burst has ended.
 */
int64_t fmc_write(struct fmc_logic* logic, int64_t at, uint32_t address, uint64_t data,
                  unsigned bits);
int64_t fmc_read(struct fmc_logic* logic, int64_t at, uint32_t address, unsigned bits,
                 uint64_t* value);
/* Lets the bus idle, and the wire go on. */
void fmc_run(struct fmc_logic* logic, int64_t until);

/* The next frame that has left, without preamble and CRC, at most 1518 bytes: its length, or 0;
 * `end` is when its last byte was on the wire. Every frame has been compared with what was written.
 */
unsigned fmc_frame(struct fmc_logic* logic, uint8_t* bytes, int64_t* end);
/* A frame that comes by the wire from `at` on, or behind those that are to come before it. */
void fmc_arrive(struct fmc_logic* logic, int64_t at, const uint8_t* bytes, unsigned length);
/* Whether the receive FIFO says that it has a frame. */
int fmc_ready(const struct fmc_logic* logic);
/* Nothing is on its way in the logic or on the wire. */
int fmc_quiet(const struct fmc_logic* logic);

/* What went wrong first, or NULL. */
const char* fmc_fault(const struct fmc_logic* logic);

#ifdef __cplusplus
}
#endif
