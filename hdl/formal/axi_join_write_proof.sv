// SPDX-License-Identifier: Apache-2.0

// axi_join_write, by induction: a burst that the bus takes is that of exactly one master, whose number
// is its identifier; data go out in the order of addresses, each burst's from the master that shows it,
// whole, never waiting for AWREADY; an answer goes to the master whose identifier it has and to no
// other; an address is shown as soon as a master shows it and there is a place, the lowest first, and
// then stays; and the bus rules of the whole (data never before their address, WLAST).
module axi_join_write_proof #(
    parameter int unsigned N = 2,
    parameter int unsigned ADDR_W = 13,
    parameter int unsigned DATA_W = 32,
    localparam int unsigned IdW = $clog2(N)
) (
    input wire                      clk,
    input wire                      rst,
    input wire [N-1:0][  ADDR_W-1:0] s_awaddr,
    input wire [N-1:0][         3:0] s_awlen,
    input wire [N-1:0]               s_awvalid,
    input wire [N-1:0][  DATA_W-1:0] s_wdata,
    input wire [N-1:0][DATA_W/8-1:0] s_wstrb,
    input wire [N-1:0]               s_wlast,
    input wire [N-1:0]               s_wvalid,
    input wire                       m_awready,
    input wire                       m_wready,
    input wire [IdW-1:0]             m_bid,
    input wire                       m_bvalid
);

  localparam int unsigned C = 5;
  localparam int unsigned Own = 5;  // bursts that a master has shown and not given, at most
  localparam int unsigned All = 8;  // and the bus, for want of places

  wire [N-1:0] s_awready, s_wready, s_bvalid;
  wire [IdW-1:0] m_awid;
  wire [ADDR_W-1:0] m_awaddr;
  wire [3:0] m_awlen;
  wire m_awvalid, m_wlast, m_wvalid, m_bready;
  wire [DATA_W-1:0] m_wdata;
  wire [DATA_W/8-1:0] m_wstrb;
  axi_join_write #(
      .N(N),
      .ADDR_W(ADDR_W),
      .DATA_W(DATA_W)
  ) dut (
      .clk,
      .rst,
      .s_awaddr,
      .s_awlen,
      .s_awvalid,
      .s_awready,
      .s_wdata,
      .s_wstrb,
      .s_wlast,
      .s_wvalid,
      .s_wready,
      .s_bvalid,
      .m_awid,
      .m_awaddr,
      .m_awlen,
      .m_awvalid,
      .m_awready,
      .m_wdata,
      .m_wstrb,
      .m_wlast,
      .m_wvalid,
      .m_wready,
      .m_bid,
      .m_bvalid,
      .m_bready
  );

  wire [N-1:0] taken = s_awvalid & s_awready;
  wire [N-1:0] gives = s_wvalid & s_wready;
  wire [N-1:0][C-1:0] own_unanswered, own_opened;
  wire [N-1:0][Own-1:0][4:0] own_left;
  wire [N-1:0] own_held;
  wire [N-1:0][3:0] own_awlen;
  for (genvar i = 0; i < N; i++) begin : master
    axi_write_rules #(
        .PROVE_MASTER(0),
        .PROVE_SLAVE(0),
        .ADDR_W(ADDR_W),
        .DATA_W(DATA_W),
        .DEPTH(Own),
        .COUNT_W(C)
    ) own (
        .clk,
        .rst,
        .awaddr(s_awaddr[i]),
        .awlen(s_awlen[i]),
        .awvalid(s_awvalid[i]),
        .awready(s_awready[i]),
        .wdata(s_wdata[i]),
        .wstrb(s_wstrb[i]),
        .wlast(s_wlast[i]),
        .wvalid(s_wvalid[i]),
        .wready(s_wready[i]),
        .bvalid(s_bvalid[i]),
        .bready(1'b1),
        .unanswered(own_unanswered[i]),
        .opened(own_opened[i]),
        .address(),
        .left(own_left[i])
    );
    assign own_held[i]  = own.aw_held_reg;
    assign own_awlen[i] = own.awlen_reg;
  end

  wire [C-1:0] unanswered, opened;
  wire [All-1:0][4:0] left;
  axi_write_rules #(
      .ADDR_W (ADDR_W),
      .DATA_W (DATA_W),
      .DEPTH  (All),
      .COUNT_W(C)
  ) bus (
      .clk,
      .rst,
      .awaddr(m_awaddr),
      .awlen(m_awlen),
      .awvalid(m_awvalid),
      .awready(m_awready),
      .wdata(m_wdata),
      .wstrb(m_wstrb),
      .wlast(m_wlast),
      .wvalid(m_wvalid),
      .wready(m_wready),
      .bvalid(m_bvalid),
      .bready(m_bready),
      .unanswered,
      .opened,
      .address(),
      .left
  );

  reg started_reg = 1'b0;
  reg held_reg;
  reg [IdW-1:0] id_reg;

  // Whose the shown bursts are, in order; by the addresses alone.
  reg [All-1:0][IdW-1:0] whose_reg, whose_next;
  wire done = m_wvalid && m_wready && m_wlast;
  always_comb begin
    whose_next = done ? whose_reg >> IdW : whose_reg;
    for (int unsigned k = 0; k < All; k++)
      if (m_awvalid && !held_reg && opened - C'(done) == C'(k)) whose_next[k] = m_awid;
  end

  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    held_reg <= m_awvalid && !m_awready && !rst;
    id_reg <= m_awid;
    whose_reg <= whose_next;
  end

  wire [3:0] level = dut.order.write_reg - dut.order.read_reg;
  logic [C-1:0] count;
  always_comb begin
    if (!started_reg) assume (rst);
    for (int unsigned i = 0; i < N; i++) begin
      if (own_opened[i] == C'(Own) && !own_held[i]) assume (!s_awvalid[i]);
      if (own_unanswered[i] > C'(10)) assume (!m_awready);
    end
    count = '0;
    if (started_reg) begin
      assert ($onehot0(taken) && (m_awvalid && m_awready) == |taken);
      assert ($onehot0(gives) && (m_wvalid && m_wready) == |gives);
      for (int unsigned i = 0; i < N; i++) begin
        if (taken[i])
          assert (m_awid == IdW'(i) && m_awaddr == s_awaddr[i] && m_awlen == s_awlen[i]);
        if (gives[i])
          assert (whose_reg[0] == IdW'(i) && m_wdata == s_wdata[i] && m_wstrb == s_wstrb[i] &&
                  m_wlast == s_wlast[i]);
      end
      assert (s_bvalid == (m_bvalid ? N'(1) << m_bid : '0));
      if (held_reg && !rst) assert (m_awvalid && m_awid == id_reg && 32'(id_reg) < N);
      assert (dut.holding_reg == held_reg && bus.aw_held_reg == held_reg);
      if (held_reg) assert (dut.held_reg == id_reg);

      // Nothing waits in vain: what is first shown is the lowest master's, if there is a place; the
      // data that are next are shown as soon as their master does.
      if (!held_reg) begin
        assert (m_awvalid == (s_awvalid != '0 && opened < C'(All)));
        if (m_awvalid) assert ((s_awvalid & ((N'(1) << m_awid) - 1'b1)) == '0);
      end
      assert (m_wvalid == (opened != '0 && s_wvalid[whose_reg[0]]));

      // The order table says whose each burst is; a master's bursts are those of its number in it.
      assert (C'(level) == opened);
      for (int unsigned k = 0; k < All; k++)
        if (C'(k) < opened) begin
          assert (dut.order.ram[3'(dut.order.read_reg[2:0] + 3'(k))] == whose_reg[k]);
          assert (32'(whose_reg[k]) < N);
        end
      for (int unsigned i = 0; i < N; i++) begin
        count = '0;
        for (int unsigned k = 0; k < All; k++)
          if (C'(k) < opened && whose_reg[k] == IdW'(i)) begin
            if (count < C'(Own)) assert (left[k] == own_left[i][count[2:0]]);
            count = count + 1'b1;
          end
        // What a master shows and the bus does not yet.
        if (own_held[i] && !(held_reg && id_reg == IdW'(i))) begin
          if (count < C'(Own)) assert (own_left[i][count[2:0]] == 5'(own_awlen[i]) + 1'b1);
          count = count + 1'b1;
        end
        assert (own_opened[i] == count);
      end
      for (int unsigned i = 0; i < N; i++) assert (own_unanswered[i] <= C'(11));
      count = '0;
      for (int unsigned i = 0; i < N; i++) count = count + own_unanswered[i];
      assert (unanswered == count);

      cover (opened == C'(All) && s_wvalid == '1);
      cover (held_reg && !m_awready && m_wvalid && m_wready && m_wlast && opened == C'(1));
      cover (held_reg && m_awid == 1 && s_awvalid == '1 && m_awready);
    end
  end

  // What the bus is shown, the master whose it is has shown before.
  for (genvar i = 0; i < N; i++) begin : shown
    always_comb
      if (started_reg && !rst && held_reg && id_reg == IdW'(i)) assert (own_held[i]);
  end

endmodule
