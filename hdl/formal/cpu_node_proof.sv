// SPDX-License-Identifier: Apache-2.0

// Interrupts of cpu_node, by induction, over queues that do anything: a bit that is armed fires in the
// cycle after its condition holds, also when it held before; only a write to 0x2C disarms, and only the
// bits written. An access is answered once, in its second cycle on the page.
module cpu_node_proof (
    input wire         clk,
    input wire         rst,
    input wire [ 15:0] bus_address,
    input wire         bus_window,
    input wire         bus_write,
    input wire [ 31:0] bus_wdata,
    input wire         bus_select,
    input wire [  3:0] out_ready,
    input wire [127:0] in_data,
    input wire [ 63:0] in_user,
    input wire [  3:0] in_valid
);

  wire bus_done, irq;
  wire [31:0] bus_rdata;
  wire [127:0] out_data;
  wire [63:0] out_user;
  wire [3:0] out_valid, in_ready, in_flush;
  cpu_node dut (
      .clk,
      .rst,
      .bus_address,
      .bus_window,
      .bus_write,
      .bus_wdata,
      .bus_select,
      .bus_done,
      .bus_rdata,
      .irq,
      .out_data,
      .out_user,
      .out_valid,
      .out_ready,
      .in_data,
      .in_user,
      .in_valid,
      .in_ready,
      .in_flush
  );

  // What holds: words above what software asked for, by the queue's own counts; signals that differ.
  logic [7:0] holds;
  always_comb begin
    for (int unsigned i = 0; i < 4; i++) begin
      holds[i] = dut.free_all[16*i+:16] > dut.free_above_all[16*i+:16];
      holds[4+i] = dut.available_active[i];
    end
  end

  reg started_reg = 1'b0;
  reg [7:0] armed_reg;
  reg due_reg, begun_reg;
  wire effect = bus_select && !bus_window && !begun_reg && bus_write;
  wire [7:0] bits = {bus_wdata[19:16], bus_wdata[3:0]};
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    if (effect && bus_address[11:2] == 10'h00A) armed_reg <= armed_reg | bits;
    if (effect && bus_address[11:2] == 10'h00B) armed_reg <= armed_reg & ~bits;
    due_reg <= (armed_reg & holds) != '0;
    begun_reg <= bus_select && !bus_window && !begun_reg;
    if (rst) begin
      armed_reg <= '0;
      due_reg   <= 1'b0;
      begun_reg <= 1'b0;
    end
  end

  always_comb begin
    if (!started_reg) assume (rst);
    if (started_reg) begin
      assert (dut.mask_reg == armed_reg);
      assert (irq == due_reg);
      assert (dut.done_reg == begun_reg);
      assert (bus_done == (bus_window ? bus_select : begun_reg));
      cover (irq && armed_reg == 8'h10);
      cover (armed_reg == 8'hFF && !irq);
    end
  end

endmodule
