// SPDX-License-Identifier: Apache-2.0

// Takes AXI bursts apart into the 32-bit words that they touch, one on offer at a time.
//
// A burst is on offer in the cycle after it came. The next one is taken in while it goes on, so that
// there is no pause between them and `ready` is a register.
// `word_whole` is low if the beat is narrower than a word or starts inside one.
`default_nettype none
module axi_burst #(
    parameter int unsigned ADDR_W = 21,
    parameter int unsigned ID_W = 8
) (
    input wire clk,
    input wire rst,

    input  wire [  ID_W-1:0] id,
    input  wire [ADDR_W-1:0] address,
    input  wire [       7:0] len,
    input  wire [       2:0] size,
    input  wire [       1:0] burst,
    input  wire              valid,
    output wire              ready,

    output wire [  ID_W-1:0] word_id,
    output wire [ADDR_W-1:0] word_address,
    output wire              word_whole,
    output wire              word_beat_ends,
    output wire              word_burst_ends,
    output wire              word_valid,
    input  wire              word_ready
);

  if (ADDR_W < 8 || ADDR_W > 64) $fatal(0, "axi_burst: ADDR_W %0d", ADDR_W);
  if (ID_W < 1 || ID_W > 32) $fatal(0, "axi_burst: ID_W %0d", ID_W);

  localparam logic [1:0] Fixed = 2'b00;
  localparam logic [1:0] Wrap = 2'b10;

  // The next burst, as it came.
  reg [ID_W-1:0] next_id_reg;
  reg [ADDR_W-1:0] next_address_reg;
  reg [7:0] next_len_reg;
  reg [2:0] next_size_reg;
  reg [1:0] next_burst_reg;
  reg next_reg;
  assign ready = !next_reg;

  // The burst that is on offer.
  reg [ID_W-1:0] id_reg;
  reg [ADDR_W-1:2] word_reg, start_reg;
  reg [1:0] burst_reg;
  reg [7:0] left_reg;
  reg [1:0] lanes_reg;  // words of a whole beat, less one
  reg [5:0] wrap_reg;  // words of the burst, less one
  reg whole_reg, narrow_reg, active_reg;

  assign word_id = id_reg;
  assign word_address = {word_reg, 2'b00};
  assign word_whole = whole_reg;
  assign word_beat_ends = (word_reg[3:2] & lanes_reg) == lanes_reg;
  assign word_burst_ends = word_beat_ends && left_reg == '0;
  assign word_valid = active_reg;

  wire take = word_valid && word_ready;
  wire vacant = !active_reg || (take && word_burst_ends);
  wire load = vacant && (next_reg || valid);

  // What is loaded: the burst that waits, else the one that comes.
  wire [ID_W-1:0] load_id = next_reg ? next_id_reg : id;
  wire [ADDR_W-1:0] load_address = next_reg ? next_address_reg : address;
  wire [7:0] load_len = next_reg ? next_len_reg : len;
  wire [2:0] load_size = next_reg ? next_size_reg : size;
  wire [1:0] load_burst = next_reg ? next_burst_reg : burst;

  logic [ADDR_W-1:2] step;
  always_comb begin
    step = word_reg + 1'b1;
    if (word_beat_ends && burst_reg == Fixed) step = start_reg;
    if (word_beat_ends && burst_reg == Wrap)
      step = {word_reg[ADDR_W-1:8], (word_reg[7:2] & ~wrap_reg) | (step[7:2] & wrap_reg)};
  end

  always_ff @(posedge clk) begin
    if (take) begin
      word_reg <= step;
      // Only the first beat may start inside a word.
      if (word_beat_ends) begin
        left_reg  <= left_reg - 1'b1;
        whole_reg <= !narrow_reg;
      end
      if (word_burst_ends) active_reg <= 1'b0;
    end
    if (load) begin
      id_reg <= load_id;
      word_reg <= load_address[ADDR_W-1:2];
      start_reg <= load_address[ADDR_W-1:2];
      burst_reg <= load_burst;
      left_reg <= load_len;
      lanes_reg <= {load_size == 3'd4, load_size[2] | &load_size[1:0]};
      wrap_reg <= load_size == 3'd4 ? {load_len[3:0], 2'b11}
          : load_size == 3'd3 ? {1'b0, load_len[3:0], 1'b1} : {2'b00, load_len[3:0]};
      whole_reg <= load_size >= 3'd2 && load_address[1:0] == 2'b00;
      narrow_reg <= load_size < 3'd2;
      active_reg <= 1'b1;
    end
    if (!next_reg) begin
      next_id_reg <= id;
      next_address_reg <= address;
      next_len_reg <= len;
      next_size_reg <= size;
      next_burst_reg <= burst;
    end
    next_reg <= next_reg ? !vacant : valid && !vacant;
    if (rst) begin
      active_reg <= 1'b0;
      next_reg   <= 1'b0;
    end
  end

endmodule
`default_nettype wire
