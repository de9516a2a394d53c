// SPDX-License-Identifier: Apache-2.0

// dma_node and its dma_page by themselves, by induction, over a core, queues, packers and counters that do
// anything (dma_node_free.sv):
//
//   - Every register of both directions, after any accesses: what it holds, that it reads as described,
//     and that no other access changes it. An access is answered in its second cycle; a write of less
//     than a word has an error and no effect. A look at 0x300 and on changes nothing.
//   - Commands and what takes their results, each by one access. Each interrupt bit by its condition
//     and its mask, the interrupt by any of them.
//   - A reset lasts until its direction is at rest, also if it is taken back, and takes the ring with it.
//   - A partial frame is ended by hand, or after the time without a word.
//   - What the core, the queues, the packers and the counters are told, and that the streams and the bus
//     are theirs; the attributes of each burst are those of its direction.
module dma_node_proof #(
    parameter int unsigned ADDR_W = 40,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 12,
    parameter int unsigned STREAM_W = 32,
    parameter bit REALIGN = 1'b0,
    localparam int unsigned Words = DATA_W / 32
) (
    input wire              clk,
    input wire              rst,
    input wire [      10:0] bus_address,
    input wire              bus_write,
    input wire [      31:0] bus_wdata,
    input wire [       3:0] bus_strobe,
    input wire              bus_select,
    input wire              m_ready,
    input wire [STREAM_W-1:0] s_data,
    input wire [STREAM_W/32-1:0] s_keep,
    input wire [      15:0] s_user,
    input wire              s_valid,
    input wire              axi_arready,
    input wire [       1:0] axi_rid,
    input wire [DATA_W-1:0] axi_rdata,
    input wire [       1:0] axi_rresp,
    input wire              axi_rlast,
    input wire              axi_rvalid,
    input wire              axi_awready,
    input wire              axi_wready,
    input wire [       1:0] axi_bid,
    input wire [       1:0] axi_bresp,
    input wire              axi_bvalid
);

  wire bus_done, bus_error, irq, m_valid, s_ready, s_flush;
  wire [31:0] bus_rdata;
  wire [STREAM_W-1:0] m_data;
  wire [STREAM_W/32-1:0] m_keep;
  wire [15:0] m_user;
  wire [1:0] axi_arid, axi_awid, axi_wid;
  wire [ADDR_W-1:0] axi_araddr, axi_awaddr;
  wire [3:0] axi_arlen, axi_arcache, axi_awlen, axi_awcache;
  wire [2:0] axi_arprot, axi_awprot, axi_awsize;
  wire [7:0] axi_aruser, axi_awuser;
  wire axi_arvalid, axi_rready, axi_awvalid, axi_wlast, axi_wvalid, axi_bready;
  wire [DATA_W-1:0] axi_wdata;
  wire [DATA_W/8-1:0] axi_wstrb;
  dma_node #(
      .ADDR_W(ADDR_W),
      .DATA_W(DATA_W),
      .STREAM_W(STREAM_W),
      .LEN_W(LEN_W),
      .AXCACHE(4'b1010),
      .REALIGN(REALIGN)
  ) dut (
      .*
  );

  // ---- what the queues, the interrupts' tellers and the counters say and are told ----------------------

  wire [1:0][3:0] free, results;
  wire [1:0][ADDR_W-1:0] result_addr, queue_addr;
  wire [1:0][LEN_W-1:0] result_len, queue_len;
  wire [1:0][15:0] result_user, queue_user;
  wire [1:0][1:0] result_error;
  wire [1:0] tells, idle, fault, queue_new, queue_pop;
  wire [1:0][4:0] counts, clears;
  wire [1:0][4:0][31:0] counted;
  assign idle  = dut.core.idle;
  assign fault = dut.core.ring_fault;
  for (genvar i = 0; i < 2; i++) begin : sides
    assign free[i] = dut.queues[i].queue.free;
    assign results[i] = dut.queues[i].queue.results;
    assign result_addr[i] = dut.queues[i].queue.result_addr;
    assign result_len[i] = dut.queues[i].queue.result_len;
    assign result_user[i] = dut.queues[i].queue.result_user;
    assign result_error[i] = dut.queues[i].queue.result_error;
    assign queue_new[i] = dut.queues[i].queue.new_valid;
    assign queue_addr[i] = dut.queues[i].queue.new_addr;
    assign queue_len[i] = dut.queues[i].queue.new_len;
    assign queue_user[i] = dut.queues[i].queue.new_user;
    assign queue_pop[i] = dut.queues[i].queue.result_pop;
    assign tells[i] = dut.queues[i].teller.tell;
    for (genvar k = 0; k < 5; k++) begin : counters
      assign counts[i][k]  = dut.counters[i].each[k].counter.count;
      assign clears[i][k]  = dut.counters[i].each[k].counter.clear;
      assign counted[i][k] = dut.counters[i].each[k].counter.value;
    end
  end

  // ---- accesses and registers --------------------------------------------------------------------------

  typedef struct packed {
    logic [1:0] control;  // reset, run
    logic [1:0] ring;  // cyclic, enable
    logic [63:0] descriptors, statuses, command;
    logic [15:0] user, mask, tail, patience, attributes;
    logic [31:0] moderation;
    logic flush;
  } side_t;
  side_t [1:0] side_reg;
  reg [15:0] timeout_reg, quiet_reg;
  reg [31:0] armed_reg, value_reg, high_reg;
  reg [19:0] now_reg;
  reg started_reg = 1'b0;
  reg begun_reg, refused_reg, cut_reg;

  wire effect = bus_select && !begun_reg;
  wire set = effect && bus_write && bus_strobe == 4'hF;
  wire read = effect && !bus_write;
  wire [1:0] words_come = {s_valid && s_ready, 1'b0};
  wire waits = dut.from_logic.pack.partial && !words_come[1];
  wire expired = timeout_reg != '0 && quiet_reg >= timeout_reg;

  // The length of a command, a unit at least.
  localparam int unsigned Unit = REALIGN ? 1 : 4;
  logic [LEN_W-1:0] asked;
  always_comb begin
    if (bus_wdata > 2 ** LEN_W - Unit) asked = LEN_W'(2 ** LEN_W - Unit);
    else if (bus_wdata == '0) asked = LEN_W'(Unit);
    else asked = LEN_W'((bus_wdata + (Unit - 1)) / Unit * Unit);
  end

  logic [31:0] level;
  always_comb begin
    level = '0;
    for (int unsigned d = 0; d < 2; d++) begin
      level[16*d] = results[d] != '0;
      level[16*d+1] = tells[d];
      level[16*d+2] = fault[d];
      level[16*d+15] = side_reg[d].control[1] && side_reg[d].flush && idle[d];
    end
  end

  // Where a register of a direction is, in the original's page and in the block of its own.
  function automatic logic [10:0] page(input int unsigned d, input logic [10:0] offset);
    page = offset + (d == 0 ? 11'h060 : 11'h0B0);
  endfunction
  function automatic logic [10:0] block(input int unsigned d, input logic [10:0] offset);
    block = offset + (d == 0 ? 11'h200 : 11'h280);
  endfunction

  logic [31:0] value;
  logic [10:0] at;
  always_comb begin
    value = '0;
    at = bus_address >= 11'h300 && bus_address < 11'h400 ? bus_address - 11'h300 : bus_address;
    if (at == 11'h000) value = 32'h0000_0600;
    if (at == 11'h004) value = 32'h5706_0101;
    if (at == 11'h014) value = 32'h0000_0011;
    if (at == 11'h020) value = armed_reg;
    if (at == 11'h024) value = armed_reg & level;
    if (at == 11'h074) value = 32'(side_reg[0].user);
    if (at == 11'h080) value = result_addr[0][31:0];
    if (at == 11'h08C) value = bus_address == at ? high_reg : 32'(result_addr[0][ADDR_W-1:32]);
    if (at == 11'h084) value = 32'(result_len[0]);
    if (at == 11'h088) value = 32'(result_error[0]);
    if (at == 11'h0D0) value = result_addr[1][31:0];
    if (at == 11'h0DC) value = 32'(result_addr[1][ADDR_W-1:32]);
    if (at == 11'h0D4) value = 32'(result_user[1]);
    if (at == 11'h0D8) value = 32'(result_len[1]);
    if (at == 11'h0E0) value = 32'(result_error[1]);
    if (at == 11'h100) value = 32'h5742_4431;
    if (at == 11'h104)
      value = {8'd16, 8'(LEN_W), 4'd3, REALIGN ? 4'd2 : 4'd1, 7'(ADDR_W), 1'b1};
    for (int unsigned d = 0; d < 2; d++) begin
      if (at == page(d, 11'h00)) value = 32'(side_reg[d].control);
      if (at == page(d, 11'h04)) value = {4'd0, results[d], 4'd0, free[d], 15'd0, idle[d] && free[d] == 4'd8};
      if (at == page(d, 11'h10)) value = side_reg[d].command[31:0];
      if (at == page(d, 11'h1C)) value = side_reg[d].command[63:32];
      if (at == block(d, 11'h00)) value = 32'(side_reg[d].ring);
      if (at == block(d, 11'h04)) value = {30'd0, fault[d], idle[d]};
      if (at == block(d, 11'h08)) value = side_reg[d].descriptors[31:0];
      if (at == block(d, 11'h0C)) value = side_reg[d].descriptors[63:32];
      if (at == block(d, 11'h10)) value = side_reg[d].statuses[31:0];
      if (at == block(d, 11'h14)) value = side_reg[d].statuses[63:32];
      if (at == block(d, 11'h18)) value = 32'(side_reg[d].mask);
      if (at == block(d, 11'h1C)) value = 32'(side_reg[d].tail);
      if (at == block(d, 11'h20)) value = 32'(dut.core.ring_written[d]);
      if (at == block(d, 11'h24)) value = 32'(side_reg[d].patience);
      if (at == block(d, 11'h28)) value = side_reg[d].moderation;
      if (at == block(d, 11'h2C)) value = d == 1 ? 32'(timeout_reg) : '0;
      if (at == block(d, 11'h30)) value = 32'(side_reg[d].attributes);
      for (int unsigned k = 0; k < 5; k++)
        if (at == block(d, 11'(64 + 4 * k))) value = counted[d][k];
    end
  end

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    begun_reg   <= effect && !rst;
    refused_reg <= bus_write && bus_strobe != 4'hF;
    value_reg   <= value;
    now_reg     <= now_reg + 1'b1;
    if (set && bus_address == 11'h028) armed_reg <= armed_reg | bus_wdata;
    if (set && bus_address == 11'h02C) armed_reg <= armed_reg & ~bus_wdata;
    if (set && bus_address == 11'h074) side_reg[0].user <= bus_wdata[15:0];
    if (set && bus_address == block(1, 11'h2C)) timeout_reg <= bus_wdata[15:0];
    if (read && bus_address == 11'h080) high_reg <= 32'(result_addr[0][ADDR_W-1:32]);
    for (int unsigned d = 0; d < 2; d++) begin
      if (set && bus_address == page(d, 11'h00)) side_reg[d].control <= bus_wdata[1:0];
      if (set && bus_address == page(d, 11'h10)) side_reg[d].command[31:0] <= bus_wdata;
      if (set && bus_address == page(d, 11'h1C)) side_reg[d].command[63:32] <= bus_wdata;
      if (set && bus_address == block(d, 11'h00)) side_reg[d].ring <= bus_wdata[1:0];
      if (set && bus_address == block(d, 11'h08)) side_reg[d].descriptors[31:0] <= bus_wdata;
      if (set && bus_address == block(d, 11'h0C)) side_reg[d].descriptors[63:32] <= bus_wdata;
      if (set && bus_address == block(d, 11'h10)) side_reg[d].statuses[31:0] <= bus_wdata;
      if (set && bus_address == block(d, 11'h14)) side_reg[d].statuses[63:32] <= bus_wdata;
      if (set && bus_address == block(d, 11'h18)) side_reg[d].mask <= bus_wdata[15:0];
      if (set && bus_address == block(d, 11'h1C)) side_reg[d].tail <= bus_wdata[15:0];
      if (set && bus_address == block(d, 11'h24)) side_reg[d].patience <= bus_wdata[15:0];
      if (set && bus_address == block(d, 11'h28)) side_reg[d].moderation <= bus_wdata;
      if (set && bus_address == block(d, 11'h30)) side_reg[d].attributes <= bus_wdata[15:0];
      side_reg[d].flush <= side_reg[d].control[1] || (side_reg[d].flush && !idle[d]);
      if (side_reg[d].flush) begin
        side_reg[d].ring[0] <= 1'b0;
        side_reg[d].tail <= '0;
      end
    end
    if (!waits) quiet_reg <= '0;
    else if (now_reg % 64 == '0 && quiet_reg != 16'hFFFF) quiet_reg <= quiet_reg + 1'b1;
    cut_reg <= dut.from_logic.pack.partial &&
        (cut_reg || expired || (set && bus_address == block(1, 11'h34)));
    if (rst) begin
      side_reg <= '0;
      for (int unsigned d = 0; d < 2; d++) begin
        side_reg[d].mask <= 16'd15;
        side_reg[d].attributes <= 16'h000A;
      end
      armed_reg <= '0;
      now_reg <= '0;
      timeout_reg <= '0;
      quiet_reg <= '0;
      cut_reg <= 1'b0;
    end
  end

  always_comb begin
    assume (bus_address[1:0] == 2'b00);
    if (!started_reg) begin
      assume (rst && !bus_select);
      assume (dut.page.popped_high_reg == high_reg);  // reset leaves it
    end
    if (started_reg) begin
      assert (bus_done == begun_reg);
      if (bus_done) assert (bus_rdata == value_reg && bus_error == refused_reg);
      assert (irq == ((armed_reg & level) != '0));
      assert (s_flush == side_reg[1].flush);
      assert (queue_pop == {read && bus_address == 11'h0D8, read && bus_address == 11'h080});
      assert (queue_new == {set && bus_address == 11'h0C8, set && bus_address == 11'h078});
      for (int unsigned d = 0; d < 2; d++)
        if (queue_new[d])
          assert (queue_addr[d] == side_reg[d].command[ADDR_W-1:0] &&
                  queue_len[d] == asked && queue_user[d] == side_reg[d].user);

      assert (dut.core.rst == rst && dut.core.now == now_reg[19:4]);
      assert (dut.split.rst == (rst || side_reg[0].flush));
      assert (dut.from_logic.pack.rst == (rst || side_reg[1].flush) && dut.from_logic.pack.cut == cut_reg);

      // The registers are those of the accesses.
      assert (dut.page.armed_reg == armed_reg && dut.page.now_reg == now_reg && dut.page.cut_reg == cut_reg);
      assert (dut.page.timeout_reg == timeout_reg && dut.page.quiet_reg == quiet_reg);
      assert (dut.page.popped_high_reg == high_reg);

      cover (irq && bus_done && bus_rdata == 32'h0000_8000);
      cover (side_reg[1].flush && !side_reg[1].control[1] && !idle[1] && side_reg[0].ring == 2'b11);
      cover (cut_reg && bus_done && bus_rdata == 32'd7);
    end
  end

  for (genvar i = 0; i < 2; i++) begin : direction
    wire tick = now_reg[5:0] == '0;
    wire side_t is = side_reg[i];
    always_comb
      if (started_reg) begin
        assert (dut.core.flush[i] == is.flush && dut.core.ring_cyclic[i] == is.ring[1]);
        assert (dut.core.ring_enable[i] == (is.ring[0] && is.control[0]));
        assert (dut.core.ring_descriptors[i] == is.descriptors[ADDR_W-1:0]);
        assert (dut.core.ring_statuses[i] == is.statuses[ADDR_W-1:0]);
        assert (dut.core.ring_mask[i] == is.mask && dut.core.ring_tail[i] == is.tail);
        assert (dut.core.ring_patience[i] == is.patience);
        assert (dut.core.cmd_addr[i] == dut.queues[i].queue.go_addr);
        assert (dut.core.cmd_len[i] == dut.queues[i].queue.go_len);
        assert (dut.core.cmd_user[i] == dut.queues[i].queue.go_user);
        assert (dut.core.cmd_valid[i] == dut.queues[i].queue.go_valid);

        assert (dut.queues[i].queue.go_ready == dut.core.cmd_ready[i]);
        assert (dut.queues[i].queue.done == dut.core.done_valid[i]);
        assert (dut.queues[i].queue.done_len == dut.core.done_len[i]);
        assert (dut.queues[i].queue.done_user == dut.core.done_user[i]);
        assert (dut.queues[i].queue.done_error == dut.core.done_error[i]);
        assert (dut.queues[i].queue.rst == (rst || is.flush));
        assert (dut.queues[i].queue.run == is.control[0]);

        assert (dut.queues[i].teller.rst == (rst || !is.ring[0]));
        assert (dut.queues[i].teller.tick == tick);
        assert (dut.queues[i].teller.frames == is.moderation[15:0]);
        assert (dut.queues[i].teller.patience == is.moderation[31:16]);
        assert (dut.queues[i].teller.finished == dut.core.ring_written[i]);
        assert (dut.queues[i].teller.drained ==
                (dut.core.ring_written[i] == is.tail && !is.ring[1]));
        assert (dut.queues[i].teller.acknowledge ==
                (set && bus_address == 11'h02C && bus_wdata[16*i+1]));

        assert (clears[i] == {5{rst || (set && bus_address >= block(i, 11'h40) &&
                                        bus_address <= block(i, 11'h50))}});
        assert (counts[i][0] == dut.core.ended[i]);
        assert (counts[i][4] == (dut.core.ended[i] && dut.core.done_error[i] != '0));

        assert ({dut.page.reset_reg[i], dut.page.run_reg[i]} == is.control && dut.page.flush_reg[i] == is.flush);
        assert ({dut.page.cyclic_reg[i], dut.page.ring_reg[i]} == is.ring && dut.page.addr_reg[i] == is.command);
        assert (dut.page.descriptors_reg[i] == is.descriptors && dut.page.statuses_reg[i] == is.statuses);
        assert (dut.page.user_reg[i] == is.user && dut.page.mask_reg[i] == is.mask);
        assert (dut.page.tail_reg[i] == is.tail && dut.page.status_patience_reg[i] == is.patience);
        assert (dut.page.frames_reg[i] == is.moderation[15:0]);
        assert (dut.page.ticks_reg[i] == is.moderation[31:16]);
        assert (dut.page.attributes_reg[i] == is.attributes);
      end
  end

  // ---- streams and bus -----------------------------------------------------------------------------------

  // By bytes where frames begin anywhere.
  localparam int unsigned Lanes = REALIGN ? 4 * Words : Words;
  wire [Lanes-1:0] keep = dut.core.m_keep;
  wire [15:0] ar = side_reg[axi_arid==2'd1].attributes, aw = side_reg[axi_awid!=2'd0].attributes;
  always_comb begin
    if (started_reg) begin
      for (int unsigned w = 0; w < Words; w++)
        assert (dut.split.s_keep[w] == keep[w*Lanes/Words]);
      for (int unsigned b = 0; b < DATA_W / 8; b++)
        assert (dut.split.s_data[8*b+:8] == (REALIGN && !keep[b*Lanes*8/DATA_W] ? '0 :
                                             dut.core.m_data[8*b+:8]));
      assert (dut.split.s_user == dut.core.m_user && dut.split.s_valid == dut.core.m_valid);
      assert (dut.core.m_ready == dut.split.s_ready && dut.split.m_ready == m_ready);
      assert (m_data == dut.split.m_data && m_keep == dut.split.m_keep && m_user == dut.split.m_user &&
              m_valid == dut.split.m_valid);

      assert (dut.from_logic.pack.s_data == s_data && dut.from_logic.pack.s_user == s_user && dut.from_logic.pack.s_valid == s_valid);
      assert (s_ready == dut.from_logic.pack.s_ready && dut.from_logic.pack.m_ready == dut.core.s_ready);
      assert (dut.core.s_data == dut.from_logic.pack.m_data && dut.core.s_user == dut.from_logic.pack.m_user &&
              dut.core.s_last == dut.from_logic.pack.m_last && dut.core.s_valid == dut.from_logic.pack.m_valid);
      for (int unsigned k = 0; k < Lanes; k++)
        assert (dut.core.s_keep[k] == dut.from_logic.pack.m_keep[k*Words/Lanes]);
      // A frame of bytes has as many words as hold them, from a word's beginning on.
      assert (dut.from_logic.pack.frame_valid == dut.core.next_taken);
      assert (dut.from_logic.pack.frame_place == (REALIGN ? '0 : dut.core.next_addr[2:0]));
      if (REALIGN)
        assert (dut.from_logic.pack.frame_len[LEN_W:2] == (LEN_W - 1)'((dut.core.next_len + 13'd3) >> 2));
      else assert (dut.from_logic.pack.frame_len == dut.core.next_len);

      assert (counts[0][1] == (axi_rvalid && axi_rid == 2'd2));
      assert (counts[1][1] == (dut.from_logic.pack.m_valid && dut.core.s_ready));
      assert (counts[0][3:2] == {m_valid && !m_ready, m_ready && !m_valid});
      assert (counts[1][3:2] == {s_ready && !s_valid, s_valid && !s_ready});

      assert ({axi_aruser, axi_arprot, axi_arcache} == {ar[15:8], ar[6:0]});
      assert ({axi_awuser, axi_awprot, axi_awcache} == {aw[15:8], aw[6:0]});
      assert (axi_arid == dut.core.axi_arid && axi_araddr == dut.core.axi_araddr &&
              axi_arlen == dut.core.axi_arlen && axi_arvalid == dut.core.axi_arvalid &&
              axi_rready == dut.core.axi_rready && dut.core.axi_arready == axi_arready);
      assert (dut.core.axi_rid == axi_rid && dut.core.axi_rdata == axi_rdata &&
              dut.core.axi_rresp == axi_rresp && dut.core.axi_rlast == axi_rlast &&
              dut.core.axi_rvalid == axi_rvalid);
      assert (axi_awid == dut.core.axi_awid && axi_awaddr == dut.core.axi_awaddr &&
              axi_awlen == dut.core.axi_awlen && axi_awsize == dut.core.axi_awsize &&
              axi_awvalid == dut.core.axi_awvalid && dut.core.axi_awready == axi_awready);
      assert (axi_wid == dut.core.axi_wid && axi_wdata == dut.core.axi_wdata &&
              axi_wstrb == dut.core.axi_wstrb && axi_wlast == dut.core.axi_wlast &&
              axi_wvalid == dut.core.axi_wvalid && dut.core.axi_wready == axi_wready);
      assert (dut.core.axi_bid == axi_bid && dut.core.axi_bresp == axi_bresp &&
              dut.core.axi_bvalid == axi_bvalid && axi_bready == dut.core.axi_bready);
    end
  end

  if (STREAM_W > 32) begin : wide
    always_comb if (started_reg) assert (dut.from_logic.pack.s_keep == s_keep);
  end

endmodule
