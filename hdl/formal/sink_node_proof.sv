// SPDX-License-Identifier: Apache-2.0

// sink_node with its page, by induction: it takes every word, counts it and keeps the last; an access is
// answered once, in its second cycle, with what the registers' description says of its address; a reset
// of its queue is seen outside.
module sink_node_proof (
    input wire        clk,
    input wire        rst,
    input wire [15:0] bus_address,
    input wire        bus_window,
    input wire        bus_write,
    input wire [31:0] bus_wdata,
    input wire        bus_select,
    input wire [31:0] in_data,
    input wire        in_valid
);

  wire bus_done, in_ready, in_flush;
  wire [31:0] bus_rdata;
  sink_node dut (
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
      .in_valid,
      .in_ready,
      .in_flush
  );

  reg started_reg = 1'b0;
  reg begun_reg;
  reg [31:0] count_reg, last_reg, value_reg;
  wire effect = bus_select && !begun_reg;
  wire [8:0] word = bus_address[10:2];
  logic [31:0] value;
  always_comb begin
    value = '0;
    if (bus_window) begin
      if (bus_address == 16'h0000) value = count_reg;
      if (bus_address == 16'h0004) value = last_reg;
    end else begin
      if (word == 9'h000) value = 32'h0000_0700;
      if (word == 9'h001) value = 32'h5707_0101;
      if (word == 9'h005) value = 32'h0000_0001;
    end
  end

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    begun_reg <= effect && !rst;
    value_reg <= value;
    if (in_valid) begin
      count_reg <= count_reg + 32'd1;
      last_reg  <= in_data;
    end
    if (rst || (effect && bus_window && bus_write && bus_address == 16'h0000)) count_reg <= '0;
    if (rst) last_reg <= '0;
  end

  always_comb begin
    if (!started_reg) assume (rst);
    if (started_reg) begin
      assert (in_ready);
      assert (in_flush == (effect && bus_write && !bus_window && word == 9'h010 && bus_wdata[0]));
      assert (bus_done == begun_reg);
      assert (bus_rdata == value_reg || !begun_reg);
      assert (dut.count_reg == count_reg && dut.last_reg == last_reg);
      cover (bus_done && bus_rdata == 32'd2);
    end
  end

endmodule
