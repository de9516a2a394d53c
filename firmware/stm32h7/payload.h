/* SPDX-License-Identifier: Apache-2.0 */
/* What iperf3 expects in a datagram, and what fills the rest: each word its own number. */
#ifndef PAYLOAD_H
#define PAYLOAD_H

#include <stdint.h>

/* Words that iperf3 looks at; those from here on are filled. */
#define PAYLOAD_FIRST 4u

void payload_fill(uint32_t *words, uint32_t count);
/* The same, four words at a time. */
void payload_fill_unrolled(uint32_t *words, uint32_t count);

#endif
