// SPDX-License-Identifier: Apache-2.0

// The rings of one direction: descriptors in memory become commands for an engine, the ends of its
// frames become statuses in memory. Software pays one register write to say how far it has filled
// the descriptor ring, and none with `cyclic`.
//
// A status, 8 bytes:
//   word 0  [21:0] length in words  [22] end of block  [24:23] error, as RRESP or BRESP
//           [26] turns with each round of the ring     [31:27] sequence number
//   word 1  [15:0] user signal      [31:16] time stamp
// With REALIGN a length is in bytes: bits 25 and 27 are its bits 0 and 1, the number has [31:28].
//
// A frame is begun only when its status has a place. A descriptor that asks for what the engine
// cannot do stops the ring before it: `fault` stays until `enable` falls, frames before it finish. A ring
// that does not start at a multiple of its size is a fault as long as it is enabled, and does nothing; both
// addresses and `mask` are there a cycle before `enable`.
`default_nettype none
module dma_ring #(
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 24,
    parameter bit WORD_ALIGNED = 1'b1,
    parameter bit REALIGN = 1'b0,
    parameter int unsigned INDEX_W = 16,
    parameter int unsigned BURST = 16,
    parameter int unsigned FRAMES = 32,  // whose descriptors are fetched ahead
    parameter int unsigned STATUS_BURSTS = 1,  // open at a time
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4
) (
    input wire clk,
    input wire rst,

    input  wire               enable,
    output wire               idle,
    output wire               fault,
    input  wire               cyclic,
    input  wire [ ADDR_W-1:0] descriptor_base,
    input  wire [ ADDR_W-1:0] status_base,
    input  wire [INDEX_W-1:0] mask,             // entries - 1, of both rings
    input  wire [INDEX_W-1:0] tail,
    output wire [INDEX_W-1:0] written,          // statuses that memory holds
    input  wire [       15:0] patience,         // of statuses for others, in cycles
    input  wire [       15:0] now,              // for the time stamp

    output wire [ADDR_W-1:0] go_addr,
    output wire [ LEN_W-1:0] go_len,
    output wire [      15:0] go_user,
    output wire              go_valid,
    input  wire              go_ready,

    input wire        done,
    input wire [LEN_W-1:0] done_len,
    input wire [15:0] done_user,
    input wire        done_eob,
    input wire [ 1:0] done_error,

    output wire [  ADDR_W-1:0] axi_araddr,
    output wire [  BurstW-1:0] axi_arlen,
    output wire                axi_arvalid,
    input  wire                axi_arready,
    input  wire [  DATA_W-1:0] axi_rdata,
    input  wire [         1:0] axi_rresp,
    input  wire                axi_rlast,
    input  wire                axi_rvalid,
    output wire [  ADDR_W-1:0] axi_awaddr,
    output wire [  BurstW-1:0] axi_awlen,
    output wire                axi_awvalid,
    input  wire                axi_awready,
    output wire [  DATA_W-1:0] axi_wdata,
    output wire [DATA_W/8-1:0] axi_wstrb,
    output wire                axi_wlast,
    output wire                axi_wvalid,
    input  wire                axi_wready,
    input  wire [         1:0] axi_bresp,
    input  wire                axi_bvalid
);

  if (ADDR_W < 12 || ADDR_W > 64) $fatal(0, "dma_ring: ADDR_W %0d", ADDR_W);
  if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) $fatal(0, "dma_ring: DATA_W %0d", DATA_W);
  if (LEN_W < 5 || LEN_W > 24) $fatal(0, "dma_ring: LEN_W %0d", LEN_W);
  if (INDEX_W < 1 || INDEX_W > 16) $fatal(0, "dma_ring: INDEX_W %0d", INDEX_W);
  if (BURST < 16 || BURST > 256 || BURST != 2 ** $clog2(BURST)) $fatal(0, "dma_ring: BURST %0d", BURST);
  if (FRAMES < 32 || FRAMES > 256 || FRAMES != 2 ** $clog2(FRAMES)) $fatal(0, "dma_ring: FRAMES %0d", FRAMES);
  if (STATUS_BURSTS < 1 || STATUS_BURSTS > 16 || STATUS_BURSTS != 2 ** $clog2(STATUS_BURSTS))
    $fatal(0, "dma_ring: STATUS_BURSTS %0d", STATUS_BURSTS);

  localparam int unsigned Statuses = FRAMES < 64 ? 64 : FRAMES;
  localparam int unsigned Lsb = $clog2(DATA_W / 8);

  reg astray_reg;
  always_ff @(posedge clk)
    astray_reg <= |(descriptor_base & ADDR_W'({mask, 4'hF})) || |(status_base & ADDR_W'({mask, 3'h7}));

  wire [127:0] arriving, descriptor;
  wire fits, possible, descriptor_valid, fetch_fault, fetch_idle, status_fault, status_idle, status_left;
  ring_fetch #(
      .ADDR_W (ADDR_W),
      .DATA_W (DATA_W),
      .DEPTH  (FRAMES),
      .INDEX_W(INDEX_W),
      .BURST  (BURST)
  ) fetch (
      .clk,
      .rst,
      .enable(enable && !astray_reg),
      .idle(fetch_idle),
      .fault(fetch_fault),
      .cyclic,
      .base(descriptor_base),
      .mask,
      .tail,
      .arriving,
      .arriving_fits(fits),
      .descriptor,
      .fits(possible),
      .valid(descriptor_valid),
      .ready(go_valid && go_ready),
      .axi_araddr,
      .axi_arlen,
      .axi_arvalid,
      .axi_arready,
      .axi_rdata,
      .axi_rresp,
      .axi_rlast,
      .axi_rvalid
  );

  // Statuses reserved, of frames begun and not yet written; frames done, for number and round.
  reg [$clog2(Statuses):0] held_reg;
  reg [INDEX_W:0] number_reg;  // the longest ring has a round, too
  reg refused_reg;

  // Looked at as it comes: what waits has but the bits that the engine takes.
  wire [63:0] address = arriving[63:0];
  wire [31:0] length = arriving[95:64];
  assign fits = (REALIGN ? length != '0 : length[1:0] == 2'b00 && length[31:2] != '0) &&
      length >> LEN_W == '0 &&
      (REALIGN || (WORD_ALIGNED ? address[1:0] == 2'b00 : address[Lsb-1:0] == '0)) &&
      (ADDR_W == 64 || address >> ADDR_W == '0);

  assign go_addr = ADDR_W'(descriptor[63:0]);
  assign go_len = LEN_W'(descriptor[95:64]);
  assign go_user = descriptor[111:96];
  assign go_valid = descriptor_valid && possible && !refused_reg && !fetch_fault &&
      !held_reg[$clog2(Statuses)];

  wire round = |(number_reg & ((INDEX_W + 1)'(mask) + 1'b1));
  wire [4:0] number = REALIGN ? {number_reg[3:0], done_len[1]} : number_reg[4:0];
  wire odd = REALIGN && done_len[0];
  status_ring #(
      .ADDR_W (ADDR_W),
      .DATA_W (DATA_W),
      .DEPTH  (Statuses),
      .INDEX_W(INDEX_W),
      .BURST  (BURST),
      .OPEN_BURSTS(STATUS_BURSTS)
  ) statuses (
      .clk,
      .rst,
      .enable,
      .idle(status_idle),
      .fault(status_fault),
      .base(status_base),
      .mask,
      .written,
      .patience,
      .status({now, done_user, number, round, odd, done_error, done_eob, 22'(done_len >> 2)}),
      .valid(done),
      .left(status_left),
      .axi_awaddr,
      .axi_awlen,
      .axi_awvalid,
      .axi_awready,
      .axi_wdata,
      .axi_wstrb,
      .axi_wlast,
      .axi_wvalid,
      .axi_wready,
      .axi_bresp,
      .axi_bvalid
  );

  assign fault = fetch_fault || refused_reg || status_fault || (enable && astray_reg);
  assign idle  = fetch_idle && status_idle && held_reg == '0;

  always_ff @(posedge clk) begin
    if ((go_valid && go_ready) != status_left)
      held_reg <= status_left ? held_reg - 1'b1 : held_reg + 1'b1;
    if (done) number_reg <= number_reg + 1'b1;
    if (descriptor_valid && !possible) refused_reg <= 1'b1;
    if (rst || !enable) begin
      held_reg <= '0;
      number_reg <= '0;
      refused_reg <= 1'b0;
    end
  end

endmodule
`default_nettype wire
