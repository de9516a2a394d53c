/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From where a boot loader jumps to, to main(): one state whatever the loader left. The MMU and the
 * data cache are off, what they held is written back, instructions are cached and predicted.
 */
	.syntax unified
	.arm
	.section .start, "ax"
	.global _start
	.type _start, %function
_start:
	cpsid	aif, #0x12			@ the mode of interrupts, for its stack
	ldr	sp, =__interrupt_stack_end
	cps	#0x13				@ supervisor, no interrupts
	ldr	sp, =__stack_end
	mrc	p15, 0, r0, c1, c0, 0
	tst	r0, #4				@ is the data cache on?
	blne	cache_clean_all_early
	mrc	p15, 0, r0, c1, c0, 0
	bic	r0, r0, #5			@ data cache and MMU off
	orr	r0, r0, #0x1800			@ instruction cache, branch prediction on
	mcr	p15, 0, r0, c1, c0, 0
	dsb
	isb
	ldr	r0, =vectors
	mcr	p15, 0, r0, c12, c0, 0
	mrc	p15, 0, r0, c1, c0, 2		@ vector unit: full access
	orr	r0, r0, #0xF00000
	mcr	p15, 0, r0, c1, c0, 2
	isb
	mov	r0, #0x40000000
	vmsr	fpexc, r0
	ldr	r0, =__bss_start
	ldr	r1, =__bss_end
	mov	r2, #0
1:	cmp	r0, r1
	strlo	r2, [r0], #4
	blo	1b
	bl	main
2:	wfi
	b	2b
	.size _start, . - _start

/* A fault is reported with its kind, address and place; then the program is over. */
	.balign 32
vectors:
	b	_start
	mov	r0, #1
	mov	r0, #2
	mov	r0, #3
	b	data_abort
	nop
	b	interrupt
	nop
interrupt:
	sub	lr, lr, #4
	push	{r0-r3, r12, lr}
	bl	interrupts_serve
	ldm	sp!, {r0-r3, r12, pc}^		@ and the status from before
data_abort:
	ldr	sp, =__stack_end
	sub	r1, lr, #8
	mrc	p15, 0, r2, c6, c0, 0
	mov	r0, #4
	cps	#0x13
	ldr	sp, =__stack_end
	bl	fault
	b	2b

/* Before there is a stack to trust: by set and way, registers only. */
	.type cache_clean_all_early, %function
cache_clean_all_early:
	mov	r1, #0				@ way
1:	mov	r2, #0				@ set
2:	orr	r3, r2, r1
	mcr	p15, 0, r3, c7, c14, 2
	add	r2, r2, #32
	cmp	r2, #(256 * 32)
	blo	2b
	adds	r1, r1, #(1 << 30)
	bcc	1b
	dsb
	bx	lr
	.size cache_clean_all_early, . - cache_clean_all_early
