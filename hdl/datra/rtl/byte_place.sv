// SPDX-License-Identifier: Apache-2.0

// Moves the bytes of a frame, whose first is in lane 0 of its first beat, to where they lie in memory.
//
// `begins` pulses with a frame's place in a beat and its length in bytes, before its first beat. The
// frame ends with the beat that fills the length or has `s_last`, whose highest valid lane is `s_top`;
// where its bytes then reach into one more beat of memory, that is given in the next cycle. `full` says
// that the beat on offer is the last that the length has room for; bytes behind it are dropped.
// A beat is given in the cycle in which it comes. `m_top` is read with `m_last`.
`default_nettype none
module byte_place #(
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 20,
    localparam int unsigned Bytes = DATA_W / 8,
    localparam int unsigned LaneW = $clog2(Bytes)
) (
    input wire clk,
    input wire rst,

    input wire             begins,
    input wire [LaneW-1:0] offset,
    input wire [LEN_W-1:0] length,
    input wire             full,

    input  wire [DATA_W-1:0] s_data,
    input  wire [ LaneW-1:0] s_top,
    input  wire              s_last,
    input  wire              s_valid,
    output wire              s_ready,
    output wire              s_final,

    output wire [DATA_W-1:0] m_data,
    output wire [ LaneW-1:0] m_top,
    output wire              m_last,
    output wire              m_valid,
    input  wire              m_ready
);

  if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) $fatal(0, "byte_place: DATA_W %0d", DATA_W);
  if (LEN_W < 5 || LEN_W > 24) $fatal(0, "byte_place: LEN_W %0d", LEN_W);

  reg [DATA_W-1:0] rest_reg;  // the beat before, of which the highest `offset_reg` bytes wait
  reg [LaneW-1:0] offset_reg, top_reg;
  reg [LEN_W-LaneW-1:0] left_reg;  // beats of the stream until the length is full, less one
  reg ending_reg, last_reg;  // what waits is the frame's end, of a beat with `s_last`

  wire [LaneW:0] sum = {1'b0, offset_reg} + {1'b0, s_top};
  wire beyond = sum[LaneW];  // its last byte is in the next beat of memory

  // The lanes are rotated by the offset: the bytes that wrap round belong to the beat before.
  wire [Bytes-1:0] round = ~({Bytes{1'b1}} << offset_reg);
  logic [DATA_W-1:0] turned;
  always_comb begin
    for (int unsigned i = 0; i < Bytes; i++)
      turned[8*i+:8] = round[Bytes-1-i] ? rest_reg[8*i+:8] : s_data[8*i+:8];
    for (int unsigned k = 0; k < LaneW; k++)
      if (offset_reg[k]) turned = turned << (8 << k) | turned >> (DATA_W - (8 << k));
  end

  assign s_final = left_reg == '0 || s_last;
  assign s_ready = m_ready && !ending_reg;
  assign m_valid = ending_reg || s_valid;
  assign m_data  = turned;
  assign m_last  = ending_reg ? last_reg : s_last && (!beyond || full);
  // Beyond, and full: the highest lane; the length says how far.
  assign m_top   = ending_reg ? top_reg : beyond ? '1 : sum[LaneW-1:0];

  always_ff @(posedge clk) begin
    if (m_valid && m_ready) begin
      ending_reg <= !ending_reg && s_final && !full && !m_last;
      last_reg <= s_last;
      top_reg <= sum[LaneW-1:0];
      rest_reg <= s_data;
      left_reg <= left_reg - 1'b1;
    end
    if (begins) begin
      offset_reg <= offset;
      left_reg   <= (LEN_W - LaneW)'((length - 1'b1) >> LaneW);
    end
    if (rst) ending_reg <= 1'b0;
  end

endmodule
`default_nettype wire
