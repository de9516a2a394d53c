/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams of one length, one behind the other, as iperf3 counts them. */
#ifndef FLOW_H
#define FLOW_H

#include <stdbool.h>
#include <stdint.h>

#define FLOW_LEAST 16u
#define FLOW_MOST 1472u /* what is longer are several frames */

struct flow {
	uint8_t from[6], to[6];
	uint32_t from_address, to_address; /* 10.0.0.1 is 0x0A000001 */
	uint16_t from_port, to_port;
	uint32_t payload; /* FLOW_LEAST to FLOW_MOST bytes */
	bool wide;	  /* its numbers have 64 bits */
	uint64_t sent;
};

/* Headers of the frames; before the first datagram, and whenever the flow is another one. */
void flow_begin(const struct flow *flow);
/* One datagram; it may still be under way. */
void flow_send(struct flow *flow);
/* All datagrams have left. */
void flow_end(void);

#endif
