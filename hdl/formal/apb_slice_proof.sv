// SPDX-License-Identifier: Apache-2.0

// apb_slice, by induction, for each of the four settings (P2):
//
//   - A transfer upstream is one transfer downstream, with its address, direction, data and strobes, and
//     its answer is what comes back: nothing is asked twice, and nothing without being asked.
//   - Downstream is an APB: a request stands from PSEL to PREADY, PENABLE rises in its second clock; in
//     the clock behind PREADY both are low, unless the slice is wires and upstream's next one is there.
//   - Downstream's first clock is DOWN_REG clocks behind upstream's, the answer UP_REG clocks behind
//     downstream's.
module apb_slice_proof #(
    parameter int unsigned ADDR_W = 4,
    parameter bit UP_REG = 0,
    parameter bit DOWN_REG = 1
) (
    input wire              clk,
    input wire              rst,
    input wire              psel,
    input wire              penable,
    input wire              pwrite,
    input wire [ADDR_W-1:0] paddr,
    input wire [      31:0] pwdata,
    input wire [       3:0] pstrb,
    input wire              down_pready,
    input wire [      31:0] down_prdata,
    input wire              down_pslverr
);

  wire pready, pslverr, down_psel, down_penable, down_pwrite;
  wire [31:0] prdata, down_pwdata;
  wire [ADDR_W-1:0] down_paddr;
  wire [3:0] down_pstrb;
  apb_slice #(
      .ADDR_W  (ADDR_W),
      .UP_REG  (UP_REG),
      .DOWN_REG(DOWN_REG)
  ) dut (
      .*
  );

  wire [ADDR_W+36:0] request = {pwrite, paddr, pwdata, pstrb};
  wire [ADDR_W+36:0] down_request = {down_pwrite, down_paddr, down_pwdata, down_pstrb};
  wire ends = psel && penable && pready;
  wire down_ends = down_psel && down_penable && down_pready;

  reg started_reg = 1'b0;
  reg open_reg, down_open_reg, down_over_reg;  // a transfer is going on; downstream's is over
  reg [1:0] asked_reg, since_reg;  // transfers downstream for the one upstream; clocks of upstream's
  reg psel_reg, answered_reg, was_reg;
  reg [ADDR_W+36:0] request_reg, down_request_reg;
  reg [32:0] answer_reg;
  wire fresh = down_psel && !down_open_reg;  // downstream's first clock

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    was_reg <= rst;
    open_reg <= psel && !ends && !rst;
    down_open_reg <= down_psel && !down_ends && !rst;
    down_over_reg <= down_ends && !rst;
    asked_reg <= rst || ends ? 2'd0 : asked_reg + 2'(fresh);
    since_reg <= rst || ends || !psel ? 2'd0 : since_reg == 2'd3 ? 2'd3 : since_reg + 1'b1;
    request_reg <= request;
    down_request_reg <= down_request;
    answered_reg <= !rst && !ends && (answered_reg || down_ends);
    if (down_ends) answer_reg <= {down_pslverr, down_prdata};
  end

  always_comb begin
    if (!started_reg) assume (rst);
    // Upstream is an APB.
    assume (!penable || psel);
    assume (penable == open_reg);
    if (open_reg) assume (psel && request == request_reg);
    if (started_reg) begin
      assert (!down_penable || down_psel);
      if (!was_reg) assert (down_penable == down_open_reg);
      if (down_open_reg) assert (down_psel && down_request == down_request_reg);
      if (down_over_reg && (UP_REG || DOWN_REG)) assert (!down_psel && !down_penable);

      if (down_psel) assert (psel && down_request == request);
      if (fresh) assert (asked_reg == 2'd0 && since_reg == 2'(DOWN_REG));
      assert (down_open_reg == (asked_reg == 2'd1 && !answered_reg));
      assert (asked_reg <= 2'd1 && (!answered_reg || asked_reg == 2'd1));
      if (ends)
        assert ({pslverr, prdata} == (UP_REG ? answer_reg : {down_pslverr, down_prdata}));
      assert (pready == (UP_REG ? answered_reg : down_ends));
      if (answered_reg) assert (UP_REG && open_reg);
      if (asked_reg != 2'd0) assert (open_reg && since_reg >= 2'd1);
      if (open_reg) assert (since_reg != 2'd0);
      else assert (since_reg == 2'd0);
      if (open_reg && since_reg > 2'(DOWN_REG)) assert (asked_reg == 2'd1);
      if (open_reg && since_reg == 2'd1 && DOWN_REG) assert (asked_reg == 2'd0 && down_psel);
      cover (ends && pwrite && since_reg == 2'd3);
    end
  end

  generate
    if (UP_REG) begin : g_up
      always_comb if (started_reg && !was_reg) assert (dut.g_up.done_reg == answered_reg &&
          (!answered_reg || {dut.g_up.error_reg, dut.g_up.data_reg} == answer_reg));
    end
    if (DOWN_REG) begin : g_down
      always_comb
        if (started_reg && !was_reg) assert (dut.g_down.penable_reg == down_open_reg);
    end
  endgenerate

endmodule
