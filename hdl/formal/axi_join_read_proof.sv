// SPDX-License-Identifier: Apache-2.0

// axi_join_read, by induction: a burst that the bus takes is that of exactly one master, whose number
// is its identifier; each master's own view of the bus keeps the slave's rules, so no burst is lost or
// answered to another; an address once shown stays, and its identifier with it.
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
    input wire [N-1:0]              pick
);

  localparam int unsigned C = 6;

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

  wire [N-1:0] taken = s_arvalid & s_arready;
  wire [N-1:0][C-1:0] given, asked;  // bursts owed, as the slave counts and as the master does
  wire [N-1:0][C-1:0] given_beats, asked_beats,
      given_ahead, asked_ahead, given_before, asked_before;
  wire [N-1:0] given_followed, asked_followed;
  wire [N-1:0][4:0] given_left, asked_left;
  for (genvar i = 0; i < N; i++) begin : master
    axi_read_rules #(
        .PROVE_MASTER(0),
        .PROVE_SLAVE(1),
        .ADDR_W(ADDR_W),
        .COUNT_W(C)
    ) own (
        .clk,
        .rst,
        .pick(pick[i]),
        .araddr(s_araddr[i]),
        .arlen(s_arlen[i]),
        .arvalid(s_arvalid[i]),
        .arready(s_arready[i]),
        .rlast(m_rlast),
        .rvalid(s_rvalid[i]),
        .rready(1'b1),
        .bursts(asked[i]),
        .beats(asked_beats[i]),
        .in_burst(),
        .picked(),
        .followed(asked_followed[i]),
        .bursts_ahead(asked_ahead[i]),
        .beats_ahead(asked_before[i]),
        .length(),
        .left(asked_left[i])
    );
    axi_read_rules #(
        .ADDR_W (ADDR_W),
        .COUNT_W(C)
    ) bus (
        .clk,
        .rst,
        .pick(pick[i]),
        .araddr(m_araddr),
        .arlen(m_arlen),
        .arvalid(m_arvalid && m_arid == IdW'(i)),
        .arready(m_arready),
        .rlast(m_rlast),
        .rvalid(m_rvalid && m_rid == IdW'(i)),
        .rready(m_rready),
        .bursts(given[i]),
        .beats(given_beats[i]),
        .in_burst(),
        .picked(),
        .followed(given_followed[i]),
        .bursts_ahead(given_ahead[i]),
        .beats_ahead(given_before[i]),
        .length(),
        .left(given_left[i])
    );
  end

  reg started_reg = 1'b0;
  reg held_reg;
  reg [IdW-1:0] id_reg;
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    held_reg <= m_arvalid && !m_arready && !rst;
    id_reg <= m_arid;
  end

  always_comb begin
    if (!started_reg) assume (rst);
    for (int unsigned i = 0; i < N; i++) begin
      // Few enough that the counts do not turn over.
      if (asked_beats[i] > C'(40)) assume (!s_arready[i]);
    end
    if (32'(m_rid) >= N) assume (!m_rvalid);
    if (started_reg) begin
      assert ($onehot0(taken) && (m_arvalid && m_arready) == |taken);
      if (!rst) assert (m_arvalid == |s_arvalid);
      for (int unsigned i = 0; i < N; i++) begin
        if (taken[i])
          assert (m_arid == IdW'(i) && m_araddr == s_araddr[i] && m_arlen == s_arlen[i]);
        assert (asked_beats[i] <= C'(56));
        assert (given[i] == asked[i] && given_beats[i] == asked_beats[i]);
        assert (given_followed[i] == asked_followed[i]);
        if (given_followed[i])
          assert (given_ahead[i] == asked_ahead[i] && given_before[i] == asked_before[i] &&
                  given_left[i] == asked_left[i]);
      end
      assert (s_rvalid == (m_rvalid ? N'(1) << m_rid : '0));
      if (held_reg && !rst) assert (m_arvalid && m_arid == id_reg);
      assert (dut.holding_reg == held_reg);
      if (held_reg) assert (dut.held_reg == id_reg && 32'(id_reg) < N);

      cover (given[0] != '0 && given[1] != '0 && given[2] != '0 && m_rvalid && m_rid == 2);
      cover (held_reg && m_arid == 2 && s_arvalid == '1 && m_arready);
    end
  end

  // What the bus is shown, the master whose it is has shown before.
  for (genvar i = 0; i < N; i++) begin : shown
    always_comb
      if (started_reg && !rst && held_reg && id_reg == IdW'(i)) assert (master[i].own.held_reg);
  end

endmodule
