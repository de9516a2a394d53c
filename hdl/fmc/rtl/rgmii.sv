// SPDX-License-Identifier: Apache-2.0

// RGMII at the pins of a 1000BASE-T PHY, GMII inside. Not tried on hardware.
//
// A nibble on each edge: the lower one and the enable with the rising edge, the upper one and
// enable ^ error with the falling edge. The cells on the pins are described by what they do; a device's
// own double-rate cells (ODDR and IDDR, ODDRX1F and IDDRX1F) take their place. The clocks' delay of
// 1.5 to 2 ns against the data is the board's or the PHY's (RGMII-ID).
`default_nettype none
module rgmii (
    input wire tx_clk,
    input wire rst,

    input wire [7:0] gmii_txd,
    input wire       gmii_tx_en,
    input wire       gmii_tx_er,

    output wire [7:0] gmii_rxd,
    output wire       gmii_rx_dv,
    output wire       gmii_rx_er,

    output wire       rgmii_txc,
    output wire [3:0] rgmii_td,
    output wire       rgmii_tx_ctl,

    input wire       rgmii_rxc,
    input wire [3:0] rgmii_rd,
    input wire       rgmii_rx_ctl
);

  // ---- out -------------------------------------------------------------------------------------------

  reg [4:0] rise_reg, wait_reg, fall_reg;
  always_ff @(posedge tx_clk) begin
    rise_reg <= {gmii_tx_en && !rst, gmii_txd[3:0]};
    wait_reg <= {(gmii_tx_en ^ gmii_tx_er) && !rst, gmii_txd[7:4]};
  end
  always_ff @(negedge tx_clk) fall_reg <= wait_reg;
  assign {rgmii_tx_ctl, rgmii_td} = tx_clk ? rise_reg : fall_reg;
  assign rgmii_txc = tx_clk;

  // ---- in --------------------------------------------------------------------------------------------

  reg [4:0] low_reg, high_reg, first_reg;
  always_ff @(posedge rgmii_rxc) first_reg <= {rgmii_rx_ctl, rgmii_rd};
  always_ff @(negedge rgmii_rxc) high_reg <= {rgmii_rx_ctl, rgmii_rd};
  always_ff @(negedge rgmii_rxc) low_reg <= first_reg;

  reg [7:0] rxd_reg;
  reg dv_reg, er_reg;
  always_ff @(posedge rgmii_rxc) begin
    rxd_reg <= {high_reg[3:0], low_reg[3:0]};
    dv_reg  <= low_reg[4];
    er_reg  <= low_reg[4] ^ high_reg[4];
  end
  assign gmii_rxd   = rxd_reg;
  assign gmii_rx_dv = dv_reg;
  assign gmii_rx_er = er_reg;

endmodule
`default_nettype wire
