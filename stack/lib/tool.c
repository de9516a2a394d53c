/* SPDX-License-Identifier: Apache-2.0 */
/* datra: what is on a card, how it is connected, and what it has done. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datra-registers.h"
#include "datra.h"

enum { MOST = 31 };

static const char usage[] =
	"usage: datra [-c CARD] COMMAND\n"
	"  info                   the nodes\n"
	"  route                  the routes, as SOURCE.QUEUE SINK.QUEUE\n"
	"  route A.B C.D          connects queue B of node A to queue D of node C\n"
	"  route clear            disconnects all\n"
	"  stat                   what each stream has moved, and what that has cost\n"
	"  regs [NODE]            the registers of the control page, or of a node\n";

static unsigned card;

static int complain(void)
{
	fprintf(stderr, "datra: %s\n", datra_error());
	return 2;
}

static const char *kind(unsigned type)
{
	static const char *const names[] = {
		[DATRA_NODE_TYPE_CPU] = "CPU",
		[DATRA_NODE_TYPE_IO] = "IO",
		[DATRA_NODE_TYPE_FIXED] = "fixed",
		[DATRA_NODE_TYPE_REPLACEABLE] = "replaceable",
		[DATRA_NODE_TYPE_DMA] = "DMA",
		[DATRA_NODE_TYPE_ICAP] = "ICAP",
	};

	return type < sizeof(names) / sizeof(*names) && names[type] ? names[type] : "?";
}

static int info(void)
{
	struct datra_node nodes[MOST];
	int count = datra_nodes(card, nodes, MOST);

	if (count < 0)
		return complain();
	printf("node type        in out version  \n");
	for (int n = 0; n < count; n++)
		printf("%4d %-11s %2u %3u %08x %s\n", n, kind(nodes[n].type), nodes[n].inputs,
		       nodes[n].outputs, nodes[n].version, nodes[n].enabled ? "" : "disabled");
	return 0;
}

static int route(int count, char **words)
{
	struct datra_route routes[4 * MOST];
	unsigned a, b, c, d;
	char rest;
	int found;

	if (count == 1 && strcmp(words[0], "clear") == 0)
		return datra_disconnect(card) ? complain() : 0;
	if (count == 2 && sscanf(words[0], "%u.%u%c", &a, &b, &rest) == 2 &&
	    sscanf(words[1], "%u.%u%c", &c, &d, &rest) == 2)
		return datra_connect(card, a, b, c, d) ? complain() : 0;
	if (count) {
		fprintf(stderr, "datra: a route is SOURCE.QUEUE SINK.QUEUE, as in 0.1 3.0\n");
		return 2;
	}
	found = datra_routes(card, routes, 4 * MOST);
	if (found < 0)
		return complain();
	for (int i = 0; i < found; i++)
		printf("%u.%u %u.%u\n", routes[i].source, routes[i].source_queue, routes[i].sink,
		       routes[i].sink_queue);
	return 0;
}

static const char *const columns[] = { "bytes",	 "frames", "stalls", "interrupts",
				       "errors", "reads",  "writes" };
enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

static int stat_file(const char *name)
{
	unsigned long long value[COLUMNS][2] = { { 0 } };
	int values = 0;

	for (unsigned i = 0; i < COLUMNS; i++) {
		char path[320];
		FILE *file;

		snprintf(path, sizeof(path), "/sys/class/datra/%s/%s", name, columns[i]);
		file = fopen(path, "r");
		if (!file)
			return 0;
		values = fscanf(file, "%llu %llu", &value[i][0], &value[i][1]);
		fclose(file);
	}
	for (int side = 0; side < values; side++) {
		printf("%-12s %-5s", name, values == 1 ? "" : side ? "from" : "to");
		for (unsigned i = 0; i < COLUMNS; i++)
			printf(" %12llu", value[i][side]);
		printf("\n");
	}
	return 0;
}

static int stat(void)
{
	struct dirent **entries;
	char prefix[24] = "datra";
	int count = scandir("/sys/class/datra", &entries, NULL, alphasort);

	if (count < 0) {
		fprintf(stderr, "datra: /sys/class/datra: %s\n", strerror(errno));
		return 2;
	}
	if (card)
		snprintf(prefix, sizeof(prefix), "datra%u.", card);
	printf("%-12s %-5s", "stream", "");
	for (unsigned i = 0; i < COLUMNS; i++)
		printf(" %12s", columns[i]);
	printf("\n");
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;

		if (strncmp(name, prefix, strlen(prefix)) == 0 && (card || !strchr(name, '.')))
			stat_file(name);
		free(entries[i]);
	}
	free(entries);
	return 0;
}

/* Registers that are worth a line; `each` of them in a row. */
struct line {
	uint32_t offset;
	const char *name;
	unsigned each;
};

