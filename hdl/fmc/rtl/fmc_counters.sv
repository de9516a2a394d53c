// SPDX-License-Identifier: Apache-2.0

// Performance counters of the memory bus and of the bridge's APB, 48 bits each. See registers/fmc.rdl.
//
// They are read from a copy, so that all are of the same clock. A snapshot that also clears counts what
// happens in its own clock into the new span: spans follow one another without a gap.
`default_nettype none
module fmc_counters (
    input wire clk,
    input wire rst,

    input wire selected,  // chip select low
    input wire starts,    // an address
    input wire reads,     // PREADY of a read at the bridge
    input wire writes,
    input wire active,    // PENABLE at the bridge

    input  wire        psel,
    input  wire        penable,
    input  wire        pwrite,
    input  wire [11:0] paddr,
    input  wire [31:0] pwdata,
    input  wire [ 3:0] pstrb,
    output wire        pready,
    output wire [31:0] prdata,
    output wire        pslverr
);

  localparam int unsigned N = 6;
  localparam int unsigned Width = 48;
  localparam logic [11:0] Low = fmc_registers::COUNTER_CYCLES[11:0];

  reg [Width*N-1:0] count_reg, copy_reg;
  wire [2*N-1:0] more = {
    {starts, 1'b0}, {1'b0, selected}, {1'b0, active}, {1'b0, writes}, {1'b0, reads}, 2'b01
  };

  wire [11:0] place = {paddr[11:2], 2'b00};
  wire [11:0] from = place - Low;
  wire [2:0] which = from[5:3];
  wire snapshot = place == fmc_registers::COUNTER_SNAPSHOT[11:0];
  wire counter = place >= Low && from < 12'(8 * N);
  wire write = psel && penable && pwrite && snapshot && pstrb[0];
  wire take = write && pwdata[fmc_registers::COUNTER_SNAPSHOT_TAKE_LOW];
  wire clear = write && pwdata[fmc_registers::COUNTER_SNAPSHOT_CLEAR_LOW];

  logic [Width-1:0] chosen;
  always_comb begin
    chosen = '0;
    for (int unsigned i = 0; i < N; i++) if (which == 3'(i)) chosen = copy_reg[Width*i+:Width];
  end

  assign pready = 1'b1;
  assign prdata = !counter ? '0 : place[2] ? 32'(chosen[Width-1:32]) : chosen[31:0];
  assign pslverr = !(counter || snapshot);

  always_ff @(posedge clk) begin
    for (int unsigned i = 0; i < N; i++)
      count_reg[Width*i+:Width] <= (clear ? '0 : count_reg[Width*i+:Width]) + Width'(more[2*i+:2]);
    if (take) copy_reg <= count_reg;
    if (rst) begin
      count_reg <= '0;
      copy_reg  <= '0;
    end
  end

endmodule
`default_nettype wire
