// SPDX-License-Identifier: Apache-2.0

// A node that takes words and drops them. It has the type ICAP: partial bitstreams go here where there
// is nothing to configure.
//
// Window: words taken, any write clears it; the last word. See registers/datra.rdl.
`default_nettype none
module sink_node (
    input wire clk,
    input wire rst,

    input  wire [15:0] bus_address,
    input  wire        bus_window,
    input  wire        bus_write,
    input  wire [31:0] bus_wdata,
    input  wire        bus_select,
    output wire        bus_done,
    output wire [31:0] bus_rdata,

    input  wire [31:0] in_data,
    input  wire        in_valid,
    output wire        in_ready,
    output wire        in_flush
);

  reg [31:0] count_reg, last_reg;
  wire taken = bus_address == datra_registers::SINK_WINDOW_TAKEN;
  wire last = bus_address == datra_registers::SINK_WINDOW_LAST;
  wire [31:0] read = taken ? count_reg : last ? last_reg : '0;
  wire write;
  wire [3:0] reset_queues;

  assign in_ready = 1'b1;
  assign in_flush = reset_queues[0];

  node_page #(
      .TYPE(datra_registers::NODE_TYPE_ICAP),
      .INPUTS(1),
      .OUTPUTS(0)
  ) page (
      .clk,
      .rst,
      .bus_address,
      .bus_window,
      .bus_write,
      .bus_wdata,
      .bus_select,
      .bus_done,
      .bus_rdata,
      .write,
      .window_rdata(read),
      .reset_queues
  );

  always_ff @(posedge clk) begin
    if (in_valid) begin
      count_reg <= count_reg + 1'b1;
      last_reg  <= in_data;
    end
    if (rst || (write && taken)) count_reg <= '0;
    if (rst) last_reg <= '0;
  end

endmodule
`default_nettype wire
