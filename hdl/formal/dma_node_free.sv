// SPDX-License-Identifier: Apache-2.0

// What dma_node_proof puts in the place of a DMA node's core, queues, tellers, packers and counters. These
// modules do anything: no output has a driver.
module dma_core #(
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 24,
    parameter int unsigned FIFO_DEPTH = 512,
    parameter int unsigned AW_LEAD = 1,
    parameter bit WORD_ALIGNED = 1'b1,
    parameter bit REALIGN = 1'b0,
    parameter bit CUT_THROUGH = 1'b0,
    parameter int unsigned INDEX_W = 16,
    parameter int unsigned BURST = 16,
    parameter int unsigned FRAMES = 32,
    parameter int unsigned STATUS_BURSTS = 1,
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4,
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
    output wire [1:0]             ended,
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
endmodule

module command_queue #(
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned LEN_W = 24
) (
    input wire clk,
    input wire rst,
    input wire run,
    input wire [ADDR_W-1:0] new_addr,
    input wire [ LEN_W-1:0] new_len,
    input wire [      15:0] new_user,
    input wire              new_valid,
    output wire [3:0] free,
    output wire [3:0] results,
    output wire [ADDR_W-1:0] go_addr,
    output wire [ LEN_W-1:0] go_len,
    output wire [      15:0] go_user,
    output wire              go_valid,
    input  wire              go_ready,
    input wire             done,
    input wire [LEN_W-1:0] done_len,
    input wire [     15:0] done_user,
    input wire [      1:0] done_error,
    output wire [ADDR_W-1:0] result_addr,
    output wire [ LEN_W-1:0] result_len,
    output wire [      15:0] result_user,
    output wire [       1:0] result_error,
    input  wire              result_pop
);
endmodule

module coalesce #(
    parameter int unsigned INDEX_W = 16
) (
    input wire clk,
    input wire rst,
    input wire               tick,
    input wire [       15:0] frames,
    input wire [       15:0] patience,
    input wire [INDEX_W-1:0] finished,
    input wire               drained,
    input wire               acknowledge,
    output wire tell
);
endmodule

module beat_split #(
    parameter int unsigned DATA_W = 64,
    parameter int unsigned STREAM_W = 32,
    localparam int unsigned Words = DATA_W / 32,
    localparam int unsigned OutWords = STREAM_W / 32
) (
    input wire clk,
    input wire rst,
    input  wire [DATA_W-1:0] s_data,
    input  wire [ Words-1:0] s_keep,
    input  wire [      15:0] s_user,
    input  wire              s_valid,
    output wire              s_ready,
    output wire [STREAM_W-1:0] m_data,
    output wire [OutWords-1:0] m_keep,
    output wire [        15:0] m_user,
    output wire                m_valid,
    input  wire                m_ready
);
endmodule

module frame_pack #(
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 24,
    localparam int unsigned Words = DATA_W / 32,
    localparam int unsigned Lsb = $clog2(DATA_W / 8)
) (
    input wire clk,
    input wire rst,
    input wire [  Lsb-1:0] frame_place,
    input wire [LEN_W-1:0] frame_len,
    input wire             frame_valid,
    input  wire cut,
    output wire partial,
    input  wire [31:0] s_data,
    input  wire [15:0] s_user,
    input  wire        s_valid,
    output wire        s_ready,
    output wire [DATA_W-1:0] m_data,
    output wire [ Words-1:0] m_keep,
    output wire [      15:0] m_user,
    output wire              m_last,
    output wire              m_valid,
    input  wire              m_ready
);
endmodule

module frame_gather #(
    parameter int unsigned DATA_W = 64,
    parameter int unsigned STREAM_W = 64,
    parameter int unsigned LEN_W = 24,
    localparam int unsigned Words = DATA_W / 32,
    localparam int unsigned Lsb = $clog2(DATA_W / 8)
) (
    input wire clk,
    input wire rst,
    input wire [  Lsb-1:0] frame_place,
    input wire [LEN_W-1:0] frame_len,
    input wire             frame_valid,
    input  wire cut,
    output wire partial,
    input  wire [STREAM_W-1:0] s_data,
    input  wire [STREAM_W/32-1:0] s_keep,
    input  wire [15:0] s_user,
    input  wire        s_valid,
    output wire        s_ready,
    output wire [DATA_W-1:0] m_data,
    output wire [ Words-1:0] m_keep,
    output wire [      15:0] m_user,
    output wire              m_last,
    output wire              m_valid,
    input  wire              m_ready
);
endmodule

module saturating_counter #(
    parameter int unsigned WIDTH = 32
) (
    input  wire             clk,
    input  wire             clear,
    input  wire             count,
    output wire [WIDTH-1:0] value
);
endmodule
