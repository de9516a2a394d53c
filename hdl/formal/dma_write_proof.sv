// SPDX-License-Identifier: Apache-2.0

// dma_write, by induction.
//
//   - Any beat that is taken leaves once, in its turn, with its data, to the address that the command
//     and its number in the frame give, and with strobes by address, length and `s_keep`. A beat is
//     picked by the solver when it is taken and followed through the queue.
//   - Its data never wait for AWREADY: as soon as its turn comes they are shown.
//   - Store and forward: WVALID never falls in a burst (axi_write_rules, GAPLESS).
//   - Any burst that is closed has a status in the cycle after its answer if it ends a frame, and none
//     if not; length, end of block and first error are the frame's.
//   - An address is shown no more than AW_LEAD beats before the data before it have gone.
//   - A flush announces nothing new, finishes what is announced; when `idle` nothing is owed or begun.
//
// Where bursts begin in the stream is kept beside the table of bursts as counts of beats, so that the
// queue always holds exactly what the table says.
// The solver gets it in parts: 0 pointers and places, 1 the beat, 2 the burst and its status, 3 the
// sums of beats and the bus rules. 0 assumes of 3 what held a cycle before, 3 assumes 0, and 1 and 2
// assume both: none leans on itself. 4 is everything, for a bounded check.
// With DATA 0 the bus rules do not look at data, and the queue's memory falls away: for the longest bursts.
`define ALWAYS(holds) begin if (PART == 0 || PART == 4) assert (holds); else assume (holds); end
`define SUMS(holds) \
  begin if (PART == 3 || PART == 4) assert (holds); else if (PART != 0) assume (holds); sums &= (holds); end
