// SPDX-License-Identifier: Apache-2.0

// Device information: constants of the build, and two words that software may write to try the bus.
// See registers/fmc.rdl. A write to a constant is dropped; one to an address without a register, and a
// read, is answered with PSLVERR.
`default_nettype none
module fmc_info #(
    parameter int unsigned CLOCK_HZ = 137_500_000,
    parameter logic [63:0] SERIAL = 64'h0,
    parameter int unsigned ADDRESS_BITS = 20,
    parameter bit AHEAD = 1,
    parameter bit DATRA = 0
) (
    input wire clk,
    input wire rst,

    input  wire        psel,
    input  wire        penable,
    input  wire        pwrite,
    input  wire [ 9:0] paddr,
    input  wire [31:0] pwdata,
    input  wire [ 3:0] pstrb,
    output wire        pready,
    output wire [31:0] prdata,
    output wire        pslverr
);

  if (CLOCK_HZ < 1 || CLOCK_HZ > 1000000000) $fatal(0, "fmc_info: CLOCK_HZ %0d", CLOCK_HZ);
  if (ADDRESS_BITS < 1 || ADDRESS_BITS > 64) $fatal(0, "fmc_info: ADDRESS_BITS %0d", ADDRESS_BITS);

  localparam logic [9:0] Serial = fmc_registers::INFO_SERIAL[9:0];
  localparam logic [9:0] Scratch = fmc_registers::INFO_SCRATCH[9:0];

  reg [63:0] scratch_reg;
  logic [31:0] read;
  logic known;
  wire [9:0] place = {paddr[9:2], 2'b00};

  always_comb begin
    known = 1'b1;
    unique case (place)
      fmc_registers::INFO_IDENTITY[9:0]: read = fmc_registers::INFO_IDENTITY_RESET;
      fmc_registers::INFO_VERSION[9:0]: read = fmc_registers::INFO_VERSION_RESET;
      fmc_registers::INFO_CLOCK[9:0]: read = 32'(CLOCK_HZ);
      fmc_registers::INFO_FEATURES[9:0]:
      read = 32'(ADDRESS_BITS) << fmc_registers::INFO_FEATURES_ADDRESS_BITS_LOW |
          32'(DATRA) << fmc_registers::INFO_FEATURES_DATRA_LOW |
          32'(AHEAD) << fmc_registers::INFO_FEATURES_AHEAD_LOW;
      Serial: read = SERIAL[31:0];
      Serial + 10'd4: read = SERIAL[63:32];
      Scratch: read = scratch_reg[31:0];
      Scratch + 10'd4: read = scratch_reg[63:32];
      default: begin
        read  = '0;
        known = 1'b0;
      end
    endcase
  end

  assign pready = 1'b1;
  assign prdata = read;
  assign pslverr = !known;

  wire write = psel && penable && pwrite;
  always_ff @(posedge clk) begin
    for (int unsigned i = 0; i < 4; i++) begin
      if (write && pstrb[i] && place == Scratch) scratch_reg[8*i+:8] <= pwdata[8*i+:8];
      if (write && pstrb[i] && place == Scratch + 10'd4) scratch_reg[32+8*i+:8] <= pwdata[8*i+:8];
    end
    if (rst) scratch_reg <= '0;
  end

endmodule
`default_nettype wire
