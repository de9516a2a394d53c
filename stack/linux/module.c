// SPDX-License-Identifier: GPL-2.0-only
/* Datra: streams between processor and FPGA. This file: loading and unloading the module. */
#include <linux/module.h>

#include "files.h"
#include "probe.h"
#include "sysfs.h"

static int __init datra_module_init(void)
{
	int result = datra_files_init();

	if (result)
		return result;
	result = datra_proc_init();
	if (result)
		goto no_proc;
	result = datra_pci_register();
	if (result)
		goto no_pci;
	result = datra_platform_register();
	if (result)
		goto no_platform;
	return 0;

no_platform:
	datra_pci_unregister();
no_pci:
	datra_proc_exit();
no_proc:
	datra_files_exit();
	return result;
}

static void __exit datra_module_exit(void)
{
	datra_platform_unregister();
	datra_pci_unregister();
	datra_proc_exit();
	datra_files_exit();
}

module_init(datra_module_init);
module_exit(datra_module_exit);
MODULE_DESCRIPTION("Datra: streams between processor and FPGA");
MODULE_AUTHOR("Weighbridge");
MODULE_LICENSE("GPL");
