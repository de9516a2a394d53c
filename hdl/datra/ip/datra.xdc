# SPDX-License-Identifier: Apache-2.0
#
# With ASYNC 1: Gray-code pointers may skew by less than a cycle of their writer,
# queues' data have the reader's cycle, and what is no bus may take any time.
# The clocks come first: process this file late, and make no clock groups of them,
# which take precedence over all that is below.
# Written by tools/logic/constraints.py (make ip). Not built here.

set aclk [get_property -quiet -min PERIOD [get_clocks -quiet -of_objects [get_ports -quiet aclk]]]
set fabric_clk [get_property -quiet -min PERIOD [get_clocks -quiet -of_objects [get_ports -quiet fabric_clk]]]

set_false_path -quiet -to [get_pins -quiet {logic_/interrupt/crossing.to_sync_reg_reg/D}]
set_false_path -quiet -to [get_pins -quiet {logic_/interrupt/crossing.from_sync_reg_reg/D}]
set_false_path -quiet -to [get_pins -quiet {logic_/interrupt/crossing.level_sync_reg_reg/D}]
set_false_path -quiet -to [get_pins -quiet {logic_/interrupt/crossing.toggle_sync_reg_reg/D}]
set_false_path -quiet -to [get_pins -quiet {logic_/interrupt/crossing.answer_sync_reg_reg/D}]

set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.ar/write_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.ar/write_sync_reg_reg[*]}] $fabric_clk
set_bus_skew -quiet -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.ar/write_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.ar/write_sync_reg_reg[*]}] $fabric_clk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.ar/read_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.ar/read_sync_reg_reg[*]}] $aclk
set_bus_skew -quiet -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.ar/read_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.ar/read_sync_reg_reg[*]}] $aclk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.ar/ram_reg*}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.ar/data_reg_reg[*]}] $aclk

set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.aw/write_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.aw/write_sync_reg_reg[*]}] $fabric_clk
set_bus_skew -quiet -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.aw/write_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.aw/write_sync_reg_reg[*]}] $fabric_clk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.aw/read_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.aw/read_sync_reg_reg[*]}] $aclk
set_bus_skew -quiet -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.aw/read_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.aw/read_sync_reg_reg[*]}] $aclk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.aw/ram_reg*}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.aw/data_reg_reg[*]}] $aclk

set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.b/write_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.b/write_sync_reg_reg[*]}] $aclk
set_bus_skew -quiet -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.b/write_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.b/write_sync_reg_reg[*]}] $aclk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.b/read_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.b/read_sync_reg_reg[*]}] $fabric_clk
set_bus_skew -quiet -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.b/read_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.b/read_sync_reg_reg[*]}] $fabric_clk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.b/ram_reg*}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.b/data_reg_reg[*]}] $fabric_clk

set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.r/write_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.r/write_sync_reg_reg[*]}] $aclk
set_bus_skew -quiet -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.r/write_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.r/write_sync_reg_reg[*]}] $aclk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.r/read_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.r/read_sync_reg_reg[*]}] $fabric_clk
set_bus_skew -quiet -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.r/read_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.r/read_sync_reg_reg[*]}] $fabric_clk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.r/ram_reg*}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.r/data_reg_reg[*]}] $fabric_clk

set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.w/write_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.w/write_sync_reg_reg[*]}] $fabric_clk
set_bus_skew -quiet -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.w/write_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.w/write_sync_reg_reg[*]}] $fabric_clk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.w/read_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.w/read_sync_reg_reg[*]}] $aclk
set_bus_skew -quiet -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.w/read_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.w/read_sync_reg_reg[*]}] $aclk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/dma[0].place/master_side/crossing.w/ram_reg*}] -to [get_cells -quiet {logic_/dma[0].place/master_side/crossing.w/data_reg_reg[*]}] $aclk

