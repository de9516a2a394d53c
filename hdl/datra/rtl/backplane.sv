// SPDX-License-Identifier: Apache-2.0

// All that nodes have in common: the register bus behind an AXI slave, the control page, the router.
//
// Address map, 2 MiB: control page at 0, page of node n at 0x800 * (n + 1), its window of 64 KiB at
// 0x10000 * (n + 1). What no node answers reads 0.
//
// Nodes are given by their numbers of queues, and attach to vectors: queue q of node n is entry
// 4 * n + q; entries of queues that a node does not have are ignored, or 0. `in_` is into the node and
// `out_` out of it. `in_flush` discards what the router holds for a queue; keep it up for a cycle.
// Streams are of beats of STREAM_W bits: up to so many words of one user signal, side by side from lane 0
// on, as `keep` says, of which bit 0 is always set. A node whose ports are narrower (WIDTHS) uses the
// lowest lanes of its entries: what it sends goes as it is, and what is sent to it comes in as many beats
// as it takes. Nothing waits to be made into wider beats, so that no word waits for another.
//
// `node_irq` is a level that follows a write to the node's page by no more than two cycles.
`default_nettype none
module backplane #(
    parameter int unsigned NODES = 6,
    parameter logic [4*NODES-1:0] INPUTS = 24'h444114,  // queues, four bits for each node
    parameter logic [4*NODES-1:0] OUTPUTS = 24'h444014,
    parameter int unsigned STREAM_W = 32,
    parameter logic [4*NODES-1:0] WIDTHS = {NODES{4'd1}},  // words of a beat at each node's ports
    parameter int unsigned ROUTER_DEPTH = 32,  // beats
    parameter int unsigned DATA_W = 32,
    parameter int unsigned ID_W = 8,
    parameter logic [31:0] STATIC_ID = 32'h1,
    parameter logic [63:0] DEVICE_ID = 64'h0,
    parameter int unsigned ADDRESS_BITS = 32,
    parameter int unsigned CLOCK_HZ = 100_000_000,
    parameter int unsigned HOLDOFF = CLOCK_HZ / 100_000,
    localparam int unsigned Words = STREAM_W / 32,
    localparam int unsigned ADDR_W = 21
) (
    input wire clk,
    input wire rst,

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

    output wire irq,
    output wire irq_pulse,

    output wire [        15:0] bus_address,
    output wire                bus_window,  // the node's window, not its page
    output wire                bus_write,
    output wire [        31:0] bus_wdata,
    output wire [         3:0] bus_strobe,
    output wire [   NODES-1:0] bus_select,
    input  wire [   NODES-1:0] bus_done,
    input  wire [32*NODES-1:0] bus_rdata,
    input  wire [   NODES-1:0] bus_error,
    input  wire [   NODES-1:0] node_irq,

    input  wire [4*STREAM_W*NODES-1:0] out_data,
    input  wire [   4*Words*NODES-1:0] out_keep,
    input  wire [        64*NODES-1:0] out_user,
    input  wire [         4*NODES-1:0] out_valid,
    output wire [         4*NODES-1:0] out_ready,
    output wire [4*STREAM_W*NODES-1:0] in_data,
    output wire [   4*Words*NODES-1:0] in_keep,
    output wire [        64*NODES-1:0] in_user,
    output wire [         4*NODES-1:0] in_valid,
    input  wire [         4*NODES-1:0] in_ready,
    input  wire [         4*NODES-1:0] in_flush
);

  if (STREAM_W != 32 && STREAM_W != 64 && STREAM_W != 128)
    $fatal(0, "backplane: STREAM_W %0d", STREAM_W);

  // ---- register bus --------------------------------------------------------------------------------

  wire [ADDR_W-1:0] address;
  wire select, done, error;
  logic [31:0] rdata;

  axi_slave #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .ID_W  (ID_W)
  ) slave (
      .clk,
      .rst,
      .s_axi_awid,
      .s_axi_awaddr,
      .s_axi_awlen,
      .s_axi_awsize,
      .s_axi_awburst,
      .s_axi_awvalid,
      .s_axi_awready,
      .s_axi_wdata,
      .s_axi_wstrb,
      .s_axi_wlast,
      .s_axi_wvalid,
      .s_axi_wready,
      .s_axi_bid,
      .s_axi_bresp,
      .s_axi_bvalid,
      .s_axi_bready,
      .s_axi_arid,
      .s_axi_araddr,
      .s_axi_arlen,
      .s_axi_arsize,
      .s_axi_arburst,
      .s_axi_arvalid,
      .s_axi_arready,
      .s_axi_rid,
      .s_axi_rdata,
      .s_axi_rresp,
      .s_axi_rlast,
      .s_axi_rvalid,
      .s_axi_rready,
      .bus_address(address),
      .bus_write,
      .bus_wdata,
      .bus_strobe,
      .bus_select(select),
      .bus_done(done),
      .bus_rdata(rdata),
      .bus_error(error)
  );

  wire [4:0] owner = bus_window ? address[20:16] : address[15:11];  // node + 1
  assign bus_window  = address[20:16] != '0;
  assign bus_address = bus_window ? address[15:0] : {5'd0, address[10:0]};
  for (genvar n = 0; n < NODES; n++) begin : selects
    assign bus_select[n] = select && owner == 5'(n + 1);
  end

  wire control_select = select && owner == '0;
  wire control_done;
  wire [31:0] control_rdata;
  // With as many nodes as there are places nobody else can be asked.
  // verilator lint_off CMPCONST
  assign done = control_done || (bus_select & bus_done) != '0 || (select && owner > 5'(NODES));
  // verilator lint_on CMPCONST
  assign error = (bus_select & bus_error) != '0;
  always_comb begin
    rdata = control_select ? control_rdata : '0;
    for (int unsigned n = 0; n < NODES; n++)
      if (bus_select[n]) rdata = rdata | bus_rdata[32*n+:32];
  end

  wire [NODES-1:0] enable;
  wire [28*NODES-1:0] node_routes;
  wire routes_changed, routes_settled;

  control_page #(
      .NODES(NODES),
      .STATIC_ID(STATIC_ID),
      .DEVICE_ID(DEVICE_ID),
      .ADDRESS_BITS(ADDRESS_BITS),
      .CLOCK_HZ(CLOCK_HZ),
      .HOLDOFF(HOLDOFF)
  ) control (
      .clk,
      .rst,
      .bus_address,
      .bus_write,
      .bus_wdata,
      .bus_select(control_select),
      .bus_done(control_done),
      .bus_rdata(control_rdata),
      .word_read(select && done && !bus_write),
      .word_written(select && done && bus_write),
      .node_irq,
      .node_clear(select && done && bus_write && !bus_window && owner != '0 &&
                  bus_address[10:2] == datra_registers::CPU_IRQ_CLEAR[10:2]),
      .irq,
      .irq_pulse,
      .enable,
      .routes(node_routes),
      .routes_changed,
      .routes_settled
  );

  // ---- router: the queues that exist, without gaps -------------------------------------------------

  function automatic int unsigned count(input logic [4*NODES-1:0] queues, input int unsigned nodes);
    count = 0;
    for (int unsigned n = 0; n < nodes; n++) count = count + 32'(queues[4*n+:4]);
  endfunction

  localparam int unsigned Sources = count(OUTPUTS, NODES);
  localparam int unsigned Sinks = count(INPUTS, NODES);

  function automatic logic [7*Sinks-1:0] sink_routes();
    int unsigned d;
    d = 0;
    sink_routes = '0;
    for (int unsigned n = 0; n < NODES; n++)
      for (int unsigned q = 0; q < 4; q++)
        if (q < 32'(INPUTS[4*n+:4])) begin
          sink_routes[7*d+:7] = 7'(4 * (n + 1) + q);
          d = d + 1;
        end
  endfunction

  wire [7*Sources-1:0] routes;
  wire [Sources-1:0] source_enable, source_valid, source_ready;
  // A word of the router: the lanes, and all bits of `keep` but the first.
  localparam int unsigned BeatW = STREAM_W + Words - 1;
  wire [BeatW*Sources-1:0] source_data;
  wire [16*Sources-1:0] source_user;
  wire [Sinks-1:0] sink_enable, sink_valid, sink_ready, sink_flush;
  wire [BeatW*Sinks-1:0] sink_data;
  wire [16*Sinks-1:0] sink_user;

  for (genvar n = 0; n < NODES; n++) begin : node
    localparam int unsigned Width = 32'(WIDTHS[4*n+:4]);
    if ((Width != 1 && Width != 2 && Width != 4) || Width > Words)
      $fatal(0, "backplane: node %0d has ports of %0d words, STREAM_W is %0d", n, Width, STREAM_W);
    for (genvar q = 0; q < 4; q++) begin : queue
      localparam int unsigned K = 4 * n + q;
      if (q < OUTPUTS[4*n+:4]) begin : source
        localparam int unsigned S = count(OUTPUTS, n) + q;
        assign routes[7*S+:7] = node_routes[7*K+:7];
        assign source_enable[S] = enable[n];
        for (genvar w = 0; w < Words; w++) begin : word
          if (w < Width) begin : there
            assign source_data[BeatW*S+32*w+:32] = out_data[STREAM_W*K+32*w+:32];
          end else begin : none
            assign source_data[BeatW*S+32*w+:32] = '0;
          end
          if (w > 0) begin : keep
            assign source_data[BeatW*S+STREAM_W+w-1] = w < Width && out_keep[Words*K+w];
          end
        end
        assign source_user[16*S+:16] = out_user[16*K+:16];
        assign source_valid[S] = out_valid[K];
        assign out_ready[K] = source_ready[S];
      end else begin : no_source
        assign out_ready[K] = 1'b0;
      end
      if (q < INPUTS[4*n+:4]) begin : sink
        localparam int unsigned D = count(INPUTS, n) + q;
        assign sink_enable[D] = enable[n];
        assign sink_flush[D] = in_flush[K];
        wire [Words-1:0] keep;
        assign keep[0] = 1'b1;
        for (genvar w = 1; w < Words; w++) begin : word
          assign keep[w] = sink_data[BeatW*D+STREAM_W+w-1];
        end
        if (Width == Words) begin : whole
          assign sink_ready[D] = in_ready[K];
          assign in_data[STREAM_W*K+:STREAM_W] = sink_data[BeatW*D+:STREAM_W];
          assign in_keep[Words*K+:Words] = keep;
          assign in_user[16*K+:16] = sink_user[16*D+:16];
          assign in_valid[K] = sink_valid[D];
        end else begin : narrower
          beat_split #(
              .DATA_W(STREAM_W),
              .STREAM_W(32 * Width)
          ) split (
              .clk,
              .rst(rst || in_flush[K]),
              .s_data(sink_data[BeatW*D+:STREAM_W]),
              .s_keep(keep),
              .s_user(sink_user[16*D+:16]),
              .s_valid(sink_valid[D]),
              .s_ready(sink_ready[D]),
              .m_data(in_data[STREAM_W*K+:32*Width]),
              .m_keep(in_keep[Words*K+:Width]),
              .m_user(in_user[16*K+:16]),
              .m_valid(in_valid[K]),
              .m_ready(in_ready[K])
          );
          assign in_data[STREAM_W*K+32*Width+:STREAM_W-32*Width] = '0;
          assign in_keep[Words*K+Width+:Words-Width] = '0;
        end
      end else begin : no_sink
        assign in_data[STREAM_W*K+:STREAM_W] = '0;
        assign in_keep[Words*K+:Words] = '0;
        assign in_user[16*K+:16] = '0;
        assign in_valid[K] = 1'b0;
      end
    end
  end

  router #(
      .SOURCES(Sources),
      .SINKS(Sinks),
      .DATA_W(BeatW),
      .DEPTH(ROUTER_DEPTH),
      .SINK_ROUTE(sink_routes())
  ) crossbar (
      .clk,
      .rst,
      .routes,
      .changed(routes_changed),
      .settled(routes_settled),
      .source_enable,
      .out_data(source_data),
      .out_user(source_user),
      .out_valid(source_valid),
      .out_ready(source_ready),
      .sink_enable,
      .flush(sink_flush),
      .in_data(sink_data),
      .in_user(sink_user),
      .in_valid(sink_valid),
      .in_ready(sink_ready)
  );

endmodule
`default_nettype wire
