// SPDX-License-Identifier: Apache-2.0

// fifo_block, by induction: order, no word taken when full, and none that stays behind: words in
// the RAM alone are at the output in the next cycle.
module fifo_block_proof #(
    parameter int unsigned WIDTH = 4,
    parameter int unsigned DEPTH = 4
) (
    input wire             clk,
    input wire             rst,
    input wire             clear,
    input wire             pick,
    input wire [WIDTH-1:0] in_data,
    input wire             in_valid,
    input wire             out_ready
);

  localparam int unsigned PtrW = $clog2(DEPTH);

  wire in_ready, out_valid;
  wire [WIDTH-1:0] out_data;
  fifo_block #(
      .WIDTH(WIDTH),
      .DEPTH(DEPTH)
  ) dut (
      .clk,
      .rst,
      .clear,
      .in_data,
      .in_valid,
      .in_ready,
      .out_data,
      .out_valid,
      .out_ready
  );

  wire followed;
  wire [PtrW:0] level, ahead;
  wire [WIDTH-1:0] word;
  order_rules #(
      .WIDTH (WIDTH),
      .LEVELW(PtrW + 1)
  ) order (
      .clk,
      .rst(rst || clear),
      .pick,
      .push(in_valid && in_ready),
      .in_data,
      .pop(out_valid && out_ready),
      .out_data,
      .level,
      .followed,
      .ahead,
      .word
  );
  // The latch holds the first word when it is valid.
  wire [PtrW-1:0] place = dut.read_reg[PtrW-1:0] + ahead[PtrW-1:0] - PtrW'(dut.valid_reg);
  wire [PtrW:0] stored = dut.write_reg - dut.read_reg;

  reg started_reg = 1'b0, filled_reg, waiting_reg;
  reg [WIDTH-1:0] shown_reg;
  reg held_reg;
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    filled_reg  <= !rst && !clear && (!in_ready || filled_reg);
    waiting_reg <= !rst && !clear && stored != '0;
    held_reg    <= !rst && !clear && out_valid && !out_ready;
    shown_reg   <= out_data;
  end

  always_comb begin
    if (!started_reg) assume (rst);
    else begin
      assert (stored <= (PtrW + 1)'(DEPTH));
      assert (level == stored + (PtrW + 1)'(dut.valid_reg));
      assert (in_ready == (stored != (PtrW + 1)'(DEPTH)));
      if (waiting_reg) assert (out_valid);
      if (held_reg) assert (out_valid && out_data == shown_reg);
      if (followed)
        assert ((dut.valid_reg && ahead == '0 ? dut.latch_reg : dut.ram[place]) == word);
      cover (filled_reg && level == '0);
      cover (level == (PtrW + 1)'(DEPTH + 1));
    end
  end

endmodule
