// SPDX-License-Identifier: Apache-2.0

// The n-th word out of a queue is the n-th word in, for any n: nothing lost, doubled or reordered.
//
// A word that the solver picks is followed from `push` to `pop`. `level` counts the words inside by
// the handshakes alone; `ahead` those that leave before the picked one. The proof of a queue states
// where in its own memory the picked word lies, which is what makes it inductive.
module order_rules #(
    parameter int unsigned WIDTH  = 8,
    parameter int unsigned LEVELW = 4
) (
    input wire clk,
    input wire rst,  // empties the queue

    input wire             pick,
    input wire             push,
    input wire [WIDTH-1:0] in_data,
    input wire             pop,
    input wire [WIDTH-1:0] out_data,

    output wire [LEVELW-1:0] level,
    output wire              followed,
    output wire [LEVELW-1:0] ahead,
    output wire [ WIDTH-1:0] word
);

  reg started_reg = 1'b0;
  reg [LEVELW-1:0] level_reg, ahead_reg;
  reg followed_reg;
  reg [WIDTH-1:0] word_reg;

  assign level = level_reg;
  assign followed = followed_reg;
  assign ahead = ahead_reg;
  assign word = word_reg;

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    level_reg   <= level_reg + LEVELW'(push) - LEVELW'(pop);
    if (followed_reg && pop) begin
      ahead_reg <= ahead_reg - 1'b1;
      if (ahead_reg == '0) followed_reg <= 1'b0;
    end else if (!followed_reg && push && pick) begin
      followed_reg <= 1'b1;
      word_reg <= in_data;
      ahead_reg <= level_reg - LEVELW'(pop);
    end
    if (rst) begin
      level_reg <= '0;
      followed_reg <= 1'b0;
    end
  end

  always_comb begin
    if (started_reg) begin
      if (followed_reg) assert (ahead_reg < level_reg);
      if (pop) assert (level_reg != '0);
      if (pop && followed_reg && ahead_reg == '0) assert (out_data == word_reg);
    end
  end

endmodule
