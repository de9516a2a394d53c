/* SPDX-License-Identifier: Apache-2.0 */
/* The board's serial port, at the rate at which its boot loader left it. */
#ifndef UART_H
#define UART_H

#include <stdint.h>

void uart_put(char letter);
/* Waits for a letter. */
char uart_get(void);
/* Waits until all has been sent. */
void uart_flush(void);

#endif
