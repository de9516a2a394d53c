// SPDX-License-Identifier: Apache-2.0

// Joins the read channels of masters that always take their data; the identifier is the master's
// number. The lower number wins. An address once shown stays until it is taken.
`default_nettype none
module axi_join_read #(
    parameter int unsigned N = 3,
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned BURST = 16,  // beats at most
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4,
    localparam int unsigned IdW = $clog2(N)
) (
    input wire clk,
    input wire rst,

    input  wire [N-1:0][ADDR_W-1:0] s_araddr,
    input  wire [N-1:0][BurstW-1:0] s_arlen,
    input  wire [N-1:0]             s_arvalid,
    output wire [N-1:0]             s_arready,
    output wire [N-1:0]             s_rvalid,

    output wire [   IdW-1:0] m_arid,
    output wire [ADDR_W-1:0] m_araddr,
    output wire [BurstW-1:0] m_arlen,
    output wire              m_arvalid,
    input  wire              m_arready,
    input  wire [   IdW-1:0] m_rid,
    input  wire              m_rvalid,
    output wire              m_rready
);

  if (N < 1 || N > 4) $fatal(0, "axi_join_read: N %0d", N);
  if (BURST < 1 || BURST > 256) $fatal(0, "axi_join_read: BURST %0d", BURST);
  if (ADDR_W < 12 || ADDR_W > 64) $fatal(0, "axi_join_read: ADDR_W %0d", ADDR_W);

  reg [IdW-1:0] held_reg;
  reg holding_reg;

  logic [IdW-1:0] chosen;
  always_comb begin
    chosen = '0;
    for (int unsigned i = N; i > 0; i--) if (s_arvalid[i-1]) chosen = IdW'(i - 1);
    if (holding_reg) chosen = held_reg;
  end

  assign m_arid = chosen;
  assign m_araddr = s_araddr[chosen];
  assign m_arlen = s_arlen[chosen];
  assign m_arvalid = s_arvalid[chosen];
  assign m_rready = 1'b1;
  for (genvar i = 0; i < N; i++) begin : master
    // Not by `chosen`: a master's own ARVALID, which comes late, says nothing of its turn.
    wire first = (s_arvalid & N'((1 << i) - 1)) == '0;
    assign s_arready[i] = m_arready && (holding_reg ? held_reg == IdW'(i) : first);
    assign s_rvalid[i]  = m_rvalid && m_rid == IdW'(i);
  end

  always_ff @(posedge clk) begin
    held_reg <= chosen;
    holding_reg <= m_arvalid && !m_arready && !rst;
  end

endmodule
`default_nettype wire
