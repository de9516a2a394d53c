// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PL330 by programs of this module's, as the Cyclone V study's driver runs it: a program in
 * on-chip memory, started by the debug registers, its end polled in the channel's state.
 */
#include <linux/amba/bus.h>
#include <linux/completion.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/reset.h>
#include <linux/spinlock.h>

#include "pl330_program.h"
#include "pl330_registers.h"
#include "study.h"

/* The only channel and event that this module uses. */
#define CHANNEL		0
#define EVENT		0
/* A byte that begins no instruction. */
#define NO_INSTRUCTION	0xff
/* Where the first four instructions of every copy begin: three DMAMOV of six bytes, then a load. */
#define MOVE_BYTES	6
/* How long the debug registers may be busy, and a killed thread may take to stop. */
#define DEBUG_US	1000

/**
 * struct pl330 - the controller
 * @registers: of it, mapped
 * @resets: that the board's device tree may name
 * @lock: held while the debug registers are used, and of @status
 * @done: the interrupt's handler has seen the end, or a fault
 * @memory: where programs lie
 * @setup: what is wanted of transfers
 * @status: of the last one
 * @program_bytes: of the programs that are written, by direction; 0: none
 * @irqs: that are requested
 */
struct pl330 {
	void __iomem *registers;
	struct reset_control *resets;
	spinlock_t lock;
	struct completion done;
	struct pl330_memory memory;
	struct study_setup setup;
	struct study_status status;
	u32 program_bytes[DIRECTIONS];
	unsigned int irqs;
};

static u32 get(struct pl330 *pl330, u32 offset)
{
	return readl(pl330->registers + offset);
}

static void set(struct pl330 *pl330, u32 offset, u32 value)
{
	writel(value, pl330->registers + offset);
}

static u32 program_offset(enum study_direction direction)
{
	/* The study's driver has them that far apart. */
	return direction * 256;
}

/* Has a thread execute one instruction, given as the words of the debug registers. */
static int debug_execute(struct pl330 *pl330, const u32 words[2])
{
	u32 busy;
	int ret;

	ret = readl_poll_timeout_atomic(pl330->registers + PL330_DBGSTATUS, busy, !(busy & 1), 0,
					DEBUG_US);
	if (ret)
		return ret;
	set(pl330, PL330_DBGINST0, words[0]);
	set(pl330, PL330_DBGINST1, words[1]);
	set(pl330, PL330_DBGCMD, 0);
	return 0;
}

static void kill_thread(struct pl330 *pl330, u32 thread, u32 state_register)
{
	u32 words[2], state;

	pl330_debug_kill(words, thread);
	if (debug_execute(pl330, words) ||
	    readl_poll_timeout_atomic(pl330->registers + state_register, state,
				      PL330_STATE(state) == PL330_STOPPED, 0, DEBUG_US))
		pr_err("weighbridge-study: a thread of the PL330 cannot be stopped\n");
}

/* Notes who is at fault and why, and stops that thread. False: nobody is. */
static bool take_fault(struct pl330 *pl330)
{
	struct study_status *status = &pl330->status;
	u32 program = lower_32_bits(pl330->memory.device);

	if (get(pl330, PL330_FSRD) & 1) {
		status->outcome = STUDY_MANAGER_FAULT;
		status->csr = get(pl330, PL330_DSR);
		status->ftr = get(pl330, PL330_FTRD);
		kill_thread(pl330, PL330_MANAGER, PL330_DSR);
	} else if (get(pl330, PL330_FSRC) & BIT(CHANNEL)) {
		status->outcome = STUDY_CHANNEL_FAULT;
		status->csr = get(pl330, PL330_CSR(CHANNEL));
		status->ftr = get(pl330, PL330_FTR(CHANNEL));
		status->pc = (get(pl330, PL330_CPC(CHANNEL)) - program) % program_offset(DIRECTIONS);
		kill_thread(pl330, CHANNEL, PL330_CSR(CHANNEL));
	} else {
		return false;
	}
	return true;
}

