# SPDX-License-Identifier: Apache-2.0
#
# Of each instance, in any design: read_xdc -ref irq_cross irq_cross.xdc, after the clocks.
# Written by tools/logic/constraints.py (make ip). Not built here.

set_false_path -quiet -to [get_pins -quiet {crossing.to_sync_reg_reg/D}]
set_false_path -quiet -to [get_pins -quiet {crossing.from_sync_reg_reg/D}]
set_false_path -quiet -to [get_pins -quiet {crossing.level_sync_reg_reg/D}]
set_false_path -quiet -to [get_pins -quiet {crossing.toggle_sync_reg_reg/D}]
set_false_path -quiet -to [get_pins -quiet {crossing.answer_sync_reg_reg/D}]
