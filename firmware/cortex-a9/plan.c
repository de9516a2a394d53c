// SPDX-License-Identifier: Apache-2.0
#include "plan.h"

#include "board.h"

static struct point defaults = {
	.to_fabric = true,
	.bytes = 4,
	.window = FABRIC_WINDOW,
	.level = CACHE_LEVELS - 1,
	.prepared = true,
	.repetitions = 1,
	.seed = 1,
	.conditions = { .sdram_weight = 1, .beat = 4 },
};

static const char *const kernels[] = { "transfer", NULL };
static const char *const copies[] = { "libc", "words", "neon", NULL };
static const char *const masters[] = { "processor", "pl330", NULL };
static const char *const directions[] = { "fpga_to_cpu", "cpu_to_fpga", NULL };
static const char *const completions[] = { "poll", "interrupt", NULL };
static const char *const securities[] = { "secure", "nonsecure", NULL };
static const char *const memories[] = { "shareable", "nonshareable", "strongly_ordered", NULL };

#define AT(member) WORD_AT(struct point, member)
#define NUMBER(name, member) { name, WORD_NUMBER, AT(member), 0, UINT32_MAX, NULL, 0, 0 }
#define SIZE(name, member) { name, WORD_SIZE, AT(member), 0, UINT32_MAX, NULL, 0, 0 }
#define FLAG(name, member) { name, WORD_NUMBER, AT(member), 0, 1, NULL, 0, 0 }
#define CHOICE(name, member, names) { name, WORD_CHOICE, AT(member), 0, 0, names, 0, 0 }

static const struct word words[] = {
	NUMBER("id", id),
	CHOICE("kernel", kernel, kernels),
	CHOICE("master", master, masters),
	CHOICE("copy", copy, copies),
	CHOICE("direction", to_fabric, directions),
	SIZE("bytes", bytes),
	SIZE("window", window),
	SIZE("offset", offset),
	NUMBER("level", level),
	CHOICE("memory", memory, memories),
	FLAG("prepared", prepared),
	CHOICE("completion", completion, completions),
	CHOICE("security", security, securities),
	NUMBER("repetitions", repetitions),
	NUMBER("seed", seed),
	FLAG("fault_published_bit", published_bit),
	FLAG("fault_no_clean", no_clean),
	FLAG("fault_no_invalidate", no_invalidate),
	FLAG("fault_no_barrier", no_barrier),
	FLAG("fault_secure_start", secure_start),
	FLAG("fault_secure_event", secure_event),
	FLAG("fault_secure_access", secure_access),
	NUMBER("lock_cpu", conditions.lock_cpu),
	NUMBER("lock_acp", conditions.lock_acp),
	FLAG("lock_after", conditions.lock_after),
	NUMBER("sdram_first", conditions.sdram_first),
	NUMBER("sdram_weight", conditions.sdram_weight),
	FLAG("traffic", conditions.traffic),
	NUMBER("controllers", conditions.controllers),
	NUMBER("beat", conditions.beat),
	NUMBER("fault_wrong_byte", conditions.wrong_byte),
	NUMBER("fault_wrong_value", conditions.wrong_value),
	{ 0 },
};

bool plan_parse(char *line, unsigned number, struct point *point, enum line_kind *kind,
		struct fault *fault)
{
	struct reading reading = { .line = number, .start = line };
	char *rest;
	struct point *to;
	enum memory before;

	*kind = line_kind(line, &rest);
	*point = defaults;
	to = *kind == LINE_SET ? &defaults : point;
	before = to->memory;
	if (*kind != LINE_SET && *kind != LINE_POINT)
		return true;
	if (!words_read(&reading, rest, words, to, fault))
		return false;
	/* A window that is strongly ordered leaves what the buffer is. */
	if (to->memory > MEMORY_NONSHAREABLE)
		to->memory = before;
	return true;
}
