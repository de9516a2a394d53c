// SPDX-License-Identifier: Apache-2.0

// From APB to the register port of one of Datra's nodes (see datra/rtl/cpu_node.sv): its page in the lower
// 4 KiB of the block, the first 4 KiB of its window above them. Combinational: the node decides how long an
// access takes. A node takes whole words; a write of less is answered with PSLVERR and does not reach it.
`default_nettype none
module apb_node (
    input  wire        psel,
    input  wire        penable,
    input  wire        pwrite,
    input  wire [15:0] paddr,
    input  wire [31:0] pwdata,
    input  wire [ 3:0] pstrb,
    output wire        pready,
    output wire [31:0] prdata,
    output wire        pslverr,

    output wire [15:0] bus_address,
    output wire        bus_window,
    output wire        bus_write,
    output wire [31:0] bus_wdata,
    output wire        bus_select,
    input  wire        bus_done,
    input  wire [31:0] bus_rdata
);

  wire wrong = paddr[15:13] != 3'd0 || (pwrite && pstrb != 4'hF);

  assign bus_address = {4'd0, paddr[11:0]};
  assign bus_window = paddr[12];
  assign bus_write = pwrite;
  assign bus_wdata = pwdata;
  assign bus_select = psel && penable && !wrong;
  assign pready = wrong || bus_done;
  assign prdata = wrong ? '0 : bus_rdata;
  assign pslverr = wrong;

endmodule
`default_nettype wire
