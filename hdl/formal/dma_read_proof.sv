// SPDX-License-Identifier: Apache-2.0

// dma_read, by induction.
//
//   - Bursts: addresses follow each other from the command's on and end with its last beat.
//   - A burst has at most BURST beats and stays within 4 KiB (axi_read_rules).
//   - Credit, beats owed by the bus and beats in the queue add up to FIFO_DEPTH: no beat that comes
//     finds the queue full.
//   - Any beat that is asked for comes out once, in its turn, with the data of its own R beat, `last`
//     on the frame's last alone, and `m_keep` by the command's address and length. A beat is picked by
//     the solver when its burst is asked for and followed through the bus and the queue.
//   - The status comes in the cycle after the last beat, with the first error that came before it.
//   - With BEATS 0 no beat is followed, and the queue's memory falls away: for the longest bursts.
//   - A flush asks for nothing new, and the bus owes nothing when `idle` says so.
module dma_read_proof #(
    parameter int unsigned ADDR_W = 14,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 9,
    parameter int unsigned FIFO_DEPTH = 32,
    parameter int unsigned BURST = 16,
    parameter bit WORD_ALIGNED = 1'b0,
    parameter bit BEATS = 1'b1,
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4,
    localparam int unsigned Words = DATA_W / 32
) (
    input wire              clk,
    input wire              rst,
    input wire              flush,
    input wire [ADDR_W-1:0] cmd_addr,
    input wire [ LEN_W-1:0] cmd_len,
    input wire              cmd_valid,
    input wire              m_ready,
    input wire              axi_arready,
    input wire [DATA_W-1:0] axi_rdata,
    input wire [       1:0] axi_rresp,
    input wire              axi_rlast,
    input wire              axi_rvalid,
    input wire              pick,
    input wire [BurstW-1:0] pick_beat
);

  localparam int unsigned Lsb = $clog2(DATA_W / 8);
  localparam int unsigned LaneW = Words > 1 ? $clog2(Words) : 1;
  localparam int unsigned C = $clog2(FIFO_DEPTH) + 3;  // of counts of beats
  localparam int unsigned Reserved = BURST > 16 ? BURST : 16;
  localparam int unsigned PtrW = $clog2(FIFO_DEPTH);
  localparam int unsigned BlockW = $clog2(BURST) + Lsb - 2;  // log2 of the words of a whole burst
  localparam int unsigned MoreW = (LEN_W - 2 > BlockW ? LEN_W - 2 : BlockW) + 1 - BlockW;  // of counts of bursts

  wire idle, cmd_ready, m_last, m_valid, status_valid, axi_arvalid, axi_rready;
  wire [DATA_W-1:0] m_data;
  wire [Words-1:0] m_keep;
  wire [1:0] status_error;
  wire [ADDR_W-1:0] axi_araddr;
  wire [BurstW-1:0] axi_arlen;
  dma_read #(
      .ADDR_W(ADDR_W),
      .DATA_W(DATA_W),
      .LEN_W(LEN_W),
      .FIFO_DEPTH(FIFO_DEPTH),
      .BURST(BURST),
      .WORD_ALIGNED(WORD_ALIGNED)
  ) dut (
      .clk,
      .rst,
      .flush,
      .idle,
      .cmd_addr,
      .cmd_len,
      .cmd_valid,
      .cmd_ready,
      .m_data,
      .m_keep,
      .m_last,
      .m_valid,
      .m_ready,
      .status_error,
      .status_valid,
      .axi_araddr,
      .axi_arlen,
      .axi_arvalid,
      .axi_arready,
      .axi_rdata,
      .axi_rresp,
      .axi_rlast,
      .axi_rvalid,
      .axi_rready
  );

  reg on_reg;  // a beat is followed
  wire picked, followed, in_burst;
  wire [C-1:0] bursts, beats, bursts_ahead, beats_ahead;
  wire [BurstW:0] length, left;
  axi_read_rules #(
      .ADDR_W (ADDR_W),
      .DATA_W (DATA_W),
      .COUNT_W(C),
      .BURST  (BURST)
  ) bus (
      .clk,
      .rst,
      .pick(BEATS && pick && !on_reg && !flush),
      .araddr(axi_araddr),
      .arlen(axi_arlen),
      .arvalid(axi_arvalid),
      .arready(axi_arready),
      .rlast(axi_rlast),
      .rvalid(axi_rvalid),
      .rready(axi_rready),
      .bursts,
      .beats,
      .in_burst,
      .picked,
      .followed,
      .bursts_ahead,
      .beats_ahead,
      .length,
      .left
  );

  wire command = cmd_valid && cmd_ready;
  wire ask = axi_arvalid && axi_arready;
  wire leave = m_valid && m_ready;

  // ---- the frame being asked for: by the command, in beats and words ------------------------------

  wire [LEN_W:0] cmd_first = (LEN_W + 1)'(cmd_addr[Lsb-1:0] >> 2);
  wire [LEN_W:0] cmd_words = cmd_first + (LEN_W + 1)'(cmd_len >> 2);
  reg [ADDR_W-1:0] start_reg;
  reg [LEN_W:0] total_reg, asked_reg;
  reg [LaneW-1:0] first_reg, last_reg;
  wire [LEN_W:0] ordinal = asked_reg + (LEN_W + 1)'(pick_beat);

  // ---- the beat that is followed ------------------------------------------------------------------

  reg arrived_reg, ends_reg, begins_reg, tag_ends_reg, tag_begins_reg;
  reg [LaneW-1:0] tag_first_reg, tag_last_reg;
  reg [BurstW-1:0] beat_reg;  // in its burst
  reg [C-1:0] ahead_reg;  // on the bus, then in the queue
  reg [DATA_W-1:0] data_reg;
  reg [1:0] resp_reg;
  wire arrive = on_reg && !arrived_reg && axi_rvalid && ahead_reg == '0;

  // In beats and bursts, from the burst that is asked for next.
  wire [31:0] place_in_block = 32'(dut.addr_reg[Lsb+:BurstW]) % BURST;
  wire [31:0] bursts_behind = 32'(MoreW'(dut.more_reg + 1'b1));
  wire [PtrW:0] credit = dut.spare_reg + (PtrW + 1)'(Reserved);
  wire [PtrW:0] stored = dut.queue.write_reg - dut.queue.read_reg;
  wire [C-1:0] queued = C'(stored) + C'(dut.queue.valid_reg);
  wire [5:0] tags = dut.tags.write_reg - dut.tags.read_reg;
  wire [4:0] tag_place = dut.tags.read_reg[4:0] + bursts_ahead[4:0];
  wire [PtrW-1:0] place =
      dut.queue.read_reg[PtrW-1:0] + ahead_reg[PtrW-1:0] - PtrW'(dut.queue.valid_reg);
  wire [LaneW-1:0] expected_first = begins_reg ? tag_first_reg : '0;
  wire [LaneW-1:0] expected_last = ends_reg ? tag_last_reg : LaneW'(Words - 1);
  logic [Words-1:0] expected_keep;
  always_comb
    for (int unsigned i = 0; i < Words; i++)
      expected_keep[i] = i >= 32'(expected_first) && i <= 32'(expected_last);

  // ---- history ------------------------------------------------------------------------------------

  reg started_reg = 1'b0;
  reg flushed_reg, idle_reg, rst_reg, pending_reg, ended_reg, fresh_reg, bad_reg;
  reg [1:0] error_reg;
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    rst_reg <= rst;
    flushed_reg <= flush;
    idle_reg <= idle;
    pending_reg <= axi_arvalid && !axi_arready;
    ended_reg <= leave && m_last && !flush;
    if (leave) begin
      fresh_reg <= m_last;
      if (fresh_reg || error_reg == 2'b00) error_reg <= dut.out_error;
    end

    if (command) begin
      start_reg <= {cmd_addr[ADDR_W-1:Lsb], {Lsb{1'b0}}};
      total_reg <= (cmd_words + (LEN_W + 1)'(Words - 1)) / (LEN_W + 1)'(Words);
      first_reg <= LaneW'(cmd_first);
      last_reg <= Words > 1 ? LaneW'(cmd_words - 1'b1) : '0;
      asked_reg <= '0;
    end else if (ask) begin
      asked_reg <= asked_reg + (LEN_W + 1)'(axi_arlen) + 1'b1;
    end

    if (picked && pick_beat <= axi_arlen) begin
      on_reg <= 1'b1;
      arrived_reg <= 1'b0;
      beat_reg <= pick_beat;
      ahead_reg <= beats - C'(axi_rvalid) + C'(pick_beat);
      begins_reg <= ordinal == '0;
      ends_reg <= ordinal == total_reg - 1'b1;
      tag_begins_reg <= asked_reg == '0;
      tag_ends_reg <= asked_reg + (LEN_W + 1)'(axi_arlen) + 1'b1 == total_reg;
      tag_first_reg <= first_reg;
      tag_last_reg <= last_reg;
    end else if (arrive) begin
      arrived_reg <= 1'b1;
      data_reg <= axi_rdata;
      resp_reg <= axi_rresp;
      ahead_reg <= queued - C'(leave);
    end else if (on_reg && (arrived_reg ? leave : axi_rvalid)) begin
      ahead_reg <= ahead_reg - 1'b1;
      if (arrived_reg && ahead_reg == '0) on_reg <= 1'b0;
    end
    if (rst || flush) begin
      on_reg <= 1'b0;
      fresh_reg <= 1'b1;
    end
    if (rst) begin
      first_reg <= '0;
      flushed_reg <= 1'b0;
      pending_reg <= 1'b0;
      ended_reg <= 1'b0;
    end
  end

  always_comb begin
    assume (cmd_len[1:0] == 2'b00 && cmd_len != '0 && cmd_addr[1:0] == 2'b00);
    if (!WORD_ALIGNED) assume (cmd_addr[Lsb-1:0] == '0);
    if (!started_reg) assume (rst);
    // A flush is held until idle.
    if (started_reg && flushed_reg && !idle_reg) assume (flush);

    if (started_reg) begin
      assert (tags == 6'(bursts) && bursts <= C'(32));
      assert (dut.in_burst_reg == in_burst);
      assert (stored <= (PtrW + 1)'(FIFO_DEPTH));
      if (axi_rvalid && !rst) assert (flushed_reg || dut.queue.in_ready);
      assert (beats <= C'(FIFO_DEPTH) && credit <= (PtrW + 1)'(FIFO_DEPTH));
      if (pending_reg) assert (bursts < 32 && beats <= C'(FIFO_DEPTH - Reserved));
      if (!flushed_reg) begin
        assert (C'(credit) + beats + queued == C'(FIFO_DEPTH));
        if (pending_reg) assert (32'(credit) >= Reserved);
      end else begin
        assert (credit == (PtrW + 1)'(FIFO_DEPTH) && queued == '0);
        if (idle_reg) assert (idle);
      end

      assert (dut.asked_reg == pending_reg);
      if (dut.active_reg && !flushed_reg) begin
        assert (asked_reg < total_reg);
        assert (total_reg <= (LEN_W + 1)'(2 ** (LEN_W - Lsb) + 1) && 32'(dut.end_reg) < BURST);
        assert (bursts_behind * BURST + 32'(dut.end_reg) + 1 ==
                32'((LEN_W + 1)'(total_reg - asked_reg)) + place_in_block);
        assert (dut.begun_reg == (asked_reg != '0));
        assert (dut.first_reg == (WORD_ALIGNED ? first_reg : '0) && dut.last_reg == last_reg);
        assert (axi_araddr == start_reg + (ADDR_W'(asked_reg) << Lsb));
        if (axi_arvalid)
          assert ((LEN_W + 1)'(axi_arlen) + 1'b1 <= total_reg - asked_reg);
        // Nothing else holds a request back.
        if (!flush && bursts < 32 && beats + queued <= C'(FIFO_DEPTH - Reserved)) assert (axi_arvalid);
      end else if (!dut.active_reg) assert (!axi_arvalid && (flush || cmd_ready));

      if (!BEATS) assert (!on_reg && !followed);
      if (BEATS && on_reg && !arrived_reg) begin
        assert (followed && (BurstW + 1)'(beat_reg) < length && (BurstW + 1)'(beat_reg) >= length - left);
        assert (ahead_reg == beats_ahead + C'(beat_reg) - C'(length - left));
        assert (dut.tags.ram[tag_place] ==
                {tag_ends_reg, tag_begins_reg, tag_last_reg, WORD_ALIGNED ? tag_first_reg : LaneW'(0)});
        assert (ends_reg == (tag_ends_reg && (BurstW + 1)'(beat_reg) == length - 1'b1));
        assert (begins_reg == (tag_begins_reg && beat_reg == '0));
      end
      if (!WORD_ALIGNED) assert (first_reg == '0 && (!on_reg || tag_first_reg == '0));
      if (BEATS && on_reg && arrived_reg) begin
        assert (ahead_reg < queued);
        assert ((dut.queue.valid_reg && ahead_reg == '0 ? dut.queue.latch_reg : dut.queue.ram[place])
                == {data_reg, resp_reg, ends_reg, expected_last, expected_first});
        if (m_valid && ahead_reg == '0) begin
          assert (m_data == data_reg && m_last == ends_reg && m_keep == expected_keep);
          assert (dut.out_error == resp_reg);
        end
      end
      if (m_valid) assert (queued != '0);

      assert (status_valid == ended_reg);
      if (status_valid) assert (status_error == error_reg);
      assert (dut.fresh_reg == fresh_reg);
      if (!fresh_reg) assert (dut.error_reg == error_reg);

      if (idle) assert (bursts == '0 && !axi_arvalid);
      if (flush && bursts == '0 && !pending_reg && flushed_reg) assert (idle);
      if (flush && !pending_reg) assert (!axi_arvalid);

      cover (status_valid && status_error == 2'b10 && beats != '0);
      cover (on_reg && arrived_reg && ends_reg && !begins_reg && leave && ahead_reg == '0);
      cover (flushed_reg && !flush && !rst);
      cover (ask && asked_reg != '0 && asked_reg + (LEN_W + 1)'(axi_arlen) + 1'b1 == total_reg);
    end
  end

endmodule
