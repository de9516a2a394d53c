// SPDX-License-Identifier: Apache-2.0

// One destination of the router: chooses the word of its source, and queues what has arrived.
//
// A word comes into the queue three cycles after the `room` that let it go. A place is promised once:
// what the last two cycles of `room` may still bring counts as here. So the last place is filled too,
// and a reader that takes one word lets one word follow.
//
//   - `flush` discards the queue and what is on its way into it. Held, it lets nothing more come: what
//     has not left its source stays there.
//   - While `enable` is low nothing is offered to the node; words wait.
`default_nettype none
module router_sink #(
    parameter int unsigned SOURCES = 17,
    parameter int unsigned DATA_W = 32,  // of a word
    parameter int unsigned DEPTH = 32,  // a power of two; a LUT holds 32 words of a bit
    localparam int unsigned SelectW = SOURCES > 1 ? $clog2(SOURCES) : 1
) (
    input wire clk,
    input wire rst,
    input wire flush,
    input wire enable,

    input  wire [       SelectW-1:0] select,  // of the source, steady while `live`
    input  wire                      live,
    output wire                      room,
    input  wire [DATA_W*SOURCES-1:0] source_data,
    input  wire [    16*SOURCES-1:0] source_user,
    input  wire [       SOURCES-1:0] source_fire,

    output wire [DATA_W-1:0] in_data,
    output wire [      15:0] in_user,
    output wire              in_valid,
    input  wire              in_ready
);

  localparam int unsigned PtrW = $clog2(DEPTH);

  if (SOURCES < 1 || SOURCES > 128) $fatal(0, "router_sink: SOURCES %0d", SOURCES);
  if (DATA_W < 1 || DATA_W > 1024) $fatal(0, "router_sink: DATA_W %0d", DATA_W);
  if (DEPTH < 8 || DEPTH > 65536 || DEPTH != 2 ** PtrW) $fatal(0, "router_sink: DEPTH %0d", DEPTH);

  (* ram_style = "distributed", ramstyle = "MLAB", syn_ramstyle = "distributed" *) reg [DATA_W+15:0] ram[DEPTH];
  reg [DATA_W+15:0] word_reg;
  reg word_valid_reg;
  reg [PtrW-1:0] write_reg, read_reg;
  reg [PtrW:0] level_reg, level_next;
  reg room_reg, before_reg;

  assign room = room_reg;
  assign in_valid = level_reg != '0 && enable;
  assign {in_user, in_data} = ram[read_reg];
  wire pop = in_valid && in_ready;

  always_comb begin
    level_next = level_reg + (PtrW + 1)'(word_valid_reg) - (PtrW + 1)'(pop);
    if (flush) level_next = '0;
  end

  always_ff @(posedge clk) if (word_valid_reg) ram[write_reg] <= word_reg;

  always_ff @(posedge clk) begin
    word_reg <= {source_user[16*select+:16], source_data[DATA_W*select+:DATA_W]};
    word_valid_reg <= live && source_fire[select] && !flush;
    if (word_valid_reg) write_reg <= write_reg + 1'b1;
    if (pop) read_reg <= read_reg + 1'b1;
    level_reg <= level_next;
    room_reg <= level_next + (PtrW + 1)'(room_reg) + (PtrW + 1)'(before_reg) < (PtrW + 1)'(DEPTH)
        && !flush;
    before_reg <= room_reg;
    if (rst || flush) begin
      write_reg <= '0;
      read_reg  <= '0;
    end
    if (rst) begin
      word_valid_reg <= 1'b0;
      level_reg <= '0;
      room_reg <= 1'b0;
      before_reg <= 1'b0;
    end
  end

endmodule
`default_nettype wire
