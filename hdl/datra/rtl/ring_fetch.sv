// SPDX-License-Identifier: Apache-2.0

// Fetches descriptors of 16 bytes from a ring in memory ahead of their use.
//
//   word 0, 1  address, low and high
//   word 2     [25:0] length in bytes   [31:26] zero
//   word 3     [15:0] user signal       [31:16] for software, not read here
//
// The ring has 2^n entries, at least 16, and starts at a multiple of its size. `tail` counts the
// descriptors that software has written since `enable` rose, modulo 2^INDEX_W; `cyclic` goes round
// for ever instead. The next burst is asked for as soon as the queue has room for a whole
// one. Bursts are of up to 16 beats and end where the address is a multiple of 16 beats. With BURST of 64
// or more they are of up to 14 descriptors and end at the ring's end or at 4 KiB. Not of 16: every 17th burst
// were then one of descriptors, and behind a slave of 4, 8 or 16 bursts each waited for the one before.
//
// After an error response nothing more is fetched or given: `fault` stays until `enable` falls.
// When `enable` has fallen, `idle` says that the bus owes nothing more.
`default_nettype none
module ring_fetch #(
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned DEPTH = 32,  // descriptors
    parameter int unsigned INDEX_W = 16,
    parameter int unsigned BURST = 16,
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4
) (
    input wire clk,
    input wire rst,

    input  wire               enable,
    output wire               idle,
    output wire               fault,
    input  wire               cyclic,
    input  wire [ ADDR_W-1:0] base,
    input  wire [INDEX_W-1:0] mask,     // entries - 1
    input  wire [INDEX_W-1:0] tail,

    // A descriptor as it comes, and whether it can be done, which waits with it.
    output wire [127:0] arriving,
    input  wire         arriving_fits,
    output wire [127:0] descriptor,
    output wire         fits,
    output wire         valid,
    input  wire         ready,

    output wire [ADDR_W-1:0] axi_araddr,
    output wire [BurstW-1:0] axi_arlen,
    output wire              axi_arvalid,
    input  wire              axi_arready,
    input  wire [DATA_W-1:0] axi_rdata,
    input  wire [       1:0] axi_rresp,
    input  wire              axi_rlast,
    input  wire              axi_rvalid
);

  if (ADDR_W < 12 || ADDR_W > 64) $fatal(0, "ring_fetch: ADDR_W %0d", ADDR_W);
  if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) $fatal(0, "ring_fetch: DATA_W %0d", DATA_W);
  if (INDEX_W < 1 || INDEX_W > 16) $fatal(0, "ring_fetch: INDEX_W %0d", INDEX_W);
  if (DEPTH < 4 || DEPTH > 1024 || DEPTH != 2 ** $clog2(DEPTH)) $fatal(0, "ring_fetch: DEPTH %0d", DEPTH);
  if (BURST < 16 || BURST > 256 || BURST != 2 ** $clog2(BURST)) $fatal(0, "ring_fetch: BURST %0d", BURST);

  localparam int unsigned Beats = 128 / DATA_W;  // of a descriptor
  localparam int unsigned BeatW = $clog2(Beats);
  localparam bit Long = BURST >= 64;
  localparam int unsigned Most = Long ? 14 : 16 / Beats;  // descriptors in a burst
  localparam int unsigned MostW = $clog2(Most);
  localparam int unsigned HeldW = $clog2(DEPTH) + 1;

  reg [INDEX_W-1:0] fetched_reg;
  reg [HeldW-1:0] held_reg;  // descriptors in the queue or on their way
  reg [ADDR_W-1:0] address_reg;
  reg [BurstW-1:0] length_reg;
  reg [HeldW-1:0] owed_reg;  // bursts asked for and not yet answered, of a descriptor each at least
  reg asking_reg, fault_reg;

  wire [INDEX_W-1:0] waiting = tail - fetched_reg;
  wire [MostW:0] room;
  if (Long) begin : page
    wire [7:0] behind = 8'(INDEX_W'(~fetched_reg) & mask);  // the next one, in the ring or to 4 KiB
    assign room = behind < 8'(Most) ? (MostW + 1)'(behind) + 1'b1 : (MostW + 1)'(Most);
  end else begin : block
    assign room = (MostW + 1)'(Most) - (MostW + 1)'(fetched_reg[MostW-1:0]);
  end
  wire [MostW:0] count =
      cyclic || waiting > INDEX_W'(room) ? room : waiting[MostW:0];
  wire start = enable && !fault_reg && !asking_reg &&
      (cyclic || waiting != '0) && held_reg <= HeldW'(DEPTH - Most);
  wire asked = asking_reg && axi_arready;
  wire answered = axi_rvalid && axi_rlast;

  assign axi_araddr  = address_reg;
  assign axi_arlen   = length_reg;
  assign axi_arvalid = asking_reg;
  assign fault = fault_reg;
  assign idle = !asking_reg && owed_reg == '0;

  // Beats are put together in a register, the last goes straight in.
  wire [127:0] whole;
  wire complete;
  if (Beats == 1) begin : one
    assign whole = axi_rdata;
    assign complete = axi_rvalid;
  end else begin : several
    reg [128-DATA_W-1:0] part_reg;
    reg [BeatW-1:0] beat_reg;
    assign whole = {axi_rdata, part_reg};
    assign complete = axi_rvalid && &beat_reg;
    always_ff @(posedge clk) begin
      if (axi_rvalid) begin
        part_reg <= whole[127:DATA_W];
        beat_reg <= beat_reg + 1'b1;
      end
      if (rst) beat_reg <= '0;
    end
  end

  wire empty;
  wire stop = rst || !enable;
  fifo_table #(
      .WIDTH(129),
      .DEPTH(DEPTH)
  ) queue (
      .clk,
      .rst(stop),
      .push(complete && enable && !fault_reg && axi_rresp == 2'b00),
      .in_data({arriving_fits, whole}),
      .full(),
      .pop(valid && ready),
      .out_data({fits, descriptor}),
      .empty
  );
  assign valid = !empty;
  assign arriving = whole;

  always_ff @(posedge clk) begin
    if (start) begin
      asking_reg <= 1'b1;
      address_reg <= base | ADDR_W'({fetched_reg & mask, 4'd0});
      length_reg <= BurstW'(((BurstW + 1)'(count) << BeatW) - 1'b1);
      fetched_reg <= fetched_reg + INDEX_W'(count);
    end
    held_reg <= held_reg + (start ? HeldW'(count) : '0) - HeldW'(valid && ready);
    if (asked) asking_reg <= 1'b0;
    if (asked != answered) owed_reg <= asked ? owed_reg + 1'b1 : owed_reg - 1'b1;
    if (axi_rvalid && axi_rresp != 2'b00) fault_reg <= 1'b1;
    if (!enable) begin
      fetched_reg <= '0;
      held_reg <= '0;
      fault_reg <= 1'b0;
    end
    if (rst) begin
      fetched_reg <= '0;
      held_reg <= '0;
      asking_reg <= 1'b0;
      owed_reg <= '0;
      fault_reg <= 1'b0;
    end
  end

endmodule
`default_nettype wire
