// SPDX-License-Identifier: Apache-2.0

// First-in first-out queue between two clocks, in LUT RAM.
//
// Each side knows the other's pointer as a Gray code through two registers, so that what it sees is
// a value that the pointer had: never more words or more room than there are. A word takes two to
// three cycles of the reader's clock to be seen; DEPTH of 8 or more carries a word a cycle.
//
// Both resets must be active together for some cycles of both clocks; the sides may leave it at
// different times. The paths of write_gray_reg and read_gray_reg into the other clock have to be
// constrained to less than a cycle of skew: hdl/datra/ip/fifo_async.xdc, datra.sdc.
`default_nettype none
module fifo_async #(
    parameter int unsigned WIDTH = 48,
    parameter int unsigned DEPTH = 16  // a power of two
) (
    input  wire             in_clk,
    input  wire             in_rst,
    input  wire [WIDTH-1:0] in_data,
    input  wire             in_valid,
    output wire             in_ready,

    input  wire             out_clk,
    input  wire             out_rst,
    output wire [WIDTH-1:0] out_data,
    output wire             out_valid,
    input  wire             out_ready
);

  localparam int unsigned PtrW = $clog2(DEPTH);

  if (WIDTH < 1 || WIDTH > 65536) $fatal(0, "fifo_async: WIDTH %0d", WIDTH);
  if (DEPTH < 4 || DEPTH > 65536 || DEPTH != 2 ** PtrW)
    $fatal(0, "fifo_async: DEPTH %0d is no power of two", DEPTH);

  (* ram_style = "distributed", ramstyle = "MLAB, no_rw_check", syn_ramstyle = "distributed" *) reg [WIDTH-1:0] ram[DEPTH];

  // Pointers have a bit more than an address; both are kept in binary and as Gray code.
  reg [PtrW:0] write_reg, write_gray_reg;
  reg [PtrW:0] read_reg, read_gray_reg;
  (* ASYNC_REG = "TRUE" *) reg [PtrW:0] read_sync_reg, read_seen_reg;
  (* ASYNC_REG = "TRUE" *) reg [PtrW:0] write_sync_reg, write_seen_reg;

  // ---- writer --------------------------------------------------------------------------------------

  // Full: the pointers differ by DEPTH, which in Gray code is the two upper bits inverted.
  assign in_ready = write_gray_reg != {~read_seen_reg[PtrW:PtrW-1], read_seen_reg[PtrW-2:0]};
  wire push = in_valid && in_ready;
  wire [PtrW:0] write_next = write_reg + (PtrW + 1)'(push);

  always_ff @(posedge in_clk) if (push) ram[write_reg[PtrW-1:0]] <= in_data;

  always_ff @(posedge in_clk) begin
    write_reg <= write_next;
    write_gray_reg <= write_next ^ (write_next >> 1);
    read_sync_reg <= read_gray_reg;
    read_seen_reg <= read_sync_reg;
    if (in_rst) begin
      write_reg <= '0;
      write_gray_reg <= '0;
      read_sync_reg <= '0;
      read_seen_reg <= '0;
    end
  end

  // ---- reader --------------------------------------------------------------------------------------

  reg [WIDTH-1:0] data_reg;
  reg valid_reg;
  wire fetch = read_gray_reg != write_seen_reg && (!valid_reg || out_ready);
  wire [PtrW:0] read_next = read_reg + (PtrW + 1)'(fetch);
  assign out_data  = data_reg;
  assign out_valid = valid_reg;

  always_ff @(posedge out_clk) begin
    if (fetch) data_reg <= ram[read_reg[PtrW-1:0]];
    valid_reg <= fetch || (valid_reg && !out_ready);
    read_reg <= read_next;
    read_gray_reg <= read_next ^ (read_next >> 1);
    write_sync_reg <= write_gray_reg;
    write_seen_reg <= write_sync_reg;
    if (out_rst) begin
      valid_reg <= 1'b0;
      read_reg <= '0;
      read_gray_reg <= '0;
      write_sync_reg <= '0;
      write_seen_reg <= '0;
    end
  end

endmodule
`default_nettype wire
