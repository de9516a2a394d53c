/* SPDX-License-Identifier: Apache-2.0 */
#include "transmit.h"

#include <stddef.h>

#include "chip.h"
#include "fmc-registers.h"
#include "step.h"

#define FIFO(offset) WINDOW_REGISTER(FMC_WINDOW_TRANSMIT, offset)

HOT void transmit_by_processor(const struct frame *frame, uint32_t bytes)
{
	const volatile uint8_t *from = frame->bytes;
	volatile uint32_t *to = &FIFO(FMC_TRANSMIT_TX_BUF);

	FIFO(FMC_TRANSMIT_LENGTH) = bytes;
	for (uint32_t at = 0; at < bytes; at += 4) {
		uint32_t word = from[0];

		word |= (uint32_t)from[1] << 8;
		word |= (uint32_t)from[2] << 16;
		word |= (uint32_t)from[3] << 24;
		*to++ = word;
		from += 4;
	}
	FIFO(FMC_TRANSMIT_COMMIT) = 1;
}

/* A node of the MDMA's list: what the channel's registers hold. */
struct node {
	uint32_t transfer, block, source, destination, repeat, link, trigger, reserved, mask_address,
		mask_data;
} __attribute__((aligned(16)));

enum { CHANNEL = 0 };

#define MDMA_ACTIVE (1u << 16)
/*
 * Source by halfwords, two a burst, packed; destination by stores of 4 or 8 bytes, one a buffer
 * transfer; the whole list by one request of software; writes may be buffered.
 */
#define STORES_OF(bytes) ((bytes) == 8 ? 3u : 2u)
#define TRANSFER(store)                                                                       \
	(2u | 2u << 2 | 1u << 4 | STORES_OF(store) << 6 | 1u << 8 | STORES_OF(store) << 10 |  \
	 1u << 12 | ((store)-1u) << 18 | 1u << 25 | 3u << 28 | 1u << 30 | 1u << 31)
/* Blocks of a store each. */
#define BLOCKS(count, store) (((count)-1) << 20 | (store))
#define FROM_TCM (1u << 16)
#define NODE(from, to, count, store, next)                                                  \
	{                                                                                   \
		TRANSFER(store), BLOCKS(count, store), (uint32_t)(from), (uint32_t)(to), 0, \
			(uint32_t)(next), FROM_TCM, 0, 0, 0                                 \
	}
#define WORD 4u

static struct node nodes[2] SHARED; /* the bytes, the commit */
static uint32_t length_word;
static const uint32_t *first_word(const struct frame *frame)
{
	return (const uint32_t *)(const void *)frame->bytes;
}

/* Lines of the list out of the data cache: the MDMA does not see it. */
static void clean(const void *data, uint32_t bytes)
{
	uint32_t line = (uint32_t)data & ~31u;

	for (; line < (uint32_t)data + bytes; line += 32)
		SCB_DCCMVAC = line;
	barrier();
}

static uint32_t commit_word;

void transmit_start(void)
{
	volatile uint32_t *list = MDMA_LIST(CHANNEL);
	const struct node first = NODE(&length_word, &FIFO(FMC_TRANSMIT_LENGTH), 1, WORD, &nodes[0]);
	const uint32_t *word = (const uint32_t *)(const void *)&first;

	commit_word = 1;
	for (unsigned int i = 0; i < offsetof(struct node, reserved) / sizeof(*word); i++)
		list[i] = word[i];
	nodes[0] = (struct node)NODE(0, &FIFO(FMC_TRANSMIT_TX_BUF), 1, STORE, &nodes[1]);
	nodes[1] = (struct node)NODE(&commit_word, &FIFO(FMC_TRANSMIT_COMMIT), 1, WORD, 0);
	clean(nodes, sizeof(nodes));
}

HOT void transmit_wait(void)
{
	while (MDMA_ISR(CHANNEL) & MDMA_ACTIVE)
		;
}

HOT void transmit_by_mdma(const struct frame *frame, uint32_t bytes)
{
	volatile uint32_t *list = MDMA_LIST(CHANNEL);

	transmit_wait();
	length_word = bytes;
	nodes[0].block = BLOCKS((bytes + STORE - 1) / STORE, STORE);
	nodes[0].source = (uint32_t)first_word(frame);
	clean(&nodes[0], sizeof(nodes[0]));
	/* The channel has run through its list: it begins anew. */
	list[1] = BLOCKS(1, WORD);
	list[2] = (uint32_t)&length_word;
	list[3] = (uint32_t)&FIFO(FMC_TRANSMIT_LENGTH);
	list[5] = (uint32_t)&nodes[0];
	MDMA_IFCR(CHANNEL) = 0x1F;
	barrier();
	MDMA_CR(CHANNEL) = 1u;
	MDMA_CR(CHANNEL) = MDMA_ACTIVE | 1u;
}
