/* SPDX-License-Identifier: Apache-2.0 */
/* Frames into the transmit FIFO, by the processor or by the MDMA. */
#ifndef TRANSMIT_H
#define TRANSMIT_H

#include <stdint.h>

#define FRAME_LONGEST 1514u
#define FRAME_HEADERS 42u /* Ethernet, IPv4, UDP */

/* The header begins two bytes behind a word, so what follows it is aligned. */
struct frame {
	uint8_t offset[2];
	uint8_t bytes[FRAME_LONGEST + 6]; /* whole stores of 8 bytes */
} __attribute__((aligned(4)));
_Static_assert((2 + FRAME_HEADERS) % 4 == 0, "a datagram's payload is not aligned");

void transmit_start(void);
/* Word by word; over when the frame is committed. */
void transmit_by_processor(const struct frame *frame, uint32_t bytes);
/* Waits for the frame before, begins this one, which must stay as it is until the next call. */
void transmit_by_mdma(const struct frame *frame, uint32_t bytes);
/* Queues a frame, which must stay as it is for the next two calls; waits for the one two before. */
void transmit_queued(const struct frame *frame, uint32_t bytes);
void transmit_wait(void);

#endif
