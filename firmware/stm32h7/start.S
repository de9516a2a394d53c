/* SPDX-License-Identifier: Apache-2.0 */
/* From reset to main(): vectors, sections that are copied or cleared. */
	.syntax unified
	.thumb

	.section .vectors, "a"
	.word	stack_top
	.word	reset
	.rept	14			/* exceptions; interrupts stay masked */
	.word	trap
	.endr

	.text
	.thumb_func
	.global	reset
	.type	reset, %function
reset:
	cpsid	i
	ldr	r0, =itcm_begin
	ldr	r1, =itcm_end
	ldr	r2, =itcm_from
	bl	copy
	ldr	r0, =data_begin
	ldr	r1, =data_end
	ldr	r2, =data_from
	bl	copy
	ldr	r0, =bss_begin
	ldr	r1, =bss_end
	movs	r2, #0
1:	cmp	r0, r1
	itt	lo
	strlo	r2, [r0], #4
	blo	1b
	bl	main
	/* Nothing is left to do: no interrupt will come. */
	.thumb_func
	.type	trap, %function
trap:
	wfi
	b	trap

	.thumb_func
copy:
	cmp	r0, r1
	ittt	lo
	ldrlo	r3, [r2], #4
	strlo	r3, [r0], #4
	blo	copy
	bx	lr
