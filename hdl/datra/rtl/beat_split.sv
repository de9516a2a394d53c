// SPDX-License-Identifier: Apache-2.0

// Splits a stream of bus beats into beats of the fabric, one a cycle, lowest lane first. Only lanes that
// are kept become words; they lie side by side, and in a beat of the fabric from lane 0 on.
//
// At the bus's own width a beat is moved to lane 0 and goes through.
`default_nettype none
module beat_split #(
    parameter int unsigned DATA_W = 64,
    parameter int unsigned STREAM_W = 32,
    localparam int unsigned Words = DATA_W / 32,
    localparam int unsigned OutWords = STREAM_W / 32
) (
    input wire clk,
    input wire rst,

    input  wire [DATA_W-1:0] s_data,
    input  wire [ Words-1:0] s_keep,
    input  wire [      15:0] s_user,
    input  wire              s_valid,
    output wire              s_ready,

    output wire [STREAM_W-1:0] m_data,
    output wire [OutWords-1:0] m_keep,
    output wire [        15:0] m_user,
    output wire                m_valid,
    input  wire                m_ready
);

  if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) $fatal(0, "beat_split: DATA_W %0d", DATA_W);
  if ((STREAM_W != 32 && STREAM_W != 64 && STREAM_W != 128) || STREAM_W > DATA_W)
    $fatal(0, "beat_split: STREAM_W %0d of DATA_W %0d", STREAM_W, DATA_W);

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

  // The lanes that go now: the lowest and those above it that the fabric's beat has room for.
  logic [Words-1:0] now;
  always_comb begin
    now = lowest;
    for (int unsigned i = 1; i < OutWords; i++) now = now | lowest << i;
    now = now & left;
  end

  for (genvar i = 0; i < OutWords; i++) begin : words
    if (i == 0) begin : first
      assign m_data[31:0] = s_data[32*lane+:32];
      assign m_keep[0] = 1'b1;
    end else begin : other
      wire [Words-1:0] next = lowest << i & left;
      logic [31:0] data;
      always_comb begin
        data = '0;
        for (int unsigned k = i; k < Words; k++) if (lowest[k-i]) data = data | s_data[32*k+:32];
      end
      assign m_data[32*i+:32] = data;
      assign m_keep[i] = next != '0;
    end
  end
  assign m_user  = s_user;
  assign m_valid = s_valid;
  assign s_ready = m_ready && left == now;

  always_ff @(posedge clk) begin
    if (m_valid && m_ready) given_reg <= s_ready ? '0 : given_reg | now;
    if (rst) given_reg <= '0;
  end

endmodule
`default_nettype wire
