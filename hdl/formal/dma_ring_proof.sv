// SPDX-License-Identifier: Apache-2.0

// dma_ring, by induction, over a fetcher and a writer of statuses that do anything:
//
//   - A descriptor is given as a command, in whole, if the engine can do it, nothing is refused or
//     unreadable, and fewer than 64 frames are without a written status; else none.
//   - The first that the engine cannot do is a fault, and nothing is given from it on until `enable`
//     falls. A fault of the fetcher or of the writer is one, too, and so is a ring that does not begin at a
//     multiple of its size: the fetcher is then not enabled.
//   - Each frame that is done has its status at once: number and round count the frames since `enable`
//     rose, length, error, end of block, signal and time stamp are those of the frame.
//   - It is idle when the fetcher and the writer are and no frame is without its status.
//   - All else goes to the fetcher and the writer and comes from them as it is.
//
// That the fetcher gives the descriptors in their order is proven by ring_fetch, that statuses come to
// their places by status_ring, and dma_ring puts the two together.
module dma_ring_proof #(
    parameter int unsigned ADDR_W = 40,
    parameter int unsigned DATA_W = 128,
    parameter int unsigned LEN_W = 12,
    parameter bit WORD_ALIGNED = 1'b1,
    parameter bit REALIGN = 1'b0,
    parameter int unsigned INDEX_W = 6,
    parameter int unsigned BURST = 16,
    parameter int unsigned FRAMES = 32,
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4
) (
    input wire               clk,
    input wire               rst,
    input wire               enable,
    input wire               cyclic,
    input wire [ ADDR_W-1:0] descriptor_base,
    input wire [ ADDR_W-1:0] status_base,
    input wire [        2:0] log2_entries,
    input wire [INDEX_W-1:0] tail,
    input wire [       15:0] patience,
    input wire [       15:0] now,
    input wire               go_ready,
    input wire               done,
    input wire [  LEN_W-1:0] done_len,
    input wire [       15:0] done_user,
    input wire               done_eob,
    input wire [        1:0] done_error,
    input wire               axi_arready,
    input wire [ DATA_W-1:0] axi_rdata,
    input wire [        1:0] axi_rresp,
    input wire               axi_rlast,
    input wire               axi_rvalid,
    input wire               axi_awready,
    input wire               axi_wready,
    input wire [        1:0] axi_bresp,
    input wire               axi_bvalid
);

  wire [INDEX_W-1:0] mask = INDEX_W'((1 << log2_entries) - 1);

  wire idle, fault, go_valid, axi_arvalid, axi_awvalid, axi_wlast, axi_wvalid;
  wire [INDEX_W-1:0] written;
  wire [ADDR_W-1:0] go_addr, axi_araddr, axi_awaddr;
  wire [LEN_W-1:0] go_len;
  wire [15:0] go_user;
  wire [BurstW-1:0] axi_arlen, axi_awlen;
  wire [DATA_W-1:0] axi_wdata;
  wire [DATA_W/8-1:0] axi_wstrb;
  dma_ring #(
      .ADDR_W(ADDR_W),
      .DATA_W(DATA_W),
      .LEN_W(LEN_W),
      .WORD_ALIGNED(WORD_ALIGNED),
      .REALIGN(REALIGN),
      .INDEX_W(INDEX_W),
      .BURST(BURST),
      .FRAMES(FRAMES)
  ) dut (
      .*
  );

  // ---- what an engine can do -------------------------------------------------------------------------

  typedef struct packed {
    logic [15:0] software;
    logic [15:0] user;
    logic [31:0] bytes;
    logic [63:0] address;
  } descriptor_t;
  wire descriptor_t asked = dut.fetch.descriptor, arriving = dut.fetch.arriving;

  localparam int unsigned Whole = REALIGN ? 1 : 4;  // what a length is a multiple of
  localparam int unsigned Aligned = REALIGN ? 1 : WORD_ALIGNED ? 4 : DATA_W / 8;
  wire can = dut.fetch.fits;  // as was said when it came, which ring_fetch proves

  // ---- history ---------------------------------------------------------------------------------------

  reg started_reg = 1'b0;
  reg [6:0] open_reg;  // frames that have no written status
  reg [INDEX_W:0] ended_reg;  // frames done: as many as a ring and its next round have
  reg refused_reg, on_reg, astray_reg;
  reg [2:0] log2_reg;
  wire go = go_valid && go_ready;
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    on_reg <= enable && !rst;
    astray_reg <= (descriptor_base & ((ADDR_W'(16) << log2_entries) - 1'b1)) != '0 ||
        (status_base & ((ADDR_W'(8) << log2_entries) - 1'b1)) != '0;
    log2_reg <= log2_entries;
    open_reg <= open_reg + 7'(go) - 7'(dut.statuses.left);
    ended_reg <= ended_reg + (INDEX_W + 1)'(done);
    if (dut.fetch.valid && !can) refused_reg <= 1'b1;
    if (rst || !enable) begin
      open_reg <= '0;
      ended_reg <= '0;
      refused_reg <= 1'b0;
    end
  end

  wire [63:0] told = dut.statuses.status;

  always_comb begin
    if (!started_reg) assume (rst);
    // Rings of 16 entries at least, up to the longest, whose length stays while they are used.
    assume (log2_entries >= 3'd4 && log2_entries <= 3'(INDEX_W));
    if (on_reg) assume (log2_entries == log2_reg);
    // Whoever is enabled has begun every frame whose status leaves.
    if (enable) assume (!dut.statuses.left || open_reg != '0);

    if (started_reg) begin
      assert (go_valid == (dut.fetch.valid && can && !refused_reg && !dut.fetch.fault &&
                           open_reg < 7'd64));
      if (go_valid)
        assert (go_addr == asked.address[ADDR_W-1:0] && go_len == asked.bytes[LEN_W-1:0] &&
                go_user == asked.user);
      assert (fault == (refused_reg || dut.fetch.fault || dut.statuses.fault || (enable && astray_reg)));
      assert (idle == (dut.fetch.idle && dut.statuses.idle && open_reg == '0));

      assert (dut.fetch.arriving_fits ==
              (arriving.bytes >= 32'(Whole) && arriving.bytes < 32'(1 << LEN_W) &&
               arriving.bytes % 32'(Whole) == '0 && arriving.address < 64'(1) << ADDR_W &&
               arriving.address % 64'(Aligned) == '0));
      assert (dut.statuses.valid == done);
      if (done) begin
        assert (told[63:32] == {now, done_user} && told[24:22] == {done_error, done_eob});
        assert (told[26] == ended_reg[log2_entries]);
        if (REALIGN)
          assert ({told[21:0], told[27], told[25]} == 24'(done_len) &&
                  told[31:28] == ended_reg[3:0]);
        else
          assert (told[21:0] == 22'(done_len[LEN_W-1:2]) && told[31:27] == ended_reg[4:0] &&
                  !told[25]);
      end

      assert (dut.fetch.enable == (enable && !astray_reg) && dut.statuses.enable == enable);
      assert (dut.fetch.rst == rst && dut.statuses.rst == rst);
      assert (dut.fetch.cyclic == cyclic && dut.fetch.base == descriptor_base &&
              dut.fetch.mask == mask && dut.fetch.tail == tail && dut.fetch.ready == go);
      assert (dut.statuses.base == status_base && dut.statuses.mask == mask &&
              dut.statuses.patience == patience && written == dut.statuses.written);
      assert (dut.fetch.axi_arready == axi_arready && dut.fetch.axi_rdata == axi_rdata &&
              dut.fetch.axi_rresp == axi_rresp && dut.fetch.axi_rlast == axi_rlast &&
              dut.fetch.axi_rvalid == axi_rvalid);
      assert (axi_araddr == dut.fetch.axi_araddr && axi_arlen == dut.fetch.axi_arlen &&
              axi_arvalid == dut.fetch.axi_arvalid);
      assert (dut.statuses.axi_awready == axi_awready && dut.statuses.axi_wready == axi_wready &&
              dut.statuses.axi_bresp == axi_bresp && dut.statuses.axi_bvalid == axi_bvalid);
      assert (axi_awaddr == dut.statuses.axi_awaddr && axi_awlen == dut.statuses.axi_awlen &&
              axi_awvalid == dut.statuses.axi_awvalid && axi_wvalid == dut.statuses.axi_wvalid);
      assert (axi_wdata == dut.statuses.axi_wdata && axi_wstrb == dut.statuses.axi_wstrb &&
              axi_wlast == dut.statuses.axi_wlast);

      // The registers are those of the history.
      assert (dut.held_reg == open_reg && open_reg <= 7'd64);
      assert (dut.number_reg == ended_reg && dut.refused_reg == refused_reg);

      cover (open_reg == 7'd3 && done && ended_reg == 2);
      cover (refused_reg && open_reg == 7'd1 && !fault == 1'b0);
      cover (dut.fetch.valid && !go_valid && !fault && on_reg);
    end
  end

endmodule

// A fetcher and a writer that do anything: no output has a driver.
module ring_fetch #(
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned DEPTH = 32,
    parameter int unsigned INDEX_W = 16,
    parameter int unsigned BURST = 16,
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4
) (
    input  wire               clk,
    input  wire               rst,
    input  wire               enable,
    output wire               idle,
    output wire               fault,
    input  wire               cyclic,
    input  wire [ ADDR_W-1:0] base,
    input  wire [INDEX_W-1:0] mask,
    input  wire [INDEX_W-1:0] tail,
    output wire [      127:0] arriving,
    input  wire               arriving_fits,
    output wire [      127:0] descriptor,
    output wire               fits,
    output wire               valid,
    input  wire               ready,
    output wire [ ADDR_W-1:0] axi_araddr,
    output wire [BurstW-1:0] axi_arlen,
    output wire               axi_arvalid,
    input  wire               axi_arready,
    input  wire [ DATA_W-1:0] axi_rdata,
    input  wire [        1:0] axi_rresp,
    input  wire               axi_rlast,
    input  wire               axi_rvalid
);
endmodule

module status_ring #(
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned DEPTH = 64,
    parameter int unsigned INDEX_W = 16,
    parameter int unsigned BURST = 16,
    parameter int unsigned OPEN_BURSTS = 1,
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                enable,
    output wire                idle,
    output wire                fault,
    input  wire [  ADDR_W-1:0] base,
    input  wire [ INDEX_W-1:0] mask,
    output wire [ INDEX_W-1:0] written,
    input  wire [        15:0] patience,
    input  wire [        63:0] status,
    input  wire                valid,
    output wire                left,
    output wire [  ADDR_W-1:0] axi_awaddr,
    output wire [BurstW-1:0] axi_awlen,
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
endmodule
