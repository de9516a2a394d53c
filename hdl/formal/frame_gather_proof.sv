// SPDX-License-Identifier: Apache-2.0

// frame_gather by induction, against a queue of words: each word that comes is put behind those that are
// here, and what leaves is taken from its head, so that none is lost, added, doubled or moved past another.
//
//   - A beat leaves with as many words as its lanes have room for, side by side from the lane where the
//     frame is, each with its data, and the signal of them all; or with those up to the frame's end.
//   - A frame ends when it has its length, before the first word of another signal, or, where `cut` asks
//     for it, with the last word that is here. `last` goes with its last word, and never with another.
//   - A beat leaves as soon as that is known. What is offered stays until it is taken.
//   - Words are taken while there is room for a whole beat, unless `cut` ends the frame or reset holds.
//
// A frame is asked for when there is none or the one before ends, for a word at least. `cut` holds until the
// partial frame has gone, and may be up for a cycle of the next. Words of a beat lie side by side from lane 0 on.
module frame_gather_proof #(
    parameter int unsigned DATA_W = 64,
    parameter int unsigned STREAM_W = 64,
    parameter int unsigned LEN_W = 7,
    localparam int unsigned Words = DATA_W / 32,
    localparam int unsigned InWords = STREAM_W / 32,
    localparam int unsigned Lsb = $clog2(DATA_W / 8),
    localparam int unsigned Places = 4 * Words,
    localparam int unsigned P = $clog2(Places)
) (
    input wire                clk,
    input wire                rst,
    input wire [     Lsb-1:0] frame_place,
    input wire [   LEN_W-1:0] frame_len,
    input wire                frame_valid,
    input wire                cut,
    input wire [STREAM_W-1:0] s_data,
    input wire [ InWords-1:0] s_keep,
    input wire [        15:0] s_user,
    input wire                s_valid,
    input wire                m_ready
);

  wire partial, s_ready, m_last, m_valid;
  wire [DATA_W-1:0] m_data;
  wire [Words-1:0] m_keep;
  wire [15:0] m_user;
  frame_gather #(
      .DATA_W(DATA_W),
      .STREAM_W(STREAM_W),
      .LEN_W(LEN_W)
  ) dut (
      .*
  );

  reg started_reg = 1'b0;
  reg [Places-1:0][47:0] queue_reg;  // words in turn
  reg [P-1:0] head_reg;  // the place of the next to leave
  reg [P:0] level_reg;
  reg on_reg;  // there is a frame
  reg fresh_reg;  // in its first cycle
  reg [LEN_W-3:0] left_reg;  // words until it is full
  reg [Lsb-3:0] lane_reg;  // of its next word
  reg held_reg, cut_reg, offer_reg, last_reg;
  reg [DATA_W-1:0] offered_reg;
  reg [Words-1:0] lanes_reg;

  wire takes = s_valid && s_ready;
  wire leaves = m_valid && m_ready;

  // The words from the head on, one more than a beat has.
  logic [Words:0][47:0] words;
  always_comb for (int unsigned k = 0; k <= Words; k++) words[k] = queue_reg[P'(head_reg+P'(k))];

  // As many of them as are here and have the head's signal.
  logic [P:0] run, room, most, go;
  logic known, ends;
  always_comb begin
    run = '0;
    for (int unsigned k = 0; k <= Words; k++)
      if ((P + 1)'(k) < level_reg && run == (P + 1)'(k) && words[k][47:32] == words[0][47:32])
        run = (P + 1)'(k + 1);
    room = (P + 1)'(Words) - (P + 1)'(lane_reg);
    most = left_reg < (LEN_W - 2)'(room) ? (P + 1)'(left_reg) : room;
    go   = run < most ? run : most;
    ends = (LEN_W - 2)'(go) == left_reg || (go == run && run < level_reg) || (cut && !fresh_reg && go == level_reg);
    // The frame ends here, or its next word is here too.
    known = ends || go < run;
  end

  logic [P:0] come;
  always_comb begin
    come = '0;
    for (int unsigned j = 0; j < InWords; j++) if (s_keep[j]) come = come + 1'b1;
  end

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    for (int unsigned j = 0; j < InWords; j++)
      if (takes && s_keep[j])
        queue_reg[P'(head_reg+level_reg[P-1:0]+P'(j))] <= {s_user, s_data[32*j+:32]};
    if (leaves) head_reg <= head_reg + go[P-1:0];
    level_reg <= level_reg + (takes ? come : '0) - (leaves ? go : '0);
    held_reg <= s_valid && !s_ready && !rst;
    cut_reg <= cut && partial && !(leaves && ends) && !rst;
    offer_reg <= m_valid && !m_ready && !rst;
    offered_reg <= m_data;
    lanes_reg <= m_keep;
    last_reg <= m_last;
    if (leaves) begin
      left_reg <= left_reg - (LEN_W - 2)'(go);
      lane_reg <= '0;
      if (ends) on_reg <= 1'b0;
    end
    fresh_reg <= frame_valid;
    if (frame_valid) begin
      on_reg   <= 1'b1;
      left_reg <= frame_len[LEN_W-1:2];
      lane_reg <= frame_place[Lsb-1:2];
    end
    if (rst) begin
      level_reg <= '0;
      head_reg <= '0;
      on_reg <= 1'b0;
    end
  end

  // The words inside, by their places.
  wire [Places-1:0][47:0] kept;
  for (genvar p = 0; p < Places; p++) begin : place
    assign kept[p] = dut.bank[p%Words].ram[p/Words];
  end

  always_comb begin
    if (!started_reg) assume (rst);
    if (frame_valid) assume ((!on_reg || (leaves && ends)) && frame_len[LEN_W-1:2] != '0);
    if (cut_reg) assume (cut);
    if (s_valid) assume (s_keep[0] && (s_keep & (s_keep + 1'b1)) == '0);
    if (held_reg) assume (s_valid);
    if (started_reg) begin
      assert (s_ready == (level_reg <= (P + 1)'(Places - InWords) && !cut && !rst));
      assert (partial == (on_reg && !fresh_reg && level_reg != '0));
      assert (dut.fresh_reg == fresh_reg);
      assert (m_valid == (on_reg && level_reg != '0 && known));
      if (m_valid) begin
        assert (go != '0 && m_last == ends && m_user == words[0][47:32]);
        // A beat that does not end its frame is full.
        assert (ends || go == room);
        for (int unsigned i = 0; i < Words; i++) begin
          assert (m_keep[i] == (i >= 32'(lane_reg) && i < 32'(lane_reg) + 32'(go)));
          if (m_keep[i]) assert (m_data[32*i+:32] == words[P'(i-32'(lane_reg))][31:0]);
        end
      end
      if (offer_reg) begin
        assert (m_valid && m_keep == lanes_reg && m_last == last_reg);
        for (int unsigned i = 0; i < Words; i++)
          if (m_keep[i]) assert (m_data[32*i+:32] == offered_reg[32*i+:32]);
      end

      // What is inside is what has come.
      assert (level_reg <= (P + 1)'(Places) && dut.level_reg == level_reg);
      assert (dut.read_reg == head_reg && dut.write_reg == P'(head_reg + level_reg[P-1:0]));
      assert (dut.framed_reg == on_reg);
      if (on_reg) assert (dut.left_reg == left_reg && dut.lane_reg == lane_reg && left_reg != '0);
      for (int unsigned p = 0; p < Places; p++)
        if ((P + 1)'(P'(P'(p) - head_reg)) < level_reg) begin
          assert (kept[p] == queue_reg[p]);
          if (P'(p) != head_reg)
            assert (dut.others[p] == (queue_reg[p][47:32] != queue_reg[P'(p-1)][47:32]));
          if (P'(p + 1) == dut.write_reg) assert (dut.user_reg == queue_reg[p][47:32]);
        end
      // What was offered was known.
      if (offer_reg) assert (known);

      cover (leaves && ends && takes && lane_reg == '0 && go == (P + 1)'(Words) && frame_valid);
      cover (leaves && ends && go == run && run < level_reg && m_keep == Words'(2) && !cut);
      cover (leaves && ends && cut && level_reg == (P + 1)'(1) && left_reg > (LEN_W - 2)'(5));
      cover (level_reg == (P + 1)'(Places));
    end
  end

endmodule
