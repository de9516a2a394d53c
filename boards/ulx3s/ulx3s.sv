// SPDX-License-Identifier: Apache-2.0

// The small Datra on a ULX3S: its clock of 25 MHz makes 50 MHz, the USB socket US1 is the serial line.
//
// Lamps: 0 the clock runs, 1 bytes come, 2 bytes go, 3 the interrupt.
`default_nettype none
module ulx3s (
    input  wire       clk_25mhz,
    input  wire       ftdi_txd,    // named by the USB chip: into the FPGA
    output wire       ftdi_rxd,
    output wire [7:0] led,
    output wire       wifi_gpio0   // high, or the ESP32 takes over
);

  assign wifi_gpio0 = 1'b1;

  // Of ecppll -i 25 -o 50: the oscillator runs at 25 MHz * 2 * 12 = 600 MHz.
  wire clk, locked;
  (* FREQUENCY_PIN_CLKI = "25" *) (* FREQUENCY_PIN_CLKOP = "50" *)
  (* ICP_CURRENT = "12" *) (* LPF_RESISTOR = "8" *)
  (* MFG_ENABLE_FILTEROPAMP = "1" *) (* MFG_GMCREF_SEL = "2" *)
  EHXPLLL #(
      .PLLRST_ENA("DISABLED"),
      .INTFB_WAKE("DISABLED"),
      .STDBY_ENABLE("DISABLED"),
      .DPHASE_SOURCE("DISABLED"),
      .OUTDIVIDER_MUXA("DIVA"),
      .OUTDIVIDER_MUXB("DIVB"),
      .OUTDIVIDER_MUXC("DIVC"),
      .OUTDIVIDER_MUXD("DIVD"),
      .CLKI_DIV(1),
      .CLKOP_ENABLE("ENABLED"),
      .CLKOP_DIV(12),
      .CLKOP_CPHASE(5),
      .CLKOP_FPHASE(0),
      .FEEDBK_PATH("CLKOP"),
      .CLKFB_DIV(2)
  ) pll (
      .RST(1'b0),
      .STDBY(1'b0),
      .CLKI(clk_25mhz),
      .CLKOP(clk),
      .CLKFB(clk),
      .PHASESEL0(1'b0),
      .PHASESEL1(1'b0),
      .PHASEDIR(1'b1),
      .PHASESTEP(1'b1),
      .PHASELOADREG(1'b1),
      .PLLWAKESYNC(1'b0),
      .ENCLKOP(1'b0),
      .LOCK(locked)
  );

  // Reset until the clock has been good for 256 cycles. Registers of the FPGA begin with what is given here.
  reg [1:0] locked_reg = 2'b00;
  reg [7:0] wait_reg = 8'd0;
  reg rst_reg = 1'b1;
  always_ff @(posedge clk) begin
    locked_reg <= {locked_reg[0], locked};
    wait_reg <= !locked_reg[1] ? 8'd0 : &wait_reg ? wait_reg : wait_reg + 1'b1;
    rst_reg <= !(&wait_reg);
  end

  // With its defaults: 50 MHz, 1 Mbaud.
  wire irq;
  serial_datra datra (
      .clk,
      .rst(rst_reg),
      .rxd(ftdi_txd),
      .txd(ftdi_rxd),
      .irq
  );

  reg [25:0] beat_reg = 26'd0;
  reg [7:0] led_reg = 8'd0;
  assign led = led_reg;
  always_ff @(posedge clk) begin
    beat_reg <= beat_reg + 1'b1;
    led_reg  <= {4'd0, irq, !ftdi_rxd, !ftdi_txd, beat_reg[25]};
  end

endmodule
`default_nettype wire
