/* SPDX-License-Identifier: Apache-2.0 */
#include "serial.h"

#include "chip.h"

size_t serial_line(char *line, size_t most)
{
	size_t length = 0;

	while (USART_ISR & 1u << 5) {
		char byte = (char)USART_RDR;

		if (byte == '\n')
			break;
		if (length + 1 < most)
			line[length++] = byte;
	}
	line[length] = '\0';
	return length;
}

void serial_put(const char *text)
{
	for (; *text; text++) {
		while ((USART_ISR & 1u << 7) == 0)
			;
		USART_TDR = (uint8_t)*text;
	}
}

void serial_number(uint64_t value)
{
	char text[21];
	char *at = text + sizeof(text);

	*--at = '\0';
	do {
		*--at = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	serial_put(at);
}
