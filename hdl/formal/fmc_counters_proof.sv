// SPDX-License-Identifier: Apache-2.0

// fmc_counters, by induction: each counter, whichever the solver likes, is the sum of its events since
// the last clear, whose own clock counts; a read gives what it was at the last snapshot, low and high half.
module fmc_counters_proof (
    input wire        clk,
    input wire        rst,
    input wire        selected,
    input wire        starts,
    input wire        reads,
    input wire        writes,
    input wire        active,
    input wire [ 2:0] which,
    input wire        psel,
    input wire        penable,
    input wire        pwrite,
    input wire [11:0] paddr,
    input wire [31:0] pwdata,
    input wire [ 3:0] pstrb
);

  wire pready, pslverr;
  wire [31:0] prdata;
  fmc_counters dut (.*);

  reg started_reg = 1'b0;
  reg [2:0] which_reg;
  reg [47:0] sum_reg, kept_reg;
  wire hit = psel && penable && pwrite && paddr[11:2] == 10'd0 && pstrb[0];
  logic [1:0] more;
  always_comb begin
    more = 2'd0;
    if (which_reg == 3'd0) more = 2'd1;
    if (which_reg == 3'd1 && reads) more = 2'd1;
    if (which_reg == 3'd2 && writes) more = 2'd1;
    if (which_reg == 3'd3 && active) more = 2'd1;
    if (which_reg == 3'd4 && selected) more = 2'd1;
    if (which_reg == 3'd5 && starts) more = 2'd2;
  end

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    which_reg   <= started_reg ? which_reg : which;
    sum_reg <= (hit && pwdata[1] ? 48'd0 : sum_reg) + 48'(more);
    if (hit && pwdata[0]) kept_reg <= sum_reg;
    if (rst) begin
      sum_reg  <= '0;
      kept_reg <= '0;
    end
  end

  always_comb begin
    if (!started_reg) assume (rst && which < 3'd6);
    if (started_reg) begin
      assert (which_reg < 3'd6 && pready);
      assert (dut.count_reg[48*which_reg+:48] == sum_reg);
      assert (dut.copy_reg[48*which_reg+:48] == kept_reg);
      if (paddr[11:2] == 10'(4 + 2 * which_reg)) assert (prdata == kept_reg[31:0] && !pslverr);
      if (paddr[11:2] == 10'(5 + 2 * which_reg)) assert (prdata == 32'(kept_reg[47:32]) && !pslverr);
      if (paddr[11:2] < 10'd4 || paddr[11:2] > 10'd15)
        assert (prdata == '0 && pslverr == (paddr[11:2] != 10'd0));
      cover (kept_reg == 48'd6 && sum_reg == 48'd2 && which_reg == 3'd5);
    end
  end

endmodule
