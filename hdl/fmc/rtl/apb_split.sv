// SPDX-License-Identifier: Apache-2.0

// One APB for N subordinates in equal blocks of addresses: combinational, nothing is kept.
//
// Only the block's own PSEL rises; the answer is looked at while upstream PENABLE is high. An address
// behind the last block, or in a block of the mask UNUSED, is answered at once with PSLVERR: nothing
// hangs that asks there. PADDR is handed on whole: a subordinate looks at the bits of its block.
`default_nettype none
module apb_split #(
    parameter int unsigned N = 2,
    parameter int unsigned ADDR_W = 16,
    parameter int unsigned BLOCK_W = 12,  // a block has 2**BLOCK_W bytes
    parameter logic [N-1:0] UNUSED = '0
) (
    input  wire [ADDR_W-1:0] paddr,
    input  wire              psel,
    input  wire              penable,
    output wire              pready,
    output wire [      31:0] prdata,
    output wire              pslverr,

    output wire [   N-1:0] down_psel,
    output wire            down_penable,
    input  wire [   N-1:0] down_pready,
    input  wire [32*N-1:0] down_prdata,
    input  wire [   N-1:0] down_pslverr
);

  localparam int unsigned NumberW = ADDR_W - BLOCK_W;

  if (ADDR_W < 2 || ADDR_W > 64) $fatal(0, "apb_split: ADDR_W %0d", ADDR_W);
  if (N < 1 || N > 1024 || BLOCK_W < 1 || BLOCK_W >= ADDR_W || N > 2 ** NumberW)
    $fatal(0, "apb_split: %0d blocks of %0d bits in %0d", N, BLOCK_W, ADDR_W);

  wire [NumberW-1:0] number = paddr[ADDR_W-1:BLOCK_W];
  // A block of its own: were it one with the answers, tools would see a loop between them.
  logic [N-1:0] mine;
  always_comb for (int unsigned i = 0; i < N; i++) mine[i] = number == NumberW'(i) && !UNUSED[i];

  logic ready, error;
  logic [31:0] data;
  always_comb begin
    ready = 1'b0;
    error = 1'b0;
    data  = '0;
    for (int unsigned i = 0; i < N; i++) begin
      if (mine[i]) begin
        ready = ready | down_pready[i];
        error = error | down_pslverr[i];
        data  = data | down_prdata[32*i+:32];
      end
    end
  end

  assign down_psel = psel ? mine : '0;
  assign down_penable = penable;
  assign pready = penable && (mine == '0 || ready);
  assign prdata = penable ? data : '0;
  assign pslverr = penable && (mine == '0 || error);

endmodule
`default_nettype wire
