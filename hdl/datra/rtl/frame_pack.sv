// SPDX-License-Identifier: Apache-2.0

// Cuts a stream of 32-bit words into the frames that are asked for and packs them into bus beats, in
// the lanes that they take in memory.
//
// A frame ends when its length is full, or when a word comes whose user signal differs from that of
// the frame's first word; that word begins the next frame. `cut` ends it where it is, if it has a
// word. A beat therefore waits until its frame is full or the next word is there to be seen.
`default_nettype none
module frame_pack #(
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 24,
    localparam int unsigned Words = DATA_W / 32,
    localparam int unsigned Lsb = $clog2(DATA_W / 8)
) (
    input wire clk,
    input wire rst,

    // The next frame, taken when the engine takes its command: it waits for the end of the one before.
    input wire [  Lsb-1:0] frame_place,  // of its first byte in a beat
    input wire [LEN_W-1:0] frame_len,    // bytes
    input wire             frame_valid,

    input  wire cut,
    output wire partial,  // words have come and wait for more

    input  wire [31:0] s_data,
    input  wire [15:0] s_user,
    input  wire        s_valid,
    output wire        s_ready,

    output wire [DATA_W-1:0] m_data,
    output wire [ Words-1:0] m_keep,
    output wire [      15:0] m_user,
    output wire              m_last,
    output wire              m_valid,
    input  wire              m_ready
);

  if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) $fatal(0, "frame_pack: DATA_W %0d", DATA_W);
  if (LEN_W < 5 || LEN_W > 25) $fatal(0, "frame_pack: LEN_W %0d", LEN_W);

  localparam int unsigned LaneW = Words > 1 ? $clog2(Words) : 1;

  reg [DATA_W-1:0] data_reg;
  reg [Words-1:0] keep_reg;
  reg [15:0] user_reg;
  reg [LEN_W-3:0] left_reg;  // words until the frame is full
  reg [LaneW-1:0] lane_reg;  // of the next word
  reg framed_reg;  // a frame is asked for
  reg begun_reg;  // and has a word
  reg full_reg;  // no more words go into the beat

  wire held = |keep_reg;
  wire filled = left_reg == '0;
  wire differs = s_valid && begun_reg && s_user != user_reg;
  wire ends = held && (filled || differs || cut);

  assign m_data = data_reg;
  assign m_keep = keep_reg;
  assign m_user = user_reg;
  assign m_last = ends;
  assign m_valid = held && (ends || (full_reg && s_valid));
  assign partial = begun_reg;
  wire leave = m_valid && m_ready;

  // A word goes into an empty beat, one with room, or one that leaves now without ending its frame.
  assign s_ready = framed_reg && !filled && !differs && !cut && (!full_reg || !held || m_ready);
  wire take = s_valid && s_ready;

  always_ff @(posedge clk) begin
    if (leave) begin
      keep_reg <= '0;
      full_reg <= 1'b0;
      if (m_last) begin
        framed_reg <= 1'b0;
        begun_reg  <= 1'b0;
      end
    end
    if (take) begin
      data_reg[32*lane_reg+:32] <= s_data;
      keep_reg[lane_reg] <= 1'b1;
      user_reg <= s_user;
      begun_reg <= 1'b1;
      left_reg <= left_reg - 1'b1;
      lane_reg <= Words > 1 ? lane_reg + 1'b1 : '0;
      full_reg <= lane_reg == LaneW'(Words - 1);
    end
    if (frame_valid) begin
      framed_reg <= 1'b1;
      left_reg   <= frame_len[LEN_W-1:2];
      lane_reg   <= Words > 1 ? LaneW'(frame_place >> 2) : '0;
    end
    if (rst) begin
      keep_reg   <= '0;
      left_reg   <= '0;
      framed_reg <= 1'b0;
      begun_reg  <= 1'b0;
      full_reg   <= 1'b0;
    end
  end

endmodule
`default_nettype wire
