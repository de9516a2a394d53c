// SPDX-License-Identifier: Apache-2.0

// ring_fetch, by induction: bus rules; the n-th descriptor asked for lies at place n of the ring and
// is not beyond `tail`; what is in the queue and on its way never exceeds the queue; a descriptor is
// put together of its own beats and leaves in its turn, with what was said of it as it came; none is given
// after an error; the next burst is asked for as soon as there is room; `idle` says that the bus owes nothing.
module ring_fetch_proof #(
    parameter int unsigned ADDR_W = 13,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned DEPTH = 16,
    parameter int unsigned INDEX_W = 6,
    parameter int unsigned BURST = 16,
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4
) (
    input wire               clk,
    input wire               rst,
    input wire               enable,
    input wire               cyclic,
    input wire [ ADDR_W-1:0] base,
    input wire [INDEX_W-1:0] mask,
    input wire [INDEX_W-1:0] tail,
    input wire               ready,
    input wire               arriving_fits,
    input wire               pick,
    input wire               axi_arready,
    input wire [ DATA_W-1:0] axi_rdata,
    input wire [        1:0] axi_rresp,
    input wire               axi_rlast,
    input wire               axi_rvalid
);

  localparam int unsigned C = BURST > 16 ? 10 : 8;
  localparam int unsigned Beats = 128 / DATA_W;
  localparam int unsigned Most = BURST >= 64 ? 14 : 16 / Beats;  // descriptors in a burst
  localparam int unsigned L = $clog2(DEPTH) + 1;

  wire idle, fault, fits, valid, axi_arvalid;
  wire [127:0] arriving, descriptor;
  wire [ADDR_W-1:0] axi_araddr;
  wire [BurstW-1:0] axi_arlen;
  ring_fetch #(
      .ADDR_W (ADDR_W),
      .DATA_W (DATA_W),
      .DEPTH  (DEPTH),
      .INDEX_W(INDEX_W),
      .BURST  (BURST)
  ) dut (
      .clk,
      .rst,
      .enable,
      .idle,
      .fault,
      .cyclic,
      .base,
      .mask,
      .tail,
      .arriving,
      .arriving_fits,
      .descriptor,
      .fits,
      .valid,
      .ready,
      .axi_araddr,
      .axi_arlen,
      .axi_arvalid,
      .axi_arready,
      .axi_rdata,
      .axi_rresp,
      .axi_rlast,
      .axi_rvalid
  );

  wire [C-1:0] bursts, beats;
  axi_read_rules #(
      .ADDR_W (ADDR_W),
      .DATA_W (DATA_W),
      .COUNT_W(C),
      .BURST  (BURST)
  ) bus (
      .clk,
      .rst,
      .pick(1'b0),
      .araddr(axi_araddr),
      .arlen(axi_arlen),
      .arvalid(axi_arvalid),
      .arready(axi_arready),
      .rlast(axi_rlast),
      .rvalid(axi_rvalid),
      .rready(1'b1),
      .bursts,
      .beats,
      .in_burst(),
      .picked(),
      .followed(),
      .bursts_ahead(),
      .beats_ahead(),
      .length(),
      .left()
  );

  wire [L-1:0] level = dut.queue.write_reg - dut.queue.read_reg;

  // A picked descriptor, from its last beat to its user.
  wire followed;
  wire [L-1:0] inside_level, ahead;
  wire [128:0] word;
  reg [DATA_W-1:0] data_reg;
  order_rules #(
      .WIDTH (129),
      .LEVELW(L)
  ) order (
      .clk,
      .rst(rst || !enable),
      .pick,
      .push(dut.queue.push && enable),
      .in_data({arriving_fits, axi_rdata, data_reg}),
      .pop(valid && ready && enable && !rst),
      .out_data({fits, descriptor}),
      .level(inside_level),
      .followed,
      .ahead,
      .word
  );
  wire [C-1:0] asking = axi_arvalid ? C'(axi_arlen) + 1'b1 : '0;
  wire [C-1:0] part = C'(dut.several.beat_reg);

  reg started_reg = 1'b0;
  reg enable_reg, idle_reg, bad_reg;
  reg [ADDR_W-1:0] base_reg;
  reg [INDEX_W-1:0] mask_reg, asked_reg;
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    enable_reg <= enable && !rst;
    idle_reg <= idle;
    base_reg <= base;
    mask_reg <= mask;
    if (axi_rvalid) data_reg <= axi_rdata;
    // Descriptors asked for before the burst that is shown.
    if (axi_arvalid && axi_arready) asked_reg <= asked_reg + INDEX_W'(asking / C'(Beats));
    bad_reg <= enable && (bad_reg || (axi_rvalid && axi_rresp != 2'b00));
    if (rst || !enable) begin
      asked_reg <= '0;
      bad_reg   <= 1'b0;
    end
  end

  always_comb begin
    if (!started_reg) assume (rst);
    // Rings are of 2^n entries and do not move while they are used; `enable` rises at rest.
    assume ((mask & (mask + 1'b1)) == '0 && mask >= 15);
    assume ((base & ADDR_W'({mask, 4'hF})) == '0);
    if (started_reg && enable_reg) assume (base == base_reg && mask == mask_reg);
    if (started_reg && !enable_reg && !idle_reg && !rst) assume (!enable);

    if (started_reg) begin
      assert (level <= L'(DEPTH) && dut.held_reg <= L'(DEPTH));
      assert (C'(dut.owed_reg) == bursts && beats <= C'(Beats * DEPTH));
      assert (idle == (bursts == '0 && !axi_arvalid));
      assert ((beats + part) % C'(Beats) == '0 && asking % C'(Beats) == '0);
      assert (beats + asking <= C'(Beats * DEPTH));
      if (axi_arvalid) assert (axi_araddr[3:0] == '0 && 32'(axi_arlen) < Most * Beats);
      if (axi_arvalid && BURST < 64)
        assert (5'(axi_araddr[7:4]) * 5'(Beats) % 5'd16 + 5'(axi_arlen) <= 5'd15);
      assert (enable_reg ? inside_level == level : inside_level == '0 && !followed);
      if (followed) assert (dut.queue.ram[(L - 1)'(dut.queue.read_reg[L-2:0] + ahead[L-2:0])] == word);
      // The next burst is asked for as soon as there is room for a whole one, and is as long as it can.
      if (enable_reg && enable && !fault && !axi_arvalid && dut.held_reg <= L'(DEPTH - Most))
        assert (dut.start == (cyclic || tail != dut.fetched_reg));
      if (dut.start && !cyclic)
        assert (dut.count == dut.room || INDEX_W'(dut.count) == INDEX_W'(tail - dut.fetched_reg));
      if (enable_reg) begin
        assert (C'(level) * C'(Beats) + beats + asking + part <= C'(dut.held_reg) * C'(Beats));
        if (!bad_reg)
          assert (C'(level) * C'(Beats) + beats + asking + part == C'(dut.held_reg) * C'(Beats));
        assert (fault == bad_reg);
        assert (dut.fetched_reg == asked_reg + INDEX_W'(asking / C'(Beats)));
        if (axi_arvalid) begin
          assert (axi_araddr == base_reg + (ADDR_W'(asked_reg & mask_reg) << 4));
          assert (32'(asked_reg & mask_reg) + 32'(asking) / Beats <= 32'(mask_reg) + 1);
        end
        if (dut.start) assert (cyclic || dut.count <= INDEX_W'(tail - dut.fetched_reg));
      end else begin
        assert (level == '0 && dut.held_reg == '0 && !fault && dut.fetched_reg == '0);
        assert (asked_reg == '0 && !bad_reg);
        if (idle_reg) assert (idle);
      end
      if (dut.queue.push) begin
        assert (level != L'(DEPTH) && !bad_reg && axi_rresp == 2'b00);
        assert (dut.queue.in_data == {arriving_fits, axi_rdata, data_reg});
        assert (arriving == {axi_rdata, data_reg});
      end
      if (part != '0) assert (dut.several.part_reg == data_reg);
      assert (valid == (level != '0));

      if (dut.start)
        assert (dut.room == 5'(Most) || BURST < 64 || dut.room == 5'(8'(~dut.fetched_reg & mask)) + 1'b1);

      cover (level == L'(9));
      cover (fault && bursts > 1);
      cover (!enable && bursts == 2);
    end
  end

endmodule
