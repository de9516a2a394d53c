# SPDX-License-Identifier: Apache-2.0
#
# The bitstream of spartan7.sv for the published study's part. Not tried with Vivado.
#
#   vivado -mode batch -source project.tcl -tclargs 137.5 1
#
# mhz      clock of the memory bus; another one than the platform file's is another program as well
# root_up  1: as published; 0: a register less in APB's answer, and a write is a clock shorter
#
# pins.xdc is of your board: pins and standards of the ports of spartan7.sv (README.md).
source facts.tcl
lassign $argv given up
if {$given ne ""} {set mhz $given}
if {$up ne ""} {set root_up $up}
if {![string is double -strict $mhz] || $mhz < 100 || $mhz > 233} {error "no clock for the PLL: $mhz MHz"}
if {$root_up ni {0 1}} {error "root_up is 0 or 1, not $root_up"}

# The published board's part; its speed is not told, so the slowest.
set part xc7s25ftgb196-1
set home ../../hdl
read_verilog -sv [concat [lsort [glob $home/registers/*.sv]] [lsort [glob $home/{lib,datra,fmc}/rtl/*.sv]] spartan7.sv]
# What Vivado is given before the others: clocks, that the crossings ask for.
file mkdir build
set clock [open build/clock.xdc w]
puts $clock "create_clock -name fmc_clk -period [format %.3f [expr {1000.0 / $mhz}]] \[get_ports fmc_clk\]"
close $clock
read_xdc build/clock.xdc
read_xdc spartan7.xdc
read_xdc pins.xdc
read_xdc -ref fifo_async $home/datra/ip/fifo_async.xdc

synth_design -top spartan7 -part $part -generic CLOCK_HZ=[expr {round($mhz * 1e6)}] \
  -generic ROOT_UP=1'b$root_up -generic ETHERNET_DOWN=1'b$ethernet_down
opt_design
place_design
route_design
report_timing_summary -file build/timing.txt
report_utilization -file build/utilization.txt
write_bitstream -force build/spartan7.bit
