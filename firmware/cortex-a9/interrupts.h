/* SPDX-License-Identifier: Apache-2.0 */
/* The processor's interrupt controller, of which one interrupt at a time is used. */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

#include <stdint.h>

/*
 * Has the processor take an interrupt: it calls `serve`, in the interrupt's mode and on its small
 * stack, which must quiet the device.
 */
void interrupts_take(uint32_t number, void (*serve)(void));
/* The interrupt is not taken any more. */
void interrupts_leave(uint32_t number);
/* Sleeps until `serve` has set a word. */
void interrupts_await(volatile uint32_t *word);
/* start.S calls it. */
void interrupts_serve(void);

#endif
