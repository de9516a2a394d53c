// SPDX-License-Identifier: Apache-2.0

// fmc_bridge, by induction, over a controller that ends bursts where it likes and an APB that answers
// when it likes. What the pins mean is worked out here again, from the pins alone:
//
//   - P1, P5: each word of a burst that is written is one APB write, with its address, its data in the
//     lanes that it selects, and its strobes; in order, and no other.
//   - P3, P4, P6: a request stands from PSEL to PREADY; PENABLE rises in its second clock and falls with it.
//   - P8: a read asks APB once, or twice in the upper half of the window, for the words of its address,
//     after all writes; its beats are what APB gave to that. Nothing is asked once chip select is high.
//     NWAIT is high behind a reset, and low only behind a clock with chip select low.
//   - P10: with AHEAD 0 the first beat of a burst comes as soon as APB was idle two clocks before, and a
//     word is on APB in the clock behind its upper half: together max(7, A + 4) clocks a write. With
//     AHEAD 1 it waits only for a word that waits, or that came while APB was at work.
//   - While NWAIT is low, APB is at work, or was two clocks before. With LIVE, an APB that takes four
//     clocks at most never holds it low for more than 25.
module fmc_bridge_proof #(
    parameter int unsigned ADDR_W = 19,
    parameter bit AHEAD = 1,
    parameter bit LIVE = 0
) (
    input wire               clk,
    input wire               rst,
    input wire               pick,
    input wire               fmc_ne,
    input wire               fmc_nadv,
    input wire               fmc_noe,
    input wire               fmc_nwe,
    input wire [        1:0] fmc_nbl,
    input wire [ADDR_W-18:0] fmc_a,
    input wire [       15:0] fmc_ad_in,
    input wire               pready,
    input wire [       31:0] prdata
);

  localparam int unsigned WordW = ADDR_W - 3;

  wire [15:0] fmc_ad_out;
  wire fmc_ad_drive, fmc_nwait, psel, penable, pwrite, starts;
  wire [ADDR_W-2:0] paddr;
  wire [31:0] pwdata;
  wire [3:0] pstrb;
  fmc_bridge #(
      .ADDR_W(ADDR_W),
      .AHEAD (AHEAD)
  ) dut (
      .launch_clk(clk),
      .*
  );

  // ---- what the pins mean ----------------------------------------------------------------------------

  reg before_psel_reg, before_done_reg, before_write_reg;
  reg started_reg = 1'b0, was_rst_reg;
  reg [1:0] clock_reg;  // of the burst, 0: none; 3: any of its data's
  reg write_reg, wide_reg;
  reg [ADDR_W-2:1] at_reg;  // of the next beat
  reg low_reg;  // a lower half waits for its upper one
  reg [15:0] low_data_reg;
  reg [1:0] low_strobe_reg;
  reg [WordW-1:0] low_word_reg;
  reg nwait_reg, idle_before_reg, cause_reg, cause_before_reg, selected_reg;
  wire selected = !fmc_ne;
  wire begins = clock_reg == 2'd0 && selected && !fmc_nadv;
  wire beat = clock_reg == 2'd3 && selected && write_reg && nwait_reg;
  wire upper = at_reg[1];
  wire ends = clock_reg != 2'd0 && !selected;
  wire word = (beat && upper) || (ends && low_reg);

  function automatic logic [31:0] lanes(input logic [3:0] strobe, input logic [31:0] data);
    for (int unsigned i = 0; i < 4; i++) lanes[8*i+:8] = strobe[i] ? data[8*i+:8] : 8'd0;
  endfunction

  wire [3:0] strobe = {beat ? ~fmc_nbl : 2'b00, low_reg ? low_strobe_reg : 2'b00};
  wire [31:0] data = lanes(strobe, {fmc_ad_in, low_data_reg});
  wire [WordW-1:0] place = beat ? at_reg[ADDR_W-2:2] : low_word_reg;

  wire writing = psel && pwrite;
  wire [2:0] stored = 3'(writing) + 3'(dut.next_valid_reg) + 3'(dut.closed_reg);

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    was_rst_reg <= rst;
    nwait_reg <= fmc_nwait;
    selected_reg <= selected;
    if (begins) begin
      clock_reg <= 2'd1;
      write_reg <= !fmc_nwe;
      at_reg <= {fmc_a[ADDR_W-19:0], fmc_ad_in};
      wide_reg <= fmc_a[ADDR_W-18];
    end else if (clock_reg != 2'd0 && clock_reg != 2'd3) clock_reg <= clock_reg + 1'b1;
    if (beat) at_reg <= at_reg + 1'b1;
    if (beat) low_reg <= !upper;
    if (beat && !upper) begin
      low_data_reg   <= fmc_ad_in;
      low_strobe_reg <= ~fmc_nbl;
      low_word_reg   <= at_reg[ADDR_W-2:2];
    end
    if (ends) begin
      clock_reg <= 2'd0;
      low_reg   <= 1'b0;
    end
    idle_before_reg <= !before_psel_reg;
    cause_reg <= dut.next_valid_reg || (word && psel);
    cause_before_reg <= cause_reg;
    if (rst) begin
      clock_reg <= 2'd0;
      low_reg   <= 1'b0;
    end
  end

  // ---- writes: a queue from the pins to APB ----------------------------------------------------------

  localparam int unsigned Width = WordW + 36;
  wire done = psel && penable && pready;
  wire followed;
  wire [2:0] level, ahead;
  wire [Width-1:0] picked;
  order_rules #(
      .WIDTH (Width),
      .LEVELW(3)
  ) order (
      .clk,
      .rst,
      .pick,
      .push(word),
      .in_data({place, strobe, data}),
      .pop(done && pwrite),
      .out_data({paddr[ADDR_W-2:2], pstrb, lanes(pstrb, pwdata)}),
      .level,
      .followed,
      .ahead,
      .word(picked)
  );

  wire [2:0] nth = ahead + 3'(!writing);  // 0: on APB, 1: waits, 2: behind that
  wire [Width-1:0] there = nth == 3'd0 ? {dut.word_reg, dut.strobe_reg, lanes(dut.strobe_reg, dut.wdata_reg)} :
      nth == 3'd1 && dut.next_valid_reg ?
      {dut.next_word_reg, dut.next_strobe_reg, lanes(dut.next_strobe_reg, dut.next_data_reg)} :
      {dut.low_word_reg, 2'b00, dut.low_strobe_reg, lanes({2'b00, dut.low_strobe_reg}, {16'd0, dut.low_data_reg})};

  // ---- reads -----------------------------------------------------------------------------------------

  reg [1:0] asked_reg, got_reg;  // words, of this burst
  reg [2:0] given_reg;  // beats
  reg [31:0] first_reg, second_reg;
  reg [ADDR_W-2:0] before_addr_reg;
  reg [31:0] before_data_reg;
  reg [3:0] before_strobe_reg;
  wire fresh = psel && (!before_psel_reg || before_done_reg);  // a transfer's first clock
  wire mine = psel && !pwrite && clock_reg != 2'd0 && !write_reg && (fresh || asked_reg != got_reg);
  wire takes = clock_reg == 2'd3 && selected && !write_reg && fmc_nwait;  // the controller takes a beat
  wire [2:0] beats = wide_reg ? 3'd4 : upper ? 3'd1 : 3'd2;
  wire [63:0] all = {second_reg, first_reg} >> (wide_reg || !upper ? 0 : 16);

  wire [3:0] shifted = 4'(given_reg) + 4'(fmc_nwait);  // out of read_reg

  always_ff @(posedge clk) begin
    if (fresh && !pwrite && clock_reg != 2'd0 && !write_reg) asked_reg <= asked_reg + 1'b1;
    if (done && mine) begin
      got_reg <= got_reg + 1'b1;
      if (got_reg == 2'd0) first_reg <= prdata;
      else second_reg <= prdata;
    end
    if (takes && given_reg != 3'd4) given_reg <= given_reg + 1'b1;
    if (begins || ends || rst) begin
      asked_reg <= '0;
      got_reg   <= '0;
      given_reg <= '0;
    end
    before_psel_reg <= psel && !rst;
    before_done_reg <= done;
    before_write_reg <= pwrite;
    before_addr_reg <= paddr;
    before_data_reg <= pwdata;
    before_strobe_reg <= pstrb;
  end

  // ---- how long, if APB takes four clocks at most ------------------------------------------------------

  reg [2:0] late_reg;
  reg [5:0] held_reg;  // clocks of the burst that NWAIT has been low before this one
  wire [5:0] transfer = !psel ? 6'd0 : !penable ? 6'd4 : 6'd3 - 6'(late_reg);
  wire [5:0] queue = transfer + (dut.next_valid_reg ? 6'd4 : 6'd0) + (dut.closed_reg ? 6'd4 : 6'd0);
  wire [5:0] reading = clock_reg == 2'd0 || write_reg || dut.state_reg == 3'd6 ? 6'd0 :
      dut.state_reg == 3'd4 ? (wide_reg ? 6'd10 : 6'd6) : wide_reg && !dut.again_reg ? 6'd5 : 6'd1;
  always_ff @(posedge clk) begin
    late_reg <= penable && !pready && !rst ? late_reg + 1'b1 : '0;
    held_reg <= clock_reg != 2'd0 && selected && !fmc_nwait && !rst ? held_reg + 1'b1 : '0;
  end

  always_comb begin
    if (!started_reg) assume (rst);
    if (LIVE) begin
      assume (!penable || pready || late_reg < 3'd2);
    end
    if (started_reg) begin
      if (was_rst_reg) assert (fmc_nwait && !psel);
      if (!fmc_nwait) assert (selected_reg);
      assert (starts == begins);

      // P3 to P6: APB.
      assert (!penable || psel);
      if (!was_rst_reg) begin
        assert (penable == (before_psel_reg && !before_done_reg));
        if (before_psel_reg && !before_done_reg) begin
          assert (psel && pwrite == before_write_reg && paddr == before_addr_reg);
          assert (pwdata == before_data_reg && pstrb == before_strobe_reg);
        end
      end

      // P1: where the picked word is.
      assert (level == stored);
      if (followed) assert (there == picked);
      if (word && !rst) assert (dut.complete && place == dut.complete_word);
      assert (dut.low_valid_reg == (low_reg || dut.closed_reg));
      if (low_reg)
        assert (dut.low_word_reg == low_word_reg && dut.low_strobe_reg == low_strobe_reg &&
                (dut.low_data_reg == low_data_reg) && at_reg[1] && clock_reg == 2'd3 && write_reg);
      if (low_reg) assert (low_word_reg == at_reg[ADDR_W-2:2] && !dut.closed_reg);
      if (dut.closed_reg) assert (dut.next_valid_reg);
      if (dut.next_valid_reg) assert (psel);
      if (beat && upper) assert (dut.free || !dut.next_valid_reg);
      if (beat && !upper) assert (!dut.low_valid_reg);

      // P8: reads.
      if (fresh && !pwrite) begin
        assert (selected_reg && clock_reg != 2'd0 && !write_reg && pstrb == 4'd0);
        assert (asked_reg == 2'd0 || (wide_reg && asked_reg == 2'd1));
        assert (paddr[ADDR_W-2:3] == at_reg[ADDR_W-2:3]);
        assert (paddr[2] == (wide_reg ? asked_reg == 2'd1 : at_reg[2]) && level == '0);
      end
      if (takes && given_reg < beats) begin
        assert (got_reg == (wide_reg ? 2'd2 : 2'd1) && fmc_ad_out == all[16*given_reg[1:0]+:16]);
        assert (fmc_ad_drive == !fmc_noe);
      end
      if (fmc_ad_drive) assert (clock_reg != 2'd0 && !write_reg && selected && !fmc_noe);

      // P10: no beat waits for nothing.
      if (clock_reg == 2'd3 && selected && write_reg && !AHEAD && idle_before_reg) assert (beat);
      if (clock_reg == 2'd3 && selected && write_reg && AHEAD && !beat)
        assert (cause_before_reg);
      if (!fmc_nwait) assert (psel || before_psel_reg || !idle_before_reg || (clock_reg != 2'd0 && !write_reg));

      // What the two have in them.
      assert (dut.hold_reg == !fmc_nwait);
      if (!was_rst_reg) assert (dut.held_reg == !nwait_reg);
      assert ((dut.state_reg == 3'd0) == (clock_reg == 2'd0) && dut.state_reg != 3'd7);
      if (clock_reg != 2'd0) begin
        assert (selected_reg && dut.at_reg == at_reg && dut.wide_reg == wide_reg);
        assert (write_reg == (dut.state_reg < 3'd4));
        if (write_reg) assert (dut.state_reg == 3'(clock_reg));
        else begin
          assert (dut.state_reg != 3'd4 || asked_reg == 2'd0);
          if (dut.state_reg == 3'd5) begin
            assert (psel && !pwrite && got_reg == 2'(dut.again_reg));
            assert (asked_reg + 2'(fresh) == got_reg + 2'd1);
            assert (!dut.again_reg || wide_reg);
            if (got_reg == 2'd1) assert (dut.read_reg[31:0] == first_reg);
          end
          if (dut.state_reg != 3'd4) assert (level == '0 && psel == (dut.state_reg == 3'd5));
          if (clock_reg != 2'd1 && dut.state_reg != 3'd6) assert (!fmc_nwait);
          if (clock_reg == 2'd1) assert (dut.state_reg == 3'd4);
          if (clock_reg == 2'd2) assert (dut.state_reg == 3'd4 || fresh);
          if (dut.state_reg != 3'd6) assert (given_reg == 3'd0);
          else begin
            assert (clock_reg == 2'd3 && got_reg == (wide_reg ? 2'd2 : 2'd1) && asked_reg == got_reg);
            assert (given_reg == 3'd0 || (fmc_nwait && given_reg <= 3'd4));
            if (fmc_nwait && given_reg < beats) assert (dut.out_reg == all[16*given_reg[1:0]+:16]);
            for (int unsigned i = 0; i < 4; i++)
              if (4'(i) + shifted < 4'(beats))
                assert (dut.read_reg[16*i+:16] == 16'(all >> 16 * (4'(i) + shifted)));
          end
        end
      end
      if (clock_reg == 2'd0 || write_reg) assert ({asked_reg, got_reg, given_reg} == '0);
      assert (got_reg <= asked_reg);
      if (psel && !pwrite) assert (pstrb == 4'd0);
      cover (done && pwrite && dut.next_valid_reg && dut.closed_reg);
      cover (takes && given_reg == 3'd3 && wide_reg);
      cover (level == 3'd2 && followed && ahead == 3'd1);
      if (LIVE) begin
        assert (late_reg <= 3'd2 && (late_reg == '0 || penable));
        assert (held_reg <= 6'd25 && (clock_reg == 2'd3 || held_reg <= 6'(clock_reg)));
        assert (clock_reg == 2'd0 || clock_reg == 2'd3 || held_reg < 6'(clock_reg));
        if (clock_reg != 2'd0 && !fmc_nwait && held_reg > 6'd1) assert (held_reg + queue + reading <= 6'd24);
      end
    end
  end

endmodule
