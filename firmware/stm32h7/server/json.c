/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <string.h>

struct reader {
	const char *at, *end;
};

static char peek(struct reader *from)
{
	while (from->at < from->end && strchr(" \t\r\n", *from->at) && *from->at)
		from->at++;
	return from->at < from->end ? *from->at : '\0';
}

static bool take(struct reader *from, char one)
{
	if (peek(from) != one)
		return false;
	from->at++;
	return true;
}

/* A string without its quotes; what is escaped in it stays as it is. */
static bool string(struct reader *from, const char **begin, size_t *bytes)
{
	if (!take(from, '"'))
		return false;
	*begin = from->at;
	for (; from->at < from->end && *from->at != '"'; from->at++) {
		if (*from->at == '\\')
			from->at++;
	}
	if (from->at >= from->end)
		return false;
	*bytes = (size_t)(from->at++ - *begin);
	return true;
}

static bool word(struct reader *from, const char *name)
{
	const size_t bytes = strlen(name);

	if ((size_t)(from->end - from->at) < bytes || memcmp(from->at, name, bytes) != 0)
		return false;
	from->at += bytes;
	return true;
}

/* Whether it is a whole number, or true, or false; a fraction or an exponent makes it none. */
static bool whole(struct reader *from, uint64_t *value)
{
	if (word(from, "true") || word(from, "false")) {
		*value = from->at[-2] == 'u';
		return true;
	}
	if (from->at >= from->end || *from->at < '0' || *from->at > '9')
		return false;
	for (*value = 0; from->at < from->end && *from->at >= '0' && *from->at <= '9'; from->at++) {
		const uint64_t digit = (uint64_t)(*from->at - '0');

		if (*value > (UINT64_MAX - digit) / 10)
			return false;
		*value = *value * 10 + digit;
	}
	return from->at >= from->end || !strchr(".eE", *from->at);
}

/* Passes over a value of any kind: up to the comma or the bracket behind it. */
static bool pass(struct reader *from)
{
	unsigned int depth = 0;
	const char *text;
	size_t bytes;

	for (;;) {
		switch (peek(from)) {
		case '\0':
			return false;
		case '"':
			if (!string(from, &text, &bytes))
				return false;
			continue;
		case '{':
		case '[':
			depth++;
			break;
		case '}':
		case ']':
			if (depth == 0)
				return true;
			depth--;
			break;
		case ',':
			if (depth == 0)
				return true;
			break;
		default:
			break;
		}
		from->at++;
	}
}

bool json_number(const char *text, size_t bytes, const char *name, uint64_t *value)
{
	struct reader from = { text, text + bytes };
	bool found = false;

	if (!take(&from, '{'))
		return false;
	do {
		const char *key;
		size_t length;

		if (!string(&from, &key, &length) || !take(&from, ':'))
			return false;
		peek(&from);
		if (length == strlen(name) && memcmp(key, name, length) == 0)
			found = whole(&from, value);
		if (!pass(&from))
			return false;
	} while (take(&from, ','));
	return take(&from, '}') && found;
}
