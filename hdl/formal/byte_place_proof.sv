// SPDX-License-Identifier: Apache-2.0

// byte_place, by induction, frame by frame: byte n of a frame lies in lane offset + n modulo the bus of the
// beats of memory, in its turn. `s_final` is with the beat of the stream that fills the length, or has
// `s_last`; what that beat leaves over is given by itself in the next cycle, unless memory's beats are
// full. Nothing of the next frame is taken before. `m_last` and `m_top` tell where `s_last` was.
//
// Bytes are counted modulo 256, and one of each 256 is followed: which, the solver picks.
module byte_place_proof #(
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 8,
    localparam int unsigned Bytes = DATA_W / 8,
    localparam int unsigned LaneW = $clog2(Bytes)
) (
    input wire              clk,
    input wire              rst,
    input wire              begins,
    input wire [ LaneW-1:0] offset,
    input wire [ LEN_W-1:0] length,
    input wire [DATA_W-1:0] s_data,
    input wire [ LaneW-1:0] s_top,
    input wire              s_last,
    input wire              s_valid,
    input wire              m_ready,
    input wire [       7:0] pick
);

  wire s_ready, s_final, m_last, m_valid;
  wire [DATA_W-1:0] m_data;
  wire [LaneW-1:0] m_top;
  reg [LEN_W:0] out_left_reg;  // beats of memory that the length has room for
  wire full = out_left_reg == (LEN_W + 1)'(1);
  byte_place #(
      .DATA_W(DATA_W),
      .LEN_W (LEN_W)
  ) dut (
      .*
  );

  wire take = s_valid && s_ready;
  wire give = m_valid && m_ready;

  reg started_reg = 1'b0;
  reg open_reg;  // a frame is on its way
  reg [LEN_W:0] in_left_reg;  // beats of the stream until the length is full
  reg [7:0] offset_reg, at_reg;  // at: of the first byte of the beat on offer, in the frame
  reg some_reg;  // a beat of the frame has been taken
  reg over_reg, last_reg;  // the frame's last beat was taken, and bytes wait; it had `s_last`
  reg [7:0] end_reg;  // lanes from the start of memory's beat to behind its last byte
  reg [7:0] pick_reg, byte_reg;
  reg seen_reg;  // the picked byte waits

  wire [7:0] reach = offset_reg + 8'(s_top) + 8'd1;  // the same for the beat on offer
  wire fits = reach <= 8'(Bytes);
  wire final_now = in_left_reg == (LEN_W + 1)'(1) || s_last;
  wire last = over_reg ? last_reg : s_last && (fits || full);
  wire ends = give && (full || last);
  wire [7:0] place = pick - at_reg;  // of the picked byte, in the beat of the stream
  wire [7:0] lane = place + offset_reg;  // and in that of memory
  wire offered = !over_reg && place < 8'(Bytes);

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    pick_reg <= pick;
    if (give) begin
      out_left_reg <= out_left_reg - 1'b1;
      at_reg <= at_reg + 8'(Bytes);
      seen_reg <= offered && lane >= 8'(Bytes) && !ends;
      byte_reg <= s_data[8*LaneW'(place)+:8];
      if (!over_reg) begin
        some_reg <= 1'b1;
        in_left_reg <= in_left_reg - 1'b1;
        over_reg <= final_now && !ends;
        last_reg <= s_last;
        end_reg <= reach - 8'(Bytes);
      end
    end
    if (ends) begin
      open_reg <= 1'b0;
      over_reg <= 1'b0;
    end
    if (begins) begin
      open_reg <= 1'b1;
      offset_reg <= 8'(offset);
      in_left_reg <= ((LEN_W + 1)'(length) + (LEN_W + 1)'(Bytes - 1)) / (LEN_W + 1)'(Bytes);
      out_left_reg <= ((LEN_W + 1)'(length) + (LEN_W + 1)'(offset) + (LEN_W + 1)'(Bytes - 1)) /
          (LEN_W + 1)'(Bytes);
      at_reg <= '0;
      some_reg <= 1'b0;
    end
    if (rst) begin
      open_reg <= 1'b0;
      over_reg <= 1'b0;
      seen_reg <= 1'b0;
    end
  end

  always_comb begin
    if (!started_reg) assume (rst);
    if (started_reg) assume (pick == pick_reg);
    // One frame at a time, of a byte at least.
    if (!open_reg) assume (!m_ready);
    assume (!begins || (length != '0 && (!open_reg || ends)));

    if (started_reg && open_reg) begin
      assert (m_valid == (over_reg || s_valid) && s_ready == (m_ready && !over_reg));
      if (s_valid && !over_reg) assert (s_final == final_now);
      if (m_valid) begin
        assert (m_last == last);
        if (m_last) assert (8'(m_top) + 8'd1 == (over_reg ? end_reg : fits ? reach : 8'(Bytes)));
        if (seen_reg ? lane < 8'(Bytes) : offered && lane < 8'(Bytes))
          assert (m_data[8*LaneW'(lane)+:8] == (seen_reg ? byte_reg : s_data[8*LaneW'(place)+:8]));
      end
      // The length ends both at once, or the stream first; then one beat of memory is left.
      if (ends) assert (over_reg || final_now);
      if (over_reg) assert (some_reg);
      if (over_reg && last_reg) assert (end_reg != '0 && end_reg <= offset_reg);

      assert (out_left_reg != '0 && at_reg % 8'(Bytes) == '0);
      if (over_reg && !last_reg) assert (full);
      if (!over_reg) begin
        assert (in_left_reg != '0 && out_left_reg >= in_left_reg);
        assert (out_left_reg <= in_left_reg + 1'b1 && (out_left_reg == in_left_reg || offset_reg != '0));
        assert ((LEN_W + 1)'(dut.left_reg) + 1'b1 == in_left_reg);
      end
      assert (offset_reg == 8'(dut.offset_reg) && dut.ending_reg == over_reg);
      if (over_reg) begin
        assert (dut.last_reg == last_reg);
        if (last_reg) assert (8'(dut.top_reg) + 8'd1 == end_reg);
      end
      // What waits is the end of the beat before.
      if (!some_reg) assert (!seen_reg && !over_reg);
      if (some_reg) assert (seen_reg == (lane < offset_reg));
      if (seen_reg) assert (dut.rest_reg[8*LaneW'(place)+:8] == byte_reg);
    end
    if (started_reg && !open_reg) assert (!dut.ending_reg && !over_reg && !seen_reg);

    cover (ends && over_reg && last_reg && end_reg == 8'd2 && at_reg == 8'(2 * Bytes));
    cover (ends && full && !over_reg && !fits && s_last && some_reg);
  end

endmodule