static irqreturn_t interrupted(int irq, void *data)
{
	struct pl330 *pl330 = data;
	irqreturn_t ret = IRQ_HANDLED;
	unsigned long flags;

	spin_lock_irqsave(&pl330->lock, flags);
	if (get(pl330, PL330_INTMIS) & BIT(EVENT)) {
		set(pl330, PL330_INTCLR, BIT(EVENT));
		complete(&pl330->done);
	} else if (take_fault(pl330)) {
		complete(&pl330->done);
	} else {
		ret = IRQ_NONE;
	}
	spin_unlock_irqrestore(&pl330->lock, flags);
	return ret;
}

/* Reads the channel's state until it has stopped, is at fault, or the time is over. */
static int poll_end(struct pl330 *pl330, ktime_t end)
{
	u32 state;

	for (;;) {
		state = PL330_STATE(get(pl330, PL330_CSR(CHANNEL)));
		pl330->status.polls++;
		if (state == PL330_STOPPED || state == PL330_FAULTING ||
		    state == PL330_FAULTING_COMPLETING)
			return 0;
		/* The clock is asked seldom, so that it hardly lengthens the period of the polls. */
		if (pl330->status.polls % 64 == 0 && ktime_after(ktime_get(), end))
			return -ETIMEDOUT;
	}
}

static int await_end(struct pl330 *pl330)
{
	u32 timeout_us = pl330->setup.timeout_us;

	if (pl330->setup.completion == STUDY_COMPLETION_INTERRUPT &&
	    !wait_for_completion_timeout(&pl330->done, usecs_to_jiffies(timeout_us) + 1))
		return -ETIMEDOUT;
	/* After its event a channel still has to reach its last instruction. */
	return poll_end(pl330, ktime_add_us(ktime_get(), timeout_us));
}

/**
 * pl330_choose() - what is wanted of the next transfers
 * @pl330: from controller_take()
 * @memory: where their programs are to lie
 * @setup: the program's wishes
 *
 * Return: 0; -EPERM when the manager is non-secure and could not start a secure channel; -ENODEV
 * when an interrupt is wanted and the device tree names none.
 */
int pl330_choose(struct pl330 *pl330, const struct pl330_memory *memory,
		 const struct study_setup *setup)
{
	if ((get(pl330, PL330_DSR) & PL330_DSR_NONSECURE) && !setup->nonsecure)
		return -EPERM;
	if (setup->completion == STUDY_COMPLETION_INTERRUPT && !pl330->irqs)
		return -ENODEV;
	pl330->memory = *memory;
	pl330->setup = *setup;
	memset(pl330->program_bytes, 0, sizeof(pl330->program_bytes));
	memset(&pl330->status, 0, sizeof(pl330->status));
	return 0;
}

/**
 * pl330_prepare() - writes the program of a transfer
 * @pl330: after pl330_choose()
 * @direction: of the bytes
 * @place: where they are
 * @bytes: how many
 *
 * Return: 0, or -EINVAL for what no program can copy.
 */
int pl330_prepare(struct pl330 *pl330, enum study_direction direction,
		  const struct study_place *place, u32 bytes)
{
	bool out = direction == CPU_TO_FPGA;
	struct pl330_copy copy = PL330_STUDY_COPY(lower_32_bits(out ? place->memory : place->window),
						  lower_32_bits(out ? place->window : place->memory),
						  bytes);
	u32 offset = program_offset(direction);
	struct pl330_program program;
	u8 code[PL330_COPY_BYTES];

	if (pl330->setup.nonsecure)
		copy.protection = PL330_NONSECURE;
	if (pl330->setup.completion == STUDY_COMPLETION_INTERRUPT)
		copy.event = EVENT;
	pl330_begin(&program, code, sizeof(code));
	if (pl330_write_copy(&program, &copy) != PL330_OK)
		return -EINVAL;
	if (pl330->setup.wrong)
		code[MOVE_BYTES * (pl330->setup.wrong - 1)] = NO_INSTRUCTION;
	if (pl330->memory.on_chip)
		memcpy_toio(pl330->memory.on_chip + offset, code, program.length);
	else
		memcpy(pl330->memory.memory + offset, code, program.length);
	pl330->program_bytes[direction] = program.length;
	return 0;
}

/**
 * pl330_run() - runs the program of a direction, and awaits its end
 * @pl330: after pl330_prepare()
 * @direction: whose program
 *
 * Return: 0; -EINVAL when there is no program; -EBUSY when the channel is not idle; -EIO after a
 * fault, which pl330_status() tells; -ETIMEDOUT.
 */
