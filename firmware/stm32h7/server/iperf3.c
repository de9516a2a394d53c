/* SPDX-License-Identifier: Apache-2.0 */
#include "iperf3.h"

#include <string.h>

#include "chip.h"
#include "flow.h"
#include "json.h"
#include "lwip/etharp.h"
#include "lwip/tcp.h"
#include "lwip/udp.h"
#include "net.h"
#include "serial.h"

#define PORT 5201
#define COOKIE 37u
#define LONGEST_MESSAGE 8192u
/* In half seconds: when one who was refused has to be gone, and a client to say something. */
#define REFUSED_GOES 4
#define CLIENT_SPEAKS 20
/* What a client sends where nobody has said -b: the published server does not pace itself by it. */
#define UNSAID_BANDWIDTH (1024u * 1024u)

/* Bytes of the control connection: a test's states. */
enum state {
	TEST_START = 1,
	TEST_RUNNING = 2,
	TEST_END = 4,
	PARAM_EXCHANGE = 9,
	CREATE_STREAMS = 10,
	CLIENT_TERMINATE = 12,
	EXCHANGE_RESULTS = 13,
	DISPLAY_RESULTS = 14,
	IPERF_DONE = 16,
	SERVER_ERROR = 0xFE,
	ACCESS_DENIED = 0xFF,
};

/* Of its errors, those that are said here. */
enum refusal { UNKNOWN_MESSAGE = 114, NOT_IMPLEMENTED = 13, DATAGRAM_SIZE = 20 };

/* What is awaited of the client. */
enum awaits { AWAITS_COOKIE, AWAITS_PARAMETERS, AWAITS_STREAM, AWAITS_END, AWAITS_RESULTS, AWAITS_DONE };

static struct tcp_pcb *client; /* none: nobody is served */
static struct udp_pcb *stream;
static enum awaits awaits;
static uint8_t message[LONGEST_MESSAGE];
static uint32_t have; /* bytes of what is awaited */
static bool spoken; /* the client has, since this was looked at */
static struct flow flow;
static uint64_t pause; /* cycles of the core from a datagram to the next; 0: none */
static uint64_t due, seen, began, ended; /* cycles of the core */

static void drop(struct tcp_pcb *connection)
{
	tcp_arg(connection, NULL);
	tcp_recv(connection, NULL);
	tcp_err(connection, NULL);
	tcp_poll(connection, NULL, 0);
	/* Without room for the FIN it is tried again by lwIP's timer. */
	tcp_close(connection);
}

static void finish(void)
{
	if (client)
		drop(client);
	client = NULL;
	flow_end();
}

static void say(const void *bytes, uint32_t count)
{
	tcp_write(client, bytes, (u16_t)count, TCP_WRITE_FLAG_COPY);
}

static void say_state(enum state state)
{
	const uint8_t byte = (uint8_t)state;

	say(&byte, 1);
}

static void say_length(uint32_t value)
{
	value = lwip_htonl(value);
	say(&value, sizeof(value));
}

static void refuse(enum refusal why)
{
	say_state(SERVER_ERROR);
	say_length(why);
	say_length(0);
	tcp_output(client);
	finish();
}

static uint64_t parameter(const char *name, uint64_t otherwise)
{
	uint64_t value;

	return json_number((char *)message + 4, have - 4, name, &value) ? value : otherwise;
}

static void take_parameters(void)
{
	const uint64_t length = parameter("len", 0);
	const uint64_t rate = parameter("bandwidth", 0);

	if (!parameter("udp", 0) || !parameter("reverse", 0) || parameter("bidirectional", 0) ||
	    parameter("parallel", 1) != 1) {
		refuse(NOT_IMPLEMENTED);
		return;
	}
	if (length < FLOW_LEAST || length > FLOW_MOST) {
		refuse(DATAGRAM_SIZE);
		return;
	}
	flow.payload = (uint32_t)length;
	flow.wide = parameter("udp_counters_64bit", 0) != 0;
	flow.sent = 0;
	pause = rate == 0 || rate == UNSAID_BANDWIDTH ? 0 : 8 * length * CORE_KHZ * 1000ull / rate;
	awaits = AWAITS_STREAM;
	say_state(CREATE_STREAMS);
}

