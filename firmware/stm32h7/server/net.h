/* SPDX-License-Identifier: Apache-2.0 */
/* lwIP on the Ethernet port behind the memory bus. */
#ifndef NET_H
#define NET_H

#include <stdbool.h>
#include <stdint.h>

#include "lwip/netif.h"

extern struct netif net;

void net_start(const ip4_addr_t *address);
/* Takes the frames that have come and runs what is due. */
void net_poll(void);
/* A frame has come. */
bool net_waiting(void);

#endif
