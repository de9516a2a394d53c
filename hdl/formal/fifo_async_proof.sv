// SPDX-License-Identifier: Apache-2.0

// fifo_async, by induction, with two clocks of which each may tick at any time, both at once or one
// many times before the other: nothing lost, doubled or reordered, no overrun; what is shown stays.
// Nothing waits in vain: each side knows what the other did two of its own ticks ago, and a word that
// the reader knows of is on offer after its next tick, unless the one before stays.
//
// A word that the solver picks is followed by its number from the writer's side to the reader's. The
// pointers lie on their circle in the order in which they chase each other: what the writer has seen
// of the reader, the reader, what the reader has seen of the writer, the writer, at most DEPTH apart.
// A register that samples a changing Gray code gets the old value or the new one: the same as a clock
// that ticks a little earlier or later, so metastability that resolves within a cycle is covered.
// The resets begin together, last until both clocks have ticked, and end at any time each.
module fifo_async_proof #(
    parameter int unsigned WIDTH = 2,
    parameter int unsigned DEPTH = 4
) (
    input wire             in_clk,
    input wire             in_rst,
    input wire [WIDTH-1:0] in_data,
    input wire             in_valid,
    input wire             out_clk,
    input wire             out_rst,
    input wire             out_ready,
    input wire             pick
);

  localparam int unsigned P = $clog2(DEPTH) + 1;

  wire in_ready, out_valid;
  wire [WIDTH-1:0] out_data;
  fifo_async #(
      .WIDTH(WIDTH),
      .DEPTH(DEPTH)
  ) dut (
      .in_clk,
      .in_rst,
      .in_data,
      .in_valid,
      .in_ready,
      .out_clk,
      .out_rst,
      .out_data,
      .out_valid,
      .out_ready
  );

  function automatic logic [P-1:0] binary(logic [P-1:0] gray);
    for (int unsigned i = 0; i < P; i++) binary[i] = ^(gray >> i);
  endfunction

  // ---- resets --------------------------------------------------------------------------------------

  reg in_seen_reg = 1'b0, out_seen_reg = 1'b0;  // a tick within the reset
  reg in_runs_reg = 1'b0, out_runs_reg = 1'b0;  // a tick after it
  always_ff @(posedge in_clk) begin
    in_seen_reg <= 1'b1;
    in_runs_reg <= !in_rst;
  end
  always_ff @(posedge out_clk) begin
    out_seen_reg <= 1'b1;
    out_runs_reg <= !out_rst;
  end
  wire both = in_seen_reg && out_seen_reg;

  // ---- the pointers --------------------------------------------------------------------------------

  wire [P-1:0] base = binary(dut.read_seen_reg);
  wire [P-1:0] a = binary(dut.read_sync_reg) - base;
  wire [P-1:0] b = dut.read_reg - base;
  wire [P-1:0] c = binary(dut.write_seen_reg) - base;
  wire [P-1:0] d = binary(dut.write_sync_reg) - base;
  wire [P-1:0] e = dut.write_reg - base;

  // ---- the picked word -----------------------------------------------------------------------------

  reg on_reg = 1'b0, left_reg = 1'b0;
  reg [WIDTH-1:0] word_reg;
  reg [P-1:0] number_reg;
  always_ff @(posedge in_clk)
    if (in_valid && in_ready && !in_rst && pick && !on_reg) begin
      on_reg <= 1'b1;
      word_reg <= in_data;
      number_reg <= dut.write_reg;
    end
  // The reader's count of words that have left, by its handshake alone.
  reg [P-1:0] out_reg;
  wire leaves = on_reg && !left_reg && out_valid && out_reg == number_reg;
  always_ff @(posedge out_clk) begin
    if (out_valid && out_ready) out_reg <= out_reg + 1'b1;
    if (leaves && out_ready) left_reg <= 1'b1;
    if (out_rst) out_reg <= '0;
  end
  wire queued = on_reg && !left_reg;
  wire [P-1:0] place = number_reg - out_reg;

  reg held_reg = 1'b0;
  reg [WIDTH-1:0] shown_reg;
  always_ff @(posedge out_clk) begin
    held_reg  <= out_valid && !out_ready && !out_rst;
    shown_reg <= out_data;
  end

  // What each side has done, as the other knows it; a word is on offer from this tick on.
  reg [P-1:0] wrote_one_reg, wrote_reg, took_one_reg, took_reg;
  reg offers_reg = 1'b0;
  always_ff @(posedge out_clk) begin
    wrote_one_reg <= dut.write_reg;
    wrote_reg <= wrote_one_reg;
    offers_reg <= !out_rst && ((out_valid && !out_ready) || wrote_reg != dut.read_reg);
    if (out_rst) begin
      wrote_one_reg <= '0;
      wrote_reg <= '0;
    end
  end
  always_ff @(posedge in_clk) begin
    took_one_reg <= dut.read_reg;
    took_reg <= took_one_reg;
    if (in_rst) begin
      took_one_reg <= '0;
      took_reg <= '0;
    end
  end

  always_comb begin
    if (!both) assume (in_rst && out_rst);
    if (in_runs_reg) assume (!in_rst);
    if (out_runs_reg) assume (!out_rst);

    if (!in_seen_reg) assert (!in_runs_reg);
    if (!out_seen_reg) assert (!out_runs_reg);
    if (in_seen_reg && !in_runs_reg)
      assert (dut.write_reg == '0 && dut.write_gray_reg == '0 && dut.read_seen_reg == '0 &&
              dut.read_sync_reg == '0 && took_one_reg == '0 && took_reg == '0);
    if (out_seen_reg && !out_runs_reg)
      assert (dut.read_reg == '0 && dut.read_gray_reg == '0 && dut.write_seen_reg == '0 &&
              dut.write_sync_reg == '0 && !out_valid && out_reg == '0 &&
              wrote_one_reg == '0 && wrote_reg == '0 && !offers_reg);
    if (!in_runs_reg) assert (!on_reg);
    if (!out_runs_reg) assert (!left_reg && !held_reg);
    if (!both) assert (!in_runs_reg && !out_runs_reg);
    else begin
      assert (binary(dut.write_gray_reg) == dut.write_reg);
      assert (binary(dut.read_gray_reg) == dut.read_reg);
      assert (a <= b && b <= c && c <= d && d <= e && e <= P'(DEPTH));
      assert (in_ready == (e != P'(DEPTH)));
      assert (binary(dut.write_sync_reg) == wrote_one_reg && binary(dut.write_seen_reg) == wrote_reg);
      assert (binary(dut.read_sync_reg) == took_one_reg && base == took_reg);
      if (out_runs_reg) assert (out_valid == offers_reg);
      assert (out_reg == dut.read_reg - P'(out_valid));
      if (left_reg) assert (on_reg);
      if (queued) begin
        assert (place < P'(dut.write_reg - out_reg) && P'(dut.write_reg - out_reg) <= P'(DEPTH + 1));
        assert ((out_valid && place == '0 ? dut.data_reg : dut.ram[number_reg[P-2:0]]) == word_reg);
      end
      if (leaves) assert (out_data == word_reg);
      if (held_reg) assert (out_valid && out_data == shown_reg);
      cover (left_reg && number_reg == P'(1));
      cover (!in_ready && out_valid);
    end
  end

endmodule
