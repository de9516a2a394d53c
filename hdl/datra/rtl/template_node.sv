// SPDX-License-Identifier: Apache-2.0

// The least that a node is: copy it, give it your name, and put your core where it says so.
//
// One stream in, one out. The core here inverts the bits of `mask` in each word and counts the words.
// Window: mask, 0 after reset; words that have left, any write clears it. See registers/datra.rdl.
//
// What the fabric asks of a node:
//   - A word moves in a cycle with valid and ready. `out_valid` and the word stay until it is taken;
//     neither waits for ready. `in_ready` may be anything in any cycle.
//   - The user signal of a word is that of what it was made of; a change of it is the end of a block.
//   - Resetting the input queue (`in_flush`, a cycle long) discards all that is in the node.
//   - An access to the window takes two cycles, which node_page sees to: `write` marks the one in which
//     it has its effect, and `window_rdata` answers bus_address.
// In datra.sv: a number of queues in `Inputs` and `Outputs`, an instance, and its entries of the vectors.
`default_nettype none
module template_node (
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
    input  wire [15:0] in_user,
    input  wire        in_valid,
    output wire        in_ready,
    output wire        in_flush,

    output wire [31:0] out_data,
    output wire [15:0] out_user,
    output wire        out_valid,
    input  wire        out_ready
);

  wire write;
  wire [3:0] reset_queues;
  reg [31:0] mask_reg, count_reg;
  wire mask = bus_address == datra_registers::TEMPLATE_WINDOW_MASK;
  wire count = bus_address == datra_registers::TEMPLATE_WINDOW_COUNT;
  assign in_flush = reset_queues[0];

  node_page #(
      .TYPE(datra_registers::NODE_TYPE_FIXED),  // or REPLACEABLE
      .REVISION(16'h0101),
      .INPUTS(1),
      .OUTPUTS(1)
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
      .window_rdata(mask ? mask_reg : count ? count_reg : '0),
      .reset_queues
  );

  // ---- your core: from in_* to out_* -----------------------------------------------------------

  reg [31:0] data_reg;
  reg [15:0] user_reg;
  reg valid_reg;
  assign in_ready  = !valid_reg || out_ready;
  assign out_data  = data_reg;
  assign out_user  = user_reg;
  assign out_valid = valid_reg;

  always_ff @(posedge clk) begin
    if (in_ready) begin
      data_reg  <= in_data ^ mask_reg;
      user_reg  <= in_user;
      valid_reg <= in_valid;
    end
    if (out_valid && out_ready) count_reg <= count_reg + 1'b1;
    if (write && mask) mask_reg <= bus_wdata;
    if (write && count) count_reg <= '0;
    if (rst || in_flush) valid_reg <= 1'b0;
    if (rst) begin
      mask_reg  <= '0;
      count_reg <= '0;
    end
  end

endmodule
`default_nettype wire
