// SPDX-License-Identifier: Apache-2.0

// Registers on an APB: DOWN_REG in the request's way, UP_REG in the response's, each a clock longer for
// a transfer. With neither it is wires.
//
// A transfer upstream is one transfer downstream. Upstream's request stays up for a while after the
// answer downstream, by as many clocks as there are registers; until upstream's transfer has ended
// nothing is selected downstream.
`default_nettype none
module apb_slice #(
    parameter int unsigned ADDR_W = 16,
    parameter bit UP_REG = 0,
    parameter bit DOWN_REG = 1
) (
    input wire clk,
    input wire rst,

    input  wire              psel,
    input  wire              penable,
    input  wire              pwrite,
    input  wire [ADDR_W-1:0] paddr,
    input  wire [      31:0] pwdata,
    input  wire [       3:0] pstrb,
    output wire              pready,
    output wire [      31:0] prdata,
    output wire              pslverr,

    output wire              down_psel,
    output wire              down_penable,
    output wire              down_pwrite,
    output wire [ADDR_W-1:0] down_paddr,
    output wire [      31:0] down_pwdata,
    output wire [       3:0] down_pstrb,
    input  wire              down_pready,
    input  wire [      31:0] down_prdata,
    input  wire              down_pslverr
);

  if (ADDR_W < 1 || ADDR_W > 64) $fatal(0, "apb_slice: ADDR_W %0d", ADDR_W);

  wire answered = down_psel && down_penable && down_pready;
  wire done;  // downstream has answered, and upstream's transfer is not over

  generate
    if (UP_REG) begin : g_up
      reg done_reg, error_reg;
      reg [31:0] data_reg;
      assign done = done_reg;
      assign pready = done_reg;
      assign prdata = data_reg;
      assign pslverr = error_reg;
      always_ff @(posedge clk) begin
        done_reg <= answered && !rst;
        if (answered) begin
          data_reg  <= down_prdata;
          error_reg <= down_pslverr;
        end
      end
    end else begin : g_up
      assign done = 1'b0;
      assign pready = answered;
      assign prdata = down_prdata;
      assign pslverr = down_pslverr;
    end

    if (DOWN_REG) begin : g_down
      reg psel_reg, penable_reg, pwrite_reg;
      reg [ADDR_W-1:0] addr_reg;
      reg [31:0] data_reg;
      reg [ 3:0] strobe_reg;
      assign down_psel = psel_reg;
      assign down_penable = penable_reg;
      assign down_pwrite = pwrite_reg;
      assign down_paddr = addr_reg;
      assign down_pwdata = data_reg;
      assign down_pstrb = strobe_reg;
      always_ff @(posedge clk) begin
        psel_reg <= psel && !done && !answered && !rst;
        penable_reg <= psel_reg && !answered && !rst;
        if (!psel_reg) begin
          pwrite_reg <= pwrite;
          addr_reg   <= paddr;
          data_reg   <= pwdata;
          strobe_reg <= pstrb;
        end
      end
    end else begin : g_down
      assign down_psel = psel && !done;
      assign down_penable = penable && !done;
      assign down_pwrite = pwrite;
      assign down_paddr = paddr;
      assign down_pwdata = pwdata;
      assign down_pstrb = pstrb;
    end
  endgenerate

endmodule
`default_nettype wire
