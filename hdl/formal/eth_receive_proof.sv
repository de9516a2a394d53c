// SPDX-License-Identifier: Apache-2.0

// eth_receive, by induction, over any stream and any accesses of an APB:
//
//   - A frame that fits is there with its last word; what does not fit, is too long, has a gap or is bad is
//     not, and is counted. Frames come in order.
//   - For a frame that the solver picks: its length is what its lanes add up to, and each of its words,
//     whichever the solver likes, is read at its place as it came, with zeros in the lanes that it has not.
//     Behind its end, and where there is no frame, zeros are read.
//   - POP takes the oldest frame and no other.
module eth_receive_proof #(
    parameter int unsigned WORDS = 4,
    parameter int unsigned FRAMES = 2,
    parameter int unsigned LONGEST = 12
) (
    input wire        clk,
    input wire        rst,
    input wire        pick,
    input wire [ 1:0] which,          // word of the frame
    input wire [31:0] s_axis_tdata,
    input wire [ 3:0] s_axis_tkeep,
    input wire        s_axis_tlast,
    input wire        s_axis_tuser,
    input wire        s_axis_tvalid,
    input wire        psel,
    input wire        penable,
    input wire        pwrite,
    input wire [11:0] paddr
);

  localparam int unsigned LenW = 11;
  localparam int unsigned PtrW = $clog2(WORDS);

  wire pready, pslverr, ready;
  wire [31:0] prdata;
  eth_receive #(
      .WORDS(WORDS),
      .FRAMES(FRAMES),
      .LONGEST(LONGEST)
  ) dut (
      .*
  );

  function automatic logic [PtrW:0] words(input logic [LenW-1:0] bytes);
    words = (PtrW + 1)'((bytes + LenW'(3)) >> 2);
  endfunction

  // ---- the frame that comes --------------------------------------------------------------------------

  reg started_reg = 1'b0;
  reg [1:0] which_reg;
  reg [2:0] count_reg;  // whole words of it
  reg lost_reg;
  reg [31:0] word_reg, dropped_reg;
  wire room = (PtrW + 1)'(dut.write_reg - dut.read_reg) != (PtrW + 1)'(WORDS);
  wire [2:0] lanes = 3'(s_axis_tkeep[0]) + 3'(s_axis_tkeep[1]) + 3'(s_axis_tkeep[2]) + 3'(s_axis_tkeep[3]);
  wire [LenW-1:0] length = LenW'(4 * count_reg) + LenW'(lanes);
  wire fits = !lost_reg && room && length <= LenW'(LONGEST) &&
      (s_axis_tlast ? lanes != 3'd0 : lanes == 3'd4);
  wire comes = s_axis_tvalid && s_axis_tlast && fits && !s_axis_tuser && dut.frames_reg != 2'(FRAMES);
  wire goes = s_axis_tvalid && s_axis_tlast && !comes;
  logic [31:0] masked;
  always_comb
    for (int unsigned i = 0; i < 4; i++)
      masked[8*i+:8] = s_axis_tkeep[i] ? s_axis_tdata[8*i+:8] : 8'd0;
  wire [31:0] followed_word = count_reg == 3'(which_reg) ? masked : word_reg;

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    which_reg   <= started_reg ? which_reg : which;
    if (s_axis_tvalid) begin
      if (fits && count_reg == 3'(which_reg)) word_reg <= masked;
      if (fits) count_reg <= count_reg + 1'b1;
      else lost_reg <= 1'b1;
      if (s_axis_tlast) begin
        count_reg <= '0;
        lost_reg  <= 1'b0;
      end
    end
    if (goes && dropped_reg != '1) dropped_reg <= dropped_reg + 1'b1;
    if (rst) begin
      count_reg   <= '0;
      lost_reg    <= 1'b0;
      dropped_reg <= '0;
    end
  end

  // ---- the picked frame, and how it is read ----------------------------------------------------------

  reg followed_reg;
  reg [1:0] queue_reg;  // frames before it
  reg [LenW-1:0] frame_reg;
  reg [31:0] data_reg;
  reg [PtrW:0] start_reg;
  reg psel_reg, penable_reg, pwrite_reg, first_reg, empty_reg;
  reg [11:0] paddr_reg;
  wire pop = psel && penable && pwrite && paddr[11:2] == 10'h3F0 && ready;
  wire takes = comes && pick && !followed_reg;
  wire first_here = followed_reg && queue_reg == '0;

  always_ff @(posedge clk) begin
    psel_reg <= psel && !rst;
    penable_reg <= penable;
    pwrite_reg <= pwrite;
    paddr_reg <= paddr;
    first_reg <= first_here && !pop && !rst;  // before this clock, and still
    empty_reg <= !ready;
    if (pop && followed_reg) begin
      if (queue_reg == '0) followed_reg <= 1'b0;
      queue_reg <= queue_reg - 1'b1;
    end
    if (takes) begin
      followed_reg <= 1'b1;
      queue_reg <= 2'(dut.frames_reg) - 2'(pop);
      frame_reg <= length;
      data_reg <= followed_word;
      start_reg <= dut.base_reg;
    end
    if (rst) followed_reg <= 1'b0;
  end

  wire [0:0] head = dut.lengths.read_reg[0:0];
  wire [0:0] behind = head + 1'b1;
  wire [LenW-1:0] first = dut.lengths.ram[head], second = dut.lengths.ram[behind];
  wire [7:0] waiting = (dut.frames_reg > 2'd0 ? 8'(words(first)) : '0) +
      (dut.frames_reg > 2'd1 ? 8'(words(second)) : '0);
  wire [PtrW:0] place = start_reg + (PtrW + 1)'(which_reg);
  wire reads = psel && penable && !pwrite;
  wire exists = LenW'(4 * which_reg) < frame_reg;

  always_comb begin
    if (!started_reg) assume (rst);
    // An APB: the second clock of a transfer is as the first.
    assume (penable == (psel_reg && !penable_reg));
    if (penable) assume (psel && pwrite == pwrite_reg && paddr == paddr_reg);
    if (started_reg) begin
      assert (pready && dut.good == comes && dut.dropped == dropped_reg);
      assert (dut.pop == pop && ready == (dut.frames_reg != '0));

      // What comes.
      assert (dut.bad_reg == lost_reg && count_reg <= 3'd3);
      assert (dut.bytes_reg == LenW'(4 * count_reg));
      assert ((PtrW + 1)'(dut.write_reg - dut.base_reg) == (PtrW + 1)'(count_reg));
      assert ((PtrW + 1)'(dut.write_reg - dut.read_reg) <= (PtrW + 1)'(WORDS));
      assert ((PtrW + 1)'(dut.base_reg - dut.read_reg) <= (PtrW + 1)'(dut.write_reg - dut.read_reg));
      if (count_reg > 3'(which_reg))
        assert (dut.ram[PtrW'(dut.base_reg + (PtrW + 1)'(which_reg))] == word_reg);

      // What is here.
      assert (2'(dut.lengths.write_reg - dut.lengths.read_reg) == dut.frames_reg);
      assert (dut.frames_reg <= 2'(FRAMES));
      if (dut.frames_reg > 2'd0) assert (first != '0 && first <= LenW'(LONGEST));
      if (dut.frames_reg > 2'd1) assert (second != '0 && second <= LenW'(LONGEST));
      assert (8'((PtrW + 1)'(dut.base_reg - dut.read_reg)) == waiting);
      if (followed_reg) begin
        assert (queue_reg < dut.frames_reg && frame_reg != '0 && frame_reg <= LenW'(LONGEST));
        assert ((queue_reg == 2'd0 ? first : second) == frame_reg);
        assert (start_reg == dut.read_reg + (queue_reg == 2'd0 ? '0 : words(first)));
        if (exists) assert (dut.ram[place[PtrW-1:0]] == data_reg);
      end

      // How it is read.
      if (reads && first_reg && paddr[11:2] == 10'(which_reg))
        assert (prdata == (exists ? data_reg : '0) && !pslverr);
      if (reads && first_here && paddr[11:2] == 10'h3F8) assert (prdata == 32'(frame_reg));
      if (reads && first_reg && paddr[11:2] >= 10'd3 && paddr[11:2] < 10'h3F0) assert (prdata == '0);
      if (reads && empty_reg && paddr[11:2] < 10'h3F0) assert (prdata == '0);
      if (reads && !ready && paddr[11:2] == 10'h3F8) assert (prdata == '0);
      if (reads && paddr[11:2] == 10'h3F2)
        assert (prdata == {14'd0, dut.frames_reg, 16'((PtrW + 1)'(dut.write_reg - dut.read_reg))});
      if (reads && paddr[11:2] == 10'h3F4) assert (prdata == dropped_reg);
      if (reads && paddr[11:2] >= 10'h3F0)
        assert (pslverr == (paddr[11:2] != 10'h3F2 && paddr[11:2] != 10'h3F4 && paddr[11:2] != 10'h3F8));
      if (psel && penable && pwrite) assert (pslverr == (paddr[11:2] != 10'h3F0));
      cover (reads && first_reg && paddr[11:2] == 10'd2 && which_reg == 2'd2 && frame_reg == 11'd10);
    end
    if (started_reg && first_reg) assert (first_here);
    if (started_reg && first_reg && psel_reg && paddr_reg[11:2] == 10'(which_reg) && exists)
      assert (dut.latch_reg == data_reg);
    if (started_reg && first_reg) assert (dut.words_reg == 10'(words(frame_reg)));
    if (started_reg && empty_reg) assert (dut.words_reg == '0);
  end

endmodule
