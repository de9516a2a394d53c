// SPDX-License-Identifier: Apache-2.0

// Ethernet transmit FIFO: frames that software writes in words, out as a stream. See registers/fmc.rdl.
//
// The stream sees a frame only once software has committed it, so a slow writer cannot make it run dry.
// A frame lies in whole words. Its length is what was stored, which is never more than LENGTH says nor
// than was written: no byte of an earlier frame goes out with it. A LENGTH of more than LONGEST is
// refused. Every access is answered within PATIENCE + 1 clocks.
`default_nettype none
module eth_transmit #(
    parameter int unsigned WORDS = 1024,  // a power of two
    parameter int unsigned FRAMES = 32,  // a power of two
    parameter int unsigned LONGEST = 1518,  // bytes of a frame
    parameter int unsigned PATIENCE = 8191
) (
    input wire clk,
    input wire rst,
    input wire link,

    input  wire        psel,
    input  wire        penable,
    input  wire        pwrite,
    input  wire [11:0] paddr,
    input  wire [31:0] pwdata,
    input  wire [ 3:0] pstrb,
    output wire        pready,
    output wire [31:0] prdata,
    output wire        pslverr,

    output wire [31:0] m_axis_tdata,
    output wire [ 3:0] m_axis_tkeep,
    output wire        m_axis_tlast,
    output wire        m_axis_tvalid,
    input  wire        m_axis_tready
);

  localparam int unsigned PtrW = $clog2(WORDS);
  localparam int unsigned FrameW = $clog2(FRAMES);
  localparam int unsigned WaitW = $clog2(PATIENCE + 1);
  localparam int unsigned LenW = fmc_registers::TRANSMIT_LENGTH_BYTES_WIDTH;

  if (PATIENCE < 1 || PATIENCE > 1048575) $fatal(0, "eth_transmit: PATIENCE %0d", PATIENCE);
  if (4 * WORDS < LONGEST || WORDS > 32768 || WORDS != 2 ** PtrW)
    $fatal(0, "eth_transmit: WORDS %0d", WORDS);
  if (LONGEST < 4 || LONGEST >= 2 ** LenW) $fatal(0, "eth_transmit: LONGEST %0d", LONGEST);
  if (FRAMES < 2 || FRAMES > 128 || FRAMES != 2 ** FrameW)
    $fatal(0, "eth_transmit: FRAMES %0d", FRAMES);

  // Words from read_reg to base_reg are of committed frames, those from there to write_reg of the one
  // that is being written.
  reg [PtrW:0] write_reg, base_reg, read_reg;
  reg [FrameW:0] frames_reg;
  reg [LenW-1:0] length_reg, stored_reg;
  reg spoiled_reg;  // a word of the frame found no room
  reg [WaitW-1:0] wait_reg;

  // ---- what is asked ---------------------------------------------------------------------------------

  wire access = psel && penable;
  wire write = access && pwrite;
  wire [11:0] place = {paddr[11:2], 2'b00};
  wire is_commit = place == fmc_registers::TRANSMIT_COMMIT[11:0];
  wire is_length = place == fmc_registers::TRANSMIT_LENGTH[11:0];
  wire is_data = place == fmc_registers::TRANSMIT_TX_WORD[11:0] ||
      place >= fmc_registers::TRANSMIT_TX_BUF[11:0];

  wire [PtrW:0] used = write_reg - read_reg;
  wire full = used[PtrW];
  wire late = wait_reg == WaitW'(PATIENCE);
  wire store = write && is_data && &pstrb && !spoiled_reg && stored_reg < length_reg;
  wire send = write && is_commit && !spoiled_reg && stored_reg != '0;
  wire stuck = (store && full) || (send && frames_reg[FrameW]);
  wire put = store && !full;
  wire commit = send && !frames_reg[FrameW];

  wire [31:0] dropped;
  logic [31:0] read;
  logic known;
  always_comb begin
    known = 1'b1;
    unique case (place)
      fmc_registers::TRANSMIT_STAT[11:0]: read = 32'(link);
      fmc_registers::TRANSMIT_USED[11:0]:
      read = 32'(frames_reg) << fmc_registers::TRANSMIT_USED_FRAMES_LOW | 32'(used);
      fmc_registers::TRANSMIT_SPACE[11:0]:
      read = (32'(FRAMES) - 32'(frames_reg)) << fmc_registers::TRANSMIT_SPACE_FRAMES_LOW |
          (32'(WORDS) - 32'(used));
      fmc_registers::TRANSMIT_DROPPED[11:0]: read = dropped;
      default: begin
        read  = '0;
        known = 1'b0;
      end
    endcase
  end

  wire [LenW-1:0] asked = {
    pstrb[1] ? pwdata[LenW-1:8] : length_reg[LenW-1:8], pstrb[0] ? pwdata[7:0] : length_reg[7:0]
  };
  wire beyond = (pstrb[1] && pwdata[15:LenW] != '0) || (pstrb[2] && pwdata[23:16] != '0) ||
      (pstrb[3] && pwdata[31:24] != '0);
  wire refused = beyond || asked > LenW'(LONGEST);

  assign pready = !stuck || late;
  assign prdata = read;
  assign pslverr = pwrite ? (stuck && late) || !(is_data ? &pstrb : is_commit || (is_length && !refused)) :
      !known;

  // ---- frames are stored -----------------------------------------------------------------------------

  (* ram_style = "block", syn_ramstyle = "block_ram" *) reg [31:0] ram[WORDS];
  reg [31:0] latch_reg;
  wire fetch;
  always_ff @(posedge clk) begin
    if (put) ram[write_reg[PtrW-1:0]] <= pwdata;
    if (fetch) latch_reg <= ram[read_reg[PtrW-1:0]];
  end

  wire [LenW-1:0] left_of = length_reg - stored_reg;
  wire drop = stuck && late;
  wire forget = write && is_length;
  saturating_counter drops (
      .clk,
      .clear(rst),
      .count(drop),
      .value(dropped)
  );

  always_ff @(posedge clk) begin
    wait_reg <= stuck && !late ? wait_reg + 1'b1 : '0;
    if (put) begin
      write_reg  <= write_reg + 1'b1;
      stored_reg <= left_of > LenW'(4) ? stored_reg + LenW'(4) : length_reg;
    end
    if (drop) begin
      spoiled_reg <= 1'b1;
      write_reg   <= base_reg;
      stored_reg  <= '0;
    end
    if (commit) base_reg <= write_reg;
    if (write && is_commit && pready) begin
      spoiled_reg <= 1'b0;
      stored_reg  <= '0;
      length_reg  <= '0;
    end
    if (forget) begin
      spoiled_reg <= 1'b0;
      stored_reg  <= '0;
      write_reg   <= base_reg;
      length_reg  <= refused ? '0 : asked;
    end
    if (rst) begin
      write_reg <= '0;
      base_reg <= '0;
      length_reg <= '0;
      stored_reg <= '0;
      spoiled_reg <= 1'b0;
      wait_reg <= '0;
    end
  end

  // ---- and go out ------------------------------------------------------------------------------------

  wire [LenW-1:0] next_length;
  wire none;
  wire begins;
  fifo_table #(
      .WIDTH(LenW),
      .DEPTH(FRAMES)
  ) lengths (
      .clk,
      .rst,
      .push(commit),
      .in_data(stored_reg),
      .full(),
      .pop(begins),
      .out_data(next_length),
      .empty(none)
  );

  reg [LenW-1:0] left_reg;  // bytes of the frame that are not fetched
  reg valid_reg, last_reg;
  reg [3:0] keep_reg;
  assign begins = left_reg == '0 && !none;
  assign fetch = left_reg != '0 && (!valid_reg || m_axis_tready);
  assign m_axis_tdata = latch_reg;
  assign m_axis_tkeep = keep_reg;
  assign m_axis_tlast = last_reg;
  assign m_axis_tvalid = valid_reg;

  always_ff @(posedge clk) begin
    frames_reg <= frames_reg + (FrameW + 1)'(commit) - (FrameW + 1)'(begins);
    if (begins) left_reg <= next_length;
    if (fetch) begin
      read_reg <= read_reg + 1'b1;
      left_reg <= left_reg > LenW'(4) ? left_reg - LenW'(4) : '0;
      last_reg <= left_reg <= LenW'(4);
      unique case (left_reg)
        LenW'(1): keep_reg <= 4'b0001;
        LenW'(2): keep_reg <= 4'b0011;
        LenW'(3): keep_reg <= 4'b0111;
        default: keep_reg <= 4'b1111;
      endcase
    end
    valid_reg <= fetch || (valid_reg && !m_axis_tready);
    if (rst) begin
      frames_reg <= '0;
      left_reg <= '0;
      read_reg <= '0;
      valid_reg <= 1'b0;
    end
  end

endmodule
`default_nettype wire
