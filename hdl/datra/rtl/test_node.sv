// SPDX-License-Identifier: Apache-2.0

// Four lanes that each send a counting sequence and check one that arrives.
//
// Lane l sends 0, step, 2 * step, ... on output queue l, in bursts with pauses between them, and
// expects the same kind of sequence on input queue l.
//
// Window: see registers/datra.rdl. The reset of a lane stops it, begins both sequences anew and discards
// what is queued at the node's side; the error, pause, burst and steps stay.
`default_nettype none
module test_node (
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
    input  wire [  3:0] in_valid,
    output wire [  3:0] in_ready,
    output wire [  3:0] in_flush,

    output wire [127:0] out_data,
    output wire [ 63:0] out_user,
    output wire [  3:0] out_valid,
    input  wire [  3:0] out_ready
);

  wire write;
  wire [3:0] reset_queues, running, errors;
  wire [127:0] lane_read;
  reg enable_reg;

  wire common = bus_address[15:6] == '0;
  wire lanes = bus_address[15:9] == '0 && (bus_address[8] ^ |bus_address[7:6]);
  wire [1:0] lane_index = bus_address[7:6] - 2'd1;
  wire [15:0] place = {10'd0, bus_address[5:2], 2'b00};  // of common registers, or in a lane
  wire write_common = write && common;
  wire one = bus_wdata[datra_registers::TEST_WINDOW_RESET_RESET_LOW];
  wire on = bus_wdata[datra_registers::TEST_WINDOW_ENABLE_ENABLE_LOW];
  wire reset_all = write_common && place == datra_registers::TEST_WINDOW_RESET && one;

  logic [31:0] read;
  always_comb begin
    read = '0;
    // Only when it is asked for: a simulator would find its way through these for every other access.
    if (lanes && bus_select && bus_window) read = lane_read[32*lane_index+:32];
    else if (common) begin
      unique case (place)
        datra_registers::TEST_WINDOW_ENABLE: read = 32'(enable_reg);
        datra_registers::TEST_WINDOW_START: read = 32'(running);
        datra_registers::TEST_WINDOW_ERROR: read = 32'(errors);
        default: read = '0;
      endcase
    end
  end

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
      .window_rdata(read),
      .reset_queues
  );

  always_ff @(posedge clk) begin
    if (write_common && place == datra_registers::TEST_WINDOW_ENABLE) enable_reg <= on;
    if (rst) enable_reg <= 1'b0;
  end

  for (genvar l = 0; l < 4; l++) begin : lane
    reg [31:0] pause_reg, length_reg, out_step_reg, in_step_reg;
    reg [31:0] value_reg, expected_reg, sent_reg, checked_reg;
    reg [31:0] count_reg, data_reg;
    reg running_reg, pausing_reg, valid_reg, error_reg;

    wire write_lane = write && lanes && lane_index == 2'(l);
    wire begin_anew = reset_all ||
        (write_lane && place == datra_registers::TEST_WINDOW_LANE_RESET && one);
    wire send = running_reg && enable_reg && !pausing_reg && (!valid_reg || out_ready[l]);
    wire check = in_valid[l] && enable_reg;

    assign running[l] = running_reg;
    assign errors[l] = error_reg;
    assign out_data[32*l+:32] = data_reg;
    assign out_user[16*l+:16] = '0;
    assign out_valid[l] = valid_reg;
    assign in_ready[l] = enable_reg;
    assign in_flush[l] = begin_anew || reset_queues[l];

    logic [31:0] value;
    always_comb begin
      unique case (place)
        datra_registers::TEST_WINDOW_LANE_PAUSE: value = pause_reg;
        datra_registers::TEST_WINDOW_LANE_BURST: value = length_reg;
        datra_registers::TEST_WINDOW_LANE_OUT_STEP: value = out_step_reg;
        datra_registers::TEST_WINDOW_LANE_IN_STEP: value = in_step_reg;
        datra_registers::TEST_WINDOW_LANE_SENT: value = sent_reg;
        datra_registers::TEST_WINDOW_LANE_CHECKED: value = checked_reg;
        default: value = '0;
      endcase
    end
    assign lane_read[32*l+:32] = value;

    always_ff @(posedge clk) begin
      if (write_lane && place == datra_registers::TEST_WINDOW_LANE_PAUSE) pause_reg <= bus_wdata;
      if (write_lane && place == datra_registers::TEST_WINDOW_LANE_BURST) length_reg <= bus_wdata;
      if (write_lane && place == datra_registers::TEST_WINDOW_LANE_OUT_STEP)
        out_step_reg <= bus_wdata;
      if (write_lane && place == datra_registers::TEST_WINDOW_LANE_IN_STEP)
        in_step_reg <= bus_wdata;

      if (write_common && bus_wdata[l]) begin
        if (place == datra_registers::TEST_WINDOW_START && enable_reg) running_reg <= 1'b1;
        if (place == datra_registers::TEST_WINDOW_STOP) running_reg <= 1'b0;
      end
      if (write_common && place == datra_registers::TEST_WINDOW_ENABLE && !on)
        running_reg <= 1'b0;

      if (out_ready[l]) valid_reg <= 1'b0;
      if (send) begin
        data_reg  <= value_reg;
        valid_reg <= 1'b1;
        value_reg <= value_reg + out_step_reg;
        sent_reg  <= sent_reg + 1'b1;
      end
      // One counter: words of the burst, then cycles of the pause.
      if (send || pausing_reg) begin
        count_reg <= count_reg + 1'b1;
        if (count_reg >= (pausing_reg ? pause_reg : length_reg)) begin
          count_reg   <= 32'd1;
          pausing_reg <= !pausing_reg && pause_reg != '0;
        end
      end

      if (check) begin
        expected_reg <= expected_reg + in_step_reg;
        checked_reg <= checked_reg + 1'b1;
        if (in_data[32*l+:32] != expected_reg) error_reg <= 1'b1;
      end

      if (reset_all) error_reg <= 1'b0;
      if (rst || begin_anew) begin
        value_reg <= '0;
        expected_reg <= '0;
        sent_reg <= '0;
        checked_reg <= '0;
        count_reg <= 32'd1;
        running_reg <= 1'b0;
        pausing_reg <= 1'b0;
        valid_reg <= 1'b0;
      end
      if (rst) begin
        pause_reg <= '0;
        length_reg <= '0;
        out_step_reg <= 32'd1;
        in_step_reg <= 32'd1;
        error_reg <= 1'b0;
      end
    end
  end

endmodule
`default_nettype wire