static void put_text(char **to, const char *text)
{
	while (*text)
		*(*to)++ = *text++;
}

static void put_number(char **to, uint64_t value)
{
	char text[21];
	char *at = text + sizeof(text);

	*--at = '\0';
	do {
		*--at = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	put_text(to, at);
}

static uint64_t cycles(void)
{
	const uint32_t now = DWT_CYCCNT;

	if (now < (uint32_t)seen)
		seen += 1ull << 32;
	seen = (seen & ~0xFFFFFFFFull) | now;
	return seen;
}

static void give_results(void)
{
	static char text[512];
	char *to = text;
	const uint64_t us = (ended - began) / (CORE_KHZ / 1000);

	put_text(&to, "{\"cpu_util_total\":0,\"cpu_util_user\":0,\"cpu_util_system\":0,"
		      "\"sender_has_retransmits\":0,\"streams\":[{\"id\":1,\"bytes\":");
	put_number(&to, flow.sent * flow.payload);
	put_text(&to, ",\"retransmits\":-1,\"jitter\":0,\"errors\":0,\"packets\":");
	put_number(&to, flow.sent);
	put_text(&to, ",\"start_time\":0,\"end_time\":");
	put_number(&to, us / 1000000);
	put_text(&to, ".");
	for (uint32_t digit = 100000; digit; digit /= 10)
		put_number(&to, us / digit % 10);
	put_text(&to, "}]}");
	say_length((uint32_t)(to - text));
	say(text, (uint32_t)(to - text));
	say_state(DISPLAY_RESULTS);
	awaits = AWAITS_DONE;
}

/* Of the text that a length has announced; too many where it cannot be kept. */
static uint32_t announced(void)
{
	const uint32_t bytes = (uint32_t)message[0] << 24 | (uint32_t)message[1] << 16 |
			       (uint32_t)message[2] << 8 | message[3];

	return bytes > LONGEST_MESSAGE - 4 ? LONGEST_MESSAGE : bytes;
}

/* Bytes that have to be there before they can be looked at; never fewer than there are. */
static uint32_t wanted(void)
{
	switch (awaits) {
	case AWAITS_COOKIE:
		return COOKIE;
	case AWAITS_PARAMETERS:
	case AWAITS_RESULTS:
		return have < 4 ? 4 : 4 + announced();
	default:
		return 1;
	}
}

/* What is awaited is there. */
static void act(void)
{
	switch (awaits) {
	case AWAITS_COOKIE:
		awaits = AWAITS_PARAMETERS;
		say_state(PARAM_EXCHANGE);
		break;
	case AWAITS_PARAMETERS:
		take_parameters();
		break;
	case AWAITS_RESULTS:
		give_results();
		break;
	case AWAITS_END:
		if (message[0] == TEST_END) {
			flow_end();
			ended = cycles();
			awaits = AWAITS_RESULTS;
			say_state(EXCHANGE_RESULTS);
			break;
		}
		/* fall through */
	default: /* IPERF_DONE, CLIENT_TERMINATE, or what nobody has asked for */
		finish();
	}
}

static void take(const uint8_t *bytes, uint32_t count)
{
	while (count && client) {
		const uint32_t room = wanted() - have;
		const uint32_t now = room < count ? room : count;

		memcpy(message + have, bytes, now);
		have += now;
		bytes += now;
		count -= now;
		if (wanted() > sizeof(message)) {
			refuse(UNKNOWN_MESSAGE);
			return;
		}
		if (have == wanted()) {
			act();
			have = 0;
		}
	}
}

static err_t received(void *argument, struct tcp_pcb *from, struct pbuf *packet, err_t error)
{
	(void)argument;
	(void)error;
	if (!packet) {
		finish();
		return ERR_OK;
	}
	spoken = true;
	tcp_recved(from, packet->tot_len);
	for (struct pbuf *part = packet; part && client == from; part = part->next)
		take(part->payload, part->len);
	pbuf_free(packet);
	if (client == from)
		tcp_output(from);
	return ERR_OK;
}

static void lost(void *argument, err_t error)
{
	(void)argument;
	(void)error;
	client = NULL;
	flow_end();
}

static err_t refused(void *argument, struct tcp_pcb *from, struct pbuf *packet, err_t error)
{
	(void)argument;
	(void)error;
	if (packet) {
		tcp_recved(from, packet->tot_len);
		pbuf_free(packet);
	} else {
		drop(from);
	}
	return ERR_OK;
}

/*
 * Whoever stays without a word would keep others out. During the flow a client has nothing to say, but what it
 * was told it has taken: lwIP alone would send that to one who has gone for minutes, and to a window of nothing
 * for ever.
 */
static err_t give_up(void *argument, struct tcp_pcb *from)
{
	const bool listens = awaits == AWAITS_END && !from->unacked && !from->unsent;

	(void)argument;
	if (from == client && (spoken || listens)) {
		spoken = false;
		return ERR_OK;
	}
	tcp_abort(from);
	return ERR_ABRT;
}

static err_t accepted(void *argument, struct tcp_pcb *from, err_t error)
{
	static const uint8_t denied = ACCESS_DENIED;

	(void)argument;
	if (error != ERR_OK || !from)
		return ERR_VAL;
	if (client) {
		tcp_write(from, &denied, 1, TCP_WRITE_FLAG_COPY);
		tcp_recv(from, refused);
		tcp_poll(from, give_up, REFUSED_GOES);
		tcp_output(from);
		return ERR_OK;
	}
	client = from;
	awaits = AWAITS_COOKIE;
	have = 0;
	tcp_nagle_disable(from);
	ip_set_option(from, SOF_KEEPALIVE);
	from->keep_idle = 10000;
	from->keep_intvl = 1000;
	from->keep_cnt = 3;
	tcp_recv(from, received);
	tcp_err(from, lost);
	tcp_poll(from, give_up, CLIENT_SPEAKS);
	return ERR_OK;
}

/* A client's first datagram says where its stream is; the flow begins. */
static void greeted(void *argument, struct udp_pcb *from, struct pbuf *packet,
		    const ip_addr_t *address, u16_t port)
{
	static const uint8_t answer[4] = { '6', '7', '8', '9' };
	struct eth_addr *hardware;
	const ip4_addr_t *known;
	struct pbuf *reply;
	const bool wanted_now = client && awaits == AWAITS_STREAM && packet->tot_len == 4 &&
				ip_addr_cmp(address, &client->remote_ip);

	(void)argument;
	pbuf_free(packet);
	if (!wanted_now || etharp_find_addr(&net, ip_2_ip4(address), &hardware, &known) < 0)
		return;
	reply = pbuf_alloc(PBUF_TRANSPORT, sizeof(answer), PBUF_RAM);
	if (!reply)
		return;
	pbuf_take(reply, answer, sizeof(answer));
	udp_sendto(from, reply, address, port);
	pbuf_free(reply);

	memcpy(flow.from, net.hwaddr, 6);
	memcpy(flow.to, hardware->addr, 6);
	flow.from_address = lwip_ntohl(ip4_addr_get_u32(netif_ip4_addr(&net)));
	flow.to_address = lwip_ntohl(ip4_addr_get_u32(ip_2_ip4(address)));
	flow.from_port = PORT;
	flow.to_port = port;
	flow_begin(&flow);
	spoken = true;
	awaits = AWAITS_END;
	say_state(TEST_START);
	say_state(TEST_RUNNING);
	tcp_output(client);
	began = due = cycles();
}

bool iperf3_send(void)
{
	if (!client || awaits != AWAITS_END)
		return false;
	if (pause) {
		if (cycles() < due)
			return true;
		due += pause;
	}
	flow_send(&flow);
	return true;
}

void iperf3_start(void)
{
	struct tcp_pcb *door = tcp_new();

	stream = udp_new();
	if (!door || !stream || tcp_bind(door, IP_ADDR_ANY, PORT) != ERR_OK ||
	    udp_bind(stream, IP_ADDR_ANY, PORT) != ERR_OK) {
		serial_put("{\"error\":\"no room for the server\"}\n");
		return;
	}
	tcp_accept(tcp_listen(door), accepted);
	udp_recv(stream, greeted, NULL);
}
