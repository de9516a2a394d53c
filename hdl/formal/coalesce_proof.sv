// SPDX-License-Identifier: Apache-2.0

// coalesce, by induction: no frame is told of that was acknowledged, and each that was not is: at once
// when nothing is left to do or enough have finished, after `patience` ticks otherwise, and not before.
// What is told by number or age stays until it is acknowledged.
module coalesce_proof #(
    parameter int unsigned INDEX_W = 16
) (
    input wire               clk,
    input wire               rst,
    input wire               tick,
    input wire [       15:0] frames,
    input wire [       15:0] patience,
    input wire [INDEX_W-1:0] more,         // that finish in this cycle
    input wire               drained,
    input wire               acknowledge
);

  reg [INDEX_W-1:0] finished_reg;
  wire tell;
  coalesce #(
      .INDEX_W(INDEX_W)
  ) dut (
      .clk,
      .rst,
      .tick,
      .frames,
      .patience,
      .finished(finished_reg),
      .drained,
      .acknowledge,
      .tell
  );

  // Frames finished since the last acknowledge, and ticks while there were some.
  reg [INDEX_W-1:0] open_reg;
  reg [15:0] waited_reg;
  reg started_reg = 1'b0;
  reg kept_reg;
  reg [15:0] frames_reg, patience_reg;
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    finished_reg <= finished_reg + more;
    open_reg <= (acknowledge ? '0 : open_reg) + more;
    if (open_reg == '0 || acknowledge) waited_reg <= '0;
    else if (tick && waited_reg != 16'hFFFF) waited_reg <= waited_reg + 1'b1;
    kept_reg <= tell && !drained && !acknowledge && !rst;
    frames_reg <= frames;
    patience_reg <= patience;
    if (rst) begin
      finished_reg <= '0;
      open_reg <= '0;
      waited_reg <= '0;
    end
  end

  always_comb begin
    if (!started_reg) assume (rst);
    // A ring has at most half of the numbers.
    if (!acknowledge) assume (32'(open_reg) + 32'(more) < 2 ** INDEX_W);
    if (started_reg) assume (frames == frames_reg && patience == patience_reg);
    if (started_reg) begin
      assert (open_reg == INDEX_W'(finished_reg - dut.told_reg));
      assert (waited_reg == dut.age_reg);
      assert (!tell || open_reg != '0);
      if (open_reg != '0) begin
        assert (tell == (drained || open_reg >= INDEX_W'(frames) || waited_reg >= patience));
      end
      if (kept_reg) assert (tell);
      cover (tell && open_reg == 1 && frames == 3 && !drained && patience == 2);
      cover (tell && open_reg == 3 && frames == 3 && !drained && waited_reg < patience);
    end
  end

endmodule
