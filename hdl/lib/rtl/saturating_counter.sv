// SPDX-License-Identifier: Apache-2.0

// Counts up to its greatest value and stays there: a reader that comes late is told "at least".
`default_nettype none
module saturating_counter #(
    parameter int unsigned WIDTH = 32
) (
    input  wire             clk,
    input  wire             clear,
    input  wire             count,
    output wire [WIDTH-1:0] value
);

  if (WIDTH < 1 || WIDTH > 64) $fatal(0, "saturating_counter: WIDTH %0d", WIDTH);

  reg [WIDTH-1:0] value_reg;
  assign value = value_reg;

  always_ff @(posedge clk) begin
    if (count && !(&value_reg)) value_reg <= value_reg + 1'b1;
    if (clear) value_reg <= '0;
  end

endmodule
`default_nettype wire
