// SPDX-License-Identifier: Apache-2.0

// Serial line to bytes: 8 bits, no parity, one stop bit, lowest bit first, CYCLES of the clock a bit.
//
// `valid` is up for one cycle for each byte; the byte cannot be held up. `broken` is up for one cycle in
// its place where the stop bit is low; the line has to be high before the next byte is looked for. Each
// bit is taken at its middle, so that the sender's clock may differ by 4 %.
`default_nettype none
module uart_receive #(
    parameter int unsigned CYCLES = 50
) (
    input wire clk,
    input wire rst,

    input wire rxd,

    output wire [7:0] data,
    output wire       valid,
    output wire       broken
);

  if (CYCLES < 4 || CYCLES > 65535) $fatal(0, "uart_receive: CYCLES %0d", CYCLES);

  localparam int unsigned CountW = $clog2(CYCLES);
  localparam logic [CountW-1:0] Half = CountW'(CYCLES / 2 - 1);
  localparam logic [CountW-1:0] Whole = CountW'(CYCLES - 1);

  // The line is in no clock: two registers before anything looks at it.
  reg [1:0] line_reg;
  wire line = line_reg[1];

  reg busy_reg, hold_reg, valid_reg, broken_reg;
  reg [CountW-1:0] count_reg;
  reg [3:0] left_reg;  // bits, the start bit with them
  reg [7:0] data_reg;
  assign data   = data_reg;
  assign valid  = valid_reg;
  assign broken = broken_reg;

  always_ff @(posedge clk) begin
    line_reg <= {line_reg[0], rxd};
    valid_reg <= 1'b0;
    broken_reg <= 1'b0;
    if (line) hold_reg <= 1'b0;
    if (!busy_reg) begin
      if (!line && !hold_reg) begin
        busy_reg  <= 1'b1;
        count_reg <= Half;
        left_reg  <= 4'd9;
      end
    end else if (count_reg != '0) begin
      count_reg <= count_reg - 1'b1;
    end else begin
      count_reg <= Whole;
      left_reg  <= left_reg - 1'b1;
      if (left_reg == 4'd9) begin
        if (line) busy_reg <= 1'b0;  // a spike, no start bit
      end else if (left_reg != '0) begin
        data_reg <= {line, data_reg[7:1]};
      end else begin
        busy_reg <= 1'b0;
        valid_reg <= line;
        broken_reg <= !line;
        hold_reg <= !line;
      end
    end
    if (rst) begin
      line_reg <= '1;
      busy_reg <= 1'b0;
      hold_reg <= 1'b1;
      valid_reg <= 1'b0;
      broken_reg <= 1'b0;
    end
  end

endmodule
`default_nettype wire
