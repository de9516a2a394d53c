/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In place of the firmware's main.c: takes exceptions of every kind that the emulated Cortex-M7
 * delivers, and says in which order its handlers ran. Lines at the serial port choose what it does.
 */
#include <string.h>

#include "chip.h"
#include "serial.h"
#include "transmit.h"

void board_start(void);

#define SYSTEM(offset) REGISTER(PERIPHERAL_SYSTEM, offset)
#define ENABLE(irq) (SYSTEM(0x100 + 4 * ((irq) / 32)) = 1u << (irq) % 32)
#define PRIORITY(irq) (*(volatile uint8_t *)(PERIPHERAL_SYSTEM + 0x400 + (irq)))
#define SYSTEM_PRIORITY(exception) \
	(*(volatile uint8_t *)(PERIPHERAL_SYSTEM + 0xD18 - 4 + (exception)))
#define TRIGGER SYSTEM(0xF00)
#define VECTORS SYSTEM(0xD08)
#define PENDSVSET (1u << 28)
#define COMPLETE (1u << 1)
#define TELL_COMPLETE (1u << 2)
enum { LOW = 40, HIGH = 41, MDMA = 122, PENDSV = 14, TICK = 15 };

static char order[64];
static volatile unsigned int length, ticks, in_handler;

static void mark(char one)
{
	order[length++] = one;
}

static uint32_t active(void)
{
	uint32_t number;

	__asm__ volatile("mrs %0, ipsr" : "=r"(number));
	return number;
}

static void tick(void)
{
	ticks++;
	in_handler = active();
}

static void high(void)
{
	mark('h');
}

static void low(void)
{
	mark('l');
	TRIGGER = HIGH; /* more urgent: before the next mark */
	barrier();
	for (volatile int i = 0; i < 4; i++)
		;
	mark('m');
	SCB_ICSR = PENDSVSET; /* least urgent: after this handler */
	barrier();
}

static void deferred(void)
{
	mark('p');
}

static void supervisor(void)
{
	mark('s');
}

static volatile unsigned int frames;

static void sent(void)
{
	frames += REGISTER(PERIPHERAL_MDMA, 0) == 1 && (MDMA_ISR(0) & COMPLETE);
	MDMA_IFCR(0) = 0x1F;
}

/* A frame twice: as the firmware sends it, and by the same list with an interrupt at its end. */
static void send(void)
{
	static struct frame frame;
	volatile uint32_t *list = MDMA_LIST(0);
	uint32_t first[6];

	transmit_start();
	for (unsigned int i = 0; i < 6; i++)
		first[i] = list[i];
	transmit_by_mdma(&frame, 60);
	transmit_wait();
	MDMA_IFCR(0) = 0x1F;
	for (unsigned int i = 0; i < 6; i++)
		list[i] = first[i];
	ENABLE(MDMA);
	MDMA_CR(0) = TELL_COMPLETE | 1u;
	MDMA_CR(0) = 1u << 16 | TELL_COMPLETE | 1u;
	while (!frames)
		__asm__ volatile("wfi");
}

static void (*vectors[16 + 163])(void) __attribute__((aligned(1024)));

int main(void)
{
	char line[16];

	board_start();
	VECTORS = (uint32_t)vectors;
	vectors[11] = supervisor;
	vectors[PENDSV] = deferred;
	vectors[TICK] = tick;
	vectors[16 + LOW] = low;
	vectors[16 + HIGH] = high;
	vectors[16 + MDMA] = sent;
	PRIORITY(LOW) = 0x80;
	PRIORITY(HIGH) = 0x40;
	SYSTEM_PRIORITY(PENDSV) = 0xF0;
	ENABLE(LOW);
	ENABLE(HIGH);
	serial_line(line, sizeof(line));
	__asm__ volatile("cpsie i");
	if (strcmp(line, "order") == 0) {
		TRIGGER = LOW;
		barrier();
		mark('|');
		__asm__ volatile("svc 0");
		mark('|');
		/* Masked: it waits until it may. */
		__asm__ volatile("cpsid i");
		TRIGGER = HIGH;
		barrier();
		mark('-');
		__asm__ volatile("cpsie i");
		barrier();
		mark('|');
		/* Masked by its priority: only the more urgent one comes. */
		__asm__ volatile("msr basepri, %0" ::"r"(0x80));
		SYSTEM(0x200 + 4 * (HIGH / 32)) = 1u << HIGH % 32;
		SCB_ICSR = PENDSVSET;
		barrier();
		mark('-');
		__asm__ volatile("msr basepri, %0" ::"r"(0));
		barrier();
		mark('|');
		serial_put(order);
	} else if (strcmp(line, "tick") == 0) {
		uint32_t begin;

		SYST_RVR = 10000 - 1;
		begin = DWT_CYCCNT;
		SYST_CSR = 7;
		while (ticks < 20)
			__asm__ volatile("wfi");
		SYST_CSR = 0;
		begin = DWT_CYCCNT - begin;
		serial_number(begin / 1000);
		serial_put(" ");
		serial_number(in_handler);
	} else if (strcmp(line, "mdma") == 0) {
		send();
		serial_number(frames);
	} else if (strcmp(line, "none") == 0) {
		vectors[16 + LOW] = 0;
		TRIGGER = LOW;
		barrier();
	} else if (strcmp(line, "process") == 0) {
		__asm__ volatile("msr psp, %0\n\tmsr control, %1\n\tisb" ::"r"(0x20010000), "r"(2));
		TRIGGER = LOW;
		barrier();
	}
	serial_put("\n");
	return 0;
}
