// SPDX-License-Identifier: Apache-2.0

// Four lanes that each add a constant to their words; the user signal passes.
//
// Window: the constant of each lane, 0 after reset. It holds for words that are taken afterwards.
// Resetting input queue i discards the words of lane i that have not left the node.
`default_nettype none
module adder_node (
    input wire clk,
    input wire rst,

    input  wire [15:0] bus_address,
    input  wire        bus_window,
    input  wire        bus_write,
    input  wire [31:0] bus_wdata,
    input  wire        bus_select,
    output wire        bus_done,
    output wire [31:0] bus_rdata,

    input  wire [127:0] in_data,
    input  wire [ 63:0] in_user,
    input  wire [  3:0] in_valid,
    output wire [  3:0] in_ready,
    output wire [  3:0] in_flush,

    output wire [127:0] out_data,
    output wire [ 63:0] out_user,
    output wire [  3:0] out_valid,
    input  wire [  3:0] out_ready
);

  wire write;
  wire [127:0] constants;
  wire [15:0] index_at = bus_address - datra_registers::ADDER_WINDOW_CONSTANT;
  wire hit = index_at[15:4] == '0;
  wire [1:0] index = index_at[3:2];

  node_page #(
      .TYPE(datra_registers::NODE_TYPE_FIXED),
      .INPUTS(4),
      .OUTPUTS(4)
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
      .window_rdata(hit ? constants[32*index+:32] : '0),
      .reset_queues(in_flush)
  );

  for (genvar i = 0; i < 4; i++) begin : lane
    reg [31:0] constant_reg, data_reg;
    reg [15:0] user_reg;
    reg valid_reg;

    assign constants[32*i+:32] = constant_reg;
    assign in_ready[i] = !valid_reg || out_ready[i];
    assign out_data[32*i+:32] = data_reg;
    assign out_user[16*i+:16] = user_reg;
    assign out_valid[i] = valid_reg;

    always_ff @(posedge clk) begin
      if (write && hit && index == 2'(i)) constant_reg <= bus_wdata;
      if (in_ready[i]) begin
        data_reg  <= in_data[32*i+:32] + constant_reg;
        user_reg  <= in_user[16*i+:16];
        valid_reg <= in_valid[i];
      end
      if (rst || in_flush[i]) valid_reg <= 1'b0;
      if (rst) constant_reg <= '0;
    end
  end

endmodule
`default_nettype wire
