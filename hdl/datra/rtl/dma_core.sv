// SPDX-License-Identifier: Apache-2.0

// Both directions of a DMA node on one AXI master: engines, rings, and the joined bus.
//
// Suffix 0 of a packed port is to logic (memory -> stream m), 1 from logic (stream s -> memory).
// While `ring_enable` of a direction is low its commands come from cmd_*, and done_* pulses for each
// frame, in order; while it is high they come from its descriptor ring and done_* is silent. Change it
// only when the direction is idle. `flush` of a direction throws away all it has begun, both ways of
// giving commands alike, and never touches the other; hold it until `idle`.
//
// With REALIGN a frame begins at any byte and has any length in bytes, and its first byte is in lane 0
// of its first beat; `keep` then has a bit for a byte, not for a word of 32 bit.
//
// BURST is how many beats a burst has at most: 16 suit AXI3, AXI4 takes up to 256. FRAMES are begun and not
// done in each direction at most, STATUS_BURSTS of each direction open at a time: at long latencies short
// frames need more of both.
//
// done_user is the command's to logic; from logic it is that of the frame's last beat.
`default_nettype none
module dma_core #(
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 24,
    parameter int unsigned FIFO_DEPTH = 512,
    parameter int unsigned AW_LEAD = 1,
    parameter bit WORD_ALIGNED = 1'b1,
    parameter bit REALIGN = 1'b0,
    parameter bit CUT_THROUGH = 1'b0,  // of writes
    parameter int unsigned INDEX_W = 16,
    parameter int unsigned BURST = 16,
    parameter int unsigned FRAMES = 32,
    parameter int unsigned STATUS_BURSTS = 1,
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4,  // of AxLEN
    localparam int unsigned Lanes = REALIGN ? DATA_W / 8 : DATA_W / 32
) (
    input wire clk,
    input wire rst,

    input  wire [1:0] flush,
    output wire [1:0] idle,

    input  wire [1:0]              ring_enable,
    input  wire [1:0]              ring_cyclic,
    input  wire [1:0][ ADDR_W-1:0] ring_descriptors,
    input  wire [1:0][ ADDR_W-1:0] ring_statuses,
    input  wire [1:0][INDEX_W-1:0] ring_mask,
    input  wire [1:0][INDEX_W-1:0] ring_tail,
    output wire [1:0][INDEX_W-1:0] ring_written,
    output wire [1:0]              ring_fault,
    input  wire [1:0][       15:0] ring_patience,
    input  wire [15:0]             now,

    input  wire [1:0][ADDR_W-1:0] cmd_addr,
    input  wire [1:0][ LEN_W-1:0] cmd_len,
    input  wire [1:0][      15:0] cmd_user,
    input  wire [1:0]             cmd_valid,
    output wire [1:0]             cmd_ready,
    output wire [1:0]             done_valid,
    output wire [1:0][ LEN_W-1:0] done_len,
    output wire [1:0][      15:0] done_user,
    output wire [1:0]             done_eob,
    output wire [1:0][       1:0] done_error,
    output wire [1:0]             ended,       // a frame of either origin, with its error

    output wire [DATA_W-1:0] m_data,
    output wire [ Lanes-1:0] m_keep,
    output wire [      15:0] m_user,
    output wire              m_last,
    output wire              m_valid,
    input  wire              m_ready,

    input  wire [DATA_W-1:0] s_data,
    input  wire [ Lanes-1:0] s_keep,
    input  wire [      15:0] s_user,
    input  wire              s_last,
    input  wire              s_valid,
    output wire              s_ready,
    // The frame that the stream is in or comes to next, for the module that cuts the stream into frames.
    output wire [ADDR_W-1:0] next_addr,
    output wire [ LEN_W-1:0] next_len,
    output wire              next_taken,

    output wire [         1:0] axi_arid,
    output wire [  ADDR_W-1:0] axi_araddr,
    output wire [  BurstW-1:0] axi_arlen,
    output wire                axi_arvalid,
    input  wire                axi_arready,
    input  wire [         1:0] axi_rid,
    input  wire [  DATA_W-1:0] axi_rdata,
    input  wire [         1:0] axi_rresp,
    input  wire                axi_rlast,
    input  wire                axi_rvalid,
    output wire                axi_rready,
    output wire [         1:0] axi_awid,
    output wire [  ADDR_W-1:0] axi_awaddr,
    output wire [  BurstW-1:0] axi_awlen,
    output wire [         2:0] axi_awsize,
    output wire                axi_awvalid,
    input  wire                axi_awready,
    output wire [         1:0] axi_wid,
    output wire [  DATA_W-1:0] axi_wdata,
    output wire [DATA_W/8-1:0] axi_wstrb,
    output wire                axi_wlast,
    output wire                axi_wvalid,
    input  wire                axi_wready,
    input  wire [         1:0] axi_bid,
    input  wire [         1:0] axi_bresp,
    input  wire                axi_bvalid,
    output wire                axi_bready
);

  if (ADDR_W < 12 || ADDR_W > 64) $fatal(0, "dma_core: ADDR_W %0d", ADDR_W);
  if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) $fatal(0, "dma_core: DATA_W %0d", DATA_W);
  if (LEN_W < 5 || LEN_W > 24) $fatal(0, "dma_core: LEN_W %0d", LEN_W);
  if (INDEX_W < 1 || INDEX_W > 16) $fatal(0, "dma_core: INDEX_W %0d", INDEX_W);
  if (BURST < 16 || BURST > 256 || BURST != 2 ** $clog2(BURST)) $fatal(0, "dma_core: BURST %0d", BURST);
  if (FRAMES < 32 || FRAMES > 256 || FRAMES != 2 ** $clog2(FRAMES)) $fatal(0, "dma_core: FRAMES %0d", FRAMES);

  localparam int unsigned UnitW = REALIGN ? 0 : 2;  // log2 of the bytes that lengths are of

  // Readers: 0, 1 descriptors of the two directions, 2 data. Writers: 0, 1 statuses, 2 data.
  wire [2:0][ADDR_W-1:0] araddr, awaddr;
  wire [2:0][BurstW-1:0] arlen, awlen;
  wire [2:0] arvalid, arready, rvalid, awvalid, awready, wlast, wvalid, wready, bvalid;
  wire [2:0][DATA_W-1:0] wdata;
  wire [2:0][DATA_W/8-1:0] wstrb;

  axi_join_read #(
      .N(3),
      .ADDR_W(ADDR_W),
      .BURST(BURST)
  ) read_join (
      .clk,
      .rst,
      .s_araddr(araddr),
      .s_arlen(arlen),
      .s_arvalid(arvalid),
      .s_arready(arready),
      .s_rvalid(rvalid),
      .m_arid(axi_arid),
      .m_araddr(axi_araddr),
      .m_arlen(axi_arlen),
      .m_arvalid(axi_arvalid),
      .m_arready(axi_arready),
      .m_rid(axi_rid),
      .m_rvalid(axi_rvalid),
      .m_rready(axi_rready)
  );
  axi_join_write #(
      .N(3),
      .ADDR_W(ADDR_W),
      .DATA_W(DATA_W),
      .BURST(BURST)
  ) write_join (
      .clk,
      .rst,
      .s_awaddr(awaddr),
      .s_awlen(awlen),
      .s_awvalid(awvalid),
      .s_awready(awready),
      .s_wdata(wdata),
      .s_wstrb(wstrb),
      .s_wlast(wlast),
      .s_wvalid(wvalid),
      .s_wready(wready),
      .s_bvalid(bvalid),
      .m_awid(axi_awid),
      .m_awaddr(axi_awaddr),
      .m_awlen(axi_awlen),
      .m_awvalid(axi_awvalid),
      .m_awready(axi_awready),
      .m_wid(axi_wid),
      .m_wdata(axi_wdata),
      .m_wstrb(axi_wstrb),
      .m_wlast(axi_wlast),
      .m_wvalid(axi_wvalid),
      .m_wready(axi_wready),
      .m_bid(axi_bid),
      .m_bvalid(axi_bvalid),
      .m_bready(axi_bready)
  );
  assign axi_awsize = axi_awid == 2'd2 || DATA_W < 64 ? 3'($clog2(DATA_W / 8)) : 3'd3;

  wire [1:0][ADDR_W-1:0] ring_addr, go_addr;
  wire [1:0][LEN_W-1:0] ring_len, go_len;
  wire [1:0][15:0] ring_user, go_user;
  wire [1:0] ring_go, go_valid, go_ready, done, full, ring_idle, engine_idle;
  wire [1:0][LEN_W-1:0] len;
  wire [1:0][15:0] user;
  wire [1:0] eob;
  wire [1:0][1:0] error;

  for (genvar i = 0; i < 2; i++) begin : direction
    wire ring_on = ring_enable[i] && !flush[i];
    dma_ring #(
        .ADDR_W(ADDR_W),
        .DATA_W(DATA_W),
        .LEN_W(LEN_W),
        .WORD_ALIGNED(WORD_ALIGNED),
        .REALIGN(REALIGN),
        .INDEX_W(INDEX_W),
        .BURST(BURST),
        .FRAMES(FRAMES),
        .STATUS_BURSTS(STATUS_BURSTS)
    ) ring (
        .clk,
        .rst,
        .enable(ring_on),
        .idle(ring_idle[i]),
        .fault(ring_fault[i]),
        .cyclic(ring_cyclic[i]),
        .descriptor_base(ring_descriptors[i]),
        .status_base(ring_statuses[i]),
        .mask(ring_mask[i]),
        .tail(ring_tail[i]),
        .written(ring_written[i]),
        .patience(ring_patience[i]),
        .now,
        .go_addr(ring_addr[i]),
        .go_len(ring_len[i]),
        .go_user(ring_user[i]),
        .go_valid(ring_go[i]),
        .go_ready(go_ready[i] && !full[i] && ring_on),
        .done(done[i] && ring_on),
        .done_len(len[i]),
        .done_user(user[i]),
        .done_eob(eob[i]),
        .done_error(error[i]),
        .axi_araddr(araddr[i]),
        .axi_arlen(arlen[i]),
        .axi_arvalid(arvalid[i]),
        .axi_arready(arready[i]),
        .axi_rdata,
        .axi_rresp,
        .axi_rlast,
        .axi_rvalid(rvalid[i]),
        .axi_awaddr(awaddr[i]),
        .axi_awlen(awlen[i]),
        .axi_awvalid(awvalid[i]),
        .axi_awready(awready[i]),
        .axi_wdata(wdata[i]),
        .axi_wstrb(wstrb[i]),
        .axi_wlast(wlast[i]),
        .axi_wvalid(wvalid[i]),
        .axi_wready(wready[i]),
        .axi_bresp,
        .axi_bvalid(bvalid[i])
    );
    assign go_addr[i] = ring_enable[i] ? ring_addr[i] : cmd_addr[i];
    assign go_len[i] = ring_enable[i] ? ring_len[i] : cmd_len[i];
    assign go_user[i] = ring_enable[i] ? ring_user[i] : cmd_user[i];
    assign go_valid[i] = (ring_enable[i] ? ring_go[i] : cmd_valid[i]) && !full[i] && !flush[i];
    assign cmd_ready[i] = go_ready[i] && !full[i] && !ring_enable[i] && !flush[i];

    assign done_valid[i] = done[i] && !ring_enable[i];
    assign ended[i] = done[i];
    assign done_len[i] = len[i];
    assign done_user[i] = user[i];
    assign done_eob[i] = eob[i];
    assign done_error[i] = error[i];
    assign idle[i] = engine_idle[i] && ring_idle[i];
  end

  // ---- to logic: what the engine need not know of a frame waits here -----------------------------

  wire m_end = m_valid && m_ready && m_last;
  fifo_table #(
      .WIDTH(16),
      .DEPTH(FRAMES)
  ) leaving (
      .clk,
      .rst(rst || flush[0]),
      .push(go_valid[0] && go_ready[0]),
      .in_data(go_user[0]),
      .full(full[0]),
      .pop(m_end),
      .out_data(m_user),
      .empty()
  );
  wire [LEN_W-UnitW-1:0] given_len;
  assign len[0] = LEN_W'(given_len) << UnitW;
  fifo_table #(
      .WIDTH(LEN_W - UnitW + 16),
      .DEPTH(2 * FRAMES)
  ) finishing (
      .clk,
      .rst(rst || flush[0]),
      .push(go_valid[0] && go_ready[0]),
      .in_data({go_user[0], go_len[0][LEN_W-1:UnitW]}),
      .full(),
      .pop(done[0]),
      .out_data({user[0], given_len}),
      .empty()
  );
  assign eob[0] = 1'b1;

  dma_read #(
      .ADDR_W(ADDR_W),
      .DATA_W(DATA_W),
      .LEN_W(LEN_W),
      .FIFO_DEPTH(FIFO_DEPTH),
      .BURST(BURST),
      .OPEN_BURSTS(FRAMES),
      .WORD_ALIGNED(WORD_ALIGNED),
      .REALIGN(REALIGN)
  ) to_logic (
      .clk,
      .rst,
      .flush(flush[0]),
      .idle(engine_idle[0]),
      .cmd_addr(go_addr[0]),
      .cmd_len(go_len[0]),
      .cmd_valid(go_valid[0]),
      .cmd_ready(go_ready[0]),
      .m_data,
      .m_keep,
      .m_last,
      .m_valid,
      .m_ready,
      .status_error(error[0]),
      .status_valid(done[0]),
      .axi_araddr(araddr[2]),
      .axi_arlen(arlen[2]),
      .axi_arvalid(arvalid[2]),
      .axi_arready(arready[2]),
      .axi_rdata,
      .axi_rresp,
      .axi_rlast,
      .axi_rvalid(rvalid[2]),
      .axi_rready()
  );

  // ---- from logic --------------------------------------------------------------------------------

  wire s_final;
  fifo_table #(
      .WIDTH(16),
      .DEPTH(2 * FRAMES)
  ) signals (
      .clk,
      .rst(rst || flush[1]),
      .push(s_valid && s_ready && s_final),
      .in_data(s_user),
      .full(),
      .pop(done[1]),
      .out_data(user[1]),
      .empty()
  );
  assign full[1]  = 1'b0;  // the engine has at most FRAMES open
  assign next_addr = go_addr[1];
  assign next_len = go_len[1];
  assign next_taken = go_valid[1] && go_ready[1];

  dma_write #(
      .ADDR_W(ADDR_W),
      .DATA_W(DATA_W),
      .LEN_W(LEN_W),
      .FIFO_DEPTH(FIFO_DEPTH),
      .BURST(BURST),
      .OPEN_BURSTS(FRAMES),
      .AW_LEAD(AW_LEAD),
      .WORD_ALIGNED(WORD_ALIGNED),
      .REALIGN(REALIGN),
      .CUT_THROUGH(CUT_THROUGH)
  ) from_logic (
      .clk,
      .rst,
      .flush(flush[1]),
      .idle(engine_idle[1]),
      .cmd_addr(go_addr[1]),
      .cmd_len(go_len[1]),
      .cmd_valid(go_valid[1]),
      .cmd_ready(go_ready[1]),
      .s_data,
      .s_keep,
      .s_last,
      .s_valid,
      .s_ready,
      .s_final,
      .status_len(len[1]),
      .status_eob(eob[1]),
      .status_error(error[1]),
      .status_valid(done[1]),
      .axi_awaddr(awaddr[2]),
      .axi_awlen(awlen[2]),
      .axi_awvalid(awvalid[2]),
      .axi_awready(awready[2]),
      .axi_wdata(wdata[2]),
      .axi_wstrb(wstrb[2]),
      .axi_wlast(wlast[2]),
      .axi_wvalid(wvalid[2]),
      .axi_wready(wready[2]),
      .axi_bresp,
      .axi_bvalid(bvalid[2]),
      .axi_bready()
  );

endmodule
`default_nettype wire
