// SPDX-License-Identifier: Apache-2.0

// AXI from a master in one clock to a slave in another: a queue for each channel.
//
// What a channel carries is the caller's: all its signals but the handshake, in one vector; `s_wlast`
// and the rest of W are apart because it is looked at. Each channel carries a transfer a cycle of the
// slower clock, and is some three cycles of the receiver later. Nothing is reordered within a channel.
//
//   - Data of a write are not offered before their address is: a slave need not expect them alone. They
//     do not wait until it has been taken.
//   - Without ASYNC all is wired through, and the clock and reset of the slave's side are not used.
//   - Both resets must be active together, see fifo_async.
`default_nettype none
module axi_cross #(
    parameter bit ASYNC = 1'b1,
    parameter int unsigned AX_W = 64,  // of AW and of AR
    parameter int unsigned W_W = 72,
    parameter int unsigned B_W = 4,
    parameter int unsigned R_W = 70,
    parameter int unsigned DEPTH = 16  // of each queue, a power of two
) (
    input  wire            s_clk,
    input  wire            s_rst,
    input  wire [AX_W-1:0] s_aw,
    input  wire            s_awvalid,
    output wire            s_awready,
    input  wire [ W_W-1:0] s_w,
    input  wire            s_wlast,
    input  wire            s_wvalid,
    output wire            s_wready,
    output wire [ B_W-1:0] s_b,
    output wire            s_bvalid,
    input  wire            s_bready,
    input  wire [AX_W-1:0] s_ar,
    input  wire            s_arvalid,
    output wire            s_arready,
    output wire [ R_W-1:0] s_r,
    output wire            s_rvalid,
    input  wire            s_rready,

    input  wire            m_clk,
    input  wire            m_rst,
    output wire [AX_W-1:0] m_aw,
    output wire            m_awvalid,
    input  wire            m_awready,
    output wire [ W_W-1:0] m_w,
    output wire            m_wlast,
    output wire            m_wvalid,
    input  wire            m_wready,
    input  wire [ B_W-1:0] m_b,
    input  wire            m_bvalid,
    output wire            m_bready,
    output wire [AX_W-1:0] m_ar,
    output wire            m_arvalid,
    input  wire            m_arready,
    input  wire [ R_W-1:0] m_r,
    input  wire            m_rvalid,
    output wire            m_rready
);

  if (AX_W < 1 || AX_W > 65536) $fatal(0, "axi_cross: AX_W %0d", AX_W);
  if (W_W < 1 || W_W > 65536) $fatal(0, "axi_cross: W_W %0d", W_W);
  if (B_W < 1 || B_W > 65536) $fatal(0, "axi_cross: B_W %0d", B_W);
  if (R_W < 1 || R_W > 65536) $fatal(0, "axi_cross: R_W %0d", R_W);

  if (ASYNC) begin : crossing
    fifo_async #(
        .WIDTH(AX_W),
        .DEPTH(DEPTH)
    ) aw (
        .in_clk(s_clk),
        .in_rst(s_rst),
        .in_data(s_aw),
        .in_valid(s_awvalid),
        .in_ready(s_awready),
        .out_clk(m_clk),
        .out_rst(m_rst),
        .out_data(m_aw),
        .out_valid(m_awvalid),
        .out_ready(m_awready)
    );
    fifo_async #(
        .WIDTH(AX_W),
        .DEPTH(DEPTH)
    ) ar (
        .in_clk(s_clk),
        .in_rst(s_rst),
        .in_data(s_ar),
        .in_valid(s_arvalid),
        .in_ready(s_arready),
        .out_clk(m_clk),
        .out_rst(m_rst),
        .out_data(m_ar),
        .out_valid(m_arvalid),
        .out_ready(m_arready)
    );
    fifo_async #(
        .WIDTH(B_W),
        .DEPTH(DEPTH)
    ) b (
        .in_clk(m_clk),
        .in_rst(m_rst),
        .in_data(m_b),
        .in_valid(m_bvalid),
        .in_ready(m_bready),
        .out_clk(s_clk),
        .out_rst(s_rst),
        .out_data(s_b),
        .out_valid(s_bvalid),
        .out_ready(s_bready)
    );
    fifo_async #(
        .WIDTH(R_W),
        .DEPTH(DEPTH)
    ) r (
        .in_clk(m_clk),
        .in_rst(m_rst),
        .in_data(m_r),
        .in_valid(m_rvalid),
        .in_ready(m_rready),
        .out_clk(s_clk),
        .out_rst(s_rst),
        .out_data(s_r),
        .out_valid(s_rvalid),
        .out_ready(s_rready)
    );

    // Addresses that were taken less bursts whose data went; -1 where data overtook the address that
    // is on offer.
    reg signed [8:0] ahead_reg;
    wire announced = ahead_reg > 9'sd0 || (ahead_reg == 9'sd0 && m_awvalid);
    wire w_valid;
    assign m_wvalid = w_valid && announced;
    fifo_async #(
        .WIDTH(W_W + 1),
        .DEPTH(DEPTH)
    ) w (
        .in_clk(s_clk),
        .in_rst(s_rst),
        .in_data({s_wlast, s_w}),
        .in_valid(s_wvalid),
        .in_ready(s_wready),
        .out_clk(m_clk),
        .out_rst(m_rst),
        .out_data({m_wlast, m_w}),
        .out_valid(w_valid),
        .out_ready(m_wready && announced)
    );
    wire took = m_awvalid && m_awready;
    wire went = m_wvalid && m_wready && m_wlast;
    always_ff @(posedge m_clk) begin
      if (took && !went) ahead_reg <= ahead_reg + 9'sd1;
      if (went && !took) ahead_reg <= ahead_reg - 9'sd1;
      if (m_rst) ahead_reg <= '0;
    end
  end else begin : direct
    assign m_aw = s_aw;
    assign m_awvalid = s_awvalid;
    assign s_awready = m_awready;
    assign m_w = s_w;
    assign m_wlast = s_wlast;
    assign m_wvalid = s_wvalid;
    assign s_wready = m_wready;
    assign s_b = m_b;
    assign s_bvalid = m_bvalid;
    assign m_bready = s_bready;
    assign m_ar = s_ar;
    assign m_arvalid = s_arvalid;
    assign s_arready = m_arready;
    assign s_r = m_r;
    assign s_rvalid = m_rvalid;
    assign m_rready = s_rready;
  end

endmodule
`default_nettype wire
