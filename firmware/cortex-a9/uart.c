// SPDX-License-Identifier: Apache-2.0
/* Registers as Linux's 8250 and xuartps drivers use them. */
#include "uart.h"

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
