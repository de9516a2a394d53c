// SPDX-License-Identifier: Apache-2.0

// From a microcontroller's parallel bus to APB: 16 bits of multiplexed address and data, synchronous
// bursts, NWAIT active during the wait state, as the FMC of an STM32H7 drives it with DATLAT = 0.
//
// Every rising edge of `clk` samples the pins. Clocks are numbered from the address, within NE low:
//
//   0      NADV low: address bits 16:1 on AD, those above on A; NWE low selects a write
//   1, 2   latency
//   3, ..  a beat a clock, low half of a word first, written bytes selected by NBL
//
// Writes are posted: a word goes to APB with its upper half, or when the burst ends behind its lower
// one, and the burst does not wait for it. A burst may have any number of beats: a controller sends one
// for 8 and 16 bits, two for 32, four for 64. AHEAD 0 holds back the first beat of a burst until APB is
// idle; with two beats a burst and an APB transfer of A clocks a write then takes max(7, A + 4) clocks.
// AHEAD 1 holds a beat back only where it has no place: a word waits while another is on APB.
//
// A read waits for all writes before it, holds NWAIT low from its second clock on until its word is
// there, and gives a beat a clock from then on; beats beyond the word, such as the two dummy clocks that
// an STM32H7 adds (erratum 2.6.1), are not driven by anything of meaning. The upper half of the window
// is the lower one again with reads of 64 bits, four beats of two APB reads: the bridge cannot see how
// long a read will be before it is over, and a word read too many could pop a queue.
//
// NE high ends a burst wherever it is. What is on APB ends by its own rules; nothing more is started.
//
// NWAIT and read data are registered by `launch_clk`, of the same frequency, whose phase the board
// chooses. There is no path from PREADY to NWAIT within a clock. The controller takes NWAIT for a beat
// that it writes one clock before the beat, and for a beat that it reads together with it.
`default_nettype none
module fmc_bridge #(
    parameter int unsigned ADDR_W = 20,  // bits of a byte address in the window
    parameter bit AHEAD = 1
) (
    input wire clk,
    input wire launch_clk,
    input wire rst,

    input  wire               fmc_ne,
    input  wire               fmc_nadv,
    input  wire               fmc_noe,
    input  wire               fmc_nwe,
    input  wire [        1:0] fmc_nbl,
    input  wire [ADDR_W-18:0] fmc_a,         // bits ADDR_W-1:17 of the address
    input  wire [       15:0] fmc_ad_in,
    output wire [       15:0] fmc_ad_out,
    output wire               fmc_ad_drive,
    output wire               fmc_nwait,

    output wire              psel,
    output wire              penable,
    output wire              pwrite,
    output wire [ADDR_W-2:0] paddr,
    output wire [      31:0] pwdata,
    output wire [       3:0] pstrb,
    input  wire              pready,
    input  wire [      31:0] prdata,

    output wire starts  // an address is taken
);

  localparam int unsigned WordW = ADDR_W - 3;  // of a word's number in half the window

  if (ADDR_W < 19 || ADDR_W > 32) $fatal(0, "fmc_bridge: ADDR_W %0d", ADDR_W);

  localparam logic [2:0] Idle = 3'd0, First = 3'd1, Second = 3'd2, Write = 3'd3;
  localparam logic [2:0] Dispatch = 3'd4, Wait = 3'd5, Give = 3'd6;

  // A burst: what it is, and the half-word that its next beat is for.
  reg [2:0] state_reg, state_next;
  reg [ADDR_W-2:1] at_reg;
  reg wide_reg, again_reg;  // 64 bits; its second word has been asked for
  // NWAIT low in this clock and in the one before, as the capturing clock knows it.
  reg hold_reg, held_reg;
  // A lower half without its upper one, and a word that APB cannot take yet.
  reg low_valid_reg, closed_reg, next_valid_reg;  // closed: the burst of the lower half is over
  reg [WordW-1:0] low_word_reg, next_word_reg;
  reg [15:0] low_data_reg;
  reg [ 1:0] low_strobe_reg;
  reg [31:0] next_data_reg;
  reg [ 3:0] next_strobe_reg;
  // The transfer on APB.
  reg psel_reg, penable_reg, pwrite_reg;
  reg [WordW-1:0] word_reg;
  reg [31:0] wdata_reg;
  reg [ 3:0] strobe_reg;
  // What is read, to be shifted out.
  reg [63:0] read_reg;

  wire selected = !fmc_ne;
  assign starts = state_reg == Idle && selected && !fmc_nadv;
  wire beat = state_reg == Write && selected && !held_reg;
  wire upper = at_reg[1];

  // A word leaves for APB with its upper half, or with the end of its burst.
  wire flush = low_valid_reg && (closed_reg || !selected);
  wire complete = (beat && upper) || flush;
  wire [WordW-1:0] complete_word = flush ? low_word_reg : at_reg[ADDR_W-2:2];
  wire [31:0] complete_data = {fmc_ad_in, low_data_reg};
  wire [3:0] complete_strobe = {
    flush ? 2'b00 : ~fmc_nbl, low_valid_reg ? low_strobe_reg : 2'b00
  };

  wire free = !psel_reg || (penable_reg && pready);
  wire ended = penable_reg && pready;
  wire quiet = !psel_reg && !next_valid_reg && !low_valid_reg;
  wire ask = selected && (state_reg == Dispatch ? quiet :
      state_reg == Wait && ended && wide_reg && !again_reg);

  // There is a place for what completes: free, or next_valid_reg is clear. See hold_next.
  wire take = complete && (free || !next_valid_reg);
  wire through = take && free && !next_valid_reg;

  always_comb begin
    state_next = state_reg;
    unique case (state_reg)
      Idle: if (!fmc_nadv) state_next = fmc_nwe ? Dispatch : First;
      First: state_next = Second;
      Second: state_next = Write;
      Dispatch: if (ask) state_next = Wait;
      Wait: if (ended && !ask) state_next = Give;
      default: ;
    endcase
    if (!selected) state_next = Idle;
  end

  // This holds back the beat of the clock after next. The one before it still comes, as a lower half if
  // a word completes now.
  wire busy = AHEAD ? complete && psel_reg : psel_reg;
  wire writes_wait = busy || next_valid_reg || closed_reg;
  wire reads_wait = state_reg == Dispatch || state_reg == Wait;
  wire hold_next = selected && (writes_wait || reads_wait);

  reg nwait_reg;
  reg [15:0] out_reg;
  reg drive_reg;
  assign fmc_nwait = nwait_reg;
  assign fmc_ad_out = out_reg;
  // Off at once when the burst ends: the controller's next address follows.
  assign fmc_ad_drive = drive_reg && selected && !fmc_noe;
  always_ff @(posedge launch_clk) begin
    nwait_reg <= !hold_next || rst;
    out_reg   <= read_reg[15:0];
    drive_reg <= selected && state_reg >= Dispatch && !rst;
  end

  assign psel = psel_reg;
  assign penable = penable_reg;
  assign pwrite = pwrite_reg;
  assign paddr = {word_reg, 2'b00};
  assign pwdata = wdata_reg;
  assign pstrb = strobe_reg;

  always_ff @(posedge clk) begin
    state_reg <= state_next;
    hold_reg <= hold_next;
    held_reg <= hold_reg;
    if (starts) begin
      at_reg <= {fmc_a[ADDR_W-19:0], fmc_ad_in};
      wide_reg <= fmc_a[ADDR_W-18];
      again_reg <= 1'b0;
    end
    if (beat) at_reg <= at_reg + 1'b1;

    if (beat && !upper) begin
      low_valid_reg <= 1'b1;
      low_word_reg <= at_reg[ADDR_W-2:2];
      low_data_reg <= fmc_ad_in;
      low_strobe_reg <= ~fmc_nbl;
    end else if (take) low_valid_reg <= 1'b0;
    closed_reg <= flush && !take;

    if (take && !through) begin
      next_word_reg   <= complete_word;
      next_data_reg   <= complete_data;
      next_strobe_reg <= complete_strobe;
    end
    next_valid_reg <= (take && !through) || (next_valid_reg && !free);

    if (free) begin
      psel_reg <= next_valid_reg || take || ask;
      penable_reg <= 1'b0;
    end else penable_reg <= 1'b1;
    if (free && (next_valid_reg || take)) begin
      pwrite_reg <= 1'b1;
      word_reg   <= next_valid_reg ? next_word_reg : complete_word;
      wdata_reg  <= next_valid_reg ? next_data_reg : complete_data;
      strobe_reg <= next_valid_reg ? next_strobe_reg : complete_strobe;
    end
    if (ask) begin
      pwrite_reg <= 1'b0;
      strobe_reg <= 4'd0;
      word_reg   <= {at_reg[ADDR_W-2:3], wide_reg ? state_reg == Wait : at_reg[2]};
      again_reg <= state_reg == Wait;
    end

    // The half-word that was asked for is the first one out.
    if (state_reg == Give) read_reg <= read_reg >> 16;
    if (ended && state_reg == Wait) begin
      read_reg[63:32] <= prdata;
      if (!again_reg) read_reg[31:0] <= upper && !wide_reg ? prdata >> 16 : prdata;
    end

    if (rst) begin
      state_reg <= Idle;
      hold_reg <= 1'b0;
      held_reg <= 1'b0;
      low_valid_reg <= 1'b0;
      closed_reg <= 1'b0;
      next_valid_reg <= 1'b0;
      psel_reg <= 1'b0;
      penable_reg <= 1'b0;
    end
  end

endmodule
`default_nettype wire
