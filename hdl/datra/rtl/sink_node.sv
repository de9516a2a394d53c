// SPDX-License-Identifier: Apache-2.0

// Node that takes words and does nothing with them: where a partial bitstream goes when there is
// nothing to configure (type 7).
//
// Window: 0x00 words taken, any write clears it; 0x04 the last word.
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
  wire write;
  wire [3:0] reset_queues;

  assign in_ready = 1'b1;
  assign in_flush = reset_queues[0];

  node_page #(
      .TYPE(8'd7),
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
      .window_rdata(bus_address == 16'h0000 ? count_reg : bus_address == 16'h0004 ? last_reg : '0),
      .reset_queues
  );

  always_ff @(posedge clk) begin
    if (in_valid) begin
      count_reg <= count_reg + 1'b1;
      last_reg  <= in_data;
    end
    if (rst || (write && bus_address == 16'h0000)) count_reg <= '0;
    if (rst) last_reg <= '0;
  end

endmodule
