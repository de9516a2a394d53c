// SPDX-License-Identifier: Apache-2.0

// Cuts a stream of several words a beat into the frames that are asked for, and puts their words into
// the lanes of bus beats that they take in memory: what frame_pack does for one word a cycle, at the
// width of the bus.
//
// The words of a beat of the stream lie from lane 0 on, as `s_keep` says, and have one user signal. A
// frame ends when its length is full, or before a word whose signal differs from that of the word before
// it. `cut` ends it after the words that are here, and lets none come; it has no effect in the first cycle
// of a frame, in which `partial` is low, for it may be that of the frame before. A beat whose frame may go
// on waits until the next word is here.
//
// Words wait in a bank of RAM for each lane, four beats of the bus deep, and take the banks in turn. They
// come whether or not a frame is asked for: the first beat of a frame leaves in the cycle after the last
// of the frame before it. From the cycle in which a beat comes until it leaves it is one cycle, or two
// where the next word has to be seen.
`default_nettype none
module frame_gather #(
    parameter int unsigned DATA_W = 64,
    parameter int unsigned STREAM_W = 64,
    parameter int unsigned LEN_W = 24,
    localparam int unsigned Words = DATA_W / 32,
    localparam int unsigned InWords = STREAM_W / 32,
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

    input  wire [STREAM_W-1:0] s_data,
    input  wire [ InWords-1:0] s_keep,
    input  wire [        15:0] s_user,
    input  wire                s_valid,
    output wire                s_ready,

    output wire [DATA_W-1:0] m_data,
    output wire [ Words-1:0] m_keep,
    output wire [      15:0] m_user,
    output wire              m_last,
    output wire              m_valid,
    input  wire              m_ready
);

  if (DATA_W != 64 && DATA_W != 128) $fatal(0, "frame_gather: DATA_W %0d", DATA_W);
  if ((STREAM_W != 64 && STREAM_W != 128) || STREAM_W > DATA_W)
    $fatal(0, "frame_gather: STREAM_W %0d of DATA_W %0d", STREAM_W, DATA_W);
  if (LEN_W < 5 || LEN_W > 25) $fatal(0, "frame_gather: LEN_W %0d", LEN_W);

  localparam int unsigned LaneW = $clog2(Words);
  localparam int unsigned PlaceW = LaneW + 2;
  localparam int unsigned Places = 4 * Words;

  reg [PlaceW-1:0] write_reg, read_reg;  // of the next word in, and of the next out
  reg [PlaceW:0] level_reg;
  wire [Places-1:0] others;  // the word's signal is not that of the word before it
  reg [15:0] user_reg;  // of the last word in
  reg [LEN_W-3:0] left_reg;  // words until the frame is full
  reg [LaneW-1:0] lane_reg;  // of the next word in memory
  reg framed_reg;  // a frame is asked for
  reg fresh_reg;  // since the cycle before

  wire [LaneW-1:0] write_lane = write_reg[LaneW-1:0], read_lane = read_reg[LaneW-1:0];

  // ---- in: word j of the beat to place write + j -----------------------------------------------------

  logic [LaneW:0] come;  // words of the beat
  always_comb begin
    come = '0;
    for (int unsigned j = 0; j < InWords; j++) if (s_keep[j]) come = (LaneW + 1)'(j + 1);
  end

  assign s_ready = level_reg <= (PlaceW + 1)'(Places - InWords) && !cut && !rst;
  wire take = s_valid && s_ready;

  // ---- out: as many words as the beat has room for, up to the frame's end ----------------------------

  // A beat ends with its first word that fills it, or its frame, or that the next word is not to follow.
  logic [LaneW:0] go;
  logic more, ends;  // another word is here; the frame ends here
  always_comb begin
    go = (LaneW + 1)'(Words);
    more = 1'b0;
    ends = 1'b0;
    for (int unsigned k = Words; k > 0; k--) begin : count
      logic here, other, full;
      here  = level_reg > (PlaceW + 1)'(k);
      other = here && others[PlaceW'(read_reg+PlaceW'(k))];
      full  = left_reg == (LEN_W - 2)'(k);
      if (!here || other || full || (LaneW + 1)'(k) + (LaneW + 1)'(lane_reg) == (LaneW + 1)'(Words)) begin
        go   = (LaneW + 1)'(k);
        more = here;
        ends = full || other || (!here && cut && !fresh_reg);
      end
    end
  end

  assign m_last  = ends;
  assign m_valid = framed_reg && level_reg != '0 && (more || ends);
  assign partial = framed_reg && !fresh_reg && level_reg != '0;
  wire leave = m_valid && m_ready;

  // ---- the banks -------------------------------------------------------------------------------------

  wire [Words-1:0][47:0] banks;
  for (genvar b = 0; b < Words; b++) begin : bank
    (* ram_style = "distributed", ramstyle = "MLAB", syn_ramstyle = "distributed" *) reg [47:0] ram[4];
    reg [3:0] other_reg;
    wire [LaneW-1:0] word = LaneW'(b) - write_lane;  // of the beat that comes
    wire [PlaceW-1:0] place = write_reg + PlaceW'(word);
    wire [1:0] row = place[PlaceW-1:LaneW];
    wire write = take && (LaneW + 1)'(word) < come;
    logic [31:0] data;
    always_comb begin
      data = '0;
      for (int unsigned j = 0; j < InWords; j++) if (word == LaneW'(j)) data = s_data[32*j+:32];
    end
    always_ff @(posedge clk) begin
      if (write) begin
        ram[row] <= {s_user, data};
        other_reg[row] <= word == '0 && s_user != user_reg;
      end
    end
    for (genvar r = 0; r < 4; r++) begin : rows
      assign others[Words*r+b] = other_reg[r];
    end
    wire [LaneW-1:0] ahead = LaneW'(b) - read_lane;
    wire [PlaceW-1:0] next = read_reg + PlaceW'(ahead);
    assign banks[b] = ram[next[PlaceW-1:LaneW]];
  end

  for (genvar i = 0; i < Words; i++) begin : lane
    wire [LaneW+1:0] word = (LaneW + 2)'(i) - (LaneW + 2)'(lane_reg);  // of those that leave, or less than 0
    wire [LaneW-1:0] from = read_lane + word[LaneW-1:0];
    assign m_data[32*i+:32] = banks[from][31:0];
    assign m_keep[i] = !word[LaneW+1] && word[LaneW:0] < go;
  end
  assign m_user = banks[read_lane][47:32];

  always_ff @(posedge clk) begin
    if (take) begin
      write_reg <= write_reg + PlaceW'(come);
      user_reg  <= s_user;
    end
    if (leave) begin
      read_reg <= read_reg + PlaceW'(go);
      left_reg <= left_reg - (LEN_W - 2)'(go);
      lane_reg <= '0;
      if (m_last) framed_reg <= 1'b0;
    end
    level_reg <= level_reg + (take ? (PlaceW + 1)'(come) : '0) - (leave ? (PlaceW + 1)'(go) : '0);
    fresh_reg <= frame_valid;
    if (frame_valid) begin
      framed_reg <= 1'b1;
      left_reg   <= frame_len[LEN_W-1:2];
      lane_reg   <= LaneW'(frame_place >> 2);
    end
    if (rst) begin
      write_reg  <= '0;
      read_reg   <= '0;
      level_reg  <= '0;
      framed_reg <= 1'b0;
    end
  end

endmodule
`default_nettype wire
