// SPDX-License-Identifier: Apache-2.0

// Bytes to a serial line: 8 bits, no parity, one stop bit, lowest bit first, CYCLES of the clock a bit.
//
// A byte is taken where `valid` and `ready` meet, and the next one when its stop bit has ended.
`default_nettype none
module uart_transmit #(
    parameter int unsigned CYCLES = 50
) (
    input wire clk,
    input wire rst,

    input  wire [7:0] data,
    input  wire       valid,
    output wire       ready,

    output wire txd
);

  if (CYCLES < 4 || CYCLES > 65535) $fatal(0, "uart_transmit: CYCLES %0d", CYCLES);

  localparam int unsigned CountW = $clog2(CYCLES);

  reg txd_reg;
  reg [CountW-1:0] count_reg;
  reg [3:0] left_reg;  // bits behind the one that is on the line
  reg [8:0] bits_reg;
  reg busy_reg;
  assign txd   = txd_reg;
  assign ready = !busy_reg;

  always_ff @(posedge clk) begin
    if (!busy_reg) begin
      if (valid) begin
        busy_reg <= 1'b1;
        txd_reg <= 1'b0;
        bits_reg <= {1'b1, data};
        left_reg <= 4'd9;
        count_reg <= CountW'(CYCLES - 1);
      end
    end else if (count_reg != '0) begin
      count_reg <= count_reg - 1'b1;
    end else begin
      count_reg <= CountW'(CYCLES - 1);
      left_reg  <= left_reg - 1'b1;
      txd_reg   <= bits_reg[0];
      bits_reg  <= {1'b1, bits_reg[8:1]};
      if (left_reg == '0) begin
        busy_reg <= 1'b0;
        txd_reg  <= 1'b1;
      end
    end
    if (rst) begin
      busy_reg <= 1'b0;
      txd_reg  <= 1'b1;
    end
  end

endmodule
`default_nettype wire
