// SPDX-License-Identifier: Apache-2.0

// dma_core by itself, over engines, rings, queues and joins that do anything; it has no state of its own:
//
//   - A direction's commands come from its ring while that is enabled, else from its port, and each goes
//     to the engine and out of where it came from in the same cycle; none during a flush, or when what
//     is to be known of its frame has no place. `next_` tells of it.
//   - What is known of a frame to logic waits in two queues: its signal until its last beat has left, both
//     until it is done. The signal of one from logic comes with the beat that ends it.
//   - The end of a frame is told to its ring, if enabled, else to the port. `ended` is either.
//   - Each master of the bus has its place at the joins: the descriptors of both directions, the data to
//     logic; the statuses of both, the data from logic. Statuses are beats of 8 bytes at most.
//   - A direction is idle if its engine and its ring are. A flush is of its own direction alone.
module dma_core_proof #(
    parameter int unsigned ADDR_W = 16,
    parameter int unsigned DATA_W = 128,
    parameter int unsigned LEN_W = 10,
    parameter bit REALIGN = 1'b0,
    parameter int unsigned INDEX_W = 6,
    parameter int unsigned BURST = 16,
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4,
    localparam int unsigned Lanes = REALIGN ? DATA_W / 8 : DATA_W / 32
) (
    input wire                    clk,
    input wire                    rst,
    input wire [1:0]              flush,
    input wire [1:0]              ring_enable,
    input wire [1:0]              ring_cyclic,
    input wire [1:0][ ADDR_W-1:0] ring_descriptors,
    input wire [1:0][ ADDR_W-1:0] ring_statuses,
    input wire [1:0][INDEX_W-1:0] ring_mask,
    input wire [1:0][INDEX_W-1:0] ring_tail,
    input wire [1:0][       15:0] ring_patience,
    input wire [15:0]             now,
    input wire [1:0][ ADDR_W-1:0] cmd_addr,
    input wire [1:0][  LEN_W-1:0] cmd_len,
    input wire [1:0][       15:0] cmd_user,
    input wire [1:0]              cmd_valid,
    input wire                    m_ready,
    input wire [DATA_W-1:0]       s_data,
    input wire [ Lanes-1:0]       s_keep,
    input wire [      15:0]       s_user,
    input wire                    s_last,
    input wire                    s_valid,
    input wire                    axi_arready,
    input wire [       1:0]       axi_rid,
    input wire [DATA_W-1:0]       axi_rdata,
    input wire [       1:0]       axi_rresp,
    input wire                    axi_rlast,
    input wire                    axi_rvalid,
    input wire                    axi_awready,
    input wire                    axi_wready,
    input wire [       1:0]       axi_bid,
    input wire [       1:0]       axi_bresp,
    input wire                    axi_bvalid
);

  wire [1:0] idle, ring_fault, cmd_ready, done_valid, done_eob, ended;
  wire [1:0][INDEX_W-1:0] ring_written;
  wire [1:0][LEN_W-1:0] done_len;
  wire [1:0][15:0] done_user;
  wire [1:0][1:0] done_error;
  wire [DATA_W-1:0] m_data, axi_wdata;
  wire [Lanes-1:0] m_keep;
  wire [15:0] m_user;
  wire m_last, m_valid, s_ready, next_taken;
  wire [ADDR_W-1:0] next_addr, axi_araddr, axi_awaddr;
  wire [LEN_W-1:0] next_len;
  wire [1:0] axi_arid, axi_awid, axi_wid;
  wire [BurstW-1:0] axi_arlen, axi_awlen;
  wire [2:0] axi_awsize;
  wire axi_arvalid, axi_rready, axi_awvalid, axi_wlast, axi_wvalid, axi_bready;
  wire [DATA_W/8-1:0] axi_wstrb;
  dma_core #(
      .ADDR_W (ADDR_W),
      .DATA_W (DATA_W),
      .LEN_W  (LEN_W),
      .REALIGN(REALIGN),
      .INDEX_W(INDEX_W),
      .BURST  (BURST)
  ) dut (
      .*
  );

  // ---- both engines and both rings, side by side -----------------------------------------------------

  wire [1:0] takes, asks, ends, eob, engine_idle, engine_flush;  // of the engines
  wire [1:0][1:0] error;
  wire [1:0][ADDR_W-1:0] asked_addr;
  wire [1:0][LEN_W-1:0] asked_len, length;
  wire [1:0][15:0] user;
  assign takes = {dut.from_logic.cmd_ready, dut.to_logic.cmd_ready};
  assign asks = {dut.from_logic.cmd_valid, dut.to_logic.cmd_valid};
  assign asked_addr = {dut.from_logic.cmd_addr, dut.to_logic.cmd_addr};
  assign asked_len = {dut.from_logic.cmd_len, dut.to_logic.cmd_len};
  assign ends = {dut.from_logic.status_valid, dut.to_logic.status_valid};
  assign error = {dut.from_logic.status_error, dut.to_logic.status_error};
  assign engine_idle = {dut.from_logic.idle, dut.to_logic.idle};
  assign engine_flush = {dut.from_logic.flush, dut.to_logic.flush};
  localparam int unsigned Unit = REALIGN ? 1 : 4;
  assign length[0] = LEN_W'(dut.finishing.out_data[0+:LEN_W-$clog2(Unit)]) * LEN_W'(Unit);
  assign length[1] = dut.from_logic.status_len;
  assign user = {dut.signals.out_data, dut.finishing.out_data[LEN_W-$clog2(Unit)+:16]};
  assign eob = {dut.from_logic.status_eob, 1'b1};
  wire [1:0] full = {1'b0, dut.leaving.full};

  for (genvar i = 0; i < 2; i++) begin : direction
    wire on = ring_enable[i] && !flush[i];
    wire may = !full[i] && !flush[i];
    always_comb begin
      assert (asks[i] == (may && (ring_enable[i] ? dut.direction[i].ring.go_valid : cmd_valid[i])));
      if (asks[i]) begin
        assert (asked_addr[i] == (ring_enable[i] ? dut.direction[i].ring.go_addr : cmd_addr[i]));
        assert (asked_len[i] == (ring_enable[i] ? dut.direction[i].ring.go_len : cmd_len[i]));
      end
      assert (dut.direction[i].ring.go_ready == (may && ring_enable[i] && takes[i]));
      assert (cmd_ready[i] == (may && !ring_enable[i] && takes[i]));

      assert (ended[i] == ends[i]);
      assert (dut.direction[i].ring.done == (ends[i] && on));
      assert (done_valid[i] == (ends[i] && !ring_enable[i]));
      if (ends[i]) begin
        assert (dut.direction[i].ring.done_len == length[i] && done_len[i] == length[i]);
        assert (dut.direction[i].ring.done_user == user[i] && done_user[i] == user[i]);
        assert (dut.direction[i].ring.done_eob == eob[i] && done_eob[i] == eob[i]);
        assert (dut.direction[i].ring.done_error == error[i] && done_error[i] == error[i]);
      end

      assert (dut.direction[i].ring.rst == rst && dut.direction[i].ring.enable == on);
      assert (idle[i] == (engine_idle[i] && dut.direction[i].ring.idle));
      assert (engine_flush[i] == flush[i]);
      assert (ring_fault[i] == dut.direction[i].ring.fault);
      assert (ring_written[i] == dut.direction[i].ring.written);
      assert (dut.direction[i].ring.cyclic == ring_cyclic[i]);
      assert (dut.direction[i].ring.descriptor_base == ring_descriptors[i]);
      assert (dut.direction[i].ring.status_base == ring_statuses[i]);
      assert (dut.direction[i].ring.mask == ring_mask[i]);
      assert (dut.direction[i].ring.tail == ring_tail[i]);
      assert (dut.direction[i].ring.patience == ring_patience[i]);
      assert (dut.direction[i].ring.now == now);

      assert (dut.read_join.s_araddr[i] == dut.direction[i].ring.axi_araddr);
      assert (dut.read_join.s_arlen[i] == dut.direction[i].ring.axi_arlen);
      assert (dut.read_join.s_arvalid[i] == dut.direction[i].ring.axi_arvalid);
      assert (dut.direction[i].ring.axi_arready == dut.read_join.s_arready[i]);
      assert (dut.direction[i].ring.axi_rvalid == dut.read_join.s_rvalid[i]);
      assert (dut.direction[i].ring.axi_rdata == axi_rdata);
      assert (dut.direction[i].ring.axi_rresp == axi_rresp);
      assert (dut.direction[i].ring.axi_rlast == axi_rlast);
      assert (dut.write_join.s_awaddr[i] == dut.direction[i].ring.axi_awaddr);
      assert (dut.write_join.s_awlen[i] == dut.direction[i].ring.axi_awlen);
      assert (dut.write_join.s_awvalid[i] == dut.direction[i].ring.axi_awvalid);
      assert (dut.direction[i].ring.axi_awready == dut.write_join.s_awready[i]);
      assert (dut.write_join.s_wdata[i] == dut.direction[i].ring.axi_wdata);
      assert (dut.write_join.s_wstrb[i] == dut.direction[i].ring.axi_wstrb);
      assert (dut.write_join.s_wlast[i] == dut.direction[i].ring.axi_wlast);
      assert (dut.write_join.s_wvalid[i] == dut.direction[i].ring.axi_wvalid);
      assert (dut.direction[i].ring.axi_wready == dut.write_join.s_wready[i]);
      assert (dut.direction[i].ring.axi_bvalid == dut.write_join.s_bvalid[i]);
      assert (dut.direction[i].ring.axi_bresp == axi_bresp);
    end
  end

  // ---- frames and streams ----------------------------------------------------------------------------

  wire [15:0] begun_user = ring_enable[0] ? dut.direction[0].ring.go_user : cmd_user[0];
  always_comb begin
    assert (dut.leaving.rst == (rst || flush[0]) && dut.finishing.rst == (rst || flush[0]));
    assert (dut.leaving.push == (asks[0] && takes[0]));
    assert (dut.finishing.push == (asks[0] && takes[0]));
    if (asks[0])
      assert (dut.leaving.in_data == begun_user && dut.finishing.in_data ==
              {begun_user, asked_len[0][LEN_W-1:$clog2(Unit)]});
    assert (dut.leaving.pop == (m_valid && m_ready && m_last));
    assert (m_user == dut.leaving.out_data && dut.finishing.pop == ends[0]);
    assert (dut.signals.rst == (rst || flush[1]) && dut.signals.in_data == s_user);
    assert (dut.signals.push == (s_valid && s_ready && dut.from_logic.s_final));
    assert (dut.signals.pop == ends[1]);
    assert (next_taken == (asks[1] && takes[1]));
    if (next_taken) assert (next_addr == asked_addr[1] && next_len == asked_len[1]);

    assert (dut.to_logic.rst == rst && dut.from_logic.rst == rst);
    assert (m_data == dut.to_logic.m_data && m_keep == dut.to_logic.m_keep &&
            m_last == dut.to_logic.m_last && m_valid == dut.to_logic.m_valid &&
            dut.to_logic.m_ready == m_ready);
    assert (dut.from_logic.s_data == s_data && dut.from_logic.s_keep == s_keep &&
            dut.from_logic.s_last == s_last && dut.from_logic.s_valid == s_valid &&
            s_ready == dut.from_logic.s_ready);

    assert (dut.read_join.rst == rst && dut.write_join.rst == rst);
    assert (dut.read_join.s_araddr[2] == dut.to_logic.axi_araddr);
    assert (dut.read_join.s_arlen[2] == dut.to_logic.axi_arlen);
    assert (dut.read_join.s_arvalid[2] == dut.to_logic.axi_arvalid);
    assert (dut.to_logic.axi_arready == dut.read_join.s_arready[2]);
    assert (dut.to_logic.axi_rvalid == dut.read_join.s_rvalid[2]);
    assert (dut.to_logic.axi_rdata == axi_rdata && dut.to_logic.axi_rresp == axi_rresp &&
            dut.to_logic.axi_rlast == axi_rlast);
    assert (dut.write_join.s_awaddr[2] == dut.from_logic.axi_awaddr);
    assert (dut.write_join.s_awlen[2] == dut.from_logic.axi_awlen);
    assert (dut.write_join.s_awvalid[2] == dut.from_logic.axi_awvalid);
    assert (dut.from_logic.axi_awready == dut.write_join.s_awready[2]);
    assert (dut.write_join.s_wdata[2] == dut.from_logic.axi_wdata);
    assert (dut.write_join.s_wstrb[2] == dut.from_logic.axi_wstrb);
    assert (dut.write_join.s_wlast[2] == dut.from_logic.axi_wlast);
    assert (dut.write_join.s_wvalid[2] == dut.from_logic.axi_wvalid);
    assert (dut.from_logic.axi_wready == dut.write_join.s_wready[2]);
    assert (dut.from_logic.axi_bvalid == dut.write_join.s_bvalid[2]);
    assert (dut.from_logic.axi_bresp == axi_bresp);

    assert (axi_arid == dut.read_join.m_arid && axi_araddr == dut.read_join.m_araddr &&
            axi_arlen == dut.read_join.m_arlen && axi_arvalid == dut.read_join.m_arvalid &&
            axi_rready == dut.read_join.m_rready && dut.read_join.m_arready == axi_arready &&
            dut.read_join.m_rid == axi_rid && dut.read_join.m_rvalid == axi_rvalid);
    assert (axi_awid == dut.write_join.m_awid && axi_awaddr == dut.write_join.m_awaddr &&
            axi_awlen == dut.write_join.m_awlen && axi_awvalid == dut.write_join.m_awvalid &&
            dut.write_join.m_awready == axi_awready);
    assert (axi_wid == dut.write_join.m_wid && axi_wdata == dut.write_join.m_wdata &&
            axi_wstrb == dut.write_join.m_wstrb && axi_wlast == dut.write_join.m_wlast &&
            axi_wvalid == dut.write_join.m_wvalid && dut.write_join.m_wready == axi_wready);
    assert (dut.write_join.m_bid == axi_bid && dut.write_join.m_bvalid == axi_bvalid &&
            axi_bready == dut.write_join.m_bready);
    assert (8'd1 << axi_awsize == (axi_awid == 2'd2 || DATA_W < 64 ? 8'(DATA_W / 8) : 8'd8));

    cover (next_taken && ring_enable == 2'b10 && cmd_ready[0] && flush == '0);
    cover (ends == 2'b11 && ring_enable == 2'b01 && flush == 2'b01);
  end

endmodule

// Engines, rings, queues and joins that do anything: no output has a driver.
module dma_read #(
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 20,
    parameter int unsigned FIFO_DEPTH = 512,
    parameter int unsigned BURST = 16,
    parameter int unsigned OPEN_BURSTS = 32,
    parameter bit WORD_ALIGNED = 1'b0,
    parameter bit REALIGN = 1'b0,
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4,
    localparam int unsigned UnitW = REALIGN ? 0 : 2,
    localparam int unsigned Lanes = DATA_W / 8 >> UnitW
) (
    input wire clk,
    input wire rst,
    input  wire flush,
    output wire idle,
    input  wire [ADDR_W-1:0] cmd_addr,
    input  wire [ LEN_W-1:0] cmd_len,
    input  wire              cmd_valid,
    output wire              cmd_ready,
    output wire [DATA_W-1:0] m_data,
    output wire [ Lanes-1:0] m_keep,
    output wire              m_last,
    output wire              m_valid,
    input  wire              m_ready,
    output wire [1:0] status_error,
    output wire       status_valid,
    output wire [ADDR_W-1:0] axi_araddr,
    output wire [BurstW-1:0] axi_arlen,
    output wire              axi_arvalid,
    input  wire              axi_arready,
    input  wire [DATA_W-1:0] axi_rdata,
    input  wire [       1:0] axi_rresp,
    input  wire              axi_rlast,
    input  wire              axi_rvalid,
    output wire              axi_rready
);
endmodule

module dma_write #(
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 20,
    parameter int unsigned FIFO_DEPTH = 512,
    parameter int unsigned BURST = 16,
    parameter int unsigned OPEN_BURSTS = 32,
    parameter int unsigned AW_LEAD = 1,
    parameter bit WORD_ALIGNED = 1'b0,
    parameter bit REALIGN = 1'b0,
    parameter bit CUT_THROUGH = 1'b0,
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4,
    localparam int unsigned UnitW = REALIGN ? 0 : 2,
    localparam int unsigned Lanes = DATA_W / 8 >> UnitW
) (
    input wire clk,
    input wire rst,
    input  wire flush,
    output wire idle,
    input  wire [ADDR_W-1:0] cmd_addr,
    input  wire [ LEN_W-1:0] cmd_len,
    input  wire              cmd_valid,
    output wire              cmd_ready,
    input  wire [DATA_W-1:0] s_data,
    input  wire [ Lanes-1:0] s_keep,
    input  wire              s_last,
    input  wire              s_valid,
    output wire              s_ready,
    output wire              s_final,
    output wire [LEN_W-1:0] status_len,
    output wire             status_eob,
    output wire [      1:0] status_error,
    output wire             status_valid,
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
    input  wire                axi_bvalid,
    output wire                axi_bready
);
endmodule

