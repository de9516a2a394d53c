# SPDX-License-Identifier: Apache-2.0
#
# Platform Designer's system of one design of the Cyclone V study. Not tried with Quartus.
#
#   qsys-script --search-path="../../hdl/datra/ip,$" \
#     --cmd="set design ocram; set link HF128; set mhz 150" --script=system.tcl
#
# design  ocram  on-chip RAM behind `link`, HF128, HF64, HF32 or LW32
#         dma    DMA controllers on the FH port and on every FS port, as wide as `link`, each with a RAM of
#                1 KiB; `direction` to_memory or from_memory
#         datra  Datra's registers behind `link`, its DMA node at `port`, fh or fs
# mhz     clock of the fabric
package require -exact qsys 16.1
source facts.tcl

foreach {name standard} {design ocram link HF128 mhz 150 direction to_memory port fs} {
  if {![info exists $name]} {set $name $standard}
}
if {![dict exists $links $link]} {error "no link $link: there are [dict keys $links]"}
if {$design ni {ocram dma datra}} {error "no design $design: ocram, dma or datra"}
if {$direction ni {to_memory from_memory}} {error "no direction $direction: to_memory or from_memory"}
if {$port ni {fh fs}} {error "no port $port: fh or fs"}
lassign [dict get $links $link] window bits offset
set light [expr {[string match LW* $link]}]
if {$design eq "dma" && $light} {error "the controllers are behind the HF bridge"}
# What the processor's component calls a width.
set code [dict get {0 0 32 1 64 2 128 3} $bits]

proc component {name kind version args} {
  add_instance $name $kind $version
  foreach {parameter value} $args {set_instance_parameter_value $name $parameter $value}
}
proc at {master slave base} {
  add_connection $master $slave
  set_connection_parameter_value $master/$slave baseAddress [format 0x%08x $base]
}
proc clocked {clock reset} {
  add_connection pll.outclk0 $clock
  add_connection clk_0.clk_reset $reset
}

create_system system
set_project_property DEVICE_FAMILY {Cyclone V}
set_project_property DEVICE 5CSEMA5F31C6

component clk_0 clock_source 16.1 clockFrequency 50000000 resetSynchronousEdges DEASSERT
component pll altera_pll 16.1 gui_reference_clock_frequency 50.0 gui_number_of_clocks 1 \
  gui_output_clock_frequency0 $mhz.0 gui_use_locked false
add_connection clk_0.clk pll.refclk
add_connection clk_0.clk_reset pll.reset

# The memory's timing and pins are the board's: take the preset of its golden design (README.md).
set fh [expr {$design eq "dma" || ($design eq "datra" && $port eq "fh")}]
set fs [expr {$design eq "dma" ? ($bits == 128 ? 2 : 4) : $design eq "datra" && $port eq "fs"}]
set dma_bits [expr {$design eq "datra" ? 64 : $bits}]
set kind [expr {$design eq "datra" ? "AXI-3" : "Avalon-MM Bidirectional"}]
component hps altera_hps 16.1 \
  S2F_Width [expr {$light ? 0 : $code}] LWH2F_Enable [expr {$light ? "true" : "false"}] \
  F2S_Width [expr {$fh ? [dict get {32 1 64 2 128 3} $dma_bits] : 0}] \
  F2SDRAM_Type [join [lrepeat $fs $kind] ,] F2SDRAM_Width [join [lrepeat $fs $dma_bits] ,] \
  F2SINTERRUPT_Enable [expr {$design eq "datra" ? "true" : "false"}]
set bridge [expr {$light ? "hps.h2f_lw" : "hps.h2f"}]
add_connection pll.outclk0 ${bridge}_axi_clock
if {$fh} {add_connection pll.outclk0 hps.f2h_axi_clock}
for {set i 0} {$i < $fs} {incr i} {add_connection pll.outclk0 hps.f2h_sdram${i}_clock}
foreach {name type} {memory conduit hps_io conduit} {
  add_interface $name $type end
  set_interface_property $name EXPORT_OF hps.$name
}
foreach {name type of} {clk clock clk_0.clk_in reset reset clk_0.clk_in_reset} {
  add_interface $name $type sink
  set_interface_property $name EXPORT_OF $of
}

# Single beats, as in the study; lengths of 24 bits.
proc controller {number slave base} {
  global bits bridge direction
  component dmac$number altera_avalon_dma 16.1 burstEnable false maxBurstSize 8 lengthwidth 24 \
    fifoDepth [expr {$bits == 128 ? 128 : 64}] useRegistersForFIFO false \
    allowByteTransactions true allowHalfWordTransactions true allowWordTransactions true \
    allowDoubleWordTransactions true allowQuadWordTransactions true
  component ram$number altera_avalon_onchip_memory2 16.1 blockType AUTO dataWidth $bits memorySize 1024 \
    dualPort true singleClockOperation true slave1Latency 1 slave2Latency 1 initMemContent false \
    writable true
  clocked dmac$number.clk dmac$number.reset
  clocked ram$number.clk1 ram$number.reset1
  at ${bridge}_axi_master dmac$number.control_port_slave $base
  at ${bridge}_axi_master ram$number.s1 [expr {($number + 1) * 0x10000}]
  lassign {read_master write_master} inner outer
  if {$direction eq "from_memory"} {lassign {write_master read_master} inner outer}
  at dmac$number.$inner ram$number.s2 0
  at dmac$number.$outer $slave 0
}

switch $design {
  ocram {
    component ocram altera_avalon_onchip_memory2 16.1 blockType M10K dataWidth $bits \
      memorySize $fabric_bytes dualPort false slave1Latency 1 initMemContent false writable true
    clocked ocram.clk1 ocram.reset1
    at ${bridge}_axi_master ocram.s1 $offset
  }
  dma {
    controller 0 hps.f2h_axi_slave $controllers
    for {set i 0} {$i < $fs} {incr i} {
      controller [expr {$i + 1}] hps.f2h_sdram${i}_data [expr {$controllers + ($i + 1) * 0x100}]
    }
  }
  datra {
    # Two MiB, which is all of the LW bridge.
    component datra datra_axi3 1.0 DATA_W $bits ID_W 12 DMA_DATA_W $dma_bits ASYNC 0 \
      CLOCK_HZ [expr {$mhz * 1000000}]
    clocked datra.aclk datra.aresetn
    add_connection pll.outclk0 datra.fabric_clk
    add_connection clk_0.clk_reset datra.fabric_resetn
    at ${bridge}_axi_master datra.s_axi 0
    at datra.m_axi [expr {$port eq "fh" ? "hps.f2h_axi_slave" : "hps.f2h_sdram0_data"}] 0
    add_connection hps.f2h_irq0 datra.irq
    set_connection_parameter_value hps.f2h_irq0/datra.irq irqNumber 0
  }
}
save_system system.qsys
