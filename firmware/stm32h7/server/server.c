/* SPDX-License-Identifier: Apache-2.0 */
#include "server.h"

#include "chip.h"
#include "fmc-registers.h"
#include "iperf3.h"
#include "net.h"
#include "serial.h"

#define TICK_MS 10u
/* Datagrams between two looks at lwIP's timers. */
#define TIMERS_EVERY 64u

/* Until a tick, or a frame. The tick's interrupt stays pending until it is cleared, and nothing
 * that is pending lets the core sleep.
 */
static void wait(void)
{
	__asm__ volatile("wfi");
	SCB_ICSR = ICSR_PENDSTCLR;
}

void serve(const char *address)
{
	ip4_addr_t own;
	uint32_t sent = 0;

	if (!ip4addr_aton(address, &own)) {
		serial_put("{\"error\":\"no address\"}\n");
		return;
	}
	net_start(&own);
	iperf3_start();
	serial_put("{\"type\":\"serving\"}\n");
	SYST_RVR = TICK_MS * CORE_KHZ - 1;
	SYST_CSR = 7; /* by the core's clock; the interrupt wakes it, and is not taken */
	for (;;) {
		const uint32_t link = WINDOW_REGISTER(FMC_WINDOW_TRANSMIT, FMC_TRANSMIT_STAT);

		if (net_waiting() || sent % TIMERS_EVERY == 0)
			net_poll();
		if (link && iperf3_send()) {
			sent++;
			continue;
		}
		sent = 0;
		if (!net_waiting())
			wait();
	}
}
