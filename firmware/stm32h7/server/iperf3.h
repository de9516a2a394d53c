/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server that iperf3's client takes for its own: one client at a time, which asks for datagrams
 * (-u -R). What else it may ask for is refused in iperf3's words.
 */
#ifndef IPERF3_H
#define IPERF3_H

#include <stdbool.h>

void iperf3_start(void);
/* Sends what is due; false where nothing has to be sent. */
bool iperf3_send(void);

#endif
