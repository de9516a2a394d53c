// SPDX-License-Identifier: Apache-2.0

// A register bus to an AXI4 port: one access of one word at a time, INCR bursts of one beat.
//
// `bus_select` and what goes with it stay until `bus_done`. An answer other than OKAY is `bus_error`.
`default_nettype none
module bus_axi #(
    parameter int unsigned ADDR_W = 32
) (
    input wire clk,
    input wire rst,

    input  wire [ADDR_W-1:0] bus_address,
    input  wire              bus_write,
    input  wire [      31:0] bus_wdata,
    input  wire              bus_select,
    output wire              bus_done,
    output wire [      31:0] bus_rdata,
    output wire              bus_error,

    output wire [ADDR_W-1:0] m_axi_awaddr,
    output wire              m_axi_awvalid,
    input  wire              m_axi_awready,
    output wire [      31:0] m_axi_wdata,
    output wire              m_axi_wvalid,
    input  wire              m_axi_wready,
    input  wire [       1:0] m_axi_bresp,
    input  wire              m_axi_bvalid,
    output wire              m_axi_bready,
    output wire [ADDR_W-1:0] m_axi_araddr,
    output wire              m_axi_arvalid,
    input  wire              m_axi_arready,
    input  wire [      31:0] m_axi_rdata,
    input  wire [       1:0] m_axi_rresp,
    input  wire              m_axi_rvalid,
    output wire              m_axi_rready
);

  if (ADDR_W < 3 || ADDR_W > 64) $fatal(0, "bus_axi: ADDR_W %0d", ADDR_W);

  reg asked_reg, told_reg;  // address and data of this access have been taken

  assign m_axi_awaddr = bus_address;
  assign m_axi_awvalid = bus_select && bus_write && !asked_reg;
  assign m_axi_wdata = bus_wdata;
  assign m_axi_wvalid = bus_select && bus_write && !told_reg;
  assign m_axi_bready = 1'b1;
  assign m_axi_araddr = bus_address;
  assign m_axi_arvalid = bus_select && !bus_write && !asked_reg;
  assign m_axi_rready = 1'b1;

  assign bus_done = bus_write ? m_axi_bvalid : m_axi_rvalid;
  assign bus_rdata = m_axi_rdata;
  assign bus_error = (bus_write ? m_axi_bresp : m_axi_rresp) != 2'b00;

  always_ff @(posedge clk) begin
    if ((m_axi_awvalid && m_axi_awready) || (m_axi_arvalid && m_axi_arready)) asked_reg <= 1'b1;
    if (m_axi_wvalid && m_axi_wready) told_reg <= 1'b1;
    if (rst || bus_done) begin
      asked_reg <= 1'b0;
      told_reg  <= 1'b0;
    end
  end

endmodule
`default_nettype wire
