// SPDX-License-Identifier: Apache-2.0

// fifo_signal, by induction: words and signals come out as they went in; `available` is the length of
// the run of one signal at the head, exactly, from the cycle on in which the head is shown; `mixed`
// says that another run follows; a word that is shown stays until it is taken; `full` and `in_ready` are
// exact.
//
// The queue is small enough to keep all its words beside it, in order; the table of runs has the length of
// each between the first and the last, and no other.
module fifo_signal_proof #(
    parameter int unsigned DEPTH = 4,
    parameter int unsigned RUNS = 2,
    localparam int unsigned CountW = $clog2(DEPTH) + 2
) (
    input wire        clk,
    input wire        rst,
    input wire        clear,
    input wire [31:0] in_data,
    input wire [15:0] in_user,
    input wire        in_valid,
    input wire        want_pop
);

  localparam int unsigned Most = DEPTH + 1;  // words: the head lies beside the memory
  localparam int unsigned PtrW = $clog2(DEPTH);
  localparam int unsigned RunW = $clog2(RUNS);

  wire in_ready, valid, mixed, full;
  wire [31:0] head_data;
  wire [15:0] head_user;
  wire [CountW-1:0] available;
  wire pop = want_pop && valid;
  fifo_signal #(
      .DEPTH(DEPTH),
      .RUNS (RUNS)
  ) dut (
      .clk,
      .rst,
      .clear,
      .in_data,
      .in_user,
      .in_valid,
      .in_ready,
      .head_data,
      .head_user,
      .valid,
      .available,
      .mixed,
      .full,
      .pop
  );

  // ---- what is inside, the first word in 0 ---------------------------------------------------------

  typedef logic [47:0] word_t;
  reg [Most-1:0][47:0] words_reg;
  logic [Most-1:0][47:0] words_next;
  reg [CountW-1:0] level_reg;
  wire push = in_valid && in_ready;
  wire [CountW-1:0] behind = level_reg - CountW'(pop);
  always_comb begin
    words_next = pop ? words_reg >> 48 : words_reg;
    for (int unsigned i = 0; i < Most; i++)
      if (push && behind == CountW'(i)) words_next[i] = {in_user, in_data};
  end

  // The places at which the signal changes, and the length of the first run.
  logic [Most-1:0] changes;
  logic [CountW-1:0] first, count, begun;  // runs but the first; where the last of them begins
  always_comb begin
    changes = '0;
    first = level_reg;
    for (int unsigned i = Most - 1; i > 0; i--)
      if (CountW'(i) < level_reg && words_reg[i][47:32] != words_reg[i-1][47:32]) begin
        changes[i] = 1'b1;
        first = CountW'(i);
      end
  end

  wire [PtrW:0] stored = dut.queue.write_reg - dut.queue.read_reg;
  wire [RunW:0] runs = dut.runs.write_reg - dut.runs.read_reg;
  reg started_reg = 1'b0;
  reg held_reg, filled_reg;
  word_t shown_reg;
  reg [15:0] last_reg;  // signal of the last word
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    held_reg <= available != '0 && !pop && !rst && !clear;
    shown_reg <= {head_user, head_data};
    words_reg <= words_next;
    if (push) last_reg <= in_user;
    level_reg <= rst || clear ? '0 : level_reg + CountW'(push) - CountW'(pop);
    filled_reg <= level_reg != '0 && !rst && !clear && !(pop && level_reg == 1);
  end

  always_comb begin
    if (!started_reg) assume (rst);
    count = '0;
    begun = '0;
    if (started_reg) begin
      assert (level_reg <= CountW'(Most) && stored <= (PtrW + 1)'(DEPTH));
      assert (level_reg == CountW'(stored) + CountW'(dut.queue.valid_reg));
      // The memory has the words, the table the places of change.
      for (int unsigned i = 0; i < Most; i++)
        if (CountW'(i) < level_reg) begin
          if (i == 0 && dut.queue.valid_reg) assert (dut.queue.latch_reg == words_reg[0]);
          else
            assert (dut.queue.ram[PtrW'(dut.queue.read_reg[PtrW-1:0] + PtrW'(i) -
                                        PtrW'(dut.queue.valid_reg))] == words_reg[i]);
          if (changes[i]) begin
            if (count != '0 && count <= CountW'(RUNS))
              assert (dut.runs.ram[RunW'(dut.runs.read_reg[RunW-1:0] + RunW'(count - 1'b1))] ==
                      CountW'(i) - begun);
            begun = CountW'(i);
            count = count + 1'b1;
          end
        end
      assert (CountW'(runs) == (count == '0 ? '0 : count - 1'b1) && count <= CountW'(RUNS + 1));
      assert (dut.first_reg == first && dut.mixed_reg == (count != '0));
      if (count != '0) assert (dut.last_reg == level_reg - begun);
      for (int unsigned i = 0; i < Most; i++)
        if (level_reg == CountW'(i + 1))
          assert (last_reg == words_reg[i][47:32] && dut.last_user_reg == last_reg);

      if (dut.queue.valid_reg) begin
        assert (available == first && {head_user, head_data} == words_reg[0]);
        assert (mixed == (first != level_reg));
        assert (valid && available != '0);
      end else assert (!valid && available == '0);
      // A word waits for no more than the cycle in which it becomes the head.
      if (filled_reg) assert (available != '0);
      if (held_reg) assert (available != '0 && {head_user, head_data} == shown_reg);
      // Taken while there is a place for it, and for the run that it begins.
      assert (full == (stored == (PtrW + 1)'(DEPTH) || count == CountW'(RUNS + 1)));
      assert (in_ready == (stored != (PtrW + 1)'(DEPTH) &&
                           (count != CountW'(RUNS + 1) || in_user == last_reg)));

      cover (available == 2 && mixed && level_reg == 4);
      cover (level_reg == CountW'(Most) && !mixed);
      cover (in_valid && !in_ready && level_reg == 4 && mixed && stored == 3);
    end
  end

endmodule
