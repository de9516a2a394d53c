// SPDX-License-Identifier: Apache-2.0

// Page of a node without registers of its own, and the answer to the bus for its window.
//
// See registers/datra.rdl. A reset of queues is done when the write is. The node has no interrupt: mask
// and status read 0, as all else does.
//
// Every access takes two cycles. `write` marks the cycle in which a write to the window has its effect;
// `window_rdata` answers bus_address of the same cycle.
`default_nettype none
module node_page #(
    parameter logic [ 7:0] TYPE = datra_registers::NODE_TYPE_FIXED,
    parameter logic [15:0] REVISION = 16'h0101,
    parameter int unsigned INPUTS = 1,
    parameter int unsigned OUTPUTS = 1
) (
    input wire clk,
    input wire rst,

    input  wire [15:0] bus_address,
    input  wire        bus_window,
    input  wire        bus_write,
    input  wire [31:0] bus_wdata,
    input  wire        bus_select,
    output wire        bus_done,
    output wire [31:0] bus_rdata,

    output wire        write,
    input  wire [31:0] window_rdata,
    output wire [ 3:0] reset_queues
);

  if (INPUTS > 4) $fatal(0, "node_page: INPUTS %0d", INPUTS);
  if (OUTPUTS > 4) $fatal(0, "node_page: OUTPUTS %0d", OUTPUTS);

  reg done_reg;
  reg [31:0] rdata_reg;
  wire effect = bus_select && !done_reg;

  assign bus_done = done_reg;
  assign bus_rdata = rdata_reg;
  assign write = effect && bus_window && bus_write;
  wire [15:0] place = {5'd0, bus_address[10:2], 2'b00};
  assign reset_queues =
      effect && !bus_window && bus_write && place == datra_registers::NODE_RESET_QUEUES
      ? bus_wdata[3:0] & 4'(~(5'h1F << INPUTS)) : '0;

  logic [31:0] read;
  always_comb begin
    unique case (place)
      datra_registers::NODE_TYPE: read = 32'(TYPE) << datra_registers::NODE_TYPE_KIND_LOW;
      datra_registers::NODE_VERSION:
        read = {datra_registers::NODE_VERSION_RESET[31:24], TYPE, REVISION};
      datra_registers::NODE_QUEUES:
      read = 32'(INPUTS) << datra_registers::NODE_QUEUES_INPUTS_LOW |
          32'(OUTPUTS) << datra_registers::NODE_QUEUES_OUTPUTS_LOW;
      default: read = '0;
    endcase
  end

  always_ff @(posedge clk) begin
    done_reg  <= effect;
    rdata_reg <= bus_window ? window_rdata : read;
    if (rst) done_reg <= 1'b0;
  end

endmodule
`default_nettype wire
