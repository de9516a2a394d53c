// SPDX-License-Identifier: Apache-2.0

// axi_ocram, by induction:
//
//   - Any byte of the RAM holds what was written to it last, by a beat of a burst at its place whose
//     strobe says so, or by the second port; a beat that is read, and a word that the second port
//     reads, has what it held in the cycle before.
//   - A read burst has as many beats as it asked for, from its address on, with its ID, the last one
//     marked; what is shown stays until it is taken. A write burst ends with WLAST and has one answer,
//     with its ID. All are OKAY.
//   - One burst is open each way, and the next is taken as the last beat of the one before is. A beat is
//     read or written in every cycle in which one can be, in turn if both can.
//
// Both ports writing the same word in one cycle is excluded.
module axi_ocram_proof #(
    parameter int unsigned DATA_W = 16,
    parameter int unsigned BYTES = 16,
    parameter int unsigned ID_W = 2,
    localparam int unsigned AddrW = $clog2(BYTES),
    localparam int unsigned WordW = AddrW - 1
) (
    input wire              clk,
    input wire              rst,
    input wire [  ID_W-1:0] axi_awid,
    input wire [ AddrW-1:0] axi_awaddr,
    input wire [       7:0] axi_awlen,
    input wire              axi_awvalid,
    input wire [DATA_W-1:0] axi_wdata,
    input wire [       1:0] axi_wstrb,
    input wire              axi_wlast,
    input wire              axi_wvalid,
    input wire              axi_bready,
    input wire [  ID_W-1:0] axi_arid,
    input wire [ AddrW-1:0] axi_araddr,
    input wire [       7:0] axi_arlen,
    input wire              axi_arvalid,
    input wire              axi_rready,
    input wire [ WordW-1:0] port_word,
    input wire              port_enable,
    input wire              port_write,
    input wire [DATA_W-1:0] port_wdata,
    input wire [ AddrW-1:0] pick
);

  wire axi_awready, axi_wready, axi_bvalid, axi_arready, axi_rlast, axi_rvalid;
  wire [ID_W-1:0] axi_bid, axi_rid;
  wire [1:0] axi_bresp, axi_rresp;
  wire [DATA_W-1:0] axi_rdata, port_rdata;
  axi_ocram #(
      .DATA_W(DATA_W),
      .BYTES (BYTES),
      .ID_W  (ID_W)
  ) dut (
      .*
  );

  // ---- bursts, by the pins ---------------------------------------------------------------------------

  reg started_reg = 1'b0;
  reg w_open_reg, b_owed_reg, r_open_reg, shown_reg;
  reg [WordW-1:0] w_at_reg, r_at_reg;
  reg [ID_W-1:0] w_id_reg, b_id_reg, r_id_reg, shown_id_reg;
  reg [8:0] r_left_reg;  // beats that have not been read
  reg shown_last_reg;
  reg wrote_reg;  // the last beat was a written one

  wire may_write = w_open_reg && axi_wvalid && (!axi_wlast || !b_owed_reg || axi_bready);
  wire may_read = r_open_reg && (!shown_reg || axi_rready);
  wire writes = may_write && !(may_read && wrote_reg);
  wire reads = may_read && !writes;

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    if (writes || reads) wrote_reg <= writes;

    if (axi_bready) b_owed_reg <= 1'b0;
    if (writes) w_at_reg <= w_at_reg + 1'b1;
    if (writes && axi_wlast) begin
      w_open_reg <= 1'b0;
      b_owed_reg <= 1'b1;
      b_id_reg   <= w_id_reg;
    end
    if (axi_awvalid && (!w_open_reg || (writes && axi_wlast))) begin
      w_open_reg <= 1'b1;
      w_at_reg <= axi_awaddr[AddrW-1:1];
      w_id_reg <= axi_awid;
    end

    if (axi_rready) shown_reg <= 1'b0;
    if (reads) begin
      shown_reg <= 1'b1;
      shown_id_reg <= r_id_reg;
      shown_last_reg <= r_left_reg == 9'd1;
      r_at_reg <= r_at_reg + 1'b1;
      r_left_reg <= r_left_reg - 1'b1;
      if (r_left_reg == 9'd1) r_open_reg <= 1'b0;
    end
    if (axi_arvalid && (!r_open_reg || (reads && r_left_reg == 9'd1))) begin
      r_open_reg <= 1'b1;
      r_at_reg   <= axi_araddr[AddrW-1:1];
      r_left_reg <= 9'(axi_arlen) + 1'b1;
      r_id_reg   <= axi_arid;
    end

    if (rst) begin
      w_open_reg <= 1'b0;
      b_owed_reg <= 1'b0;
      r_open_reg <= 1'b0;
      shown_reg  <= 1'b0;
      wrote_reg  <= 1'b0;
    end
  end

  // ---- a picked byte ---------------------------------------------------------------------------------

  reg [AddrW-1:0] pick_reg;
  reg known_reg;  // it has been written
  reg [7:0] byte_reg;
  reg read_reg, port_read_reg;  // it is shown, by either port
  reg [7:0] read_byte_reg, port_byte_reg;
  wire [WordW-1:0] word = pick[AddrW-1:1];
  wire lane = pick[0];
  wire [DATA_W-1:0] held = dut.ram[word];
  always_ff @(posedge clk) begin
    pick_reg <= pick;
    if (writes && w_at_reg == word && axi_wstrb[lane]) begin
      known_reg <= 1'b1;
      byte_reg  <= axi_wdata[8*lane+:8];
    end
    if (port_enable && port_write && port_word == word) begin
      known_reg <= 1'b1;
      byte_reg  <= port_wdata[8*lane+:8];
    end
    if (reads) begin
      read_reg <= known_reg && r_at_reg == word;
      read_byte_reg <= byte_reg;
    end
    if (port_enable) begin
      port_read_reg <= known_reg && port_word == word && !port_write;
      port_byte_reg <= byte_reg;
    end
    if (!started_reg) begin
      known_reg <= 1'b0;
      read_reg <= 1'b0;
      port_read_reg <= 1'b0;
    end
  end

  always_comb begin
    if (!started_reg) assume (rst);
    if (started_reg) assume (pick == pick_reg);
    assume (!(writes && port_enable && port_write && port_word == w_at_reg));
    if (started_reg) begin
      assert (axi_awready == (!w_open_reg || (writes && axi_wlast)));
      assert ((axi_wvalid && axi_wready) == writes);
      assert (axi_bvalid == b_owed_reg && axi_bresp == 2'b00);
      if (b_owed_reg) assert (axi_bid == b_id_reg);
      assert (axi_arready == (!r_open_reg || (reads && r_left_reg == 9'd1)));
      assert (axi_rvalid == shown_reg && axi_rresp == 2'b00);
      if (shown_reg) assert (axi_rid == shown_id_reg && axi_rlast == shown_last_reg);

      if (shown_reg && read_reg) assert (axi_rdata[8*lane+:8] == read_byte_reg);
      if (port_read_reg) assert (port_rdata[8*lane+:8] == port_byte_reg);
      if (known_reg) assert (held[8*lane+:8] == byte_reg);

      // The registers are those of the pins' history.
      assert (dut.turn_reg == wrote_reg);
      assert (dut.writing_reg == w_open_reg && dut.reading_reg == r_open_reg);
      if (w_open_reg) assert (dut.write_word_reg == w_at_reg && dut.write_id_reg == w_id_reg);
      if (r_open_reg) begin
        assert (dut.read_word_reg == r_at_reg && dut.read_id_reg == r_id_reg);
        assert (r_left_reg == 9'(dut.read_left_reg) + 1'b1);
      end

      cover (shown_reg && read_reg && shown_last_reg && axi_rid == 2'd2 && b_owed_reg);
      cover (port_read_reg && may_read && may_write);
    end
  end

endmodule
