// SPDX-License-Identifier: Apache-2.0

// axi_slave at 64 bit, by induction, over bursts and queues that do anything: from a word that a burst
// offers to the answer that is queued.
//
//   - Words go to the bus one at a time, written and read ones in turn if both can; a read one only if
//     there is a place for its answer, a written one also only if its data are there. An access stays
//     until it is done, and the next one follows without a pause.
//   - A word that is not whole, or is not written in all its bytes, is no access; SLVERR says so, unless
//     it has no strobe at all, and also when the page says so, for the beat that is read and for all of
//     the burst that is written.
//   - A beat of data leaves with its last word. Lanes of a beat that is read hold the words that were
//     read for it.
//
// That bursts offer the right words is proven by axi_burst, that a queue gives what it was given by
// fifo_table, and axi_slave puts the three together.
module axi_slave_words_proof #(
    parameter int unsigned DATA_W = 64,
    parameter int unsigned ADDR_W = 8,
    parameter int unsigned ID_W = 2
) (
    input wire                clk,
    input wire                rst,
    input wire [    ID_W-1:0] s_axi_awid,
    input wire [  ADDR_W-1:0] s_axi_awaddr,
    input wire [         7:0] s_axi_awlen,
    input wire [         2:0] s_axi_awsize,
    input wire [         1:0] s_axi_awburst,
    input wire                s_axi_awvalid,
    input wire [  DATA_W-1:0] s_axi_wdata,
    input wire [DATA_W/8-1:0] s_axi_wstrb,
    input wire                s_axi_wlast,
    input wire                s_axi_wvalid,
    input wire                s_axi_bready,
    input wire [    ID_W-1:0] s_axi_arid,
    input wire [  ADDR_W-1:0] s_axi_araddr,
    input wire [         7:0] s_axi_arlen,
    input wire [         2:0] s_axi_arsize,
    input wire [         1:0] s_axi_arburst,
    input wire                s_axi_arvalid,
    input wire                s_axi_rready,
    input wire                bus_done,
    input wire [        31:0] bus_rdata,
    input wire                bus_error
);

  localparam logic [2:0] Depth = 3'd4;  // of the queues

  wire s_axi_awready, s_axi_wready, s_axi_bvalid, s_axi_arready, s_axi_rvalid, s_axi_rlast;
  wire [ID_W-1:0] s_axi_bid, s_axi_rid;
  wire [1:0] s_axi_bresp, s_axi_rresp;
  wire [DATA_W-1:0] s_axi_rdata;
  wire [ADDR_W-1:0] bus_address;
  wire bus_write, bus_select;
  wire [31:0] bus_wdata;
  wire [3:0] bus_strobe;
  axi_slave #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .ID_W  (ID_W)
  ) dut (
      .*
  );

  // ---- what the bursts and the queues say ------------------------------------------------------------

  typedef struct packed {
    logic [ID_W-1:0] id;
    logic [ADDR_W-1:2] address;
    logic whole;
    logic beat_ends;
    logic burst_ends;
  } word_t;
  wire word_t written = {
    dut.write_burst.word_id,
    dut.write_burst.word_address[ADDR_W-1:2],
    dut.write_burst.word_whole,
    dut.write_burst.word_beat_ends,
    dut.write_burst.word_burst_ends
  };
  wire word_t asked = {
    dut.read_burst.word_id,
    dut.read_burst.word_address[ADDR_W-1:2],
    dut.read_burst.word_whole,
    dut.read_burst.word_beat_ends,
    dut.read_burst.word_burst_ends
  };
  wire [DATA_W-1:0] data = dut.w_queue.out_data[DATA_W-1:0];
  wire [DATA_W/8-1:0] strobes = dut.w_queue.out_data[DATA_W+:DATA_W/8];

  // ---- the word on the bus ---------------------------------------------------------------------------

  reg started_reg = 1'b0;
  reg on_reg, write_reg, access_reg, wrong_reg;
  word_t word_reg;
  reg [31:0] data_reg;
  reg after_write_reg;
  reg [2:0] b_owed_reg, r_owed_reg;  // answers that have a place or will need it
  reg b_wrong_reg, r_wrong_reg;  // a word before, of the burst or of the beat
  reg [1:0][31:0] beat_reg;
  reg [1:0] has_reg;  // lanes of the beat that were read

  wire ended = on_reg && (!access_reg || bus_done);
  wire may_write = dut.write_burst.word_valid && !dut.w_queue.empty && b_owed_reg < Depth;
  wire may_read = dut.read_burst.word_valid && r_owed_reg < Depth;
  wire go = !on_reg || ended;
  wire go_write = go && may_write && (!may_read || !after_write_reg);
  wire go_read = go && may_read && (!may_write || after_write_reg);
  wire upper = written.address[2];
  wire [3:0] strobe = upper ? strobes[7:4] : strobes[3:0];
  wire fails = wrong_reg || (access_reg && bus_error);
  wire b_go = ended && write_reg && word_reg.burst_ends;
  wire r_go = ended && !write_reg && word_reg.beat_ends;
  wire b_gone = s_axi_bvalid && s_axi_bready;
  wire r_gone = s_axi_rvalid && s_axi_rready;
  logic [1:0][31:0] beat;
  always_comb begin
    beat = beat_reg;
    beat[word_reg.address[2]] = access_reg ? bus_rdata : '0;
  end

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    if (go) on_reg <= go_write || go_read;
    if (go_write) begin
      word_reg <= written;
      write_reg <= 1'b1;
      data_reg <= upper ? data[63:32] : data[31:0];
      access_reg <= written.whole && &strobe;
      wrong_reg <= written.whole ? |strobe && !(&strobe) : |strobes;
      after_write_reg <= 1'b1;
    end
    if (go_read) begin
      word_reg <= asked;
      write_reg <= 1'b0;
      access_reg <= asked.whole;
      wrong_reg <= !asked.whole;
      after_write_reg <= 1'b0;
    end
    if (ended && write_reg) b_wrong_reg <= !word_reg.burst_ends && (b_wrong_reg || fails);
    if (ended && !write_reg) begin
      r_wrong_reg <= !word_reg.beat_ends && (r_wrong_reg || fails);
      beat_reg <= beat;
      has_reg[word_reg.address[2]] <= 1'b1;
    end
    b_owed_reg <= b_owed_reg + 3'(go_write && written.burst_ends) - 3'(b_gone);
    r_owed_reg <= r_owed_reg + 3'(go_read && asked.beat_ends) - 3'(r_gone);
    if (rst) begin
      on_reg <= 1'b0;
      after_write_reg <= 1'b0;
      b_owed_reg <= '0;
      r_owed_reg <= '0;
      b_wrong_reg <= 1'b0;
      r_wrong_reg <= 1'b0;
      has_reg <= '0;
    end
  end

  always_comb begin
    if (!started_reg) assume (rst);
    // An answer comes out of a queue that one went into: not the one that is on the bus yet.
    assume (!s_axi_bvalid || b_owed_reg > 3'(on_reg && write_reg && word_reg.burst_ends));
    assume (!s_axi_rvalid || r_owed_reg > 3'(on_reg && !write_reg && word_reg.beat_ends));
    if (started_reg) begin
      // The bursts and the queues get what the pins say, and give it.
      assert (dut.write_burst.id == s_axi_awid && dut.write_burst.address == s_axi_awaddr &&
              dut.write_burst.len == s_axi_awlen && dut.write_burst.size == s_axi_awsize &&
              dut.write_burst.burst == s_axi_awburst && dut.write_burst.valid == s_axi_awvalid);
      assert (dut.read_burst.id == s_axi_arid && dut.read_burst.address == s_axi_araddr &&
              dut.read_burst.len == s_axi_arlen && dut.read_burst.size == s_axi_arsize &&
              dut.read_burst.burst == s_axi_arburst && dut.read_burst.valid == s_axi_arvalid);
      assert (s_axi_awready == dut.write_burst.ready && s_axi_arready == dut.read_burst.ready);
      assert (s_axi_wready == !dut.w_queue.full && dut.w_queue.push == (s_axi_wvalid && s_axi_wready));
      assert (dut.w_queue.in_data == {s_axi_wstrb, s_axi_wdata});
      assert (s_axi_bvalid == !dut.b_queue.empty && dut.b_queue.pop == b_gone);
      assert ({s_axi_bid, s_axi_bresp} == {dut.b_queue.out_data, 1'b0});
      assert (s_axi_rvalid == !dut.r_queue.empty && dut.r_queue.pop == r_gone);
      assert ({s_axi_rid, s_axi_rdata, s_axi_rresp, s_axi_rlast} ==
              {dut.r_queue.out_data[ID_W+DATA_W+1:1], 1'b0, dut.r_queue.out_data[0]});

      assert (dut.write_burst.word_ready == go_write && dut.read_burst.word_ready == go_read);
      assert (dut.w_queue.pop == (go_write && written.beat_ends));
      assert (bus_select == (on_reg && access_reg));
      if (bus_select) begin
        assert (bus_address == {word_reg.address, 2'b00} && bus_write == write_reg);
        assert (bus_strobe == 4'hF && (!write_reg || bus_wdata == data_reg));
      end
      assert (dut.b_queue.push == b_go && dut.r_queue.push == r_go);
      if (b_go) assert (dut.b_queue.in_data == {word_reg.id, fails || b_wrong_reg});
      if (r_go) begin
        assert (dut.r_queue.in_data[0] == word_reg.burst_ends);
        assert (dut.r_queue.in_data[1] == (fails || r_wrong_reg));
        assert (dut.r_queue.in_data[DATA_W+2+:ID_W] == word_reg.id);
        for (int unsigned i = 0; i < 2; i++)
          if (has_reg[i] || word_reg.address[2] == 1'(i))
            assert (dut.r_queue.in_data[2+32*i+:32] == beat[i]);
      end

      // What the two have in them.
      assert (b_owed_reg <= Depth && r_owed_reg <= Depth);
      if (on_reg && write_reg && word_reg.burst_ends) assert (b_owed_reg != '0);
      if (on_reg && !write_reg && word_reg.beat_ends) assert (r_owed_reg != '0);
      assert (dut.valid_reg == on_reg && dut.turn_reg == after_write_reg);
      assert (dut.b_credit_reg == Depth - b_owed_reg && dut.r_credit_reg == Depth - r_owed_reg);
      assert (dut.write_failed_reg == b_wrong_reg && dut.read_failed_reg == r_wrong_reg);
      if (on_reg) begin
        assert (dut.write_reg == write_reg && dut.address_reg == word_reg.address);
        assert (dut.skip_reg == !access_reg && dut.error_reg == wrong_reg);
        assert (dut.id_reg == word_reg.id && dut.ends_reg == word_reg.burst_ends);
        assert (dut.beat_ends_reg == word_reg.beat_ends);
        if (write_reg) assert (dut.wdata_reg == data_reg);
      end
      for (int unsigned i = 0; i < 2; i++)
        if (has_reg[i]) assert (dut.beat_reg[32*i+:32] == beat_reg[i]);

      cover (b_go && !fails && b_wrong_reg);
      cover (r_go && has_reg == 2'b01 && word_reg.address[2] && access_reg && b_owed_reg == Depth);
    end
  end

endmodule

// A burst and a queue that do anything: no output has a driver.
module axi_burst #(
    parameter int unsigned ADDR_W = 21,
    parameter int unsigned ID_W = 8
) (
    input  wire              clk,
    input  wire              rst,
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
endmodule

module fifo_table #(
    parameter int unsigned WIDTH = 32,
    parameter int unsigned DEPTH = 16
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             push,
    input  wire [WIDTH-1:0] in_data,
    output wire             full,
    input  wire             pop,
    output wire [WIDTH-1:0] out_data,
    output wire             empty
);
endmodule