#define CONTROL(name) DATRA_CONTROL_##name
static const struct line control_page[] = {
	{ CONTROL(STATIC_ID), "static id", 1 },
	{ CONTROL(NODE_COUNT), "node counts", 2 },
	{ CONTROL(ADDRESS_WIDTH), "DMA address bits", 1 },
	{ CONTROL(VERSION), "version", 1 },
	{ CONTROL(LICENCE), "licence", 1 },
	{ CONTROL(DEVICE_ID(0)), "device id", 2 },
	{ CONTROL(BACKPLANE_STATUS), "backplane enabled", 1 },
	{ CONTROL(IRQ_PENDING), "interrupts pending", 1 },
	{ CONTROL(READ_COUNT), "words read, written", 2 },
	{ CONTROL(EXTENSIONS), "extensions", 1 },
	{ CONTROL(CLOCK), "clock, Hz", 1 },
	{ CONTROL(CYCLES), "cycles, low and high", 2 },
	{ 0, NULL, 0 },
};
static const struct line any_page[] = {
	{ DATRA_NODE_TYPE, "type", 1 },
	{ DATRA_NODE_VERSION, "version", 1 },
	{ DATRA_NODE_QUEUES, "queues", 1 },
	{ DATRA_CPU_IRQ_MASK, "interrupts armed, pending", 2 },
	{ 0, NULL, 0 },
};
static const struct line cpu_page[] = {
	{ DATRA_CPU_USER_SIGNAL(0), "user signal to logic", 4 },
	{ DATRA_CPU_READ_COUNT, "words read, written", 2 },
	{ DATRA_CPU_REFUSED, "accesses without effect", 1 },
	{ DATRA_CPU_NEXT_WORD(0), "next word from logic", 4 },
	{ DATRA_CPU_AVAILABLE(0), "available, signal above", 4 },
	{ DATRA_CPU_AVAILABLE_ABOVE(0), "threshold from logic", 4 },
	{ DATRA_CPU_FREE(0), "free", 4 },
	{ DATRA_CPU_FREE_ABOVE(0), "threshold to logic", 4 },
	{ 0, NULL, 0 },
};
#define TO(name) (DATRA_DMA_TO_LOGIC_RING + DATRA_DMA_RING_##name)
#define FROM(name) (DATRA_DMA_FROM_LOGIC_RING + DATRA_DMA_RING_##name)
static const struct line dma_page[] = {
	{ DATRA_DMA_TO_LOGIC_CONTROL, "to logic: control", 1 },
	{ DATRA_DMA_TO_LOGIC_STATUS, "to logic: status", 1 },
	{ DATRA_DMA_FROM_LOGIC_CONTROL, "from logic: control", 1 },
	{ DATRA_DMA_FROM_LOGIC_STATUS, "from logic: status", 1 },
	{ DATRA_DMA_IDENTIFICATION, "identification, capabilities", 2 },
	{ TO(CONTROL), "to logic: ring control, state", 2 },
	{ TO(DESCRIPTORS(0)), "to logic: descriptors", 2 },
	{ TO(STATUSES(0)), "to logic: statuses", 2 },
	{ TO(MASK), "to logic: mask, tail, written", 3 },
	{ TO(COALESCE), "to logic: coalescing", 1 },
	{ TO(COUNTERS(0)), "to logic: frames, beats, waits, errors", 5 },
	{ FROM(CONTROL), "from logic: ring control, state", 2 },
	{ FROM(DESCRIPTORS(0)), "from logic: descriptors", 2 },
	{ FROM(STATUSES(0)), "from logic: statuses", 2 },
	{ FROM(MASK), "from logic: mask, tail, written", 3 },
	{ FROM(COALESCE), "from logic: coalescing, timeout", 2 },
	{ FROM(COUNTERS(0)), "from logic: frames, beats, waits, errors", 5 },
	{ 0, NULL, 0 },
};

static int show(uint32_t page, const struct line *lines)
{
	for (; lines->name; lines++) {
		printf("%03x %-42s", lines->offset, lines->name);
		for (unsigned i = 0; i < lines->each; i++) {
			uint32_t value;

			if (datra_peek(card, page + lines->offset + 4 * i, &value))
				return complain();
			printf(" %08x", value);
		}
		printf("\n");
	}
	return 0;
}

static int regs(int count, char **words)
{
	struct datra_node nodes[MOST];
	int found = datra_nodes(card, nodes, MOST), result;
	unsigned node;
	char rest;

	if (found < 0)
		return complain();
	if (count == 0)
		return show(0, control_page);
	if (count > 1 || sscanf(words[0], "%u%c", &node, &rest) != 1 || node >= (unsigned)found) {
		fprintf(stderr, "datra: there are nodes 0 to %d, not %s\n", found - 1, words[0]);
		return 2;
	}
	result = show(DATRA_CARD_NODE_PAGE(node), any_page);
	if (result == 0 && nodes[node].type == DATRA_NODE_TYPE_CPU)
		result = show(DATRA_CARD_NODE_PAGE(node), cpu_page);
	if (result == 0 && nodes[node].type == DATRA_NODE_TYPE_DMA)
		result = show(DATRA_CARD_NODE_PAGE(node), dma_page);
	return result;
}

int main(int count, char **words)
{
	char rest;

	count--, words++;
	if (count >= 2 && strcmp(words[0], "-c") == 0) {
		if (sscanf(words[1], "%u%c", &card, &rest) != 1) {
			fprintf(stderr, "datra: %s is no number of a card\n", words[1]);
			return 2;
		}
		count -= 2, words += 2;
	}
	if (count == 1 && strcmp(words[0], "info") == 0)
		return info();
	if (count >= 1 && strcmp(words[0], "route") == 0)
		return route(count - 1, words + 1);
	if (count == 1 && strcmp(words[0], "stat") == 0)
		return stat();
	if (count >= 1 && strcmp(words[0], "regs") == 0)
		return regs(count - 1, words + 1);
	fputs(usage, stderr);
	return 2;
}