int pl330_run(struct pl330 *pl330, enum study_direction direction)
{
	struct study_status *status = &pl330->status;
	unsigned long flags;
	u32 words[2];
	int ret;

	if (!pl330->program_bytes[direction])
		return -EINVAL;
	memset(status, 0, sizeof(*status));
	status->program_bytes = pl330->program_bytes[direction];
	if (PL330_STATE(get(pl330, PL330_CSR(CHANNEL))) != PL330_STOPPED)
		return -EBUSY;
	reinit_completion(&pl330->done);
	pl330_debug_go(words, CHANNEL, pl330->setup.nonsecure,
		       lower_32_bits(pl330->memory.device) + program_offset(direction));
	/* Data and program are in memory before the register is written: writel() has the barrier. */
	spin_lock_irqsave(&pl330->lock, flags);
	ret = debug_execute(pl330, words);
	spin_unlock_irqrestore(&pl330->lock, flags);
	if (!ret)
		ret = await_end(pl330);

	spin_lock_irqsave(&pl330->lock, flags);
	/* The handler may have taken the fault already. */
	if (status->outcome == STUDY_OK && !take_fault(pl330) && ret) {
		status->outcome = STUDY_TIMEOUT;
		status->csr = get(pl330, PL330_CSR(CHANNEL));
		kill_thread(pl330, CHANNEL, PL330_CSR(CHANNEL));
	}
	spin_unlock_irqrestore(&pl330->lock, flags);
	if (status->outcome == STUDY_MANAGER_FAULT || status->outcome == STUDY_CHANNEL_FAULT)
		return -EIO;
	return ret;
}

/**
 * pl330_status() - how the last transfer has ended
 * @pl330: from controller_take()
 * @status: receives it; all zero before the first
 */
void pl330_status(struct pl330 *pl330, struct study_status *status)
{
	*status = pl330->status;
}

static bool is_pl330(void __iomem *registers)
{
	u32 identity = 0;
	int i;

	for (i = 0; i < 3; i++)
		identity |= (readl(registers + PL330_PERIPH_ID0 + 4 * i) & 0xff) << 8 * i;
	return (identity & PL330_IDENTITY_MASK) == PL330_IDENTITY;
}

static int pl330_probe(struct amba_device *amba, const struct amba_id *id)
{
	struct device *dev = &amba->dev;
	struct pl330 *pl330;
	int i, ret;

	pl330 = devm_kzalloc(dev, sizeof(*pl330), GFP_KERNEL);
	if (!pl330)
		return -ENOMEM;
	spin_lock_init(&pl330->lock);
	init_completion(&pl330->done);
	pl330->resets = devm_reset_control_array_get_optional_exclusive(dev);
	if (IS_ERR(pl330->resets))
		return PTR_ERR(pl330->resets);
	ret = reset_control_deassert(pl330->resets);
	if (ret)
		return ret;
	pl330->registers = devm_ioremap_resource(dev, &amba->res);
	if (IS_ERR(pl330->registers))
		return PTR_ERR(pl330->registers);
	if (!is_pl330(pl330->registers))
		return -ENODEV;
	/* The event raises its interrupt, and stays one for the channels if none is asked for. */
	set(pl330, PL330_INTCLR, BIT(EVENT));
	set(pl330, PL330_INTEN, BIT(EVENT));
	for (i = 0; i < AMBA_NR_IRQS && amba->irq[i]; i++) {
		ret = devm_request_irq(dev, amba->irq[i], interrupted, 0, "weighbridge-study",
				       pl330);
		if (ret)
			return ret;
		pl330->irqs++;
	}
	amba_set_drvdata(amba, pl330);
	return 0;
}

static void pl330_remove(struct amba_device *amba)
{
	struct pl330 *pl330 = amba_get_drvdata(amba);

	set(pl330, PL330_INTEN, 0);
	set(pl330, PL330_INTCLR, BIT(EVENT));
	reset_control_assert(pl330->resets);
}

/* It matches nothing by itself: the kernel's driver keeps its controllers until one is taken. */
static const struct amba_id pl330_ids[] = { {} };

struct amba_driver pl330_driver = {
	.drv = { .name = "weighbridge-pl330", .suppress_bind_attrs = true },
	.id_table = pl330_ids,
	.probe = pl330_probe,
	.remove = pl330_remove,
};
