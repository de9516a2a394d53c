# SPDX-License-Identifier: Apache-2.0
#
# Vivado's project of one design of the Zynq-7000 study. Not tried with Vivado.
#
#   vivado -mode batch -source project.tcl -tclargs ocram 150
#
# design  ocram      block RAM behind GP1
#         datra-hp   Datra's registers behind GP0, its DMA node on HP0
#         datra-acp  the same on the ACP, coherent
# mhz     clock of the fabric
source facts.tcl
lassign $argv design mhz
if {$design eq ""} {set design ocram}
if {$mhz eq ""} {set mhz 150}
if {$design ni {ocram datra-hp datra-acp}} {error "no design $design: ocram, datra-hp or datra-acp"}

create_project study build -part xc7z020clg484-1 -force
set_property ip_repo_paths ../../hdl [current_project]
update_ip_catalog
create_bd_design system

proc cell {name vlnv args} {
  create_bd_cell -type ip -vlnv $vlnv $name
  if {[llength $args]} {set_property -dict $args [get_bd_cells $name]}
}
proc bus {from to} {connect_bd_intf_net [get_bd_intf_pins $from] [get_bd_intf_pins $to]}
proc wire {args} {connect_bd_net {*}[lmap pin $args {get_bd_pins $pin}]}

# The processor's memory and pins are the board's: its preset comes with the board files (README.md).
cell ps xilinx.com:ip:processing_system7:5.5
apply_bd_automation -rule xilinx.com:bd_rule:processing_system7 \
  -config {make_external "FIXED_IO, DDR" apply_board_preset 1} [get_bd_cells ps]
set ports {CONFIG.PCW_USE_M_AXI_GP0 0 CONFIG.PCW_USE_M_AXI_GP1 1}
if {$design ne "ocram"} {
  set ports {CONFIG.PCW_USE_M_AXI_GP0 1 CONFIG.PCW_USE_FABRIC_INTERRUPT 1 CONFIG.PCW_IRQ_F2P_INTR 1}
}
if {$design eq "datra-hp"} {lappend ports CONFIG.PCW_USE_S_AXI_HP0 1 CONFIG.PCW_S_AXI_HP0_DATA_WIDTH 64}
if {$design eq "datra-acp"} {lappend ports CONFIG.PCW_USE_S_AXI_ACP 1}
set_property -dict [list {*}$ports CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ $mhz] [get_bd_cells ps]
cell reset xilinx.com:ip:proc_sys_reset:5.0
wire ps/FCLK_CLK0 reset/slowest_sync_clk
wire ps/FCLK_RESET0_N reset/ext_reset_in

proc assign {segment base bytes} {
  assign_bd_address -offset [format 0x%08x $base] -range $bytes [get_bd_addr_segs $segment]
}

if {$design eq "ocram"} {
  lassign [dict get $links GP32] window bits
  cell switch xilinx.com:ip:smartconnect:1.0 CONFIG.NUM_SI 1 CONFIG.NUM_MI 1
  cell bram xilinx.com:ip:axi_bram_ctrl:4.1 CONFIG.DATA_WIDTH $bits CONFIG.SINGLE_PORT_BRAM 1
  cell memory xilinx.com:ip:blk_mem_gen:8.4 CONFIG.Memory_Type Single_Port_RAM
  wire ps/FCLK_CLK0 ps/M_AXI_GP1_ACLK switch/aclk bram/s_axi_aclk
  wire reset/peripheral_aresetn switch/aresetn bram/s_axi_aresetn
  bus ps/M_AXI_GP1 switch/S00_AXI
  bus switch/M00_AXI bram/S_AXI
  bus bram/BRAM_PORTA memory/BRAM_PORTA
  assign bram/S_AXI/Mem0 $window $fabric_bytes
} else {
  # AXI3 on both sides: no interconnect between.
  lassign [dict get $links GP] window bits
  set coherent [expr {$design eq "datra-acp"}]
  cell datra weighbridge:user:datra_axi3:1.0 CONFIG.DATA_W $bits CONFIG.ID_W 12 CONFIG.DMA_DATA_W 64 \
    CONFIG.DMA_AXCACHE [expr {$coherent ? 15 : 3}] CONFIG.ASYNC 0 CONFIG.CLOCK_HZ [expr {$mhz * 1000000}]
  set slave [expr {$coherent ? "S_AXI_ACP" : "S_AXI_HP0"}]
  wire ps/FCLK_CLK0 ps/M_AXI_GP0_ACLK ps/${slave}_ACLK datra/aclk datra/fabric_clk
  wire reset/peripheral_aresetn datra/aresetn datra/fabric_resetn
  bus ps/M_AXI_GP0 datra/s_axi
  bus datra/m_axi ps/$slave
  wire datra/irq ps/IRQ_F2P
  assign datra/s_axi/registers $window $datra_bytes
  assign ps/$slave/[expr {$coherent ? "ACP_DDR_LOWOCM" : "HP0_DDR_LOWOCM"}] 0 $memory_bytes
}

validate_bd_design
save_bd_design
add_files -norecurse [make_wrapper -files [get_files system.bd] -top]
set_property top system_wrapper [current_fileset]
launch_runs impl_1 -to_step write_bitstream -jobs 2
wait_on_run impl_1
