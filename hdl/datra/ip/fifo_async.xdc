# SPDX-License-Identifier: Apache-2.0
#
# Of each instance, in any design: read_xdc -ref fifo_async fifo_async.xdc, after the clocks.
# Written by tools/logic/constraints.py (make ip). Not built here.

set in_clk [get_property -quiet -min PERIOD [get_clocks -quiet -of_objects [get_ports -quiet in_clk]]]
set out_clk [get_property -quiet -min PERIOD [get_clocks -quiet -of_objects [get_ports -quiet out_clk]]]

set_max_delay -quiet -datapath_only -from [get_cells -quiet {write_gray_reg_reg[*]}] -to [get_cells -quiet {write_sync_reg_reg[*]}] $in_clk
set_bus_skew -quiet -from [get_cells -quiet {write_gray_reg_reg[*]}] -to [get_cells -quiet {write_sync_reg_reg[*]}] $in_clk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {read_gray_reg_reg[*]}] -to [get_cells -quiet {read_sync_reg_reg[*]}] $out_clk
set_bus_skew -quiet -from [get_cells -quiet {read_gray_reg_reg[*]}] -to [get_cells -quiet {read_sync_reg_reg[*]}] $out_clk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {ram_reg*}] -to [get_cells -quiet {data_reg_reg[*]}] $out_clk
