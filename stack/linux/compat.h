/* SPDX-License-Identifier: GPL-2.0-only */
/* What is not the same in all kernels that the driver builds for: 6.1 and later. */
#ifndef DATRA_COMPAT_H
#define DATRA_COMPAT_H

#include <linux/device.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define dma_buf_map_attachment_unlocked		dma_buf_map_attachment
#define dma_buf_unmap_attachment_unlocked	dma_buf_unmap_attachment
#define devnode_const
#else
#define devnode_const				const
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_clear(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags &= ~flags;
}
#endif

static inline struct class *compat_class_create(const char *name)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
	return class_create(THIS_MODULE, name);
#else
	return class_create(name);
#endif
}

/* What remove() of a platform driver returns. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define platform_remove_type			int
#define PLATFORM_REMOVED			0
#else
#define platform_remove_type			void
#define PLATFORM_REMOVED
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define COMPAT_IMPORT_NS(name)			MODULE_IMPORT_NS(name)
#else
#define COMPAT_IMPORT_NS(name)			MODULE_IMPORT_NS(#name)
#endif

#endif
