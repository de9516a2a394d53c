// SPDX-License-Identifier: Apache-2.0

// axi_cross, by induction, over queues that do anything: each channel goes through a queue of its own,
// whole, with the reset of either end; data of a write are offered, and leave their queue, as soon as the
// address of their burst was offered or is, and not before; what is offered stays. Of addresses taken no
// more than 254 are ahead of their data. That a queue gives what it was given is proven by fifo_async.
module axi_cross_proof (
    input wire       s_clk,
    input wire       s_rst,
    input wire [2:0] s_aw,
    input wire       s_awvalid,
    input wire [3:0] s_w,
    input wire       s_wlast,
    input wire       s_wvalid,
    input wire       s_bready,
    input wire [2:0] s_ar,
    input wire       s_arvalid,
    input wire       s_rready,
    input wire       m_clk,
    input wire       m_rst,
    input wire       m_awready,
    input wire       m_wready,
    input wire [1:0] m_b,
    input wire       m_bvalid,
    input wire       m_arready,
    input wire [4:0] m_r,
    input wire       m_rvalid
);

  wire s_awready, s_wready, s_bvalid, s_arready, s_rvalid;
  wire m_awvalid, m_wlast, m_wvalid, m_bready, m_arvalid, m_rready;
  wire [1:0] s_b;
  wire [4:0] s_r;
  wire [2:0] m_aw, m_ar;
  wire [3:0] m_w;
  axi_cross #(
      .AX_W(3),
      .W_W (4),
      .B_W (2),
      .R_W (5)
  ) dut (
      .*
  );

  // Addresses taken and bursts of data gone, since the reset.
  reg started_reg = 1'b0;
  reg [8:0] taken_reg, gone_reg;
  reg aw_held_reg, w_held_reg, w_waits_reg;
  reg [4:0] w_reg;
  wire [8:0] shown = taken_reg + 9'(m_awvalid);
  wire [8:0] lead = shown - gone_reg;
  wire may = lead != '0;
  always_ff @(posedge m_clk) begin
    started_reg <= 1'b1;
    if (m_awvalid && m_awready) taken_reg <= taken_reg + 1'b1;
    if (m_wvalid && m_wready && m_wlast) gone_reg <= gone_reg + 1'b1;
    aw_held_reg <= m_awvalid && !m_awready && !m_rst;
    w_held_reg  <= m_wvalid && !m_wready && !m_rst;
    w_waits_reg <= dut.crossing.w.out_valid && !dut.crossing.w.out_ready && !m_rst;
    w_reg <= dut.crossing.w.out_data;
    if (m_rst) begin
      taken_reg <= '0;
      gone_reg  <= '0;
    end
  end

  always_comb begin
    if (!started_reg) assume (m_rst);
    // Of a queue: what it shows stays.
    if (aw_held_reg) assume (dut.crossing.aw.out_valid);
    if (w_waits_reg) assume (dut.crossing.w.out_valid && dut.crossing.w.out_data == w_reg);
    assume (9'(taken_reg - gone_reg) != 9'd254);
    if (started_reg) begin
      assert (9'(taken_reg - gone_reg) <= 9'd254 || 9'(taken_reg - gone_reg) == 9'd511);
      assert ($signed(dut.crossing.ahead_reg) == $signed(9'(taken_reg - gone_reg)));
      if (9'(taken_reg - gone_reg) == 9'd511) assert (aw_held_reg);
      if (w_held_reg) assert (m_wvalid && {m_wlast, m_w} == w_reg);

      assert (dut.crossing.aw.in_data == s_aw && dut.crossing.aw.in_valid == s_awvalid);
      assert (s_awready == dut.crossing.aw.in_ready && m_aw == dut.crossing.aw.out_data);
      assert (m_awvalid == dut.crossing.aw.out_valid && dut.crossing.aw.out_ready == m_awready);
      assert (dut.crossing.ar.in_data == s_ar && dut.crossing.ar.in_valid == s_arvalid);
      assert (s_arready == dut.crossing.ar.in_ready && m_ar == dut.crossing.ar.out_data);
      assert (m_arvalid == dut.crossing.ar.out_valid && dut.crossing.ar.out_ready == m_arready);
      assert (dut.crossing.b.in_data == m_b && dut.crossing.b.in_valid == m_bvalid);
      assert (m_bready == dut.crossing.b.in_ready && s_b == dut.crossing.b.out_data);
      assert (s_bvalid == dut.crossing.b.out_valid && dut.crossing.b.out_ready == s_bready);
      assert (dut.crossing.r.in_data == m_r && dut.crossing.r.in_valid == m_rvalid);
      assert (m_rready == dut.crossing.r.in_ready && s_r == dut.crossing.r.out_data);
      assert (s_rvalid == dut.crossing.r.out_valid && dut.crossing.r.out_ready == s_rready);
      assert (dut.crossing.w.in_data == {s_wlast, s_w} && dut.crossing.w.in_valid == s_wvalid);
      assert (s_wready == dut.crossing.w.in_ready && {m_wlast, m_w} == dut.crossing.w.out_data);
      assert ({dut.crossing.aw.in_rst, dut.crossing.ar.in_rst, dut.crossing.w.in_rst,
               dut.crossing.b.out_rst, dut.crossing.r.out_rst} == {5{s_rst}});
      assert ({dut.crossing.aw.out_rst, dut.crossing.ar.out_rst, dut.crossing.w.out_rst,
               dut.crossing.b.in_rst, dut.crossing.r.in_rst} == {5{m_rst}});
      assert (m_wvalid == (dut.crossing.w.out_valid && may));
      assert (dut.crossing.w.out_ready == (m_wready && may));

      cover (m_wvalid && m_awvalid && gone_reg == 9'd2 && taken_reg == 9'd2);
      cover (dut.crossing.w.out_valid && !m_wvalid && gone_reg == 9'd1);
    end
  end

endmodule

// A queue that does anything: no output has a driver.
module fifo_async #(
    parameter int unsigned WIDTH = 32,
    parameter int unsigned DEPTH = 16
) (
    input  wire             in_clk,
    input  wire             in_rst,
    input  wire [WIDTH-1:0] in_data,
    input  wire             in_valid,
    output wire             in_ready,
    input  wire             out_clk,
    input  wire             out_rst,
    output wire [WIDTH-1:0] out_data,
    output wire             out_valid,
    input  wire             out_ready
);
endmodule
