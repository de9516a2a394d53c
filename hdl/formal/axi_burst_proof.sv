// SPDX-License-Identifier: Apache-2.0

// axi_burst, by induction, for beats of up to 128 bits: bursts are taken apart in their order, with
// their identifier; the words of beat n are those that AXI's formula for its kind names, each once, from
// where the first beat begins; the ends of beats and of the burst are exact. A burst is on offer in the
// cycle after it came or after the one before it ended, and one more is taken in meanwhile.
// A beat of less than a word is one word that is not whole: nothing is said of its address.
module axi_burst_proof #(
    parameter int unsigned ADDR_W = 12,
    parameter int unsigned ID_W = 2
) (
    input wire              clk,
    input wire              rst,
    input wire [  ID_W-1:0] id,
    input wire [ADDR_W-1:0] address,
    input wire [       7:0] len,
    input wire [       2:0] size,
    input wire [       1:0] burst,
    input wire              valid,
    input wire              word_ready
);

  localparam int unsigned W = ADDR_W - 2;  // of a word's address
  localparam logic [1:0] Fixed = 2'b00;
  localparam logic [1:0] Wrap = 2'b10;

  wire ready, word_whole, word_beat_ends, word_burst_ends, word_valid;
  wire [ID_W-1:0] word_id;
  wire [ADDR_W-1:0] word_address;
  axi_burst #(
      .ADDR_W(ADDR_W),
      .ID_W  (ID_W)
  ) dut (
      .*
  );

  // ---- bursts inside, as they came, the oldest in 0 --------------------------------------------------

  reg started_reg = 1'b0;
  reg [1:0] level_reg;
  reg [1:0][ID_W-1:0] id_reg;
  reg [1:0][ADDR_W-1:0] address_reg;
  reg [1:0][7:0] len_reg;
  reg [1:0][2:0] size_reg;
  reg [1:0][1:0] burst_reg;
  reg [7:0] beat_reg;  // of the oldest: its number
  reg [1:0] word_reg;  // and the words of it that went

  // ---- what AXI says of the next word ----------------------------------------------------------------

  wire narrow = size_reg[0] < 3'd2;
  wire [1:0] log = narrow ? 2'd0 : 2'(size_reg[0] - 3'd2);  // of a beat's words
  wire [1:0] lanes = 2'((3'd1 << log) - 3'd1);
  wire [W-1:0] first = address_reg[0][ADDR_W-1:2];
  wire [W-1:0] aligned = first & ~W'(lanes);
  wire [W-1:0] run = aligned + (W'(beat_reg) << log);
  wire [W-1:0] ring = ((W'(len_reg[0]) + 1'b1) << log) - 1'b1;
  wire [W-1:0] begins = burst_reg[0] == Fixed || beat_reg == '0 ? first :
      burst_reg[0] == Wrap ? (first & ~ring) | (run & ring) : run;
  wire [W-1:0] word = begins + W'(word_reg);
  wire beat_ends = (word[1:0] & lanes) == lanes;
  wire burst_ends = beat_ends && beat_reg == len_reg[0];
  wire whole = !narrow && (beat_reg != '0 || address_reg[0][1:0] == '0);

  wire come = valid && ready;
  wire take = word_valid && word_ready;
  wire leave = take && burst_ends;
  wire [1:0] stay = level_reg - 2'(leave);

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    level_reg   <= stay + 2'(come);
    if (take) begin
      word_reg <= beat_ends ? '0 : word_reg + 1'b1;
      if (beat_ends) beat_reg <= burst_ends ? '0 : beat_reg + 1'b1;
    end
    if (leave) begin
      id_reg[0] <= id_reg[1];
      address_reg[0] <= address_reg[1];
      len_reg[0] <= len_reg[1];
      size_reg[0] <= size_reg[1];
      burst_reg[0] <= burst_reg[1];
    end
    if (come) begin
      id_reg[stay[0]] <= id;
      address_reg[stay[0]] <= address;
      len_reg[stay[0]] <= len;
      size_reg[stay[0]] <= size;
      burst_reg[stay[0]] <= burst;
    end
    if (rst) begin
      level_reg <= '0;
      beat_reg  <= '0;
      word_reg  <= '0;
    end
  end

  always_comb begin
    if (!started_reg) assume (rst);
    assume (size <= 3'd4 && burst != 2'b11);
    // Of AXI: what wraps has 2, 4, 8 or 16 beats and begins with a whole one.
    if (burst == Wrap)
      assume ((len == 8'd1 || len == 8'd3 || len == 8'd7 || len == 8'd15) &&
              (address & ADDR_W'((5'd1 << size) - 5'd1)) == '0);

    if (started_reg) begin
      assert (level_reg <= 2'd2);
      assert (ready == (level_reg != 2'd2));
      assert (word_valid == (level_reg != '0));
      if (level_reg != '0) begin
        assert (word_id == id_reg[0]);
        assert (word_whole == whole);
        assert (word_beat_ends == beat_ends && word_burst_ends == burst_ends);
        assert (word_address[1:0] == '0);
        if (!narrow) assert (word_address[ADDR_W-1:2] == word);

        assert (size_reg[0] <= 3'd4 && burst_reg[0] != 2'b11 && beat_reg <= len_reg[0]);
        assert (3'(begins[1:0] & lanes) + 3'(word_reg) <= 3'(lanes));
        if (burst_reg[0] == Wrap)
          assert ((len_reg[0] == 8'd1 || len_reg[0] == 8'd3 || len_reg[0] == 8'd7 ||
                   len_reg[0] == 8'd15) && first == aligned);
        assert (dut.left_reg == len_reg[0] - beat_reg);
        assert (dut.lanes_reg == lanes && dut.narrow_reg == narrow);
        assert (dut.burst_reg == burst_reg[0] && dut.start_reg == first);
        if (burst_reg[0] == Wrap && !narrow) assert (W'(dut.wrap_reg) == ring);
      end else assert (beat_reg == '0 && word_reg == '0);
      if (level_reg == 2'd2) begin
        assert (dut.next_id_reg == id_reg[1] && dut.next_address_reg == address_reg[1]);
        assert (dut.next_len_reg == len_reg[1] && dut.next_size_reg == size_reg[1]);
        assert (dut.next_burst_reg == burst_reg[1]);
        assert (size_reg[1] <= 3'd4 && burst_reg[1] != 2'b11);
        if (burst_reg[1] == Wrap)
          assert ((len_reg[1] == 8'd1 || len_reg[1] == 8'd3 || len_reg[1] == 8'd7 ||
                   len_reg[1] == 8'd15) &&
                  (address_reg[1] & ADDR_W'((5'd1 << size_reg[1]) - 5'd1)) == '0);
      end

      cover (take && word_burst_ends && burst_reg[0] == Wrap && log == 2'd1 && word < first);
      cover (take && burst_ends && beat_reg == 8'd2 && !ready);
    end
  end

endmodule