set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/slave_side/crossing.ar/write_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/slave_side/crossing.ar/write_sync_reg_reg[*]}] $aclk
set_bus_skew -quiet -from [get_cells -quiet {logic_/slave_side/crossing.ar/write_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/slave_side/crossing.ar/write_sync_reg_reg[*]}] $aclk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/slave_side/crossing.ar/read_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/slave_side/crossing.ar/read_sync_reg_reg[*]}] $fabric_clk
set_bus_skew -quiet -from [get_cells -quiet {logic_/slave_side/crossing.ar/read_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/slave_side/crossing.ar/read_sync_reg_reg[*]}] $fabric_clk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/slave_side/crossing.ar/ram_reg*}] -to [get_cells -quiet {logic_/slave_side/crossing.ar/data_reg_reg[*]}] $fabric_clk

set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/slave_side/crossing.aw/write_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/slave_side/crossing.aw/write_sync_reg_reg[*]}] $aclk
set_bus_skew -quiet -from [get_cells -quiet {logic_/slave_side/crossing.aw/write_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/slave_side/crossing.aw/write_sync_reg_reg[*]}] $aclk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/slave_side/crossing.aw/read_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/slave_side/crossing.aw/read_sync_reg_reg[*]}] $fabric_clk
set_bus_skew -quiet -from [get_cells -quiet {logic_/slave_side/crossing.aw/read_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/slave_side/crossing.aw/read_sync_reg_reg[*]}] $fabric_clk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/slave_side/crossing.aw/ram_reg*}] -to [get_cells -quiet {logic_/slave_side/crossing.aw/data_reg_reg[*]}] $fabric_clk

set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/slave_side/crossing.b/write_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/slave_side/crossing.b/write_sync_reg_reg[*]}] $fabric_clk
set_bus_skew -quiet -from [get_cells -quiet {logic_/slave_side/crossing.b/write_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/slave_side/crossing.b/write_sync_reg_reg[*]}] $fabric_clk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/slave_side/crossing.b/read_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/slave_side/crossing.b/read_sync_reg_reg[*]}] $aclk
set_bus_skew -quiet -from [get_cells -quiet {logic_/slave_side/crossing.b/read_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/slave_side/crossing.b/read_sync_reg_reg[*]}] $aclk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/slave_side/crossing.b/ram_reg*}] -to [get_cells -quiet {logic_/slave_side/crossing.b/data_reg_reg[*]}] $aclk

set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/slave_side/crossing.r/write_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/slave_side/crossing.r/write_sync_reg_reg[*]}] $fabric_clk
set_bus_skew -quiet -from [get_cells -quiet {logic_/slave_side/crossing.r/write_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/slave_side/crossing.r/write_sync_reg_reg[*]}] $fabric_clk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/slave_side/crossing.r/read_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/slave_side/crossing.r/read_sync_reg_reg[*]}] $aclk
set_bus_skew -quiet -from [get_cells -quiet {logic_/slave_side/crossing.r/read_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/slave_side/crossing.r/read_sync_reg_reg[*]}] $aclk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/slave_side/crossing.r/ram_reg*}] -to [get_cells -quiet {logic_/slave_side/crossing.r/data_reg_reg[*]}] $aclk

set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/slave_side/crossing.w/write_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/slave_side/crossing.w/write_sync_reg_reg[*]}] $aclk
set_bus_skew -quiet -from [get_cells -quiet {logic_/slave_side/crossing.w/write_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/slave_side/crossing.w/write_sync_reg_reg[*]}] $aclk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/slave_side/crossing.w/read_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/slave_side/crossing.w/read_sync_reg_reg[*]}] $fabric_clk
set_bus_skew -quiet -from [get_cells -quiet {logic_/slave_side/crossing.w/read_gray_reg_reg[*]}] -to [get_cells -quiet {logic_/slave_side/crossing.w/read_sync_reg_reg[*]}] $fabric_clk
set_max_delay -quiet -datapath_only -from [get_cells -quiet {logic_/slave_side/crossing.w/ram_reg*}] -to [get_cells -quiet {logic_/slave_side/crossing.w/data_reg_reg[*]}] $fabric_clk
