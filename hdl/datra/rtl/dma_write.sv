// SPDX-License-Identifier: Apache-2.0

// Writes the frames of a stream to memory over AXI.
//
// A command is an address and a length in bytes, both multiples of 4, the length not zero; the start
// address is a multiple of the bus width unless WORD_ALIGNED. The frame ends when the length is full
// or with the beat that has `s_last`, whichever is first; the status tells its true length and which
// of the two it was (`status_eob`). A beat belongs to one frame: words beyond the length are dropped.
//
//   - Bursts end where the address is a multiple of BURST beats: none crosses 4 KiB, and all but the
//     outer two of a frame are whole cache lines. 16 beats suit AXI3, AXI4 takes up to 256; the length
//     has 4 bits then, else 8.
//   - Store and forward: a burst is announced when all its beats are in the queue, so a slow source
//     never holds the bus in the middle of one, and an early end never leaves a burst too long.
//   - With CUT_THROUGH a burst is announced when its first beat is in the queue, as long as the command
//     lets it be, and its data follow as they come. This is for a source that does not pause: the bus
//     waits with the source. Beats without a strobe fill up what an early end or a flush leaves of it.
//   - A burst is announced AW_LEAD beats before the data before it has gone: no cycle is lost between
//     bursts, and none of the slave's outstanding bursts is taken while it would only wait.
//   - Its data are shown from the cycle after its address is, whether or not that has been taken.
//   - As many frames are in flight as have bursts without an answer, OPEN_BURSTS at most. The status pulses in
//     the cycle after the answer to the frame's last burst; it cannot be held off. Its error is
//     the first BRESP of the frame that was not OKAY.
//   - The stream's beats lie in the lanes that they take in memory; `s_keep` has a bit for each 32-bit
//     word and is read in a beat with `s_last` only: all words up to the highest one set are valid.
//   - `flush` stops taking, throws away what is not announced, finishes the burst that is, and
//     `idle` then says that the bus owes nothing more.
//
//   - With REALIGN addresses and lengths are any number of bytes. The first byte of a frame is then in
//     lane 0 of its first beat, and `s_keep` has one bit for a byte.
//
// It does not reorder, or look at what it carries.
`default_nettype none
module dma_write #(
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 20,
    parameter int unsigned FIFO_DEPTH = 512,  // beats
    parameter int unsigned BURST = 16,  // beats at most: a power of two, to 16 on AXI3, to 256 on AXI4
    parameter int unsigned OPEN_BURSTS = 32,  // begun and not answered, a power of two
    parameter int unsigned AW_LEAD = 1,
    parameter bit WORD_ALIGNED = 1'b0,
    parameter bit REALIGN = 1'b0,
    parameter bit CUT_THROUGH = 1'b0,
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4,  // of AxLEN, and of a beat in its block
    localparam int unsigned UnitW = REALIGN ? 0 : 2,  // log2 of the bytes of a lane
    localparam int unsigned Lanes = DATA_W / 8 >> UnitW
) (
    input wire clk,
    input wire rst,

    input  wire flush,
    output wire idle,

    input  wire [ADDR_W-1:0] cmd_addr,
    input  wire [ LEN_W-1:0] cmd_len,
    input  wire              cmd_valid,
    output wire              cmd_ready,

    input  wire [DATA_W-1:0] s_data,
    input  wire [ Lanes-1:0] s_keep,
    input  wire              s_last,
    input  wire              s_valid,
    output wire              s_ready,
    output wire              s_final,  // this beat, once taken, ends the frame

    output wire [LEN_W-1:0] status_len,
    output wire             status_eob,
    output wire [      1:0] status_error,
    output wire             status_valid,

    output wire [  ADDR_W-1:0] axi_awaddr,
    output wire [  BurstW-1:0] axi_awlen,
    output wire                axi_awvalid,
    input  wire                axi_awready,
    output wire [  DATA_W-1:0] axi_wdata,
    output wire [DATA_W/8-1:0] axi_wstrb,
    output wire                axi_wlast,
    output wire                axi_wvalid,
    input  wire                axi_wready,
    input  wire [         1:0] axi_bresp,
    input  wire                axi_bvalid,
    output wire                axi_bready
);

  localparam int unsigned Lsb = $clog2(DATA_W / 8);
  localparam int unsigned LaneW = Lanes > 1 ? $clog2(Lanes) : 1;
  localparam int unsigned EndW = LEN_W - UnitW + 1;
  localparam bit Offset = WORD_ALIGNED || REALIGN;  // a frame may begin inside a beat
  localparam int unsigned BeatW = LEN_W - Lsb + 1;
  localparam int unsigned PtrW = $clog2(OPEN_BURSTS);
  // By name: yosys takes the complement of a cast constant for the constant itself.
  localparam logic [BurstW-1:0] Within = BurstW'(BURST - 1);  // places of a burst

  if (ADDR_W < 12 || ADDR_W > 64) $fatal(0, "dma_write: ADDR_W %0d", ADDR_W);
  if (LEN_W < 5 || LEN_W > 24) $fatal(0, "dma_write: LEN_W %0d", LEN_W);
  if (BURST > 256 || BURST != 2 ** $clog2(BURST)) $fatal(0, "dma_write: BURST %0d", BURST);
  if (BURST > 16 && (ADDR_W < 13 || FIFO_DEPTH < 2 * BURST))
    $fatal(0, "dma_write: BURST %0d with ADDR_W %0d, FIFO_DEPTH %0d", BURST, ADDR_W, FIFO_DEPTH);
  if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) $fatal(0, "dma_write: DATA_W %0d", DATA_W);
  if (FIFO_DEPTH < 32 || FIFO_DEPTH > 65536) $fatal(0, "dma_write: FIFO_DEPTH %0d", FIFO_DEPTH);
  if (OPEN_BURSTS < 2 || OPEN_BURSTS > 256 || OPEN_BURSTS != 2 ** PtrW)
    $fatal(0, "dma_write: OPEN_BURSTS %0d", OPEN_BURSTS);
  if (AW_LEAD < 1 || AW_LEAD > 15) $fatal(0, "dma_write: AW_LEAD %0d is not in 1..15", AW_LEAD);

  // ---- taking: the frame that the stream is in ------------------------------------------------

  reg [ADDR_W-1:Lsb+BurstW] block_reg, block_next;  // of 2^BurstW beats, where the next beat goes
  reg [BurstW-1:0] place_reg, place_next;  // of the next beat in its block
  reg [BurstW-1:0] start_reg, start_next;  // of the burst in its block
  reg [BeatW-1:0] left_reg, left_next;  // beats until the length is full
  reg [BeatW-1:0] done_reg, done_next;
  reg [LaneW-1:0] first_reg, first_next, last_reg, last_next;
  reg active_reg, active_next;

  wire [EndW-1:0] cmd_end = Offset
      ? EndW'(cmd_len[LEN_W-1:UnitW]) + EndW'(cmd_addr[Lsb-1:0] >> UnitW)
      : EndW'(cmd_len[LEN_W-1:UnitW]);

  // The stream as its beats lie in memory.
  wire [DATA_W-1:0] beat_data;
  wire [LaneW-1:0] beat_top;  // of a last beat, the highest valid lane
  wire beat_last, beat_valid, beat_ready;
  wire queue_ready, bursts_full;
  wire opens = place_reg == start_reg;  // the next beat begins a burst
  wire table_ready = !bursts_full || (CUT_THROUGH && !opens);
  wire filling;  // beats without a strobe, up to the end of a burst that was announced longer
  assign beat_ready = active_reg && queue_ready && table_ready && !filling && !flush;
  wire take = beat_valid && beat_ready;
  wire fill = filling && queue_ready;

  wire full = left_reg == BeatW'(1);
  wire block_ends = &(place_reg | ~Within);
  wire frame_ends = full || beat_last;
  wire burst_ends = CUT_THROUGH ? full || block_ends : frame_ends || block_ends;
  wire release_frame = CUT_THROUGH ? (take && frame_ends && burst_ends) || (fill && burst_ends)
      : take && frame_ends;

  logic [LaneW-1:0] highest;
  always_comb begin
    highest = '0;
    for (int unsigned i = 0; i < Lanes; i++) if (s_keep[i]) highest = LaneW'(i);
  end

  if (REALIGN) begin : bytes
    byte_place #(
        .DATA_W(DATA_W),
        .LEN_W(LEN_W)
    ) place (
        .clk,
        .rst(rst || flush),
        .begins(cmd_valid && cmd_ready),
        .offset(LaneW'(cmd_addr[Lsb-1:0])),
        .length(cmd_len),
        .full,
        .s_data,
        .s_top(highest),
        .s_last,
        .s_valid,
        .s_ready,
        .s_final,
        .m_data(beat_data),
        .m_top(beat_top),
        .m_last(beat_last),
        .m_valid(beat_valid),
        .m_ready(beat_ready)
    );
  end else begin : words
    assign beat_data = s_data;
    assign beat_top = highest;
    assign beat_last = s_last;
    assign beat_valid = s_valid;
    assign s_ready = beat_ready;
    assign s_final = frame_ends;
  end

  // The highest valid lane of this beat.
  logic [LaneW-1:0] top;
  always_comb begin
    top = beat_last ? beat_top : LaneW'(Lanes - 1);
    if (full && last_reg < top) top = last_reg;
  end

  assign cmd_ready = !flush && (!active_reg || release_frame);

  if (CUT_THROUGH) begin : through
    reg filling_reg;
    assign filling = filling_reg;
    always_ff @(posedge clk) begin
      if ((take && beat_last && !burst_ends) || (flush && active_reg && !opens)) filling_reg <= 1'b1;
      if (fill && burst_ends) filling_reg <= 1'b0;
      if (rst) filling_reg <= 1'b0;
    end
  end else begin : stored
    assign filling = 1'b0;
  end

  always_comb begin
    block_next = block_reg;
    place_next = place_reg;
    start_next = start_reg;
    left_next = left_reg;
    done_next = done_reg;
    first_next = first_reg;
    last_next = last_reg;
    active_next = active_reg;

    if (take || fill) begin
      place_next = place_reg + 1'b1;
      left_next  = left_reg - 1'b1;
      done_next  = done_reg + 1'b1;
      if (&place_reg) block_next = block_reg + 1'b1;
      if (burst_ends) start_next = place_next;
    end
    if (release_frame) active_next = 1'b0;
    if (flush) active_next = 1'b0;

    if (cmd_valid && cmd_ready) begin
      {block_next, place_next} = cmd_addr[ADDR_W-1:Lsb];
      start_next = cmd_addr[Lsb+:BurstW];
      left_next = BeatW'((cmd_end - 1'b1) >> (Lsb - UnitW)) + 1'b1;
      done_next = '0;
      first_next = Offset && Lanes > 1 ? LaneW'(cmd_addr[Lsb-1:0] >> UnitW) : '0;
      last_next = Lanes > 1 ? LaneW'(cmd_end - 1'b1) : '0;
      active_next = 1'b1;
    end
  end

  reg drop_reg;  // empties the queue
  wire [LaneW-1:0] bottom = Offset && done_reg == '0 ? first_reg : '0;
  wire [LaneW-1:0] lane_top = filling ? '0 : top;
  wire [LaneW-1:0] lane_bottom = filling ? LaneW'(1) : bottom;
  localparam int unsigned EntryW = DATA_W + 2 * LaneW;
  wire [EntryW-1:0] entry;
  wire entry_valid, entry_pop;
  fifo_block #(
      .WIDTH(EntryW),
      .DEPTH(FIFO_DEPTH)
  ) queue (
      .clk,
      .rst,
      .clear(drop_reg),
      .in_data({beat_data, lane_top, lane_bottom}),
      .in_valid(take || fill),
      .in_ready(queue_ready),
      .out_data(entry),
      .out_valid(entry_valid),
      .out_ready(entry_pop)
  );

  // ---- bursts: closed, then announced, then answered; one table, three pointers -----------------

  reg [PtrW:0] closed_reg, announced_reg, answered_reg;
  assign bursts_full = closed_reg == {~answered_reg[PtrW], answered_reg[PtrW-1:0]};

  (* ram_style = "distributed", ramstyle = "MLAB", syn_ramstyle = "distributed" *) reg [ADDR_W-Lsb-1:0] start_table[OPEN_BURSTS];
  (* ram_style = "distributed", ramstyle = "MLAB", syn_ramstyle = "distributed" *) reg [BurstW-1:0] length_table[OPEN_BURSTS];
  localparam int unsigned CountW = LEN_W - UnitW;
  (* ram_style = "distributed", ramstyle = "MLAB", syn_ramstyle = "distributed" *) reg [CountW+1:0] frame_table[OPEN_BURSTS];

  // With CUT_THROUGH a burst has its place in the table from its first beat on.
  wire close = take && (CUT_THROUGH ? opens : burst_ends);
  wire [BurstW-1:0] to_block_end = ~place_reg & Within;
  wire [BurstW-1:0] planned =
      32'(left_reg) <= 32'(to_block_end) ? BurstW'(left_reg) - 1'b1 : to_block_end;
  wire [PtrW-1:0] frame_place =
      CUT_THROUGH && !opens ? closed_reg[PtrW-1:0] - 1'b1 : closed_reg[PtrW-1:0];
  // Lanes up to the highest valid one, less those before the frame's start.
  wire [CountW-1:0] lanes;
  if (Lanes > 1) begin : wide
    assign lanes = {done_reg[LEN_W-Lsb-1:0], top};
  end else begin : narrow
    assign lanes = done_reg[CountW-1:0];
  end
  wire [CountW-1:0] units = lanes + 1'b1 - (Offset ? CountW'(first_reg) : '0);
  always_ff @(posedge clk) begin
    if (close) begin
      start_table[closed_reg[PtrW-1:0]]  <= {block_reg, start_reg};
      length_table[closed_reg[PtrW-1:0]] <= CUT_THROUGH ? planned : place_reg - start_reg;
    end
    if (CUT_THROUGH ? take : close) frame_table[frame_place] <= {beat_last, frame_ends, units};
  end

  // ---- giving: a burst whose data are going, and perhaps the next, announced ----------------------

  reg [BurstW:0] going_reg;  // beats left of the burst whose data are going
  reg next_reg;  // the address of the one after it has been shown
  reg [BurstW-1:0] next_len_reg;
  reg asked_reg;  // AWVALID is up and may not fall

  wire [BurstW-1:0] announced_len = length_table[announced_reg[PtrW-1:0]];
  assign axi_awaddr = {start_table[announced_reg[PtrW-1:0]], {Lsb{1'b0}}};
  assign axi_awlen = announced_len;
  wire show = !asked_reg && !flush && closed_reg != announced_reg && !next_reg &&
      going_reg <= (BurstW + 1)'(AW_LEAD);
  assign axi_awvalid = asked_reg || show;
  wire announce = axi_awvalid && axi_awready;

  wire [LaneW-1:0] out_top, out_bottom;
  assign {axi_wdata, out_top, out_bottom} = entry;
  for (genvar i = 0; i < DATA_W / 8; i++) begin : strobe
    // The outermost lanes compare with constants.
    // verilator lint_off UNSIGNED
    // verilator lint_off CMPCONST
    assign axi_wstrb[i] = (!(Offset || CUT_THROUGH) || i >> UnitW >= out_bottom) && i >> UnitW <= out_top;
    // verilator lint_on UNSIGNED
    // verilator lint_on CMPCONST
  end
  assign axi_wvalid = entry_valid && going_reg != '0;
  assign axi_wlast = going_reg == (BurstW + 1)'(1);
  assign entry_pop = axi_wready && going_reg != '0;
  wire give = axi_wvalid && axi_wready;

  // ---- answers ---------------------------------------------------------------------------------

  wire answer_ends, answer_eob;
  wire [CountW-1:0] answer_units;
  assign {answer_eob, answer_ends, answer_units} = frame_table[answered_reg[PtrW-1:0]];
  assign axi_bready = 1'b1;

  reg [CountW-1:0] units_reg;
  reg eob_reg, ended_reg, fresh_reg;
  reg [1:0] error_reg;
  assign status_len   = LEN_W'(units_reg) << UnitW;
  assign status_eob   = eob_reg;
  assign status_error = error_reg;
  assign status_valid = ended_reg;

  assign idle = !active_reg && !filling && going_reg == '0 && !asked_reg && announced_reg == answered_reg;

  always_ff @(posedge clk) begin
    block_reg <= block_next;
    place_reg <= place_next;
    start_reg <= start_next;
    left_reg <= left_next;
    done_reg <= done_next;
    first_reg <= first_next;
    last_reg <= last_next;
    active_reg <= active_next;

    if (close) closed_reg <= closed_reg + 1'b1;
    if (announce) announced_reg <= announced_reg + 1'b1;
    if (axi_bvalid) answered_reg <= answered_reg + 1'b1;
    asked_reg <= axi_awvalid && !axi_awready;

    if (give) going_reg <= going_reg - 1'b1;
    if (going_reg == '0 || (give && axi_wlast)) begin
      next_reg  <= 1'b0;
      going_reg <= next_reg ? (BurstW + 1)'(next_len_reg) + 1'b1
          : show ? (BurstW + 1)'(announced_len) + 1'b1 : '0;
    end else if (show) begin
      next_reg <= 1'b1;
    end
    if (show) next_len_reg <= announced_len;

    // While no burst is announced, what the queue still holds belongs to none.
    drop_reg  <= flush && going_reg == '0 && !axi_awvalid;

    ended_reg <= axi_bvalid && answer_ends && !flush;
    if (axi_bvalid) begin
      units_reg <= answer_units;
      eob_reg   <= answer_eob;
      fresh_reg <= answer_ends;
      if (fresh_reg || error_reg == 2'b00) error_reg <= axi_bresp;
    end
    if (flush) begin
      fresh_reg <= 1'b1;
      if (!axi_awvalid) closed_reg <= announced_reg;
    end

    if (rst) begin
      active_reg <= 1'b0;
      closed_reg <= '0;
      announced_reg <= '0;
      answered_reg <= '0;
      asked_reg <= 1'b0;
      going_reg <= '0;
      next_reg <= 1'b0;
      drop_reg <= 1'b0;
      ended_reg <= 1'b0;
      fresh_reg <= 1'b1;
    end
  end

endmodule
`default_nettype wire
