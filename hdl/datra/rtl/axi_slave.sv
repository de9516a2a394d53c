// SPDX-License-Identifier: Apache-2.0

// AXI4 slave that turns bursts into accesses of the register bus, each of 32 bits, in order.
//
//   - FIXED, INCR and WRAP, up to 256 beats. A word an access; back to back, an access a cycle if the
//     page answers in the same cycle.
//   - A beat of 64 or 128 bits is two or four accesses, lowest address first; a beat of 32 bits is
//     one on a bus of any width. A written word without a strobe is no access.
//   - A byte, a half word, a word not aligned, or one with some strobes of four is no access and
//     answers SLVERR: nothing is popped or half written.
//   - Reads and writes take turns, word by word; neither waits for the other to end.
//
// No exclusive accesses. Responses are in the order of the requests on each channel, whatever the ID.
`default_nettype none
module axi_slave #(
    parameter int unsigned DATA_W = 32,
    parameter int unsigned ADDR_W = 21,
    parameter int unsigned ID_W = 8
) (
    input wire clk,
    input wire rst,

    input  wire [    ID_W-1:0] s_axi_awid,
    input  wire [  ADDR_W-1:0] s_axi_awaddr,
    input  wire [         7:0] s_axi_awlen,
    input  wire [         2:0] s_axi_awsize,
    input  wire [         1:0] s_axi_awburst,
    input  wire                s_axi_awvalid,
    output wire                s_axi_awready,
    input  wire [  DATA_W-1:0] s_axi_wdata,
    input  wire [DATA_W/8-1:0] s_axi_wstrb,
    input  wire                s_axi_wlast,
    input  wire                s_axi_wvalid,
    output wire                s_axi_wready,
    output wire [    ID_W-1:0] s_axi_bid,
    output wire [         1:0] s_axi_bresp,
    output wire                s_axi_bvalid,
    input  wire                s_axi_bready,
    input  wire [    ID_W-1:0] s_axi_arid,
    input  wire [  ADDR_W-1:0] s_axi_araddr,
    input  wire [         7:0] s_axi_arlen,
    input  wire [         2:0] s_axi_arsize,
    input  wire [         1:0] s_axi_arburst,
    input  wire                s_axi_arvalid,
    output wire                s_axi_arready,
    output wire [    ID_W-1:0] s_axi_rid,
    output wire [  DATA_W-1:0] s_axi_rdata,
    output wire [         1:0] s_axi_rresp,
    output wire                s_axi_rlast,
    output wire                s_axi_rvalid,
    input  wire                s_axi_rready,

    output wire [ADDR_W-1:0] bus_address,
    output wire              bus_write,
    output wire [      31:0] bus_wdata,
    output wire [       3:0] bus_strobe,
    output wire              bus_select,
    input  wire              bus_done,
    input  wire [      31:0] bus_rdata,
    input  wire              bus_error
);

  localparam int unsigned Words = DATA_W / 32;
  localparam int unsigned LaneW = Words > 1 ? $clog2(Words) : 1;
  localparam int unsigned Depth = 4;  // of the queues at W, R and B

  if (ADDR_W < 8 || ADDR_W > 64) $fatal(0, "axi_slave: ADDR_W %0d", ADDR_W);
  if (ID_W < 1 || ID_W > 32) $fatal(0, "axi_slave: ID_W %0d", ID_W);
  if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) $fatal(0, "axi_slave: DATA_W %0d", DATA_W);

  // ---- the two bursts: one word each is on offer ---------------------------------------------------

  wire write_ready, read_ready;  // the word on offer is taken
  wire write_active, read_active;
  wire [ADDR_W-1:0] write_address, read_address;
  wire write_whole, read_whole, write_beat_ends, read_beat_ends, write_ends, read_ends;
  wire [ID_W-1:0] write_id, read_id;

  axi_burst #(
      .ADDR_W(ADDR_W),
      .ID_W  (ID_W)
  ) write_burst (
      .clk,
      .rst,
      .id(s_axi_awid),
      .address(s_axi_awaddr),
      .len(s_axi_awlen),
      .size(s_axi_awsize),
      .burst(s_axi_awburst),
      .valid(s_axi_awvalid),
      .ready(s_axi_awready),
      .word_id(write_id),
      .word_address(write_address),
      .word_whole(write_whole),
      .word_beat_ends(write_beat_ends),
      .word_burst_ends(write_ends),
      .word_valid(write_active),
      .word_ready(write_ready)
  );

  axi_burst #(
      .ADDR_W(ADDR_W),
      .ID_W  (ID_W)
  ) read_burst (
      .clk,
      .rst,
      .id(s_axi_arid),
      .address(s_axi_araddr),
      .len(s_axi_arlen),
      .size(s_axi_arsize),
      .burst(s_axi_arburst),
      .valid(s_axi_arvalid),
      .ready(s_axi_arready),
      .word_id(read_id),
      .word_address(read_address),
      .word_whole(read_whole),
      .word_beat_ends(read_beat_ends),
      .word_burst_ends(read_ends),
      .word_valid(read_active),
      .word_ready(read_ready)
  );

  wire w_full, w_empty;
  wire [DATA_W-1:0] w_data;
  wire [DATA_W/8-1:0] w_strobe;
  assign s_axi_wready = !w_full;
  fifo_table #(
      .WIDTH(DATA_W + DATA_W / 8),
      .DEPTH(Depth)
  ) w_queue (
      .clk,
      .rst,
      .push(s_axi_wvalid && !w_full),
      .in_data({s_axi_wstrb, s_axi_wdata}),
      .full(w_full),
      .pop(write_ready && write_beat_ends),
      .out_data({w_strobe, w_data}),
      .empty(w_empty)
  );

  // ---- the access that is on the bus -----------------------------------------------------------

  reg [2:0] b_credit_reg, r_credit_reg;  // answers that there is place for
  reg turn_reg;  // the last word was a written one

  reg valid_reg, skip_reg, error_reg, write_reg, beat_ends_reg, ends_reg;
  reg [ADDR_W-1:2] address_reg;
  reg [31:0] wdata_reg;
  reg [ID_W-1:0] id_reg;
  wire finish = valid_reg && (skip_reg || bus_done);
  wire load = !valid_reg || finish;

  wire offer_write = write_active && !w_empty && b_credit_reg != '0;
  wire offer_read = read_active && r_credit_reg != '0;
  wire pick_write = offer_write && !(offer_read && turn_reg);
  assign write_ready = load && pick_write;
  assign read_ready  = load && offer_read && !pick_write;

  wire [LaneW-1:0] write_lane = Words > 1 ? write_address[2+:LaneW] : '0;
  wire [31:0] word = w_data[32*write_lane+:32];
  wire [3:0] strobe = w_strobe[4*write_lane+:4];

  assign bus_address = {address_reg, 2'b00};
  assign bus_write   = write_reg;
  assign bus_wdata   = wdata_reg;
  assign bus_strobe  = 4'hF;
  assign bus_select  = valid_reg && !skip_reg;
  wire failed = error_reg || (bus_select && bus_error);

  // ---- answers ---------------------------------------------------------------------------------

  // Words of the beat that were read before its last; the error of those and of the write burst.
  reg [DATA_W-1:0] beat_reg, beat;
  reg write_failed_reg, read_failed_reg;
  wire [LaneW-1:0] lane = Words > 1 ? address_reg[2+:LaneW] : '0;
  always_comb begin
    beat = beat_reg;
    beat[32*lane+:32] = skip_reg ? '0 : bus_rdata;
  end

  wire b_empty, r_empty;
  wire b_push = finish && write_reg && ends_reg;
  wire r_push = finish && !write_reg && beat_ends_reg;
  wire b_pop = s_axi_bvalid && s_axi_bready;
  wire r_pop = s_axi_rvalid && s_axi_rready;
  assign s_axi_bvalid = !b_empty;
  assign s_axi_rvalid = !r_empty;
  assign s_axi_bresp[0] = 1'b0;
  assign s_axi_rresp[0] = 1'b0;

  fifo_table #(
      .WIDTH(ID_W + 1),
      .DEPTH(Depth)
  ) b_queue (
      .clk,
      .rst,
      .push(b_push),
      .in_data({id_reg, failed || write_failed_reg}),
      .full(),  // credit says so
      .pop(b_pop),
      .out_data({s_axi_bid, s_axi_bresp[1]}),
      .empty(b_empty)
  );

  fifo_table #(
      .WIDTH(ID_W + DATA_W + 2),
      .DEPTH(Depth)
  ) r_queue (
      .clk,
      .rst,
      .push(r_push),
      .in_data({id_reg, beat, failed || read_failed_reg, ends_reg}),
      .full(),  // credit says so
      .pop(r_pop),
      .out_data({s_axi_rid, s_axi_rdata, s_axi_rresp[1], s_axi_rlast}),
      .empty(r_empty)
  );

  always_ff @(posedge clk) begin
    if (load) begin
      valid_reg <= write_ready || read_ready;
      write_reg <= pick_write;
      address_reg <= pick_write ? write_address[ADDR_W-1:2] : read_address[ADDR_W-1:2];
      wdata_reg <= word;
      id_reg <= pick_write ? write_id : read_id;
      beat_ends_reg <= pick_write ? write_beat_ends : read_beat_ends;
      ends_reg <= pick_write ? write_ends : read_ends;
      skip_reg <= pick_write ? !write_whole || strobe != 4'hF : !read_whole;
      error_reg <= !pick_write ? !read_whole
          : write_whole ? strobe != 4'h0 && strobe != 4'hF : w_strobe != '0;
    end
    if (write_ready) turn_reg <= 1'b1;
    if (read_ready) turn_reg <= 1'b0;

    if (finish && write_reg) write_failed_reg <= !ends_reg && (failed || write_failed_reg);
    if (finish && !write_reg) begin
      read_failed_reg <= !beat_ends_reg && (failed || read_failed_reg);
      beat_reg <= beat;
    end
    b_credit_reg <= b_credit_reg - 3'(write_ready && write_ends) + 3'(b_pop);
    r_credit_reg <= r_credit_reg - 3'(read_ready && read_beat_ends) + 3'(r_pop);

    if (rst) begin
      valid_reg <= 1'b0;
      turn_reg <= 1'b0;
      write_failed_reg <= 1'b0;
      read_failed_reg <= 1'b0;
      b_credit_reg <= 3'(Depth);
      r_credit_reg <= 3'(Depth);
    end
  end

endmodule
`default_nettype wire
