/* SPDX-License-Identifier: Apache-2.0 */
#include "flow.h"

#include <string.h>

#include "checksum.h"
#include "chip.h"
#include "payload.h"
#include "step.h"
#include "transmit.h"

#define ETHERNET 14u
#define IP 20u
#define UDP 8u

static struct frame frames[FRAMES];
static unsigned int next; /* the one that is made */
static uint16_t pseudo; /* sum of what the UDP checksum covers beside the datagram */
static uint16_t number; /* of IP */

static void put16(uint8_t *to, uint32_t value)
{
	to[0] = (uint8_t)(value >> 8);
	to[1] = (uint8_t)value;
}

static void put32(uint8_t *to, uint32_t value)
{
	put16(to, value >> 16);
	put16(to + 2, value);
}

void flow_begin(const struct flow *flow)
{
	const uint32_t datagram = UDP + flow->payload;
	uint8_t header[FRAME_HEADERS] = { 0 };
	uint8_t covered[12] = { 0 };
	uint8_t *ip = header + ETHERNET;
	uint8_t *udp = ip + IP;

	memcpy(header, flow->to, 6);
	memcpy(header + 6, flow->from, 6);
	put16(header + 12, 0x0800);
	ip[0] = 0x45;
	put16(ip + 2, IP + datagram);
	ip[6] = 0x40; /* do not fragment */
	ip[8] = 64;
	ip[9] = 17;
	put32(ip + 12, flow->from_address);
	put32(ip + 16, flow->to_address);
	put16(udp, flow->from_port);
	put16(udp + 2, flow->to_port);
	put16(udp + 4, datagram);

	memcpy(covered, ip + 12, 8);
	covered[9] = 17;
	put16(covered + 10, datagram);
	pseudo = CHECKSUM(covered, sizeof(covered), 0);
	flow_end();
	for (unsigned int i = 0; i < FRAMES; i++) {
		memset(frames[i].bytes, 0, sizeof(frames[i].bytes));
		memcpy(frames[i].bytes, header, sizeof(header));
	}
}

HOT void flow_send(struct flow *flow)
{
	struct frame *frame = &frames[next];
	uint8_t *ip = frame->bytes + ETHERNET;
	uint8_t *udp = ip + IP;
	uint32_t *words = (uint32_t *)(void *)(udp + UDP);
	const uint32_t tenths = TIM_CNT;
	const uint64_t count = ++flow->sent;
	uint16_t sum;

	words[0] = __builtin_bswap32(tenths / 10000);
	words[1] = __builtin_bswap32(tenths % 10000 * 100);
	if (flow->wide) {
		words[2] = __builtin_bswap32((uint32_t)(count >> 32));
		words[3] = __builtin_bswap32((uint32_t)count);
	} else {
		words[2] = __builtin_bswap32((uint32_t)count);
		words[3] = 0;
	}
	/* The last word may be longer than the datagram: the transmit FIFO drops what is behind it. */
	FILL(words, (flow->payload + 3) / 4);

	put16(ip + 4, ++number);
	put16(ip + 10, 0);
	put16(ip + 10, ~(uint32_t)CHECKSUM(ip, IP, 0));
	put16(udp + 6, 0);
	sum = (uint16_t)~CHECKSUM(udp, UDP + flow->payload, pseudo);
	put16(udp + 6, sum ? sum : 0xFFFF);
	TRANSMIT(frame, FRAME_HEADERS + flow->payload);
	next = next + 1 < FRAMES ? next + 1 : 0;
}

void flow_end(void)
{
	transmit_wait();
}
