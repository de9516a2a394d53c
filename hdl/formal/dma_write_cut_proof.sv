// SPDX-License-Identifier: Apache-2.0

// dma_write with CUT_THROUGH, bounded: the bus rules but for pauses in a burst; any beat that is
// pushed, of the stream or to fill a burst up, leaves in its turn to the address that follows from its
// place, with its data and strobes, those of a filling one all low; a frame has one status, of its
// length; nothing is owed when it is idle, and a flush comes to that.
module dma_write_cut_proof #(
    parameter int unsigned ADDR_W = 13,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 7,
    parameter int unsigned BURST = 4
) (
    input wire              clk,
    input wire              rst,
    input wire              flush,
    input wire [ADDR_W-1:0] cmd_addr,
    input wire [ LEN_W-1:0] cmd_len,
    input wire              cmd_valid,
    input wire [DATA_W-1:0] s_data,
    input wire [       1:0] s_keep,
    input wire              s_last,
    input wire              s_valid,
    input wire              axi_awready,
    input wire              axi_wready,
    input wire [       1:0] axi_bresp,
    input wire              axi_bvalid,
    input wire              pick
);

  localparam int unsigned C = 6;

  wire idle, cmd_ready, s_ready, s_final, status_eob, status_valid;
  wire axi_awvalid, axi_wlast, axi_wvalid, axi_bready;
  wire [LEN_W-1:0] status_len;
  wire [1:0] status_error;
  wire [ADDR_W-1:0] axi_awaddr;
  wire [3:0] axi_awlen;
  wire [DATA_W-1:0] axi_wdata;
  wire [DATA_W/8-1:0] axi_wstrb;
  dma_write #(
      .ADDR_W(ADDR_W),
      .DATA_W(DATA_W),
      .LEN_W(LEN_W),
      .FIFO_DEPTH(32),
      .BURST(BURST),
      .OPEN_BURSTS(4),
      .WORD_ALIGNED(1),
      .CUT_THROUGH(1)
  ) dut (
      .clk,
      .rst,
      .flush,
      .idle,
      .cmd_addr,
      .cmd_len,
      .cmd_valid,
      .cmd_ready,
      .s_data,
      .s_keep,
      .s_last,
      .s_valid,
      .s_ready,
      .s_final,
      .status_len,
      .status_eob,
      .status_error,
      .status_valid,
      .axi_awaddr,
      .axi_awlen,
      .axi_awvalid,
      .axi_awready,
      .axi_wdata,
      .axi_wstrb,
      .axi_wlast,
      .axi_wvalid,
      .axi_wready,
      .axi_bresp,
      .axi_bvalid,
      .axi_bready
  );

  wire [C-1:0] unanswered, opened;
  wire [1:0][ADDR_W-1:0] address;
  axi_write_rules #(
      .ADDR_W (ADDR_W),
      .DATA_W (DATA_W),
      .DEPTH  (2),
      .COUNT_W(C),
      .GAPLESS(0)
  ) bus (
      .clk,
      .rst,
      .awaddr(axi_awaddr),
      .awlen(axi_awlen),
      .awvalid(axi_awvalid),
      .awready(axi_awready),
      .wdata(axi_wdata),
      .wstrb(axi_wstrb),
      .wlast(axi_wlast),
      .wvalid(axi_wvalid),
      .wready(axi_wready),
      .bvalid(axi_bvalid),
      .bready(axi_bready),
      .unanswered,
      .opened,
      .address,
      .left()
  );

  wire command = cmd_valid && cmd_ready;
  wire take = s_valid && s_ready;
  wire push = take || dut.fill;
  wire give = axi_wvalid && axi_wready;

  // The frame being taken, by the command, and its words so far.
  reg [ADDR_W-1:3] start_reg;
  reg [LEN_W:0] words_reg, total_reg;
  reg [C-1:0] beats_reg;
  reg first_reg;
  wire [1:0] lanes = s_last ? (s_keep[1] ? 2'b11 : 2'b01) : 2'b11;
  wire [1:0] begun = beats_reg == '0 && first_reg ? 2'b10 : 2'b11;
  wire [LEN_W:0] room = total_reg - words_reg;
  wire [1:0] mine = lanes & begun;
  wire [1:0] valid = room == (LEN_W + 1)'(1) ? (mine[0] ? 2'b01 : 2'b10) : mine;
  wire [LEN_W:0] after = words_reg + (LEN_W + 1)'(valid[0]) + (LEN_W + 1)'(valid[1]);
  wire ends = s_last || after == total_reg;

  reg on_reg;
  reg [C-1:0] in_reg, out_reg, number_reg;
  reg [DATA_W-1:0] data_reg;
  reg [1:0] strobe_reg;
  reg [ADDR_W-1:3] place_reg;
  reg [2:0] ended_reg, told_reg;  // frames
  reg [LEN_W:0] length_reg;  // of the first frame
  reg whole_reg;

  reg started_reg = 1'b0;
  reg flushed_reg, idle_reg, ever_reg;
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    flushed_reg <= flush;
    idle_reg <= idle;
    if (flush) ever_reg <= 1'b1;
    if (command) begin
      start_reg <= cmd_addr[ADDR_W-1:3];
      first_reg <= cmd_addr[2];
      total_reg <= (LEN_W + 1)'(cmd_len >> 2);
      words_reg <= '0;
      beats_reg <= '0;
    end else if (push) begin
      beats_reg <= beats_reg + 1'b1;
      if (take) words_reg <= after;
    end
    if (take && ends) begin
      ended_reg <= ended_reg + 1'b1;
      if (ended_reg == '0) begin
        length_reg <= after;
        whole_reg <= s_last;
      end
    end
    if (status_valid) told_reg <= told_reg + 1'b1;
    in_reg  <= in_reg + C'(push);
    out_reg <= out_reg + C'(give);
    if (push && pick && !on_reg) begin
      on_reg <= 1'b1;
      number_reg <= in_reg;
      data_reg <= s_data;
      strobe_reg <= take ? valid : 2'b00;
      place_reg <= start_reg + (ADDR_W - 3)'(beats_reg);
    end else if (give && out_reg == number_reg) on_reg <= 1'b0;
    if (flush) on_reg <= 1'b0;
    if (rst) begin
      on_reg <= 1'b0;
      in_reg <= '0;
      out_reg <= '0;
      ended_reg <= '0;
      told_reg <= '0;
      flushed_reg <= 1'b0;
      ever_reg <= 1'b0;
    end
  end

  always_comb begin
    assume (cmd_len[1:0] == 2'b00 && cmd_len != '0 && cmd_addr[1:0] == 2'b00);
    assume (rst == !started_reg);
    if (started_reg && flushed_reg && !idle_reg) assume (flush);
    if (s_valid && s_last && beats_reg == '0 && first_reg) assume (s_keep[1]);

    if (started_reg && !rst) begin
      // Beats are counted by turn: behind a flush those thrown away would be.
      if (give && !ever_reg && !flush) begin
        assert (out_reg != in_reg);
        if (on_reg && out_reg == number_reg) begin
          assert (address[0][ADDR_W-1:3] == place_reg);
          assert (axi_wstrb == {{4{strobe_reg[1]}}, {4{strobe_reg[0]}}});
          if (strobe_reg != 2'b00) assert (axi_wdata == data_reg);
        end
      end
      if (give && flush && dut.filling && in_reg == out_reg) assert (axi_wstrb == '0);
      if (status_valid && !ever_reg) begin
        assert (told_reg != ended_reg);
        if (told_reg == '0)
          assert (status_len == LEN_W'({length_reg, 2'b00}) && status_eob == whole_reg);
      end
      if (idle) assert (unanswered == '0 && (!axi_awvalid || !flush));
      if (flush && flushed_reg && unanswered == '0 && !axi_awvalid && !dut.filling) assert (idle);

      cover (give && on_reg && out_reg == number_reg && strobe_reg == 2'b00 && axi_wlast);
      cover (status_valid && status_eob && told_reg == 3'd1);
      cover (flush && give && axi_wlast && axi_wstrb == '0);
    end
  end

endmodule
