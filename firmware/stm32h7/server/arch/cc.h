/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CC_H
#define CC_H

#include <stdint.h>
#include <stdlib.h>

#define BYTE_ORDER LITTLE_ENDIAN
#define LWIP_PLATFORM_DIAG(words) \
	do {                      \
	} while (0)
#define LWIP_PLATFORM_ASSERT(words) abort()
uint32_t server_random(void);
#define LWIP_RAND() server_random()

#endif
