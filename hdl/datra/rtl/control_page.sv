// SPDX-License-Identifier: Apache-2.0

// The registers of the whole card: identity, backplane, routes, and the one interrupt to the processor.
// See registers/datra.rdl.
//
// `irq` is a level. `irq_pulse` marks each moment at which a message would be sent: when the first node
// becomes pending, and at a rearm with something still pending. A handler that leaves a cause to a
// thread rearms without a write to any node's CLEAR. If the interrupt came again at once, a single
// processor would never reach that thread. Then, and only then, the page withdraws `irq` and raises it
// again HOLDOFF cycles later, or as soon as the thread writes a CLEAR. A write to a CLEAR counts until
// the next rearm, so that a node that becomes pending between the two is not held off.
//
// A write to a route is done when the router has followed it.
`default_nettype none
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
    input  wire             node_clear,  // a write to some node's CLEAR
    output wire             irq,
    output wire             irq_pulse,

    output wire [   NODES-1:0] enable,
    output wire [28*NODES-1:0] routes,          // seven bits for each of four queues
    output wire                routes_changed,
    input  wire                routes_settled
);

  localparam logic [15:0] KeyHigh =
      datra_registers::CONTROL_LICENCE_KEY + datra_registers::CONTROL_LICENCE_KEY_STEP;
  localparam logic [15:0] IdHigh =
      datra_registers::CONTROL_DEVICE_ID + datra_registers::CONTROL_DEVICE_ID_STEP;
  localparam int unsigned HoldW = $clog2(HOLDOFF + 1);

  if (ADDRESS_BITS < 1 || ADDRESS_BITS > 64) $fatal(0, "control_page: ADDRESS_BITS %0d", ADDRESS_BITS);
  if (CLOCK_HZ < 1 || CLOCK_HZ > 1000000000) $fatal(0, "control_page: CLOCK_HZ %0d", CLOCK_HZ);
  if (NODES < 1 || NODES > 31) $fatal(0, "control_page: NODES %0d", NODES);
  if (HOLDOFF < 8 || HOLDOFF > 16777216) $fatal(0, "control_page: HOLDOFF %0d", HOLDOFF);

  // A page access takes two cycles, a change of route until the router has settled.
  reg done_reg, busy_reg;
  reg [31:0] rdata_reg;
  wire effect = bus_select && !done_reg && !busy_reg;
  wire write = effect && bus_write;
  wire [15:0] place = {5'd0, bus_address[10:2], 2'b00};
  assign bus_done  = done_reg;
  assign bus_rdata = rdata_reg;

  // ---- routes ------------------------------------------------------------------------------------

  localparam logic [15:0] Routes = datra_registers::CONTROL_ROUTE_OUTPUT;
  wire route_hit = place >= Routes;
  wire [4:0] route_node = place[8:4] - Routes[8:4];
  assign routes_changed = write && route_hit;

  // Four queues each. The route of a queue that the node does not have is kept, too, and leads nowhere.
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
  // pending_reg shows a CLEAR some cycles late; a rearm behind the CLEAR waits as long.
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
    if (write && place == datra_registers::CONTROL_BACKPLANE_SET)
      enable_next = enable_reg | bus_wdata[NODES:0];
    if (write && place == datra_registers::CONTROL_BACKPLANE_CLEAR)
      enable_next = enable_reg & ~bus_wdata[NODES:0];
  end

  logic [31:0] read;
  always_comb begin
    unique case (place)
      datra_registers::CONTROL_STATIC_ID: read = STATIC_ID;
      datra_registers::CONTROL_NODE_COUNT: read = 32'(NODES);
      datra_registers::CONTROL_ADDRESS_WIDTH: read = 32'(ADDRESS_BITS);
      datra_registers::CONTROL_VERSION: read = datra_registers::CONTROL_VERSION_RESET;
      datra_registers::CONTROL_LICENCE: read = datra_registers::CONTROL_LICENCE_RESET;
      datra_registers::CONTROL_LICENCE_KEY: read = key_reg[31:0];
      KeyHigh: read = key_reg[63:32];
      datra_registers::CONTROL_DEVICE_ID: read = DEVICE_ID[31:0];
      IdHigh: read = DEVICE_ID[63:32];
      datra_registers::CONTROL_BACKPLANE_STATUS: read = 32'(enable_reg);
      datra_registers::CONTROL_IRQ_PENDING: read = 32'(pending_reg) << datra_registers::CONTROL_IRQ_PENDING_NODES_LOW;
      datra_registers::CONTROL_READ_COUNT: read = read_count_reg;
      datra_registers::CONTROL_WRITE_COUNT: read = written_count_reg;
      datra_registers::CONTROL_EXTENSIONS: read = datra_registers::CONTROL_EXTENSIONS_RESET;
      datra_registers::CONTROL_CLOCK: read = 32'(CLOCK_HZ);
      datra_registers::CONTROL_CYCLES: read = cycles_reg[31:0];
      datra_registers::CONTROL_CYCLES_HIGH: read = cycles_high_reg;
      default: read = route_hit ? 32'(node_routes[7*place[3:2]+:7]) : '0;
    endcase
  end

  always_ff @(posedge clk) begin
    done_reg  <= busy_reg ? routes_settled : effect && !routes_changed;
    busy_reg  <= busy_reg ? !routes_settled : routes_changed;
    rdata_reg <= read;

    if (write && place == datra_registers::CONTROL_LICENCE_KEY) key_reg[31:0] <= bus_wdata;
    if (write && place == KeyHigh) key_reg[63:32] <= bus_wdata;
    enable_reg <= enable_next;
    if (word_read) read_count_reg <= read_count_reg + 1'b1;
    if (word_written) written_count_reg <= written_count_reg + 1'b1;
    cycles_reg <= cycles_reg + 1'b1;
    if (effect && !bus_write && place == datra_registers::CONTROL_CYCLES)
      cycles_high_reg <= cycles_reg[63:32];

    pending_reg <= node_irq;
    rearm_reg <= {rearm_reg[2:0], write && place == datra_registers::CONTROL_IRQ_REARM};
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
`default_nettype wire