module dma_ring #(
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 24,
    parameter bit WORD_ALIGNED = 1'b1,
    parameter bit REALIGN = 1'b0,
    parameter int unsigned INDEX_W = 16,
    parameter int unsigned BURST = 16,
    parameter int unsigned FRAMES = 32,
    parameter int unsigned STATUS_BURSTS = 1,
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
    input  wire [INDEX_W-1:0] mask,
    input  wire [INDEX_W-1:0] tail,
    output wire [INDEX_W-1:0] written,
    input  wire [       15:0] patience,
    input  wire [       15:0] now,
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
    output wire [BurstW-1:0] axi_arlen,
    output wire                axi_arvalid,
    input  wire                axi_arready,
    input  wire [  DATA_W-1:0] axi_rdata,
    input  wire [         1:0] axi_rresp,
    input  wire                axi_rlast,
    input  wire                axi_rvalid,
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

module fifo_table #(
    parameter int unsigned WIDTH = 8,
    parameter int unsigned DEPTH = 32
) (
    input wire clk,
    input wire rst,
    input  wire             push,
    input  wire [WIDTH-1:0] in_data,
    output wire             full,
    input  wire             pop,
    output wire [WIDTH-1:0] out_data,
    output wire             empty
);
endmodule

module axi_join_read #(
    parameter int unsigned N = 3,
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned BURST = 16,
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4,
    localparam int unsigned IdW = $clog2(N)
) (
    input wire clk,
    input wire rst,
    input  wire [N-1:0][ADDR_W-1:0] s_araddr,
    input  wire [N-1:0][BurstW-1:0] s_arlen,
    input  wire [N-1:0]             s_arvalid,
    output wire [N-1:0]             s_arready,
    output wire [N-1:0]             s_rvalid,
    output wire [   IdW-1:0] m_arid,
    output wire [ADDR_W-1:0] m_araddr,
    output wire [BurstW-1:0] m_arlen,
    output wire              m_arvalid,
    input  wire              m_arready,
    input  wire [   IdW-1:0] m_rid,
    input  wire              m_rvalid,
    output wire              m_rready
);
endmodule

