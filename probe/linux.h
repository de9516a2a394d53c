/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the Linux platform know of each other. */
#ifndef PROBE_LINUX_H
#define PROBE_LINUX_H

#include "platform.h"

/* Signals become outcomes; the output goes to the standard one. Before anything else. */
void linux_begin(void);
/* The processor that the main thread runs on from now on; false with a line in `fault`. */
bool linux_pin(uint64_t cpu, struct fault* fault);
/* The `number`th of the processors that traffic may use: others than the main thread's come first.
 */
int linux_cpu_for_traffic(unsigned number);
int linux_main_cpu(void);
/* The signal that has ended the run; 0: none. */
int linux_stopped_by(void);
/* Blocks in this thread what must reach the main one. */
void linux_block_signals(void);
struct stat;
/* Whether it is /dev/mem or one of its kind, under whatever name; and what is said then. */
bool linux_is_memory(const struct stat* status);
/* Whether a device gives out memory that devices share: a dma-buf heap, or udmabuf. */
bool linux_shares(const struct stat* status);
/* A buffer of it; -1 with errno. */
int linux_share(const struct stat* status, int device, uint64_t bytes);
/* The processor's accesses to such a buffer begin, or end. */
void linux_sync(int buffer, bool end);
#define LINUX_MEMORY_REFUSED "all of the machine's memory; say set devmem=yes if that is meant"
/* `what` and the present errno as text. */
void linux_say(char* message, const char* what);
/* Whether `text` is in a file of /proc or /sys, of which the first 4095 bytes are looked at. */
bool linux_file_says(const char* path, const char* text);

#endif
