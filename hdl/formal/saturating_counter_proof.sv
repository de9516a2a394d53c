// SPDX-License-Identifier: Apache-2.0

// saturating_counter, by induction: what was counted since it was cleared, or its greatest value.
module saturating_counter_proof #(
    parameter int unsigned WIDTH = 12
) (
    input wire clk,
    input wire clear,
    input wire count
);

  wire [WIDTH-1:0] value;
  saturating_counter #(
      .WIDTH(WIDTH)
  ) dut (
      .clk,
      .clear,
      .count,
      .value
  );

  reg started_reg = 1'b0;
  reg [WIDTH-1:0] counted_reg;
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    if (clear) counted_reg <= '0;
    else if (count && counted_reg != WIDTH'(2 ** WIDTH - 1)) counted_reg <= counted_reg + WIDTH'(1);
  end

  always_comb begin
    if (!started_reg) assume (clear);
    if (started_reg) begin
      assert (value == counted_reg);
      cover (value == WIDTH'(5));
    end
  end

endmodule
