// SPDX-License-Identifier: Apache-2.0
/* Registers as Linux's 8250 and xuartps drivers use them. */
#include "uart.h"

#include <stdarg.h>
#include <stdbool.h>

#include "board.h"
#include "register.h"

#ifdef UART_NS16550
enum { DATA_IN = 0x00, DATA_OUT = 0x00, STATUS = 0x14 };
static bool can_send(uint32_t status) { return status & 0x20; }
static bool has_come(uint32_t status) { return status & 0x01; }
static bool is_empty(uint32_t status) { return status & 0x40; }
#elif defined(UART_CADENCE)
enum { DATA_IN = 0x30, DATA_OUT = 0x30, STATUS = 0x2C };
static bool can_send(uint32_t status) { return !(status & 0x10); }
static bool has_come(uint32_t status) { return !(status & 0x02); }
static bool is_empty(uint32_t status) { return status & 0x08; }
#else
#error "board.h names no kind of serial port"
#endif

static uint32_t status(void)
{
	return register_read(PERIPHERAL_UART + STATUS);
}

void uart_put(char letter)
{
	while (!can_send(status()))
		;
	register_write(PERIPHERAL_UART + DATA_OUT, (uint8_t)letter);
}

char uart_get(void)
{
	while (!has_come(status()))
		;
	return (char)register_read(PERIPHERAL_UART + DATA_IN);
}

void uart_flush(void)
{
	while (!is_empty(status()))
		;
}

static void number(uint64_t value, unsigned base)
{
	char digits[20];
	unsigned count = 0;

	do {
		digits[count++] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	while (count)
		uart_put(digits[--count]);
}

/* Thousandths of a nanosecond are exact enough, and no float is needed. */
static void nanoseconds(uint64_t cycles)
{
	const uint64_t picoseconds = cycles * 1000000000ull / PROCESSOR_KHZ;

	number(picoseconds / 1000, 10);
	uart_put('.');
	for (unsigned unit = 100; unit; unit /= 10)
		uart_put((char)('0' + picoseconds / unit % 10));
}

void say(const char *format, ...)
{
	va_list words;

	va_start(words, format);
	for (; *format; format++) {
		if (*format != '%') {
			if (*format == '\n')
				uart_put('\r');
			uart_put(*format);
			continue;
		}
		switch (*++format) {
		case 's':
			for (const char *text = va_arg(words, const char *); *text; text++)
				uart_put(*text);
			break;
		case 'u':
			number(va_arg(words, uint32_t), 10);
			break;
		case 'x':
			number(va_arg(words, uint32_t), 16);
			break;
		case 'c':
			uart_put((char)va_arg(words, int));
			break;
		case 't':
			nanoseconds(va_arg(words, uint64_t));
			break;
		default:
			uart_put(*format);
		}
	}
	va_end(words);
}
