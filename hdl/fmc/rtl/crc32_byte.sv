// SPDX-License-Identifier: Apache-2.0

// Ethernet's CRC over one more byte, lowest bit first: polynomial 0x04C11DB7, bits reversed. It begins
// with all ones, goes out complemented, lowest byte first, and is 0xDEBB20E3 over a frame with its CRC.
`default_nettype none
module crc32_byte (
    input  wire  [31:0] crc,
    input  wire  [ 7:0] data,
    output logic [31:0] next
);

  always_comb begin
    next = crc ^ {24'd0, data};
    for (int unsigned i = 0; i < 8; i++)
      next = {1'b0, next[31:1]} ^ (next[0] ? 32'hEDB8_8320 : 32'h0);
  end

endmodule
`default_nettype wire
