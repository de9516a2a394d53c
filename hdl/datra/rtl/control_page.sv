// SPDX-License-Identifier: Apache-2.0

// Registers of the whole: identity, backplane, routes, and the one interrupt to the processor.
//
//   0x0C static id      0x14, 0x18 number of nodes (byte fields, summed)   0x1C DMA address bits
//   0x30 version        0x34 licence, bit 0 valid     0x38/0x3C licence key     0x40/0x44 device id
//   0x50 nodes that take part, bit n + 1 for node n   0x54 set   0x58 clear
//   0x60 nodes with an interrupt pending, bit n + 1   0x64 any write: rearm
//   0x70 / 0x74 words read / written by the processor
//   0x78 extensions: "WB" and their version           0x7C clock in Hz, 0 unknown
//   0x80 / 0x84 cycles since reset; reading the low half holds the high one
//   0x610 + 16n + 4q route of output q of node n: (destination node + 1) << 2 | queue, 0 none
//
// Interrupt. `irq` is a level; `irq_pulse` marks each moment at which a message would be sent: when
// the first node becomes pending, and at a rearm with something still pending. A handler that finds
// a cause it leaves to a thread rearms without a write to any node's 0x2C; were the interrupt repeated
// at once, a single processor would never come to that thread. Then, and only then, `irq` is withdrawn
// and comes again HOLDOFF cycles later, or when the thread has written 0x2C. A write to 0x2C counts
// until the next rearm, so that a node that becomes pending between the two is not held off.
//
// A write to a route is done when the router has followed it.
module control_page #(
    parameter int unsigned NODES = 6,
    parameter logic [31:0] STATIC_ID = 32'h1,
    parameter logic [63:0] DEVICE_ID = 64'h0,
    parameter int unsigned ADDRESS_BITS = 32,
    parameter int unsigned CLOCK_HZ = 100_000_000,
    parameter int unsigned HOLDOFF = CLOCK_HZ / 100_000  // 10 us
) (
    input wire clk,
    input wire rst,

    input  wire [15:0] bus_address,
    input  wire        bus_write,
    input  wire [31:0] bus_wdata,
    input  wire        bus_select,
    output wire        bus_done,
    output wire [31:0] bus_rdata,

    input wire word_read,    // by the processor, anywhere
    input wire word_written,

    input  wire [NODES-1:0] node_irq,
    input  wire             node_clear,  // a write to some node's 0x2C
    output wire             irq,
    output wire             irq_pulse,

    output wire [   NODES-1:0] enable,
    output wire [28*NODES-1:0] routes,          // seven bits for each of four queues
    output wire                routes_changed,
    input  wire                routes_settled
);

  localparam int unsigned HoldW = $clog2(HOLDOFF + 1);

  initial begin
    if (NODES < 1 || NODES > 31) $fatal(0, "control_page: NODES %0d", NODES);
    if (HOLDOFF < 8) $fatal(0, "control_page: HOLDOFF %0d", HOLDOFF);
  end

  // A page access takes two cycles, a change of route until the router has settled.
  reg done_reg, busy_reg;
  reg [31:0] rdata_reg;
  wire effect = bus_select && !done_reg && !busy_reg;
  wire write = effect && bus_write;
  wire [10:0] place = {bus_address[10:2], 2'b00};
  assign bus_done  = done_reg;
  assign bus_rdata = rdata_reg;

  // ---- routes ------------------------------------------------------------------------------------

  wire route_hit = place >= 11'h610;
  wire [4:0] route_node = place[8:4] - 5'h01;
  assign routes_changed = write && route_hit;

  // Of four queues each: one that the node has not is held as well, and leads nowhere.
  reg [28*NODES-1:0] routes_reg;
  assign routes = routes_reg;
  always_ff @(posedge clk) begin
    if (routes_changed) begin
      for (int unsigned n = 0; n < NODES; n++)
        for (int unsigned q = 0; q < 4; q++)
          if (route_node == 5'(n) && place[3:2] == 2'(q))
            routes_reg[28*n+7*q+:7] <= bus_wdata[6:0];
    end
    if (rst) routes_reg <= '0;
  end

  logic [27:0] node_routes;
  always_comb begin
    node_routes = '0;
    if (effect && route_hit)
      for (int unsigned n = 0; n < NODES; n++)
        if (route_node == 5'(n)) node_routes = routes[28*n+:28];
  end

  // ---- interrupt ---------------------------------------------------------------------------------

  reg [NODES-1:0] pending_reg;
  reg raised_reg, raised_next;
  reg cleared_reg, cleared_next;  // since the last rearm
  reg [HoldW-1:0] hold_reg, hold_next;
  reg pulse_reg, pulse_next;
  // A clear takes some cycles to show in pending_reg; a rearm behind it has to wait as long.
  reg [3:0] rearm_reg;
  wire some = pending_reg != '0;
  wire rearm = rearm_reg[3];

  always_comb begin
    raised_next = raised_reg && some;
    cleared_next = cleared_reg || node_clear;
    hold_next = hold_reg == '0 ? '0 : hold_reg - 1'b1;
    if (node_clear && hold_reg > HoldW'(4)) hold_next = HoldW'(4);
    pulse_next = 1'b0;

    if (rearm && some && !cleared_next) begin
      raised_next = 1'b0;
      hold_next   = HoldW'(HOLDOFF);
    end else if (some && hold_reg == '0 && (rearm || !raised_reg)) begin
      raised_next = 1'b1;
      pulse_next  = 1'b1;
    end
    if (rearm) cleared_next = node_clear;
  end

  assign irq = raised_reg;
  assign irq_pulse = pulse_reg;

  // ---- the other registers -----------------------------------------------------------------------

  reg [NODES:0] enable_reg, enable_next;
  reg [63:0] key_reg, cycles_reg;
  reg [31:0] cycles_high_reg, read_count_reg, written_count_reg;
  assign enable = enable_reg[NODES:1];

  always_comb begin
    enable_next = enable_reg;
    if (write && place == 11'h054) enable_next = enable_reg | bus_wdata[NODES:0];
    if (write && place == 11'h058) enable_next = enable_reg & ~bus_wdata[NODES:0];
  end

  logic [31:0] read;
  always_comb begin
    unique case (place)
      11'h00C: read = STATIC_ID;
      11'h014: read = 32'(NODES);
      11'h01C: read = 32'(ADDRESS_BITS);
      11'h030: read = 32'h07DF_0104;  // 2015.1.4, from which on the static id counts
      11'h034: read = 32'd1;
      11'h038: read = key_reg[31:0];
      11'h03C: read = key_reg[63:32];
      11'h040: read = DEVICE_ID[31:0];
      11'h044: read = DEVICE_ID[63:32];
      11'h050: read = 32'(enable_reg);
      11'h060: read = 32'({pending_reg, 1'b0});
      11'h070: read = read_count_reg;
      11'h074: read = written_count_reg;
      11'h078: read = 32'h5742_0001;
      11'h07C: read = 32'(CLOCK_HZ);
      11'h080: read = cycles_reg[31:0];
      11'h084: read = cycles_high_reg;
      default: read = route_hit ? 32'(node_routes[7*place[3:2]+:7]) : '0;
    endcase
  end

  always_ff @(posedge clk) begin
    done_reg  <= busy_reg ? routes_settled : effect && !routes_changed;
    busy_reg  <= busy_reg ? !routes_settled : routes_changed;
    rdata_reg <= read;

    if (write && place == 11'h038) key_reg[31:0] <= bus_wdata;
    if (write && place == 11'h03C) key_reg[63:32] <= bus_wdata;
    enable_reg <= enable_next;
    if (word_read) read_count_reg <= read_count_reg + 1'b1;
    if (word_written) written_count_reg <= written_count_reg + 1'b1;
    cycles_reg <= cycles_reg + 1'b1;
    if (effect && !bus_write && place == 11'h080) cycles_high_reg <= cycles_reg[63:32];

    pending_reg <= node_irq;
    rearm_reg <= {rearm_reg[2:0], write && place == 11'h064};
    raised_reg <= raised_next;
    cleared_reg <= cleared_next;
    hold_reg <= hold_next;
    pulse_reg <= pulse_next;

    if (rst) begin
      done_reg <= 1'b0;
      busy_reg <= 1'b0;
      key_reg <= '0;
      enable_reg <= '0;
      read_count_reg <= '0;
      written_count_reg <= '0;
      cycles_reg <= '0;
      cycles_high_reg <= '0;
      pending_reg <= '0;
      rearm_reg <= '0;
      raised_reg <= 1'b0;
      cleared_reg <= 1'b0;
      hold_reg <= '0;
      pulse_reg <= 1'b0;
    end
  end

endmodule
