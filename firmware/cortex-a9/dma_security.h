/* SPDX-License-Identifier: Apache-2.0 */
/* The PL330's two security states: as a boot loader leaves it, secure, and not secure. */
#ifndef DMA_SECURITY_H
#define DMA_SECURITY_H

#include <stdbool.h>
#include <stdint.h>

/* Resets the controller where that has to change. Its events stay secure unless they are told, too. */
void dma_security_set(bool nonsecure, bool events_too);
/* The registers for programs in the state that was set last. */
uint32_t dma_security_registers(void);

#endif
