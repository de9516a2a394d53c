// SPDX-License-Identifier: Apache-2.0

// apb_split, of all its inputs (P9): at most the one block that the address is in is selected, its answer
// is upstream's and no other's; where there is no block, PENABLE is answered in its own clock, with an
// error. Nothing is answered without PENABLE.
module apb_split_proof #(
    parameter int unsigned N = 5,
    parameter int unsigned ADDR_W = 8,
    parameter int unsigned BLOCK_W = 5,
    parameter logic [N-1:0] UNUSED = 5'b01000
) (
    input wire [ADDR_W-1:0] paddr,
    input wire              psel,
    input wire              penable,
    input wire [     N-1:0] down_pready,
    input wire [  32*N-1:0] down_prdata,
    input wire [     N-1:0] down_pslverr
);

  wire pready, pslverr, down_penable;
  wire [ 31:0] prdata;
  wire [N-1:0] down_psel;
  apb_split #(
      .N(N),
      .ADDR_W(ADDR_W),
      .BLOCK_W(BLOCK_W),
      .UNUSED(UNUSED)
  ) dut (
      .*
  );

  always_comb begin
    assert (down_penable == penable);
    for (int unsigned i = 0; i < 2 ** (ADDR_W - BLOCK_W); i++)
      if (paddr >> BLOCK_W == ADDR_W'(i)) begin
        if (i >= N || UNUSED[i%N]) begin
          assert (down_psel == '0);
          if (penable) assert (pready && pslverr && prdata == '0);
        end else begin
          assert (down_psel == N'(psel) << i);
          if (penable)
            assert ({pready, pslverr, prdata} ==
                    {down_pready[i%N], down_pslverr[i%N], down_prdata[32*(i%N)+:32]});
        end
      end
    if (!penable) assert (!pready && !pslverr && prdata == '0);
  end

endmodule
