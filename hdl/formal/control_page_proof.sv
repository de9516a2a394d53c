// SPDX-License-Identifier: Apache-2.0

// The one interrupt of control_page, by induction: while a node's interrupt is pending `irq` is up, or
// has been held off by a rearm and comes back within HOLDOFF + 1 cycles; it is never up without a
// node, but for the cycle in which that ends; every rise, and every rearm that is not held off, is a
// pulse, and there is no other.
module control_page_proof #(
    parameter int unsigned NODES = 2,
    parameter int unsigned HOLDOFF = 9
) (
    input wire             clk,
    input wire             rst,
    input wire [     15:0] bus_address,
    input wire             bus_write,
    input wire [     31:0] bus_wdata,
    input wire             bus_select,
    input wire             word_read,
    input wire             word_written,
    input wire [NODES-1:0] node_irq,
    input wire             node_clear,
    input wire             routes_settled
);

  localparam int unsigned HoldW = $clog2(HOLDOFF + 2);

  wire bus_done, irq, irq_pulse, routes_changed;
  wire [31:0] bus_rdata;
  wire [NODES-1:0] enable;
  wire [28*NODES-1:0] routes;
  control_page #(
      .NODES(NODES),
      .OUTPUTS(8'h12),
      .HOLDOFF(HOLDOFF)
  ) dut (
      .clk,
      .rst,
      .bus_address,
      .bus_write,
      .bus_wdata,
      .bus_select,
      .bus_done,
      .bus_rdata,
      .word_read,
      .word_written,
      .node_irq,
      .node_clear,
      .irq,
      .irq_pulse,
      .enable,
      .routes,
      .routes_changed,
      .routes_settled
  );

  wire rearm_write = bus_select && bus_write && !bus_done && !dut.busy_reg &&
      bus_address[10:2] == 9'h019;

  reg started_reg = 1'b0;
  reg some_reg, before_reg, up_reg, rearm_reg, held_reg, after_reg;
  reg [3:0] written_reg;
  reg [HoldW-1:0] left_reg;  // cycles that the interrupt may still be held off
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    some_reg <= node_irq != '0 && !rst;
    before_reg <= some_reg && !rst;
    up_reg <= irq && !rst;
    written_reg <= rst ? '0 : {written_reg[2:0], rearm_write};
    rearm_reg <= written_reg[3] && !rst;
    held_reg <= dut.hold_reg != '0 && !rst;
    left_reg <= written_reg[3] ? HoldW'(HOLDOFF + 1) : left_reg == '0 ? '0 : left_reg - 1'b1;
    after_reg <= dut.hold_reg != '0 || (after_reg && !irq);
    if (rst) begin
      left_reg  <= '0;
      after_reg <= 1'b0;
    end
  end

  always_comb begin
    if (!started_reg) assume (rst);
    if (started_reg) begin
      assert (some_reg == (dut.pending_reg != '0));
      assert (dut.rearm_reg == written_reg);
      assert ((dut.hold_reg == '0 || dut.hold_reg < left_reg) && dut.hold_reg <= HoldW'(HOLDOFF));
      // A condition that held a cycle ago is told of, unless it is held off, and not for long.
      if (before_reg) assert (irq || left_reg != '0);
      if (irq) assert (before_reg);
      if (irq && !up_reg) assert (irq_pulse);
      if (irq_pulse) assert (irq && (!up_reg || rearm_reg));
      if (rearm_reg && before_reg) assert (irq_pulse || dut.hold_reg != '0 || held_reg);
      if (dut.hold_reg != '0 && !held_reg) assert (rearm_reg && !irq);
      cover (irq_pulse && up_reg);
      cover (irq && !up_reg && after_reg);
    end
  end

endmodule
