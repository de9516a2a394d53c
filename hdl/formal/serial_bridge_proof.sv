// SPDX-License-Identifier: Apache-2.0

// serial_bridge, by induction, whatever comes on the line:
//
//   - Nothing is asked of the bus before a whole request has come whose CRC is right; what is asked is
//     what the request says: its address and on, or the same one, a read or a write, no word too many.
//   - An access stays until it is done, and a byte of an answer until it is taken.
//   - A request that stalls for PATIENCE cycles, or breaks, is forgotten: the bridge listens again.
//
// The CRC is worked out here once more, bit by bit, highest power first.
module serial_bridge_proof #(
    parameter int unsigned PATIENCE = 5
) (
    input wire        clk,
    input wire        rst,
    input wire [ 7:0] in_data,
    input wire        in_valid,
    input wire        in_broken,
    input wire        out_ready,
    input wire        bus_done,
    input wire [31:0] bus_rdata,
    input wire        bus_error
);

  wire [7:0] out_data;
  wire out_valid, bus_write, bus_select;
  wire [31:0] bus_address, bus_wdata;
  serial_bridge #(.PATIENCE(PATIENCE)) dut (.*);

  // ---- a request, by the pins ------------------------------------------------------------------------

  reg started_reg = 1'b0;
  reg open_reg;  // its first byte has come, and not all
  reg whole_reg, run_reg;  // all have, and the bus is asked
  reg [9:0] seen_reg;  // bytes behind the first
  reg [7:0] op_reg;
  reg [31:0] at_reg;  // the next word's place
  reg [5:0] word_reg;
  reg [31:0] sum_reg;  // mirrored: the highest power is bit 31
  reg [2:0] quiet_reg;

  wire [9:0] size = 10'd10 + (op_reg[7] ? {2'd0, op_reg[5:0], 2'd0} + 10'd4 : 10'd0);
  logic [31:0] sum_next;
  always_comb begin
    sum_next = sum_reg;
    for (int unsigned i = 0; i < 8; i++)
      sum_next = {sum_next[30:0], 1'b0} ^ (sum_next[31] ^ in_data[i] ? 32'h04C1_1DB7 : 32'h0);
  end
  wire good = sum_reg == 32'hC704_DD7B;  // of what goes with its own CRC

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    whole_reg <= 1'b0;
    quiet_reg <= in_valid || !open_reg ? '0 : quiet_reg + 1'b1;
    if (!open_reg && !whole_reg && !run_reg && !out_valid && in_valid && in_data == 8'h5A) begin
      open_reg <= 1'b1;
      seen_reg <= '0;
      sum_reg  <= '1;
    end
    if (open_reg && in_valid) begin
      seen_reg <= seen_reg + 1'b1;
      sum_reg  <= sum_next;
      if (seen_reg == 10'd1) op_reg <= in_data;
      if (seen_reg >= 10'd2 && seen_reg < 10'd6) at_reg <= {in_data, at_reg[31:8]};
      if (seen_reg >= 10'd6 && seen_reg + 1'b1 == size) begin
        open_reg  <= 1'b0;
        whole_reg <= 1'b1;
      end
    end
    if (open_reg && (in_broken || (!in_valid && quiet_reg == 3'(PATIENCE - 1)))) begin
      open_reg  <= 1'b0;
      whole_reg <= 1'b0;
    end
    if (whole_reg) begin
      run_reg  <= good;
      word_reg <= '0;
    end
    if (run_reg && bus_done) begin
      word_reg <= word_reg + 1'b1;
      if (!op_reg[6]) at_reg <= at_reg + 32'd4;
      if (bus_error || word_reg == op_reg[5:0]) run_reg <= 1'b0;
    end
    if (rst) begin
      open_reg  <= 1'b0;
      whole_reg <= 1'b0;
      run_reg   <= 1'b0;
    end
  end

  reg held_reg, asked_reg;
  reg [7:0] byte_reg;
  reg [31:0] data_reg;
  always_ff @(posedge clk) begin
    held_reg  <= out_valid && !out_ready && !rst;
    byte_reg  <= out_data;
    asked_reg <= bus_select && !bus_done && !rst;
    data_reg  <= bus_wdata;
  end

  function automatic logic [31:0] mirrored(input logic [31:0] word);
    for (int unsigned i = 0; i < 32; i++) mirrored[i] = word[31-i];
  endfunction

  wire listens = dut.listens;
  wire [8:0] count = dut.count_reg;
  always_comb begin
    if (!started_reg) assume (rst);
    assume (!(in_valid && in_broken));
    if (started_reg) begin
      assert (bus_select == run_reg);
      if (bus_select) assert (bus_address == at_reg && bus_write == op_reg[7]);
      if (asked_reg) assert (bus_select && bus_wdata == data_reg);
      if (held_reg) assert (out_valid && out_data == byte_reg);
      assert (!(bus_select && out_valid));

      // The registers are those of the request.
      assert (dut.state_reg != 3'd7);
      assert (listens == open_reg && (dut.state_reg == 3'd4) == whole_reg);
      if (open_reg || whole_reg) assert (dut.crc_reg == mirrored(sum_reg));
      if (open_reg) begin
        assert (32'(dut.patience_reg) == PATIENCE - 1 - 32'(quiet_reg) && quiet_reg < 3'(PATIENCE));
        if (dut.state_reg == 3'd1) assert (seen_reg == {1'b0, count} && count < 9'd6);
        if (dut.state_reg == 3'd2)
          assert (seen_reg == 10'd6 + {1'b0, count} && op_reg[7] && count <= {1'b0, op_reg[5:0], 2'b11});
        if (dut.state_reg == 3'd3) assert (seen_reg == size - 10'd4 + {1'b0, count} && count < 9'd4);
        if (seen_reg > 10'd2 && seen_reg < 10'd6) assert (dut.shift_reg[31:16] == at_reg[31:16] || seen_reg == 10'd3);
        if (seen_reg == 10'd3) assert (dut.shift_reg[31:24] == at_reg[31:24]);
        if (seen_reg == 10'd5) assert (dut.shift_reg[31:8] == at_reg[31:8]);
      end
      if (seen_reg > 10'd1 && (open_reg || whole_reg || run_reg)) assert (dut.op_reg == op_reg);
      if (seen_reg >= 10'd6 && (open_reg || whole_reg || run_reg)) assert (dut.address_reg == at_reg);
      if (whole_reg || run_reg) assert (seen_reg == size);
      if (run_reg) assert (dut.word_reg == word_reg && word_reg <= op_reg[5:0]);

      cover (bus_select && !bus_write && bus_done && word_reg == 6'd1);
      cover (bus_select && bus_write);
      cover (out_valid && dut.status_reg == 8'd2);
    end
  end

endmodule
