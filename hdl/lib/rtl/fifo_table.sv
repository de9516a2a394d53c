// SPDX-License-Identifier: Apache-2.0

// First-in first-out queue in LUT RAM, one clock: a word is at the output in the cycle after it was
// put in. `push` when full and `pop` when empty are the caller's mistakes; formal says who makes none.
`default_nettype none
module fifo_table #(
    parameter int unsigned WIDTH = 8,
    parameter int unsigned DEPTH = 32  // a power of two
) (
    input wire clk,
    input wire rst,

    input  wire             push,
    input  wire [WIDTH-1:0] in_data,
    output wire             full,

    input  wire             pop,
    output wire [WIDTH-1:0] out_data,
    output wire             empty
);

  localparam int unsigned PtrW = $clog2(DEPTH);

  if (WIDTH < 1 || WIDTH > 65536) $fatal(0, "fifo_table: WIDTH %0d", WIDTH);
  if (DEPTH < 2 || DEPTH > 65536 || DEPTH != 2 ** PtrW)
    $fatal(0, "fifo_table: DEPTH %0d is no power of two", DEPTH);

  (* ram_style = "distributed", ramstyle = "MLAB, no_rw_check", syn_ramstyle = "distributed" *) reg [WIDTH-1:0] ram[DEPTH];
  reg [PtrW:0] write_reg, read_reg;

  assign empty = write_reg == read_reg;
  assign full = write_reg == {~read_reg[PtrW], read_reg[PtrW-1:0]};
  assign out_data = ram[read_reg[PtrW-1:0]];

  always_ff @(posedge clk) if (push) ram[write_reg[PtrW-1:0]] <= in_data;

  always_ff @(posedge clk) begin
    if (push) write_reg <= write_reg + 1'b1;
    if (pop) read_reg <= read_reg + 1'b1;
    if (rst) begin
      write_reg <= '0;
      read_reg  <= '0;
    end
  end

endmodule
`default_nettype wire