module axi_join_write #(
    parameter int unsigned N = 3,
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned BURST = 16,
    localparam int unsigned BurstW = BURST > 16 ? 8 : 4,
    localparam int unsigned IdW = $clog2(N)
) (
    input wire clk,
    input wire rst,
    input  wire [N-1:0][  ADDR_W-1:0] s_awaddr,
    input  wire [N-1:0][BurstW-1:0] s_awlen,
    input  wire [N-1:0]               s_awvalid,
    output wire [N-1:0]               s_awready,
    input  wire [N-1:0][  DATA_W-1:0] s_wdata,
    input  wire [N-1:0][DATA_W/8-1:0] s_wstrb,
    input  wire [N-1:0]               s_wlast,
    input  wire [N-1:0]               s_wvalid,
    output wire [N-1:0]               s_wready,
    output wire [N-1:0]               s_bvalid,
    output wire [     IdW-1:0] m_awid,
    output wire [  ADDR_W-1:0] m_awaddr,
    output wire [BurstW-1:0] m_awlen,
    output wire                m_awvalid,
    input  wire                m_awready,
    output wire [     IdW-1:0] m_wid,
    output wire [  DATA_W-1:0] m_wdata,
    output wire [DATA_W/8-1:0] m_wstrb,
    output wire                m_wlast,
    output wire                m_wvalid,
    input  wire                m_wready,
    input  wire [     IdW-1:0] m_bid,
    input  wire                m_bvalid,
    output wire                m_bready
);
endmodule
