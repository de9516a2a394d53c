# SPDX-License-Identifier: Apache-2.0
#
# What the projects of boards/ may ask of the vendors' components: of each, where its parameters are from, what a
# parameter may be (a pattern of the whole value), and its interfaces with their kinds. Sources, as far as known
# without the tools:
#   GHRD      the Cyclone V golden design of github.com/altera-opensource/ghrd-socfpga, soc_system.qsys
#   UG-01085  Embedded Peripherals IP User Guide
#   PG082     Processing System 7 v5.5    PG078  AXI BRAM Controller v4.1    PG058  Block Memory Generator v8.4
#   PG164     Processor System Reset v5.0    PG247  SmartConnect v1.0
#   hw.tcl, component.xml   ours, of hdl/datra/ip
#   unverified  from memory of designs: nothing at hand names it
set whole {\d+}
set flag {true|false}
set bit {0|1}

set ips(clock_source) {
  GHRD {clockFrequency {\d+} resetSynchronousEdges NONE|BOTH|DEASSERT}
  {clk_in clock-in clk_in_reset reset-in clk clock-out clk_reset reset-out}
}
set ips(altera_pll) {
  unverified {gui_reference_clock_frequency {\d+\.\d+} gui_number_of_clocks {\d+}
    gui_output_clock_frequency0 {\d+\.\d+} gui_use_locked true|false}
  {refclk clock-in reset reset-in outclk0 clock-out}
}
set ips(altera_hps) {
  GHRD {S2F_Width [0-3] F2S_Width [0-3] LWH2F_Enable true|false F2SINTERRUPT_Enable true|false
    F2SDRAM_Type {(?:(?:AXI-3|Avalon-MM Bidirectional)(?:,(?!$)|$))*} F2SDRAM_Width {(?:(?:32|64|128|256)(?:,(?!$)|$))*}}
  {h2f_axi_master master h2f_axi_clock clock-in h2f_lw_axi_master master h2f_lw_axi_clock clock-in
    f2h_axi_slave slave f2h_axi_clock clock-in f2h_irq0 irq-in memory conduit hps_io conduit
    f2h_sdram0_data slave f2h_sdram1_data slave f2h_sdram2_data slave f2h_sdram3_data slave
    f2h_sdram0_clock clock-in f2h_sdram1_clock clock-in f2h_sdram2_clock clock-in f2h_sdram3_clock clock-in}
}
set ips(altera_avalon_onchip_memory2) {
  UG-01085 {blockType AUTO|M10K|MLAB dataWidth 8|16|32|64|128|256 memorySize {\d+} dualPort true|false
    slave1Latency 1|2 slave2Latency 1|2 initMemContent true|false writable true|false}
  {clk1 clock-in reset1 reset-in s1 slave s2 slave}
}
set unverified(altera_avalon_onchip_memory2) {singleClockOperation true|false}
set ips(altera_avalon_dma) {
  UG-01085 {burstEnable true|false maxBurstSize {\d+} lengthwidth {\d+} fifoDepth {\d+}
    useRegistersForFIFO true|false allowByteTransactions true|false allowHalfWordTransactions true|false
    allowWordTransactions true|false allowDoubleWordTransactions true|false
    allowQuadWordTransactions true|false}
  {clk clock-in reset reset-in control_port_slave slave read_master master write_master master}
}
set ips(datra_axi3) {
  hw.tcl {DATA_W 32|64|128 ID_W {\d+} DMA_DATA_W 32|64|128 ASYNC 0|1 CLOCK_HZ {\d+}}
  {aclk clock-in aresetn reset-in fabric_clk clock-in fabric_resetn reset-in s_axi slave m_axi master irq irq-out}
}

set ips(xilinx.com:ip:processing_system7:5.5) {
  PG082 {PCW_USE_M_AXI_GP0 0|1 PCW_USE_M_AXI_GP1 0|1 PCW_USE_S_AXI_HP0 0|1 PCW_USE_S_AXI_ACP 0|1
    PCW_S_AXI_HP0_DATA_WIDTH 32|64 PCW_USE_FABRIC_INTERRUPT 0|1 PCW_IRQ_F2P_INTR 0|1
    PCW_FPGA0_PERIPHERAL_FREQMHZ {\d+}}
  {M_AXI_GP0 master M_AXI_GP1 master S_AXI_HP0 slave S_AXI_ACP slave FCLK_CLK0 out FCLK_RESET0_N out
    M_AXI_GP0_ACLK in M_AXI_GP1_ACLK in S_AXI_HP0_ACLK in S_AXI_ACP_ACLK in IRQ_F2P in}
}
set ips(xilinx.com:ip:proc_sys_reset:5.0) {
  PG164 {} {slowest_sync_clk in ext_reset_in in peripheral_aresetn out}
}
set ips(xilinx.com:ip:smartconnect:1.0) {
  PG247 {NUM_SI {\d+} NUM_MI {\d+}} {aclk in aresetn in S00_AXI slave M00_AXI master}
}
set ips(xilinx.com:ip:axi_bram_ctrl:4.1) {
  PG078 {DATA_WIDTH 32|64|128|256|512|1024 SINGLE_PORT_BRAM 0|1}
  {s_axi_aclk in s_axi_aresetn in S_AXI slave BRAM_PORTA master}
}
set ips(xilinx.com:ip:blk_mem_gen:8.4) {
  PG058 {Memory_Type Single_Port_RAM|True_Dual_Port_RAM} {BRAM_PORTA slave}
}
set ips(weighbridge:user:datra_axi3:1.0) {
  component.xml {DATA_W 32|64|128 ID_W {\d+} DMA_DATA_W 32|64|128 DMA_AXCACHE {\d+} ASYNC 0|1 CLOCK_HZ {\d+}}
  {aclk in aresetn in fabric_clk in fabric_resetn in s_axi slave m_axi master irq out}
}
# Of Vivado's address segments none but ours is named in a manual.
set segments {bram/S_AXI/Mem0 unverified ps/S_AXI_HP0/HP0_DDR_LOWOCM unverified
  ps/S_AXI_ACP/ACP_DDR_LOWOCM unverified datra/s_axi/registers component.xml}
