/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses and interrupts, and what is paid for them. */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

/* What a frame costs when many are on their way: one direction, eight blocks, signals that share. */
static void dma_cost(void)
{
	int out = OPEN("d0", O_WRONLY);
	static uint32_t words[8192];
	unsigned long frames = amount ?: 6400;
	long reads, writes, interrupts;

	route(DMA, 0, SINK, 0);
	GIVES(0, ioctl(out, DATRA_IOCRESET_FIFO_WRITE));
	GIVES(0, ioctl(out, DATRA_IOCTTRESHOLD, 512));
	reads = statistic("ctl", "register_reads");
	writes = statistic("ctl", "register_writes");
	interrupts = statistic("ctl", "card_interrupts");
	for (unsigned long i = 0; i < frames / 64; i++)
		GIVES(sizeof(words), write(out, words, sizeof(words)));
	printf("# frames %lu reads %ld writes %ld interrupts %ld\n", frames / 64 * 64,
	       statistic("ctl", "register_reads") - reads,
	       statistic("ctl", "register_writes") - writes,
	       statistic("ctl", "card_interrupts") - interrupts);
	close(out);
}

static void longest(double begun, double *most)
{
	double took = seconds() - begun;

	*most = took > *most ? took : *most;
}

/* Writes a frame each time that the reader has found nothing, and so sleeps or is about to. */
static pid_t answered(int out, const uint32_t *words, unsigned rounds)
{
	long stalls = statistic_of("d0", "stalls", true);
	pid_t child = fork();

	for (unsigned round = 0; child == 0 && round < rounds; round++) {
		while (statistic_of("d0", "stalls", true) <= stalls + round)
			usleep(50);
		GIVES(4096, write(out, words, 4096));
	}
	if (child == 0)
		_exit(0);
	return child;
}

/* With coalesce_frames=1: a wait that no interrupt ends would last for the driver's patience, 1 s. */
static void waits(void)
{
	int out = OPEN("d0", O_WRONLY), in = OPEN("d0", O_RDONLY), status;
	unsigned rounds = amount ?: 200;
	static uint32_t words[1024];
	long interrupts, stalls;
	double most = 0, begun;
	struct side side;
	pid_t child;

	route(DMA, 0, DMA, 0);
	emptied(out, in);
	configure(&side, in, 3, 4096, 1);
	interrupts = statistic_of("d0", "interrupts", true);
	child = answered(out, words, rounds);
	for (unsigned round = 0; round < rounds; round++) {
		side.block[0].bytes_used = 4096;
		GIVES(0, ioctl(in, DATRA_IOCDMABLOCK_ENQUEUE, &side.block[0]));
		begun = seconds();
		GIVES(0, ioctl(in, DATRA_IOCDMABLOCK_DEQUEUE, &side.block[0]));
		longest(begun, &most);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0, "%x", status);
	interrupts = statistic_of("d0", "interrupts", true) - interrupts;
	CHECK(interrupts >= rounds, "%ld", interrupts);
	release(&side);

	/* Many on their way, in both directions. */
	GIVES(0, ioctl(in, DATRA_IOCTTRESHOLD, 4096));
	stalls = statistic_of("d0", "stalls", false) + statistic_of("d0", "stalls", true);
	child = fork();
	for (unsigned round = 0; round < 2 * rounds; round++) {
		begun = seconds();
		if (child)
			GIVES(4096, read(in, words, 4096));
		else
			GIVES(4096, write(out, words, 4096));
		longest(begun, &most);
	}
	CHECK(most < 0.5, "%f", most);
	if (child == 0)
		_exit(0);
	CHECK(waitpid(child, &status, 0) == child && status == 0, "%x", status);
	stalls = statistic_of("d0", "stalls", false) + statistic_of("d0", "stalls", true) - stalls;
	CHECK(stalls > 0);
	printf("# waits: %u frames, %ld interrupts, %.4f s at most; %u frames, %ld stalls\n", rounds,
	       interrupts, most, 2 * rounds, stalls);
	close(out), close(in);
}

static long accesses(void)
{
	return statistic("ctl", "register_reads") + statistic("ctl", "register_writes");
}

/* With rings=0: what a frame of a ring costs, found ready and waited for. */
static void ring_cost(void)
{
	int out = OPEN("d0", O_WRONLY), in = OPEN("d0", O_RDONLY), status;
	enum { ROUNDS = 64 };
	static uint32_t words[1024];
	long before, to = 0, from = 0, waited;
	pid_t child;

	route(DMA, 0, DMA, 0);
	emptied(out, in);
	GIVES(0, ioctl(in, DATRA_IOCTTRESHOLD, 4096));
	CHECK(!readable(in, 0));	/* and frames are asked for */
	for (unsigned round = 0; round < ROUNDS; round++) {
		before = accesses();
		GIVES(4096, write(out, words, 4096));
		to += accesses() - before;
		usleep(2000);
		before = accesses();
		GIVES(4096, read(in, words, 4096));
		from += accesses() - before;
	}
	printf("# ready: write %.2f read %.2f\n", (double)to / ROUNDS, (double)from / ROUNDS);

	before = accesses();
	child = answered(out, words, ROUNDS);
	for (unsigned round = 0; round < ROUNDS; round++)
		GIVES(4096, read(in, words, 4096));
	CHECK(waitpid(child, &status, 0) == child && status == 0, "%x", status);
	waited = accesses() - before - to;

	/* Into the sink, which is slower than the writer: each waits for a place in the queue. */
	emptied(out, in);
	route(DMA, 0, SINK, 0);
	before = accesses();
	for (unsigned round = 0; round < 4 * ROUNDS; round++)
		GIVES(4096, write(out, words, 4096));
	printf("# waited: write %.2f read %.2f\n", (double)(accesses() - before) / (4 * ROUNDS),
	       (double)waited / ROUNDS);
	close(out), close(in);
}

const struct test cost_tests[] = {
	{ "waits", waits },
	{ "ring_cost", ring_cost },
	{ "dma_cost", dma_cost },
	{ },
};
