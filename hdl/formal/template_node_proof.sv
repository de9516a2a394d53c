// SPDX-License-Identifier: Apache-2.0

// template_node with its page, by induction; copy it with the node. A word comes out once, in its turn,
// with its signal, changed by the mask that held when it was taken, and waits only for who takes it; a
// reset of the queue discards it. An access is answered once, in its second cycle, with what the window
// has at its address. Words that leave are counted since the count was cleared.
module template_node_proof (
    input wire        clk,
    input wire        rst,
    input wire [15:0] bus_address,
    input wire        bus_window,
    input wire        bus_write,
    input wire [31:0] bus_wdata,
    input wire        bus_select,
    input wire [31:0] in_data,
    input wire [15:0] in_user,
    input wire        in_valid,
    input wire        out_ready
);

  wire bus_done, in_ready, in_flush, out_valid;
  wire [31:0] bus_rdata, out_data;
  wire [15:0] out_user;
  template_node dut (
      .*
  );

  reg started_reg = 1'b0;
  reg begun_reg, full_reg;
  reg [31:0] mask_reg, left_reg, word_reg, value_reg;
  reg [15:0] user_reg;
  wire effect = bus_select && !begun_reg;
  wire set = effect && bus_window && bus_write;
  wire [8:0] word = bus_address[10:2];
  wire flush = effect && bus_write && !bus_window && word == 9'h010 && bus_wdata[0];
  logic [31:0] value;
  always_comb begin
    value = '0;
    if (bus_window) begin
      if (bus_address == 16'h0000) value = mask_reg;
      if (bus_address == 16'h0004) value = left_reg;
    end else begin
      if (word == 9'h000) value = 32'h0000_0400;
      if (word == 9'h001) value = 32'h5704_0101;
      if (word == 9'h005) value = 32'h0000_0011;
    end
  end

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    begun_reg   <= effect && !rst;
    value_reg   <= value;
    if (full_reg && out_ready) begin
      full_reg <= 1'b0;
      left_reg <= left_reg + 1'b1;
    end
    if (in_valid && (!full_reg || out_ready)) begin
      full_reg <= 1'b1;
      word_reg <= in_data ^ mask_reg;
      user_reg <= in_user;
    end
    if (set && bus_address == 16'h0000) mask_reg <= bus_wdata;
    if (set && bus_address == 16'h0004) left_reg <= '0;
    if (flush) full_reg <= 1'b0;
    if (rst) begin
      full_reg <= 1'b0;
      mask_reg <= '0;
      left_reg <= '0;
    end
  end

  always_comb begin
    if (!started_reg) assume (rst);
    if (started_reg) begin
      assert (in_flush == flush && out_valid == full_reg && in_ready == (!full_reg || out_ready));
      assert (bus_done == begun_reg);
      assert (bus_rdata == value_reg || !begun_reg);
      if (out_valid) assert (out_data == word_reg && out_user == user_reg);
      assert (dut.mask_reg == mask_reg && dut.count_reg == left_reg);
      cover (out_valid && left_reg == 32'd2 && mask_reg == 32'd7);
    end
  end

endmodule
