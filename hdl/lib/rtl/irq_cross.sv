// SPDX-License-Identifier: Apache-2.0

// An interrupt, and the resets, from one clock to another.
//
//   - The level follows through two registers. A pulse becomes a pulse; those that come before the
//     last one has arrived become one, none is lost.
//   - Either reset resets both sides: each is seen by the other through two registers and must be held
//     for four cycles of the slower clock.
//   - Without ASYNC all is wired through; the other clock and reset are not used.
`default_nettype none
module irq_cross #(
    parameter bit ASYNC = 1'b1
) (
    input  wire from_clk,
    input  wire from_rst,
    output wire from_reset,
    input  wire level,
    input  wire pulse,

    input  wire to_clk,
    input  wire to_rst,
    output wire to_reset,
    output wire to_level,
    output wire to_pulse
);

  if (ASYNC) begin : crossing
    // Of each pair the first register takes what another clock changes; only its path is excepted.
    (* ASYNC_REG = "TRUE" *) reg from_sync_reg, from_seen_reg, to_sync_reg, to_seen_reg;
    (* ASYNC_REG = "TRUE" *) reg level_sync_reg, level_seen_reg;
    (* ASYNC_REG = "TRUE" *) reg toggle_sync_reg, toggle_seen_reg, answer_sync_reg, answer_seen_reg;
    reg want_reg, toggle_reg, answer_reg;

    // Not reset: they carry the resets. Wrong for the two cycles after power comes, when nothing runs.
    always_ff @(posedge from_clk) {to_seen_reg, to_sync_reg} <= {to_sync_reg, to_rst};
    always_ff @(posedge to_clk) {from_seen_reg, from_sync_reg} <= {from_sync_reg, from_rst};
    assign from_reset = from_rst || to_seen_reg;
    assign to_reset   = to_rst || from_seen_reg;

    always_ff @(posedge from_clk) begin
      {answer_seen_reg, answer_sync_reg} <= {answer_sync_reg, answer_reg};
      want_reg <= pulse || (want_reg && toggle_reg != answer_seen_reg);
      if (want_reg && toggle_reg == answer_seen_reg) toggle_reg <= !toggle_reg;
      if (from_reset) begin
        {answer_seen_reg, answer_sync_reg} <= '0;
        want_reg <= 1'b0;
        toggle_reg <= 1'b0;
      end
    end

    always_ff @(posedge to_clk) begin
      {level_seen_reg, level_sync_reg} <= {level_sync_reg, level};
      {toggle_seen_reg, toggle_sync_reg} <= {toggle_sync_reg, toggle_reg};
      answer_reg <= toggle_seen_reg;
      if (to_reset) begin
        {level_seen_reg, level_sync_reg} <= '0;
        {toggle_seen_reg, toggle_sync_reg} <= '0;
        answer_reg <= 1'b0;
      end
    end
    assign to_level = level_seen_reg;
    assign to_pulse = answer_reg != toggle_seen_reg;
  end else begin : direct
    assign from_reset = from_rst;
    assign to_reset   = from_rst;
    assign to_level   = level;
    assign to_pulse   = pulse;
  end

endmodule
`default_nettype wire
