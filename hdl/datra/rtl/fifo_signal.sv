// SPDX-License-Identifier: Apache-2.0

// Queue of words with user signals that knows how many words of one signal are at its head.
//
// `available` counts the words that carry the head's signal: a reader that takes so many reads none
// of the next block. `mixed` says that words of another signal are queued behind them. Both are
// exact in each cycle, and registers but for one gate. The lengths of the first run and of the last are
// counted, those between wait in a table; a word that would begin a run is not taken while that is full.
`default_nettype none
module fifo_signal #(
    parameter int unsigned DEPTH = 512,  // words, a power of two
    parameter int unsigned RUNS = 32,    // between the first and the last, that can be queued
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
    output wire              valid,      // there is a head
    output wire [CountW-1:0] available,
    output wire              mixed,
    output wire              full,
    input  wire              pop         // only while valid
);

  if (DEPTH < 4 || DEPTH > 65536 || DEPTH != 2 ** $clog2(DEPTH)) $fatal(0, "fifo_signal: DEPTH %0d", DEPTH);
  if (RUNS < 2 || RUNS > 1024 || RUNS != 2 ** $clog2(RUNS)) $fatal(0, "fifo_signal: RUNS %0d", RUNS);

  reg [CountW-1:0] first_reg, last_reg;  // words of the first run; of the last one, if that is another
  reg mixed_reg;  // it is
  reg [15:0] last_user_reg;  // of the word put in last

  wire queue_ready;
  wire runs_full, runs_empty;
  wire [CountW-1:0] second;  // words of the second run, if it is not the last

  wire begins = first_reg != '0 && in_user != last_user_reg;
  assign in_ready = queue_ready && !(begins && runs_full);
  assign full = !queue_ready || runs_full;
  wire push = in_valid && in_ready;

  // The second run becomes the first when the last word of the first one goes.
  wire ends = pop && first_reg == CountW'(1);
  wire promote = ends && mixed_reg;
  wire only = promote && runs_empty;  // what is the last run becomes the first

  // A word is counted a cycle before it is at the head, if the queue was empty.
  assign available = valid ? first_reg : '0;
  assign mixed = mixed_reg;

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
      .out_valid(valid),
      .out_ready(pop)
  );

  fifo_table #(
      .WIDTH(CountW),
      .DEPTH(RUNS)
  ) runs (
      .clk,
      .rst(rst || clear),
      .push(push && begins && mixed_reg && !only),
      .in_data(last_reg),
      .full(runs_full),
      .pop(promote && !runs_empty),
      .out_data(second),
      .empty(runs_empty)
  );

  always_ff @(posedge clk) begin
    if (push) begin
      last_reg <= begins ? CountW'(1) : last_reg + 1'b1;
      last_user_reg <= in_user;
    end
    // A run that begins as the last word of the only one goes is the first from its beginning on.
    if (promote) first_reg <= runs_empty ? last_reg + CountW'(push && !begins) : second;
    else first_reg <= first_reg + CountW'(push && !mixed_reg && (!begins || ends)) - CountW'(pop);
    mixed_reg <= only ? push && begins : mixed_reg || (push && begins && !ends);
    if (rst || clear) begin
      first_reg <= '0;
      mixed_reg <= 1'b0;
    end
  end

endmodule
`default_nettype wire
