// SPDX-License-Identifier: Apache-2.0

// Rules of an AXI write master with one identifier, and of the slave before it.
//
// Each half is asserted or assumed: PROVE_MASTER, PROVE_SLAVE. At most
// DEPTH bursts are shown and not given to the end; their places and lengths are kept here, so
// `address` says where the next beat goes. A burst is shown in the first cycle of its AWVALID, and its
// data may come from then on, taken or not: to wait for AWREADY is what AXI forbids.
// `unanswered` counts bursts whose address was taken and that are not answered.
module axi_write_rules #(
    parameter bit          PROVE_MASTER = 1'b1,
    parameter bit          PROVE_SLAVE = 1'b0,
    parameter int unsigned ADDR_W = 16,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned BEAT_BYTES = DATA_W / 8,
    parameter int unsigned DEPTH = 2,
    parameter int unsigned COUNT_W = 8,
    parameter int unsigned BURST = 16,  // beats at most
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4,
    parameter bit          GAPLESS = 1'b1  // no pause in a burst whose data have begun
) (
    input wire clk,
    input wire rst,

    input wire [  ADDR_W-1:0] awaddr,
    input wire [  BurstW-1:0] awlen,
    input wire                awvalid,
    input wire                awready,
    input wire [  DATA_W-1:0] wdata,
    input wire [DATA_W/8-1:0] wstrb,
    input wire                wlast,
    input wire                wvalid,
    input wire                wready,
    input wire                bvalid,
    input wire                bready,

    output wire [            COUNT_W-1:0] unanswered,
    output wire [            COUNT_W-1:0] opened,     // shown and not given to the end
    output wire [DEPTH-1:0][  ADDR_W-1:0] address,    // of the next beat of each, the first in 0
    output wire [DEPTH-1:0][    BurstW:0] left        // beats of each
);

  localparam int unsigned Lsb = $clog2(BEAT_BYTES);

  reg started_reg = 1'b0;
  reg aw_held_reg, w_held_reg, begun_reg;
  reg [ADDR_W-1:0] awaddr_reg;
  reg [BurstW-1:0] awlen_reg;
  reg [DATA_W-1:0] wdata_reg;
  reg [DATA_W/8-1:0] wstrb_reg;
  reg wlast_reg;
  reg [COUNT_W-1:0] unanswered_reg, opened_reg;
  reg [DEPTH-1:0][ADDR_W-1:0] address_reg, address_next;
  reg [DEPTH-1:0][BurstW:0] left_reg, left_next;
  logic [DEPTH-1:0][BurstW:0] beats;  // with that of a burst that is shown in this cycle

  assign unanswered = unanswered_reg;
  assign opened = opened_reg;
  assign address = address_reg;
  assign left = left_reg;

  wire announce = awvalid && awready;
  wire give = wvalid && wready;
  wire done = give && wlast;
  wire answer = bvalid && bready;
  wire show = awvalid && !aw_held_reg;

  always_comb begin
    address_next = address_reg;
    beats = left_reg;
    for (int unsigned i = 0; i < DEPTH; i++)
      if (show && opened_reg == COUNT_W'(i)) begin
        address_next[i] = awaddr;
        beats[i] = (BurstW + 1)'(awlen) + 1'b1;
      end
    left_next = beats;
    if (give) begin
      address_next[0] = {address_next[0][ADDR_W-1:Lsb] + 1'b1, {Lsb{1'b0}}};
      left_next[0] = beats[0] - 1'b1;
    end
    if (done) begin
      address_next = address_next >> ADDR_W;
      left_next = left_next >> BurstW + 1;
    end
  end

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    aw_held_reg <= awvalid && !awready;
    awaddr_reg <= awaddr;
    awlen_reg <= awlen;
    w_held_reg <= wvalid && !wready;
    wdata_reg <= wdata;
    wstrb_reg <= wstrb;
    wlast_reg <= wlast;
    if (wvalid) begun_reg <= !done;
    unanswered_reg <= unanswered_reg + COUNT_W'(announce) - COUNT_W'(answer);
    opened_reg <= opened_reg + COUNT_W'(show) - COUNT_W'(done);
    address_reg <= address_next;
    left_reg <= left_next;
    if (rst) begin
      aw_held_reg <= 1'b0;
      w_held_reg <= 1'b0;
      begun_reg <= 1'b0;
      unanswered_reg <= '0;
      opened_reg <= '0;
    end
  end

  wire [ADDR_W-1:0] last_byte = {awaddr[ADDR_W-1:Lsb], {Lsb{1'b1}}} + (ADDR_W'(awlen) << Lsb);
  wire address_stable = !aw_held_reg || (awvalid && awaddr == awaddr_reg && awlen == awlen_reg);
  wire data_stable = !w_held_reg ||
      (wvalid && wdata == wdata_reg && wstrb == wstrb_reg && wlast == wlast_reg);
  wire page = !awvalid || last_byte[ADDR_W-1:12] == awaddr[ADDR_W-1:12];
  wire short = !awvalid || 32'(awlen) < BURST;
  wire addressed = !wvalid || opened_reg != '0 || show;
  wire ends = !wvalid || !addressed || wlast == (32'(beats[0]) == 1);
  wire gapless = !GAPLESS || !begun_reg || wvalid;
  // Of AXI4: not before the address is taken and all data are.
  wire slave_owes = !bvalid ||
      (unanswered_reg != '0 && unanswered_reg + COUNT_W'(aw_held_reg) != opened_reg);

  always_comb begin
    if (started_reg && !rst) begin
      if (PROVE_MASTER) begin
        assert (address_stable);
        assert (data_stable);
        assert (page);
        assert (short);
        assert (addressed);
        assert (ends);
        assert (gapless);
        assert (bready);
      end else begin
        assume (address_stable && data_stable && page && short && addressed && ends && gapless && bready);
      end
      if (PROVE_SLAVE) begin
        assert (slave_owes);
      end else assume (slave_owes);
    end
    if (started_reg) begin
      assert (opened_reg <= COUNT_W'(DEPTH) &&
              opened_reg <= unanswered_reg + COUNT_W'(aw_held_reg));
      for (int unsigned i = 0; i < DEPTH; i++)
        if (COUNT_W'(i) < opened_reg) assert (left_reg[i] != '0 && 32'(left_reg[i]) <= BURST);
      if (w_held_reg) assert (begun_reg);
      if (begun_reg) assert (opened_reg != '0);
    end
  end

endmodule
