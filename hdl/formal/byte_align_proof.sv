// SPDX-License-Identifier: Apache-2.0

// byte_align, by induction, frame by frame: byte n of a frame leaves in lane n modulo the bus, in its turn,
// and every byte does; `m_keep` marks those that there are, `m_last` the beat with the last one;
// `m_error` is the first error of the beats so far. A beat leaves in the first cycle in which all its
// bytes are there, and one is taken when nothing is left that it would push out.
//
// Bytes are counted modulo 256, and one of each 256 is followed: which, the solver picks.
module byte_align_proof #(
    parameter int unsigned DATA_W = 64,
    localparam int unsigned Bytes = DATA_W / 8,
    localparam int unsigned LaneW = $clog2(Bytes)
) (
    input wire              clk,
    input wire              rst,
    input wire [DATA_W-1:0] s_data,
    input wire [ LaneW-1:0] s_begin,
    input wire [ LaneW-1:0] s_end,
    input wire              s_last,
    input wire [       1:0] s_error,
    input wire              s_valid,
    input wire              m_ready,
    input wire [       7:0] pick
);

  wire s_ready, m_last, m_valid;
  wire [DATA_W-1:0] m_data;
  wire [Bytes-1:0] m_keep;
  wire [1:0] m_error;
  byte_align #(.DATA_W(DATA_W)) dut (.*);

  wire take = s_valid && s_ready;
  wire give = m_valid && m_ready;

  reg started_reg = 1'b0;
  reg held_reg, ended_reg;  // bytes wait; they are the frame's last
  reg [7:0] in_reg, out_reg;  // bytes of the frame that were taken, and given
  reg [1:0] error_reg;
  reg [7:0] pick_reg, byte_reg;
  reg seen_reg;  // the picked byte waits

  wire begins = !held_reg || ended_reg;  // what is on offer begins a frame
  wire [7:0] first = begins ? 8'(s_begin) : '0;  // lane of its first byte
  wire [7:0] number = (s_last ? 8'(s_end) : 8'(Bytes - 1)) + 8'd1 - first;
  wire [7:0] behind = begins ? '0 : in_reg;
  // What is left to be given, with the beat on offer if it is of the frame.
  wire [7:0] left = in_reg - out_reg + (ended_reg ? '0 : number);
  wire whole = ended_reg || s_last;
  wire last = whole && left <= 8'(Bytes);
  wire spent = !begins && last;  // the beat on offer leaves nothing behind
  wire [7:0] lane_of_pick = pick - out_reg;  // in the beat that is given
  wire [7:0] place = pick - behind;  // in the beat that is on offer, from its first byte on
  wire given = !begins && lane_of_pick < 8'(Bytes);
  wire [7:0] offered = s_data[8*LaneW'(place+first)+:8];
  wire [1:0] error = ended_reg || error_reg != '0 ? error_reg : s_error;

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    pick_reg <= pick;
    if (give) begin
      held_reg <= 1'b0;
      out_reg  <= out_reg + 8'(Bytes);
      if (lane_of_pick < 8'(Bytes)) seen_reg <= 1'b0;
    end
    if (take) begin
      in_reg <= behind + number;
      if (begins) out_reg <= '0;
      error_reg <= begins ? s_error : error;
      held_reg  <= !spent;
      ended_reg <= s_last;
      if (place < number && !given) begin
        seen_reg <= 1'b1;
        byte_reg <= offered;
      end
    end
    if (rst) begin
      held_reg  <= 1'b0;
      ended_reg <= 1'b0;
      seen_reg  <= 1'b0;
    end
  end

  wire [7:0] waiting = in_reg - out_reg;
  always_comb begin
    if (!started_reg) assume (rst);
    if (started_reg) assume (pick == pick_reg);
    // A frame has a byte.
    if (begins && s_last) assume (s_end >= s_begin);

    if (started_reg) begin
      assert (m_valid == (held_reg && (ended_reg || s_valid)));
      assert (s_ready == (!held_reg || m_ready));
      if (m_valid) begin
        assert (m_last == last && m_error == error);
        for (int unsigned j = 0; j < Bytes; j++)
          assert (m_keep[j] == (!last || 8'(j) < left));
        if (lane_of_pick < 8'(Bytes) && (!last || lane_of_pick < left))
          assert (m_data[8*LaneW'(lane_of_pick)+:8] == (seen_reg ? byte_reg : offered));
      end

      // What waits is the end of the beat before.
      assert (dut.held_reg == held_reg);
      if (held_reg) begin
        assert (dut.ended_reg == ended_reg && dut.error_reg == error_reg);
        assert (waiting != '0 && waiting <= 8'(Bytes));
        if (ended_reg) assert (waiting == 8'(dut.end_reg) - 8'(dut.offset_reg) + 8'd1);
        else assert (waiting == 8'(Bytes) - 8'(dut.offset_reg));
        assert (seen_reg == (lane_of_pick < waiting));
        if (seen_reg)
          assert (dut.rest_reg[8*LaneW'(8'(dut.offset_reg)+lane_of_pick)+:8] == byte_reg);
      end else assert (!seen_reg);

      cover (m_valid && m_last && !ended_reg && out_reg == 8'(2 * Bytes) && left == 8'd3);
      cover (m_valid && m_last && ended_reg && seen_reg && m_error == 2'd2);
    end
  end

endmodule
