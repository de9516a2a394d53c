/* SPDX-License-Identifier: Apache-2.0 */
#include "net.h"

#include <stdlib.h>
#include <string.h>

#include "chip.h"
#include "fmc-registers.h"
#include "lwip/etharp.h"
#include "netif/ethernet.h"
#include "lwip/init.h"
#include "lwip/timeouts.h"
#include "step.h"
#include "transmit.h"

#define RECEIVER(offset) WINDOW_REGISTER(FMC_WINDOW_RECEIVE, offset)

struct netif net;
static struct frame outgoing;
static uint32_t random_state = 1;

/* For ports and sequence numbers: a xorshift; time comes into it with each frame that arrives. */
uint32_t server_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return random_state;
}

u32_t sys_now(void)
{
	return TIM_CNT / 10;
}

/* picolibc's abort() would need a system: whoever waits here waits for ever. */
void abort(void)
{
	for (;;)
		__asm__ volatile("wfi");
}

static err_t send_frame(struct netif *netif, struct pbuf *packet)
{
	(void)netif;
	if (packet->tot_len > FRAME_LONGEST)
		return ERR_BUF;
	transmit_wait();
	pbuf_copy_partial(packet, outgoing.bytes, packet->tot_len, 0);
	TRANSMIT(&outgoing, packet->tot_len);
	return ERR_OK;
}

static err_t begin(struct netif *netif)
{
	static const uint8_t own[] = { 2, 0, 0, 0, 0, 1 };

	netif->name[0] = 'e';
	netif->name[1] = 'n';
	netif->output = etharp_output;
	netif->linkoutput = send_frame;
	netif->mtu = 1500;
	netif->hwaddr_len = sizeof(own);
	memcpy(netif->hwaddr, own, sizeof(own));
	netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_LINK_UP;
	return ERR_OK;
}

void net_start(const ip4_addr_t *address)
{
	ip4_addr_t mask, none;

	IP4_ADDR(&mask, 255, 255, 255, 0);
	ip4_addr_set_zero(&none);
	lwip_init();
	netif_add(&net, address, &mask, &none, NULL, begin, ethernet_input);
	netif_set_default(&net);
	netif_set_up(&net);
}

bool net_waiting(void)
{
	return RECEIVER(FMC_RECEIVE_LENGTH) != 0;
}

static void receive(void)
{
	for (uint32_t bytes; (bytes = RECEIVER(FMC_RECEIVE_LENGTH)) != 0;
	     RECEIVER(FMC_RECEIVE_POP) = 1) {
		struct pbuf *packet = pbuf_alloc(PBUF_RAW, (u16_t)bytes, PBUF_POOL);

		random_state += DWT_CYCCNT | 1;
		if (!packet)
			continue; /* lwIP has no room: the frame is lost, its sender repeats it */
		for (uint32_t at = 0; at < bytes; at += 4) {
			const uint32_t word = RECEIVER(FMC_RECEIVE_FRAME + at);

			pbuf_take_at(packet, &word, (u16_t)(bytes - at < 4 ? bytes - at : 4),
				     (u16_t)at);
		}
		if (net.input(packet, &net) != ERR_OK)
			pbuf_free(packet);
	}
}

void net_poll(void)
{
	receive();
	sys_check_timeouts();
}
