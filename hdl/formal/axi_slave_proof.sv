// SPDX-License-Identifier: Apache-2.0

// axi_slave, for a number of cycles from reset, with any whole words asked for and any register bus:
//
//   - R comes only for an address taken, in order, with its identifier; RLAST is on the burst's last
//     beat and on no other. B comes once for a burst, when its address and all its data are taken.
//   - What is shown on R and B stays until it is taken.
//   - The register bus has one access at a time, which stays as it is until it is done. Words are read
//     in order, each once, at the addresses that the burst's kind gives; a word is written only when
//     its address and data are taken.
module axi_slave_proof #(
    parameter int unsigned DATA_W = 32,
    parameter int unsigned ADDR_W = 10,
    parameter int unsigned ID_W = 1
) (
    input wire                clk,
    input wire                rst,
    input wire [    ID_W-1:0] s_axi_awid,
    input wire [  ADDR_W-1:0] s_axi_awaddr,
    input wire [         7:0] s_axi_awlen,
    input wire                s_axi_awvalid,
    input wire [  DATA_W-1:0] s_axi_wdata,
    input wire [DATA_W/8-1:0] s_axi_wstrb,
    input wire                s_axi_wlast,
    input wire                s_axi_wvalid,
    input wire                s_axi_bready,
    input wire [    ID_W-1:0] s_axi_arid,
    input wire [  ADDR_W-1:0] s_axi_araddr,
    input wire [         7:0] s_axi_arlen,
    input wire                fixed,          // the kind of burst that is asked for, else INCR
    input wire                s_axi_arvalid,
    input wire                s_axi_rready,
    input wire                bus_done,
    input wire [        31:0] bus_rdata,
    input wire                bus_error
);

  localparam int unsigned Most = 8;  // bursts that can be inside on a channel, and one more

  wire s_axi_awready, s_axi_wready, s_axi_bvalid, s_axi_arready, s_axi_rvalid, s_axi_rlast;
  wire [ID_W-1:0] s_axi_bid, s_axi_rid;
  wire [1:0] s_axi_bresp, s_axi_rresp;
  wire [DATA_W-1:0] s_axi_rdata;
  wire [ADDR_W-1:0] bus_address;
  wire bus_write, bus_select;
  wire [31:0] bus_wdata;
  wire [3:0] bus_strobe;
  wire [2:0] s_axi_awsize = 3'd2, s_axi_arsize = 3'd2;
  wire [1:0] s_axi_awburst = {1'b0, !fixed}, s_axi_arburst = {1'b0, !fixed};
  axi_slave #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .ID_W  (ID_W)
  ) dut (
      .*
  );

  wire ask = s_axi_arvalid && s_axi_arready;
  wire announce = s_axi_awvalid && s_axi_awready;
  wire come = s_axi_rvalid && s_axi_rready;
  wire give = s_axi_wvalid && s_axi_wready;
  wire answer = s_axi_bvalid && s_axi_bready;
  wire access = bus_select && bus_done;

  // ---- bursts that are owed an answer, the oldest in 0 -----------------------------------------------

  typedef logic [3:0] count_t;
  reg [Most-1:0][ID_W-1:0] ar_id_reg, aw_id_reg;
  reg [Most-1:0][7:0] ar_len_reg, aw_len_reg;
  reg [3:0] ar_level_reg, aw_level_reg;
  reg [7:0] r_beat_reg;
  reg [9:0] w_given_reg;  // beats of data taken and not answered
  wire r_done = come && s_axi_rlast;

  // ---- reads that have not ended on the bus, the oldest in 0 ------------------------------------------

  reg [Most-1:0][ADDR_W-1:0] rd_addr_reg;
  reg [Most-1:0][8:0] rd_left_reg;
  reg [Most-1:0] rd_fixed_reg;
  reg [3:0] rd_level_reg;
  wire rd_end = access && !bus_write && rd_left_reg[0] == 9'd1;

  // ---- a word that is read, followed from the bus to R -----------------------------------------------

  reg [9:0] read_reg, returned_reg;  // words

  reg started_reg = 1'b0;
  reg b_held_reg, r_held_reg, bus_held_reg;
  reg [ID_W+1:0] b_reg;
  reg [ID_W+DATA_W+2:0] r_reg;
  reg [ADDR_W+36:0] bus_reg;
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    b_held_reg <= s_axi_bvalid && !s_axi_bready && !rst;
    r_held_reg <= s_axi_rvalid && !s_axi_rready && !rst;
    bus_held_reg <= bus_select && !bus_done && !rst;
    b_reg <= {s_axi_bid, s_axi_bresp};
    r_reg <= {s_axi_rid, s_axi_rdata, s_axi_rresp, s_axi_rlast};
    bus_reg <= {bus_address, bus_write, bus_wdata, bus_strobe};

    ar_level_reg <= ar_level_reg + count_t'(ask) - count_t'(r_done);
    aw_level_reg <= aw_level_reg + count_t'(announce) - count_t'(answer);
    if (r_done) begin
      ar_id_reg  <= ar_id_reg >> ID_W;
      ar_len_reg <= ar_len_reg >> 8;
    end
    if (answer) begin
      aw_id_reg  <= aw_id_reg >> ID_W;
      aw_len_reg <= aw_len_reg >> 8;
    end
    if (ask) begin
      ar_id_reg[3'(ar_level_reg - count_t'(r_done))]  <= s_axi_arid;
      ar_len_reg[3'(ar_level_reg - count_t'(r_done))] <= s_axi_arlen;
    end
    if (announce) begin
      aw_id_reg[3'(aw_level_reg - count_t'(answer))]  <= s_axi_awid;
      aw_len_reg[3'(aw_level_reg - count_t'(answer))] <= s_axi_awlen;
    end
    if (come) r_beat_reg <= s_axi_rlast ? '0 : r_beat_reg + 1'b1;
    w_given_reg <= w_given_reg + 10'(give) - (answer ? 10'(aw_len_reg[0]) + 1'b1 : '0);

    rd_level_reg <= rd_level_reg + count_t'(ask) - count_t'(rd_end);
    if (access && !bus_write) begin
      rd_left_reg[0] <= rd_left_reg[0] - 1'b1;
      if (!rd_fixed_reg[0]) rd_addr_reg[0] <= rd_addr_reg[0] + ADDR_W'(4);
    end
    if (rd_end) begin
      rd_left_reg  <= rd_left_reg >> 9;
      rd_addr_reg  <= rd_addr_reg >> ADDR_W;
      rd_fixed_reg <= rd_fixed_reg >> 1;
    end
    if (ask) begin
      rd_addr_reg[3'(rd_level_reg - count_t'(rd_end))] <= s_axi_araddr;
      rd_left_reg[3'(rd_level_reg - count_t'(rd_end))] <= 9'(s_axi_arlen) + 1'b1;
      rd_fixed_reg[3'(rd_level_reg - count_t'(rd_end))] <= fixed;
    end
    if (rst) begin
      ar_level_reg <= '0;
      aw_level_reg <= '0;
      rd_level_reg <= '0;
      r_beat_reg <= '0;
      w_given_reg <= '0;
    end
  end

  always_comb begin
    if (!started_reg) assume (rst);
    if (started_reg) assume (!rst);
    assume (!bus_done || bus_select);
    if (ar_level_reg == count_t'(Most - 1)) assume (!s_axi_arvalid);
    if (aw_level_reg == count_t'(Most - 1)) assume (!s_axi_awvalid);
    // What is no whole word answers SLVERR; the bench has that.
    assume (s_axi_araddr[1:0] == '0 && s_axi_awaddr[1:0] == '0);

    if (started_reg) begin
      if (s_axi_rvalid) begin
        assert (ar_level_reg != '0 && s_axi_rid == ar_id_reg[0]);
        assert (s_axi_rlast == (r_beat_reg == ar_len_reg[0]));
        assert (!s_axi_rresp[0]);
      end
      if (s_axi_bvalid) begin
        assert (aw_level_reg != '0 && s_axi_bid == aw_id_reg[0]);
        assert (w_given_reg >= 10'(aw_len_reg[0]) + 1'b1);
        assert (!s_axi_bresp[0]);
      end
      if (b_held_reg) assert (s_axi_bvalid && {s_axi_bid, s_axi_bresp} == b_reg);
      if (r_held_reg)
        assert (s_axi_rvalid && {s_axi_rid, s_axi_rdata, s_axi_rresp, s_axi_rlast} == r_reg);
      if (bus_held_reg)
        assert (bus_select && {bus_address, bus_write, bus_wdata, bus_strobe} == bus_reg);
      if (bus_select && !bus_write)
        assert (rd_level_reg != '0 && bus_address == rd_addr_reg[0]);
      if (bus_select && bus_write) assert (aw_level_reg != '0 && w_given_reg != '0);

      cover (s_axi_rvalid && s_axi_rlast && r_beat_reg == 3);
      cover (s_axi_bvalid && aw_len_reg[0] == 2 && s_axi_bresp == 2'b10);
      cover (s_axi_rvalid && s_axi_bvalid);
    end
  end

endmodule
