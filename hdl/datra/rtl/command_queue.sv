// SPDX-License-Identifier: Apache-2.0

// The original's queues of one direction: eight commands, eight results.
//
// A command holds its slot until its result is queued. With eight results waiting one command more is
// begun: its data move, then it keeps its slot until a result is read. The original's driver asks for
// a slot, sleeps, and writes a command without reading results in between; nine are then on their way,
// and all nine must arrive, as it may never look again. One table holds a transfer from command to
// result, four pointers say how far it is. A command written while no slot is free is lost, as in the
// original.
`default_nettype none
module command_queue #(
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned LEN_W = 24
) (
    input wire clk,
    input wire rst,
    input wire run,

    input wire [ADDR_W-1:0] new_addr,
    input wire [ LEN_W-1:0] new_len,
    input wire [      15:0] new_user,
    input wire              new_valid,
    output wire [3:0] free,
    output wire [3:0] results,

    output wire [ADDR_W-1:0] go_addr,
    output wire [ LEN_W-1:0] go_len,
    output wire [      15:0] go_user,
    output wire              go_valid,
    input  wire              go_ready,

    input wire             done,
    input wire [LEN_W-1:0] done_len,
    input wire [     15:0] done_user,
    input wire [      1:0] done_error,

    output wire [ADDR_W-1:0] result_addr,
    output wire [ LEN_W-1:0] result_len,
    output wire [      15:0] result_user,
    output wire [       1:0] result_error,
    input  wire              result_pop
);

  if (ADDR_W < 4 || ADDR_W > 64) $fatal(0, "command_queue: ADDR_W %0d", ADDR_W);
  if (LEN_W < 5 || LEN_W > 24) $fatal(0, "command_queue: LEN_W %0d", LEN_W);

  // Up to sixteen are between a command's writing and its result's reading.
  (* ram_style = "distributed", ramstyle = "MLAB", syn_ramstyle = "distributed" *) reg [ADDR_W-1:0] addr_table[16];
  (* ram_style = "distributed", ramstyle = "MLAB", syn_ramstyle = "distributed" *) reg [LEN_W+15:0] command_table[16];
  (* ram_style = "distributed", ramstyle = "MLAB", syn_ramstyle = "distributed" *) reg [LEN_W+17:0] result_table[16];
  reg [4:0] new_reg, go_reg, done_reg, pop_reg;

  wire [4:0] waiting = done_reg - pop_reg;
  wire [4:0] begun = go_reg - pop_reg;
  wire ninth = waiting == 5'd9;  // is done, and not queued
  wire [4:0] held = new_reg - done_reg + 5'(ninth);
  wire write = new_valid && held != 5'd8;

  assign free = 4'(5'd8 - held);
  assign results = ninth ? 4'd8 : waiting[3:0];
  assign go_addr = addr_table[go_reg[3:0]];
  assign {go_user, go_len} = command_table[go_reg[3:0]];
  assign go_valid = run && go_reg != new_reg && begun != 5'd9;
  assign result_addr = addr_table[pop_reg[3:0]];
  assign {result_error, result_user, result_len} = result_table[pop_reg[3:0]];

  always_ff @(posedge clk) begin
    if (write) begin
      addr_table[new_reg[3:0]] <= new_addr;
      command_table[new_reg[3:0]] <= {new_user, new_len};
    end
    if (done) result_table[done_reg[3:0]] <= {done_error, done_user, done_len};
  end

  always_ff @(posedge clk) begin
    if (write) new_reg <= new_reg + 1'b1;
    if (go_valid && go_ready) go_reg <= go_reg + 1'b1;
    if (done) done_reg <= done_reg + 1'b1;
    if (result_pop && waiting != '0) pop_reg <= pop_reg + 1'b1;
    if (rst) begin
      new_reg  <= '0;
      go_reg   <= '0;
      done_reg <= '0;
      pop_reg  <= '0;
    end
  end

endmodule
`default_nettype wire
