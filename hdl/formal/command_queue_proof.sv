// SPDX-License-Identifier: Apache-2.0

// command_queue, by induction: commands are begun in their turn and whole, each comes back once with
// its address and the result that was given for it; places and results are counted exactly, never more
// than eight, a ninth keeps its place, and a command without a place leaves nothing. One command, picked by the solver, is
// followed from its writing to its reading. Results come only for what was begun.
module command_queue_proof #(
    parameter int unsigned ADDR_W = 6,
    parameter int unsigned LEN_W = 5
) (
    input wire              clk,
    input wire              rst,
    input wire              run,
    input wire [ADDR_W-1:0] new_addr,
    input wire [ LEN_W-1:0] new_len,
    input wire [      15:0] new_user,
    input wire              new_valid,
    input wire              go_ready,
    input wire              done,
    input wire [ LEN_W-1:0] done_len,
    input wire [      15:0] done_user,
    input wire [       1:0] done_error,
    input wire              result_pop,
    input wire              pick
);

  wire [3:0] free, results;
  wire [ADDR_W-1:0] go_addr, result_addr;
  wire [LEN_W-1:0] go_len, result_len;
  wire [15:0] go_user, result_user;
  wire [1:0] result_error;
  wire go_valid;
  command_queue #(
      .ADDR_W(ADDR_W),
      .LEN_W (LEN_W)
  ) dut (
      .clk,
      .rst,
      .run,
      .new_addr,
      .new_len,
      .new_user,
      .new_valid,
      .free,
      .results,
      .go_addr,
      .go_len,
      .go_user,
      .go_valid,
      .go_ready,
      .done,
      .done_len,
      .done_user,
      .done_error,
      .result_addr,
      .result_len,
      .result_user,
      .result_error,
      .result_pop
  );

  // How many wait to begin, are begun, and are done.
  reg [4:0] waiting_reg, begun_reg, done_reg;
  wire [4:0] held = waiting_reg + begun_reg + 5'(done_reg == 5'd9);
  wire take = new_valid && held != 5'd8;
  wire go = go_valid && go_ready;
  wire pop = result_pop && done_reg != '0;

  // The picked command: where it is, and how many are before it there.
  reg [1:0] stage_reg;  // 0 none, 1 waits, 2 begun, 3 done
  reg [4:0] ahead_reg;
  reg [3:0] place_reg;
  reg [ADDR_W-1:0] addr_reg;
  reg [LEN_W-1:0] len_reg, done_len_reg;
  reg [15:0] user_reg, done_user_reg;
  reg [1:0] error_reg;
  reg started_reg = 1'b0;
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    waiting_reg <= waiting_reg + 5'(take) - 5'(go);
    begun_reg   <= begun_reg + 5'(go) - 5'(done);
    done_reg    <= done_reg + 5'(done) - 5'(pop);
    if (stage_reg == 2'd0 && pick && take) begin
      stage_reg <= 2'd1;
      ahead_reg <= waiting_reg - 5'(go);
      place_reg <= dut.new_reg[3:0];
      addr_reg  <= new_addr;
      len_reg   <= new_len;
      user_reg  <= new_user;
    end
    if (stage_reg == 2'd1 && go) begin
      ahead_reg <= ahead_reg - 1'b1;
      if (ahead_reg == '0) begin
        stage_reg <= 2'd2;
        ahead_reg <= begun_reg - 5'(done);
      end
    end
    if (stage_reg == 2'd2 && done) begin
      ahead_reg <= ahead_reg - 1'b1;
      if (ahead_reg == '0) begin
        stage_reg <= 2'd3;
        ahead_reg <= done_reg - 5'(pop);
        done_len_reg <= done_len;
        done_user_reg <= done_user;
        error_reg <= done_error;
      end
    end
    if (stage_reg == 2'd3 && pop) begin
      ahead_reg <= ahead_reg - 1'b1;
      if (ahead_reg == '0) stage_reg <= 2'd0;
    end
    if (rst) begin
      waiting_reg <= '0;
      begun_reg <= '0;
      done_reg <= '0;
      stage_reg <= 2'd0;
    end
  end

  always_comb begin
    if (!started_reg) assume (rst);
    if (started_reg && begun_reg == '0) assume (!done);
    if (started_reg) begin
      assert (waiting_reg <= 5'd8 && begun_reg <= 5'd8 && done_reg <= 5'd9);
      assert (held <= 5'd8 && begun_reg + done_reg <= 5'd9);
      assert (dut.new_reg == dut.go_reg + waiting_reg && dut.go_reg == dut.done_reg + begun_reg &&
              dut.done_reg == dut.pop_reg + done_reg);
      assert (free == 4'(5'd8 - held) && results == (done_reg == 5'd9 ? 4'd8 : 4'(done_reg)));
      assert (go_valid == (run && waiting_reg != '0 && begun_reg + done_reg != 5'd9));

      if (stage_reg == 2'd1) begin
        assert (ahead_reg < waiting_reg && place_reg == 4'(dut.go_reg + ahead_reg));
        if (ahead_reg == '0)
          assert (go_addr == addr_reg && go_len == len_reg && go_user == user_reg);
        assert (dut.command_table[place_reg] == {user_reg, len_reg});
      end
      if (stage_reg == 2'd2)
        assert (ahead_reg < begun_reg && place_reg == 4'(dut.done_reg + ahead_reg));
      if (stage_reg != 2'd0) assert (dut.addr_table[place_reg] == addr_reg);
      if (stage_reg == 2'd3) begin
        assert (ahead_reg < done_reg && place_reg == 4'(dut.pop_reg + ahead_reg));
        assert (dut.result_table[place_reg] == {error_reg, done_user_reg, done_len_reg});
        if (ahead_reg == '0)
          assert (result_addr == addr_reg && result_len == done_len_reg &&
                  result_user == done_user_reg && result_error == error_reg);
      end
      cover (stage_reg == 2'd3 && pop && ahead_reg == '0 && place_reg == 4'd2);
      cover (new_valid && !take);
      cover (done_reg == 5'd9);
    end
  end

endmodule
