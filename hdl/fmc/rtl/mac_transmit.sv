// SPDX-License-Identifier: Apache-2.0

// Ethernet MAC, transmitter: a stream of frames to GMII, a byte a clock.
//
// It sends seven bytes 0x55 and 0xD5, the frame, zeros up to 60 bytes, the CRC, and GAP idle clocks. A
// stream that pauses inside a frame makes the MAC send TX_ER with the next byte and give the frame up: it
// takes the rest of the frame and drops it.
`default_nettype none
module mac_transmit #(
    parameter int unsigned GAP = 12
) (
    input wire clk,
    input wire rst,

    input  wire [31:0] s_axis_tdata,
    input  wire [ 3:0] s_axis_tkeep,
    input  wire        s_axis_tlast,
    input  wire        s_axis_tvalid,
    output wire        s_axis_tready,

    output wire [7:0] gmii_txd,
    output wire       gmii_tx_en,
    output wire       gmii_tx_er
);

  localparam int unsigned Least = 60;
  localparam int unsigned GapW = $clog2(GAP + 1);

  if (GAP < 1 || GAP > 255) $fatal(0, "mac_transmit: GAP %0d", GAP);

  localparam logic [2:0] Idle = 3'd0, Preamble = 3'd1, Data = 3'd2, Pad = 3'd3, Check = 3'd4;
  localparam logic [2:0] Pause = 3'd5, Drop = 3'd6;

  reg [2:0] state_reg, state_next;
  reg [2:0] step_reg, step_next;  // of the preamble or the CRC
  reg [1:0] lane_reg, lane_next;
  reg [5:0] sent_reg, sent_next;  // bytes, as far as the least length asks
  reg [GapW-1:0] gap_reg, gap_next;
  reg [31:0] crc_reg, crc_next;
  reg [7:0] txd_reg, txd_next;
  reg en_reg, en_next, er_reg, er_next;

  wire last_lane = lane_reg == 2'd3 || (s_axis_tlast && !s_axis_tkeep[lane_reg+2'd1]);
  wire [7:0] data = state_reg == Data ? s_axis_tdata[8*lane_reg+:8] : 8'd0;
  wire [31:0] crc_after;
  crc32_byte check (
      .crc(crc_reg),
      .data,
      .next(crc_after)
  );

  assign s_axis_tready = (state_reg == Data && last_lane) || state_reg == Drop;

  always_comb begin
    state_next = state_reg;
    step_next = step_reg;
    lane_next = lane_reg;
    sent_next = sent_reg;
    gap_next = gap_reg;
    crc_next = crc_reg;
    txd_next = 8'd0;
    en_next = 1'b0;
    er_next = 1'b0;

    unique case (state_reg)
      Idle: begin
        step_next = 3'd0;
        lane_next = 2'd0;
        sent_next = 6'd0;
        crc_next  = '1;
        if (s_axis_tvalid) state_next = Preamble;
      end
      Preamble: begin
        en_next   = 1'b1;
        txd_next  = step_reg == 3'd7 ? 8'hD5 : 8'h55;
        step_next = step_reg + 1'b1;
        if (step_reg == 3'd7) state_next = Data;
      end
      Data: begin
        en_next = 1'b1;
        if (s_axis_tvalid) begin
          txd_next  = data;
          crc_next  = crc_after;
          lane_next = last_lane ? 2'd0 : lane_reg + 1'b1;
          if (sent_reg != 6'(Least)) sent_next = sent_reg + 1'b1;
          if (last_lane && s_axis_tlast) state_next = sent_next == 6'(Least) ? Check : Pad;
        end else begin
          er_next = 1'b1;
          state_next = Drop;
        end
      end
      Pad: begin
        en_next   = 1'b1;
        crc_next  = crc_after;
        sent_next = sent_reg + 1'b1;
        if (sent_next == 6'(Least)) state_next = Check;
      end
      Check: begin
        en_next   = 1'b1;
        txd_next  = ~crc_reg[7:0];
        crc_next  = {8'd0, crc_reg[31:8]};
        step_next = step_reg + 1'b1;
        gap_next  = GapW'(GAP - 1);
        if (step_reg == 3'd3) state_next = Pause;
      end
      Pause: begin
        gap_next = gap_reg - 1'b1;
        // The clock in which it sees the next frame is of the gap, too.
        if (gap_reg <= GapW'(1)) state_next = Idle;
      end
      default: begin
        gap_next = GapW'(GAP - 1);
        if (s_axis_tvalid && s_axis_tlast) state_next = Pause;
      end
    endcase
  end

  assign gmii_txd   = txd_reg;
  assign gmii_tx_en = en_reg;
  assign gmii_tx_er = er_reg;

  always_ff @(posedge clk) begin
    state_reg <= state_next;
    step_reg <= step_next;
    lane_reg <= lane_next;
    sent_reg <= sent_next;
    gap_reg <= gap_next;
    crc_reg <= crc_next;
    txd_reg <= txd_next;
    en_reg <= en_next;
    er_reg <= er_next;
    if (rst) begin
      state_reg <= Idle;
      en_reg <= 1'b0;
      er_reg <= 1'b0;
    end
  end

endmodule
`default_nettype wire
