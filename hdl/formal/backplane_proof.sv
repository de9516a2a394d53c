// SPDX-License-Identifier: Apache-2.0

// backplane, over a slave, a control page, a router and splitters that do anything; it has no state of its own:
//
//   - An access goes to the page or the window of the node that its address names, to the control page,
//     or to nobody, who answers 0 at once. The answer is that of whom was asked, and of no other.
//   - The control page is told of each access that ends, and of writes that end interrupts of a node.
//   - Queue q of node n is that source, or that sink, of the router that comes after those of all nodes
//     and queues before it, with its route, its name and its node's enable. A queue that is not there
//     is never ready and never sends.
//   - Of a port as wide as the fabric beats go as they are, of a narrower one its lowest lanes alone; what is
//     sent to it goes through a beat_split, here one that does anything, which its queue's flush resets.
//   - The bus is the slave's, the interrupt the control page's.
module backplane_proof #(
    parameter int unsigned NODES = 3,
    parameter logic [4*NODES-1:0] INPUTS = 12'h214,
    parameter logic [4*NODES-1:0] OUTPUTS = 12'h140,
    parameter int unsigned STREAM_W = 32,
    parameter logic [4*NODES-1:0] WIDTHS = 12'h111,
    parameter int unsigned DATA_W = 32,
    parameter int unsigned ID_W = 2,
    localparam int unsigned Words = STREAM_W / 32,
    localparam int unsigned BeatW = STREAM_W + Words - 1,
    localparam int unsigned ADDR_W = 21
) (
    input wire                 clk,
    input wire                 rst,
    input wire [     ID_W-1:0] s_axi_awid,
    input wire [   ADDR_W-1:0] s_axi_awaddr,
    input wire [          7:0] s_axi_awlen,
    input wire [          2:0] s_axi_awsize,
    input wire [          1:0] s_axi_awburst,
    input wire                 s_axi_awvalid,
    input wire [   DATA_W-1:0] s_axi_wdata,
    input wire [ DATA_W/8-1:0] s_axi_wstrb,
    input wire                 s_axi_wlast,
    input wire                 s_axi_wvalid,
    input wire                 s_axi_bready,
    input wire [     ID_W-1:0] s_axi_arid,
    input wire [   ADDR_W-1:0] s_axi_araddr,
    input wire [          7:0] s_axi_arlen,
    input wire [          2:0] s_axi_arsize,
    input wire [          1:0] s_axi_arburst,
    input wire                 s_axi_arvalid,
    input wire                 s_axi_rready,
    input wire [    NODES-1:0] bus_done,
    input wire [ 32*NODES-1:0] bus_rdata,
    input wire [    NODES-1:0] bus_error,
    input wire [    NODES-1:0] node_irq,
    input wire [4*STREAM_W*NODES-1:0] out_data,
    input wire [4*Words*NODES-1:0] out_keep,
    input wire [ 64*NODES-1:0] out_user,
    input wire [  4*NODES-1:0] out_valid,
    input wire [  4*NODES-1:0] in_ready,
    input wire [  4*NODES-1:0] in_flush
);

  wire s_axi_awready, s_axi_wready, s_axi_bvalid, s_axi_arready, s_axi_rlast, s_axi_rvalid;
  wire [ID_W-1:0] s_axi_bid, s_axi_rid;
  wire [1:0] s_axi_bresp, s_axi_rresp;
  wire [DATA_W-1:0] s_axi_rdata;
  wire irq, irq_pulse, bus_window, bus_write;
  wire [15:0] bus_address;
  wire [31:0] bus_wdata;
  wire [3:0] bus_strobe;
  wire [NODES-1:0] bus_select;
  wire [4*NODES-1:0] out_ready, in_valid;
  wire [4*STREAM_W*NODES-1:0] in_data;
  wire [4*Words*NODES-1:0] in_keep;
  wire [64*NODES-1:0] in_user;
  backplane #(
      .NODES(NODES),
      .INPUTS(INPUTS),
      .OUTPUTS(OUTPUTS),
      .STREAM_W(STREAM_W),
      .WIDTHS(WIDTHS),
      .DATA_W(DATA_W),
      .ID_W(ID_W)
  ) dut (
      .*
  );

  // ---- accesses --------------------------------------------------------------------------------------

  wire on = dut.slave.bus_select;
  wire [ADDR_W-1:0] address = dut.slave.bus_address;
  // 0 the control page, else node + 1, whether it is there or not.
  wire [9:0] page = address[20:11];
  wire [4:0] asked = page < 10'd32 ? page[4:0] : address[20:16];
  wire [15:0] place = page < 10'd32 ? address[15:0] % 16'h800 : address[15:0];
  wire over = dut.slave.bus_done;

  logic there, done, wrong;
  logic [31:0] data;
  always_comb begin
    there = asked == '0;
    done = dut.control.bus_done;
    wrong = 1'b0;
    data = dut.control.bus_rdata;
    for (int unsigned n = 0; n < NODES; n++)
      if (asked == 5'(n + 1)) begin
        there = 1'b1;
        done = bus_done[n];
        wrong = bus_error[n];
        data = bus_rdata[32*n+:32];
      end
    // Who is not asked is silent: a page answers no other.
    assume (!dut.control.bus_done || dut.control.bus_select);
    assert (dut.control.bus_select == (on && asked == '0));
    for (int unsigned n = 0; n < NODES; n++)
      assert (bus_select[n] == (on && asked == 5'(n + 1)));
    if (on) begin
      assert (bus_address == place && dut.control.bus_address == place);
      assert (bus_window == (page >= 10'd32));
      assert (over == (!there || done));
      assert (dut.slave.bus_error == (there && wrong));
      assert (dut.slave.bus_rdata == (there ? data : '0));
    end
    assert (dut.control.word_read == (on && over && !bus_write));
    assert (dut.control.word_written == (on && over && bus_write));
    assert (dut.control.node_clear ==
            (on && over && bus_write && !bus_window && asked != '0 && place[10:2] == 9'(16'h2C / 4)));
    assert (bus_write == dut.slave.bus_write && bus_wdata == dut.slave.bus_wdata &&
            bus_strobe == dut.slave.bus_strobe);
    assert (dut.control.bus_write == bus_write && dut.control.bus_wdata == bus_wdata);
    assert (dut.control.node_irq == node_irq);
    assert (irq == dut.control.irq && irq_pulse == dut.control.irq_pulse);

    assert (dut.slave.rst == rst && dut.control.rst == rst && dut.crossbar.rst == rst);
    assert (dut.slave.s_axi_awid == s_axi_awid && dut.slave.s_axi_awaddr == s_axi_awaddr &&
            dut.slave.s_axi_awlen == s_axi_awlen && dut.slave.s_axi_awsize == s_axi_awsize &&
            dut.slave.s_axi_awburst == s_axi_awburst && dut.slave.s_axi_awvalid == s_axi_awvalid);
    assert (dut.slave.s_axi_wdata == s_axi_wdata && dut.slave.s_axi_wstrb == s_axi_wstrb &&
            dut.slave.s_axi_wlast == s_axi_wlast && dut.slave.s_axi_wvalid == s_axi_wvalid);
    assert (dut.slave.s_axi_arid == s_axi_arid && dut.slave.s_axi_araddr == s_axi_araddr &&
            dut.slave.s_axi_arlen == s_axi_arlen && dut.slave.s_axi_arsize == s_axi_arsize &&
            dut.slave.s_axi_arburst == s_axi_arburst && dut.slave.s_axi_arvalid == s_axi_arvalid);
    assert (dut.slave.s_axi_bready == s_axi_bready && dut.slave.s_axi_rready == s_axi_rready);
    assert (s_axi_awready == dut.slave.s_axi_awready && s_axi_wready == dut.slave.s_axi_wready &&
            s_axi_arready == dut.slave.s_axi_arready);
    assert (s_axi_bid == dut.slave.s_axi_bid && s_axi_bresp == dut.slave.s_axi_bresp &&
            s_axi_bvalid == dut.slave.s_axi_bvalid);
    assert (s_axi_rid == dut.slave.s_axi_rid && s_axi_rdata == dut.slave.s_axi_rdata &&
            s_axi_rresp == dut.slave.s_axi_rresp && s_axi_rlast == dut.slave.s_axi_rlast &&
            s_axi_rvalid == dut.slave.s_axi_rvalid);

    cover (on && over && !there && address == 21'h48000);
    cover (dut.control.node_clear && bus_select == 3'b010);
  end

  // ---- queues: 4 * node + queue of each source and sink ----------------------------------------------

  localparam bit [5*4-1:0] SourceOf = {4'd8, 4'd7, 4'd6, 4'd5, 4'd4};
  localparam bit [7*4-1:0] SinkOf = {4'd9, 4'd8, 4'd4, 4'd3, 4'd2, 4'd1, 4'd0};
  wire [4*NODES-1:0] sends, takes;  // the queues that there are
  assign sends = 12'b0001_1111_0000;
  assign takes = 12'b0011_0001_1111;

  for (genvar s = 0; s < 5; s++) begin : source
    localparam int unsigned K = 32'(SourceOf[4*s+:4]);
    localparam int unsigned Width = 32'(WIDTHS[K/4*4+:4]);
    always_comb begin
      assert (dut.crossbar.routes[7*s+:7] == dut.control.routes[7*K+:7]);
      assert (dut.crossbar.source_enable[s] == dut.control.enable[K/4]);
      for (int unsigned w = 0; w < Words; w++) begin
        if (w < Width)
          assert (dut.crossbar.out_data[BeatW*s+32*w+:32] == out_data[STREAM_W*K+32*w+:32]);
        if (w > 0)
          assert (dut.crossbar.out_data[BeatW*s+STREAM_W+w-1] == (w < Width && out_keep[Words*K+w]));
      end
      assert (dut.crossbar.out_user[16*s+:16] == out_user[16*K+:16]);
      assert (dut.crossbar.out_valid[s] == out_valid[K]);
      assert (out_ready[K] == dut.crossbar.out_ready[s]);
    end
  end
  for (genvar d = 0; d < 7; d++) begin : sink
    localparam int unsigned K = 32'(SinkOf[4*d+:4]);
    localparam int unsigned Width = 32'(WIDTHS[K/4*4+:4]);
    always_comb begin
      assert (dut.crossbar.named[7*d+:7] == 7'(K + 4));
      assert (dut.crossbar.sink_enable[d] == dut.control.enable[K/4]);
      assert (dut.crossbar.flush[d] == in_flush[K]);
    end
    wire [STREAM_W-1:0] lanes = dut.crossbar.in_data[BeatW*d+:STREAM_W];
    wire [Words-1:0] keep;
    assign keep[0] = 1'b1;
    for (genvar w = 1; w < Words; w++) begin : word
      assign keep[w] = dut.crossbar.in_data[BeatW*d+STREAM_W+w-1];
    end
    if (Width == Words) begin : whole
      always_comb begin
        assert (dut.crossbar.in_ready[d] == in_ready[K]);
        assert (in_data[STREAM_W*K+:STREAM_W] == lanes && in_keep[Words*K+:Words] == keep);
        assert (in_user[16*K+:16] == dut.crossbar.in_user[16*d+:16]);
        assert (in_valid[K] == dut.crossbar.in_valid[d]);
      end
    end else begin : narrower
      always_comb begin
        assert (dut.node[K/4].queue[K%4].sink.narrower.split.rst == (rst || in_flush[K]));
        assert (dut.node[K/4].queue[K%4].sink.narrower.split.s_data == lanes);
        assert (dut.node[K/4].queue[K%4].sink.narrower.split.s_keep == keep);
        assert (dut.node[K/4].queue[K%4].sink.narrower.split.s_user == dut.crossbar.in_user[16*d+:16]);
        assert (dut.node[K/4].queue[K%4].sink.narrower.split.s_valid == dut.crossbar.in_valid[d]);
        assert (dut.crossbar.in_ready[d] == dut.node[K/4].queue[K%4].sink.narrower.split.s_ready);
        assert (dut.node[K/4].queue[K%4].sink.narrower.split.m_ready == in_ready[K]);
        assert (in_data[STREAM_W*K+:STREAM_W] ==
                STREAM_W'(dut.node[K/4].queue[K%4].sink.narrower.split.m_data));
        assert (in_keep[Words*K+:Words] ==
                Words'(dut.node[K/4].queue[K%4].sink.narrower.split.m_keep));
        assert (in_user[16*K+:16] == dut.node[K/4].queue[K%4].sink.narrower.split.m_user);
        assert (in_valid[K] == dut.node[K/4].queue[K%4].sink.narrower.split.m_valid);
      end
    end
  end
  always_comb begin
    assert (dut.crossbar.changed == dut.control.routes_changed);
    assert (dut.control.routes_settled == dut.crossbar.settled);
    assert ((out_ready & ~sends) == '0 && (in_valid & ~takes) == '0);
    for (int unsigned k = 0; k < 4 * NODES; k++)
      if (!takes[k])
        assert (in_data[STREAM_W*k+:STREAM_W] == '0 && in_keep[Words*k+:Words] == '0 && in_user[16*k+:16] == '0);
  end

endmodule

// A slave, a page, a router and a splitter that do anything: no output has a driver.
module axi_slave #(
    parameter int unsigned DATA_W = 32,
    parameter int unsigned ADDR_W = 21,
    parameter int unsigned ID_W = 8
) (
    input  wire                clk,
    input  wire                rst,
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
    output wire [  ADDR_W-1:0] bus_address,
    output wire                bus_write,
    output wire [        31:0] bus_wdata,
    output wire [         3:0] bus_strobe,
    output wire                bus_select,
    input  wire                bus_done,
    input  wire [        31:0] bus_rdata,
    input  wire                bus_error
);
endmodule

module control_page #(
    parameter int unsigned NODES = 6,
    parameter logic [31:0] STATIC_ID = 32'h1,
    parameter logic [63:0] DEVICE_ID = 64'h0,
    parameter int unsigned ADDRESS_BITS = 32,
    parameter int unsigned CLOCK_HZ = 100_000_000,
    parameter int unsigned HOLDOFF = 1000
) (
    input  wire                clk,
    input  wire                rst,
    input  wire [        15:0] bus_address,
    input  wire                bus_write,
    input  wire [        31:0] bus_wdata,
    input  wire                bus_select,
    output wire                bus_done,
    output wire [        31:0] bus_rdata,
    input  wire                word_read,
    input  wire                word_written,
    input  wire [   NODES-1:0] node_irq,
    input  wire                node_clear,
    output wire                irq,
    output wire                irq_pulse,
    output wire [   NODES-1:0] enable,
    output wire [28*NODES-1:0] routes,
    output wire                routes_changed,
    input  wire                routes_settled
);
endmodule

module router #(
    parameter int unsigned SOURCES = 17,
    parameter int unsigned SINKS = 18,
    parameter int unsigned DATA_W = 32,
    parameter int unsigned DEPTH = 32,
    parameter logic [7*SINKS-1:0] SINK_ROUTE = '0
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire [ 7*SOURCES-1:0] routes,
    input  wire                  changed,
    output wire                  settled,
    input  wire [   SOURCES-1:0] source_enable,
    input  wire [DATA_W*SOURCES-1:0] out_data,
    input  wire [16*SOURCES-1:0] out_user,
    input  wire [   SOURCES-1:0] out_valid,
    output wire [   SOURCES-1:0] out_ready,
    input  wire [     SINKS-1:0] sink_enable,
    input  wire [     SINKS-1:0] flush,
    output wire [DATA_W*SINKS-1:0] in_data,
    output wire [  16*SINKS-1:0] in_user,
    output wire [     SINKS-1:0] in_valid,
    input  wire [     SINKS-1:0] in_ready
);
  wire [7*SINKS-1:0] named = SINK_ROUTE;
endmodule

module beat_split #(
    parameter int unsigned DATA_W = 64,
    parameter int unsigned STREAM_W = 32,
    localparam int unsigned Words = DATA_W / 32,
    localparam int unsigned OutWords = STREAM_W / 32
) (
    input  wire                clk,
    input  wire                rst,
    input  wire [  DATA_W-1:0] s_data,
    input  wire [   Words-1:0] s_keep,
    input  wire [        15:0] s_user,
    input  wire                s_valid,
    output wire                s_ready,
    output wire [STREAM_W-1:0] m_data,
    output wire [OutWords-1:0] m_keep,
    output wire [        15:0] m_user,
    output wire                m_valid,
    input  wire                m_ready
);
endmodule
