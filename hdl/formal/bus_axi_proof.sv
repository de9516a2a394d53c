// SPDX-License-Identifier: Apache-2.0

// bus_axi, by induction, behind a slave that answers what it has taken, once, at any time:
//
//   - An access is one address, with one beat of data if it writes, of the place and the word asked for;
//     each stays until it is taken. Nothing is asked without an access.
//   - It is done with the slave's answer, which is passed on, and not before address and data are taken.
module bus_axi_proof #(
    parameter int unsigned ADDR_W = 8
) (
    input wire              clk,
    input wire              rst,
    input wire [ADDR_W-1:0] bus_address,
    input wire              bus_write,
    input wire [      31:0] bus_wdata,
    input wire              bus_select,
    input wire              m_axi_awready,
    input wire              m_axi_wready,
    input wire [       1:0] m_axi_bresp,
    input wire              m_axi_bvalid,
    input wire              m_axi_arready,
    input wire [      31:0] m_axi_rdata,
    input wire [       1:0] m_axi_rresp,
    input wire              m_axi_rvalid
);

  wire bus_done, bus_error;
  wire [31:0] bus_rdata, m_axi_wdata;
  wire [ADDR_W-1:0] m_axi_awaddr, m_axi_araddr;
  wire m_axi_awvalid, m_axi_wvalid, m_axi_bready, m_axi_arvalid, m_axi_rready;
  bus_axi #(.ADDR_W(ADDR_W)) dut (.*);

  // What the slave has taken and not answered.
  reg started_reg = 1'b0;
  reg read_reg, address_reg, data_reg;
  reg open_reg, write_reg;  // the access of the cycle before, if it was not done
  reg [ADDR_W-1:0] at_reg;
  reg [31:0] word_reg;
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    if (m_axi_arvalid && m_axi_arready) read_reg <= 1'b1;
    if (m_axi_awvalid && m_axi_awready) address_reg <= 1'b1;
    if (m_axi_wvalid && m_axi_wready) data_reg <= 1'b1;
    if (m_axi_rvalid) read_reg <= 1'b0;
    if (m_axi_bvalid) begin
      address_reg <= 1'b0;
      data_reg <= 1'b0;
    end
    open_reg  <= bus_select && !bus_done;
    write_reg <= bus_write;
    at_reg    <= bus_address;
    word_reg  <= bus_wdata;
    if (rst) begin
      read_reg <= 1'b0;
      address_reg <= 1'b0;
      data_reg <= 1'b0;
      open_reg <= 1'b0;
    end
  end

  always_comb begin
    if (!started_reg) assume (rst);
    else begin
      // The bus keeps what it asks; the slave owes no more than it has taken.
      if (open_reg)
        assume (bus_select && bus_write == write_reg && bus_address == at_reg && bus_wdata == word_reg);
      assume (!m_axi_rvalid || read_reg);
      assume (!m_axi_bvalid || (address_reg && data_reg));

      assert (!read_reg || (open_reg && !write_reg));
      assert (!(address_reg || data_reg) || (open_reg && write_reg));
      assert (dut.asked_reg == (read_reg || address_reg) && dut.told_reg == data_reg);

      assert (m_axi_arvalid == (bus_select && !bus_write && !read_reg));
      assert (m_axi_awvalid == (bus_select && bus_write && !address_reg));
      assert (m_axi_wvalid == (bus_select && bus_write && !data_reg));
      if (m_axi_arvalid) assert (m_axi_araddr == bus_address);
      if (m_axi_awvalid) assert (m_axi_awaddr == bus_address);
      if (m_axi_wvalid) assert (m_axi_wdata == bus_wdata);
      assert (m_axi_rready && m_axi_bready);
      assert (bus_done == (m_axi_rvalid || m_axi_bvalid));
      if (m_axi_rvalid) assert (bus_rdata == m_axi_rdata && bus_error == (m_axi_rresp != 2'b00));
      if (m_axi_bvalid) assert (bus_error == (m_axi_bresp != 2'b00));
      cover (m_axi_bvalid && bus_error);
      cover (m_axi_rvalid && !bus_error);
    end
  end

endmodule
