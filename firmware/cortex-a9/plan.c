// SPDX-License-Identifier: Apache-2.0
#include "plan.h"

#include <string.h>

#include "board.h"

struct point plan_defaults = {
	.to_fabric = true,
	.bytes = 4,
	.window = FABRIC_WINDOW,
	.level = CACHE_LEVELS - 1,
	.prepared = true,
	.repetitions = 1,
	.seed = 1,
};

static bool number(const char *text, uint32_t *value)
{
	uint64_t sum = 0;
	const unsigned base = text[0] == '0' && text[1] == 'x' ? 16 : 10;

	if (base == 16)
		text += 2;
	if (!*text)
		return false;
	for (; *text; text++) {
		const char c = *text;
		unsigned digit = 99;

		if (c >= '0' && c <= '9')
			digit = (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			digit = (unsigned)(c - 'a') + 10;
		else if (c >= 'A' && c <= 'F')
			digit = (unsigned)(c - 'A') + 10;
		else if (!strcmp(text, "KiB") && sum <= UINT32_MAX >> 10)
			return *value = (uint32_t)sum << 10, true;
		else if (!strcmp(text, "MiB") && sum <= UINT32_MAX >> 20)
			return *value = (uint32_t)sum << 20, true;
		if (digit >= base)
			return false;
		sum = sum * base + digit;
		if (sum > UINT32_MAX)
			return false;
	}
	*value = (uint32_t)sum;
	return true;
}

/* One of several words, by its place among them. */
static bool word(const char *text, const char *const *words, unsigned count, unsigned *which)
{
	for (*which = 0; *which < count; ++*which)
		if (!strcmp(text, words[*which]))
			return true;
	return false;
}

static const char *take(const char *key, const char *value, struct point *p)
{
	static const char *const copies[] = { "libc", "words", "neon" };
	static const char *const masters[] = { "processor", "pl330" };
	static const char *const ways[] = { "cpu_to_fpga", "fpga_to_cpu" };
	static const char *const memories[] = { "shareable", "nonshareable", "strongly_ordered" };
	unsigned which = 0;
	uint32_t flag = 0;
	struct {
		const char *key;
		uint32_t *to;
	} const numbers[] = {
		{ "id", &p->id }, { "bytes", &p->bytes }, { "window", &p->window },
		{ "offset", &p->offset }, { "level", &p->level }, { "seed", &p->seed },
		{ "repetitions", &p->repetitions },
	};
	struct {
		const char *key;
		bool *to;
	} const flags[] = {
		{ "prepared", &p->prepared }, { "fault_published_bit", &p->published_bit },
		{ "fault_no_clean", &p->no_clean }, { "fault_no_invalidate", &p->no_invalidate },
	};

	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!strcmp(key, numbers[i].key))
			return number(value, numbers[i].to) ? NULL : "is no number";
	for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++) {
		if (strcmp(key, flags[i].key))
			continue;
		if (!number(value, &flag) || flag > 1)
			return "is neither 0 nor 1";
		*flags[i].to = flag;
		return NULL;
	}
	if (!strcmp(key, "kernel"))
		return strcmp(value, "transfer") ? "is not a kernel of this program" : NULL;
	if (!strcmp(key, "copy")) {
		if (!word(value, copies, 3, &which))
			return "is not one of libc, words, neon";
		p->copy = which;
	} else if (!strcmp(key, "master")) {
		if (!word(value, masters, 2, &which))
			return "is not one of processor, pl330";
		p->master = which;
	} else if (!strcmp(key, "direction")) {
		if (!word(value, ways, 2, &which))
			return "is neither cpu_to_fpga nor fpga_to_cpu";
		p->to_fabric = which == 0;
	} else if (!strcmp(key, "memory")) {
		if (!word(value, memories, 3, &which))
			return "is not one of shareable, nonshareable, strongly_ordered";
		if (which < 2)
			p->memory = which;
	} else {
		return "is no key of a plan";
	}
	return NULL;
}

const char *plan_parse(char *line, struct point *point, bool *is_point, const char **key)
{
	struct point *to = point;
	char *rest = line;
	bool first = true;

	*is_point = false;
	*point = plan_defaults;
	for (char *c = line; *c; c++)
		if (*c == '#' || *c == '\r' || *c == '\n')
			*c = 0;
	for (char *one; (one = strtok_r(rest, " \t", &rest)); first = false) {
		char *value = strchr(one, '=');
		const char *wrong;

		*key = one;
		if (first && !strcmp(one, "set")) {
			to = &plan_defaults;
			continue;
		}
		if (!value)
			return "has no =";
		*value++ = 0;
		wrong = take(one, value, to);
		if (wrong)
			return wrong;
		*is_point = to == point;
	}
	return NULL;
}
