// SPDX-License-Identifier: Apache-2.0

// fpga_dma, by induction, over engines that do anything, but end only a transfer of their own and give
// data in one only:
//
//   - Every register, after any accesses; what is written while it is busy is lost. An access is
//     answered in the next cycle, one of less than a word with an error and no effect.
//   - A go with a length starts one transfer: one command, to the engine of its direction, with the
//     address and the length, kept until the engine takes it. Busy until the engine is done, then done,
//     with its error, and interrupting if asked to, until software clears it.
//   - To the processor: as many words of the RAM as the length asks for are read, in order from the RAM
//     address on, each offered to the engine until it takes it, without a pause. From the processor:
//     what the engine gives is written in that order.
//   - All of the bus is the engines'.
module fpga_dma_proof #(
    parameter int unsigned ADDR_W = 40,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 12,
    parameter int unsigned RAM_BYTES = 256,
    localparam int unsigned WordW = 5,
    localparam int unsigned LeftW = LEN_W - 3
) (
    input wire              clk,
    input wire              rst,
    input wire [       4:0] bus_address,
    input wire              bus_write,
    input wire [      31:0] bus_wdata,
    input wire [       3:0] bus_strobe,
    input wire              bus_select,
    input wire [DATA_W-1:0] ram_rdata,
    input wire              axi_arready,
    input wire [DATA_W-1:0] axi_rdata,
    input wire [       1:0] axi_rresp,
    input wire              axi_rlast,
    input wire              axi_rvalid,
    input wire              axi_awready,
    input wire              axi_wready,
    input wire [       1:0] axi_bresp,
    input wire              axi_bvalid
);

  wire bus_done, bus_error, irq, ram_enable, ram_write;
  wire [31:0] bus_rdata;
  wire [WordW-1:0] ram_word;
  wire [DATA_W-1:0] ram_wdata, axi_wdata;
  wire [ADDR_W-1:0] axi_araddr, axi_awaddr;
  wire [3:0] axi_arlen, axi_awlen;
  wire axi_arvalid, axi_rready, axi_awvalid, axi_wlast, axi_wvalid, axi_bready;
  wire [DATA_W/8-1:0] axi_wstrb;
  fpga_dma #(
      .ADDR_W(ADDR_W),
      .DATA_W(DATA_W),
      .LEN_W(LEN_W),
      .RAM_BYTES(RAM_BYTES)
  ) dut (
      .*
  );

  // ---- registers -------------------------------------------------------------------------------------

  reg started_reg = 1'b0;
  reg [63:0] address_reg;
  reg [31:0] place_reg;
  reg [LEN_W-1:0] length_reg;
  reg out_reg, tells_reg, busy_reg, done_reg, asked_reg;  // asked: the engine has not taken it
  reg [1:0] error_reg;
  reg answered_reg, refused_reg;
  reg [31:0] value_reg;
  reg [WordW-1:0] at_reg;
  reg [LeftW-1:0] left_reg;
  reg offered_reg;  // a word of the RAM, to the engine

  wire access = bus_select && !answered_reg;
  wire write = access && bus_write && bus_strobe == 4'hF;
  wire set = write && !busy_reg;
  wire go = set && bus_address == 5'h18 && bus_wdata[0] && length_reg >= LEN_W'(DATA_W / 8);
  wire taken = asked_reg && (out_reg ? dut.outward.cmd_ready : dut.inward.cmd_ready);
  wire ended = dut.inward.status_valid || dut.outward.status_valid;
  wire reads = left_reg != '0 && (!offered_reg || dut.outward.s_ready);
  wire writes = dut.inward.m_valid;

  logic [31:0] value;
  always_comb begin
    value = '0;
    if (bus_address == 5'h00) value = {28'd0, error_reg, busy_reg, done_reg};
    if (bus_address == 5'h04) value = address_reg[31:0];
    if (bus_address == 5'h1C) value = address_reg[63:32];
    if (bus_address == 5'h08) value = place_reg;
    if (bus_address == 5'h0C) value = 32'(length_reg);
    if (bus_address == 5'h18) value = {29'd0, tells_reg, out_reg, 1'b0};
  end

  always_ff @(posedge clk) begin
    started_reg  <= 1'b1;
    answered_reg <= access;
    value_reg    <= value;
    refused_reg  <= bus_write && bus_strobe != 4'hF;
    if (set && bus_address == 5'h04) address_reg[31:0] <= bus_wdata;
    if (set && bus_address == 5'h1C) address_reg[63:32] <= bus_wdata;
    if (set && bus_address == 5'h08) place_reg <= bus_wdata;
    if (set && bus_address == 5'h0C) length_reg <= bus_wdata[LEN_W-1:0];
    if (set && bus_address == 5'h18) {tells_reg, out_reg} <= bus_wdata[2:1];
    if (write && bus_address == 5'h00) done_reg <= 1'b0;
    if (taken) asked_reg <= 1'b0;
    if (reads || writes) at_reg <= at_reg + 1'b1;
    if (reads) left_reg <= left_reg - 1'b1;
    offered_reg <= reads || (offered_reg && !dut.outward.s_ready);
    if (go) begin
      asked_reg <= 1'b1;
      busy_reg  <= 1'b1;
      at_reg    <= place_reg[3+:WordW];
      left_reg  <= bus_wdata[1] ? length_reg[LEN_W-1:3] : '0;
    end
    if (ended) begin
      busy_reg  <= 1'b0;
      done_reg  <= 1'b1;
      error_reg <= out_reg ? dut.outward.status_error : dut.inward.status_error;
    end
    if (rst) begin
      answered_reg <= 1'b0;
      asked_reg <= 1'b0;
      busy_reg <= 1'b0;
      done_reg <= 1'b0;
      tells_reg <= 1'b0;
      error_reg <= '0;
      left_reg <= '0;
      offered_reg <= 1'b0;
    end
  end

  always_comb begin
    if (!started_reg) begin
      assume (rst);
      // What reset leaves is the same here, and nobody writes yet.
      assume (!bus_select);
      assume (dut.address_reg == address_reg && dut.ram_reg == place_reg);
      assume (dut.length_reg == length_reg && dut.outward_reg == out_reg);
    end
    // An engine is done when it has had all of its transfer.
    assume (!dut.inward.status_valid || (busy_reg && !asked_reg && !out_reg));
    assume (!dut.outward.status_valid ||
            (busy_reg && !asked_reg && out_reg && left_reg == '0 && !offered_reg));
    assume (!dut.inward.m_valid || (busy_reg && !asked_reg && !out_reg));
    if (started_reg) begin
      assert (bus_done == answered_reg);
      if (bus_done) assert (bus_rdata == value_reg && bus_error == refused_reg);
      assert (irq == (done_reg && tells_reg));

      assert (dut.inward.cmd_valid == (asked_reg && !out_reg));
      assert (dut.outward.cmd_valid == (asked_reg && out_reg));
      if (asked_reg) begin
        assert (dut.inward.cmd_addr == address_reg[ADDR_W-1:0]);
        assert (dut.outward.cmd_addr == address_reg[ADDR_W-1:0]);
        assert (dut.inward.cmd_len == length_reg && dut.outward.cmd_len == length_reg);
      end
      assert (!dut.inward.flush && !dut.outward.flush && dut.inward.m_ready);
      assert (dut.inward.rst == rst && dut.outward.rst == rst);

      assert (ram_enable == (reads || writes));
      if (ram_enable) assert (ram_write == writes && ram_word == at_reg);
      if (writes) assert (ram_wdata == dut.inward.m_data);
      assert (dut.outward.s_valid == offered_reg && dut.outward.s_data == ram_rdata);
      assert (!dut.outward.s_last);

      assert (axi_araddr == dut.inward.axi_araddr && axi_arlen == dut.inward.axi_arlen &&
              axi_arvalid == dut.inward.axi_arvalid && axi_rready == dut.inward.axi_rready);
      assert (dut.inward.axi_arready == axi_arready && dut.inward.axi_rdata == axi_rdata &&
              dut.inward.axi_rresp == axi_rresp && dut.inward.axi_rlast == axi_rlast &&
              dut.inward.axi_rvalid == axi_rvalid);
      assert (axi_awaddr == dut.outward.axi_awaddr && axi_awlen == dut.outward.axi_awlen &&
              axi_awvalid == dut.outward.axi_awvalid && axi_bready == dut.outward.axi_bready);
      assert (axi_wdata == dut.outward.axi_wdata && axi_wstrb == dut.outward.axi_wstrb &&
              axi_wlast == dut.outward.axi_wlast && axi_wvalid == dut.outward.axi_wvalid);
      assert (dut.outward.axi_awready == axi_awready && dut.outward.axi_wready == axi_wready &&
              dut.outward.axi_bresp == axi_bresp && dut.outward.axi_bvalid == axi_bvalid);

      // Only a transfer outwards reads, and none but the one in hand.
      assert (busy_reg || (!asked_reg && left_reg == '0 && !offered_reg));
      assert (out_reg || (left_reg == '0 && !offered_reg));

      // The registers are those of the accesses.
      assert (dut.busy_reg == busy_reg && dut.done_reg == done_reg && dut.go_reg == asked_reg);
      assert (dut.address_reg == address_reg && dut.ram_reg == place_reg);
      assert (dut.length_reg == length_reg && dut.failed_reg == error_reg);
      assert (dut.outward_reg == out_reg && dut.interrupt_reg == tells_reg);
      assert (dut.left_reg == left_reg && dut.held_reg == offered_reg);
      if (busy_reg) assert (dut.word_reg == at_reg);

      cover (irq && error_reg == 2'd2 && out_reg);
      cover (busy_reg && !out_reg && writes && at_reg == 5'd3);
      cover (done_reg && busy_reg && offered_reg && reads);
    end
  end

endmodule

// Engines that do anything: no output has a driver.
module dma_read #(
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 20,
    parameter int unsigned FIFO_DEPTH = 512,
    parameter int unsigned BURST = 16
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 flush,
    output wire                 idle,
    input  wire [   ADDR_W-1:0] cmd_addr,
    input  wire [    LEN_W-1:0] cmd_len,
    input  wire                 cmd_valid,
    output wire                 cmd_ready,
    output wire [   DATA_W-1:0] m_data,
    output wire [DATA_W/32-1:0] m_keep,
    output wire                 m_last,
    output wire                 m_valid,
    input  wire                 m_ready,
    output wire [          1:0] status_error,
    output wire                 status_valid,
    output wire [   ADDR_W-1:0] axi_araddr,
    output wire [          3:0] axi_arlen,
    output wire                 axi_arvalid,
    input  wire                 axi_arready,
    input  wire [   DATA_W-1:0] axi_rdata,
    input  wire [          1:0] axi_rresp,
    input  wire                 axi_rlast,
    input  wire                 axi_rvalid,
    output wire                 axi_rready
);
endmodule

module dma_write #(
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 20,
    parameter int unsigned FIFO_DEPTH = 512,
    parameter int unsigned BURST = 16
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 flush,
    output wire                 idle,
    input  wire [   ADDR_W-1:0] cmd_addr,
    input  wire [    LEN_W-1:0] cmd_len,
    input  wire                 cmd_valid,
    output wire                 cmd_ready,
    input  wire [   DATA_W-1:0] s_data,
    input  wire [DATA_W/32-1:0] s_keep,
    input  wire                 s_last,
    input  wire                 s_valid,
    output wire                 s_ready,
    output wire                 s_final,
    output wire [    LEN_W-1:0] status_len,
    output wire                 status_eob,
    output wire [          1:0] status_error,
    output wire                 status_valid,
    output wire [   ADDR_W-1:0] axi_awaddr,
    output wire [          3:0] axi_awlen,
    output wire                 axi_awvalid,
    input  wire                 axi_awready,
    output wire [   DATA_W-1:0] axi_wdata,
    output wire [ DATA_W/8-1:0] axi_wstrb,
    output wire                 axi_wlast,
    output wire                 axi_wvalid,
    input  wire                 axi_wready,
    input  wire [          1:0] axi_bresp,
    input  wire                 axi_bvalid,
    output wire                 axi_bready
);
endmodule
