// SPDX-License-Identifier: Apache-2.0

// Moves the bytes of a frame so that the first is in lane 0 of its first beat.
//
// Beats come as they lie in memory: `s_begin` is the lane of the frame's first byte, read in its first
// beat, `s_end` that of its last, read with `s_last`. They are taken one a cycle whatever the offset; a
// beat is given when the next one is there, or none follows. `m_keep` is clear behind the frame's end.
// `m_error` is the first of the frame, so far, that was not zero.
`default_nettype none
module byte_align #(
    parameter int unsigned DATA_W = 64,
    localparam int unsigned Bytes = DATA_W / 8,
    localparam int unsigned LaneW = $clog2(Bytes)
) (
    input wire clk,
    input wire rst,

    input  wire [DATA_W-1:0] s_data,
    input  wire [ LaneW-1:0] s_begin,
    input  wire [ LaneW-1:0] s_end,
    input  wire              s_last,
    input  wire [       1:0] s_error,
    input  wire              s_valid,
    output wire              s_ready,

    output wire [DATA_W-1:0] m_data,
    output wire [ Bytes-1:0] m_keep,
    output wire              m_last,
    output wire [       1:0] m_error,
    output wire              m_valid,
    input  wire              m_ready
);

  if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) $fatal(0, "byte_align: DATA_W %0d", DATA_W);

  // The beat before the one on offer: its bytes from the offset on are still to be given.
  reg [DATA_W-1:0] rest_reg;
  reg [LaneW-1:0] offset_reg, end_reg;
  reg [1:0] error_reg;
  reg held_reg;
  reg ended_reg;  // it is the frame's last

  wire begins = !held_reg || ended_reg;  // what is on offer begins a frame
  wire spent = s_last && s_end < offset_reg;  // and leaves nothing for a beat of its own
  wire take = s_valid && s_ready;

  assign s_ready = !held_reg || m_ready;
  assign m_valid = held_reg && (ended_reg || s_valid);
  assign m_last  = ended_reg || spent;
  assign m_data  = DATA_W'({s_data, rest_reg} >> {offset_reg, 3'b000});
  assign m_error = ended_reg || error_reg != 2'b00 ? error_reg : s_error;

  // Lane of the last byte: the difference is right modulo the lanes in either case.
  wire [LaneW-1:0] top = (ended_reg ? end_reg : s_end) - offset_reg;
  for (genvar i = 0; i < Bytes; i++) begin : keep
    // The lowest lane compares with a constant.
    // verilator lint_off UNSIGNED
    assign m_keep[i] = !m_last || i <= top;
    // verilator lint_on UNSIGNED
  end

  always_ff @(posedge clk) begin
    if (m_valid && m_ready) held_reg <= 1'b0;
    if (take) begin
      rest_reg  <= s_data;
      end_reg   <= s_end;
      ended_reg <= s_last;
      held_reg  <= begins || !spent;
      if (begins) offset_reg <= s_begin;
      if (begins || error_reg == 2'b00) error_reg <= s_error;
    end
    if (rst) begin
      held_reg  <= 1'b0;
      ended_reg <= 1'b0;
    end
  end

endmodule
`default_nettype wire
