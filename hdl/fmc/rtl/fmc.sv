// SPDX-License-Identifier: Apache-2.0

// What a microcontroller finds on its memory bus: bridge, APB, device information, counters, and an
// Ethernet port by GMII. See registers/fmc.rdl for the map.
//
//   pins -- bridge -- root slice -- root split -+- 0x0_0000 split -+- 0x0400 information
//                                               |                  `- 0x1000 counters
//                                               +- 0x1_0000 slice -- split -+- 0x0000 receive FIFO
//                                               |                           `- 0x1000 transmit FIFO
//                                               `- 0x2_0000 Datra's CPU node, with DATRA 1: page, then window
//
// Registers in the way of APB are ROOT_UP, in the response at the root, and ETHERNET_DOWN, in the request
// of the Ethernet pages: with both, as published, a write is on APB for four clocks.
//
// `clk` is the memory bus's own clock, which runs on while the bus is idle, at least 31.25 MHz so that a
// frame never waits for a word; `launch_clk` is of its frequency. `rst` is of `clk`, `tx_rst` of `tx_clk`
// and `rx_rst` of `rx_clk`; all three must be active together for some clocks of each.
`default_nettype none
module fmc #(
    parameter int unsigned ADDR_W = 20,
    parameter bit AHEAD = 1,
    parameter bit ROOT_UP = 1,
    parameter bit ETHERNET_DOWN = 1,
    parameter int unsigned CLOCK_HZ = 137_500_000,
    parameter logic [63:0] SERIAL = 64'h0,
    parameter int unsigned TX_WORDS = 1024,
    parameter int unsigned RX_WORDS = 2048,
    parameter int unsigned PATIENCE = 8191,
    parameter bit DATRA = 0
) (
    input wire clk,
    input wire launch_clk,
    input wire rst,

    input  wire               fmc_ne,
    input  wire               fmc_nadv,
    input  wire               fmc_noe,
    input  wire               fmc_nwe,
    input  wire [        1:0] fmc_nbl,
    input  wire [ADDR_W-18:0] fmc_a,
    input  wire [       15:0] fmc_ad_in,
    output wire [       15:0] fmc_ad_out,
    output wire               fmc_ad_drive,
    output wire               fmc_nwait,

    input  wire link,
    output wire rx_ready, // a frame is in the receive FIFO

    input  wire       tx_clk,
    input  wire       tx_rst,
    output wire [7:0] gmii_txd,
    output wire       gmii_tx_en,
    output wire       gmii_tx_er,

    input wire       rx_clk,
    input wire       rx_rst,
    input wire [7:0] gmii_rxd,
    input wire       gmii_rx_dv,
    input wire       gmii_rx_er,

    // Queues of the CPU node, in `clk`.
    output wire         node_irq,
    output wire [127:0] node_out_data,
    output wire [ 63:0] node_out_user,
    output wire [  3:0] node_out_valid,
    input  wire [  3:0] node_out_ready,
    input  wire [127:0] node_in_data,
    input  wire [ 63:0] node_in_user,
    input  wire [  3:0] node_in_valid,
    output wire [  3:0] node_in_ready
);

  localparam int unsigned PathW = ADDR_W - 1;  // half the window
  // Of the blocks of 1 KiB.
  localparam int unsigned Info = 32'(fmc_registers::WINDOW_INFO) / 1024;
  localparam int unsigned Counters = 32'(fmc_registers::WINDOW_COUNTERS) / 1024;

  if (ADDR_W < 20 || ADDR_W > 32) $fatal(0, "fmc: ADDR_W %0d", ADDR_W);
  // The splits below are for these places.
  if (Info != 1 || Counters != 4 || fmc_registers::WINDOW_RECEIVE != 32'h10000 ||
      fmc_registers::WINDOW_TRANSMIT != 32'h11000 || fmc_registers::WINDOW_NODE_PAGE != 32'h20000 ||
      fmc_registers::WINDOW_NODE_WINDOW != 32'h21000)
    $fatal(0, "fmc: pages are elsewhere");

  // ---- bridge and root -------------------------------------------------------------------------------

  wire psel, penable, pwrite, pready, starts;
  wire [PathW-1:0] paddr;
  wire [31:0] pwdata, prdata;
  wire [3:0] pstrb;
  fmc_bridge #(
      .ADDR_W(ADDR_W),
      .AHEAD (AHEAD)
  ) bridge (
      .clk,
      .launch_clk,
      .rst,
      .fmc_ne,
      .fmc_nadv,
      .fmc_noe,
      .fmc_nwe,
      .fmc_nbl,
      .fmc_a,
      .fmc_ad_in,
      .fmc_ad_out,
      .fmc_ad_drive,
      .fmc_nwait,
      .psel,
      .penable,
      .pwrite,
      .paddr,
      .pwdata,
      .pstrb,
      .pready,
      .prdata,
      .starts
  );

  wire root_psel, root_penable, root_pwrite, root_pready, root_pslverr;
  wire [PathW-1:0] root_paddr;
  wire [31:0] root_pwdata, root_prdata;
  wire [3:0] root_pstrb;
  apb_slice #(
      .ADDR_W(PathW),
      .UP_REG(ROOT_UP),
      .DOWN_REG(0)
  ) root_slice (
      .clk,
      .rst,
      .psel,
      .penable,
      .pwrite,
      .paddr,
      .pwdata,
      .pstrb,
      .pready,
      .prdata,
      .pslverr(),
      .down_psel(root_psel),
      .down_penable(root_penable),
      .down_pwrite(root_pwrite),
      .down_paddr(root_paddr),
      .down_pwdata(root_pwdata),
      .down_pstrb(root_pstrb),
      .down_pready(root_pready),
      .down_prdata(root_prdata),
      .down_pslverr(root_pslverr)
  );

  wire slow_psel, slow_pready, slow_pslverr, port_psel, port_pready, port_pslverr, split_penable;
  wire [31:0] slow_prdata, port_prdata;
  wire node_psel, node_pready, node_pslverr;
  wire [31:0] node_prdata;
  apb_split #(
      .N(3),
      .ADDR_W(PathW),
      .BLOCK_W(16),
      .UNUSED({!DATRA, 2'b00})
  ) root (
      .paddr(root_paddr),
      .psel(root_psel),
      .penable(root_penable),
      .pready(root_pready),
      .prdata(root_prdata),
      .pslverr(root_pslverr),
      .down_psel({node_psel, port_psel, slow_psel}),
      .down_penable(split_penable),
      .down_pready({node_pready, port_pready, slow_pready}),
      .down_prdata({node_prdata, port_prdata, slow_prdata}),
      .down_pslverr({node_pslverr, port_pslverr, slow_pslverr})
  );

  // ---- information and counters ----------------------------------------------------------------------

  wire [Counters:0] block_psel;
  wire slow_penable, info_pready, info_pslverr, count_pready, count_pslverr;
  wire [31:0] info_prdata, count_prdata;
  apb_split #(
      .N(Counters + 1),
      .ADDR_W(16),
      .BLOCK_W(10),
      .UNUSED(5'b01101)
  ) slow (
      .paddr(root_paddr[15:0]),
      .psel(slow_psel),
      .penable(split_penable),
      .pready(slow_pready),
      .prdata(slow_prdata),
      .pslverr(slow_pslverr),
      .down_psel(block_psel),
      .down_penable(slow_penable),
      .down_pready({count_pready, 2'b00, info_pready, 1'b0}),
      .down_prdata({count_prdata, 64'd0, info_prdata, 32'd0}),
      .down_pslverr({count_pslverr, 2'b00, info_pslverr, 1'b0})
  );

  fmc_info #(
      .CLOCK_HZ(CLOCK_HZ),
      .SERIAL(SERIAL),
      .ADDRESS_BITS(ADDR_W),
      .AHEAD(AHEAD),
      .DATRA(DATRA)
  ) info (
      .clk,
      .rst,
      .psel(block_psel[Info]),
      .penable(slow_penable),
      .pwrite(root_pwrite),
      .paddr(root_paddr[9:0]),
      .pwdata(root_pwdata),
      .pstrb(root_pstrb),
      .pready(info_pready),
      .prdata(info_prdata),
      .pslverr(info_pslverr)
  );

  fmc_counters counters (
      .clk,
      .rst,
      .selected(!fmc_ne),
      .starts,
      .reads(penable && pready && !pwrite),
      .writes(penable && pready && pwrite),
      .active(penable),
      .psel(block_psel[Counters]),
      .penable(slow_penable),
      .pwrite(root_pwrite),
      .paddr({2'b00, root_paddr[9:0]}),
      .pwdata(root_pwdata),
      .pstrb(root_pstrb),
      .pready(count_pready),
      .prdata(count_prdata),
      .pslverr(count_pslverr)
  );

  // ---- Datra's CPU node ------------------------------------------------------------------------------

  generate
    if (DATRA) begin : g_node
      wire [15:0] bus_address;
      wire bus_window, bus_write, bus_select, bus_done;
      wire [31:0] bus_wdata, bus_rdata;
      apb_node port (
          .psel(node_psel),
          .penable(split_penable),
          .pwrite(root_pwrite),
          .paddr(root_paddr[15:0]),
          .pwdata(root_pwdata),
          .pstrb(root_pstrb),
          .pready(node_pready),
          .prdata(node_prdata),
          .pslverr(node_pslverr),
          .bus_address,
          .bus_window,
          .bus_write,
          .bus_wdata,
          .bus_select,
          .bus_done,
          .bus_rdata
      );
      cpu_node node (
          .clk,
          .rst,
          .bus_address,
          .bus_window,
          .bus_write,
          .bus_wdata,
          .bus_select,
          .bus_done,
          .bus_rdata,
          .irq(node_irq),
          .out_data(node_out_data),
          .out_user(node_out_user),
          .out_valid(node_out_valid),
          .out_ready(node_out_ready),
          .in_data(node_in_data),
          .in_user(node_in_user),
          .in_valid(node_in_valid),
          .in_ready(node_in_ready),
          .in_flush()
      );
    end else begin : g_node
      assign {node_pready, node_pslverr, node_prdata} = '0;
      assign {node_irq, node_out_data, node_out_user, node_out_valid, node_in_ready} = '0;
    end
  endgenerate

  // ---- Ethernet --------------------------------------------------------------------------------------

  wire e_psel, e_penable, e_pwrite, e_pready, e_pslverr;
  wire [15:0] e_paddr;
  wire [31:0] e_pwdata, e_prdata;
  wire [3:0] e_pstrb;
  apb_slice #(
      .ADDR_W(16),
      .UP_REG(0),
      .DOWN_REG(ETHERNET_DOWN)
  ) ethernet_slice (
      .clk,
      .rst,
      .psel(port_psel),
      .penable(split_penable),
      .pwrite(root_pwrite),
      .paddr(root_paddr[15:0]),
      .pwdata(root_pwdata),
      .pstrb(root_pstrb),
      .pready(port_pready),
      .prdata(port_prdata),
      .pslverr(port_pslverr),
      .down_psel(e_psel),
      .down_penable(e_penable),
      .down_pwrite(e_pwrite),
      .down_paddr(e_paddr),
      .down_pwdata(e_pwdata),
      .down_pstrb(e_pstrb),
      .down_pready(e_pready),
      .down_prdata(e_prdata),
      .down_pslverr(e_pslverr)
  );

  wire tx_psel, rx_psel, page_penable, tx_pready, rx_pready, tx_pslverr, rx_pslverr;
  wire [31:0] tx_prdata, rx_prdata;
  apb_split #(
      .N(2),
      .ADDR_W(16),
      .BLOCK_W(12)
  ) ethernet (
      .paddr(e_paddr),
      .psel(e_psel),
      .penable(e_penable),
      .pready(e_pready),
      .prdata(e_prdata),
      .pslverr(e_pslverr),
      .down_psel({tx_psel, rx_psel}),
      .down_penable(page_penable),
      .down_pready({tx_pready, rx_pready}),
      .down_prdata({tx_prdata, rx_prdata}),
      .down_pslverr({tx_pslverr, rx_pslverr})
  );

  wire [31:0] tx_tdata, out_tdata;
  wire [3:0] tx_tkeep, out_tkeep;
  wire tx_tlast, tx_tvalid, tx_tready, out_tlast, out_tvalid, out_tready;
  eth_transmit #(
      .WORDS(TX_WORDS),
      .PATIENCE(PATIENCE)
  ) transmit (
      .clk,
      .rst,
      .link,
      .psel(tx_psel),
      .penable(page_penable),
      .pwrite(e_pwrite),
      .paddr(e_paddr[11:0]),
      .pwdata(e_pwdata),
      .pstrb(e_pstrb),
      .pready(tx_pready),
      .prdata(tx_prdata),
      .pslverr(tx_pslverr),
      .m_axis_tdata(tx_tdata),
      .m_axis_tkeep(tx_tkeep),
      .m_axis_tlast(tx_tlast),
      .m_axis_tvalid(tx_tvalid),
      .m_axis_tready(tx_tready)
  );

  fifo_async #(
      .WIDTH(37),
      .DEPTH(16)
  ) tx_cross (
      .in_clk(clk),
      .in_rst(rst),
      .in_data({tx_tlast, tx_tkeep, tx_tdata}),
      .in_valid(tx_tvalid),
      .in_ready(tx_tready),
      .out_clk(tx_clk),
      .out_rst(tx_rst),
      .out_data({out_tlast, out_tkeep, out_tdata}),
      .out_valid(out_tvalid),
      .out_ready(out_tready)
  );

  mac_transmit mac_tx (
      .clk(tx_clk),
      .rst(tx_rst),
      .s_axis_tdata(out_tdata),
      .s_axis_tkeep(out_tkeep),
      .s_axis_tlast(out_tlast),
      .s_axis_tvalid(out_tvalid),
      .s_axis_tready(out_tready),
      .gmii_txd,
      .gmii_tx_en,
      .gmii_tx_er
  );

  wire [31:0] in_tdata, rx_tdata;
  wire [3:0] in_tkeep, rx_tkeep;
  wire in_tlast, in_tuser, in_tvalid, rx_tlast, rx_tuser, rx_tvalid;
  mac_receive mac_rx (
      .clk(rx_clk),
      .rst(rx_rst),
      .gmii_rxd,
      .gmii_rx_dv,
      .gmii_rx_er,
      .m_axis_tdata(in_tdata),
      .m_axis_tkeep(in_tkeep),
      .m_axis_tlast(in_tlast),
      .m_axis_tuser(in_tuser),
      .m_axis_tvalid(in_tvalid)
  );

  fifo_async #(
      .WIDTH(38),
      .DEPTH(16)
  ) rx_cross (
      .in_clk(rx_clk),
      .in_rst(rx_rst),
      .in_data({in_tuser, in_tlast, in_tkeep, in_tdata}),
      .in_valid(in_tvalid),
      .in_ready(),
      .out_clk(clk),
      .out_rst(rst),
      .out_data({rx_tuser, rx_tlast, rx_tkeep, rx_tdata}),
      .out_valid(rx_tvalid),
      .out_ready(1'b1)
  );

  eth_receive #(
      .WORDS(RX_WORDS)
  ) receive (
      .clk,
      .rst,
      .s_axis_tdata(rx_tdata),
      .s_axis_tkeep(rx_tkeep),
      .s_axis_tlast(rx_tlast),
      .s_axis_tuser(rx_tuser),
      .s_axis_tvalid(rx_tvalid),
      .psel(rx_psel),
      .penable(page_penable),
      .pwrite(e_pwrite),
      .paddr(e_paddr[11:0]),
      .pready(rx_pready),
      .prdata(rx_prdata),
      .pslverr(rx_pslverr),
      .ready(rx_ready)
  );

endmodule
`default_nettype wire
