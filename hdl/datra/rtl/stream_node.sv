// SPDX-License-Identifier: Apache-2.0

// Node between the fabric and AXI-Stream, one stream each way.
//
// A block is the words of one user signal in the fabric, and what ends with TLAST in AXI-Stream.
//
//   - To AXI-Stream (m_axis): words are packed into beats, lowest lane first. TUSER is the signal, and
//     TLAST marks the word before a change of it. Whether a word is the last is known when the next one
//     is there: a beat is held until then, or until one of the two rules of the window ends the block.
//   - From AXI-Stream (s_axis): the words of a beat up to the highest with a byte in TKEEP. The signal
//     is TUSER, with the bits of `mark` inverted in every other block, so that the end of a block is
//     seen although TUSER stays the same.
//
// Window: words of a block at most, cycles without a word that end a block, and the mark (0: TLAST is not
// looked at). See registers/datra.rdl.
//
// Resetting the input queue discards the beat that is held, not one that is offered already.
// With ASYNC the streams have their own clock, and `axis_rst` must be active together with `rst`.
`default_nettype none
module stream_node #(
    parameter int unsigned DATA_W = 64,  // of the streams, a multiple of 32
    parameter bit ASYNC = 1'b0,
    localparam int unsigned Words = DATA_W / 32
) (
    input wire clk,
    input wire rst,

    input  wire [15:0] bus_address,
    input  wire        bus_window,
    input  wire        bus_write,
    input  wire [31:0] bus_wdata,
    input  wire        bus_select,
    output wire        bus_done,
    output wire [31:0] bus_rdata,

    input  wire [31:0] in_data,
    input  wire [15:0] in_user,
    input  wire        in_valid,
    output wire        in_ready,
    output wire        in_flush,

    output wire [31:0] out_data,
    output wire [15:0] out_user,
    output wire        out_valid,
    input  wire        out_ready,

    input wire axis_clk,  // without ASYNC: not used
    input wire axis_rst,

    output wire [  DATA_W-1:0] m_axis_tdata,
    output wire [DATA_W/8-1:0] m_axis_tkeep,
    output wire [        15:0] m_axis_tuser,
    output wire                m_axis_tlast,
    output wire                m_axis_tvalid,
    input  wire                m_axis_tready,

    input  wire [  DATA_W-1:0] s_axis_tdata,
    input  wire [DATA_W/8-1:0] s_axis_tkeep,
    input  wire [        15:0] s_axis_tuser,
    input  wire                s_axis_tlast,
    input  wire                s_axis_tvalid,
    output wire                s_axis_tready
);

  localparam int unsigned FillW = $clog2(Words + 1);
  localparam int unsigned BeatW = DATA_W + Words + 16 + 1;  // data, valid words, signal, last

  if (DATA_W < 32 || DATA_W > 1024 || DATA_W % 32 != 0) $fatal(0, "stream_node: DATA_W %0d", DATA_W);

  // ---- page and window -----------------------------------------------------------------------------

  wire write;
  wire [3:0] reset_queues;
  reg [31:0] limit_reg, timeout_reg;
  reg [15:0] mark_reg;
  assign in_flush = reset_queues[0];

  logic [31:0] read;
  always_comb begin
    unique case (bus_address)
      datra_registers::STREAM_WINDOW_LIMIT: read = limit_reg;
      datra_registers::STREAM_WINDOW_TIMEOUT: read = timeout_reg;
      datra_registers::STREAM_WINDOW_MARK: read = 32'(mark_reg);
      default:  read = '0;
    endcase
  end

  node_page #(
      .TYPE(datra_registers::NODE_TYPE_IO),
      .INPUTS(1),
      .OUTPUTS(1)
  ) page (
      .clk,
      .rst,
      .bus_address,
      .bus_window,
      .bus_write,
      .bus_wdata,
      .bus_select,
      .bus_done,
      .bus_rdata,
      .write,
      .window_rdata(read),
      .reset_queues
  );

  // ---- to AXI-Stream -------------------------------------------------------------------------------

  reg [DATA_W-1:0] beat_reg;
  reg [15:0] user_reg;
  reg [FillW-1:0] fill_reg;  // words in the beat that is held
  reg [31:0] count_reg;  // of the block
  reg [31:0] idle_reg;
  reg complete_reg;  // the block has as many words as it may

  wire packed_ready;
  wire differs = in_valid && in_user != user_reg;
  wire tired = timeout_reg != '0 && idle_reg >= timeout_reg;
  wire full = fill_reg == FillW'(Words);
  wire ends = complete_reg || differs || tired;
  wire packed_valid = fill_reg != '0 && (ends || (full && in_valid)) && !in_flush;
  wire give = packed_valid && packed_ready;
  assign in_ready = fill_reg == '0 || give || !(full || complete_reg || in_user != user_reg);
  wire take = in_valid && in_ready;
  wire [31:0] count_next = fill_reg == '0 || (give && ends) ? 32'd1 : count_reg + 1'b1;

  wire [Words-1:0] packed_words;
  for (genvar i = 0; i < Words; i++) begin : words
    assign packed_words[i] = i < fill_reg;
  end

  // A beat goes when the next word is there or its block ends: `fill_reg` is 0 only between blocks.
  wire [FillW-1:0] lane = give ? '0 : fill_reg;

  always_ff @(posedge clk) begin
    if (take) begin
      beat_reg[32*lane+:32] <= in_data;
      user_reg <= in_user;
      count_reg <= count_next;
      complete_reg <= limit_reg != '0 && count_next >= limit_reg;
    end
    fill_reg <= lane + FillW'(take);
    idle_reg <= take || fill_reg == '0 ? '0 : idle_reg + 32'(!(&idle_reg));
    if (write && bus_address == datra_registers::STREAM_WINDOW_LIMIT) limit_reg <= bus_wdata;
    if (write && bus_address == datra_registers::STREAM_WINDOW_TIMEOUT) timeout_reg <= bus_wdata;
    if (write && bus_address == datra_registers::STREAM_WINDOW_MARK) mark_reg <= bus_wdata[15:0];
    if (rst || in_flush) begin
      fill_reg <= '0;
      complete_reg <= 1'b0;
    end
    if (rst) begin
      idle_reg <= '0;
      limit_reg <= '0;
      timeout_reg <= '0;
      mark_reg <= datra_registers::STREAM_WINDOW_MARK_RESET[15:0];
    end
  end

  // ---- from AXI-Stream -----------------------------------------------------------------------------

  wire [DATA_W-1:0] arrived_data;
  wire [Words-1:0] arrived_words;
  wire [15:0] arrived_user;
  wire arrived_last, arrived_valid, arrived_ready;

  reg [DATA_W-1:0] rest_reg;
  reg [FillW-1:0] rest_count_reg;
  reg [15:0] rest_user_reg;
  reg odd_reg;
  assign out_data = rest_reg[31:0];
  assign out_user = rest_user_reg;
  assign out_valid = rest_count_reg != '0;
  assign arrived_ready = rest_count_reg == '0 || (rest_count_reg == FillW'(1) && out_ready);

  logic [FillW-1:0] arrived_count;
  always_comb begin
    arrived_count = '0;
    for (int unsigned i = 0; i < Words; i++) if (arrived_words[i]) arrived_count = FillW'(i + 1);
  end

  always_ff @(posedge clk) begin
    if (out_valid && out_ready) begin
      rest_reg <= rest_reg >> 32;
      rest_count_reg <= rest_count_reg - 1'b1;
    end
    if (arrived_valid && arrived_ready) begin
      rest_reg <= arrived_data;
      rest_count_reg <= arrived_count;
      rest_user_reg <= arrived_user ^ (odd_reg ? mark_reg : 16'd0);
      odd_reg <= odd_reg ^ arrived_last;
    end
    if (rst) begin
      rest_count_reg <= '0;
      odd_reg <= 1'b0;
    end
  end

  // ---- the streams' side ---------------------------------------------------------------------------

  wire [Words-1:0] s_words, m_words;
  for (genvar i = 0; i < Words; i++) begin : keep
    assign s_words[i] = s_axis_tkeep[4*i+:4] != '0;
    assign m_axis_tkeep[4*i+:4] = {4{m_words[i]}};
  end

  wire [BeatW-1:0] given = {ends, user_reg, packed_words, beat_reg};
  wire [BeatW-1:0] m_beat;
  assign {m_axis_tlast, m_axis_tuser, m_words, m_axis_tdata} = m_beat;
  wire [BeatW-1:0] s_beat = {s_axis_tlast, s_axis_tuser, s_words, s_axis_tdata};

  if (ASYNC) begin : crossing
    fifo_async #(
        .WIDTH(BeatW)
    ) to_axis (
        .in_clk(clk),
        .in_rst(rst),
        .in_data(given),
        .in_valid(packed_valid),
        .in_ready(packed_ready),
        .out_clk(axis_clk),
        .out_rst(axis_rst),
        .out_data(m_beat),
        .out_valid(m_axis_tvalid),
        .out_ready(m_axis_tready)
    );
    fifo_async #(
        .WIDTH(BeatW)
    ) from_axis (
        .in_clk(axis_clk),
        .in_rst(axis_rst),
        .in_data(s_beat),
        .in_valid(s_axis_tvalid),
        .in_ready(s_axis_tready),
        .out_clk(clk),
        .out_rst(rst),
        .out_data({arrived_last, arrived_user, arrived_words, arrived_data}),
        .out_valid(arrived_valid),
        .out_ready(arrived_ready)
    );
  end else begin : direct
    // A register: what is offered must stay, although what is held may end by a reset.
    reg [BeatW-1:0] offer_reg;
    reg offered_reg;
    assign packed_ready = !offered_reg || m_axis_tready;
    assign m_beat = offer_reg;
    assign m_axis_tvalid = offered_reg;
    always_ff @(posedge clk) begin
      if (packed_ready) begin
        offer_reg   <= given;
        offered_reg <= packed_valid;
      end
      if (rst) offered_reg <= 1'b0;
    end
    assign {arrived_last, arrived_user, arrived_words, arrived_data} = s_beat;
    assign arrived_valid = s_axis_tvalid;
    assign s_axis_tready = arrived_ready;
  end

endmodule
`default_nettype wire
