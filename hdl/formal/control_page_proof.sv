// SPDX-License-Identifier: Apache-2.0

// control_page, by induction:
//
//   - While a node's interrupt is pending `irq` is up, or has been held off by a rearm and comes back
//     within HOLDOFF + 1 cycles; it is never up without a node, but for the cycle in which that ends;
//     every rise, and every rearm that is not held off, is a pulse, and there is no other. A rearm is
//     held off unless some node's 0x2C was written since the one before; the next such write ends it.
//   - An access is answered once, in its second cycle, or when the routes that it changed have settled;
//     a read with what the registers' description says of its address.
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

  // When the interrupt is held off, and so when it is up.
  reg wrote_reg, told_reg, pulse_reg;
  reg [HoldW-1:0] off_reg;
  wire again = written_reg[3] && some_reg;
  wire off = again && !wrote_reg && !node_clear;
  always_ff @(posedge clk) begin
    wrote_reg <= written_reg[3] ? node_clear : wrote_reg || node_clear;
    off_reg <= off ? HoldW'(HOLDOFF) : node_clear && off_reg > HoldW'(4) ? HoldW'(4) :
        off_reg == '0 ? '0 : off_reg - 1'b1;
    told_reg <= some_reg && !off && (told_reg || off_reg == '0);
    pulse_reg <= some_reg && !off && off_reg == '0 && (written_reg[3] || !told_reg);
    if (rst) begin
      wrote_reg <= 1'b0;
      off_reg   <= '0;
      told_reg  <= 1'b0;
      pulse_reg <= 1'b0;
    end
  end

  // ---- the registers, as they are described ----------------------------------------------------------

  reg done_reg, busy_reg, read_reg;
  reg [NODES:0] taking_reg;
  reg [NODES-1:0] pending_reg;
  reg [63:0] key_reg, cycles_reg;
  reg [31:0] high_reg, reads_reg, writes_reg, value_reg;
  reg [4*NODES-1:0][6:0] route_reg;
  wire effect = bus_select && !done_reg && !busy_reg;
  wire [10:0] at = {bus_address[10:2], 2'b00};
  wire changes = effect && bus_write && at >= 11'h610;

  logic [31:0] value;
  always_comb begin
    value = '0;
    if (at == 11'h00C) value = 32'd1;
    if (at == 11'h014) value = 32'(NODES);
    if (at == 11'h01C) value = 32'd32;
    if (at == 11'h030) value = 32'h07DF_0104;
    if (at == 11'h034) value = 32'd1;
    if (at == 11'h038) value = key_reg[31:0];
    if (at == 11'h03C) value = key_reg[63:32];
    if (at == 11'h050) value = 32'(taking_reg);
    if (at == 11'h060) value = 32'({pending_reg, 1'b0});
    if (at == 11'h070) value = reads_reg;
    if (at == 11'h074) value = writes_reg;
    if (at == 11'h078) value = 32'h5742_0001;
    if (at == 11'h07C) value = 32'd100_000_000;
    if (at == 11'h080) value = cycles_reg[31:0];
    if (at == 11'h084) value = high_reg;
    for (int unsigned k = 0; k < 4 * NODES; k++)
      if (at == 11'(32'h610 + 4 * k)) value = 32'(route_reg[k]);
  end

  always_ff @(posedge clk) begin
    done_reg <= busy_reg ? routes_settled : effect && !changes;
    busy_reg <= busy_reg ? !routes_settled : changes;
    read_reg <= effect && !bus_write && !rst;
    value_reg <= value;
    pending_reg <= node_irq;
    cycles_reg <= cycles_reg + 1'b1;
    if (word_read) reads_reg <= reads_reg + 1'b1;
    if (word_written) writes_reg <= writes_reg + 1'b1;
    if (effect && bus_write) begin
      if (at == 11'h038) key_reg[31:0] <= bus_wdata;
      if (at == 11'h03C) key_reg[63:32] <= bus_wdata;
      if (at == 11'h054) taking_reg <= taking_reg | bus_wdata[NODES:0];
      if (at == 11'h058) taking_reg <= taking_reg & ~bus_wdata[NODES:0];
      for (int unsigned k = 0; k < 4 * NODES; k++)
        if (at == 11'(32'h610 + 4 * k)) route_reg[k] <= bus_wdata[6:0];
    end
    if (effect && !bus_write && at == 11'h080) high_reg <= cycles_reg[63:32];
    if (rst) begin
      done_reg <= 1'b0;
      busy_reg <= 1'b0;
      taking_reg <= '0;
      pending_reg <= '0;
      key_reg <= '0;
      cycles_reg <= '0;
      high_reg <= '0;
      reads_reg <= '0;
      writes_reg <= '0;
      route_reg <= '0;
    end
  end

  always_comb begin
    if (!started_reg) assume (rst);
    if (started_reg) begin
      assert (bus_done == done_reg && dut.busy_reg == busy_reg);
      assert (routes_changed == changes);
      assert (dut.cleared_reg == wrote_reg && dut.hold_reg == off_reg);
      assert (irq == told_reg && irq_pulse == pulse_reg);
      assert (bus_rdata == value_reg || !read_reg);
      assert (dut.enable_reg == taking_reg && enable == taking_reg[NODES:1]);
      assert (dut.pending_reg == pending_reg);
      assert (dut.key_reg == key_reg);
      assert (dut.cycles_reg == cycles_reg && dut.cycles_high_reg == high_reg);
      assert (dut.read_count_reg == reads_reg && dut.written_count_reg == writes_reg);
      assert (routes == route_reg);
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
