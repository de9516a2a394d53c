/* SPDX-License-Identifier: Apache-2.0 */
/* lwIP for a few control connections: no system, no more than IPv4, ARP, ICMP, UDP and TCP. */
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#include "checksum.h"

#define NO_SYS 1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_NETCONN 0
#define LWIP_SOCKET 0
#define LWIP_IPV6 0
#define LWIP_DHCP 0
#define LWIP_DNS 0
#define LWIP_IGMP 0
#define LWIP_RAW 0
#define LWIP_STATS 0
#define LWIP_NETIF_HOSTNAME 0
#define IP_FRAG 0
#define IP_REASSEMBLY 0

#define MEM_ALIGNMENT 4
#define MEM_SIZE (16 * 1024)
#define MEMP_NUM_TCP_PCB 8
#define MEMP_NUM_TCP_PCB_LISTEN 1
#define MEMP_NUM_UDP_PCB 1
#define MEMP_NUM_PBUF 16
#define MEMP_NUM_TCP_SEG 16
#define PBUF_POOL_SIZE 16
#define PBUF_POOL_BUFSIZE 1536

#define TCP_MSS 1460
#define TCP_WND (4 * TCP_MSS)
#define TCP_SND_BUF (2 * TCP_MSS)
/* A client that says nothing is forgotten: probes after ten seconds, then each second. */
#define LWIP_TCP_KEEPALIVE 1

/* The same sum as the datagrams', in the byte order that lwIP wants. */
#define LWIP_CHKSUM(data, bytes) __builtin_bswap16(checksum_folded((data), (size_t)(bytes), 0))

#endif
