// SPDX-License-Identifier: Apache-2.0

// Ethernet MAC, receiver: GMII to a stream of frames, without preamble and CRC.
//
// `tuser` with the last word says that the frame is bad: its CRC is wrong, RX_ER was seen, or it was
// shorter than 64 bytes. A frame without a byte before its CRC is dropped silently. The stream cannot be
// held up: a word comes every fourth clock at most, but for the two at a frame's end, which come in two
// clocks.
`default_nettype none
module mac_receive (
    input wire clk,
    input wire rst,

    input wire [7:0] gmii_rxd,
    input wire       gmii_rx_dv,
    input wire       gmii_rx_er,

    output wire [31:0] m_axis_tdata,
    output wire [ 3:0] m_axis_tkeep,
    output wire        m_axis_tlast,
    output wire        m_axis_tuser,
    output wire        m_axis_tvalid
);

  localparam logic [31:0] Residue = 32'hDEBB_20E3;
  localparam int unsigned Least = 64;

  localparam logic [1:0] Idle = 2'd0, Data = 2'd1, Ignore = 2'd2;

  reg [1:0] state_reg;
  reg [31:0] tail_reg;  // the last four bytes: the CRC, if none follows
  reg [2:0] tail_count_reg;
  reg [31:0] word_reg;
  reg [2:0] count_reg;  // bytes of the word
  reg [6:0] seen_reg;
  reg [31:0] crc_reg;
  reg error_reg;

  reg [31:0] data_reg;
  reg [3:0] keep_reg;
  reg last_reg, user_reg, valid_reg;
  assign m_axis_tdata  = data_reg;
  assign m_axis_tkeep  = keep_reg;
  assign m_axis_tlast  = last_reg;
  assign m_axis_tuser  = user_reg;
  assign m_axis_tvalid = valid_reg;

  wire [31:0] crc_after;
  crc32_byte check (
      .crc(crc_reg),
      .data  (gmii_rxd),
      .next(crc_after)
  );

  wire arrives = state_reg == Data && gmii_rx_dv;
  wire ends = state_reg == Data && !gmii_rx_dv;
  wire passes = arrives && tail_count_reg == 3'd4;  // the oldest of the four is the frame's
  wire full = count_reg == 3'd4;

  always_ff @(posedge clk) begin
    unique case (state_reg)
      Idle: begin
        if (gmii_rx_dv && gmii_rxd == 8'hD5) state_reg <= Data;
        else if (gmii_rx_dv && (gmii_rx_er || gmii_rxd != 8'h55)) state_reg <= Ignore;
        tail_count_reg <= 3'd0;
        count_reg <= 3'd0;
        seen_reg <= 7'd0;
        crc_reg <= '1;
        error_reg <= 1'b0;
      end
      default: if (!gmii_rx_dv) state_reg <= Idle;
    endcase

    if (arrives) begin
      tail_reg <= {gmii_rxd, tail_reg[31:8]};
      crc_reg  <= crc_after;
      if (tail_count_reg != 3'd4) tail_count_reg <= tail_count_reg + 1'b1;
      if (seen_reg != 7'(Least)) seen_reg <= seen_reg + 1'b1;
      if (gmii_rx_er) error_reg <= 1'b1;
    end
    if (passes) begin
      for (int unsigned i = 0; i < 4; i++)
        if (count_reg[1:0] == 2'(i)) word_reg[8*i+:8] <= tail_reg[7:0];
      count_reg <= full ? 3'd1 : count_reg + 1'b1;
    end

    valid_reg <= (passes && full) || (ends && count_reg != 3'd0);
    data_reg  <= word_reg;
    last_reg  <= ends;
    user_reg  <= error_reg || crc_reg != Residue || seen_reg != 7'(Least);
    unique case (count_reg)
      3'd1: keep_reg <= 4'b0001;
      3'd2: keep_reg <= 4'b0011;
      3'd3: keep_reg <= 4'b0111;
      default: keep_reg <= 4'b1111;
    endcase

    if (rst) begin
      state_reg <= Ignore;
      valid_reg <= 1'b0;
    end
  end

endmodule
`default_nettype wire
