// SPDX-License-Identifier: Apache-2.0

// The reference configuration: the nodes that existing applications expect.
//
//   node 0            CPU node, four FIFOs each way
//   1 .. DMA_NODES    DMA nodes, one stream each way
//   then              sink (type 7), two four-lane adders, test node
//
// The numbers of queues below are the one place where the configuration is given: the router, the
// routes and the node counts follow from them.
//
// A DMA node is attached from outside: register page and window (`bus_*`, with `dma_select` as its
// own), stream into it (`dma_in_*`) and out of it, interrupt. `dma_in_flush` discards what the router
// holds for it; a reset of its stream to memory keeps that up for a cycle at least.
module datra #(
    parameter int unsigned DMA_NODES = 1,
    parameter int unsigned DATA_W = 32,
    parameter int unsigned ID_W = 8,
    parameter int unsigned FIFO_DEPTH = 512,  // words of each FIFO of the CPU node
    parameter int unsigned ROUTER_DEPTH = 32,
    parameter logic [31:0] STATIC_ID = 32'h1,
    parameter logic [63:0] DEVICE_ID = 64'h0,
    parameter int unsigned ADDRESS_BITS = 32,
    parameter int unsigned CLOCK_HZ = 100_000_000,
    parameter int unsigned HOLDOFF = CLOCK_HZ / 100_000,
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

    output wire irq,        // level
    output wire irq_pulse,  // for a message

    output wire [            15:0] bus_address,
    output wire                    bus_window,
    output wire                    bus_write,
    output wire [            31:0] bus_wdata,
    output wire [             3:0] bus_strobe,
    output wire [   DMA_NODES-1:0] dma_select,
    input  wire [   DMA_NODES-1:0] dma_done,
    input  wire [32*DMA_NODES-1:0] dma_rdata,
    input  wire [   DMA_NODES-1:0] dma_error,
    input  wire [   DMA_NODES-1:0] dma_irq,

    output wire [32*DMA_NODES-1:0] dma_in_data,
    output wire [16*DMA_NODES-1:0] dma_in_user,
    output wire [   DMA_NODES-1:0] dma_in_valid,
    input  wire [   DMA_NODES-1:0] dma_in_ready,
    input  wire [   DMA_NODES-1:0] dma_in_flush,
    input  wire [32*DMA_NODES-1:0] dma_out_data,
    input  wire [16*DMA_NODES-1:0] dma_out_user,
    input  wire [   DMA_NODES-1:0] dma_out_valid,
    output wire [   DMA_NODES-1:0] dma_out_ready
);

  localparam int unsigned Sink = DMA_NODES + 1;
  localparam int unsigned Adder = Sink + 1;  // and the next
  localparam int unsigned Test = Adder + 2;
  localparam int unsigned Nodes = Test + 1;
  localparam logic [4*Nodes-1:0] Inputs = {4'd4, 4'd4, 4'd4, 4'd1, {DMA_NODES{4'd1}}, 4'd4};
  localparam logic [4*Nodes-1:0] Outputs = {4'd4, 4'd4, 4'd4, 4'd0, {DMA_NODES{4'd1}}, 4'd4};

  initial begin
    if (DMA_NODES < 1 || DMA_NODES > 26) $fatal(0, "datra: DMA_NODES %0d", DMA_NODES);
  end

  wire [Nodes-1:0] bus_select, bus_done, bus_error, node_irq;
  wire [32*Nodes-1:0] bus_rdata;
  wire [128*Nodes-1:0] out_data, in_data;
  wire [64*Nodes-1:0] out_user, in_user;
  wire [4*Nodes-1:0] out_valid, out_ready, in_valid, in_ready, in_flush;

  backplane #(
      .NODES(Nodes),
      .INPUTS(Inputs),
      .OUTPUTS(Outputs),
      .ROUTER_DEPTH(ROUTER_DEPTH),
      .DATA_W(DATA_W),
      .ID_W(ID_W),
      .STATIC_ID(STATIC_ID),
      .DEVICE_ID(DEVICE_ID),
      .ADDRESS_BITS(ADDRESS_BITS),
      .CLOCK_HZ(CLOCK_HZ),
      .HOLDOFF(HOLDOFF)
  ) fabric (
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
      .irq,
      .irq_pulse,
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
      .out_data,
      .out_user,
      .out_valid,
      .out_ready,
      .in_data,
      .in_user,
      .in_valid,
      .in_ready,
      .in_flush
  );

  // ---- node 0: processor ---------------------------------------------------------------------------

  cpu_node #(
      .DEPTH(FIFO_DEPTH)
  ) cpu (
      .clk,
      .rst,
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
    assign dma_select[i] = bus_select[N];
    assign bus_done[N] = dma_done[i];
    assign bus_rdata[32*N+:32] = dma_rdata[32*i+:32];
    assign bus_error[N] = dma_error[i];
    assign node_irq[N] = dma_irq[i];
    assign dma_in_data[32*i+:32] = in_data[128*N+:32];
    assign dma_in_user[16*i+:16] = in_user[64*N+:16];
    assign dma_in_valid[i] = in_valid[4*N];
    assign in_ready[4*N+:4] = {3'd0, dma_in_ready[i]};
    assign in_flush[4*N+:4] = {3'd0, dma_in_flush[i]};
    assign out_data[128*N+:128] = {96'd0, dma_out_data[32*i+:32]};
    assign out_user[64*N+:64] = {48'd0, dma_out_user[16*i+:16]};
    assign out_valid[4*N+:4] = {3'd0, dma_out_valid[i]};
    assign dma_out_ready[i] = out_ready[4*N];
  end

  // ---- sink ----------------------------------------------------------------------------------------

  sink_node sink (
      .clk,
      .rst,
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
        .rst,
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
      .rst,
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
