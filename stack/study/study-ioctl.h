/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * What programs ask of /dev/weighbridge-study. README.md tells how the calls follow each other.
 *
 * write() moves its bytes from the program to the FPGA's window, read() the other way, each by the
 * way that STUDY_IOC_SETUP has chosen; mmap() gives the window itself, uncached.
 */
#ifndef STUDY_IOCTL_H
#define STUDY_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Who moves the bytes between the kernel's buffer and the window. */
enum {
	STUDY_MASTER_CPU,
	STUDY_MASTER_PL330,	/* by a program of this module's */
	STUDY_MASTER_DMAENGINE,	/* by the kernel's own driver of the PL330 */
	STUDY_MASTERS,
};

/* By which port a DMA controller reaches memory. */
enum {
	STUDY_ROUTE_SDRAMC,	/* the memory controller */
	STUDY_ROUTE_ACP,	/* the processor's caches: the Cyclone V alone */
	STUDY_ROUTES,
};

enum {
	STUDY_BUFFER_CACHED,	/* the kernel's own pages */
	STUDY_BUFFER_UNCACHED,	/* dma_alloc_coherent() */
	STUDY_BUFFERS,
};

/* How the end of a transfer is awaited. */
enum {
	STUDY_COMPLETION_POLL,
	STUDY_COMPLETION_INTERRUPT,
	STUDY_COMPLETIONS,
};

/* Bits of study_info.features. */
#define STUDY_HAS_ACP		(1u << 0)
#define STUDY_HAS_PROGRAM	(1u << 1)	/* programs lie in on-chip memory */
#define STUDY_EMULATED		(1u << 2)	/* the device tree says: no hardware, times mean nothing */
#define STUDY_HAS_LOCKS		(1u << 3)	/* ways of the L2 cache can be locked */
#define STUDY_HAS_SCHEDULER	(1u << 4)	/* the SDRAM's ports have weights and priorities */

#define STUDY_VERSION	1

struct study_info {
	__u32 version;
	__u32 features;
	__u32 window_bytes;
	__u32 piece_bytes;	/* the most that one call moves */
};

struct study_setup {
	__u32 master;
	__u32 route;		/* 0 with STUDY_MASTER_CPU */
	__u32 buffer;
	__u32 completion;	/* 0 with STUDY_MASTER_CPU */
	__u32 prepared;		/* 1: both programs are written now, for calls of `bytes` alone */
	__u32 bytes;		/* 0 unless prepared */
	__u32 offset;		/* of the transfers in the window */
	__u32 nonsecure;	/* 1: channel and accesses of the PL330 are non-secure */
	__u32 timeout_us;	/* 1..10000000 */
	/*
	 * 1..4: that instruction of the PL330's program is replaced by a byte that is none, so that
	 * the controller faults; 0: none is.
	 */
	__u32 wrong;
};

enum {
	STUDY_OK,
	STUDY_MANAGER_FAULT,
	STUDY_CHANNEL_FAULT,
	STUDY_TIMEOUT,
};

/* How the last transfer of the PL330 by this module ended. */
struct study_status {
	__u32 outcome;
	__u32 csr;		/* of the channel; after a fault of the manager, its DSR */
	__u32 ftr;		/* fault type, of who is at fault */
	__u32 pc;		/* bytes into the program */
	__u32 program_bytes;
	__u32 polls;		/* reads of the channel's state */
};

/* Ways of the L2 cache that a master may not fill, counted from way 0. */
struct study_locks {
	__u32 cpu_ways;		/* 0..7 of 8 */
	__u32 acp_ways;
};

/* Values of the SDRAM controller's registers. */
struct study_scheduler {
	__u32 priority;
	__u32 weight[2];
	__u32 standard;		/* 1: what was there when the module came, and the rest is 0 */
};

#define STUDY_IOC_INFO		_IOR('w', 0x40, struct study_info)
#define STUDY_IOC_SETUP		_IOW('w', 0x41, struct study_setup)
#define STUDY_IOC_STATUS	_IOR('w', 0x42, struct study_status)
#define STUDY_IOC_LOCKS		_IOW('w', 0x43, struct study_locks)
#define STUDY_IOC_SCHEDULER	_IOW('w', 0x44, struct study_scheduler)

#endif
