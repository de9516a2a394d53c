// SPDX-License-Identifier: Apache-2.0

// A small Datra that needs no processor beside it: a host reaches registers and memory by a serial line.
//
//   node 0  CPU node, four FIFOs each way
//   node 1  DMA node, at the on-chip RAM
//   node 2  four-lane adder
//
// What a host addresses (serial_bridge):
//
//   0x0000_0000 .. 0x001F_FFFF  Datra's registers, in their places (backplane)
//   0x4000_0000 .. 0x4000_FFFF  64 KiB of on-chip RAM
//
// All else is refused. The DMA node addresses the RAM alike; of its addresses the lower 16 bits count. Do not
// write a word of the RAM in the same cycle from both sides, nor read it while the other writes it: what
// is read then is not defined. A host that waits for the node's result before it looks does neither.
`default_nettype none
module serial_datra #(
    parameter int unsigned CLOCK_HZ = 50_000_000,
    parameter int unsigned CYCLES = 50,  // of the clock for a bit of the line
    parameter int unsigned PATIENCE = CLOCK_HZ / 50,  // cycles until half a request is forgotten
    parameter int unsigned FIFO_DEPTH = 256
) (
    input wire clk,
    input wire rst,

    input  wire rxd,
    output wire txd,
    output wire irq
);

  localparam int unsigned Nodes = 3;
  localparam int unsigned RamW = 16;  // of a byte's address
  localparam int unsigned PageW = 21;
  localparam logic [4*Nodes-1:0] Queues = {4'd4, 4'd1, 4'd4};

  if (CLOCK_HZ < 1000 || CLOCK_HZ > 1_000_000_000) $fatal(0, "serial_datra: CLOCK_HZ %0d", CLOCK_HZ);

  // ---- the line --------------------------------------------------------------------------------------

  wire [7:0] in_data, out_data;
  wire in_valid, in_broken, out_valid, out_ready;
  uart_receive #(
      .CYCLES(CYCLES)
  ) receive (
      .clk,
      .rst,
      .rxd,
      .data  (in_data),
      .valid (in_valid),
      .broken(in_broken)
  );
  uart_transmit #(
      .CYCLES(CYCLES)
  ) transmit (
      .clk,
      .rst,
      .data (out_data),
      .valid(out_valid),
      .ready(out_ready),
      .txd
  );

  wire [31:0] host_address, host_wdata;
  wire host_write, host_select, host_done, host_error;
  logic [31:0] host_rdata;
  serial_bridge #(
      .PATIENCE(PATIENCE)
  ) bridge (
      .clk,
      .rst,
      .in_data,
      .in_valid,
      .in_broken,
      .out_data,
      .out_valid,
      .out_ready,
      .bus_address(host_address),
      .bus_write  (host_write),
      .bus_wdata  (host_wdata),
      .bus_select (host_select),
      .bus_done   (host_done),
      .bus_rdata  (host_rdata),
      .bus_error  (host_error)
  );

  // ---- registers, memory, or neither -----------------------------------------------------------------

  wire aligned = host_address[1:0] == 2'b00;
  wire registers = aligned && host_address[31:PageW] == '0;
  wire memory = aligned && host_address[31:RamW] == 16'h4000;
  wire page_done, page_error;
  wire [31:0] page_rdata, ram_rdata;
  reg ram_done_reg;  // the RAM answers in the next cycle
  wire ram_enable = host_select && memory && !ram_done_reg;
  assign host_done  = registers ? page_done : !memory || ram_done_reg;
  assign host_error = registers ? page_error : !memory;
  always_comb begin
    host_rdata = '0;
    if (registers) host_rdata = page_rdata;
    if (memory) host_rdata = ram_rdata;
  end
  always_ff @(posedge clk) ram_done_reg <= ram_enable && !rst;

  wire [PageW-1:0] page_awaddr, page_araddr;
  wire [31:0] page_wdata, page_r;
  wire [1:0] page_bresp, page_rresp;
  wire page_awvalid, page_awready, page_wvalid, page_wready, page_bvalid, page_bready;
  wire page_arvalid, page_arready, page_rvalid, page_rready;
  bus_axi #(
      .ADDR_W(PageW)
  ) port (
      .clk,
      .rst,
      .bus_address(host_address[PageW-1:0]),
      .bus_write(host_write),
      .bus_wdata(host_wdata),
      .bus_select(host_select && registers),
      .bus_done(page_done),
      .bus_rdata(page_rdata),
      .bus_error(page_error),
      .m_axi_awaddr(page_awaddr),
      .m_axi_awvalid(page_awvalid),
      .m_axi_awready(page_awready),
      .m_axi_wdata(page_wdata),
      .m_axi_wvalid(page_wvalid),
      .m_axi_wready(page_wready),
      .m_axi_bresp(page_bresp),
      .m_axi_bvalid(page_bvalid),
      .m_axi_bready(page_bready),
      .m_axi_araddr(page_araddr),
      .m_axi_arvalid(page_arvalid),
      .m_axi_arready(page_arready),
      .m_axi_rdata(page_r),
      .m_axi_rresp(page_rresp),
      .m_axi_rvalid(page_rvalid),
      .m_axi_rready(page_rready)
  );

  // ---- nodes and router ------------------------------------------------------------------------------

  wire [15:0] bus_address;
  wire bus_window, bus_write;
  wire [31:0] bus_wdata;
  wire [3:0] bus_strobe;
  wire [Nodes-1:0] bus_select, bus_done, bus_error, node_irq;
  wire [32*Nodes-1:0] bus_rdata;
  wire [128*Nodes-1:0] out_words, in_words;
  wire [64*Nodes-1:0] out_user, in_user;
  wire [4*Nodes-1:0] out_valids, out_readys, in_valids, in_readys, in_flush;

  backplane #(
      .NODES(Nodes),
      .INPUTS(Queues),
      .OUTPUTS(Queues),
      .ROUTER_DEPTH(32),
      .DATA_W(32),
      .ID_W(1),
      .CLOCK_HZ(CLOCK_HZ)
  ) fabric (
      .clk,
      .rst,
      .s_axi_awid(1'b0),
      .s_axi_awaddr(page_awaddr),
      .s_axi_awlen(8'd0),
      .s_axi_awsize(3'd2),
      .s_axi_awburst(2'b01),
      .s_axi_awvalid(page_awvalid),
      .s_axi_awready(page_awready),
      .s_axi_wdata(page_wdata),
      .s_axi_wstrb('1),
      .s_axi_wlast(1'b1),
      .s_axi_wvalid(page_wvalid),
      .s_axi_wready(page_wready),
      .s_axi_bid(),
      .s_axi_bresp(page_bresp),
      .s_axi_bvalid(page_bvalid),
      .s_axi_bready(page_bready),
      .s_axi_arid(1'b0),
      .s_axi_araddr(page_araddr),
      .s_axi_arlen(8'd0),
      .s_axi_arsize(3'd2),
      .s_axi_arburst(2'b01),
      .s_axi_arvalid(page_arvalid),
      .s_axi_arready(page_arready),
      .s_axi_rid(),
      .s_axi_rdata(page_r),
      .s_axi_rresp(page_rresp),
      .s_axi_rlast(),
      .s_axi_rvalid(page_rvalid),
      .s_axi_rready(page_rready),
      .irq,
      .irq_pulse(),
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
      .out_data(out_words),
      .out_keep('1),
      .out_user,
      .out_valid(out_valids),
      .out_ready(out_readys),
      .in_data(in_words),
      .in_keep(),
      .in_user,
      .in_valid(in_valids),
      .in_ready(in_readys),
      .in_flush
  );

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
      .out_data(out_words[127:0]),
      .out_user(out_user[63:0]),
      .out_valid(out_valids[3:0]),
      .out_ready(out_readys[3:0]),
      .in_data(in_words[127:0]),
      .in_user(in_user[63:0]),
      .in_valid(in_valids[3:0]),
      .in_ready(in_readys[3:0]),
      .in_flush(in_flush[3:0])
  );
  assign bus_error[0] = 1'b0;

  wire [1:0] arid, rid, rresp, awid, bid, bresp;
  wire [31:0] araddr, rdata, awaddr, wdata;
  wire [7:0] arlen, awlen;
  wire [3:0] wstrb;
  wire arvalid, arready, rlast, rvalid, rready;
  wire awvalid, awready, wlast, wvalid, wready, bvalid, bready;
  dma_node_cross #(
      .DATA_W(32),
      .FIFO_DEPTH(FIFO_DEPTH)
  ) dma (
      .clk,
      .rst,
      .axi_clk(clk),
      .axi_rst(rst),
      .bus_address(bus_address[10:0]),
      .bus_window,
      .bus_write,
      .bus_wdata,
      .bus_strobe,
      .bus_select(bus_select[1]),
      .bus_done(bus_done[1]),
      .bus_rdata(bus_rdata[63:32]),
      .bus_error(bus_error[1]),
      .irq(node_irq[1]),
      .m_data(out_words[128+:32]),
      .m_keep(),
      .m_user(out_user[64+:16]),
      .m_valid(out_valids[4]),
      .m_ready(out_readys[4]),
      .s_data(in_words[128+:32]),
      .s_keep(1'b1),
      .s_user(in_user[64+:16]),
      .s_valid(in_valids[4]),
      .s_ready(in_readys[4]),
      .s_flush(in_flush[4]),
      .m_axi_arid(arid),
      .m_axi_araddr(araddr),
      .m_axi_arlen(arlen),
      .m_axi_arsize(),
      .m_axi_arburst(),
      .m_axi_arcache(),
      .m_axi_arprot(),
      .m_axi_aruser(),
      .m_axi_arvalid(arvalid),
      .m_axi_arready(arready),
      .m_axi_rid(rid),
      .m_axi_rdata(rdata),
      .m_axi_rresp(rresp),
      .m_axi_rlast(rlast),
      .m_axi_rvalid(rvalid),
      .m_axi_rready(rready),
      .m_axi_awid(awid),
      .m_axi_awaddr(awaddr),
      .m_axi_awlen(awlen),
      .m_axi_awsize(),
      .m_axi_awburst(),
      .m_axi_awcache(),
      .m_axi_awprot(),
      .m_axi_awuser(),
      .m_axi_awvalid(awvalid),
      .m_axi_awready(awready),
      .m_axi_wid(),
      .m_axi_wdata(wdata),
      .m_axi_wstrb(wstrb),
      .m_axi_wlast(wlast),
      .m_axi_wvalid(wvalid),
      .m_axi_wready(wready),
      .m_axi_bid(bid),
      .m_axi_bresp(bresp),
      .m_axi_bvalid(bvalid),
      .m_axi_bready(bready)
  );
  assign out_words[160+:96] = '0;
  assign out_user[80+:48] = '0;
  assign out_valids[5+:3] = '0;
  assign in_readys[5+:3] = '0;
  assign in_flush[5+:3] = '0;

  adder_node adder (
      .clk,
      .rst,
      .bus_address,
      .bus_window,
      .bus_write,
      .bus_wdata,
      .bus_select(bus_select[2]),
      .bus_done(bus_done[2]),
      .bus_rdata(bus_rdata[95:64]),
      .in_data(in_words[256+:128]),
      .in_user(in_user[128+:64]),
      .in_valid(in_valids[8+:4]),
      .in_ready(in_readys[8+:4]),
      .in_flush(in_flush[8+:4]),
      .out_data(out_words[256+:128]),
      .out_user(out_user[128+:64]),
      .out_valid(out_valids[8+:4]),
      .out_ready(out_readys[8+:4])
  );
  assign bus_error[2] = 1'b0;
  assign node_irq[2] = 1'b0;

  // ---- memory ----------------------------------------------------------------------------------------

  axi_ocram #(
      .DATA_W(32),
      .BYTES (1 << RamW),
      .ID_W  (2)
  ) store (
      .clk,
      .rst,
      .axi_awid(awid),
      .axi_awaddr(awaddr[RamW-1:0]),
      .axi_awlen(awlen),
      .axi_awvalid(awvalid),
      .axi_awready(awready),
      .axi_wdata(wdata),
      .axi_wstrb(wstrb),
      .axi_wlast(wlast),
      .axi_wvalid(wvalid),
      .axi_wready(wready),
      .axi_bid(bid),
      .axi_bresp(bresp),
      .axi_bvalid(bvalid),
      .axi_bready(bready),
      .axi_arid(arid),
      .axi_araddr(araddr[RamW-1:0]),
      .axi_arlen(arlen),
      .axi_arvalid(arvalid),
      .axi_arready(arready),
      .axi_rid(rid),
      .axi_rdata(rdata),
      .axi_rresp(rresp),
      .axi_rlast(rlast),
      .axi_rvalid(rvalid),
      .axi_rready(rready),
      .port_word(host_address[RamW-1:2]),
      .port_enable(ram_enable),
      .port_write(host_write),
      .port_wdata(host_wdata),
      .port_rdata(ram_rdata)
  );

endmodule
`default_nettype wire
