# SPDX-License-Identifier: Apache-2.0
#
# Clocks of spartan7.sv. Its pins and their standards are the board's own: pins.xdc. Not tried with Vivado.
# project.tcl makes fmc_clk, of the platform file's frequency.
create_clock -name clk_125mhz -period 8.000 [get_ports clk_125mhz]
create_clock -name rgmii_rxc -period 8.000 [get_ports rgmii_rxc]

# Reset goes out of one clock into the others, and the PHY's link into the memory bus's.
set_false_path -from [get_cells rst_reg_reg] -to [get_cells {tx_rst_reg_reg[*]}]
set_false_path -from [get_cells rst_reg_reg] -to [get_cells {rx_rst_reg_reg[*]}]
set_false_path -from [get_ports link]
