/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_H
#define SERVER_H

/* Serves iperf3's clients at an IPv4 address, and does not return but where that is none. */
void serve(const char *address);

#endif
