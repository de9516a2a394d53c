/* SPDX-License-Identifier: Apache-2.0 */
#include "payload.h"

#include "chip.h"

HOT void payload_fill(uint32_t *words, uint32_t count)
{
	for (uint32_t i = PAYLOAD_FIRST; i < count; i++)
		words[i] = i;
}

HOT void payload_fill_unrolled(uint32_t *words, uint32_t count)
{
	uint32_t i = PAYLOAD_FIRST;

	for (; i + 4 <= count; i += 4) {
		words[i] = i;
		words[i + 1] = i + 1;
		words[i + 2] = i + 2;
		words[i + 3] = i + 3;
	}
	for (; i < count; i++)
		words[i] = i;
}
