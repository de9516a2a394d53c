// SPDX-License-Identifier: Apache-2.0

// Queue of words with user signals that knows how many words of one signal are at its head.
//
// `available` counts the words that carry the head's signal: a reader that takes so many reads none
// of the next block. `mixed` says that words of another signal are queued behind them. Both are
// exact in each cycle. Where in the sequence of words each later run begins is kept in a table;
// a word that would begin a run is not taken while the table is full.
`default_nettype none
module fifo_signal #(
    parameter int unsigned DEPTH = 512,  // words, a power of two
    parameter int unsigned RUNS = 32,    // changes of signal that can be queued
    localparam int unsigned CountW = $clog2(DEPTH) + 2
) (
    input wire clk,
    input wire rst,
    input wire clear,

    input  wire [31:0] in_data,
    input  wire [15:0] in_user,
    input  wire        in_valid,
    output wire        in_ready,

    output wire [      31:0] head_data,
    output wire [      15:0] head_user,
    output wire [CountW-1:0] available,
    output wire              mixed,
    output wire              full,
    input  wire              pop         // only while available != 0
);

  if (DEPTH < 4 || DEPTH > 65536 || DEPTH != 2 ** $clog2(DEPTH)) $fatal(0, "fifo_signal: DEPTH %0d", DEPTH);
  if (RUNS < 2 || RUNS > 1024 || RUNS != 2 ** $clog2(RUNS)) $fatal(0, "fifo_signal: RUNS %0d", RUNS);

  reg [CountW-1:0] pushed_reg, popped_reg;  // modulo more than the queue holds
  reg [15:0] last_user_reg;  // of the word put in last

  wire queue_ready, head_valid;
  wire runs_full, runs_empty;
  wire [CountW-1:0] second_start;

  wire empty = pushed_reg == popped_reg;
  wire begins = !empty && in_user != last_user_reg;
  assign in_ready = queue_ready && !(begins && runs_full);
  assign full = !queue_ready || runs_full;
  wire push = in_valid && in_ready;

  // The second run becomes the first when the last word of the first one goes.
  wire [CountW-1:0] popped_next = popped_reg + CountW'(pop);
  wire promote = !runs_empty && popped_next == second_start;

  // A word is counted a cycle before it is at the head, if the queue was empty.
  assign available = head_valid ? (runs_empty ? pushed_reg : second_start) - popped_reg : '0;
  assign mixed = !runs_empty && popped_reg != second_start;

  fifo_block #(
      .WIDTH(48),
      .DEPTH(DEPTH)
  ) queue (
      .clk,
      .rst,
      .clear,
      .in_data({in_user, in_data}),
      .in_valid(push),
      .in_ready(queue_ready),
      .out_data({head_user, head_data}),
      .out_valid(head_valid),
      .out_ready(pop)
  );

  fifo_table #(
      .WIDTH(CountW),
      .DEPTH(RUNS)
  ) runs (
      .clk,
      .rst(rst || clear),
      .push(push && begins),
      .in_data(pushed_reg),
      .full(runs_full),
      .pop(promote),
      .out_data(second_start),
      .empty(runs_empty)
  );

  always_ff @(posedge clk) begin
    if (push) begin
      pushed_reg <= pushed_reg + 1'b1;
      last_user_reg <= in_user;
    end
    popped_reg <= popped_next;
    if (rst || clear) begin
      pushed_reg <= '0;
      popped_reg <= '0;
    end
  end

endmodule
`default_nettype wire
