// SPDX-License-Identifier: Apache-2.0

// stream_node at 64 bit, one clock, with its page, by induction: each register as its description says, an
// access answered once, in its second cycle. To AXI-Stream every word leaves once, in order, in a beat
// with words of its block only; TLAST is with the word before another signal, the last that the limit
// allows, or one that nothing followed for long enough; a reset of the queue discards what is held and
// nothing that is offered. From AXI-Stream the words of a beat up to the highest that is kept leave in
// order, with the beat's signal, marked in every other block.
module stream_node_proof (
    input wire        clk,
    input wire        rst,
    input wire [15:0] bus_address,
    input wire        bus_window,
    input wire        bus_write,
    input wire [31:0] bus_wdata,
    input wire        bus_select,
    input wire [31:0] in_data,
    input wire [15:0] in_user,
    input wire        in_valid,
    input wire        out_ready,
    input wire        m_axis_tready,
    input wire [63:0] s_axis_tdata,
    input wire [ 7:0] s_axis_tkeep,
    input wire [15:0] s_axis_tuser,
    input wire        s_axis_tlast,
    input wire        s_axis_tvalid
);

  wire axis_clk = 1'b0, axis_rst = 1'b0;
  wire bus_done, in_ready, in_flush, out_valid, m_axis_tlast, m_axis_tvalid, s_axis_tready;
  wire [31:0] bus_rdata, out_data;
  wire [15:0] out_user, m_axis_tuser;
  wire [63:0] m_axis_tdata;
  wire [7:0] m_axis_tkeep;
  stream_node #(
      .DATA_W(64)
  ) dut (
      .*
  );

  // ---- registers -----------------------------------------------------------------------------------

  reg started_reg = 1'b0;
  reg begun_reg;
  reg [31:0] value_reg, limit_reg, patience_reg;
  reg [15:0] mark_reg;
  wire effect = bus_select && !begun_reg && bus_write;
  wire [8:0] word = bus_address[10:2];
  wire flush = effect && !bus_window && word == 9'h010 && bus_wdata[0];
  logic [31:0] value;
  always_comb begin
    value = '0;
    if (bus_window) begin
      if (bus_address == 16'h0000) value = limit_reg;
      if (bus_address == 16'h0004) value = patience_reg;
      if (bus_address == 16'h0008) value = 32'(mark_reg);
    end else begin
      if (word == 9'h000) value = 32'h0000_0300;
      if (word == 9'h001) value = 32'h5703_0101;
      if (word == 9'h005) value = 32'h0000_0011;
    end
  end

  // ---- to AXI-Stream: the words that are held, and the beat that is offered ---------------------------

  reg [1:0] held_reg;
  reg [1:0][31:0] words_reg, beat_reg;
  reg [15:0] user_reg, beat_user_reg;
  reg [31:0] number_reg, waited_reg;  // of words in the block; cycles without one
  reg last_reg, beat_last_reg, both_reg, offer_reg;  // both_reg: the beat has two words
  wire other = in_valid && in_user != user_reg;
  wire late = patience_reg != '0 && waited_reg >= patience_reg;
  wire ends = last_reg || other || late;
  wire room = !offer_reg || m_axis_tready;
  wire leave = held_reg != '0 && (ends || (held_reg == 2'd2 && in_valid)) && !flush && room;
  wire ready = held_reg == '0 || leave || (held_reg == 2'd1 && !last_reg && in_user == user_reg);
  wire take = in_valid && ready;
  wire [31:0] number = held_reg == '0 || (leave && ends) ? 32'd1 : number_reg + 1'b1;

  // ---- from AXI-Stream -------------------------------------------------------------------------------

  reg [1:0] rest_reg;
  reg [1:0][31:0] arrived_reg;
  reg [15:0] signal_reg;
  reg odd_reg;
  wire arrive = s_axis_tvalid && (rest_reg == '0 || (rest_reg == 2'd1 && out_ready));

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    begun_reg   <= bus_select && !begun_reg && !rst;
    value_reg   <= value;
    if (effect && bus_window) begin
      if (bus_address == 16'h0000) limit_reg <= bus_wdata;
      if (bus_address == 16'h0004) patience_reg <= bus_wdata;
      if (bus_address == 16'h0008) mark_reg <= bus_wdata[15:0];
    end

    if (room) offer_reg <= leave;
    if (leave) begin
      beat_reg <= words_reg;
      both_reg <= held_reg == 2'd2;
      beat_user_reg <= user_reg;
      beat_last_reg <= ends;
      held_reg <= '0;
    end
    waited_reg <= held_reg == '0 || &waited_reg ? waited_reg : waited_reg + 1'b1;
    if (held_reg == '0) waited_reg <= '0;
    if (take) begin
      if (held_reg == 2'd1 && !leave) words_reg[1] <= in_data;
      else words_reg[0] <= in_data;
      held_reg   <= held_reg == 2'd1 && !leave ? 2'd2 : 2'd1;
      user_reg   <= in_user;
      number_reg <= number;
      last_reg   <= limit_reg != '0 && number >= limit_reg;
      waited_reg <= '0;
    end

    if (out_valid && out_ready) begin
      arrived_reg[0] <= arrived_reg[1];
      rest_reg <= rest_reg - 1'b1;
    end
    if (arrive) begin
      arrived_reg <= s_axis_tdata;
      rest_reg <= s_axis_tkeep[7:4] != '0 ? 2'd2 : s_axis_tkeep[3:0] != '0 ? 2'd1 : 2'd0;
      signal_reg <= odd_reg ? s_axis_tuser ^ mark_reg : s_axis_tuser;
      if (s_axis_tlast) odd_reg <= !odd_reg;
    end

    if (rst || flush) begin
      held_reg <= '0;
      last_reg <= 1'b0;
    end
    if (rst) begin
      limit_reg <= '0;
      patience_reg <= '0;
      mark_reg <= 16'h8000;
      offer_reg <= 1'b0;
      waited_reg <= '0;
      rest_reg <= '0;
      odd_reg <= 1'b0;
    end
  end

  always_comb begin
    if (!started_reg) assume (rst);
    if (started_reg) begin
      assert (bus_done == begun_reg);
      assert (bus_rdata == value_reg || !begun_reg);
      assert (dut.limit_reg == limit_reg && dut.timeout_reg == patience_reg);
      assert (dut.mark_reg == mark_reg && in_flush == flush);

      assert (in_ready == ready && m_axis_tvalid == offer_reg);
      if (offer_reg) begin
        assert (m_axis_tlast == beat_last_reg && m_axis_tuser == beat_user_reg);
        assert (m_axis_tkeep == {{4{both_reg}}, 4'hF} && m_axis_tdata[31:0] == beat_reg[0]);
        if (both_reg) assert (m_axis_tdata[63:32] == beat_reg[1]);
      end
      assert (dut.fill_reg == held_reg && held_reg != 2'd3);
      assert (dut.complete_reg == last_reg || held_reg == '0);
      assert (dut.idle_reg == waited_reg);
      if (held_reg != '0) begin
        assert (dut.user_reg == user_reg && dut.count_reg == number_reg);
        assert (dut.beat_reg[31:0] == words_reg[0]);
      end
      if (held_reg == 2'd2) assert (dut.beat_reg[63:32] == words_reg[1]);

      assert (out_valid == (rest_reg != '0) && rest_reg != 2'd3);
      assert (s_axis_tready == (rest_reg == '0 || (rest_reg == 2'd1 && out_ready)));
      assert (dut.rest_count_reg == rest_reg && dut.odd_reg == odd_reg);
      if (rest_reg != '0) assert (out_data == arrived_reg[0] && out_user == signal_reg);
      if (rest_reg == 2'd2) assert (dut.rest_reg[63:32] == arrived_reg[1]);

      cover (m_axis_tvalid && m_axis_tlast && both_reg && held_reg == 2'd1 && user_reg == 16'd3);
      cover (leave && late && !last_reg && !other);
      cover (out_valid && out_user == 16'h8001 && rest_reg == 2'd2);
    end
  end

endmodule
