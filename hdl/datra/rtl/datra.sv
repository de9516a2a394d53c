// SPDX-License-Identifier: Apache-2.0

// The reference configuration: the nodes that existing applications expect.
//
//   node 0            CPU node, four FIFOs each way
//   1 .. DMA_NODES    DMA nodes, one stream each way
//   then              sink (an ICAP node), two four-lane adders, test node
//
// The numbers of queues below are the one place where the configuration is given: the router, the
// routes and the node counts follow from them.
//
// The AXI masters of the DMA nodes are the entries of `m_axi_*`, lowest node first. They speak AXI3 as
// well as AXI4: the upper half of a length is 0, and writes are not interleaved.
//
// With DMA_STREAM_W at DMA_DATA_W the router carries whole beats of the bus between DMA nodes, and to and
// from nodes of yours that have ports as wide. The other nodes here take and give a word a cycle.
//
// With ASYNC all AXI ports and the interrupt are in the clock `axi_clk`, and nodes and router are in
// `clk`; the two may have any ratio. Streams of 32 bits move a word in each cycle of `clk`, and a 64-bit
// bus moves two in each of its own, so that `clk` alone limits such a stream. Without ASYNC, `axi_clk` and
// `axi_rst` are not used. Either reset resets all. CLOCK_HZ and HOLDOFF count cycles of `clk`.
`default_nettype none
module datra #(
    parameter int unsigned DMA_NODES = 1,
    parameter bit ASYNC = 1'b0,
    parameter int unsigned DATA_W = 32,  // of the register port
    parameter int unsigned ID_W = 8,
    parameter int unsigned DMA_DATA_W = 64,
    parameter int unsigned DMA_STREAM_W = 32,  // of the DMA nodes' streams: at DMA_DATA_W at full rate
    parameter int unsigned DMA_ADDR_W = 32,
    parameter int unsigned DMA_FIFO_DEPTH = 512,  // beats of each direction
    parameter int unsigned DMA_AW_LEAD = 1,  // beats
    parameter bit [3:0] DMA_AXCACHE = 4'b0011,
    parameter bit DMA_REALIGN = 1'b0,  // frames of any number of bytes at any address
    parameter bit DMA_CUT_THROUGH = 1'b0,  // of writes
    parameter int unsigned DMA_BURST = 16,  // beats at most; AXI4 takes up to 256
    parameter int unsigned DMA_FRAMES = 32,  // open in each direction
    parameter int unsigned DMA_STATUS_BURSTS = 1,
    parameter int unsigned FIFO_DEPTH = 512,  // words of each FIFO of the CPU node
    parameter int unsigned ROUTER_DEPTH = 32,
    parameter logic [31:0] STATIC_ID = 32'h1,
    parameter logic [63:0] DEVICE_ID = 64'h0,
    parameter int unsigned CLOCK_HZ = 100_000_000,
    parameter int unsigned HOLDOFF = CLOCK_HZ / 100_000,
    localparam int unsigned ADDR_W = 21
) (
    input wire clk,
    input wire rst,
    input wire axi_clk,
    input wire axi_rst,

    input  wire [    ID_W-1:0] s_axi_awid,
    input  wire [  ADDR_W-1:0] s_axi_awaddr,
    input  wire [         7:0] s_axi_awlen,
    input  wire [         2:0] s_axi_awsize,
    input  wire [         1:0] s_axi_awburst,
    input  wire                s_axi_awvalid,
    output wire                s_axi_awready,
    input  wire [  DATA_W-1:0] s_axi_wdata,
    input  wire [DATA_W/8-1:0] s_axi_wstrb,
    input  wire                s_axi_wlast,
    input  wire                s_axi_wvalid,
    output wire                s_axi_wready,
    output wire [    ID_W-1:0] s_axi_bid,
    output wire [         1:0] s_axi_bresp,
    output wire                s_axi_bvalid,
    input  wire                s_axi_bready,
    input  wire [    ID_W-1:0] s_axi_arid,
    input  wire [  ADDR_W-1:0] s_axi_araddr,
    input  wire [         7:0] s_axi_arlen,
    input  wire [         2:0] s_axi_arsize,
    input  wire [         1:0] s_axi_arburst,
    input  wire                s_axi_arvalid,
    output wire                s_axi_arready,
    output wire [    ID_W-1:0] s_axi_rid,
    output wire [  DATA_W-1:0] s_axi_rdata,
    output wire [         1:0] s_axi_rresp,
    output wire                s_axi_rlast,
    output wire                s_axi_rvalid,
    input  wire                s_axi_rready,

    output wire irq,        // level
    output wire irq_pulse,  // for a message

    output wire [           2*DMA_NODES-1:0] m_axi_arid,
    output wire [  DMA_ADDR_W*DMA_NODES-1:0] m_axi_araddr,
    output wire [           8*DMA_NODES-1:0] m_axi_arlen,
    output wire [           3*DMA_NODES-1:0] m_axi_arsize,
    output wire [           2*DMA_NODES-1:0] m_axi_arburst,
    output wire [           4*DMA_NODES-1:0] m_axi_arcache,
    output wire [           3*DMA_NODES-1:0] m_axi_arprot,
    output wire [           8*DMA_NODES-1:0] m_axi_aruser,
    output wire [             DMA_NODES-1:0] m_axi_arvalid,
    input  wire [             DMA_NODES-1:0] m_axi_arready,
    input  wire [           2*DMA_NODES-1:0] m_axi_rid,
    input  wire [  DMA_DATA_W*DMA_NODES-1:0] m_axi_rdata,
    input  wire [           2*DMA_NODES-1:0] m_axi_rresp,
    input  wire [             DMA_NODES-1:0] m_axi_rlast,
    input  wire [             DMA_NODES-1:0] m_axi_rvalid,
    output wire [             DMA_NODES-1:0] m_axi_rready,
    output wire [           2*DMA_NODES-1:0] m_axi_awid,
    output wire [  DMA_ADDR_W*DMA_NODES-1:0] m_axi_awaddr,
    output wire [           8*DMA_NODES-1:0] m_axi_awlen,
    output wire [           3*DMA_NODES-1:0] m_axi_awsize,
    output wire [           2*DMA_NODES-1:0] m_axi_awburst,
    output wire [           4*DMA_NODES-1:0] m_axi_awcache,
    output wire [           3*DMA_NODES-1:0] m_axi_awprot,
    output wire [           8*DMA_NODES-1:0] m_axi_awuser,
    output wire [             DMA_NODES-1:0] m_axi_awvalid,
    input  wire [             DMA_NODES-1:0] m_axi_awready,
    output wire [           2*DMA_NODES-1:0] m_axi_wid,      // AXI3
    output wire [  DMA_DATA_W*DMA_NODES-1:0] m_axi_wdata,
    output wire [DMA_NODES*DMA_DATA_W/8-1:0] m_axi_wstrb,
    output wire [             DMA_NODES-1:0] m_axi_wlast,
    output wire [             DMA_NODES-1:0] m_axi_wvalid,
    input  wire [             DMA_NODES-1:0] m_axi_wready,
    input  wire [           2*DMA_NODES-1:0] m_axi_bid,
    input  wire [           2*DMA_NODES-1:0] m_axi_bresp,
    input  wire [             DMA_NODES-1:0] m_axi_bvalid,
    output wire [             DMA_NODES-1:0] m_axi_bready
);

  localparam int unsigned Sink = DMA_NODES + 1;
  localparam int unsigned Adder = Sink + 1;  // and the next
  localparam int unsigned Test = Adder + 2;
  localparam int unsigned Nodes = Test + 1;
  localparam logic [4*Nodes-1:0] Inputs = {4'd4, 4'd4, 4'd4, 4'd1, {DMA_NODES{4'd1}}, 4'd4};
  localparam int unsigned Words = DMA_STREAM_W / 32;
  localparam logic [4*Nodes-1:0] Widths = {{4{4'd1}}, {DMA_NODES{4'(Words)}}, 4'd1};
  localparam logic [4*Nodes-1:0] Outputs = {4'd4, 4'd4, 4'd4, 4'd0, {DMA_NODES{4'd1}}, 4'd4};

  if (DMA_NODES < 1 || DMA_NODES > 26) $fatal(0, "datra: DMA_NODES %0d", DMA_NODES);

  // ---- the clock of the bus ------------------------------------------------------------------------

  localparam int unsigned SlaveAxW = ID_W + ADDR_W + 8 + 3 + 2;
  wire bus_clk = ASYNC ? axi_clk : clk;
  wire bus_reset, reset, irq_level, irq_mark;

  irq_cross #(
      .ASYNC(ASYNC)
  ) interrupt (
      .from_clk(clk),
      .from_rst(rst),
      .from_reset(reset),
      .level(irq_level),
      .pulse(irq_mark),
      .to_clk(bus_clk),
      .to_rst(axi_rst),
      .to_reset(bus_reset),
      .to_level(irq),
      .to_pulse(irq_pulse)
  );

  wire [ID_W-1:0] slave_awid, slave_bid, slave_arid, slave_rid;
  wire [ADDR_W-1:0] slave_awaddr, slave_araddr;
  wire [7:0] slave_awlen, slave_arlen;
  wire [2:0] slave_awsize, slave_arsize;
  wire [1:0] slave_awburst, slave_arburst, slave_bresp, slave_rresp;
  wire [DATA_W-1:0] slave_wdata, slave_rdata;
  wire [DATA_W/8-1:0] slave_wstrb;
  wire slave_awvalid, slave_awready, slave_wlast, slave_wvalid, slave_wready, slave_bvalid, slave_bready;
  wire slave_arvalid, slave_arready, slave_rlast, slave_rvalid, slave_rready;

  axi_cross #(
      .ASYNC(ASYNC),
      .AX_W(SlaveAxW),
      .W_W(DATA_W + DATA_W / 8),
      .B_W(ID_W + 2),
      .R_W(ID_W + DATA_W + 3)
  ) slave_side (
      .s_clk(bus_clk),
      .s_rst(bus_reset),
      .s_aw({s_axi_awid, s_axi_awaddr, s_axi_awlen, s_axi_awsize, s_axi_awburst}),
      .s_awvalid(s_axi_awvalid),
      .s_awready(s_axi_awready),
      .s_w({s_axi_wstrb, s_axi_wdata}),
      .s_wlast(s_axi_wlast),
      .s_wvalid(s_axi_wvalid),
      .s_wready(s_axi_wready),
      .s_b({s_axi_bid, s_axi_bresp}),
      .s_bvalid(s_axi_bvalid),
      .s_bready(s_axi_bready),
      .s_ar({s_axi_arid, s_axi_araddr, s_axi_arlen, s_axi_arsize, s_axi_arburst}),
      .s_arvalid(s_axi_arvalid),
      .s_arready(s_axi_arready),
      .s_r({s_axi_rid, s_axi_rdata, s_axi_rresp, s_axi_rlast}),
      .s_rvalid(s_axi_rvalid),
      .s_rready(s_axi_rready),
      .m_clk(clk),
      .m_rst(reset),
      .m_aw({slave_awid, slave_awaddr, slave_awlen, slave_awsize, slave_awburst}),
      .m_awvalid(slave_awvalid),
      .m_awready(slave_awready),
      .m_w({slave_wstrb, slave_wdata}),
      .m_wlast(slave_wlast),
      .m_wvalid(slave_wvalid),
      .m_wready(slave_wready),
      .m_b({slave_bid, slave_bresp}),
      .m_bvalid(slave_bvalid),
      .m_bready(slave_bready),
      .m_ar({slave_arid, slave_araddr, slave_arlen, slave_arsize, slave_arburst}),
      .m_arvalid(slave_arvalid),
      .m_arready(slave_arready),
      .m_r({slave_rid, slave_rdata, slave_rresp, slave_rlast}),
      .m_rvalid(slave_rvalid),
      .m_rready(slave_rready)
  );

  // ---- register bus and router ---------------------------------------------------------------------

  wire [15:0] bus_address;
  wire bus_window, bus_write;
  wire [31:0] bus_wdata;
  wire [3:0] bus_strobe;
  wire [Nodes-1:0] bus_select, bus_done, bus_error, node_irq;
  wire [32*Nodes-1:0] bus_rdata;
  // Beats of the fabric, of which a DMA node has all and the others have the lowest word.
  wire [4*DMA_STREAM_W*Nodes-1:0] out_beats, in_beats;
  wire [4*Words*Nodes-1:0] out_keep, in_keep;
  wire [128*Nodes-1:0] out_data, in_data;
  wire [64*Nodes-1:0] out_user, in_user;
  wire [4*Nodes-1:0] out_valid, out_ready, in_valid, in_ready, in_flush;

  backplane #(
      .NODES(Nodes),
      .INPUTS(Inputs),
      .OUTPUTS(Outputs),
      .STREAM_W(DMA_STREAM_W),
      .WIDTHS(Widths),
      .ROUTER_DEPTH(ROUTER_DEPTH),
      .DATA_W(DATA_W),
      .ID_W(ID_W),
      .STATIC_ID(STATIC_ID),
      .DEVICE_ID(DEVICE_ID),
      .ADDRESS_BITS(DMA_ADDR_W),
      .CLOCK_HZ(CLOCK_HZ),
      .HOLDOFF(HOLDOFF)
  ) fabric (
      .clk,
      .rst(reset),
      .s_axi_awid(slave_awid),
      .s_axi_awaddr(slave_awaddr),
      .s_axi_awlen(slave_awlen),
      .s_axi_awsize(slave_awsize),
      .s_axi_awburst(slave_awburst),
      .s_axi_awvalid(slave_awvalid),
      .s_axi_awready(slave_awready),
      .s_axi_wdata(slave_wdata),
      .s_axi_wstrb(slave_wstrb),
      .s_axi_wlast(slave_wlast),
      .s_axi_wvalid(slave_wvalid),
      .s_axi_wready(slave_wready),
      .s_axi_bid(slave_bid),
      .s_axi_bresp(slave_bresp),
      .s_axi_bvalid(slave_bvalid),
      .s_axi_bready(slave_bready),
      .s_axi_arid(slave_arid),
      .s_axi_araddr(slave_araddr),
      .s_axi_arlen(slave_arlen),
      .s_axi_arsize(slave_arsize),
      .s_axi_arburst(slave_arburst),
      .s_axi_arvalid(slave_arvalid),
      .s_axi_arready(slave_arready),
      .s_axi_rid(slave_rid),
      .s_axi_rdata(slave_rdata),
      .s_axi_rresp(slave_rresp),
      .s_axi_rlast(slave_rlast),
      .s_axi_rvalid(slave_rvalid),
      .s_axi_rready(slave_rready),
      .irq(irq_level),
      .irq_pulse(irq_mark),
      .bus_address,
      .bus_window,
      .bus_write,
      .bus_wdata,
      .bus_strobe,
      .bus_select,
      .bus_done,
      .bus_rdata,
      .bus_error,
      .node_irq,
      .out_data(out_beats),
      .out_keep,
      .out_user,
      .out_valid,
      .out_ready,
      .in_data(in_beats),
      .in_keep,
      .in_user,
      .in_valid,
      .in_ready,
      .in_flush
  );

  for (genvar k = 0; k < 4 * Nodes; k++) begin : queue
    assign in_data[32*k+:32] = in_beats[DMA_STREAM_W*k+:32];
    if (k % 4 != 0 || k / 4 < 1 || k / 4 > DMA_NODES) begin : narrow
      assign out_beats[DMA_STREAM_W*k+:DMA_STREAM_W] = DMA_STREAM_W'(out_data[32*k+:32]);
      assign out_keep[Words*k+:Words] = Words'(1);
    end
  end

  // ---- node 0: processor ---------------------------------------------------------------------------

  cpu_node #(
      .DEPTH(FIFO_DEPTH)
  ) cpu (
      .clk,
      .rst(reset),
      .bus_address,
      .bus_window,
      .bus_write,
      .bus_wdata,
      .bus_select(bus_select[0]),
      .bus_done(bus_done[0]),
      .bus_rdata(bus_rdata[31:0]),
      .irq(node_irq[0]),
      .out_data(out_data[127:0]),
      .out_user(out_user[63:0]),
      .out_valid(out_valid[3:0]),
      .out_ready(out_ready[3:0]),
      .in_data(in_data[127:0]),
      .in_user(in_user[63:0]),
      .in_valid(in_valid[3:0]),
      .in_ready(in_ready[3:0]),
      .in_flush(in_flush[3:0])
  );
  assign bus_error[0] = 1'b0;

  // ---- DMA nodes -----------------------------------------------------------------------------------

  for (genvar i = 0; i < DMA_NODES; i++) begin : dma
    localparam int unsigned N = i + 1;
    dma_node_cross #(
        .ASYNC(ASYNC),
        .ADDR_W(DMA_ADDR_W),
        .DATA_W(DMA_DATA_W),
        .STREAM_W(DMA_STREAM_W),
        .FIFO_DEPTH(DMA_FIFO_DEPTH),
        .AW_LEAD(DMA_AW_LEAD),
        .AXCACHE(DMA_AXCACHE),
        .REALIGN(DMA_REALIGN),
        .CUT_THROUGH(DMA_CUT_THROUGH),
        .BURST(DMA_BURST),
        .FRAMES(DMA_FRAMES),
        .STATUS_BURSTS(DMA_STATUS_BURSTS)
    ) place (
        .clk,
        .rst(reset),
        .axi_clk(bus_clk),
        .axi_rst(bus_reset),
        .bus_address(bus_address[10:0]),
        .bus_window,
        .bus_write,
        .bus_wdata,
        .bus_strobe,
        .bus_select(bus_select[N]),
        .bus_done(bus_done[N]),
        .bus_rdata(bus_rdata[32*N+:32]),
        .bus_error(bus_error[N]),
        .irq(node_irq[N]),
        .m_data(out_beats[4*DMA_STREAM_W*N+:DMA_STREAM_W]),
        .m_keep(out_keep[4*Words*N+:Words]),
        .m_user(out_user[64*N+:16]),
        .m_valid(out_valid[4*N]),
        .m_ready(out_ready[4*N]),
        .s_data(in_beats[4*DMA_STREAM_W*N+:DMA_STREAM_W]),
        .s_keep(in_keep[4*Words*N+:Words]),
        .s_user(in_user[64*N+:16]),
        .s_valid(in_valid[4*N]),
        .s_ready(in_ready[4*N]),
        .s_flush(in_flush[4*N]),
        .m_axi_arid(m_axi_arid[2*i+:2]),
        .m_axi_araddr(m_axi_araddr[DMA_ADDR_W*i+:DMA_ADDR_W]),
        .m_axi_arlen(m_axi_arlen[8*i+:8]),
        .m_axi_arsize(m_axi_arsize[3*i+:3]),
        .m_axi_arburst(m_axi_arburst[2*i+:2]),
        .m_axi_arcache(m_axi_arcache[4*i+:4]),
        .m_axi_arprot(m_axi_arprot[3*i+:3]),
        .m_axi_aruser(m_axi_aruser[8*i+:8]),
        .m_axi_arvalid(m_axi_arvalid[i]),
        .m_axi_arready(m_axi_arready[i]),
        .m_axi_rid(m_axi_rid[2*i+:2]),
        .m_axi_rdata(m_axi_rdata[DMA_DATA_W*i+:DMA_DATA_W]),
        .m_axi_rresp(m_axi_rresp[2*i+:2]),
        .m_axi_rlast(m_axi_rlast[i]),
        .m_axi_rvalid(m_axi_rvalid[i]),
        .m_axi_rready(m_axi_rready[i]),
        .m_axi_awid(m_axi_awid[2*i+:2]),
        .m_axi_awaddr(m_axi_awaddr[DMA_ADDR_W*i+:DMA_ADDR_W]),
        .m_axi_awlen(m_axi_awlen[8*i+:8]),
        .m_axi_awsize(m_axi_awsize[3*i+:3]),
        .m_axi_awburst(m_axi_awburst[2*i+:2]),
        .m_axi_awcache(m_axi_awcache[4*i+:4]),
        .m_axi_awprot(m_axi_awprot[3*i+:3]),
        .m_axi_awuser(m_axi_awuser[8*i+:8]),
        .m_axi_awvalid(m_axi_awvalid[i]),
        .m_axi_awready(m_axi_awready[i]),
        .m_axi_wid(m_axi_wid[2*i+:2]),
        .m_axi_wdata(m_axi_wdata[DMA_DATA_W*i+:DMA_DATA_W]),
        .m_axi_wstrb(m_axi_wstrb[i*DMA_DATA_W/8+:DMA_DATA_W/8]),
        .m_axi_wlast(m_axi_wlast[i]),
        .m_axi_wvalid(m_axi_wvalid[i]),
        .m_axi_wready(m_axi_wready[i]),
        .m_axi_bid(m_axi_bid[2*i+:2]),
        .m_axi_bresp(m_axi_bresp[2*i+:2]),
        .m_axi_bvalid(m_axi_bvalid[i]),
        .m_axi_bready(m_axi_bready[i])
    );

    assign out_data[128*N+:128] = '0;
    assign out_user[64*N+16+:48] = '0;
    assign out_valid[4*N+1+:3] = '0;
    assign in_ready[4*N+1+:3] = '0;
    assign in_flush[4*N+1+:3] = '0;
  end

  // ---- sink ----------------------------------------------------------------------------------------

  sink_node sink (
      .clk,
      .rst(reset),
      .bus_address,
      .bus_window,
      .bus_write,
      .bus_wdata,
      .bus_select(bus_select[Sink]),
      .bus_done(bus_done[Sink]),
      .bus_rdata(bus_rdata[32*Sink+:32]),
      .in_data(in_data[128*Sink+:32]),
      .in_valid(in_valid[4*Sink]),
      .in_ready(in_ready[4*Sink]),
      .in_flush(in_flush[4*Sink])
  );
  assign bus_error[Sink] = 1'b0;
  assign node_irq[Sink] = 1'b0;
  assign in_ready[4*Sink+1+:3] = '0;
  assign in_flush[4*Sink+1+:3] = '0;
  assign out_data[128*Sink+:128] = '0;
  assign out_user[64*Sink+:64] = '0;
  assign out_valid[4*Sink+:4] = '0;

  // ---- adders --------------------------------------------------------------------------------------

  for (genvar i = 0; i < 2; i++) begin : adder
    localparam int unsigned N = Adder + i;
    adder_node node (
        .clk,
        .rst(reset),
        .bus_address,
        .bus_window,
        .bus_write,
        .bus_wdata,
        .bus_select(bus_select[N]),
        .bus_done(bus_done[N]),
        .bus_rdata(bus_rdata[32*N+:32]),
        .in_data(in_data[128*N+:128]),
        .in_user(in_user[64*N+:64]),
        .in_valid(in_valid[4*N+:4]),
        .in_ready(in_ready[4*N+:4]),
        .in_flush(in_flush[4*N+:4]),
        .out_data(out_data[128*N+:128]),
        .out_user(out_user[64*N+:64]),
        .out_valid(out_valid[4*N+:4]),
        .out_ready(out_ready[4*N+:4])
    );
    assign bus_error[N] = 1'b0;
    assign node_irq[N] = 1'b0;
  end

  // ---- test node -----------------------------------------------------------------------------------

  test_node test (
      .clk,
      .rst(reset),
      .bus_address,
      .bus_window,
      .bus_write,
      .bus_wdata,
      .bus_select(bus_select[Test]),
      .bus_done(bus_done[Test]),
      .bus_rdata(bus_rdata[32*Test+:32]),
      .in_data(in_data[128*Test+:128]),
      .in_valid(in_valid[4*Test+:4]),
      .in_ready(in_ready[4*Test+:4]),
      .in_flush(in_flush[4*Test+:4]),
      .out_data(out_data[128*Test+:128]),
      .out_user(out_user[64*Test+:64]),
      .out_valid(out_valid[4*Test+:4]),
      .out_ready(out_ready[4*Test+:4])
  );
  assign bus_error[Test] = 1'b0;
  assign node_irq[Test] = 1'b0;

endmodule
`default_nettype wire
