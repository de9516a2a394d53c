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

static const uint32_t *first_word(const struct frame *frame)
{
	return (const uint32_t *)(const void *)frame->bytes;
}

static uint32_t commit_word;

HOT void transmit_wait(void)
{
	while (MDMA_ISR(CHANNEL) & MDMA_ACTIVE)
		;
}

static inline void request(void)
{
	MDMA_IFCR(CHANNEL) = 0x1F;
	barrier();
	MDMA_CR(CHANNEL) = 1u;
	MDMA_CR(CHANNEL) = MDMA_ACTIVE | 1u;
}

#if defined(STEP_MDMA_QUEUED)

/* Of each frame: its length, its bytes, the commit. */
static struct node lists[FRAMES][3] __attribute__((section(".sram"), aligned(1024)));
static uint32_t lengths[FRAMES];
static unsigned int queued; /* the list that is written next */

enum { LIST_LINK = 5 }; /* word of a node */

void transmit_start(void)
{
	/* Processor and MDMA have the lists at once: normal memory that is not cached, 1 KiB. */
	_Static_assert(sizeof(lists) <= 1024, "the lists are longer than their memory");
	MPU_RNR = 1;
	MPU_RBAR = (uint32_t)lists;
	MPU_RASR = 1u << 28 | 3u << 24 | 1u << 19 | 9u << 1 | 1u;
	barrier();
	commit_word = 1;
	for (unsigned int i = 0; i < FRAMES; i++) {
		lists[i][0] = (struct node)NODE(&lengths[i], &FIFO(FMC_TRANSMIT_LENGTH), 1, WORD,
						&lists[i][1]);
		lists[i][1] =
			(struct node)NODE(0, &FIFO(FMC_TRANSMIT_TX_BUF), 1, STORE, &lists[i][2]);
		lists[i][2] =
			(struct node)NODE(&commit_word, &FIFO(FMC_TRANSMIT_COMMIT), 1, WORD, 0);
	}
}

static inline void begin(const struct node *node)
{
	const uint32_t *word = (const uint32_t *)(const void *)node;
	volatile uint32_t *list = MDMA_LIST(CHANNEL);

	transmit_wait();
	for (unsigned int i = 0; i < offsetof(struct node, reserved) / sizeof(*word); i++)
		list[i] = word[i];
	request();
}

HOT void transmit_queued(const struct frame *frame, uint32_t bytes)
{
	volatile uint32_t *link = MDMA_LIST(CHANNEL) + LIST_LINK;
	struct node *mine = lists[queued];
	const unsigned int before = queued ? queued - 1 : FRAMES - 1;
	const unsigned int oldest = queued + 1 < FRAMES ? queued + 1 : 0;

	lengths[queued] = bytes;
	mine[1].block = BLOCKS((bytes + STORE - 1) / STORE, STORE);
	mine[1].source = (uint32_t)first_word(frame);
	mine[2].link = 0;
	barrier(); /* a list is whole before it is linked, */
	lists[before][2].link = (uint32_t)mine;
	barrier(); /* and linked before the channel is asked */
	/* The node that is loaded next. None: the commit before was loaded without the link. */
	if (*link == 0)
		begin(mine);
	queued = oldest;
	/* The oldest list and its frame are written next: not while the channel is to load it. */
	while (*link - (uint32_t)lists[oldest] < sizeof(lists[oldest]))
		;
}

#else

static struct node nodes[2] SHARED; /* the bytes, the commit */
static uint32_t length_word;

/* Lines of the list out of the data cache: the MDMA does not see it. */
static void clean(const void *data, uint32_t bytes)
{
	uint32_t line = (uint32_t)data & ~31u;

	for (; line < (uint32_t)data + bytes; line += 32)
		SCB_DCCMVAC = line;
	barrier();
}

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
	request();
}

#endif
