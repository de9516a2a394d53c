// SPDX-License-Identifier: Apache-2.0

// eth_transmit, by induction, over any accesses and a stream that stalls when it likes (P7):
//
//   - The words of a frame that the solver picks leave in order, each as it was written, with the lanes
//     and the last word that min(LENGTH, 4 * words written) says. For one of its words, whichever the
//     solver likes, the data are followed from APB to the stream.
//   - A word is shown until it is taken, and none is shown that was not fetched.
//   - Reads say the link, what is used, what is free and what was dropped; what is refused has an error.
//   - COMMIT without a byte sends nothing. What LENGTH, or a lack of room, dropped is never sent.
//   - Every access is answered within PATIENCE + 1 clocks.
module eth_transmit_proof #(
    parameter int unsigned WORDS = 4,
    parameter int unsigned FRAMES = 2,
    parameter int unsigned LONGEST = 12,
    parameter int unsigned PATIENCE = 3
) (
    input wire        clk,
    input wire        rst,
    input wire        link,
    input wire        pick,
    input wire [$clog2(WORDS)-1:0] which,          // word of the frame
    input wire        psel,
    input wire        penable,
    input wire        pwrite,
    input wire [11:0] paddr,
    input wire [31:0] pwdata,
    input wire [ 3:0] pstrb,
    input wire        m_axis_tready
);

  localparam int unsigned LenW = 11;
  localparam int unsigned PtrW = $clog2(WORDS);

  wire pready, pslverr, m_axis_tlast, m_axis_tvalid;
  wire [31:0] prdata, m_axis_tdata;
  wire [3:0] m_axis_tkeep;
  eth_transmit #(
      .WORDS(WORDS),
      .FRAMES(FRAMES),
      .LONGEST(LONGEST),
      .PATIENCE(PATIENCE)
  ) dut (
      .*
  );

  function automatic logic [PtrW:0] words(input logic [LenW-1:0] bytes);
    words = (PtrW + 1)'((bytes + LenW'(3)) >> 2);
  endfunction

  // ---- what software means ---------------------------------------------------------------------------

  reg started_reg = 1'b0;
  reg [PtrW-1:0] which_reg;
  reg [LenW-1:0] length_reg;
  reg [PtrW:0] count_reg;  // words of the frame, as far as it can matter
  reg lost_reg;
  reg [31:0] word_reg;  // the one that is followed
  reg [2:0] late_reg;
  wire access = psel && penable && pwrite;
  wire done = access && pready;
  wire is_length = paddr[11:2] == 10'h010;
  wire is_commit = paddr[11:2] == 10'h008;
  wire is_data = (paddr[11:2] == 10'h018 || paddr >= 12'h080) && pstrb == 4'hF;
  wire [15:0] written = 16'(count_reg) << 2;
  wire [LenW-1:0] bytes = written < 16'(length_reg) ? LenW'(written) : length_reg;
  wire room = (PtrW + 1)'(dut.write_reg - dut.read_reg) != (PtrW + 1)'(WORDS);
  wire seat = dut.frames_reg != 2'(FRAMES);
  wire commits = done && is_commit && !lost_reg && bytes != '0 && seat;

  logic [LenW-1:0] asked;
  logic too_long;
  always_comb begin
    asked = length_reg;
    if (pstrb[0]) asked[7:0] = pwdata[7:0];
    if (pstrb[1]) asked[LenW-1:8] = pwdata[LenW-1:8];
    too_long = asked > LenW'(LONGEST);
    for (int unsigned i = LenW; i < 32; i++) if (pstrb[i/8] && pwdata[i]) too_long = 1'b1;
    if (too_long) asked = '0;
  end

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    which_reg   <= started_reg ? which_reg : which;
    late_reg    <= access && !pready && !rst ? late_reg + 1'b1 : '0;
    if (done && is_length) begin
      length_reg <= asked;
      count_reg  <= '0;
      lost_reg   <= 1'b0;
    end
    if (done && is_data && !lost_reg) begin
      if (bytes < length_reg && !room) lost_reg <= 1'b1;
      else begin
        if (count_reg == (PtrW + 1)'(which_reg)) word_reg <= pwdata;
        if (count_reg != (PtrW + 1)'(WORDS)) count_reg <= count_reg + 1'b1;
      end
    end
    if (done && is_commit) begin
      length_reg <= '0;
      count_reg  <= '0;
      lost_reg   <= 1'b0;
    end
    if (rst) begin
      length_reg <= '0;
      count_reg  <= '0;
      lost_reg   <= 1'b0;
    end
  end

  // ---- the picked frame ------------------------------------------------------------------------------

  reg followed_reg, current_reg;  // it waits, or is fetched; it is fetched
  reg [1:0] queue_reg;  // frames before it that wait, too
  reg [LenW-1:0] frame_reg;  // bytes
  reg [31:0] data_reg;
  reg [PtrW:0] start_reg;
  reg [PtrW:0] index_reg;  // the next word to be fetched of whichever frame
  reg mine_reg;  // the stream shows a word of it
  reg [PtrW:0] shown_reg;  // which one
  reg shows_reg;
  reg [31:0] dropped_reg;
  wire [PtrW:0] used = dut.write_reg - dut.read_reg;
  wire drops = done && pslverr && ((is_data && !lost_reg && bytes < length_reg) ||
      (is_commit && !lost_reg && bytes != '0));
  wire begins = dut.begins;
  wire fetch = dut.fetch;
  wire takes = commits && pick && !followed_reg && !mine_reg;

  always_ff @(posedge clk) begin
    shows_reg <= !rst && (fetch || (shows_reg && !m_axis_tready));
    if (drops && dropped_reg != '1) dropped_reg <= dropped_reg + 1'b1;
    if (rst) dropped_reg <= '0;
    if (fetch) begin
      mine_reg  <= followed_reg && current_reg;
      shown_reg <= index_reg;
      index_reg <= index_reg + 1'b1;
      if (current_reg && words(frame_reg) == index_reg + 1'b1) begin
        followed_reg <= 1'b0;
        current_reg  <= 1'b0;
      end
    end else if (m_axis_tready) mine_reg <= 1'b0;
    if (begins) begin
      index_reg <= '0;
      if (followed_reg) begin
        if (queue_reg == '0) current_reg <= 1'b1;
        queue_reg <= queue_reg - 1'b1;
      end
    end
    if (takes) begin
      followed_reg <= 1'b1;
      current_reg  <= 1'b0;
      frame_reg <= bytes;
      data_reg <= word_reg;
      start_reg <= dut.base_reg;
      queue_reg <= 2'(dut.frames_reg) - 2'(begins);
    end
    if (rst) begin
      followed_reg <= 1'b0;
      current_reg <= 1'b0;
      mine_reg <= 1'b0;
    end
  end

  wire [0:0] head = dut.lengths.read_reg[0:0];
  wire [0:0] behind = head + 1'b1;
  wire [LenW-1:0] first = dut.lengths.ram[head], second = dut.lengths.ram[behind];
  wire [15:0] waiting = (dut.frames_reg > 2'd0 ? 16'(words(first)) : '0) +
      (dut.frames_reg > 2'd1 ? 16'(words(second)) : '0);
  wire [PtrW:0] place = start_reg + (PtrW + 1)'(which_reg);

  logic [3:0] keep;
  always_comb
    for (int unsigned i = 0; i < 4; i++) keep[i] = (16'(shown_reg) << 2) + 16'(i) < 16'(frame_reg);

  always_comb begin
    if (!started_reg) assume (rst);
    if (started_reg) begin
      assert (late_reg <= 3'(PATIENCE) && count_reg <= (PtrW + 1)'(WORDS));
      assert (dut.wait_reg == 2'(late_reg));
      if (!dut.stuck) assert (pready);
      assert (dut.commit == commits);

      // What is answered.
      assert (m_axis_tvalid == shows_reg && (!fetch || !shows_reg || m_axis_tready));
      assert (fetch == (dut.left_reg != '0 && (!shows_reg || m_axis_tready)));
      assert (dut.dropped == dropped_reg);
      if (psel && penable && !pwrite) begin
        assert (pready);
        if (paddr[11:2] == 10'd0) assert (prdata == 32'(link));
        if (paddr[11:2] == 10'd2) assert (prdata == {14'd0, dut.frames_reg, 16'(used)});
        if (paddr[11:2] == 10'd4)
          assert (prdata == {14'd0, 2'(FRAMES) - dut.frames_reg, 16'(WORDS) - 16'(used)});
        if (paddr[11:2] == 10'd6) assert (prdata == dropped_reg);
        assert (pslverr == (paddr[11:2] > 10'd6 || paddr[2]));
        if (pslverr) assert (prdata == '0);
      end
      if (done && !drops) begin
        assert (pslverr == !(is_data || is_commit || (is_length && !too_long)));
        if (is_data && !lost_reg && bytes < length_reg) assert (room);
      end

      // What is being written.
      assert (dut.length_reg == length_reg && length_reg <= LenW'(LONGEST));
      assert (dut.spoiled_reg == lost_reg);
      if (!lost_reg) assert (dut.stored_reg == bytes);
      if (lost_reg) assert (dut.stored_reg == '0);
      assert ((PtrW + 1)'(dut.write_reg - dut.base_reg) == words(dut.stored_reg));
      assert ((PtrW + 1)'(dut.write_reg - dut.read_reg) <= (PtrW + 1)'(WORDS));
      assert ((PtrW + 1)'(dut.base_reg - dut.read_reg) <= (PtrW + 1)'(dut.write_reg - dut.read_reg));
      if (!lost_reg && count_reg > (PtrW + 1)'(which_reg) && (16'(which_reg) << 2) < 16'(bytes))
        assert (dut.ram[PtrW'(dut.base_reg + (PtrW + 1)'(which_reg))] == word_reg);

      // What waits.
      assert (2'(dut.lengths.write_reg - dut.lengths.read_reg) == dut.frames_reg);
      assert (dut.frames_reg <= 2'(FRAMES));
      if (dut.frames_reg > 2'd0) assert (first != '0 && first <= LenW'(LONGEST));
      if (dut.frames_reg > 2'd1) assert (second != '0 && second <= LenW'(LONGEST));
      assert (dut.left_reg <= LenW'(LONGEST));
      assert (16'((PtrW + 1)'(dut.base_reg - dut.read_reg)) == 16'(words(dut.left_reg)) + waiting);

      // The picked one: where it is, and what it is when it leaves.
      if (followed_reg) begin
        assert (frame_reg != '0 && frame_reg <= LenW'(LONGEST));
        if ((16'(which_reg) << 2) < 16'(frame_reg) &&
            !(current_reg && index_reg > (PtrW + 1)'(which_reg)))
          assert (dut.ram[place[PtrW-1:0]] == data_reg);
        if (current_reg) begin
          assert (dut.read_reg == start_reg + (PtrW + 1)'(index_reg));
          assert ((16'(index_reg) << 2) < 16'(frame_reg));
          assert (16'(dut.left_reg) == 16'(frame_reg) - (16'(index_reg) << 2));
        end else begin
          assert (queue_reg < dut.frames_reg);
          assert ((queue_reg == 2'd0 ? first : second) == frame_reg);
          assert (start_reg == dut.read_reg + words(dut.left_reg) + (queue_reg == 2'd0 ? '0 : words(first)));
        end
      end else assert (!current_reg);
      if (mine_reg) begin
        assert (m_axis_tvalid && (16'(shown_reg) << 2) < 16'(frame_reg));
        assert (frame_reg <= LenW'(LONGEST));
        assert (m_axis_tkeep == keep);
        assert (m_axis_tlast == ((16'(shown_reg) << 2) + 16'd4 >= 16'(frame_reg)));
        assert (m_axis_tlast == !(followed_reg && current_reg));
        assert (!followed_reg || current_reg);
        if (!m_axis_tlast) assert (index_reg == shown_reg + 1'b1);
        if (shown_reg == (PtrW + 1)'(which_reg)) assert (m_axis_tdata == data_reg);
      end
      if (current_reg && index_reg != '0) assert (mine_reg || !m_axis_tvalid);
      cover (mine_reg && m_axis_tlast && shown_reg == (PtrW + 1)'(2) && which_reg == PtrW'(1));
      cover (lost_reg && dut.frames_reg == 2'(FRAMES));
    end
  end

endmodule
