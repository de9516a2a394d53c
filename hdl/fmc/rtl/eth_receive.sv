// SPDX-License-Identifier: Apache-2.0

// Ethernet receive FIFO: frames of a stream, for software to read in any order. See registers/fmc.rdl.
//
// The stream is never held up. A frame is dropped as a whole, and counted, if it finds no room, if it is
// longer than LONGEST, if a word before its last is not whole, or if its last word comes with `tuser`.
// Words are read in APB's setup clock, so that a read takes no longer than that of a register.
`default_nettype none
module eth_receive #(
    parameter int unsigned WORDS = 2048,  // a power of two
    parameter int unsigned FRAMES = 32,  // a power of two
    parameter int unsigned LONGEST = 1514  // bytes
) (
    input wire clk,
    input wire rst,

    input wire [31:0] s_axis_tdata,
    input wire [ 3:0] s_axis_tkeep,
    input wire        s_axis_tlast,
    input wire        s_axis_tuser,   // with the last word: the frame is bad
    input wire        s_axis_tvalid,

    input  wire        psel,
    input  wire        penable,
    input  wire        pwrite,
    input  wire [11:0] paddr,
    output wire        pready,
    output wire [31:0] prdata,
    output wire        pslverr,

    output wire ready  // a frame is here
);

  localparam int unsigned PtrW = $clog2(WORDS);
  localparam int unsigned FrameW = $clog2(FRAMES);
  localparam int unsigned LenW = fmc_registers::RECEIVE_LENGTH_BYTES_WIDTH;
  localparam int unsigned Window = 32'(fmc_registers::RECEIVE_FRAME_BYTES);

  if (WORDS < 4 || WORDS > 32768 || WORDS != 2 ** PtrW) $fatal(0, "eth_receive: WORDS %0d", WORDS);
  if (FRAMES < 2 || FRAMES > 128 || FRAMES != 2 ** FrameW)
    $fatal(0, "eth_receive: FRAMES %0d", FRAMES);
  if (LONGEST < 4 || LONGEST > 2044) $fatal(0, "eth_receive: LONGEST %0d", LONGEST);

  // ---- frames are stored -----------------------------------------------------------------------------

  // Words from read_reg to base_reg are of frames that are here, those from there to write_reg of the
  // one that is coming.
  reg [PtrW:0] write_reg, base_reg, read_reg;
  reg [FrameW:0] frames_reg;
  reg [LenW-1:0] bytes_reg;  // stored of the frame that is coming, without the word that is
  reg bad_reg;

  wire [PtrW:0] used = write_reg - read_reg;
  wire [LenW-1:0] bytes = bytes_reg + LenW'(s_axis_tkeep[0]) + LenW'(s_axis_tkeep[1]) +
      LenW'(s_axis_tkeep[2]) + LenW'(s_axis_tkeep[3]);
  // Only a frame's last word may be less than whole: a length then says how many words there are.
  wire gap = s_axis_tlast ? s_axis_tkeep == 4'd0 : s_axis_tkeep != 4'hF;
  wire misfit = bad_reg || used[PtrW] || gap || bytes > LenW'(LONGEST);
  wire put = s_axis_tvalid && !misfit;
  wire ends = s_axis_tvalid && s_axis_tlast;
  wire good = ends && !misfit && !s_axis_tuser && !frames_reg[FrameW];

  logic [31:0] word;  // with zeros for what is not of the frame
  always_comb
    for (int unsigned i = 0; i < 4; i++)
      word[8*i+:8] = s_axis_tkeep[i] ? s_axis_tdata[8*i+:8] : 8'd0;

  (* ram_style = "block", syn_ramstyle = "block_ram" *) reg [31:0] ram[WORDS];
  reg [31:0] latch_reg;
  wire [PtrW-1:0] look;
  always_ff @(posedge clk) begin
    if (put) ram[write_reg[PtrW-1:0]] <= word;
    latch_reg <= ram[look];
  end

  wire [31:0] dropped;
  saturating_counter drops (
      .clk,
      .clear(rst),
      .count(ends && !good),
      .value(dropped)
  );

  wire pop;
  always_ff @(posedge clk) begin
    if (put) begin
      write_reg <= write_reg + 1'b1;
      bytes_reg <= bytes;
    end
    if (s_axis_tvalid) bad_reg <= misfit;
    if (ends) begin
      bytes_reg <= '0;
      bad_reg   <= 1'b0;
      if (good) base_reg <= write_reg + 1'b1;
      else write_reg <= base_reg;
    end
    frames_reg <= frames_reg + (FrameW + 1)'(good) - (FrameW + 1)'(pop);
    if (rst) begin
      write_reg <= '0;
      base_reg <= '0;
      frames_reg <= '0;
      bytes_reg <= '0;
      bad_reg <= 1'b0;
    end
  end

  // ---- and read --------------------------------------------------------------------------------------

  wire [LenW-1:0] head;
  wire none;
  fifo_table #(
      .WIDTH(LenW),
      .DEPTH(FRAMES)
  ) lengths (
      .clk,
      .rst,
      .push(good),
      .in_data(bytes),
      .full(),
      .pop,
      .out_data(head),
      .empty(none)
  );

  wire [LenW-1:0] length = none ? '0 : head;
  wire [LenW-2:0] words = (LenW - 1)'((length + LenW'(3)) >> 2);
  wire [11:0] place = {paddr[11:2], 2'b00};
  wire in_frame = place < 12'(Window);
  wire is_pop = place == fmc_registers::RECEIVE_POP[11:0];
  wire access = psel && penable;
  assign pop   = access && pwrite && is_pop && !none;
  assign look  = read_reg[PtrW-1:0] + PtrW'(paddr[11:2]);
  assign ready = !none;

  // As it was when the word was read: a frame whose last word came in that clock is not there yet.
  reg [LenW-2:0] words_reg;
  always_ff @(posedge clk) words_reg <= words;

  logic [31:0] read;
  logic known;
  always_comb begin
    known = 1'b1;
    unique case (place)
      fmc_registers::RECEIVE_USED[11:0]:
      read = 32'(frames_reg) << fmc_registers::RECEIVE_USED_FRAMES_LOW | 32'(used);
      fmc_registers::RECEIVE_DROPPED[11:0]: read = dropped;
      fmc_registers::RECEIVE_LENGTH[11:0]: read = 32'(length);
      default: begin
        read  = in_frame && 12'(words_reg) > 12'(paddr[11:2]) ? latch_reg : '0;
        known = in_frame;
      end
    endcase
  end

  assign pready = 1'b1;
  assign prdata = read;
  assign pslverr = pwrite ? !is_pop : !known;

  always_ff @(posedge clk) begin
    if (pop) read_reg <= read_reg + (PtrW + 1)'(words);
    if (rst) read_reg <= '0;
  end

endmodule
`default_nettype wire
