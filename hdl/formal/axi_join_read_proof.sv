// SPDX-License-Identifier: Apache-2.0

// axi_join_read, by induction: a burst that the bus takes is that of exactly one master, whose number
// is its identifier; any master's own view of the bus keeps the slave's rules (the solver names the
// master), so no burst is lost or answered to another; an address once shown stays, and its
// identifier with it.
module axi_join_read_proof #(
    parameter int unsigned N = 3,
    parameter int unsigned ADDR_W = 14,
    localparam int unsigned IdW = $clog2(N)
) (
    input wire                      clk,
    input wire                      rst,
    input wire [N-1:0][ADDR_W-1:0]  s_araddr,
    input wire [N-1:0][       3:0]  s_arlen,
    input wire [N-1:0]              s_arvalid,
    input wire                      m_arready,
    input wire [  IdW-1:0]          m_rid,
    input wire                      m_rvalid,
    input wire                      m_rlast,
    input wire [  IdW-1:0]          who,
    input wire                      pick
);

  localparam int unsigned C = 5;

  wire [N-1:0] s_arready, s_rvalid;
  wire [IdW-1:0] m_arid;
  wire [ADDR_W-1:0] m_araddr;
  wire [3:0] m_arlen;
  wire m_arvalid, m_rready;
  axi_join_read #(
      .N(N),
      .ADDR_W(ADDR_W)
  ) dut (
      .clk,
      .rst,
      .s_araddr,
      .s_arlen,
      .s_arvalid,
      .s_arready,
      .s_rvalid,
      .m_arid,
      .m_araddr,
      .m_arlen,
      .m_arvalid,
      .m_arready,
      .m_rid,
      .m_rvalid,
      .m_rready
  );

  // The master that is looked at.
  reg [IdW-1:0] who_reg;
  wire [N-1:0] taken = s_arvalid & s_arready;
  wire [C-1:0] given, asked;  // bursts owed, as the slave counts and as the master does
  wire [C-1:0] given_beats, asked_beats, given_ahead, asked_ahead, given_before, asked_before;
  wire given_followed, asked_followed;
  wire [4:0] given_left, asked_left;
  axi_read_rules #(
      .PROVE_MASTER(0),
      .PROVE_SLAVE(1),
      .ADDR_W(ADDR_W),
      .COUNT_W(C)
  ) own (
      .clk,
      .rst,
      .pick,
      .araddr(s_araddr[who_reg]),
      .arlen(s_arlen[who_reg]),
      .arvalid(s_arvalid[who_reg]),
      .arready(s_arready[who_reg]),
      .rlast(m_rlast),
      .rvalid(s_rvalid[who_reg]),
      .rready(1'b1),
      .bursts(asked),
      .beats(asked_beats),
      .in_burst(),
      .picked(),
      .followed(asked_followed),
      .bursts_ahead(asked_ahead),
      .beats_ahead(asked_before),
      .length(),
      .left(asked_left)
  );
  axi_read_rules #(
      .ADDR_W (ADDR_W),
      .COUNT_W(C)
  ) bus (
      .clk,
      .rst,
      .pick,
      .araddr(m_araddr),
      .arlen(m_arlen),
      .arvalid(m_arvalid && m_arid == who_reg),
      .arready(m_arready),
      .rlast(m_rlast),
      .rvalid(m_rvalid && m_rid == who_reg),
      .rready(m_rready),
      .bursts(given),
      .beats(given_beats),
      .in_burst(),
      .picked(),
      .followed(given_followed),
      .bursts_ahead(given_ahead),
      .beats_ahead(given_before),
      .length(),
      .left(given_left)
  );

  reg started_reg = 1'b0;
  reg held_reg;
  reg [IdW-1:0] id_reg;
  reg [N-1:0] waits_reg;  // addresses that a master shows and may not take back
  reg [N-1:0] others_reg;  // masters but the one looked at with a burst that is not answered
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    held_reg <= m_arvalid && !m_arready && !rst;
    id_reg <= m_arid;
    waits_reg <= rst ? '0 : s_arvalid & ~s_arready;
    if (rst) who_reg <= who;
    others_reg <= rst ? '0 : others_reg | taken;
  end

  always_comb begin
    if (!started_reg) assume (rst);
    assume (32'(who) < N);
    assume ((waits_reg & ~s_arvalid) == '0 || rst);
    // Few enough that the counts do not turn over.
    if (asked_beats > C'(14)) assume (!m_arready);
    if (32'(m_rid) >= N) assume (!m_rvalid);
    if (started_reg) begin
      assert (32'(who_reg) < N);
      assert ($onehot0(taken) && (m_arvalid && m_arready) == |taken);
      if (!rst) assert (m_arvalid == |s_arvalid);
      for (int unsigned i = 0; i < N; i++)
        if (taken[i])
          assert (m_arid == IdW'(i) && m_araddr == s_araddr[i] && m_arlen == s_arlen[i]);
      assert (asked_beats <= C'(30));
      assert (given == asked && given_beats == asked_beats && given_followed == asked_followed);
      if (given_followed)
        assert (given_ahead == asked_ahead && given_before == asked_before &&
                given_left == asked_left);
      assert (s_rvalid == (m_rvalid ? N'(1) << m_rid : '0));
      if (held_reg && !rst) assert (m_arvalid && m_arid == id_reg);
      assert (dut.holding_reg == held_reg);
      if (held_reg) assert (dut.held_reg == id_reg && 32'(id_reg) < N && waits_reg[id_reg]);
      // What the bus is shown, the master whose it is has shown before.
      if (!rst && held_reg && id_reg == who_reg) assert (own.held_reg);

      cover (given != '0 && who_reg == 2 && others_reg == '1 && m_rvalid && m_rid == 2);
      cover (held_reg && m_arid == 2 && s_arvalid == '1 && m_arready);
    end
  end

endmodule
