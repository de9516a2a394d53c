// SPDX-License-Identifier: Apache-2.0

// Writes statuses of 8 bytes into a ring in memory.
//
// A burst's data are shown together with its address. Statuses that come while it is on its way make
// the next burst, of up to 16 beats. With `patience` zero an idle writer writes a status at once. With
// more, a status waits that many cycles for seven others: a burst of statuses takes one of the slave's
// outstanding bursts from the data for its whole latency, and a slave that has few of them becomes
// slower.
//
// With OPEN_BURSTS 1 one burst is on its way at a time. With more, another follows before its answer if
// it is whole, and a status waits until a burst is whole, not for seven others. With BURST of 64 or more
// a whole burst has 14 statuses and may begin at any, as in ring_fetch.
//
// The ring has 2^n entries, at least 16, and starts at a multiple of its size. `written` counts the
// statuses that memory has acknowledged. The module that puts statuses in lets at most DEPTH of them be
// in here or on their way; `left` pulses when one leaves. Beats are of 8 bytes on a wider bus (AWSIZE).
// An error response sets `fault` until `enable` falls; statuses go on. When `enable` falls a burst that
// has been announced is finished, but writes nothing behind the beat that is shown.
`default_nettype none
module status_ring #(
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned DEPTH = 64,
    parameter int unsigned INDEX_W = 16,
    parameter int unsigned BURST = 16,
    parameter int unsigned OPEN_BURSTS = 1,  // a power of two
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4
) (
    input wire clk,
    input wire rst,

    input  wire               enable,
    output wire               idle,
    output wire               fault,
    input  wire [ ADDR_W-1:0] base,
    input  wire [INDEX_W-1:0] mask,
    output wire [INDEX_W-1:0] written,
    input  wire [       15:0] patience,

    input  wire [63:0] status,
    input  wire        valid,
    output wire        left,

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
    input  wire                axi_bvalid
);

  if (ADDR_W < 12 || ADDR_W > 64) $fatal(0, "status_ring: ADDR_W %0d", ADDR_W);
  if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) $fatal(0, "status_ring: DATA_W %0d", DATA_W);
  if (INDEX_W < 1 || INDEX_W > 16) $fatal(0, "status_ring: INDEX_W %0d", INDEX_W);
  if (DEPTH < 16 || DEPTH > 1024 || DEPTH != 2 ** $clog2(DEPTH)) $fatal(0, "status_ring: DEPTH %0d", DEPTH);
  if (BURST < 16 || BURST > 256 || BURST != 2 ** $clog2(BURST)) $fatal(0, "status_ring: BURST %0d", BURST);
  if (OPEN_BURSTS < 1 || OPEN_BURSTS > 16 || OPEN_BURSTS != 2 ** $clog2(OPEN_BURSTS))
    $fatal(0, "status_ring: OPEN_BURSTS %0d", OPEN_BURSTS);

  localparam int unsigned Beats = DATA_W < 64 ? 64 / DATA_W : 1;  // of a status
  localparam int unsigned BeatW = $clog2(Beats);
  localparam bit Long = BURST >= 64;
  localparam int unsigned Most = Long ? 14 : 16 / Beats;  // statuses in a burst
  localparam int unsigned Enough = OPEN_BURSTS > 1 ? Most : 8;  // of them, for no others to wait for
  localparam int unsigned OpenW = $clog2(OPEN_BURSTS) + 1;
  localparam int unsigned MostW = $clog2(Most);
  localparam int unsigned PtrW = $clog2(DEPTH) + 1;

  reg [INDEX_W-1:0] written_reg, place_reg;
  reg [PtrW-1:0] queued_reg;
  reg [MostW:0] count_reg;
  reg [BurstW:0] beats_reg;  // of the burst, still to be given
  reg [ADDR_W-1:0] address_reg;
  reg [15:0] age_reg;  // counts down from the patience while a status waits
  reg [OpenW-1:0] open_reg;  // bursts begun and not answered
  reg asking_reg, giving_reg, fault_reg;
  reg [Beats > 1 ? BeatW-1 : 0:0] part_reg;

  wire [MostW:0] room;
  if (Long) begin : page
    wire [8:0] behind = 9'(INDEX_W'(~place_reg) & mask);  // the next one, in the ring or to 4 KiB
    assign room = behind < 9'(Most) ? (MostW + 1)'(behind) + 1'b1 : (MostW + 1)'(Most);
  end else begin : block
    assign room = (MostW + 1)'(Most) - (MostW + 1)'(place_reg[MostW-1:0]);
  end
  wire [MostW:0] count = queued_reg > PtrW'(room) ? room : (MostW + 1)'(queued_reg);
  wire enough = queued_reg >= PtrW'(Enough);
  wire due = open_reg == '0 ? age_reg == '0 || enough : enough && open_reg != OpenW'(OPEN_BURSTS);
  wire start = queued_reg != '0 && due && !asking_reg && !giving_reg;
  wire give = axi_wvalid && axi_wready;
  wire last_part = Beats == 1 || &part_reg;
  wire pop = give && last_part;

  wire [63:0] head;
  wire empty;
  // A beat that is shown stays as it is until it is taken, whatever `enable` does.
  reg shown_reg;
  wire writes = enable || shown_reg;
  wire stop = rst || (!enable && !giving_reg);
  fifo_table #(
      .WIDTH(64),
      .DEPTH(DEPTH)
  ) queue (
      .clk,
      .rst(stop),
      .push(valid && enable),
      .in_data(status),
      .full(),
      .pop,
      .out_data(head),
      .empty
  );

  assign axi_awaddr = address_reg;
  assign axi_awlen = BurstW'(((BurstW + 1)'(count_reg) << BeatW) - 1'b1);
  assign axi_awvalid = asking_reg;
  assign axi_wvalid = giving_reg;
  assign axi_wlast = beats_reg == (BurstW + 1)'(1);
  if (DATA_W > 64) begin : wide
    localparam int unsigned Lanes = DATA_W / 64;
    reg [$clog2(Lanes)-1:0] lane_reg;
    assign axi_wdata = {Lanes{head}};
    assign axi_wstrb = writes ? (DATA_W / 8)'(8'hFF) << {lane_reg, 3'b000} : '0;
    always_ff @(posedge clk)
      if (start) lane_reg <= place_reg[$clog2(Lanes)-1:0];
      else if (pop) lane_reg <= lane_reg + 1'b1;
  end else begin : narrow
    assign axi_wdata = DATA_W'(head >> (DATA_W * 32'(part_reg)));
    assign axi_wstrb = {DATA_W / 8{writes}};
  end

  // Of the burst that is answered next.
  wire [MostW:0] answered;
  if (OPEN_BURSTS > 1) begin : several
    fifo_table #(
        .WIDTH(MostW + 1),
        .DEPTH(OPEN_BURSTS)
    ) counts (
        .clk,
        .rst,
        .push(start),
        .in_data(count),
        .full(),
        .pop(axi_bvalid),
        .out_data(answered),
        .empty()
    );
  end else begin : one
    assign answered = count_reg;
  end

  assign written = written_reg;
  assign left = pop;
  assign fault = fault_reg;
  assign idle = open_reg == '0 && queued_reg == '0;

  always_ff @(posedge clk) begin
    age_reg <= queued_reg == '0 || start ? patience : age_reg == '0 ? '0 : age_reg - 1'b1;
    queued_reg <= queued_reg + PtrW'(valid && enable) - PtrW'(pop);
    if (axi_awready) asking_reg <= 1'b0;
    if (start) begin
      asking_reg <= 1'b1;
      giving_reg <= 1'b1;
      address_reg <= base | ADDR_W'({place_reg & mask, 3'd0});
      count_reg <= count;
      beats_reg <= (BurstW + 1)'(count) << BeatW;
      place_reg <= place_reg + INDEX_W'(count);
    end
    shown_reg <= axi_wvalid && !axi_wready && writes;
    if (give) begin
      beats_reg <= beats_reg - 1'b1;
      if (Beats > 1) part_reg <= part_reg + 1'b1;
      if (axi_wlast) giving_reg <= 1'b0;
    end
    open_reg <= open_reg + OpenW'(start) - OpenW'(axi_bvalid);
    if (axi_bvalid) begin
      written_reg <= written_reg + INDEX_W'(answered);
      if (axi_bresp != 2'b00) fault_reg <= 1'b1;
    end
    if (!enable) begin
      written_reg <= '0;
      place_reg <= '0;
      queued_reg <= '0;
      fault_reg <= 1'b0;
    end
    if (rst) begin
      written_reg <= '0;
      place_reg <= '0;
      queued_reg <= '0;
      part_reg <= '0;
      asking_reg <= 1'b0;
      giving_reg <= 1'b0;
      open_reg <= '0;
      shown_reg <= 1'b0;
      fault_reg <= 1'b0;
    end
  end

endmodule
`default_nettype wire
