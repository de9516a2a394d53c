// SPDX-License-Identifier: Apache-2.0
/* What an emulated processor is timed with: a copy within the first-level cache, and the mixture of
 * a benchmark for controllers: a list is searched, matrices are multiplied, a text is scanned. */
#include <stdint.h>

#ifndef ROUNDS
#define ROUNDS 1000
#endif

enum { WORDS = 2048, LIST = 64, SIDE = 10, TEXT = 128 };

uint32_t source[WORDS];
uint32_t target[WORDS];
volatile uint32_t result;

void copy(void)
{
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < WORDS; i += 4) {
			const uint32_t a = source[i], b = source[i + 1];
			const uint32_t c = source[i + 2], d = source[i + 3];

			target[i] = a;
			target[i + 1] = b;
			target[i + 2] = c;
			target[i + 3] = d;
			__asm__ volatile("" : : : "memory");
		}
}

static struct node {
	struct node *next;
	uint16_t key;
	uint16_t value;
} nodes[LIST];

static uint32_t list(uint32_t seed)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < LIST; i++) {
		nodes[i].next = i + 1 < LIST ? &nodes[(i * 7 + 7) % LIST ? i + 1 : 0] : 0;
		nodes[i].key = (uint16_t)(i * seed);
		nodes[i].value = (uint16_t)(i ^ seed);
	}
	for (uint32_t wanted = 0; wanted < 8; wanted++)
		for (struct node *n = nodes; n; n = n->next)
			if ((n->key & 7) == wanted)
				sum += n->value;
	return sum;
}

static uint32_t matrix(uint32_t seed)
{
	static int16_t a[SIDE][SIDE], b[SIDE][SIDE];
	uint32_t sum = 0;

	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			a[i][j] = (int16_t)(seed + (uint32_t)(i * j));
			b[i][j] = (int16_t)(seed - (uint32_t)(i + j));
		}
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			int32_t one = 0;

			for (int k = 0; k < SIDE; k++)
				one += a[i][k] * b[k][j];
			sum ^= (uint32_t)one;
		}
	return sum;
}

static uint32_t scan(uint32_t crc)
{
	static const char text[] = "5012,1.5e+3,-874,0.25,+17,x,5e,3.3,+-2,";
	enum { START, SIGN, NUMBER, FRACTION, BAD } state = START;

	for (int i = 0; i < TEXT; i++) {
		const char c = text[i % (sizeof text - 1)];

		if (c == ',')
			state = START;
		else if (state == START && (c == '+' || c == '-'))
			state = SIGN;
		else if (c >= '0' && c <= '9')
			state = state == FRACTION ? FRACTION : NUMBER;
		else
			state = c == '.' ? FRACTION : BAD;
		crc ^= (uint32_t)state;
		for (int bit = 0; bit < 4; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xA001u : crc >> 1;
	}
	return crc;
}

void mixture(void)
{
	uint32_t crc = 1;

	for (int round = 0; round < ROUNDS; round++) {
		crc += list(crc);
		crc ^= matrix(crc);
		crc = scan(crc);
	}
	result = crc;
}
