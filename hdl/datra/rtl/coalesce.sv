// SPDX-License-Identifier: Apache-2.0

// When to tell software of finished frames: after `frames` of them, or `patience` ticks after the
// first, or as soon as nothing is left to do. `frames` of 0 counts as 1. `acknowledge` forgets those
// finished so far; one that finishes later is told of again, so none is lost.
`default_nettype none
module coalesce #(
    parameter int unsigned INDEX_W = 16
) (
    input wire clk,
    input wire rst,

    input wire               tick,
    input wire [       15:0] frames,
    input wire [       15:0] patience,
    input wire [INDEX_W-1:0] finished,
    input wire               drained,
    input wire               acknowledge,

    output wire tell
);

  if (INDEX_W < 1 || INDEX_W > 16) $fatal(0, "coalesce: INDEX_W %0d", INDEX_W);

  reg [INDEX_W-1:0] told_reg;
  reg [15:0] age_reg;

  wire [INDEX_W-1:0] untold = finished - told_reg;
  assign tell = untold != '0 && (untold >= INDEX_W'(frames) || age_reg >= patience || drained);

  always_ff @(posedge clk) begin
    if (acknowledge) told_reg <= finished;
    if (untold == '0 || acknowledge) age_reg <= '0;
    else if (tick && !(&age_reg)) age_reg <= age_reg + 1'b1;
    if (rst) begin
      told_reg <= '0;
      age_reg  <= '0;
    end
  end

endmodule
`default_nettype wire
