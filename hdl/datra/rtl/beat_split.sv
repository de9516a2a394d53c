// SPDX-License-Identifier: Apache-2.0

// Splits a stream of bus beats into 32-bit words for the fabric, one word a cycle, lowest lane first.
// Only lanes that are kept become words; they lie side by side.
`default_nettype none
module beat_split #(
    parameter int unsigned DATA_W = 64,
    localparam int unsigned Words = DATA_W / 32
) (
    input wire clk,
    input wire rst,

    input  wire [DATA_W-1:0] s_data,
    input  wire [ Words-1:0] s_keep,
    input  wire [      15:0] s_user,
    input  wire              s_valid,
    output wire              s_ready,

    output wire [31:0] m_data,
    output wire [15:0] m_user,
    output wire        m_valid,
    input  wire        m_ready
);

  if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) $fatal(0, "beat_split: DATA_W %0d", DATA_W);

  localparam int unsigned LaneW = Words > 1 ? $clog2(Words) : 1;

  // Lanes of this beat that have been given.
  reg [Words-1:0] given_reg;
  wire [Words-1:0] left = s_keep & ~given_reg;
  wire [Words-1:0] lowest = left & (~left + 1'b1);

  logic [LaneW-1:0] lane;
  always_comb begin
    lane = '0;
    for (int unsigned i = 0; i < Words; i++) if (lowest[i]) lane = LaneW'(i);
  end

  assign m_data  = s_data[32*lane+:32];
  assign m_user  = s_user;
  assign m_valid = s_valid;
  assign s_ready = m_ready && left == lowest;

  always_ff @(posedge clk) begin
    if (m_valid && m_ready) given_reg <= s_ready ? '0 : given_reg | lowest;
    if (rst) given_reg <= '0;
  end

endmodule
`default_nettype wire
