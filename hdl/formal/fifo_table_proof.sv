// SPDX-License-Identifier: Apache-2.0

// fifo_table, by induction: order, and `full` and `empty` exactly where the level says.
module fifo_table_proof #(
    parameter int unsigned WIDTH = 4,
    parameter int unsigned DEPTH = 4
) (
    input wire             clk,
    input wire             rst,
    input wire             pick,
    input wire             want_push,
    input wire [WIDTH-1:0] in_data,
    input wire             want_pop
);

  localparam int unsigned PtrW = $clog2(DEPTH);

  wire full, empty;
  wire [WIDTH-1:0] out_data;
  wire push = want_push && !full;
  wire pop = want_pop && !empty;
  fifo_table #(
      .WIDTH(WIDTH),
      .DEPTH(DEPTH)
  ) dut (
      .clk,
      .rst,
      .push,
      .in_data,
      .full,
      .pop,
      .out_data,
      .empty
  );

  wire followed;
  wire [PtrW:0] level, ahead;
  wire [WIDTH-1:0] word;
  order_rules #(
      .WIDTH (WIDTH),
      .LEVELW(PtrW + 1)
  ) order (
      .clk,
      .rst,
      .pick,
      .push,
      .in_data,
      .pop,
      .out_data,
      .level,
      .followed,
      .ahead,
      .word
  );
  wire [PtrW-1:0] place = dut.read_reg[PtrW-1:0] + ahead[PtrW-1:0];

  reg started_reg = 1'b0, filled_reg;
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    filled_reg  <= !rst && (full || filled_reg);
  end

  always_comb begin
    if (!started_reg) assume (rst);
    else begin
      assert (level <= (PtrW + 1)'(DEPTH));
      assert (level == dut.write_reg - dut.read_reg);
      assert (full == (level == (PtrW + 1)'(DEPTH)));
      assert (empty == (level == '0));
      if (followed) assert (dut.ram[place] == word);
      cover (filled_reg && empty);
      cover (followed && ahead == '0 && pop && push);
    end
  end

endmodule
