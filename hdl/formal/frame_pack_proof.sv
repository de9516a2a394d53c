// SPDX-License-Identifier: Apache-2.0

// frame_pack at 128 bit, by induction: words are taken in frames, each from the lane in which it begins
// up to its length, the word before another signal, or `cut`; every word of a frame leaves in its lane,
// with those of its beat, the frame's signal, and `last` with the last; a beat leaves as soon as it is
// known whether it is the last. A frame is asked for when there is none or the one before ends, for a
// word at least, and `cut` holds until the frame has gone. What is offered stays until it is taken.
module frame_pack_proof #(
    parameter int unsigned LEN_W = 7
) (
    input wire             clk,
    input wire             rst,
    input wire [      3:0] frame_place,
    input wire [LEN_W-1:0] frame_len,
    input wire             frame_valid,
    input wire             cut,
    input wire [     31:0] s_data,
    input wire [     15:0] s_user,
    input wire             s_valid,
    input wire             m_ready
);

  wire partial, s_ready, m_last, m_valid;
  wire [127:0] m_data;
  wire [3:0] m_keep;
  wire [15:0] m_user;
  frame_pack #(
      .DATA_W(128),
      .LEN_W (LEN_W)
  ) dut (
      .clk,
      .rst,
      .frame_place,
      .frame_len,
      .frame_valid,
      .cut,
      .partial,
      .s_data,
      .s_user,
      .s_valid,
      .s_ready,
      .m_data,
      .m_keep,
      .m_user,
      .m_last,
      .m_valid,
      .m_ready
  );

  reg started_reg = 1'b0;
  reg on_reg;  // there is a frame
  reg some_reg;  // it has had a word
  reg [LEN_W-3:0] left_reg;  // words until it is full
  reg [1:0] lane_reg;  // of its next word
  reg [3:0][31:0] beat_reg;
  reg [3:0] has_reg;  // words of the beat
  reg whole_reg;  // none more fits into it
  reg [15:0] user_reg;
  reg held_reg, cut_reg, offer_reg;
  reg [31:0] data_reg;
  reg [15:0] signal_reg;

  wire other = s_valid && some_reg && s_user != user_reg;
  wire ends = left_reg == '0 || other || cut;
  wire leaves = has_reg != '0 && (ends || (whole_reg && s_valid)) && m_ready;
  wire takes = s_valid && on_reg && !ends && (!whole_reg || has_reg == '0 || m_ready);

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    cut_reg <= cut && some_reg && !(leaves && ends) && !rst;
    offer_reg <= m_valid && !m_ready && !rst;
    held_reg <= s_valid && !s_ready && !rst;
    data_reg <= s_data;
    signal_reg <= s_user;
    if (leaves) begin
      has_reg   <= '0;
      whole_reg <= 1'b0;
      if (ends) begin
        on_reg   <= 1'b0;
        some_reg <= 1'b0;
      end
    end
    if (takes) begin
      beat_reg[lane_reg] <= s_data;
      has_reg[lane_reg] <= 1'b1;
      whole_reg <= lane_reg == 2'd3;
      lane_reg <= lane_reg + 1'b1;
      left_reg <= left_reg - 1'b1;
      user_reg <= s_user;
      some_reg <= 1'b1;
    end
    if (frame_valid) begin
      on_reg   <= 1'b1;
      left_reg <= frame_len[LEN_W-1:2];
      lane_reg <= frame_place[3:2];
    end
    if (rst) begin
      on_reg <= 1'b0;
      some_reg <= 1'b0;
      has_reg <= '0;
      whole_reg <= 1'b0;
      left_reg <= '0;
    end
  end

  always_comb begin
    if (!started_reg) assume (rst);
    if (frame_valid) assume ((!on_reg || (leaves && ends)) && frame_len[LEN_W-1:2] != '0);
    if (cut_reg) assume (cut);
    if (held_reg) assume (s_valid && s_data == data_reg && s_user == signal_reg);
    if (started_reg) begin
      assert (!some_reg || on_reg);
      assert (has_reg == '0 || some_reg);
      assert (partial == some_reg);
      assert (s_ready == (takes || (!s_valid && on_reg && !ends &&
                                    (!whole_reg || has_reg == '0 || m_ready))));
      assert (m_valid == (has_reg != '0 && (ends || (whole_reg && s_valid))));
      if (offer_reg) assert (m_valid);
      if (m_valid) begin
        assert (m_last == ends && m_keep == has_reg && m_user == user_reg);
        for (int unsigned i = 0; i < 4; i++)
          if (has_reg[i]) assert (m_data[32*i+:32] == beat_reg[i]);
      end
      assert (dut.keep_reg == has_reg && dut.framed_reg == on_reg && dut.begun_reg == some_reg);
      assert (dut.full_reg == whole_reg && (!on_reg || dut.left_reg == left_reg));
      if (on_reg) assert (dut.lane_reg == lane_reg);
      if (some_reg) assert (dut.user_reg == user_reg);
      for (int unsigned i = 0; i < 4; i++)
        if (has_reg[i]) assert (dut.data_reg[32*i+:32] == beat_reg[i]);
      cover (m_valid && m_ready && m_last && m_keep == 4'b0110 && other);
      cover (leaves && takes && !m_last);
    end
  end

endmodule
