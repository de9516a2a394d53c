// SPDX-License-Identifier: Apache-2.0

// Bytes of a serial line to accesses of a register bus, 1 to 64 words of 32 bits for each request.
//
//   request   5A  tag  op  address (4 bytes)  words to write (4 bytes each)  CRC (4 bytes)
//   answer    5A  tag  status  words that were read (4 bytes each)  CRC (4 bytes)
//
//   op        [5:0] words, less one  [6] the address stays, as a FIFO's does  [7] a write
//   status    0 done  1 the bus refused a word: those before it were done  2 the CRC is wrong
//
// Numbers have their lowest byte first. The CRC is Ethernet's, over all between 5A and itself. The tag
// is the host's: an answer has that of its request. Words come back with status 0 alone.
//
// Nothing reaches the bus before its request is whole and fits its CRC: noise on the line accesses
// nothing, but for one of 2^32. Bytes that come while a request is executed or answered are not looked
// at: a host waits for the answer. A request whose next byte is missing for PATIENCE cycles, or is
// broken, is forgotten without an answer; so a host that is silent for that long is understood again.
//
// `bus_select` stays up until `bus_done`, and all that says what is asked stays with it.
`default_nettype none
module serial_bridge #(
    parameter int unsigned PATIENCE = 1_000_000  // cycles
) (
    input wire clk,
    input wire rst,

    input  wire [7:0] in_data,
    input  wire       in_valid,
    input  wire       in_broken,
    output wire [7:0] out_data,
    output wire       out_valid,
    input  wire       out_ready,

    output wire [31:0] bus_address,
    output wire        bus_write,
    output wire [31:0] bus_wdata,
    output wire        bus_select,
    input  wire        bus_done,
    input  wire [31:0] bus_rdata,
    input  wire        bus_error
);

  if (PATIENCE < 2 || PATIENCE > 100_000_000) $fatal(0, "serial_bridge: PATIENCE %0d", PATIENCE);

  localparam logic [7:0] Sync = 8'h5A;
  localparam logic [7:0] Done = 8'd0, Refused = 8'd1, Spoilt = 8'd2;
  localparam logic [31:0] Residue = 32'hDEBB_20E3;
  localparam logic [2:0] Idle = 3'd0, Head = 3'd1, Data = 3'd2, Sum = 3'd3, Judge = 3'd4, Run = 3'd5,
      Answer = 3'd6;
  localparam int unsigned PatienceW = $clog2(PATIENCE);

  reg [2:0] state_reg;
  reg [8:0] count_reg;  // bytes of this part of a request or an answer that have been
  reg [7:0] tag_reg, op_reg, status_reg;
  reg [31:0] address_reg, shift_reg, crc_reg;
  reg [5:0] word_reg;  // that is on the bus
  reg [PatienceW-1:0] patience_reg;
  reg [31:0] words[64];

  wire write = op_reg[7];
  wire stays = op_reg[6];
  wire [5:0] last = op_reg[5:0];
  wire listens = state_reg == Head || state_reg == Data || state_reg == Sum;
  wire arrives = in_valid && listens;
  wire quarter = &count_reg[1:0];
  wire [31:0] shifted = {in_data, shift_reg[31:8]};
  wire sends = out_valid && out_ready;

  // ---- the answer: 5A, tag, status, words, CRC -------------------------------------------------------

  reg [1:0] part_reg;  // of the answer: 5A and tag and status, words, CRC
  wire [31:0] word = words[part_reg == 2'd1 ? count_reg[7:2] : word_reg];
  wire [31:0] sum = ~crc_reg;
  logic [7:0] byte_out;
  always_comb begin
    unique case (part_reg)
      2'd0: byte_out = count_reg == 9'd0 ? Sync : count_reg == 9'd1 ? tag_reg : status_reg;
      2'd1: byte_out = word[8*count_reg[1:0]+:8];
      default: byte_out = sum[8*count_reg[1:0]+:8];
    endcase
  end
  assign out_data  = byte_out;
  assign out_valid = state_reg == Answer;

  wire [31:0] crc_after;
  crc32_byte check (
      .crc (crc_reg),
      .data(state_reg == Answer ? byte_out : in_data),
      .next(crc_after)
  );

  // ---- the bus ---------------------------------------------------------------------------------------

  assign bus_address = address_reg;
  assign bus_write   = write;
  assign bus_wdata   = word;
  assign bus_select  = state_reg == Run;

  always_ff @(posedge clk) begin
    if (state_reg == Data && arrives && quarter) words[count_reg[7:2]] <= shifted;
    else if (bus_select && bus_done && !write) words[word_reg] <= bus_rdata;
  end

  always_ff @(posedge clk) begin
    if (arrives) begin
      shift_reg <= shifted;
      crc_reg   <= crc_after;
      count_reg <= count_reg + 1'b1;
    end
    patience_reg <= arrives || !listens ? PatienceW'(PATIENCE - 1) : patience_reg - 1'b1;

    unique case (state_reg)
      Idle: begin
        count_reg <= '0;
        crc_reg <= '1;
        if (in_valid && in_data == Sync) state_reg <= Head;
      end
      Head:
      if (arrives) begin
        if (count_reg == 9'd0) tag_reg <= in_data;
        if (count_reg == 9'd1) op_reg <= in_data;
        if (count_reg == 9'd5) begin
          address_reg <= shifted;
          count_reg <= '0;
          state_reg <= write ? Data : Sum;
        end
      end
      Data:
      if (arrives && quarter && count_reg[7:2] == last) begin
        count_reg <= '0;
        state_reg <= Sum;
      end
      Sum: if (arrives && quarter) state_reg <= Judge;
      Judge: begin
        word_reg <= '0;
        count_reg <= '0;
        part_reg <= 2'd0;
        crc_reg <= '1;
        status_reg <= crc_reg == Residue ? Done : Spoilt;
        state_reg <= crc_reg == Residue ? Run : Answer;
      end
      Run:
      if (bus_done) begin
        if (!stays) address_reg <= address_reg + 32'd4;
        word_reg <= word_reg + 1'b1;
        if (bus_error) status_reg <= Refused;
        if (bus_error || word_reg == last) state_reg <= Answer;
      end
      default:
      if (sends) begin
        count_reg <= count_reg + 1'b1;
        if (part_reg != 2'd2 && !(part_reg == 2'd0 && count_reg == 9'd0)) crc_reg <= crc_after;
        if (part_reg == 2'd0 && count_reg == 9'd2) begin
          count_reg <= '0;
          part_reg  <= status_reg == Done && !write ? 2'd1 : 2'd2;
        end
        if (part_reg == 2'd1 && quarter && count_reg[7:2] == last) begin
          count_reg <= '0;
          part_reg  <= 2'd2;
        end
        if (part_reg == 2'd2 && quarter) state_reg <= Idle;
      end
    endcase

    if (listens && (in_broken || (patience_reg == '0 && !in_valid))) state_reg <= Idle;
    if (rst) state_reg <= Idle;
  end

endmodule
`default_nettype wire
