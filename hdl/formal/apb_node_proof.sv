// SPDX-License-Identifier: Apache-2.0

// apb_node, of all its inputs: a whole word of the two blocks is one access of the node, as long as the node
// takes and with its answer; anything else is answered at once with an error, and the node does not see it.
module apb_node_proof (
    input wire        psel,
    input wire        penable,
    input wire        pwrite,
    input wire [15:0] paddr,
    input wire [31:0] pwdata,
    input wire [ 3:0] pstrb,
    input wire        bus_done,
    input wire [31:0] bus_rdata
);

  wire pready, pslverr, bus_window, bus_write, bus_select;
  wire [31:0] prdata, bus_wdata;
  wire [15:0] bus_address;
  apb_node dut (.*);

  wire whole = paddr < 16'h2000 && (!pwrite || &pstrb);

  always_comb begin
    assert (bus_select == (psel && penable && whole));
    if (psel && penable) begin
      assert (pready == (bus_done || !whole) && pslverr == !whole);
      if (whole) begin
        assert (bus_window == (paddr >= 16'h1000) && bus_address == paddr % 16'h1000);
        assert (bus_write == pwrite && bus_wdata == pwdata && prdata == bus_rdata);
      end else assert (prdata == '0);
    end
  end

endmodule
