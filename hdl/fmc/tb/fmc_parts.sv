// SPDX-License-Identifier: Apache-2.0

// Parts of hdl/fmc side by side, so that one build serves their benches: the bridge with either AHEAD, the
// slice with any registers ({UP_REG, DOWN_REG}), the whole, RGMII, whose pins are a loop, and the
// transmitting MAC.
module fmc_parts (
    input wire bridge_ahead,
    input wire bridge_clk,
    input wire bridge_launch_clk,
    input wire bridge_rst,
    input wire bridge_fmc_ne,
    input wire bridge_fmc_nadv,
    input wire bridge_fmc_noe,
    input wire bridge_fmc_nwe,
    input wire [1:0] bridge_fmc_nbl,
    input wire [2:0] bridge_fmc_a,
    input wire [15:0] bridge_fmc_ad_in,
    output wire [15:0] bridge_fmc_ad_out,
    output wire bridge_fmc_ad_drive,
    output wire bridge_fmc_nwait,
    output wire bridge_psel,
    output wire bridge_penable,
    output wire bridge_pwrite,
    output wire [18:0] bridge_paddr,
    output wire [31:0] bridge_pwdata,
    output wire [3:0] bridge_pstrb,
    input wire bridge_pready,
    input wire [31:0] bridge_prdata,
    output wire bridge_starts,
    input wire [1:0] slice_stages,
    input wire slice_clk,
    input wire slice_rst,
    input wire slice_psel,
    input wire slice_penable,
    input wire slice_pwrite,
    input wire [15:0] slice_paddr,
    input wire [31:0] slice_pwdata,
    input wire [3:0] slice_pstrb,
    output wire slice_pready,
    output wire [31:0] slice_prdata,
    output wire slice_pslverr,
    output wire slice_down_psel,
    output wire slice_down_penable,
    output wire slice_down_pwrite,
    output wire [15:0] slice_down_paddr,
    output wire [31:0] slice_down_pwdata,
    output wire [3:0] slice_down_pstrb,
    input wire slice_down_pready,
    input wire [31:0] slice_down_prdata,
    input wire slice_down_pslverr,
    input wire whole_clk,
    input wire whole_launch_clk,
    input wire whole_rst,
    input wire whole_fmc_ne,
    input wire whole_fmc_nadv,
    input wire whole_fmc_noe,
    input wire whole_fmc_nwe,
    input wire [1:0] whole_fmc_nbl,
    input wire [2:0] whole_fmc_a,
    input wire [15:0] whole_fmc_ad_in,
    output wire [15:0] whole_fmc_ad_out,
    output wire whole_fmc_ad_drive,
    output wire whole_fmc_nwait,
    input wire whole_link,
    output wire whole_rx_ready,
    input wire whole_tx_clk,
    input wire whole_tx_rst,
    output wire [7:0] whole_gmii_txd,
    output wire whole_gmii_tx_en,
    output wire whole_gmii_tx_er,
    input wire whole_rx_clk,
    input wire whole_rx_rst,
    input wire [7:0] whole_gmii_rxd,
    input wire whole_gmii_rx_dv,
    input wire whole_gmii_rx_er,
    output wire whole_node_irq,
    input wire rgmii_clk,
    input wire rgmii_rst,
    input wire rgmii_rxc,
    input wire [7:0] rgmii_txd,
    input wire rgmii_tx_en,
    input wire rgmii_tx_er,
    output wire [7:0] rgmii_rxd,
    output wire rgmii_rx_dv,
    output wire rgmii_rx_er,

    input wire mac_clk,
    input wire mac_rst,
    input wire [31:0] mac_tdata,
    input wire [3:0] mac_tkeep,
    input wire mac_tlast,
    input wire mac_tvalid,
    output wire mac_tready,
    output wire [7:0] mac_txd,
    output wire mac_tx_en,
    output wire mac_tx_er
);

  wire [1:0][15:0] bridge_fmc_ad_out_all;
  assign bridge_fmc_ad_out = bridge_fmc_ad_out_all[bridge_ahead];
  wire [1:0] bridge_fmc_ad_drive_all;
  assign bridge_fmc_ad_drive = bridge_fmc_ad_drive_all[bridge_ahead];
  wire [1:0] bridge_fmc_nwait_all;
  assign bridge_fmc_nwait = bridge_fmc_nwait_all[bridge_ahead];
  wire [1:0] bridge_psel_all;
  assign bridge_psel = bridge_psel_all[bridge_ahead];
  wire [1:0] bridge_penable_all;
  assign bridge_penable = bridge_penable_all[bridge_ahead];
  wire [1:0] bridge_pwrite_all;
  assign bridge_pwrite = bridge_pwrite_all[bridge_ahead];
  wire [1:0][18:0] bridge_paddr_all;
  assign bridge_paddr = bridge_paddr_all[bridge_ahead];
  wire [1:0][31:0] bridge_pwdata_all;
  assign bridge_pwdata = bridge_pwdata_all[bridge_ahead];
  wire [1:0][3:0] bridge_pstrb_all;
  assign bridge_pstrb = bridge_pstrb_all[bridge_ahead];
  wire [1:0] bridge_starts_all;
  assign bridge_starts = bridge_starts_all[bridge_ahead];
  generate
    for (genvar i = 0; i < 2; i++) begin : g_bridge
      fmc_bridge #(
          .AHEAD(1'(i))
      ) part (
          .clk(bridge_clk),
          .launch_clk(bridge_launch_clk),
          .rst(bridge_rst),
          .fmc_ne(bridge_fmc_ne),
          .fmc_nadv(bridge_fmc_nadv),
          .fmc_noe(bridge_fmc_noe),
          .fmc_nwe(bridge_fmc_nwe),
          .fmc_nbl(bridge_fmc_nbl),
          .fmc_a(bridge_fmc_a),
          .fmc_ad_in(bridge_fmc_ad_in),
          .fmc_ad_out(bridge_fmc_ad_out_all[i]),
          .fmc_ad_drive(bridge_fmc_ad_drive_all[i]),
          .fmc_nwait(bridge_fmc_nwait_all[i]),
          .psel(bridge_psel_all[i]),
          .penable(bridge_penable_all[i]),
          .pwrite(bridge_pwrite_all[i]),
          .paddr(bridge_paddr_all[i]),
          .pwdata(bridge_pwdata_all[i]),
          .pstrb(bridge_pstrb_all[i]),
          .pready(bridge_pready),
          .prdata(bridge_prdata),
          .starts(bridge_starts_all[i])
      );
    end
  endgenerate

  wire [3:0] slice_pready_all;
  assign slice_pready = slice_pready_all[slice_stages];
  wire [3:0][31:0] slice_prdata_all;
  assign slice_prdata = slice_prdata_all[slice_stages];
  wire [3:0] slice_pslverr_all;
  assign slice_pslverr = slice_pslverr_all[slice_stages];
  wire [3:0] slice_down_psel_all;
  assign slice_down_psel = slice_down_psel_all[slice_stages];
  wire [3:0] slice_down_penable_all;
  assign slice_down_penable = slice_down_penable_all[slice_stages];
  wire [3:0] slice_down_pwrite_all;
  assign slice_down_pwrite = slice_down_pwrite_all[slice_stages];
  wire [3:0][15:0] slice_down_paddr_all;
  assign slice_down_paddr = slice_down_paddr_all[slice_stages];
  wire [3:0][31:0] slice_down_pwdata_all;
  assign slice_down_pwdata = slice_down_pwdata_all[slice_stages];
  wire [3:0][3:0] slice_down_pstrb_all;
  assign slice_down_pstrb = slice_down_pstrb_all[slice_stages];
  generate
    for (genvar i = 0; i < 4; i++) begin : g_slice
      apb_slice #(
          .UP_REG(1'(i / 2)),
          .DOWN_REG(1'(i % 2))
      ) part (
          .clk(slice_clk),
          .rst(slice_rst),
          .psel(slice_psel),
          .penable(slice_penable),
          .pwrite(slice_pwrite),
          .paddr(slice_paddr),
          .pwdata(slice_pwdata),
          .pstrb(slice_pstrb),
          .pready(slice_pready_all[i]),
          .prdata(slice_prdata_all[i]),
          .pslverr(slice_pslverr_all[i]),
          .down_psel(slice_down_psel_all[i]),
          .down_penable(slice_down_penable_all[i]),
          .down_pwrite(slice_down_pwrite_all[i]),
          .down_paddr(slice_down_paddr_all[i]),
          .down_pwdata(slice_down_pwdata_all[i]),
          .down_pstrb(slice_down_pstrb_all[i]),
          .down_pready(slice_down_pready),
          .down_prdata(slice_down_prdata),
          .down_pslverr(slice_down_pslverr)
      );
    end
  endgenerate

  // What software puts into a FIFO of the node comes out of its next one.
  wire [127:0] out_data;
  wire [63:0] out_user;
  wire [3:0] out_valid, in_ready;
  fmc #(
      .DATRA(1)
  ) whole (
      .clk(whole_clk),
      .launch_clk(whole_launch_clk),
      .rst(whole_rst),
      .fmc_ne(whole_fmc_ne),
      .fmc_nadv(whole_fmc_nadv),
      .fmc_noe(whole_fmc_noe),
      .fmc_nwe(whole_fmc_nwe),
      .fmc_nbl(whole_fmc_nbl),
      .fmc_a(whole_fmc_a),
      .fmc_ad_in(whole_fmc_ad_in),
      .fmc_ad_out(whole_fmc_ad_out),
      .fmc_ad_drive(whole_fmc_ad_drive),
      .fmc_nwait(whole_fmc_nwait),
      .link(whole_link),
      .rx_ready(whole_rx_ready),
      .tx_clk(whole_tx_clk),
      .tx_rst(whole_tx_rst),
      .gmii_txd(whole_gmii_txd),
      .gmii_tx_en(whole_gmii_tx_en),
      .gmii_tx_er(whole_gmii_tx_er),
      .rx_clk(whole_rx_clk),
      .rx_rst(whole_rx_rst),
      .gmii_rxd(whole_gmii_rxd),
      .gmii_rx_dv(whole_gmii_rx_dv),
      .gmii_rx_er(whole_gmii_rx_er),
      .node_irq(whole_node_irq),
      .node_out_data(out_data),
      .node_out_user(out_user),
      .node_out_valid(out_valid),
      .node_out_ready({in_ready[0], in_ready[3:1]}),
      .node_in_data({out_data[95:0], out_data[127:96]}),
      .node_in_user({out_user[47:0], out_user[63:48]}),
      .node_in_valid({out_valid[2:0], out_valid[3]}),
      .node_in_ready(in_ready)
  );

  wire [3:0] data;
  wire control;
  rgmii pins (
      .tx_clk(rgmii_clk),
      .rst(rgmii_rst),
      .gmii_txd(rgmii_txd),
      .gmii_tx_en(rgmii_tx_en),
      .gmii_tx_er(rgmii_tx_er),
      .gmii_rxd(rgmii_rxd),
      .gmii_rx_dv(rgmii_rx_dv),
      .gmii_rx_er(rgmii_rx_er),
      .rgmii_txc(),
      .rgmii_td(data),
      .rgmii_tx_ctl(control),
      .rgmii_rxc(rgmii_rxc),
      .rgmii_rd(data),
      .rgmii_rx_ctl(control)
  );

  mac_transmit mac (
      .clk(mac_clk),
      .rst(mac_rst),
      .s_axis_tdata(mac_tdata),
      .s_axis_tkeep(mac_tkeep),
      .s_axis_tlast(mac_tlast),
      .s_axis_tvalid(mac_tvalid),
      .s_axis_tready(mac_tready),
      .gmii_txd(mac_txd),
      .gmii_tx_en(mac_tx_en),
      .gmii_tx_er(mac_tx_er)
  );

endmodule
