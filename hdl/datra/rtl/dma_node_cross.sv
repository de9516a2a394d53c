// SPDX-License-Identifier: Apache-2.0

// A DMA node on the backplane, with its AXI master in the clock of the bus.
//
// The node is in `clk`. With ASYNC its AXI channels cross to `axi_clk`; without, they pass straight
// through, and `axi_clk` is not used. The node has no window: an access to it reads as 0.
//
// The AXI port is complete for AXI4: bursts are incrementing, and the upper half of a length is 0.
`default_nettype none
module dma_node_cross #(
    parameter bit ASYNC = 1'b0,
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned STREAM_W = 32,  // see dma_node
    parameter int unsigned FIFO_DEPTH = 512,
    parameter int unsigned AW_LEAD = 1,
    parameter bit [3:0] AXCACHE = 4'b0011,
    parameter bit REALIGN = 1'b0,
    parameter bit CUT_THROUGH = 1'b0,
    parameter int unsigned BURST = 16,
    parameter int unsigned FRAMES = 32,
    parameter int unsigned STATUS_BURSTS = 1
) (
    input wire clk,
    input wire rst,
    input wire axi_clk,
    input wire axi_rst,

    input  wire [10:0] bus_address,
    input  wire        bus_window,
    input  wire        bus_write,
    input  wire [31:0] bus_wdata,
    input  wire [ 3:0] bus_strobe,
    input  wire        bus_select,
    output wire        bus_done,
    output wire [31:0] bus_rdata,
    output wire        bus_error,
    output wire        irq,

    output wire [   STREAM_W-1:0] m_data,
    output wire [STREAM_W/32-1:0] m_keep,
    output wire [           15:0] m_user,
    output wire                   m_valid,
    input  wire                   m_ready,
    input  wire [   STREAM_W-1:0] s_data,
    input  wire [STREAM_W/32-1:0] s_keep,
    input  wire [           15:0] s_user,
    input  wire                   s_valid,
    output wire                   s_ready,
    output wire                   s_flush,

    output wire [         1:0] m_axi_arid,
    output wire [  ADDR_W-1:0] m_axi_araddr,
    output wire [         7:0] m_axi_arlen,
    output wire [         2:0] m_axi_arsize,
    output wire [         1:0] m_axi_arburst,
    output wire [         3:0] m_axi_arcache,
    output wire [         2:0] m_axi_arprot,
    output wire [         7:0] m_axi_aruser,
    output wire                m_axi_arvalid,
    input  wire                m_axi_arready,
    input  wire [         1:0] m_axi_rid,
    input  wire [  DATA_W-1:0] m_axi_rdata,
    input  wire [         1:0] m_axi_rresp,
    input  wire                m_axi_rlast,
    input  wire                m_axi_rvalid,
    output wire                m_axi_rready,
    output wire [         1:0] m_axi_awid,
    output wire [  ADDR_W-1:0] m_axi_awaddr,
    output wire [         7:0] m_axi_awlen,
    output wire [         2:0] m_axi_awsize,
    output wire [         1:0] m_axi_awburst,
    output wire [         3:0] m_axi_awcache,
    output wire [         2:0] m_axi_awprot,
    output wire [         7:0] m_axi_awuser,
    output wire                m_axi_awvalid,
    input  wire                m_axi_awready,
    output wire [         1:0] m_axi_wid,      // AXI3
    output wire [  DATA_W-1:0] m_axi_wdata,
    output wire [DATA_W/8-1:0] m_axi_wstrb,
    output wire                m_axi_wlast,
    output wire                m_axi_wvalid,
    input  wire                m_axi_wready,
    input  wire [         1:0] m_axi_bid,
    input  wire [         1:0] m_axi_bresp,
    input  wire                m_axi_bvalid,
    output wire                m_axi_bready
);

  localparam int unsigned BurstW = BURST > 16 ? 8 : 4;  // of AxLEN
  localparam int unsigned AxW = 2 + ADDR_W + BurstW + 3 + 4 + 3 + 8;
  localparam bit [2:0] BeatSize = 3'($clog2(DATA_W / 8));

  wire node_done, node_error;
  wire [31:0] node_rdata;
  wire [1:0] arid, rid, rresp, awid, wid, bid, bresp;
  wire [ADDR_W-1:0] araddr, awaddr;
  wire [BurstW-1:0] arlen, awlen, taken_arlen, taken_awlen;
  wire [3:0] arcache, awcache;
  wire [2:0] arprot, awsize, awprot;
  wire [7:0] aruser, awuser;
  wire [DATA_W-1:0] rdata, wdata;
  wire [DATA_W/8-1:0] wstrb;
  wire arvalid, arready, rlast, rvalid, rready;
  wire awvalid, awready, wlast, wvalid, wready, bvalid, bready;

  dma_node #(
      .ADDR_W(ADDR_W),
      .DATA_W(DATA_W),
      .STREAM_W(STREAM_W),
      .FIFO_DEPTH(FIFO_DEPTH),
      .AW_LEAD(AW_LEAD),
      .AXCACHE(AXCACHE),
      .REALIGN(REALIGN),
      .CUT_THROUGH(CUT_THROUGH),
      .BURST(BURST),
      .FRAMES(FRAMES),
      .STATUS_BURSTS(STATUS_BURSTS)
  ) node (
      .clk,
      .rst,
      .bus_address,
      .bus_write,
      .bus_wdata,
      .bus_strobe,
      .bus_select(bus_select && !bus_window),
      .bus_done(node_done),
      .bus_rdata(node_rdata),
      .bus_error(node_error),
      .irq,
      .m_data,
      .m_keep,
      .m_user,
      .m_valid,
      .m_ready,
      .s_data,
      .s_keep,
      .s_user,
      .s_valid,
      .s_ready,
      .s_flush,
      .axi_arid(arid),
      .axi_araddr(araddr),
      .axi_arlen(arlen),
      .axi_arcache(arcache),
      .axi_arprot(arprot),
      .axi_aruser(aruser),
      .axi_arvalid(arvalid),
      .axi_arready(arready),
      .axi_rid(rid),
      .axi_rdata(rdata),
      .axi_rresp(rresp),
      .axi_rlast(rlast),
      .axi_rvalid(rvalid),
      .axi_rready(rready),
      .axi_awid(awid),
      .axi_awaddr(awaddr),
      .axi_awlen(awlen),
      .axi_awsize(awsize),
      .axi_awcache(awcache),
      .axi_awprot(awprot),
      .axi_awuser(awuser),
      .axi_awvalid(awvalid),
      .axi_awready(awready),
      .axi_wid(wid),
      .axi_wdata(wdata),
      .axi_wstrb(wstrb),
      .axi_wlast(wlast),
      .axi_wvalid(wvalid),
      .axi_wready(wready),
      .axi_bid(bid),
      .axi_bresp(bresp),
      .axi_bvalid(bvalid),
      .axi_bready(bready)
  );

  axi_cross #(
      .ASYNC(ASYNC),
      .AX_W(AxW),
      .W_W(2 + DATA_W + DATA_W / 8),
      .B_W(4),
      .R_W(DATA_W + 5)
  ) master_side (
      .s_clk(clk),
      .s_rst(rst),
      .s_aw({awid, awaddr, awlen, awsize, awcache, awprot, awuser}),
      .s_awvalid(awvalid),
      .s_awready(awready),
      .s_w({wid, wstrb, wdata}),
      .s_wlast(wlast),
      .s_wvalid(wvalid),
      .s_wready(wready),
      .s_b({bid, bresp}),
      .s_bvalid(bvalid),
      .s_bready(bready),
      .s_ar({arid, araddr, arlen, BeatSize, arcache, arprot, aruser}),
      .s_arvalid(arvalid),
      .s_arready(arready),
      .s_r({rid, rdata, rresp, rlast}),
      .s_rvalid(rvalid),
      .s_rready(rready),
      .m_clk(axi_clk),
      .m_rst(axi_rst),
      .m_aw({
        m_axi_awid,
        m_axi_awaddr,
        taken_awlen,
        m_axi_awsize,
        m_axi_awcache,
        m_axi_awprot,
        m_axi_awuser
      }),
      .m_awvalid(m_axi_awvalid),
      .m_awready(m_axi_awready),
      .m_w({m_axi_wid, m_axi_wstrb, m_axi_wdata}),
      .m_wlast(m_axi_wlast),
      .m_wvalid(m_axi_wvalid),
      .m_wready(m_axi_wready),
      .m_b({m_axi_bid, m_axi_bresp}),
      .m_bvalid(m_axi_bvalid),
      .m_bready(m_axi_bready),
      .m_ar({
        m_axi_arid,
        m_axi_araddr,
        taken_arlen,
        m_axi_arsize,
        m_axi_arcache,
        m_axi_arprot,
        m_axi_aruser
      }),
      .m_arvalid(m_axi_arvalid),
      .m_arready(m_axi_arready),
      .m_r({m_axi_rid, m_axi_rdata, m_axi_rresp, m_axi_rlast}),
      .m_rvalid(m_axi_rvalid),
      .m_rready(m_axi_rready)
  );

  assign bus_done  = bus_window ? bus_select : node_done;
  assign bus_rdata = bus_window ? '0 : node_rdata;
  assign bus_error = !bus_window && node_error;

  assign m_axi_arburst = 2'b01;
  assign m_axi_arlen = 8'(taken_arlen);
  assign m_axi_awburst = 2'b01;
  assign m_axi_awlen = 8'(taken_awlen);

endmodule
`default_nettype wire
