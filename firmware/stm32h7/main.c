/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends datagrams through the transmitter that is behind the memory bus, as lines at the serial port
 * ask for it, and says what the bus's counters have counted meanwhile.
 */
#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "chip.h"
#include "flow.h"
#include "fmc-registers.h"
#include "serial.h"
#include "transmit.h"

#ifdef SERVER
#include "server.h"
#endif

void board_start(void);

#define COUNTER(offset) WINDOW_REGISTER(FMC_WINDOW_COUNTERS, offset)
#define WARM 4u /* datagrams before the counters begin */

static uint64_t counter(uint32_t offset)
{
	return (uint64_t)COUNTER(offset + 4) << 32 | COUNTER(offset);
}

static void tell(const char *name, uint64_t value)
{
	serial_put(",\"");
	serial_put(name);
	serial_put("\":");
	serial_number(value);
}

/* What a server has to look at between two datagrams: who asks for something, and the link. */
static uint32_t look(void)
{
	return WINDOW_REGISTER(FMC_WINDOW_RECEIVE, FMC_RECEIVE_LENGTH) |
	       WINDOW_REGISTER(FMC_WINDOW_TRANSMIT, FMC_TRANSMIT_STAT);
}

static HOT void several(struct flow *flow, uint32_t count)
{
	for (; count && look(); count--)
		flow_send(flow);
}

/* "blast PAYLOAD COUNT" */
static void blast(const char *line)
{
	struct flow flow = {
		.from = { 2, 0, 0, 0, 0, 1 },
		.to = { 2, 0, 0, 0, 0, 2 },
		.from_address = 0x0A000001,
		.to_address = 0x0A000002,
		.from_port = 5201,
		.to_port = 5201,
	};
	uint32_t cycles, count;
	char *end;

	flow.payload = strtoul(line, &end, 10);
	count = strtoul(end, NULL, 10);
	if (flow.payload < FLOW_LEAST || flow.payload > FLOW_MOST || count <= WARM) {
		serial_put("{\"error\":\"blast PAYLOAD COUNT: 16 to 1472 bytes, more than 4\"}\n");
		return;
	}
	flow_begin(&flow);
	several(&flow, WARM);
	COUNTER(FMC_COUNTER_SNAPSHOT) = FMC_COUNTER_SNAPSHOT_TAKE | FMC_COUNTER_SNAPSHOT_CLEAR;
	cycles = DWT_CYCCNT;
	several(&flow, count - WARM);
	COUNTER(FMC_COUNTER_SNAPSHOT) = FMC_COUNTER_SNAPSHOT_TAKE;
	cycles = DWT_CYCCNT - cycles;
	flow_end();
	serial_put("{\"type\":\"blast\"");
	tell("payload", flow.payload);
	tell("datagrams", count - WARM);
	tell("core_cycles", cycles);
	tell("bus_cycles", counter(FMC_COUNTER_CYCLES(0)));
	tell("apb_reads", counter(FMC_COUNTER_APB_READS(0)));
	tell("apb_writes", counter(FMC_COUNTER_APB_WRITES(0)));
	tell("apb_active", counter(FMC_COUNTER_APB_ACTIVE(0)));
	tell("fmc_selected", counter(FMC_COUNTER_FMC_SELECTED(0)));
	tell("fmc_gap", counter(FMC_COUNTER_FMC_GAP(0)));
	serial_put("}\n");
}

int main(void)
{
	char line[80];

	board_start();
	if (WINDOW_REGISTER(FMC_WINDOW_INFO, FMC_INFO_IDENTITY) != FMC_INFO_IDENTITY_RESET) {
		serial_put("{\"error\":\"nothing answers on the memory bus\"}\n");
		return 0;
	}
	transmit_start();
	while (serial_line(line, sizeof(line)) > 0) {
		if (strncmp(line, "blast ", 6) == 0)
			blast(line + 6);
#ifdef SERVER
		else if (strncmp(line, "serve ", 6) == 0)
			serve(line + 6);
#endif
		else
			serial_put("{\"error\":\"unknown: blast PAYLOAD COUNT, or serve ADDRESS\"}\n");
	}
	return 0;
}
