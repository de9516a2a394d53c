/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of registers: the control file of a card, and a configuration file of each node. */
#ifndef DATRA_REGISTER_H
#define DATRA_REGISTER_H

#include "files.h"

extern const struct datra_file_kind datra_control_kind, datra_config_kind;

#endif
