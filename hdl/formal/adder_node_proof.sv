// SPDX-License-Identifier: Apache-2.0

// adder_node with its page, by induction: in each lane a word comes out once, in its turn, with its
// signal and the constant that held when it was taken, and waits only for who takes it; a reset of a
// queue discards the lane's. An access is answered once, in its second cycle, with what the registers'
// description says of its address.
module adder_node_proof (
    input wire         clk,
    input wire         rst,
    input wire [ 15:0] bus_address,
    input wire         bus_window,
    input wire         bus_write,
    input wire [ 31:0] bus_wdata,
    input wire         bus_select,
    input wire [127:0] in_data,
    input wire [ 63:0] in_user,
    input wire [  3:0] in_valid,
    input wire [  3:0] out_ready
);

  wire bus_done;
  wire [31:0] bus_rdata;
  wire [3:0] in_ready, in_flush, out_valid;
  wire [127:0] out_data;
  wire [63:0] out_user;
  adder_node dut (
      .clk,
      .rst,
      .bus_address,
      .bus_window,
      .bus_write,
      .bus_wdata,
      .bus_select,
      .bus_done,
      .bus_rdata,
      .in_data,
      .in_user,
      .in_valid,
      .in_ready,
      .in_flush,
      .out_data,
      .out_user,
      .out_valid,
      .out_ready
  );

  reg started_reg = 1'b0;
  reg begun_reg;
  reg [3:0] full_reg;
  reg [3:0][31:0] constant_reg, sum_reg;
  reg [3:0][15:0] user_reg;
  reg [31:0] value_reg;
  wire effect = bus_select && !begun_reg;
  wire [8:0] word = bus_address[10:2];
  wire [3:0] flush = effect && bus_write && !bus_window && word == 9'h010 ? bus_wdata[3:0] : '0;
  wire [1:0] lane = bus_address[3:2];
  logic [31:0] value;
  always_comb begin
    value = '0;
    if (bus_window) begin
      if (bus_address < 16'h0010) value = constant_reg[lane];
    end else begin
      if (word == 9'h000) value = 32'h0000_0400;
      if (word == 9'h001) value = 32'h5704_0101;
      if (word == 9'h005) value = 32'h0000_0044;
    end
  end

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    begun_reg <= effect && !rst;
    value_reg <= value;
    if (effect && bus_window && bus_write && bus_address < 16'h0010) constant_reg[lane] <= bus_wdata;
    for (int unsigned i = 0; i < 4; i++) begin
      if (full_reg[i] && out_ready[i]) full_reg[i] <= 1'b0;
      if (in_valid[i] && (!full_reg[i] || out_ready[i])) begin
        full_reg[i] <= 1'b1;
        sum_reg[i]  <= in_data[32*i+:32] + constant_reg[i];
        user_reg[i] <= in_user[16*i+:16];
      end
      if (flush[i]) full_reg[i] <= 1'b0;
    end
    if (rst) begin
      full_reg <= '0;
      constant_reg <= '0;
    end
  end

  always_comb begin
    if (!started_reg) assume (rst);
    if (started_reg) begin
      assert (in_flush == flush && out_valid == full_reg && in_ready == (~full_reg | out_ready));
      assert (bus_done == begun_reg);
      assert (bus_rdata == value_reg || !begun_reg);
      assert (dut.constants == constant_reg);
      for (int unsigned i = 0; i < 4; i++)
        if (out_valid[i])
          assert (out_data[32*i+:32] == sum_reg[i] && out_user[16*i+:16] == user_reg[i]);
      cover (out_valid == 4'b1111 && constant_reg[2] == 32'd7);
    end
  end

endmodule
