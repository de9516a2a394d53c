// SPDX-License-Identifier: Apache-2.0

// status_ring, by induction: bus rules, bursts whole and at the place of their first status, within the ring and at most OPEN_BURSTS without an answer; as many
// statuses leave as came, each in its turn and unchanged; `written` counts those that are answered; a
// status waits no longer than `patience`; an error sets `fault`; the queue is never overrun while at
// most DEPTH are inside. A burst has all that it can; it is idle exactly when it has nothing and is owed
// nothing; once `enable` has fallen no beat writes but the one that was shown.
module status_ring_proof #(
    parameter int unsigned ADDR_W = 13,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned DEPTH = 16,
    parameter int unsigned INDEX_W = 6,
    parameter int unsigned BURST = 16,
    parameter int unsigned OPEN_BURSTS = 1,
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4
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
  localparam int unsigned Most = BURST >= 64 ? 14 : 16;  // statuses in a burst, on this bus
  localparam int unsigned Enough = OPEN_BURSTS > 1 ? Most : 8;
  localparam int unsigned L = $clog2(DEPTH) + 1;

  wire idle, fault, left, axi_awvalid, axi_wlast, axi_wvalid;
  wire [INDEX_W-1:0] written;
  wire [ADDR_W-1:0] axi_awaddr;
  wire [BurstW-1:0] axi_awlen;
  wire [DATA_W-1:0] axi_wdata;
  wire [DATA_W/8-1:0] axi_wstrb;
  status_ring #(
      .ADDR_W (ADDR_W),
      .DATA_W (DATA_W),
      .DEPTH  (DEPTH),
      .INDEX_W(INDEX_W),
      .BURST  (BURST),
      .OPEN_BURSTS(OPEN_BURSTS)
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
  wire [0:0][BurstW:0] beats;
  axi_write_rules #(
      .ADDR_W (ADDR_W),
      .DATA_W (DATA_W),
      .DEPTH  (1),
      .COUNT_W(C),
      .BURST  (BURST)
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
  wire [L-1:0] level = dut.queue.write_reg - dut.queue.read_reg;

  // A picked status, from where it comes in to its beat.
  wire followed;
  wire [L:0] inside_level, ahead;
  wire [63:0] word;
  wire take = valid && enable && !dut.stop;
  wire give = axi_wvalid && axi_wready && enable && !rst;
  order_rules #(
      .WIDTH (64),
      .LEVELW(L + 1)
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
  reg [9:0] most_reg;  // statuses that it can have
  wire [INDEX_W-1:0] behind = ~given_reg & mask;  // statuses behind the next one in its ring
  wire [9:0] block = BURST < 64 ? 10'd16 - 10'(given_reg[3:0])
      : 10'(behind % INDEX_W'(512)) + 1'b1 < 10'(Most) ? 10'(behind % INDEX_W'(512)) + 1'b1 : 10'(Most);
  // Where the open bursts end, the oldest first.
  reg [OPEN_BURSTS-1:0][INDEX_W-1:0] ends_reg, ends_next;
  always_comb begin
    ends_next = axi_bvalid ? ends_reg >> INDEX_W : ends_reg;
    for (int unsigned i = 0; i < OPEN_BURSTS; i++)
      if (dut.start && 32'(dut.open_reg) - 32'(axi_bvalid) == i)
        ends_next[i] = dut.place_reg + INDEX_W'(dut.count);
  end
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    enable_reg <= enable && !rst;
    idle_reg <= idle;
    base_reg <= base;
    mask_reg <= mask;
    if (axi_wvalid && axi_wready) given_reg <= given_reg + 1'b1;
    ends_reg <= ends_next;
    if (axi_bvalid) answered_reg <= ends_reg[0];
    if (axi_bvalid && axi_bresp != 2'b00) fault_reg <= 1'b1;
    patience_reg <= patience;
    waited_reg <= dut.queued_reg == '0 || dut.start ? '0 : waited_reg + 16'(waited_reg != patience);
    start_reg <= dut.start && !rst && enable;
    most_reg <= 10'(level) < block ? 10'(level) : block;
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
    if (level == L'(DEPTH)) assume (!valid);

    if (started_reg) begin
      assert (dut.part_reg == '0);  // a status is a beat on this bus
      if (enable_reg) assert (level <= L'(DEPTH));
      assert (32'(dut.open_reg) <= OPEN_BURSTS);
      if (dut.asking_reg || dut.giving_reg) assert (dut.open_reg != '0);
      assert (unanswered == C'(dut.open_reg) - C'(dut.asking_reg));
      assert (opened == C'(dut.giving_reg && !first));
      if (opened != '0) assert (beats[0] == dut.beats_reg);
      if (dut.giving_reg)
        assert (axi_wvalid && dut.beats_reg != '0 && dut.beats_reg <= (BurstW + 1)'(dut.count_reg));
      if (dut.asking_reg)
        assert ((BurstW + 1)'(axi_awlen) + 1'b1 == (BurstW + 1)'(dut.count_reg) && 32'(dut.count_reg) <= Most);
      if (first) assert (dut.giving_reg && dut.beats_reg == (BurstW + 1)'(dut.count_reg));
      if (axi_awvalid) assert (axi_awaddr[2:0] == '0);
      if (axi_awvalid && BURST < 64) assert (5'(axi_awaddr[6:3]) + 5'(axi_awlen) <= 5'd15);
      assert (idle == (unanswered == '0 && !axi_awvalid && dut.queued_reg == '0));
      if (start_reg) assert (first && 10'(dut.count_reg) == most_reg);
      if (axi_wvalid) assert (axi_wstrb == (enable || beat_held_reg ? '1 : '0));
      if (enable_reg) begin
        assert (dut.queued_reg == level);
        if (dut.giving_reg)
          assert (10'(dut.beats_reg) <= 10'(level) && 10'(dut.beats_reg) <= block);
        if (first) assert (axi_awaddr == base_reg + (ADDR_W'(given_reg & mask_reg) << 3));
        if (opened != '0) assert (address[0] == base_reg + (ADDR_W'(given_reg & mask_reg) << 3));
        assert (dut.place_reg == given_reg + (dut.giving_reg ? INDEX_W'(dut.beats_reg) : '0));
        assert (written == answered_reg);
        assert (fault == fault_reg);
        assert (inside_level == (L + 1)'(level));
        if (followed)
          assert (dut.queue.ram[(L - 1)'(dut.queue.read_reg[L-2:0] + ahead[L-2:0])] == word);
        // A status waits for others no longer than the patience, and not in vain.
        if (level != '0) begin
          assert (waited_reg <= patience && dut.age_reg == patience - waited_reg);
          if (!dut.asking_reg && !dut.giving_reg) begin
            if (dut.open_reg == '0)
              assert (dut.start == (waited_reg == patience || 32'(level) >= Enough));
            else assert (dut.start == (32'(level) >= Enough && 32'(dut.open_reg) < OPEN_BURSTS));
          end
        end
        // The last open burst ends at the next one's place, and each has as many statuses as are told of
        // at its answer.
        assert (dut.place_reg == (dut.open_reg == '0 ? answered_reg : ends_reg[32'(dut.open_reg) - 1]));
        if (dut.open_reg != '0) assert (ends_reg[0] == answered_reg + INDEX_W'(dut.answered));
      end else begin
        assert (dut.queued_reg == '0 && written == '0 && !fault);
        if (idle_reg) assert (level == '0);
        assert (given_reg == '0 && answered_reg == '0 && dut.place_reg == '0);
        assert (inside_level == '0 && !followed && !fault_reg && waited_reg == '0);
        if (idle_reg) assert (idle);
      end

      cover (left && 32'(beats[0]) == 1 && dut.count_reg == 5'd3);
      cover (!enable_reg && axi_wvalid);
      cover (dut.asking_reg && !dut.giving_reg && dut.count_reg == 5'd2);

    end
  end

  // The table has the number of statuses of each open burst.
  if (OPEN_BURSTS > 1) begin : several
    localparam int unsigned P = $clog2(OPEN_BURSTS);
    wire [P:0] open = dut.several.counts.write_reg - dut.several.counts.read_reg;
    always_comb
      if (started_reg) begin
        assert (open == dut.open_reg);
        for (int unsigned i = 0; i < OPEN_BURSTS; i++)
          if (enable_reg && i < 32'(open))
            assert (INDEX_W'(dut.several.counts.ram[P'(dut.several.counts.read_reg + (P + 1)'(i))]) ==
                    ends_reg[i] - (i == 0 ? answered_reg : ends_reg[(i + OPEN_BURSTS - 1) % OPEN_BURSTS]));
      end
  end

endmodule
