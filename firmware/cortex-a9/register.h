/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REGISTER_H
#define REGISTER_H

#include <stdint.h>

static inline uint32_t register_read(uint32_t address)
{
	return *(volatile uint32_t *)address;
}

static inline void register_write(uint32_t address, uint32_t value)
{
	*(volatile uint32_t *)address = value;
}

#endif
