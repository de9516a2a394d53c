// SPDX-License-Identifier: Apache-2.0

// uart_transmit into uart_receive, 100 cycles from the reset, which are two bytes; 52, which are one, in the
// tests. What is taken at one end comes out at the other, in order, none twice, none broken; and none is
// made of a quiet line.
module uart_proof (
    input wire       clk,
    input wire       rst,
    input wire [7:0] data,
    input wire       valid
);

  wire ready, line, out_valid, broken;
  wire [7:0] out_data;
  uart_transmit #(.CYCLES(4)) transmit (
      .clk,
      .rst,
      .data,
      .valid,
      .ready,
      .txd(line)
  );
  uart_receive #(.CYCLES(4)) receive (
      .clk,
      .rst,
      .rxd(line),
      .data(out_data),
      .valid(out_valid),
      .broken
  );

  reg started_reg = 1'b0;
  reg [1:0] held_reg;  // bytes on their way
  reg [7:0] first_reg, second_reg;
  wire takes = valid && ready;
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    if (out_valid) first_reg <= second_reg;
    if (takes && held_reg == {1'b0, out_valid}) first_reg <= data;
    else if (takes) second_reg <= data;
    held_reg <= held_reg + 2'(takes) - 2'(out_valid);
    if (!started_reg) held_reg <= '0;
  end

  always_comb begin
    assume (rst == !started_reg);
    if (started_reg) begin
      assert (!broken);
      assert (held_reg != 2'd3);
      if (out_valid) assert (held_reg != 2'd0 && out_data == first_reg);
      cover (out_valid && out_data == 8'hA5);
    end
  end

endmodule
