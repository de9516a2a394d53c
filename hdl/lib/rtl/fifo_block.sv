// SPDX-License-Identifier: Apache-2.0

// First-in first-out queue in block RAM, one clock.
//
// The RAM's own output latch is the output register: no register stage of the queue's own, and one
// word a cycle in and out at the same time. A word is at the output two cycles after it was put in.
// `clear` empties it in one cycle; a word put in during that cycle is lost.
//
// It does not count its contents for others: who needs credit counts it where it is spent.
`default_nettype none
module fifo_block #(
    parameter int unsigned WIDTH = 72,
    parameter int unsigned DEPTH = 512  // a power of two
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             clear,

    input  wire [WIDTH-1:0] in_data,
    input  wire             in_valid,
    output wire             in_ready,

    output wire [WIDTH-1:0] out_data,
    output wire             out_valid,
    input  wire             out_ready
);

  localparam int unsigned PtrW = $clog2(DEPTH);

  if (WIDTH < 1 || WIDTH > 65536) $fatal(0, "fifo_block: WIDTH %0d", WIDTH);
  if (DEPTH < 4 || DEPTH > 65536 || DEPTH != 2 ** PtrW)
    $fatal(0, "fifo_block: DEPTH %0d is no power of two", DEPTH);

  (* ram_style = "block", syn_ramstyle = "block_ram" *) reg [WIDTH-1:0] ram[DEPTH];
  reg [WIDTH-1:0] latch_reg;
  reg [PtrW:0] write_reg, read_reg;
  reg valid_reg;

  // Pointers have a bit more than an address, so that full and empty differ in it alone.
  wire empty = write_reg == read_reg;
  wire full = write_reg == {~read_reg[PtrW], read_reg[PtrW-1:0]};
  wire fetch = !empty && (!valid_reg || out_ready);

  assign in_ready  = !full;
  assign out_data  = latch_reg;
  assign out_valid = valid_reg;

  // The RAM's template: nothing in here may depend on reset.
  always_ff @(posedge clk) begin
    if (in_valid && in_ready) ram[write_reg[PtrW-1:0]] <= in_data;
    if (fetch) latch_reg <= ram[read_reg[PtrW-1:0]];
  end

  always_ff @(posedge clk) begin
    if (in_valid && in_ready) write_reg <= write_reg + 1'b1;
    if (fetch) read_reg <= read_reg + 1'b1;
    valid_reg <= fetch || (valid_reg && !out_ready);
    if (rst || clear) begin
      write_reg <= '0;
      read_reg  <= '0;
      valid_reg <= 1'b0;
    end
  end

endmodule
`default_nettype wire
