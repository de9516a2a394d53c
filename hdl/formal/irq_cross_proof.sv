// SPDX-License-Identifier: Apache-2.0

// irq_cross, by induction, with two clocks of which each may tick at any time:
//
//   - A pulse is sent at once if the one before has arrived and its answer is back, else it is kept until
//     then. What is sent becomes one pulse of one cycle, on the third tick of the other clock at the
//     latest; pulses arrive as often as they are sent, never ahead.
//   - The level is that of two ticks before. A reset is seen by its own side at once and by the other on
//     its second tick.
//
// A register that samples a changing bit gets the old value or the new one: the same as a clock that
// ticks a little earlier or later. The resets begin together, last until each clock has ticked twice,
// and end at any time each.
module irq_cross_proof (
    input wire from_clk,
    input wire from_end,  // its reset may end
    input wire level,
    input wire pulse,
    input wire to_clk,
    input wire to_end
);

  // ---- resets --------------------------------------------------------------------------------------

  reg from_rst = 1'b1, to_rst = 1'b1;
  reg [1:0] from_ticks_reg = '0, to_ticks_reg = '0;  // 2 and more
  reg [1:0] to_rst_reg, from_rst_reg;  // as the other side sampled them
  reg from_runs_reg = 1'b0, to_runs_reg = 1'b0;  // a tick after the reset
  wire known = from_ticks_reg == 2'd2 && to_ticks_reg == 2'd2;
  wire from_reset, to_reset, to_level, to_pulse;
  always_ff @(posedge from_clk) begin
    if (known && from_end) from_rst <= 1'b0;
    if (from_ticks_reg != 2'd2) from_ticks_reg <= from_ticks_reg + 1'b1;
    to_rst_reg <= {to_rst_reg[0], to_rst};
    from_runs_reg <= !from_reset;
  end
  always_ff @(posedge to_clk) begin
    if (known && to_end) to_rst <= 1'b0;
    if (to_ticks_reg != 2'd2) to_ticks_reg <= to_ticks_reg + 1'b1;
    from_rst_reg <= {from_rst_reg[0], from_rst};
    to_runs_reg  <= !to_reset;
  end

  irq_cross dut (
      .*
  );

  // ---- pulses: how many were sent and how many arrived ------------------------------------------------

  reg [1:0] sent_reg, came_reg;
  reg [1:0] heard_reg;  // of those that came, as the sender sampled it, one tick ago and two
  reg kept_reg;
  wire back = sent_reg[0] == heard_reg[1];
  always_ff @(posedge from_clk) begin
    heard_reg <= {heard_reg[0], came_reg[0]};
    // One that is kept goes, and the next pulse may be kept.
    if (kept_reg && back) sent_reg <= sent_reg + 1'b1;
    kept_reg <= pulse || (kept_reg && !back);
    if (from_reset) begin
      heard_reg <= '0;
      sent_reg  <= '0;
      kept_reg  <= 1'b0;
    end
  end

  reg [1:0] told_reg;  // what the other clock sampled of `sent`, one tick ago and two
  reg [1:0] level_reg;
  always_ff @(posedge to_clk) begin
    told_reg  <= {told_reg[0], sent_reg[0]};
    level_reg <= {level_reg[0], level};
    if (to_pulse) came_reg <= came_reg + 1'b1;
    if (to_reset) begin
      told_reg  <= '0;
      level_reg <= '0;
      came_reg  <= '0;
    end
  end

  // Values on the way round, each a copy of the one before it.
  wire [5:0] way = {sent_reg[0], told_reg[0], told_reg[1], came_reg[0], heard_reg[0], heard_reg[1]};

  always_comb begin
    if (!known) assert (from_rst && to_rst);
    assert (from_ticks_reg <= 2'd2 && to_ticks_reg <= 2'd2);
    if (from_ticks_reg == '0) assert (!from_runs_reg);
    else begin
      assert (dut.crossing.to_sync_reg == to_rst_reg[0] && to_rst_reg[0] >= to_rst);
      assert (dut.crossing.toggle_reg == sent_reg[0] && dut.crossing.want_reg == kept_reg);
      assert ({dut.crossing.answer_seen_reg, dut.crossing.answer_sync_reg} == heard_reg);
      if (!from_runs_reg) assert (sent_reg == '0 && heard_reg == '0 && !kept_reg);
      else assert (!from_reset);
    end
    if (to_ticks_reg == '0) assert (!to_runs_reg);
    else begin
      assert (dut.crossing.from_sync_reg == from_rst_reg[0] && from_rst_reg[0] >= from_rst);
      assert ({dut.crossing.level_seen_reg, dut.crossing.level_sync_reg} == level_reg);
      assert ({dut.crossing.toggle_seen_reg, dut.crossing.toggle_sync_reg} == told_reg);
      assert (dut.crossing.answer_reg == came_reg[0]);
      assert (to_level == level_reg[1] && to_pulse == (told_reg[1] != came_reg[0]));
      if (!to_runs_reg) assert (told_reg == '0 && came_reg == '0 && level_reg == '0);
      else assert (!to_reset);
    end
    if (from_ticks_reg == 2'd2)
      assert ({dut.crossing.to_seen_reg, dut.crossing.to_sync_reg} == to_rst_reg &&
              to_rst_reg[1] >= to_rst_reg[0]);
    if (to_ticks_reg == 2'd2)
      assert ({dut.crossing.from_seen_reg, dut.crossing.from_sync_reg} == from_rst_reg &&
              from_rst_reg[1] >= from_rst_reg[0]);
    if (known) begin
      assert (from_reset == (from_rst || to_rst_reg[1]));
      assert (to_reset == (to_rst || from_rst_reg[1]));
      assert ($countones(way[5:1] ^ way[4:0]) <= 1);
      assert (2'(sent_reg - came_reg) == 2'(sent_reg[0] ^ came_reg[0]));
      cover (to_pulse && sent_reg == 2'd1);
      cover (to_level && kept_reg);
    end
  end

endmodule
