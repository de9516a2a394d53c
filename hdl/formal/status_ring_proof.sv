// SPDX-License-Identifier: Apache-2.0

// status_ring, by induction: bus rules, bursts whole and at the place of their first status; as many
// statuses leave as came, each in its turn and unchanged; `written` counts those that are answered; a
// status waits no longer than `patience`; an error sets `fault`; the queue is never overrun while at
// most DEPTH are inside. A burst has all that it can; it is idle exactly when it has nothing and is owed
// nothing; once `enable` has fallen no beat writes but the one that was shown.
module status_ring_proof #(
    parameter int unsigned ADDR_W = 13,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned DEPTH = 16,
    parameter int unsigned INDEX_W = 6
) (
    input wire               clk,
    input wire               rst,
    input wire               enable,
    input wire [ ADDR_W-1:0] base,
    input wire [INDEX_W-1:0] mask,
    input wire [       15:0] patience,
    input wire [       63:0] status,
    input wire               valid,
    input wire               pick,
    input wire               axi_awready,
    input wire               axi_wready,
    input wire [        1:0] axi_bresp,
    input wire               axi_bvalid
);

  localparam int unsigned C = 6;

  wire idle, fault, left, axi_awvalid, axi_wlast, axi_wvalid;
  wire [INDEX_W-1:0] written;
  wire [ADDR_W-1:0] axi_awaddr;
  wire [3:0] axi_awlen;
  wire [DATA_W-1:0] axi_wdata;
  wire [DATA_W/8-1:0] axi_wstrb;
  status_ring #(
      .ADDR_W (ADDR_W),
      .DATA_W (DATA_W),
      .DEPTH  (DEPTH),
      .INDEX_W(INDEX_W)
  ) dut (
      .clk,
      .rst,
      .enable,
      .idle,
      .fault,
      .base,
      .mask,
      .written,
      .patience,
      .status,
      .valid,
      .left,
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
      .axi_bvalid
  );

  wire [C-1:0] unanswered, opened;
  wire [0:0][ADDR_W-1:0] address;
  wire [0:0][4:0] beats;
  axi_write_rules #(
      .ADDR_W (ADDR_W),
      .DATA_W (DATA_W),
      .DEPTH  (1),
      .COUNT_W(C)
  ) bus (
      .clk,
      .rst,
      .awaddr(axi_awaddr),
      .awlen(axi_awlen),
      .awvalid(axi_awvalid),
      .awready(axi_awready),
      .wdata(axi_wdata),
      .wstrb(axi_wstrb),
      .wlast(axi_wlast),
      .wvalid(axi_wvalid),
      .wready(axi_wready),
      .bvalid(axi_bvalid),
      .bready(1'b1),
      .unanswered,
      .opened,
      .address,
      .left(beats)
  );

  // In the first cycle of a burst its data are shown together with its address.
  wire first = dut.asking_reg && !bus.aw_held_reg;
  wire [4:0] level = dut.queue.write_reg - dut.queue.read_reg;

  // A picked status, from where it comes in to its beat.
  wire followed;
  wire [5:0] inside_level, ahead;
  wire [63:0] word;
  wire take = valid && enable && !dut.stop;
  wire give = axi_wvalid && axi_wready && enable && !rst;
  order_rules #(
      .WIDTH (64),
      .LEVELW(6)
  ) order (
      .clk,
      .rst(rst || !enable),
      .pick,
      .push(take),
      .in_data(status),
      .pop(give),
      .out_data(axi_wdata),
      .level(inside_level),
      .followed,
      .ahead,
      .word
  );

  reg started_reg = 1'b0;
  reg enable_reg, idle_reg;
  reg [ADDR_W-1:0] base_reg;
  reg [INDEX_W-1:0] mask_reg, given_reg, answered_reg;
  reg fault_reg;
  reg [15:0] patience_reg, waited_reg;  // cycles that a status has waited for others
  reg start_reg, beat_held_reg;  // a burst began; a beat is shown that writes, and not taken
  reg [4:0] most_reg;  // statuses that it can have
  wire [4:0] block = 5'd16 - 5'(given_reg[3:0]);
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    enable_reg <= enable && !rst;
    idle_reg <= idle;
    base_reg <= base;
    mask_reg <= mask;
    if (axi_wvalid && axi_wready) given_reg <= given_reg + 1'b1;
    if (axi_bvalid) answered_reg <= given_reg;
    if (axi_bvalid && axi_bresp != 2'b00) fault_reg <= 1'b1;
    patience_reg <= patience;
    waited_reg <= dut.queued_reg == '0 || dut.start ? '0 : waited_reg + 16'(waited_reg != patience);
    start_reg <= dut.start && !rst && enable;
    most_reg <= level < block ? level : block;
    beat_held_reg <= !rst && axi_wvalid && !axi_wready && (enable || beat_held_reg);
    if (rst || !enable) begin
      given_reg <= '0;
      answered_reg <= '0;
      fault_reg <= 1'b0;
      waited_reg <= '0;
    end
  end

  always_comb begin
    if (!started_reg) assume (rst);
    assume ((mask & (mask + 1'b1)) == '0 && mask >= 15);
    assume ((base & ADDR_W'({mask, 3'd7})) == '0);
    if (started_reg && enable_reg) assume (base == base_reg && mask == mask_reg);
    if (started_reg && !enable_reg && !idle_reg && !rst) assume (!enable);
    if (started_reg) assume (patience == patience_reg);
    // The owner's promise.
    if (level == 5'(DEPTH)) assume (!valid);

    if (started_reg) begin
      assert (dut.part_reg == '0);  // a status is a beat on this bus
      if (enable_reg) assert (level <= 5'(DEPTH));
      assert (!(dut.giving_reg && dut.waiting_reg));
      if (dut.asking_reg) assert (dut.giving_reg || dut.waiting_reg);
      assert (unanswered == C'((dut.giving_reg || dut.waiting_reg) && !dut.asking_reg));
      assert (opened == C'(dut.giving_reg && !first));
      if (opened != '0) assert (beats[0] == dut.beats_reg);
      if (dut.giving_reg)
        assert (axi_wvalid && dut.beats_reg != '0 && dut.beats_reg <= dut.count_reg);
      if (dut.asking_reg) assert (5'(axi_awlen) + 1'b1 == dut.count_reg && dut.count_reg <= 5'd16);
      if (first) assert (dut.giving_reg && dut.beats_reg == dut.count_reg);
      if (axi_awvalid)
        assert (axi_awaddr[2:0] == '0 && 5'(axi_awaddr[6:3]) + 5'(axi_awlen) <= 5'd15);
      assert (idle == (unanswered == '0 && !axi_awvalid && dut.queued_reg == '0));
      if (start_reg) assert (first && dut.count_reg == most_reg);
      if (axi_wvalid) assert (axi_wstrb == (enable || beat_held_reg ? '1 : '0));
      if (enable_reg) begin
        assert (dut.queued_reg == level);
        if (dut.giving_reg)
          assert (dut.beats_reg <= level && 5'(given_reg[3:0]) + dut.beats_reg <= 5'd16);
        if (first) assert (axi_awaddr == base_reg + (ADDR_W'(given_reg & mask_reg) << 3));
        if (opened != '0) assert (address[0] == base_reg + (ADDR_W'(given_reg & mask_reg) << 3));
        assert (dut.place_reg == given_reg + (dut.giving_reg ? INDEX_W'(dut.beats_reg) : '0));
        assert (written == answered_reg);
        assert (fault == fault_reg);
        assert (inside_level == 6'(level));
        if (followed)
          assert (dut.queue.ram[4'(dut.queue.read_reg[3:0] + ahead[3:0])] == word);
        // A status waits for others no longer than the patience, and not in vain.
        if (level != '0) begin
          assert (waited_reg <= patience && dut.age_reg == patience - waited_reg);
          if (!dut.asking_reg && !dut.giving_reg && !dut.waiting_reg)
            assert (dut.start == (waited_reg == patience || level >= 5'd8));
        end
        if (dut.giving_reg)
          assert (given_reg == answered_reg + INDEX_W'(dut.count_reg) - INDEX_W'(dut.beats_reg));
        else
          assert (given_reg == answered_reg + (dut.waiting_reg ? INDEX_W'(dut.count_reg) : '0));
      end else begin
        assert (dut.queued_reg == '0 && written == '0 && !fault);
        if (idle_reg) assert (level == '0);
        assert (given_reg == '0 && answered_reg == '0 && dut.place_reg == '0);
        assert (inside_level == '0 && !followed && !fault_reg && waited_reg == '0);
        if (idle_reg) assert (idle);
      end

      cover (left && beats[0] == 5'd1 && dut.count_reg == 5'd3);
      cover (!enable_reg && axi_wvalid);
      cover (dut.asking_reg && dut.waiting_reg && dut.count_reg == 5'd2);
    end
  end

endmodule
