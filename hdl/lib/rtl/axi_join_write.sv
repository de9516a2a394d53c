// SPDX-License-Identifier: Apache-2.0

// Joins the write channels of masters that always take their answer; the identifier is the master's
// number. The lower number wins, when its address is first shown and not when that is taken: data
// follow in the order of addresses from the next cycle on, and never wait for AWREADY. A master may
// show them together with its address.
`default_nettype none
module axi_join_write #(
    parameter int unsigned N = 3,
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned BURST = 16,  // beats at most
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4,
    localparam int unsigned IdW = $clog2(N)
) (
    input wire clk,
    input wire rst,

    input  wire [N-1:0][  ADDR_W-1:0] s_awaddr,
    input  wire [N-1:0][  BurstW-1:0] s_awlen,
    input  wire [N-1:0]               s_awvalid,
    output wire [N-1:0]               s_awready,
    input  wire [N-1:0][  DATA_W-1:0] s_wdata,
    input  wire [N-1:0][DATA_W/8-1:0] s_wstrb,
    input  wire [N-1:0]               s_wlast,
    input  wire [N-1:0]               s_wvalid,
    output wire [N-1:0]               s_wready,
    output wire [N-1:0]               s_bvalid,

    output wire [     IdW-1:0] m_awid,
    output wire [  ADDR_W-1:0] m_awaddr,
    output wire [  BurstW-1:0] m_awlen,
    output wire                m_awvalid,
    input  wire                m_awready,
    output wire [     IdW-1:0] m_wid,      // of the burst whose data go: AXI3 asks for it
    output wire [  DATA_W-1:0] m_wdata,
    output wire [DATA_W/8-1:0] m_wstrb,
    output wire                m_wlast,
    output wire                m_wvalid,
    input  wire                m_wready,
    input  wire [     IdW-1:0] m_bid,
    input  wire                m_bvalid,
    output wire                m_bready
);

  if (N < 1 || N > 4) $fatal(0, "axi_join_write: N %0d", N);
  if (BURST < 1 || BURST > 256) $fatal(0, "axi_join_write: BURST %0d", BURST);
  if (ADDR_W < 12 || ADDR_W > 64) $fatal(0, "axi_join_write: ADDR_W %0d", ADDR_W);
  if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) $fatal(0, "axi_join_write: DATA_W %0d", DATA_W);

  reg [IdW-1:0] held_reg;
  reg holding_reg;

  logic [IdW-1:0] chosen;
  always_comb begin
    chosen = '0;
    for (int unsigned i = N; i > 0; i--) if (s_awvalid[i-1]) chosen = IdW'(i - 1);
    if (holding_reg) chosen = held_reg;
  end

  wire full, empty;
  wire [IdW-1:0] giving;
  fifo_table #(
      .WIDTH(IdW),
      .DEPTH(8)
  ) order (
      .clk,
      .rst,
      .push(m_awvalid && !holding_reg),
      .in_data(chosen),
      .full,
      .pop(m_wvalid && m_wready && m_wlast),
      .out_data(giving),
      .empty
  );

  // What is held has its place in the order already.
  wire open = holding_reg || !full;
  assign m_awid = chosen;
  assign m_awaddr = s_awaddr[chosen];
  assign m_awlen = s_awlen[chosen];
  assign m_awvalid = s_awvalid[chosen] && open;
  assign m_wid = giving;
  assign m_wdata = s_wdata[giving];
  assign m_wstrb = s_wstrb[giving];
  assign m_wlast = s_wlast[giving];
  assign m_wvalid = s_wvalid[giving] && !empty;
  assign m_bready = 1'b1;
  for (genvar i = 0; i < N; i++) begin : master
    assign s_awready[i] = m_awready && open && chosen == IdW'(i);
    assign s_wready[i]  = m_wready && !empty && giving == IdW'(i);
    assign s_bvalid[i]  = m_bvalid && m_bid == IdW'(i);
  end

  always_ff @(posedge clk) begin
    held_reg <= chosen;
    holding_reg <= m_awvalid && !m_awready && !rst;
  end

endmodule
`default_nettype wire
