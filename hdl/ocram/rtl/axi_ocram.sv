// SPDX-License-Identifier: Apache-2.0

// On-chip RAM behind an AXI slave port, with a second port for logic beside it: the target of the
// measurements from the processor, the source and sink of those from the fabric.
//
//   - INCR bursts of up to 256 beats of the bus's width, a beat a cycle, no gap between bursts; reads
//     and writes at once take turns, for the RAM has two ports and the other belongs to the logic.
//     A byte is written where its strobe says so.
//   - Answers are OKAY; addresses wrap at BYTES. The read latency is two cycles from the address to
//     the first beat; the answer to a write comes in the cycle after its last beat.
//   - Narrow beats and WRAP or FIXED bursts are not for it: a bridge or interconnect in front of it
//     makes beats whole.
//   - The second port reads in one cycle and writes whole words. Where both ports write the same word
//     in the same cycle, which of the two stays is not defined.
`default_nettype none
module axi_ocram #(
    parameter int unsigned DATA_W = 64,
    parameter int unsigned BYTES = 65536,  // a power of two
    parameter int unsigned ID_W = 4,
    localparam int unsigned Lsb = $clog2(DATA_W / 8),
    localparam int unsigned WordW = $clog2(BYTES) - Lsb
) (
    input wire clk,
    input wire rst,

    input  wire [        ID_W-1:0] axi_awid,
    input  wire [$clog2(BYTES)-1:0] axi_awaddr,
    input  wire [             7:0] axi_awlen,
    input  wire                    axi_awvalid,
    output wire                    axi_awready,
    input  wire [      DATA_W-1:0] axi_wdata,
    input  wire [    DATA_W/8-1:0] axi_wstrb,
    input  wire                    axi_wlast,
    input  wire                    axi_wvalid,
    output wire                    axi_wready,
    output wire [        ID_W-1:0] axi_bid,
    output wire [             1:0] axi_bresp,
    output wire                    axi_bvalid,
    input  wire                    axi_bready,
    input  wire [        ID_W-1:0] axi_arid,
    input  wire [$clog2(BYTES)-1:0] axi_araddr,
    input  wire [             7:0] axi_arlen,
    input  wire                    axi_arvalid,
    output wire                    axi_arready,
    output wire [        ID_W-1:0] axi_rid,
    output wire [      DATA_W-1:0] axi_rdata,
    output wire [             1:0] axi_rresp,
    output wire                    axi_rlast,
    output wire                    axi_rvalid,
    input  wire                    axi_rready,

    input  wire [ WordW-1:0] port_word,
    input  wire              port_enable,
    input  wire              port_write,
    input  wire [DATA_W-1:0] port_wdata,
    output wire [DATA_W-1:0] port_rdata
);

  if (DATA_W < 8 || DATA_W > 1024 || DATA_W != 2 ** $clog2(DATA_W))
    $fatal(0, "axi_ocram: DATA_W %0d", DATA_W);
  if (ID_W < 1 || ID_W > 32) $fatal(0, "axi_ocram: ID_W %0d", ID_W);
  if (BYTES > 67108864 || BYTES != 2 ** $clog2(BYTES))
    $fatal(0, "axi_ocram: BYTES %0d is no power of two", BYTES);

  // ---- writing: the address, then its beats; the answer may wait beside the next burst -----------

  reg writing_reg, answering_reg;
  reg [WordW-1:0] write_word_reg;
  reg [ID_W-1:0] write_id_reg, answer_id_reg;

  wire reader_turn;
  wire write_room = !answering_reg || axi_bready;
  wire write = axi_wvalid && axi_wready;
  wire write_ends = write && axi_wlast;
  assign axi_wready  = writing_reg && (!axi_wlast || write_room) && !reader_turn;
  assign axi_awready = !writing_reg || write_ends;
  assign axi_bid     = answer_id_reg;
  assign axi_bresp   = 2'b00;
  assign axi_bvalid  = answering_reg;

  // ---- reading: one beat is asked of the RAM in a cycle in which the one before can leave ---------

  reg reading_reg, valid_reg, last_reg;
  reg [WordW-1:0] read_word_reg;
  reg [7:0] read_left_reg;
  reg [ID_W-1:0] read_id_reg, beat_id_reg;

  wire read_wanted = reading_reg && (!valid_reg || axi_rready);
  wire read = read_wanted && !write;
  reg  turn_reg;
  assign reader_turn = turn_reg && read_wanted;
  wire read_ends = read && read_left_reg == '0;
  assign axi_arready = !reading_reg || read_ends;
  assign axi_rid     = beat_id_reg;
  assign axi_rresp   = 2'b00;
  assign axi_rlast   = last_reg;
  assign axi_rvalid  = valid_reg;

  // ---- the RAM ---------------------------------------------------------------------------------

  wire [WordW-1:0] word = write ? write_word_reg : read_word_reg;
  (* ram_style = "block", syn_ramstyle = "block_ram" *) reg [DATA_W-1:0] ram[2**WordW];
  reg [DATA_W-1:0] latch_reg, port_latch_reg;
  assign axi_rdata  = latch_reg;
  assign port_rdata = port_latch_reg;

  // Two processes write a RAM with two ports, as vendors' templates have it: always_ff may not.
  always @(posedge clk) begin
    if (write)
      for (int unsigned i = 0; i < DATA_W / 8; i++)
        if (axi_wstrb[i]) ram[word][8*i+:8] <= axi_wdata[8*i+:8];
    if (read) latch_reg <= ram[word];
  end
  always @(posedge clk) begin
    if (port_enable) begin
      if (port_write) ram[port_word] <= port_wdata;
      port_latch_reg <= ram[port_word];
    end
  end

  always_ff @(posedge clk) begin
    // Whoever had the RAM while the other wanted it is second next time.
    if (write || read) turn_reg <= write;
    if (write) write_word_reg <= write_word_reg + 1'b1;
    if (write_ends) begin
      writing_reg   <= 1'b0;
      answering_reg <= 1'b1;
      answer_id_reg <= write_id_reg;
    end else if (axi_bready) begin
      answering_reg <= 1'b0;
    end
    if (axi_awvalid && axi_awready) begin
      writing_reg <= 1'b1;
      write_word_reg <= axi_awaddr[$clog2(BYTES)-1:Lsb];
      write_id_reg <= axi_awid;
    end

    if (read) begin
      read_word_reg <= read_word_reg + 1'b1;
      read_left_reg <= read_left_reg - 1'b1;
      last_reg <= read_left_reg == '0;
      beat_id_reg <= read_id_reg;
      if (read_left_reg == '0) reading_reg <= 1'b0;
    end
    valid_reg <= read || (valid_reg && !axi_rready);
    if (axi_arvalid && axi_arready) begin
      reading_reg <= 1'b1;
      read_word_reg <= axi_araddr[$clog2(BYTES)-1:Lsb];
      read_left_reg <= axi_arlen;
      read_id_reg <= axi_arid;
    end

    if (rst) begin
      writing_reg <= 1'b0;
      answering_reg <= 1'b0;
      reading_reg <= 1'b0;
      valid_reg <= 1'b0;
      turn_reg <= 1'b0;
    end
  end

endmodule
`default_nettype wire
