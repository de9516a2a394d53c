// SPDX-License-Identifier: Apache-2.0

// test_node with its page, by induction: each register as its description says, an access answered once,
// in its second cycle; a lane that runs sends its sequence in bursts with pauses, in the first cycle that
// it may, and what it offers stays until it is taken or the lane is reset; each word that arrives is
// compared with the one that is expected, and counted; an error stays until all lanes are reset.
//
// Sums and comparisons are of the node's own registers, which are those expected in every state before:
// the solver need not find two adders equal.
module test_node_proof (
    input wire         clk,
    input wire         rst,
    input wire [ 15:0] bus_address,
    input wire         bus_window,
    input wire         bus_write,
    input wire [ 31:0] bus_wdata,
    input wire         bus_select,
    input wire [127:0] in_data,
    input wire [  3:0] in_valid,
    input wire [  3:0] out_ready
);

  wire bus_done;
  wire [31:0] bus_rdata;
  wire [127:0] out_data;
  wire [63:0] out_user;
  wire [3:0] in_ready, in_flush, out_valid;
  test_node dut (
      .*
  );

  typedef logic [3:0][31:0] lanes_t;
  reg started_reg = 1'b0;
  reg begun_reg, on_reg;  // an access is in its second cycle; enable
  reg [31:0] value_reg;
  reg [3:0] runs_reg, pauses_reg, offers_reg, wrong_reg;
  lanes_t pause_reg, words_reg, step_reg, expected_step_reg;
  lanes_t next_reg, expected_reg, sent_reg, checked_reg, offer_reg;
  lanes_t place_reg;  // in the burst or in the pause, from 1

  lanes_t value_now, step_now, expected_now, expected_step_now, sent_now, checked_now;
  lanes_t place_now, words_now, pause_now;
  wire [3:0] pauses_now, over_now;  // the place is that of the last word, or cycle
  for (genvar i = 0; i < 4; i++) begin : now
    assign value_now[i] = dut.lane[i].value_reg;
    assign step_now[i] = dut.lane[i].out_step_reg;
    assign expected_now[i] = dut.lane[i].expected_reg;
    assign expected_step_now[i] = dut.lane[i].in_step_reg;
    assign sent_now[i] = dut.lane[i].sent_reg;
    assign checked_now[i] = dut.lane[i].checked_reg;
    assign place_now[i] = dut.lane[i].count_reg;
    assign words_now[i] = dut.lane[i].length_reg;
    assign pause_now[i] = dut.lane[i].pause_reg;
    assign pauses_now[i] = dut.lane[i].pausing_reg;
    assign over_now[i] = place_now[i] >= (pauses_now[i] ? pause_now[i] : words_now[i]);
  end

  wire effect = bus_select && !begun_reg && bus_write;
  wire common = bus_address < 16'h0040;
  wire one = bus_address >= 16'h0040 && bus_address < 16'h0140;
  wire [1:0] lane = 2'((bus_address - 16'h0040) >> 6);
  wire [3:0] word = bus_address[5:2];
  wire set = effect && bus_window && common;
  wire all = set && word == 4'd1 && bus_wdata[0];
  wire [3:0] queues = effect && !bus_window && bus_address[10:2] == 9'h010 ? bus_wdata[3:0] : '0;
  wire [3:0] sends = runs_reg & {4{on_reg}} & ~pauses_reg & (~offers_reg | out_ready);

  logic [3:0] anew;
  logic [31:0] value;
  always_comb begin
    anew = all ? '1 : '0;
    if (effect && bus_window && one && word == 4'd0 && bus_wdata[0]) anew[lane] = 1'b1;
    value = '0;
    if (!bus_window) begin
      if (bus_address[10:2] == 9'h000) value = 32'h0000_0400;
      if (bus_address[10:2] == 9'h001) value = 32'h5704_0101;
      if (bus_address[10:2] == 9'h005) value = 32'h0000_0044;
    end else if (common) begin
      if (word == 4'd0) value = 32'(on_reg);
      if (word == 4'd2) value = 32'(runs_reg);
      if (word == 4'd5) value = 32'(wrong_reg);
    end else begin
      for (int unsigned i = 0; i < 4; i++)
        if (one && lane == 2'(i)) begin
          if (word == 4'd1) value = pause_reg[i];
          if (word == 4'd2) value = words_reg[i];
          if (word == 4'd3) value = step_reg[i];
          if (word == 4'd4) value = expected_step_reg[i];
          if (word == 4'd5) value = sent_reg[i];
          if (word == 4'd6) value = checked_reg[i];
        end
    end
  end

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    begun_reg   <= bus_select && !begun_reg && !rst;
    value_reg   <= value;
    if (set && word == 4'd0) on_reg <= bus_wdata[0];
    if (set && word == 4'd0 && !bus_wdata[0]) runs_reg <= '0;
    if (set && word == 4'd2 && on_reg) runs_reg <= runs_reg | bus_wdata[3:0];
    if (set && word == 4'd3) runs_reg <= runs_reg & ~bus_wdata[3:0];
    for (int unsigned i = 0; i < 4; i++) begin
      if (effect && bus_window && one && lane == 2'(i)) begin
        if (word == 4'd1) pause_reg[i] <= bus_wdata;
        if (word == 4'd2) words_reg[i] <= bus_wdata;
        if (word == 4'd3) step_reg[i] <= bus_wdata;
        if (word == 4'd4) expected_step_reg[i] <= bus_wdata;
      end
      if (sends[i]) begin
        offers_reg[i] <= 1'b1;
        offer_reg[i]  <= next_reg[i];
        next_reg[i]   <= value_now[i] + step_now[i];
        sent_reg[i]   <= sent_now[i] + 1'b1;
        place_reg[i]  <= place_now[i] + 1'b1;
        if (over_now[i]) begin
          place_reg[i]  <= 32'd1;
          pauses_reg[i] <= pause_reg[i] != '0;
        end
      end else if (out_ready[i]) offers_reg[i] <= 1'b0;
      if (pauses_reg[i]) begin
        place_reg[i] <= place_now[i] + 1'b1;
        if (over_now[i]) begin
          place_reg[i]  <= 32'd1;
          pauses_reg[i] <= 1'b0;
        end
      end
      if (in_valid[i] && on_reg) begin
        expected_reg[i] <= expected_now[i] + expected_step_now[i];
        checked_reg[i]  <= checked_now[i] + 1'b1;
        if (in_data[32*i+:32] != expected_now[i]) wrong_reg[i] <= 1'b1;
      end
      if (anew[i] || rst) begin
        next_reg[i] <= '0;
        expected_reg[i] <= '0;
        sent_reg[i] <= '0;
        checked_reg[i] <= '0;
        place_reg[i] <= 32'd1;
        {runs_reg[i], pauses_reg[i], offers_reg[i]} <= '0;
      end
    end
    if (all) wrong_reg <= '0;
    if (rst) begin
      on_reg <= 1'b0;
      wrong_reg <= '0;
      pause_reg <= '0;
      words_reg <= '0;
      step_reg <= {4{32'd1}};
      expected_step_reg <= {4{32'd1}};
    end
  end

  always_comb begin
    if (!started_reg) assume (rst);
    if (started_reg) begin
      assert (bus_done == begun_reg);
      assert (bus_rdata == value_reg || !begun_reg);
      assert (in_ready == {4{on_reg}} && in_flush == (anew | queues));
      assert (out_valid == offers_reg && out_user == '0);
      assert (dut.enable_reg == on_reg && dut.running == runs_reg && dut.errors == wrong_reg);
      cover (out_valid == 4'b0110 && pauses_reg == 4'b0010);
      cover (bus_done && bus_rdata == 32'd3 && wrong_reg == '0);
    end
  end

  for (genvar i = 0; i < 4; i++) begin : lanes
    always_comb
      if (started_reg) begin
        if (out_valid[i]) assert (out_data[32*i+:32] == offer_reg[i]);
        assert (dut.lane[i].pausing_reg == pauses_reg[i]);
        assert (dut.lane[i].count_reg == place_reg[i]);
        assert (dut.lane[i].pause_reg == pause_reg[i] && dut.lane[i].length_reg == words_reg[i]);
        assert (dut.lane[i].out_step_reg == step_reg[i]);
        assert (dut.lane[i].in_step_reg == expected_step_reg[i]);
        assert (dut.lane[i].value_reg == next_reg[i] && dut.lane[i].sent_reg == sent_reg[i]);
        assert (dut.lane[i].expected_reg == expected_reg[i]);
        assert (dut.lane[i].checked_reg == checked_reg[i]);
      end
  end

endmodule
