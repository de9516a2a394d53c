// SPDX-License-Identifier: Apache-2.0

// Datra's DMA node (type 6): one stream of words out of memory, one into it, independent.
//
// The registers (dma_page) are the original's command and result queues at their offsets and, for each
// direction, a block of our own for its ring; see registers/datra.rdl.
//
// Each direction has four interrupts. Two are the original's: a result waits, and a reset is done. Two
// are ours: the ring has completed frames (coalesced), and the ring is at fault.
//
// A beat of the streams is STREAM_W bits: up to so many words of one user signal, side by side from lane 0
// on, as `keep` says; of 32 bits it is one word, and `keep` says nothing. At the width of the bus a stream
// moves as much as the bus does. A frame to logic begins a beat.
//
// With REALIGN an address and a length may be any number of bytes. The first byte of a frame is then the
// lowest of its first word. Where the length is no multiple of 4, the node fills the last word to logic
// up with zeros, and writes of the last word from logic only what the length asks for. Statuses then
// have layout 2: see dma_ring.
//
// RESET in CONTROL of a direction resets it and leaves the other alone: the node throws away commands,
// results, rings and what is on its way, whether or not anyone takes the stream. Change addresses of a
// ring only while it is not enabled.
`default_nettype none
module dma_node #(
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned STREAM_W = 32,  // 32, 64 or 128, no more than DATA_W
    parameter int unsigned LEN_W = 24,
    parameter int unsigned FIFO_DEPTH = 512,
    parameter int unsigned AW_LEAD = 1,
    parameter bit [3:0] AXCACHE = 4'b0011,  // until software says otherwise
    parameter bit REALIGN = 1'b0,
    parameter bit CUT_THROUGH = 1'b0,  // of writes
    parameter int unsigned BURST = 16,  // this and the next two as in dma_core
    parameter int unsigned FRAMES = 32,
    parameter int unsigned STATUS_BURSTS = 1,
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4  // of AxLEN
) (
    input wire clk,
    input wire rst,

    input  wire [10:0] bus_address,
    input  wire        bus_write,
    input  wire [31:0] bus_wdata,
    input  wire [ 3:0] bus_strobe,
    input  wire        bus_select,
    output wire        bus_done,
    output wire [31:0] bus_rdata,
    output wire        bus_error,
    output wire        irq,

    output wire [   STREAM_W-1:0] m_data,
    output wire [STREAM_W/32-1:0] m_keep,
    output wire [           15:0] m_user,
    output wire                   m_valid,
    input  wire                   m_ready,
    input  wire [   STREAM_W-1:0] s_data,
    input  wire [STREAM_W/32-1:0] s_keep,
    input  wire [           15:0] s_user,
    input  wire                   s_valid,
    output wire                   s_ready,
    output wire                   s_flush,  // a reset: what is queued on the way to here goes with it

    output wire [         1:0] axi_arid,
    output wire [  ADDR_W-1:0] axi_araddr,
    output wire [  BurstW-1:0] axi_arlen,
    output wire [         3:0] axi_arcache,
    output wire [         2:0] axi_arprot,
    output wire [         7:0] axi_aruser,
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
    output wire [         3:0] axi_awcache,
    output wire [         2:0] axi_awprot,
    output wire [         7:0] axi_awuser,
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

  localparam int unsigned IndexW = 16;
  localparam int unsigned Lsb = $clog2(DATA_W / 8);
  localparam int unsigned Words = DATA_W / 32;
  localparam int unsigned PackW = REALIGN ? LEN_W + 1 : LEN_W;

  if ((STREAM_W != 32 && STREAM_W != 64 && STREAM_W != 128) || STREAM_W > DATA_W)
    $fatal(0, "dma_node: STREAM_W %0d of DATA_W %0d", STREAM_W, DATA_W);

  // ---- registers ----------------------------------------------------------------------------------

  wire [1:0] run, flush, idle;
  wire [1:0][15:0] attributes;
  wire [1:0][ADDR_W-1:0] new_addr, result_addr, ring_descriptors, ring_statuses;
  wire [LEN_W-1:0] new_len;
  wire [1:0][LEN_W-1:0] result_len;
  wire [1:0][15:0] new_user, result_user;
  wire [1:0] new_valid, result_pop;
  wire [1:0][3:0] free, results;
  wire [1:0][1:0] result_error;
  wire [1:0] ring_enable, ring_cyclic, ring_fault, ring_tell, tell_acknowledge, clear;
  wire [1:0][IndexW-1:0] ring_mask, ring_tail, ring_written;
  wire [1:0][15:0] ring_patience, tell_frames, tell_ticks;
  wire tick, partial, cut;
  wire [15:0] now;
  wire [1:0][4:0][31:0] counted;

  dma_page #(
      .ADDR_W(ADDR_W),
      .DATA_W(DATA_W),
      .LEN_W(LEN_W),
      .INDEX_W(IndexW),
      .AXCACHE(AXCACHE),
      .REALIGN(REALIGN)
  ) page (
      .clk,
      .rst,
      .bus_address,
      .bus_write,
      .bus_wdata,
      .bus_strobe,
      .bus_select,
      .bus_done,
      .bus_rdata,
      .bus_error,
      .irq,
      .run,
      .flush,
      .idle,
      .attributes,
      .new_addr,
      .new_len,
      .new_user,
      .new_valid,
      .free,
      .results,
      .result_addr,
      .result_len,
      .result_user,
      .result_error,
      .result_pop,
      .ring_enable,
      .ring_cyclic,
      .ring_descriptors,
      .ring_statuses,
      .ring_mask,
      .ring_tail,
      .ring_written,
      .ring_fault,
      .ring_patience,
      .tell_frames,
      .tell_ticks,
      .tell_acknowledge,
      .ring_tell,
      .tick,
      .now,
      .partial,
      .word(s_valid && s_ready),
      .cut,
      .counted,
      .clear
  );
  assign s_flush = flush[1];

  // ---- queues -----------------------------------------------------------------------------------

  wire [1:0][ADDR_W-1:0] cmd_addr;
  wire [1:0][LEN_W-1:0] cmd_len;
  wire [1:0][15:0] cmd_user, done_user;
  wire [1:0] cmd_valid, cmd_ready, done_valid, done_eob;
  wire [1:0][LEN_W-1:0] done_len;
  wire [1:0][1:0] done_error;
  for (genvar i = 0; i < 2; i++) begin : queues
    command_queue #(
        .ADDR_W(ADDR_W),
        .LEN_W (LEN_W)
    ) queue (
        .clk,
        .rst(rst || flush[i]),
        .run(run[i]),
        .new_addr(new_addr[i]),
        .new_len,
        .new_user(new_user[i]),
        .new_valid(new_valid[i]),
        .free(free[i]),
        .results(results[i]),
        .go_addr(cmd_addr[i]),
        .go_len(cmd_len[i]),
        .go_user(cmd_user[i]),
        .go_valid(cmd_valid[i]),
        .go_ready(cmd_ready[i]),
        .done(done_valid[i]),
        .done_len(done_len[i]),
        .done_user(done_user[i]),
        .done_error(done_error[i]),
        .result_addr(result_addr[i]),
        .result_len(result_len[i]),
        .result_user(result_user[i]),
        .result_error(result_error[i]),
        .result_pop(result_pop[i])
    );
    coalesce #(
        .INDEX_W(IndexW)
    ) teller (
        .clk,
        .rst(rst || !ring_enable[i]),
        .tick,
        .frames(tell_frames[i]),
        .patience(tell_ticks[i]),
        .finished(ring_written[i]),
        .drained(ring_written[i] == ring_tail[i] && !ring_cyclic[i]),
        .acknowledge(tell_acknowledge[i]),
        .tell(ring_tell[i])
    );
  end

  // ---- data -------------------------------------------------------------------------------------

  wire [DATA_W-1:0] to_data, from_data;
  wire [Words-1:0] to_keep, from_keep;  // by words
  wire [15:0] to_user, from_user;
  wire to_valid, to_ready, from_last, from_valid, from_ready;
  wire [ADDR_W-1:0] next_addr;
  wire [LEN_W-1:0] next_len;
  wire next_taken;
  wire [1:0] ended;

  // The core's `keep`, by words or by bytes.
  wire [DATA_W-1:0] core_data;
  wire [(REALIGN ? 4 : 1)*Words-1:0] core_keep, pack_keep;
  wire [PackW-1:0] pack_len;
  if (REALIGN) begin : bytes
    for (genvar i = 0; i < Words; i++) begin : word
      assign to_keep[i] = core_keep[4*i];
      assign pack_keep[4*i+:4] = {4{from_keep[i]}};
    end
    for (genvar i = 0; i < DATA_W / 8; i++) begin : lane
      assign to_data[8*i+:8] = core_keep[i] ? core_data[8*i+:8] : '0;
    end
    assign pack_len = PackW'(next_len) + PackW'(3);
  end else begin : words
    assign to_data = core_data;
    assign to_keep = core_keep;
    assign pack_keep = from_keep;
    assign pack_len = next_len;
  end

  dma_core #(
      .ADDR_W(ADDR_W),
      .DATA_W(DATA_W),
      .LEN_W(LEN_W),
      .FIFO_DEPTH(FIFO_DEPTH),
      .AW_LEAD(AW_LEAD),
      .WORD_ALIGNED(1'b1),
      .REALIGN(REALIGN),
      .CUT_THROUGH(CUT_THROUGH),
      .INDEX_W(IndexW),
      .BURST(BURST),
      .FRAMES(FRAMES),
      .STATUS_BURSTS(STATUS_BURSTS)
  ) core (
      .clk,
      .rst,
      .flush,
      .idle,
      .ring_enable(ring_enable & run),
      .ring_cyclic,
      .ring_descriptors,
      .ring_statuses,
      .ring_mask,
      .ring_tail,
      .ring_written,
      .ring_fault,
      .ring_patience,
      .now,
      .cmd_addr,
      .cmd_len,
      .cmd_user,
      .cmd_valid,
      .cmd_ready,
      .done_valid,
      .done_len,
      .done_user,
      .done_eob,
      .done_error,
      .ended,
      .m_data(core_data),
      .m_keep(core_keep),
      .m_user(to_user),
      .m_last(),
      .m_valid(to_valid),
      .m_ready(to_ready),
      .s_data(from_data),
      .s_keep(pack_keep),
      .s_user(from_user),
      .s_last(from_last),
      .s_valid(from_valid),
      .s_ready(from_ready),
      .next_addr,
      .next_len,
      .next_taken,
      .axi_arid,
      .axi_araddr,
      .axi_arlen,
      .axi_arvalid,
      .axi_arready,
      .axi_rid,
      .axi_rdata,
      .axi_rresp,
      .axi_rlast,
      .axi_rvalid,
      .axi_rready,
      .axi_awid,
      .axi_awaddr,
      .axi_awlen,
      .axi_awsize,
      .axi_awvalid,
      .axi_awready,
      .axi_wid,
      .axi_wdata,
      .axi_wstrb,
      .axi_wlast,
      .axi_wvalid,
      .axi_wready,
      .axi_bid,
      .axi_bresp,
      .axi_bvalid,
      .axi_bready
  );

  beat_split #(
      .DATA_W(DATA_W),
      .STREAM_W(STREAM_W)
  ) split (
      .clk,
      .rst(rst || flush[0]),
      .s_data(to_data),
      .s_keep(to_keep),
      .s_user(to_user),
      .s_valid(to_valid),
      .s_ready(to_ready),
      .m_data,
      .m_keep,
      .m_user,
      .m_valid,
      .m_ready
  );

  if (STREAM_W == 32) begin : from_logic
    frame_pack #(
        .DATA_W(DATA_W),
        .LEN_W (PackW)
    ) pack (
        .clk,
        .rst(rst || flush[1]),
        .frame_place(REALIGN ? Lsb'(0) : next_addr[Lsb-1:0]),
        .frame_len(pack_len),
        .frame_valid(next_taken),
        .cut,
        .partial,
        .s_data,
        .s_user,
        .s_valid,
        .s_ready,
        .m_data(from_data),
        .m_keep(from_keep),
        .m_user(from_user),
        .m_last(from_last),
        .m_valid(from_valid),
        .m_ready(from_ready)
    );
  end else begin : from_logic
    frame_gather #(
        .DATA_W(DATA_W),
        .STREAM_W(STREAM_W),
        .LEN_W(PackW)
    ) pack (
        .clk,
        .rst(rst || flush[1]),
        .frame_place(REALIGN ? Lsb'(0) : next_addr[Lsb-1:0]),
        .frame_len(pack_len),
        .frame_valid(next_taken),
        .cut,
        .partial,
        .s_data,
        .s_keep,
        .s_user,
        .s_valid,
        .s_ready,
        .m_data(from_data),
        .m_keep(from_keep),
        .m_user(from_user),
        .m_last(from_last),
        .m_valid(from_valid),
        .m_ready(from_ready)
    );
  end

  // Descriptors and statuses are as their direction says.
  wire [15:0] read_attributes = attributes[axi_arid==2'd1];
  wire [15:0] write_attributes = attributes[axi_awid!=2'd0];
  assign axi_arcache = read_attributes[datra_registers::DMA_RING_ATTRIBUTES_CACHE_LOW+:4];
  assign axi_arprot  = read_attributes[datra_registers::DMA_RING_ATTRIBUTES_PROT_LOW+:3];
  assign axi_aruser  = read_attributes[datra_registers::DMA_RING_ATTRIBUTES_USER_LOW+:8];
  assign axi_awcache = write_attributes[datra_registers::DMA_RING_ATTRIBUTES_CACHE_LOW+:4];
  assign axi_awprot  = write_attributes[datra_registers::DMA_RING_ATTRIBUTES_PROT_LOW+:3];
  assign axi_awuser  = write_attributes[datra_registers::DMA_RING_ATTRIBUTES_USER_LOW+:8];

  // ---- counters ---------------------------------------------------------------------------------

  for (genvar i = 0; i < 2; i++) begin : counters
    wire [4:0] count;
    assign count[0] = ended[i];
    // From logic beats are counted as they come out of the packer.
    assign count[1] = i == 0 ? axi_rvalid && axi_rid == 2'd2 : from_valid && from_ready;
    assign count[2] = i == 0 ? m_ready && !m_valid : s_valid && !s_ready;
    assign count[3] = i == 0 ? m_valid && !m_ready : s_ready && !s_valid;
    assign count[4] = ended[i] && done_error[i] != 2'b00;
    for (genvar k = 0; k < 5; k++) begin : each
      saturating_counter counter (
          .clk,
          .clear(clear[i]),
          .count(count[k]),
          .value(counted[i][k])
      );
    end
  end

endmodule
`default_nettype wire
