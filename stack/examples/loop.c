/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words to the logic and back, by each of the ways:
 *
 *	loop fifo | ring | coherent | streaming | standalone | capture
 *
 * On the reference configuration. The way there goes through lane 0 of the adder, node 3, which adds
 * 1000. Build: cc loop.c -ldatra
 */
#include <stdio.h>
#include <string.h>

#include <datra.h>

enum { CPU = 0, DMA = 1, ADDER = 3, WORDS = 1024, BYTES = 4 * WORDS };

static int complain(void)
{
	fprintf(stderr, "loop: %s\n", datra_error());
	return 1;
}

static int check(const uint32_t *words)
{
	for (unsigned i = 0; i < WORDS; i++)
		if (words[i] != i + 1000) {
			fprintf(stderr, "loop: word %u is %u\n", i, words[i]);
			return 1;
		}
	printf("%u words came back\n", WORDS);
	return 0;
}

/* write() returns when all is queued, and a loop holds some 1000 words: so in parts. */
static int copies(struct datra_stream *out, struct datra_stream *in, unsigned part)
{
	uint32_t words[WORDS];

	for (unsigned i = 0; i < WORDS; i++)
		words[i] = i;
	for (unsigned at = 0; at < BYTES; at += part)
		if (datra_write(out, (char *)words + at, part) != part ||
		    datra_read(in, (char *)words + at, part) != part)
			return complain();
	return check(words);
}

/* Two blocks each way; what is mapped is what the logic reads and writes. */
static int blocks(struct datra_stream *out, struct datra_stream *in, enum datra_mode mode)
{
	uint32_t *words;
	int number;

	if (datra_blocks(out, mode, BYTES, 2) < 0 || datra_blocks(in, mode, BYTES, 2) < 0)
		return complain();
	datra_block(in, 0)->bytes = BYTES;
	if (datra_submit(in, 0))
		return complain();
	words = datra_block(out, 0)->data;
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = i;
	datra_block(out, 0)->bytes = BYTES;
	if (datra_submit(out, 0) || datra_wait(out) < 0)
		return complain();
	number = datra_wait(in);
	if (number < 0)
		return complain();
	return check(datra_block(in, number)->data);
}

/* The way there by itself, from a list of two pieces; the way back as in ring mode. */
static int alone(struct datra_stream *out, struct datra_stream *in)
{
	const struct datra_piece pieces[] = { { 0, BYTES / 2, 0 }, { BYTES / 2, BYTES / 2, 0 } };
	uint32_t words[WORDS], *memory;

	if (datra_standalone(out, BYTES) || datra_set_threshold(in, BYTES))
		return complain();
	memory = datra_block(out, 0)->data;
	for (unsigned i = 0; i < WORDS; i++)
		memory[i] = i;
	if (datra_start(out, pieces, 2, false) || datra_read(in, words, BYTES) != BYTES)
		return complain();
	return check(words);
}

/* The way back by itself, into a memory that is looked at afterwards; the way there as in ring mode. */
static int captured(struct datra_stream *out, struct datra_stream *in)
{
	const struct datra_piece whole = { 0, BYTES, 0 };
	struct datra_progress progress;
	uint32_t words[WORDS];

	for (unsigned i = 0; i < WORDS; i++)
		words[i] = i;
	if (datra_standalone(in, BYTES) || datra_start(in, &whole, 1, false) ||
	    datra_write(out, words, BYTES) != BYTES)
		return complain();
	do
		if (datra_progress(in, &progress))
			return complain();
	while (progress.running);
	return check(datra_block(in, 0)->data);
}

int main(int count, char **words)
{
	const char *way = count == 2 ? words[1] : "";
	bool fifo = !strcmp(way, "fifo"), ring = !strcmp(way, "ring");
	bool standalone = !strcmp(way, "standalone"), capture = !strcmp(way, "capture");
	enum datra_mode mode = strcmp(way, "coherent") ? DATRA_STREAMING : DATRA_COHERENT;
	unsigned node = fifo ? CPU : DMA;
	struct datra_stream *out, *in;
	int result;

	if (!fifo && !ring && !standalone && !capture && mode == DATRA_STREAMING &&
	    strcmp(way, "streaming")) {
		fprintf(stderr, "usage: loop fifo | ring | coherent | streaming | standalone | capture\n");
		return 2;
	}
	out = fifo ? datra_fifo_open(0, DATRA_TO_LOGIC, 0, 0) : datra_dma_open(0, DATRA_TO_LOGIC, 0, 0);
	in = fifo ? datra_fifo_open(0, DATRA_FROM_LOGIC, 0, 0) :
		    datra_dma_open(0, DATRA_FROM_LOGIC, 0, 0);
	if (!out || !in || datra_connect(0, node, 0, ADDER, 0) || datra_connect(0, ADDER, 0, node, 0) ||
	    datra_window_poke(0, ADDER, 0, 1000) || datra_reset(out) || datra_reset(in))
		return complain();
	if (ring && datra_set_threshold(in, BYTES))
		return complain();
	if (fifo || ring)
		result = copies(out, in, fifo ? 1024 : BYTES);
	else if (capture)
		result = captured(out, in);
	else
		result = standalone ? alone(out, in) : blocks(out, in, mode);
	datra_window_poke(0, ADDER, 0, 0);
	datra_close(out);
	datra_close(in);
	return result;
}
