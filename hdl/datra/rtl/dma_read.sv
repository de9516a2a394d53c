// SPDX-License-Identifier: Apache-2.0

// Reads frames from memory over AXI and gives them out as a stream.
//
// A command is an address and a length in bytes, both multiples of 4, the length not zero; the start
// address is a multiple of the bus width unless WORD_ALIGNED. Commands are taken as fast as their
// bursts can be asked for: as many frames are in flight as the slave lets bursts be outstanding.
//
//   - Bursts end where the address is a multiple of BURST beats. None therefore crosses 4 KiB, and each
//     burst but the outer two is whole cache lines. 16 beats suit AXI3; AXI4 takes up to 256, which a
//     slave of few outstanding bursts and a long latency needs. The length has 4 bits then, else 8.
//   - A burst is asked for only when the queue has room for all of it: RREADY is always high, and a
//     stalled sink never stalls the bus for others.
//   - The stream's beats lie in the lanes that they have in memory: `m_keep` has one bit for a 32-bit
//     word, clear in the first beat before the start address and in the last behind the end.
//   - The status pulses in the cycle after the frame's last beat has left; it cannot be held off.
//     Its error is the first RRESP of the frame that was not OKAY; the frame keeps its length.
//   - `flush` stops asking, throws away what is on its way, and `idle` then says that the bus owes
//     nothing more. Commands not yet begun are the caller's.
//
//   - With REALIGN addresses and lengths are any number of bytes. The first byte of a frame is then in
//     lane 0 of its first beat, and `m_keep` has one bit for a byte, clear behind the end only.
//
// It does not reorder, or look at what it carries.
`default_nettype none
module dma_read #(
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 20,
    parameter int unsigned FIFO_DEPTH = 512,  // beats of credit
    parameter int unsigned BURST = 16,  // beats at most: a power of two, to 16 on AXI3, to 256 on AXI4
    parameter int unsigned OPEN_BURSTS = 32,  // asked for and not yet answered, a power of two
    parameter bit WORD_ALIGNED = 1'b0,
    parameter bit REALIGN = 1'b0,
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

    output wire [DATA_W-1:0] m_data,
    output wire [ Lanes-1:0] m_keep,
    output wire              m_last,
    output wire              m_valid,
    input  wire              m_ready,

    output wire [1:0] status_error,
    output wire       status_valid,

    output wire [ADDR_W-1:0] axi_araddr,
    output wire [BurstW-1:0] axi_arlen,
    output wire              axi_arvalid,
    input  wire              axi_arready,
    input  wire [DATA_W-1:0] axi_rdata,
    input  wire [       1:0] axi_rresp,
    input  wire              axi_rlast,
    input  wire              axi_rvalid,
    output wire              axi_rready
);

  localparam int unsigned Lsb = $clog2(DATA_W / 8);
  localparam int unsigned LaneW = Lanes > 1 ? $clog2(Lanes) : 1;
  localparam int unsigned BlockW = $clog2(BURST) + Lsb - UnitW;  // log2 of the lanes of a whole burst
  localparam int unsigned SpanW = (LEN_W - UnitW > BlockW ? LEN_W - UnitW : BlockW) + 1;
  localparam bit Offset = WORD_ALIGNED || REALIGN;  // a frame may begin inside a beat
  localparam int unsigned CreditW = $clog2(FIFO_DEPTH) + 1;
  localparam int unsigned Reserved = BURST > 16 ? BURST : 16;  // credit for a burst of any length

  if (ADDR_W < 12 || ADDR_W > 64) $fatal(0, "dma_read: ADDR_W %0d", ADDR_W);
  if (LEN_W < 5 || LEN_W > 24) $fatal(0, "dma_read: LEN_W %0d", LEN_W);
  if (BURST > 256 || BURST != 2 ** $clog2(BURST)) $fatal(0, "dma_read: BURST %0d", BURST);
  if (BURST > 16 && (ADDR_W < 13 || FIFO_DEPTH < 2 * BURST))
    $fatal(0, "dma_read: BURST %0d with ADDR_W %0d, FIFO_DEPTH %0d", BURST, ADDR_W, FIFO_DEPTH);
  if (OPEN_BURSTS < 2 || OPEN_BURSTS > 256 || OPEN_BURSTS != 2 ** $clog2(OPEN_BURSTS))
    $fatal(0, "dma_read: OPEN_BURSTS %0d", OPEN_BURSTS);
  if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) $fatal(0, "dma_read: DATA_W %0d", DATA_W);
  if (FIFO_DEPTH < 32 || FIFO_DEPTH > 65536) $fatal(0, "dma_read: FIFO_DEPTH %0d", FIFO_DEPTH);

  // The frame being asked for: its next beat's place, the bursts behind the next but one, negative when the
  // next is the last; where that ends in its block; the frame's outer lanes.
  reg [ADDR_W-1:Lsb] addr_reg, addr_next;
  reg [SpanW-BlockW-1:0] more_reg, more_next;
  reg [BurstW-1:0] end_reg, end_next;
  reg [LaneW-1:0] first_reg, first_next, last_reg, last_next;
  reg begun_reg, begun_next;
  reg active_reg, active_next;
  reg asked_reg;  // ARVALID is up and may not fall
  // Beats that may be asked for, less those of a burst: negative when there is none for a whole one.
  reg [CreditW-1:0] spare_reg;

  // The frame's last lane, counted from the begin of the second block that its bursts may not leave: in one
  // sum, whose parts are all that is to be known of the frame's end.
  localparam bit [BurstW-1:0] Within = BurstW'(BURST - 1);
  localparam bit [SpanW-1:0] Lanewise = SpanW'(2 ** BlockW - (Offset ? 1 : Lanes));
  wire [SpanW-1:0] cmd_begin = SpanW'(cmd_addr >> UnitW) & Lanewise;
  wire [SpanW-1:0] span = SpanW'(cmd_len[LEN_W-1:UnitW]) + cmd_begin - SpanW'(2 ** BlockW + 1);

  wire [BurstW-1:0] place = addr_reg[Lsb+:BurstW];
  wire [BurstW:0] block_end = (BurstW + 1)'(place | Within) + 1'b1;
  wire final_burst = more_reg[SpanW-BlockW-1];

  wire tags_full;
  assign axi_araddr = {addr_reg, {Lsb{1'b0}}};
  assign axi_arlen = (final_burst ? end_reg : Within) - (place & Within);
  assign axi_arvalid = active_reg && (asked_reg || (!flush && !tags_full && !spare_reg[CreditW-1]));
  wire ask = axi_arvalid && axi_arready;

  assign cmd_ready = !flush && (!active_reg || (ask && final_burst));

  always_comb begin
    addr_next = addr_reg;
    more_next = more_reg;
    end_next = end_reg;
    first_next = first_reg;
    last_next = last_reg;
    begun_next = begun_reg;
    active_next = active_reg;

    if (ask) begin
      addr_next = {
        addr_reg[ADDR_W-1:Lsb+BurstW] + (ADDR_W - Lsb - BurstW)'(block_end[BurstW]),
        block_end[BurstW-1:0]
      };
      more_next = more_reg - 1'b1;
      begun_next = 1'b1;
      if (final_burst) active_next = 1'b0;
    end
    if (flush && !(axi_arvalid && !axi_arready)) active_next = 1'b0;

    if (cmd_valid && cmd_ready) begin
      addr_next = cmd_addr[ADDR_W-1:Lsb];
      more_next = span[SpanW-1:BlockW];
      end_next = BurstW'(span >> Lsb - UnitW) & Within;
      first_next = Offset && Lanes > 1 ? LaneW'(cmd_addr[Lsb-1:0] >> UnitW) : '0;
      last_next = Lanes > 1 ? LaneW'(span) : '0;
      begun_next = 1'b0;
      active_next = 1'b1;
    end
  end

  // What the R channel does not tell of a burst: whether the frame begins and ends in it, in which lanes.
  wire [2*LaneW+1:0] tag;
  wire tags_empty;
  wire [1:0] ends = {final_burst, !begun_reg};
  fifo_table #(
      .WIDTH(2 * LaneW + 2),
      .DEPTH(OPEN_BURSTS)
  ) tags (
      .clk,
      .rst,
      .push(ask),
      .in_data({ends, last_reg, first_reg}),
      .full(tags_full),
      .pop(axi_rvalid && axi_rlast),
      .out_data(tag),
      .empty(tags_empty)
  );
  wire tag_ends, tag_begins;
  wire [LaneW-1:0] tag_last, tag_first;
  assign {tag_ends, tag_begins, tag_last, tag_first} = tag;

  reg  in_burst_reg;
  wire r_begins = Offset && tag_begins && !in_burst_reg;
  wire r_ends = tag_ends && axi_rlast;
  wire [LaneW-1:0] r_first = r_begins ? tag_first : '0;
  wire [LaneW-1:0] r_last = r_ends ? tag_last : LaneW'(Lanes - 1);

  localparam int unsigned EntryW = DATA_W + 2 + 1 + 2 * LaneW;
  wire [EntryW-1:0] entry;
  wire entry_valid, entry_ready;
  fifo_block #(
      .WIDTH(EntryW),
      .DEPTH(FIFO_DEPTH)
  ) queue (
      .clk,
      .rst,
      .clear(flush),
      .in_data({axi_rdata, axi_rresp, r_ends, r_last, r_first}),
      .in_valid(axi_rvalid),
      .in_ready(),  // credit says so
      .out_data(entry),
      .out_valid(entry_valid),
      .out_ready(entry_ready)
  );
  wire [DATA_W-1:0] out_data;
  wire [LaneW-1:0] out_first, out_last;
  wire [1:0] out_error, error;
  wire out_ends;
  assign {out_data, out_error, out_ends, out_last, out_first} = entry;
  if (REALIGN) begin : bytes
    byte_align #(
        .DATA_W(DATA_W)
    ) align (
        .clk,
        .rst(rst || flush),
        .s_data(out_data),
        .s_begin(out_first),
        .s_end(out_last),
        .s_last(out_ends),
        .s_error(out_error),
        .s_valid(entry_valid),
        .s_ready(entry_ready),
        .m_data,
        .m_keep,
        .m_last,
        .m_error(error),
        .m_valid,
        .m_ready
    );
  end else begin : lanes
    assign m_data = out_data;
    assign m_last = out_ends;
    assign m_valid = entry_valid;
    assign entry_ready = m_ready;
    assign error = out_error;
    for (genvar i = 0; i < Lanes; i++) begin : keep
      // The outermost lanes compare with constants.
      // verilator lint_off UNSIGNED
      // verilator lint_off CMPCONST
      assign m_keep[i] = (!WORD_ALIGNED || i >= out_first) && i <= out_last;
      // verilator lint_on UNSIGNED
      // verilator lint_on CMPCONST
    end
  end
  wire leave = m_valid && m_ready;
  wire [CreditW-1:0] asked = CreditW'(axi_arlen);  // beats, less one

  reg [1:0] error_reg;
  reg done_reg, fresh_reg;
  assign status_error = error_reg;
  assign status_valid = done_reg;

  assign axi_rready = 1'b1;
  assign idle = !active_reg && tags_empty;

  always_ff @(posedge clk) begin
    addr_reg <= addr_next;
    more_reg <= more_next;
    end_reg <= end_next;
    first_reg <= first_next;
    last_reg <= last_next;
    begun_reg <= begun_next;
    active_reg <= active_next;
    asked_reg <= axi_arvalid && !axi_arready;
    spare_reg <= spare_reg + CreditW'(entry_valid && entry_ready) + (ask ? ~asked : '0);
    if (axi_rvalid) in_burst_reg <= !axi_rlast;
    done_reg <= leave && m_last;
    if (leave) begin
      fresh_reg <= m_last;
      if (fresh_reg || error_reg == 2'b00) error_reg <= error;
    end
    if (flush) begin
      spare_reg <= CreditW'(FIFO_DEPTH - Reserved);
      fresh_reg <= 1'b1;
      done_reg <= 1'b0;
    end
    if (rst) begin
      active_reg <= 1'b0;
      asked_reg <= 1'b0;
      spare_reg <= CreditW'(FIFO_DEPTH - Reserved);
      in_burst_reg <= 1'b0;
      done_reg <= 1'b0;
      fresh_reg <= 1'b1;
    end
  end

endmodule
`default_nettype wire
