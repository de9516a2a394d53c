/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps by which the published program became faster, each with the ones before it, and two
 * beyond them: bursts of eight bytes, and a frame that is queued behind the one under way. A build is
 * one of them: -DSTEP_NAME, with the names that the study's axis `firmware` has.
 */
#ifndef STEP_H
#define STEP_H

#include "checksum.h"
#include "payload.h"
#include "transmit.h"

#if defined(STEP_CHECKSUM_CARRY)
#define CHECKSUM checksum_carry
#else
#define CHECKSUM checksum_deferred
#endif

#if defined(STEP_MDMA_UNROLLED) || defined(STEP_MDMA_WIDE) || defined(STEP_MDMA_QUEUED)
#define FILL payload_fill_unrolled
#else
#define FILL payload_fill
#endif

/* Frames that there are at once: one that is made, the others under way. */
#if defined(STEP_MDMA_QUEUED)
#define FRAMES 3u
#elif defined(STEP_MDMA_UNROLLED) || defined(STEP_MDMA_WIDE)
#define FRAMES 2u
#else
#define FRAMES 1u
#endif

/* Bytes that the MDMA writes at once; a frame has room for the last of them. */
#if defined(STEP_MDMA_WIDE) || defined(STEP_MDMA_QUEUED)
#define STORE 8u
#else
#define STORE 4u
#endif

#if defined(STEP_CHECKSUM_CARRY) || defined(STEP_CHECKSUM_DEFERRED)
#define TRANSMIT transmit_by_processor
#elif defined(STEP_MDMA)
static inline void transmit_and_wait(const struct frame *frame, uint32_t bytes)
{
	transmit_by_mdma(frame, bytes);
	transmit_wait();
}
#define TRANSMIT transmit_and_wait
#elif defined(STEP_MDMA_UNROLLED) || defined(STEP_MDMA_WIDE)
#define TRANSMIT transmit_by_mdma
#elif defined(STEP_MDMA_QUEUED)
#define TRANSMIT transmit_queued
#else
#error "a build is one of the steps"
#endif

#endif
