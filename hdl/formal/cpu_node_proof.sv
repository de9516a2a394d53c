// SPDX-License-Identifier: Apache-2.0

// cpu_node, by induction, over queues that do anything:
//
//   - A bit that is armed fires in the cycle after its condition holds, also when it held before; only a
//     write to 0x2C disarms, and only the bits written.
//   - An access is answered once: on the page in its second cycle, with what the registers' description
//     says of that address; at a data port in its first, with the head of the queue.
//   - A queue is pushed, popped or reset when, and only when, an access asks for it and it can; places
//     that are free, words moved and accesses refused are counted exactly.
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

  localparam int unsigned CountW = 11;  // of DEPTH 512

  // What the queues say.
  wire [3:0] valid, mixed, full, pushed, popped;
  wire [3:0][CountW-1:0] available;
  wire [3:0][31:0] head;
  wire [3:0][15:0] head_user;
  for (genvar i = 0; i < 4; i++) begin : queues
    assign valid[i] = dut.from_logic[i].fifo.valid;  // as `available` says, which fifo_signal proves
    assign mixed[i] = dut.from_logic[i].fifo.mixed;
    assign full[i] = dut.from_logic[i].fifo.full;
    assign available[i] = dut.from_logic[i].fifo.available;
    assign popped[i] = dut.from_logic[i].fifo.pop;
    assign pushed[i] = dut.to_logic[i].fifo.push;
    assign head[i] = dut.head_all[32*i+:32];
    assign head_user[i] = dut.head_user_all[16*i+:16];
  end

  // ---- the registers, as they are described ----------------------------------------------------------

  reg started_reg = 1'b0;
  reg [7:0] armed_reg;
  reg due_reg, begun_reg;
  reg [3:0][15:0] user_reg;
  reg [3:0][CountW-1:0] free_reg, above_to_reg, above_from_reg;
  reg [31:0] reads_reg, writes_reg, value_reg;
  reg [15:0] refused_reads_reg, refused_writes_reg;

  wire effect = bus_select && !bus_window && !begun_reg && bus_write;
  wire [7:0] bits = {bus_wdata[19:16], bus_wdata[3:0]};
  wire [9:0] word = bus_address[11:2];
  wire [1:0] i = word[1:0];
  wire port = bus_select && bus_window && bus_address < 16'h1000;
  wire [1:0] lane = bus_address[11:10];

  logic [3:0] push, pop, reset_to, reset_from;
  logic [7:0] holds;
  logic [31:0] value;
  always_comb begin
    push = '0;
    pop = '0;
    reset_to = effect && word == 10'h010 ? bus_wdata[3:0] : '0;
    reset_from = effect && word == 10'h011 ? bus_wdata[3:0] : '0;
    if (port && bus_write) push[lane] = free_reg[lane] != '0;
    if (port && !bus_write) pop[lane] = valid[lane];
    for (int unsigned k = 0; k < 4; k++) begin
      holds[k] = free_reg[k] > above_to_reg[k];
      holds[4+k] = available[k] > above_from_reg[k] || mixed[k] || full[k];
    end

    value = '0;
    if (word == 10'h000) value = 32'h0000_0200;
    if (word == 10'h001) value = 32'h5702_0101;
    if (word == 10'h005) value = 32'h0000_0044;
    if (word == 10'h008) value = {12'd0, armed_reg[7:4], 12'd0, armed_reg[3:0]};
    if (word == 10'h009)
      value = {12'd0, armed_reg[7:4] & holds[7:4], 12'd0, armed_reg[3:0] & holds[3:0]};
    if (word[9:2] == 8'h03) value = 32'(user_reg[i]);
    if (word == 10'h014) value = reads_reg;
    if (word == 10'h015) value = writes_reg;
    if (word == 10'h024) value = {refused_reads_reg, refused_writes_reg};
    if (word[9:2] == 8'h10 && valid[i]) value = head[i];
    if (word[9:2] == 8'h40) value = {head_user[i], 16'(available[i])};
    if (word[9:2] == 8'h42) value = 32'(above_from_reg[i]);
    if (word[9:2] == 8'h50) value = 32'(free_reg[i]);
    if (word[9:2] == 8'h52) value = 32'(above_to_reg[i]);
  end

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    if (effect && word == 10'h00A) armed_reg <= armed_reg | bits;
    if (effect && word == 10'h00B) armed_reg <= armed_reg & ~bits;
    due_reg   <= (armed_reg & holds) != '0;
    begun_reg <= bus_select && !bus_window && !begun_reg;
    value_reg <= value;
    if (effect && word[9:2] == 8'h03) user_reg[i] <= bus_wdata[15:0];
    if (effect && word[9:2] == 8'h42) above_from_reg[i] <= bus_wdata[CountW-1:0];
    if (effect && word[9:2] == 8'h52) above_to_reg[i] <= bus_wdata[CountW-1:0];
    if (pop != '0) reads_reg <= reads_reg + 1'b1;
    if (push != '0) writes_reg <= writes_reg + 1'b1;
    if (port && !bus_write && pop == '0 && refused_reads_reg != 16'hFFFF)
      refused_reads_reg <= refused_reads_reg + 1'b1;
    if (port && bus_write && push == '0 && refused_writes_reg != 16'hFFFF)
      refused_writes_reg <= refused_writes_reg + 1'b1;
    if (rst || (effect && word == 10'h024)) begin
      refused_reads_reg  <= '0;
      refused_writes_reg <= '0;
    end
    for (int unsigned k = 0; k < 4; k++) begin
      if (push[k] != (out_valid[k] && out_ready[k]))
        free_reg[k] <= push[k] ? free_reg[k] - 1'b1 : free_reg[k] + 1'b1;
      if (rst || reset_to[k]) free_reg[k] <= CountW'(512);
    end
    if (rst) begin
      armed_reg <= '0;
      due_reg <= 1'b0;
      begun_reg <= 1'b0;
      user_reg <= '0;
      above_to_reg <= '0;
      above_from_reg <= '0;
      reads_reg <= '0;
      writes_reg <= '0;
    end
  end

  always_comb begin
    if (!started_reg) assume (rst);
    if (started_reg) begin
      assert (dut.mask_reg == armed_reg);
      assert (irq == due_reg);
      assert (dut.done_reg == begun_reg);
      assert (bus_done == (bus_window ? bus_select : begun_reg));
      assert (dut.read_count_reg == reads_reg && dut.written_count_reg == writes_reg);
      assert (dut.refused_reads_reg == refused_reads_reg);
      assert (dut.refused_writes_reg == refused_writes_reg);
      assert (dut.rdata_reg == value_reg || !begun_reg);
      assert (bus_rdata == (!bus_window ? dut.rdata_reg : pop != '0 ? head[lane] : '0));
      assert (pushed == push && popped == pop);
      assert (dut.reset_to == reset_to && in_flush == reset_from);
      for (int unsigned k = 0; k < 4; k++) begin
        assert (dut.user_all[16*k+:16] == user_reg[k]);
        assert (dut.free_all[16*k+:16] == 16'(free_reg[k]));
        assert (dut.free_above_all[16*k+:16] == 16'(above_to_reg[k]));
        assert (dut.available_above_all[16*k+:16] == 16'(above_from_reg[k]));
      end
      cover (irq && armed_reg == 8'h10);
      cover (armed_reg == 8'hFF && !irq);
    end
  end

endmodule
