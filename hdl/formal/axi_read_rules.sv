// SPDX-License-Identifier: Apache-2.0

// Rules of an AXI read master with one identifier, and of the slave before it.
//
// Each half is asserted or assumed: PROVE_MASTER, PROVE_SLAVE. The
// counters say what the bus owes: bursts and beats asked for and not yet answered.
//
// The slave answers in order and ends each burst where its length says. The lengths are not kept in
// a table: a burst that the solver picks is followed, and the slave ends it, those before it and
// those behind it with as many beats as were asked for in all. That holds for any burst, hence for
// each, and is inductive with counters alone.
module axi_read_rules #(
    parameter bit          PROVE_MASTER = 1'b1,
    parameter bit          PROVE_SLAVE = 1'b0,
    parameter int unsigned ADDR_W = 16,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned COUNT_W = 8,
    parameter int unsigned BURST = 16,  // beats at most
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4
) (
    input wire clk,
    input wire rst,
    input wire pick,

    input wire [ADDR_W-1:0] araddr,
    input wire [BurstW-1:0] arlen,
    input wire              arvalid,
    input wire              arready,
    input wire              rlast,
    input wire              rvalid,
    input wire              rready,

    output wire [COUNT_W-1:0] bursts,
    output wire [COUNT_W-1:0] beats,
    output wire               in_burst,      // its first beat has come, its last has not
    output wire               picked,        // in this cycle
    output wire               followed,
    output wire [COUNT_W-1:0] bursts_ahead,
    output wire [COUNT_W-1:0] beats_ahead,
    output wire [   BurstW:0] length,        // of the picked burst
    output wire [   BurstW:0] left           // of it, still to come
);

  localparam int unsigned Lsb = $clog2(DATA_W / 8);

  reg started_reg = 1'b0;
  reg held_reg, followed_reg, in_burst_reg;
  reg [ADDR_W-1:0] araddr_reg;
  reg [BurstW-1:0] arlen_reg;
  reg [COUNT_W-1:0] bursts_reg, beats_reg, bursts_ahead_reg, beats_ahead_reg;
  reg [BurstW:0] length_reg, left_reg;

  assign bursts = bursts_reg;
  assign beats = beats_reg;
  assign in_burst = in_burst_reg;
  assign followed = followed_reg;
  assign bursts_ahead = bursts_ahead_reg;
  assign beats_ahead = beats_ahead_reg;
  assign length = length_reg;
  assign left = left_reg;

  wire ask = arvalid && arready;
  wire come = rvalid && rready;
  wire done = come && rlast;
  assign picked = ask && pick && !followed_reg;

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    held_reg <= arvalid && !arready;
    araddr_reg <= araddr;
    arlen_reg <= arlen;
    bursts_reg <= bursts_reg + COUNT_W'(ask) - COUNT_W'(done);
    beats_reg <= beats_reg + (ask ? COUNT_W'(arlen) + 1'b1 : '0) - COUNT_W'(come);
    if (come) in_burst_reg <= !rlast;
    if (picked) begin
      followed_reg <= 1'b1;
      length_reg <= (BurstW + 1)'(arlen) + 1'b1;
      left_reg <= (BurstW + 1)'(arlen) + 1'b1;
      bursts_ahead_reg <= bursts_reg - COUNT_W'(done);
      beats_ahead_reg <= beats_reg - COUNT_W'(come);
    end else if (followed_reg) begin
      bursts_ahead_reg <= bursts_ahead_reg - COUNT_W'(done && bursts_ahead_reg != '0);
      beats_ahead_reg <= beats_ahead_reg - COUNT_W'(come && beats_ahead_reg != '0);
      if (come && beats_ahead_reg == '0) left_reg <= left_reg - 1'b1;
      if (done && bursts_ahead_reg == '0) followed_reg <= 1'b0;
    end
    if (rst) begin
      held_reg <= 1'b0;
      bursts_reg <= '0;
      beats_reg <= '0;
      in_burst_reg <= 1'b0;
      followed_reg <= 1'b0;
    end
  end

  // What is behind the picked burst.
  wire [COUNT_W-1:0] bursts_behind = bursts_reg - bursts_ahead_reg - 1'b1;
  wire [COUNT_W-1:0] beats_behind = beats_reg - beats_ahead_reg - COUNT_W'(left_reg);

  wire [ADDR_W-1:0] last_byte =
      {araddr[ADDR_W-1:Lsb], {Lsb{1'b1}}} + (ADDR_W'(arlen) << Lsb);
  wire master_stable = !held_reg || (arvalid && araddr == araddr_reg && arlen == arlen_reg);
  wire master_page = !arvalid || last_byte[ADDR_W-1:12] == araddr[ADDR_W-1:12];
  wire master_length = !arvalid || 32'(arlen) < BURST;
  wire slave_owes = !rvalid || beats_reg != '0;
  wire slave_ends = !rvalid || (rlast ? beats_reg >= bursts_reg && (bursts_reg != 1 || beats_reg == 1)
                                      : beats_reg > bursts_reg);
  wire slave_ahead = !rvalid || !followed_reg || beats_ahead_reg == '0 ||
      (rlast ? beats_ahead_reg >= bursts_ahead_reg && (bursts_ahead_reg != 1 || beats_ahead_reg == 1)
             : beats_ahead_reg > bursts_ahead_reg);
  wire slave_picked = !rvalid || !followed_reg || beats_ahead_reg != '0 || rlast == (left_reg == 1);

  always_comb begin
    if (started_reg && !rst) begin
      if (PROVE_MASTER) begin
        assert (master_stable);
        assert (master_page);
        assert (master_length);
        assert (rready);
      end else begin
        assume (master_stable && master_page && master_length && rready);
      end
      if (PROVE_SLAVE) begin
        assert (slave_owes);
        assert (slave_ends);
        assert (slave_ahead);
        assert (slave_picked);
      end else assume (slave_owes && slave_ends && slave_ahead && slave_picked);
    end
    if (started_reg) begin
      assert (beats_reg >= bursts_reg);
      assert ((beats_reg == '0) == (bursts_reg == '0));
      if (in_burst_reg) assert (bursts_reg != '0);
      if (followed_reg) begin
        assert (left_reg != '0 && left_reg <= length_reg && 32'(length_reg) <= BURST);
        assert (bursts_ahead_reg < bursts_reg);
        assert (beats_ahead_reg < beats_reg);
        assert (COUNT_W'(left_reg) <= beats_reg - beats_ahead_reg);
        assert (beats_ahead_reg >= bursts_ahead_reg);
        assert ((beats_ahead_reg == '0) == (bursts_ahead_reg == '0));
        assert (beats_behind >= bursts_behind);
        assert ((beats_behind == '0) == (bursts_behind == '0));
        if (beats_ahead_reg != '0) assert (left_reg == length_reg);
        else assert (in_burst_reg == (left_reg != length_reg));
      end
    end
  end

endmodule