`define POINTERS(holds) if (PART == 0 || PART == 4) assert (holds)
`define BEAT(holds) if (PART == 1 || PART == 4) assert (holds)
`define STATUS(holds) if (PART == 2 || PART == 4) assert (holds)

module dma_write_proof #(
    parameter int unsigned ADDR_W = 13,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 8,
    parameter int unsigned FIFO_DEPTH = 32,
    parameter int unsigned OPEN_BURSTS = 4,
    parameter int unsigned AW_LEAD = 1,
    parameter int unsigned BURST = 16,
    parameter bit WORD_ALIGNED = 1'b0,
    parameter int unsigned PART = 0,
    parameter bit DATA = 1'b1,
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4,
    localparam int unsigned Words = DATA_W / 32
) (
    input wire              clk,
    input wire              rst,
    input wire              flush,
    input wire [ADDR_W-1:0] cmd_addr,
    input wire [ LEN_W-1:0] cmd_len,
    input wire              cmd_valid,
    input wire [DATA_W-1:0] s_data,
    input wire [ Words-1:0] s_keep,
    input wire              s_last,
    input wire              s_valid,
    input wire              axi_awready,
    input wire              axi_wready,
    input wire [       1:0] axi_bresp,
    input wire              axi_bvalid,
    input wire              pick,
    input wire              pick_close
);

  localparam int unsigned Lsb = $clog2(DATA_W / 8);
  localparam int unsigned LaneW = Words > 1 ? $clog2(Words) : 1;
  localparam int unsigned C = $clog2(FIFO_DEPTH) + 1;  // of counts of beats, FIFO_DEPTH + 1 at most apart
  localparam int unsigned PtrW = $clog2(FIFO_DEPTH);
  localparam int unsigned P = $clog2(OPEN_BURSTS);  // of places in the table of bursts
  typedef logic [P:0] turn_t;  // a place, and whether its round is odd
  typedef logic [P-1:0] place_t;

  wire idle, cmd_ready, s_ready, s_final, status_eob, status_valid;
  wire axi_awvalid, axi_wlast, axi_wvalid, axi_bready;
  wire [LEN_W-1:0] status_len;
  wire [1:0] status_error;
  wire [ADDR_W-1:0] axi_awaddr;
  wire [BurstW-1:0] axi_awlen;
  wire [DATA_W-1:0] axi_wdata;
  wire [DATA_W/8-1:0] axi_wstrb;
  dma_write #(
      .ADDR_W(ADDR_W),
      .DATA_W(DATA_W),
      .LEN_W(LEN_W),
      .FIFO_DEPTH(FIFO_DEPTH),
      .BURST(BURST),
      .OPEN_BURSTS(OPEN_BURSTS),
      .AW_LEAD(AW_LEAD),
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
      .s_data,
      .s_keep,
      .s_last,
      .s_valid,
      .s_ready,
      .s_final,
      .status_len,
      .status_eob,
      .status_error,
      .status_valid,
      .axi_awaddr,
      .axi_awlen,
      .axi_awvalid,
      .axi_awready,
      .axi_wdata,
      .axi_wstrb,
      .axi_wlast,
      .axi_wvalid,
      .axi_wready,
      .axi_bresp,
      .axi_bvalid,
      .axi_bready
  );

  wire [C-1:0] unanswered, opened;
  wire [1:0][ADDR_W-1:0] address;
  wire [1:0][BurstW:0] left;
  axi_write_rules #(
      .PROVE_MASTER(PART == 3 || PART == 4),
      .ADDR_W (ADDR_W),
      .DATA_W (DATA_W),
      .DEPTH  (2),
      .COUNT_W(C),
      .BURST  (BURST)
  ) bus (
      .clk,
      .rst,
      .awaddr(axi_awaddr),
      .awlen(axi_awlen),
      .awvalid(axi_awvalid),
      .awready(axi_awready),
      .wdata(DATA ? axi_wdata : '0),
      .wstrb(DATA ? axi_wstrb : '0),
      .wlast(axi_wlast),
      .wvalid(axi_wvalid),
      .wready(axi_wready),
      .bvalid(axi_bvalid),
      .bready(axi_bready),
      .unanswered,
      .opened,
      .address,
      .left
  );

  wire command = cmd_valid && cmd_ready;
  wire take = s_valid && s_ready;
  wire give = axi_wvalid && axi_wready;

  // ---- the frame being taken: by the command ------------------------------------------------------

  wire [LEN_W:0] cmd_first = (LEN_W + 1)'(cmd_addr[Lsb-1:0] >> 2);
  wire [LEN_W:0] cmd_words = cmd_first + (LEN_W + 1)'(cmd_len >> 2);
  reg [ADDR_W-1:Lsb] start_reg;
  reg [LEN_W:0] total_reg, taken_reg;
  reg [LaneW-1:0] first_reg, last_reg;
  wire [ADDR_W-1:Lsb] here = start_reg + (ADDR_W - Lsb)'(taken_reg);
  wire fills = taken_reg == total_reg - 1'b1;
  logic [LaneW-1:0] low, high, highest;
  always_comb begin
    highest = '0;
    for (int unsigned i = 0; i < Words; i++) if (s_keep[i]) highest = LaneW'(i);
    low  = taken_reg == '0 ? first_reg : '0;
    high = s_last ? highest : LaneW'(Words - 1);
    if (fills && last_reg < high) high = last_reg;
  end
  wire [LEN_W:0] words = taken_reg * (LEN_W + 1)'(Words) + (LEN_W + 1)'(high) + 1'b1 -
      (LEN_W + 1)'(first_reg);
  wire close = take && (fills || s_last || 32'(here) % BURST == BURST - 1);

  // ---- counts of beats: taken, given, announced; where each burst of the table ends ---------------

  reg [C-1:0] in_reg, out_reg;
  reg [C-1:0] end_table[OPEN_BURSTS];
  wire [P:0] closed = dut.closed_reg, announced = dut.announced_reg, answered = dut.answered_reg;
  wire [P:0] shown = announced + turn_t'(dut.asked_reg);
  wire [C-1:0] announced_end = out_reg + C'(dut.going_reg) +
      (dut.next_reg ? C'(dut.next_len_reg) + 1'b1 : '0);
  wire [P-1:0] before_closed = closed[P-1:0] - 1'b1;
  wire [C-1:0] closed_end = closed == shown ? announced_end : end_table[before_closed];
  wire [BurstW-1:0] open_beats = dut.place_reg - dut.start_reg;
  wire [PtrW:0] stored = dut.queue.write_reg - dut.queue.read_reg;
  wire [C-1:0] queued = C'(stored) + C'(dut.queue.valid_reg);

  // ---- the beat that is followed ------------------------------------------------------------------

  reg on_reg;
  reg [C-1:0] number_reg;  // by the count of beats taken
  reg [P:0] burst_reg;
  reg [DATA_W-1:0] data_reg;
  reg [ADDR_W-1:Lsb] place_reg;
  reg [LaneW-1:0] low_reg, high_reg;
  wire [C-1:0] ahead = number_reg - out_reg;
  wire leaves = on_reg && give && ahead == '0;
  wire [PtrW-1:0] slot = dut.queue.read_reg[PtrW-1:0] + ahead[PtrW-1:0] - PtrW'(dut.queue.valid_reg);
  wire [P:0] bursts_ahead = burst_reg - shown;  // negative when its address is or was shown
  wire told = bursts_ahead >= turn_t'(-2);
  wire [P-1:0] before_burst = burst_reg[P-1:0] - 1'b1;
  wire [C-1:0] burst_start = burst_reg == shown ? announced_end : end_table[before_burst];
  wire [C-1:0] offset = number_reg - burst_start;
  wire going_told = dut.next_reg ? bursts_ahead == turn_t'(-2) : bursts_ahead == turn_t'(-1);

  // ---- the closed burst that is followed to its answer --------------------------------------------

  reg closed_on_reg, ends_reg, eob_reg;
  reg [P:0] before_reg;  // bursts that are answered before it
  reg [LEN_W:0] words_reg;
  wire [P-1:0] closed_place = answered[P-1:0] + before_reg[P-1:0];

  // ---- history ------------------------------------------------------------------------------------

  reg started_reg = 1'b0;
  reg flushed_reg, idle_reg, pending_reg, waited_reg, due_reg, due_ends_reg, due_eob_reg, fresh_reg;
  reg [LEN_W:0] due_words_reg;
  reg [1:0] error_reg;
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    flushed_reg <= flush;
    idle_reg <= idle;
    pending_reg <= axi_awvalid && !axi_awready;
    waited_reg <= stored != '0;

    if (command) begin
      start_reg <= cmd_addr[ADDR_W-1:Lsb];
      total_reg <= (cmd_words + (LEN_W + 1)'(Words - 1)) / (LEN_W + 1)'(Words);
      first_reg <= LaneW'(cmd_first);
      last_reg  <= Words > 1 ? LaneW'(cmd_words - 1'b1) : '0;
      taken_reg <= '0;
    end else if (take) begin
      taken_reg <= taken_reg + 1'b1;
    end

    in_reg  <= dut.drop_reg ? out_reg : in_reg + C'(take);
    out_reg <= out_reg + C'(give);
    if (close) end_table[closed[P-1:0]] <= in_reg + 1'b1;

    if (take && pick && !on_reg) begin
      on_reg <= 1'b1;
      number_reg <= in_reg;
      burst_reg <= closed;
      data_reg <= s_data;
      place_reg <= here;
      low_reg <= low;
      high_reg <= high;
    end else if (leaves || (flush && !told)) begin
      on_reg <= 1'b0;
    end

    due_reg <= 1'b0;
    if (close && pick_close && !closed_on_reg) begin
      closed_on_reg <= 1'b1;
      ends_reg <= fills || s_last;
      eob_reg <= s_last;
      words_reg <= words;
      before_reg <= closed - answered - turn_t'(axi_bvalid);
    end else if (closed_on_reg && axi_bvalid) begin
      before_reg <= before_reg - 1'b1;
      if (before_reg == '0) begin
        closed_on_reg <= 1'b0;
        due_reg <= 1'b1;
        due_ends_reg <= ends_reg;
        due_eob_reg <= eob_reg;
        due_words_reg <= words_reg;
      end
    end
    if (axi_bvalid) begin
      fresh_reg <= dut.answer_ends;
      if (fresh_reg || error_reg == 2'b00) error_reg <= axi_bresp;
    end
    if (flush) fresh_reg <= 1'b1;

    if (rst || flush) begin
      closed_on_reg <= 1'b0;
      due_reg <= 1'b0;
    end
    if (rst) begin
      first_reg <= '0;
      in_reg <= '0;
      out_reg <= '0;
      on_reg <= 1'b0;
      flushed_reg <= 1'b0;
      pending_reg <= 1'b0;
      waited_reg <= 1'b0;
      fresh_reg <= 1'b1;
    end
  end

  logic sums;
  reg sums_reg;
  always_ff @(posedge clk) sums_reg <= sums;

  always_comb begin
    sums = 1'b1;
    if (started_reg && PART == 0) assume (sums_reg);
    assume (cmd_len[1:0] == 2'b00 && cmd_len != '0 && cmd_addr[1:0] == 2'b00);
    if (!WORD_ALIGNED) assume (cmd_addr[Lsb-1:0] == '0);
    if (!started_reg) assume (rst);
    if (started_reg && flushed_reg && !idle_reg) assume (flush);
    // The highest valid word of a last beat is not before the frame's first.
    if (s_valid && s_last) assume (highest >= low);

    if (started_reg) begin
      // Pointers, and what the bus makes of them.
      `ALWAYS(turn_t'(closed - answered) <= turn_t'(OPEN_BURSTS));
      `ALWAYS(turn_t'(announced - answered) <= turn_t'(closed - answered));
      `ALWAYS(C'(turn_t'(announced - answered)) == unanswered);
      `ALWAYS(opened == C'(dut.going_reg != '0) + C'(dut.next_reg));
      `ALWAYS(32'(dut.going_reg) <= BURST);
      if (dut.next_reg) `ALWAYS(dut.going_reg != '0 && left[1] == (BurstW + 1)'(dut.next_len_reg) + 1'b1);
      if (dut.going_reg != '0) `ALWAYS(left[0] == dut.going_reg);
      `ALWAYS(dut.asked_reg == pending_reg && bus.aw_held_reg == pending_reg);
      if (pending_reg) `ALWAYS(closed != announced);

      // A burst stays in its block of BURST beats, hence within 4 KiB.
      for (int unsigned i = 0; i < OPEN_BURSTS; i++)
        if (turn_t'(place_t'(place_t'(i) - announced[P-1:0])) < turn_t'(closed - announced))
          `ALWAYS(32'(dut.start_table[i]) % BURST + 32'(dut.length_table[i]) < BURST);
      if (axi_awvalid) `ALWAYS(32'(axi_awaddr) / (DATA_W / 8) % BURST + 32'(axi_awlen) < BURST);

      // The queue holds what the table says.
      `SUMS(stored <= (PtrW + 1)'(FIFO_DEPTH) && queued == in_reg - out_reg);
      `SUMS(announced_end - out_reg <= queued);
      `SUMS(closed_end - out_reg <= queued && announced_end - out_reg <= closed_end - out_reg);
      for (int unsigned i = 0; i < OPEN_BURSTS; i++)
        if (turn_t'(place_t'(place_t'(i) - shown[P-1:0])) < turn_t'(closed - shown)) begin
          `SUMS(end_table[i] - (place_t'(i) == shown[P-1:0] ? announced_end : end_table[(i + OPEN_BURSTS - 1) % OPEN_BURSTS])
                  == C'(dut.length_table[i]) + 1'b1);
          `SUMS(end_table[i] - out_reg <= closed_end - out_reg);
        end
      if (waited_reg && !dut.drop_reg && queued != '0 && !flushed_reg) `SUMS(axi_wvalid || dut.queue.valid_reg);
      if (dut.going_reg != '0) `SUMS(dut.queue.valid_reg);
      if (closed != shown && !dut.drop_reg) `SUMS(queued != '0);

      if (flushed_reg) begin
        `ALWAYS(!dut.active_reg);
        if (closed != announced) `ALWAYS(pending_reg || dut.going_reg != '0 || announced != answered);
        if (idle_reg) `ALWAYS(dut.drop_reg && closed == announced && opened == '0 && idle);
      end else begin
        `ALWAYS(!dut.drop_reg);
        if (dut.active_reg) begin
          `ALWAYS(taken_reg < total_reg && total_reg <= (LEN_W + 1)'(2 ** (LEN_W - Lsb) + 1));
          `ALWAYS((LEN_W + 1)'(dut.left_reg) == total_reg - taken_reg);
          `ALWAYS((LEN_W + 1)'(dut.done_reg) == taken_reg);
          `ALWAYS({dut.block_reg, dut.place_reg} == here);
          `ALWAYS(dut.first_reg == (WORD_ALIGNED ? first_reg : '0) && dut.last_reg == last_reg);
          `ALWAYS(dut.place_reg >= dut.start_reg);
          `ALWAYS(32'(dut.place_reg) / BURST == 32'(dut.start_reg) / BURST);
          `ALWAYS((LEN_W + 1)'(open_beats) <= taken_reg);
          `SUMS(in_reg == closed_end + C'(open_beats));
          if (s_valid) `ALWAYS(s_final == (fills || s_last));
          if (!flush && turn_t'(closed - answered) != turn_t'(OPEN_BURSTS) && stored != (PtrW + 1)'(FIFO_DEPTH))
            `ALWAYS(s_ready);
        end else begin
          `SUMS(in_reg == closed_end);
          `ALWAYS(!s_ready && (flush || cmd_ready));
        end
      end
      if (dut.drop_reg) `ALWAYS(dut.going_reg == '0 && !axi_awvalid && closed == announced);
      if (!WORD_ALIGNED) `ALWAYS(first_reg == '0 && (!on_reg || low_reg == '0));

      // The beat.
      if (on_reg) begin
        `BEAT(ahead < queued);
        `BEAT((dut.queue.valid_reg && ahead == '0 ? dut.queue.latch_reg : dut.queue.ram[slot]) ==
                {data_reg, high_reg, low_reg});
        if (told) begin
          `BEAT(going_told ? ahead < C'(dut.going_reg)
                             : ahead >= C'(dut.going_reg) && number_reg - out_reg < announced_end - out_reg);
          `BEAT(going_told ? opened != '0 : dut.next_reg);
          `BEAT(place_reg == (going_told
              ? address[0][ADDR_W-1:Lsb] + (ADDR_W - Lsb)'(ahead)
              : address[1][ADDR_W-1:Lsb] + (ADDR_W - Lsb)'(C'(ahead - C'(dut.going_reg)))));
        end else begin
          `BEAT(!flushed_reg);
          `BEAT(bursts_ahead <= turn_t'(closed - shown));
          `BEAT(burst_start - out_reg <= ahead && announced_end - out_reg <= burst_start - out_reg);
          `BEAT(burst_reg == closed
              ? dut.active_reg && offset < C'(open_beats) &&
                place_reg == {dut.block_reg, dut.start_reg} + (ADDR_W - Lsb)'(offset)
              : offset <= C'(dut.length_table[burst_reg[P-1:0]]) &&
                place_reg == dut.start_table[burst_reg[P-1:0]] + (ADDR_W - Lsb)'(offset));
        end
      end
      if (leaves) begin
        `BEAT(axi_wdata == data_reg && address[0][ADDR_W-1:Lsb] == place_reg);
        for (int unsigned i = 0; i < DATA_W / 8; i++)
          `BEAT(axi_wstrb[i] == (i / 4 >= 32'(low_reg) && i / 4 <= 32'(high_reg)));
      end
      if (give) `BEAT(queued != '0);

      // The status.
      if (closed_on_reg) begin
        `STATUS(!flushed_reg && before_reg < turn_t'(closed - answered));
        `STATUS(dut.frame_table[closed_place] ==
                {eob_reg, ends_reg, words_reg[LEN_W-3:0]});
      end
      if (due_reg) begin
        `STATUS(status_valid == due_ends_reg);
        if (due_ends_reg)
          `STATUS(status_len == LEN_W'({due_words_reg, 2'b00}) && status_eob == due_eob_reg);
      end
      `ALWAYS(dut.fresh_reg == fresh_reg);
      if (!fresh_reg || status_valid) `ALWAYS(status_error == error_reg);
      if (status_valid) `ALWAYS(!flushed_reg);

      // An address takes one of the slave's bursts no sooner than it helps.
      if (axi_awvalid && !pending_reg)
        `POINTERS(opened == '0 || (opened == C'(1) && left[0] <= (BurstW + 1)'(AW_LEAD)));
      if (idle && !rst) `POINTERS(!dut.active_reg);
      if (idle && !rst) `ALWAYS(unanswered == '0 && (!axi_awvalid || !flush));
      if (flush && flushed_reg && unanswered == '0 && !pending_reg) `ALWAYS(idle);
      if (flush && !pending_reg) `ALWAYS(!axi_awvalid);

      cover (status_valid && status_error == 2'b10 && !status_eob);
      cover (leaves && low_reg != '0 && dut.next_reg);
      cover (give && axi_wlast && pending_reg && !axi_awready);
      cover (due_reg && due_ends_reg && due_eob_reg && opened != '0);
      cover (flushed_reg && !flush && !rst);
      cover (take && taken_reg == 5 && fills);
    end
  end

endmodule
