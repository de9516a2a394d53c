// SPDX-License-Identifier: Apache-2.0

// A DMA controller between on-chip RAM and the processor's memory, as the measurements from the fabric
// use it: one transfer at a time, started and asked after by register.
//
//   0x00 status   0 done, 1 busy, 3:2 error as RRESP or BRESP; any write clears done
//   0x04 0x1C     processor's address, low and high: a multiple of the bus width
//   0x08          address in the RAM, the same
//   0x0C          length in bytes, the same; not zero
//   0x18 control  0 go, 1 to the processor (else from it), 2 interrupt when done
//
// BURST 1 makes every beat a transaction of its own, as controllers without bursts do; 16 is what the
// port is built for. Several ports are several controllers. Registers are written while it is not
// busy; a go while busy is lost.
`default_nettype none
module fpga_dma #(
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 24,
    parameter int unsigned RAM_BYTES = 65536,
    parameter int unsigned BURST = 16,
    parameter int unsigned FIFO_DEPTH = 512,
    localparam int unsigned Lsb = $clog2(DATA_W / 8),
    localparam int unsigned WordW = $clog2(RAM_BYTES) - Lsb
) (
    input wire clk,
    input wire rst,

    input  wire [ 4:0] bus_address,
    input  wire        bus_write,
    input  wire [31:0] bus_wdata,
    input  wire [ 3:0] bus_strobe,
    input  wire        bus_select,
    output wire        bus_done,
    output wire [31:0] bus_rdata,
    output wire        bus_error,
    output wire        irq,

    output wire [ WordW-1:0] ram_word,
    output wire              ram_enable,
    output wire              ram_write,
    output wire [DATA_W-1:0] ram_wdata,
    input  wire [DATA_W-1:0] ram_rdata,  // in the cycle after ram_enable

    output wire [  ADDR_W-1:0] axi_araddr,
    output wire [         3:0] axi_arlen,
    output wire                axi_arvalid,
    input  wire                axi_arready,
    input  wire [  DATA_W-1:0] axi_rdata,
    input  wire [         1:0] axi_rresp,
    input  wire                axi_rlast,
    input  wire                axi_rvalid,
    output wire                axi_rready,
    output wire [  ADDR_W-1:0] axi_awaddr,
    output wire [         3:0] axi_awlen,
    output wire                axi_awvalid,
    input  wire                axi_awready,
    output wire [  DATA_W-1:0] axi_wdata,
    output wire [DATA_W/8-1:0] axi_wstrb,
    output wire                axi_wlast,
    output wire                axi_wvalid,
    input  wire                axi_wready,
    input  wire [         1:0] axi_bresp,
    input  wire                axi_bvalid,
    output wire                axi_bready
);

  if (RAM_BYTES < DATA_W / 8 || RAM_BYTES > 67108864 || RAM_BYTES != 2 ** $clog2(RAM_BYTES))
    $fatal(0, "fpga_dma: RAM_BYTES %0d", RAM_BYTES);


  // ---- registers --------------------------------------------------------------------------------

  reg answer_reg, error_reg;
  reg [31:0] rdata_reg;
  reg [63:0] address_reg;
  reg [31:0] ram_reg;
  reg [LEN_W-1:0] length_reg;
  reg outward_reg, interrupt_reg, go_reg, busy_reg, done_reg;
  reg [1:0] failed_reg;

  wire access = bus_select && !answer_reg;
  wire write = access && bus_write && &bus_strobe;
  assign bus_done  = answer_reg;
  assign bus_rdata = rdata_reg;
  assign bus_error = error_reg;
  assign irq = done_reg && interrupt_reg;

  logic [31:0] value;
  always_comb begin
    case (bus_address)
      5'h00: value = {28'd0, failed_reg, busy_reg, done_reg};
      5'h04: value = address_reg[31:0];
      5'h08: value = ram_reg;
      5'h0C: value = 32'(length_reg);
      5'h18: value = {29'd0, interrupt_reg, outward_reg, 1'b0};
      5'h1C: value = address_reg[63:32];
      default: value = '0;
    endcase
  end

  // ---- the RAM's side: beats go in as they come, and come out as they are taken --------------------

  reg [WordW-1:0] word_reg;
  reg [LEN_W-Lsb-1:0] left_reg;  // beats to be read of the RAM
  reg held_reg;  // its output is a beat that has not been taken

  wire [DATA_W-1:0] in_data;
  wire in_valid, out_ready, from_done, to_done, from_ready, to_ready;
  wire [1:0] from_error, to_error;
  wire fetch = left_reg != '0 && (!held_reg || out_ready);
  assign ram_word = word_reg;
  assign ram_enable = in_valid || fetch;
  assign ram_write = in_valid;
  assign ram_wdata = in_data;

  dma_read #(
      .ADDR_W(ADDR_W),
      .DATA_W(DATA_W),
      .LEN_W(LEN_W),
      .FIFO_DEPTH(FIFO_DEPTH),
      .BURST(BURST)
  ) inward (
      .clk,
      .rst,
      .flush(1'b0),
      .idle(),
      .cmd_addr(ADDR_W'(address_reg)),
      .cmd_len(length_reg),
      .cmd_valid(go_reg && !outward_reg),
      .cmd_ready(from_ready),
      .m_data(in_data),
      .m_keep(),
      .m_last(),
      .m_valid(in_valid),
      .m_ready(1'b1),
      .status_error(from_error),
      .status_valid(from_done),
      .axi_araddr,
      .axi_arlen,
      .axi_arvalid,
      .axi_arready,
      .axi_rdata,
      .axi_rresp,
      .axi_rlast,
      .axi_rvalid,
      .axi_rready
  );
  dma_write #(
      .ADDR_W(ADDR_W),
      .DATA_W(DATA_W),
      .LEN_W(LEN_W),
      .FIFO_DEPTH(FIFO_DEPTH),
      .BURST(BURST)
  ) outward (
      .clk,
      .rst,
      .flush(1'b0),
      .idle(),
      .cmd_addr(ADDR_W'(address_reg)),
      .cmd_len(length_reg),
      .cmd_valid(go_reg && outward_reg),
      .cmd_ready(to_ready),
      .s_data(ram_rdata),
      .s_keep('1),
      .s_last(1'b0),
      .s_valid(held_reg),
      .s_ready(out_ready),
      .s_final(),
      .status_len(),
      .status_eob(),
      .status_error(to_error),
      .status_valid(to_done),
      .axi_awaddr,
      .axi_awlen,
      .axi_awvalid,
      .axi_awready,
      .axi_wdata,
      .axi_wstrb,
      .axi_wlast,
      .axi_wvalid,
      .axi_wready,
      .axi_bresp,
      .axi_bvalid,
      .axi_bready
  );

  always_ff @(posedge clk) begin
    answer_reg <= access;
    rdata_reg  <= value;
    error_reg  <= bus_write && !(&bus_strobe);
    if (write && !busy_reg) begin
      case (bus_address)
        5'h04: address_reg[31:0] <= bus_wdata;
        5'h08: ram_reg <= bus_wdata;
        5'h0C: length_reg <= bus_wdata[LEN_W-1:0];
        5'h18: begin
          {interrupt_reg, outward_reg} <= bus_wdata[2:1];
          if (bus_wdata[0] && length_reg[LEN_W-1:Lsb] != '0) begin
            go_reg   <= 1'b1;
            busy_reg <= 1'b1;
            word_reg <= ram_reg[Lsb+:WordW];
            left_reg <= bus_wdata[1] ? length_reg[LEN_W-1:Lsb] : '0;
          end
        end
        5'h1C: address_reg[63:32] <= bus_wdata;
        default: ;
      endcase
    end
    if (write && bus_address == 5'h00) done_reg <= 1'b0;

    if (go_reg && (outward_reg ? to_ready : from_ready)) go_reg <= 1'b0;
    if (ram_enable) word_reg <= word_reg + 1'b1;
    if (fetch) left_reg <= left_reg - 1'b1;
    held_reg <= fetch || (held_reg && !out_ready);
    if (from_done || to_done) begin
      busy_reg   <= 1'b0;
      done_reg   <= 1'b1;
      failed_reg <= outward_reg ? to_error : from_error;
    end

    if (rst) begin
      answer_reg <= 1'b0;
      go_reg <= 1'b0;
      busy_reg <= 1'b0;
      done_reg <= 1'b0;
      interrupt_reg <= 1'b0;
      failed_reg <= '0;
      left_reg <= '0;
      held_reg <= 1'b0;
    end
  end

endmodule
`default_nettype wire
