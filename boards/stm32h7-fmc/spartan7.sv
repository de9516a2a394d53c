// SPDX-License-Identifier: Apache-2.0

// The memory bus's logic on a Spartan-7, with an RGMII PHY. Not built with Vivado, not tried on hardware.
//
// The memory bus's clock runs on and makes both of the logic's: samples are taken, and answers are given,
// PHASE before the pin's edge. The oscillator of the PLL is eight times the clock, so a phase is a
// multiple of 45/8 degrees. Reset until the PLL has been locked for 64 clocks.
`default_nettype none
module spartan7 #(
    parameter int unsigned CLOCK_HZ = 137_500_000,
    parameter bit ROOT_UP = 1,
    parameter bit ETHERNET_DOWN = 1,
    parameter real PHASE = -28.125
) (
    input  wire        fmc_clk,
    input  wire        fmc_ne,
    input  wire        fmc_nadv,
    input  wire        fmc_noe,
    input  wire        fmc_nwe,
    input  wire [ 1:0] fmc_nbl,
    input  wire [ 2:0] fmc_a,       // address bits 16 to 18 of the controller
    inout  wire [15:0] fmc_ad,
    output wire        fmc_nwait,
    output wire        rx_ready,

    input wire clk_125mhz,
    input wire link,

    output wire       rgmii_txc,
    output wire [3:0] rgmii_td,
    output wire       rgmii_tx_ctl,
    input  wire       rgmii_rxc,
    input  wire [3:0] rgmii_rd,
    input  wire       rgmii_rx_ctl
);

  // ---- clocks ----------------------------------------------------------------------------------------

  wire feedback, feedback_clk, capture, launch, clk, launch_clk, locked, tx_clk, rx_clk;
  PLLE2_BASE #(
      .CLKIN1_PERIOD(1.0e9 / CLOCK_HZ),
      .CLKFBOUT_MULT(8),
      .CLKOUT0_DIVIDE(8),
      .CLKOUT0_PHASE(PHASE),
      .CLKOUT1_DIVIDE(8),
      .CLKOUT1_PHASE(PHASE)
  ) pll (
      .CLKIN1(fmc_clk),
      .RST(1'b0),
      .PWRDWN(1'b0),
      .CLKFBIN(feedback_clk),
      .CLKFBOUT(feedback),
      .CLKOUT0(capture),
      .CLKOUT1(launch),
      .CLKOUT2(),
      .CLKOUT3(),
      .CLKOUT4(),
      .CLKOUT5(),
      .LOCKED(locked)
  );
  BUFG feedback_buffer (.I(feedback), .O(feedback_clk));
  BUFG capture_buffer (.I(capture), .O(clk));
  BUFG launch_buffer (.I(launch), .O(launch_clk));
  BUFG tx_buffer (.I(clk_125mhz), .O(tx_clk));
  BUFG rx_buffer (.I(rgmii_rxc), .O(rx_clk));

  reg [5:0] wait_reg = '0;
  reg rst_reg = 1'b1;
  always_ff @(posedge clk or negedge locked) begin
    if (!locked) begin
      wait_reg <= '0;
      rst_reg  <= 1'b1;
    end else begin
      if (!(&wait_reg)) wait_reg <= wait_reg + 1'b1;
      rst_reg <= !(&wait_reg);
    end
  end
  (* ASYNC_REG = "TRUE" *) reg [1:0] tx_rst_reg = '1, rx_rst_reg = '1;
  always_ff @(posedge tx_clk or posedge rst_reg) begin
    if (rst_reg) tx_rst_reg <= '1;
    else tx_rst_reg <= {tx_rst_reg[0], 1'b0};
  end
  always_ff @(posedge rx_clk or posedge rst_reg) begin
    if (rst_reg) rx_rst_reg <= '1;
    else rx_rst_reg <= {rx_rst_reg[0], 1'b0};
  end

  // ---- the logic -------------------------------------------------------------------------------------

  wire [15:0] ad_in, ad_out;
  wire ad_drive;
  for (genvar i = 0; i < 16; i++) begin : g_ad
    IOBUF pin (.I(ad_out[i]), .O(ad_in[i]), .T(!ad_drive), .IO(fmc_ad[i]));
  end

  (* ASYNC_REG = "TRUE" *) reg [1:0] link_reg = '0;
  always_ff @(posedge clk) link_reg <= {link_reg[0], link};

  wire [7:0] txd, rxd;
  wire tx_en, tx_er, rx_dv, rx_ctl;
  fmc #(
      .AHEAD(0),
      .ROOT_UP(ROOT_UP),
      .ETHERNET_DOWN(ETHERNET_DOWN),
      .CLOCK_HZ(CLOCK_HZ)
  ) logic_of_the_bus (
      .clk,
      .launch_clk,
      .rst(rst_reg),
      .fmc_ne,
      .fmc_nadv,
      .fmc_noe,
      .fmc_nwe,
      .fmc_nbl,
      .fmc_a,
      .fmc_ad_in(ad_in),
      .fmc_ad_out(ad_out),
      .fmc_ad_drive(ad_drive),
      .fmc_nwait,
      .link(link_reg[1]),
      .rx_ready,
      .tx_clk,
      .tx_rst(tx_rst_reg[1]),
      .gmii_txd(txd),
      .gmii_tx_en(tx_en),
      .gmii_tx_er(tx_er),
      .rx_clk,
      .rx_rst(rx_rst_reg[1]),
      .gmii_rxd(rxd),
      .gmii_rx_dv(rx_dv),
      .gmii_rx_er(rx_dv ^ rx_ctl),
      .node_irq(),
      .node_out_data(),
      .node_out_user(),
      .node_out_valid(),
      .node_out_ready(4'd0),
      .node_in_data(128'd0),
      .node_in_user(64'd0),
      .node_in_valid(4'd0),
      .node_in_ready()
  );

  // ---- RGMII: the lower nibble with the rising edge; the PHY or the board delays the clocks ------------

  wire [9:0] out = {tx_en ^ tx_er, txd[7:4], tx_en, txd[3:0]};
  wire [9:0] in;
  wire [4:0] out_pins, in_pins = {rgmii_rx_ctl, rgmii_rd};
  assign {rgmii_tx_ctl, rgmii_td} = out_pins;
  assign {rx_ctl, rxd[7:4], rx_dv, rxd[3:0]} = in;
  for (genvar i = 0; i < 5; i++) begin : g_rgmii
    ODDR #(
        .DDR_CLK_EDGE("SAME_EDGE")
    ) to_phy (
        .C (tx_clk),
        .CE(1'b1),
        .D1(out[i]),
        .D2(out[5+i]),
        .R (1'b0),
        .S (1'b0),
        .Q (out_pins[i])
    );
    IDDR #(
        .DDR_CLK_EDGE("SAME_EDGE_PIPELINED")
    ) from_phy (
        .C (rx_clk),
        .CE(1'b1),
        .D (in_pins[i]),
        .R (1'b0),
        .S (1'b0),
        .Q1(in[i]),
        .Q2(in[5+i])
    );
  end
  ODDR #(
      .DDR_CLK_EDGE("SAME_EDGE")
  ) clock_to_phy (
      .C (tx_clk),
      .CE(1'b1),
      .D1(1'b1),
      .D2(1'b0),
      .R (1'b0),
      .S (1'b0),
      .Q (rgmii_txc)
  );

endmodule
`default_nettype wire
