// SPDX-License-Identifier: Apache-2.0

// Carries words from the outputs of nodes (sources) to their inputs (sinks): a crossbar with a queue
// at each sink.
//
//   - Every stream moves a word a cycle, all at once: no path is shared.
//   - Nothing is combinational from node to node: `out_ready` is a register, each sink has a queue.
//   - A source has one destination, its route: (node + 1) << 2 | queue, 0 for none. If several name
//     the same sink, the one of lowest index has it. A source without a sink stalls.
//   - Words in here belong to the sink: `flush` discards them. A changed route leaves them in place.
//   - A source or sink whose `enable` is low neither sends nor receives.
//
// When a route has `changed`, sources are looked at in turn, one a cycle, and their route is compared
// with the connection that they have: one comparator for all of them. A sink that another source has
// is let go in one round and taken in the next, so that no word is on its way while it changes over.
// `settled` is low from `changed` until every connection agrees with the routes; while it is high nothing is looked at.
`default_nettype none
module router #(
    parameter int unsigned SOURCES = 17,
    parameter int unsigned SINKS = 18,
    parameter int unsigned DATA_W = 32,  // of a word: what is in it is the nodes' matter
    parameter int unsigned DEPTH = 32,  // words queued at each sink
    parameter logic [7*SINKS-1:0] SINK_ROUTE = '0  // the route by which each sink is named
) (
    input wire clk,
    input wire rst,

    input  wire [7*SOURCES-1:0] routes,
    input  wire                 changed,
    output wire                 settled,

    input  wire [       SOURCES-1:0] source_enable,
    input  wire [DATA_W*SOURCES-1:0] out_data,
    input  wire [    16*SOURCES-1:0] out_user,
    input  wire [       SOURCES-1:0] out_valid,
    output wire [       SOURCES-1:0] out_ready,

    input  wire [       SINKS-1:0] sink_enable,
    input  wire [       SINKS-1:0] flush,
    output wire [DATA_W*SINKS-1:0] in_data,
    output wire [    16*SINKS-1:0] in_user,
    output wire [       SINKS-1:0] in_valid,
    input  wire [       SINKS-1:0] in_ready
);

  localparam int unsigned SourceW = SOURCES > 1 ? $clog2(SOURCES) : 1;
  localparam int unsigned SinkW = SINKS > 1 ? $clog2(SINKS) : 1;
  localparam int unsigned Round = SOURCES < 2 ? 2 : SOURCES;
  localparam int unsigned RoundW = $clog2(Round);
  localparam int unsigned SettleW = $clog2(3 * Round + 4);

  if (SOURCES < 1 || SOURCES > 128 || SINKS < 1 || SINKS > 128)
    $fatal(0, "router: %0d sources, %0d sinks", SOURCES, SINKS);
  if (DATA_W < 1 || DATA_W > 1024) $fatal(0, "router: DATA_W %0d", DATA_W);

  // ---- the source that is looked at ------------------------------------------------------------

  reg [RoundW-1:0] turn_reg, source_reg;
  reg [6:0] route_reg;
  reg fresh_reg;  // the first of a round
  reg [SettleW-1:0] settle_reg;
  assign settled = settle_reg == '0;

  logic [6:0] route_of_turn;
  always_comb begin
    route_of_turn = '0;
    if (!settled)
      for (int unsigned s = 0; s < SOURCES; s++)
        if (turn_reg == RoundW'(s)) route_of_turn = routes[7*s+:7];
  end

  // ---- connections -----------------------------------------------------------------------------

  reg [SINKS-1:0][SourceW-1:0] select_reg;
  reg [SINKS-1:0] connected_reg, live_reg, claimed_reg;
  reg [SOURCES-1:0][SinkW-1:0] sink_reg;
  reg [SOURCES-1:0] granted_reg;

  always_ff @(posedge clk) begin
    // Computed inside this condition: while all is settled it costs a simulator nothing.
    if (!settled) begin : look
      logic [SINKS-1:0] hit, mine, blocked;  // named by the route, has the source, taken before it
      logic holds, takes;
      logic [SinkW-1:0] index;
      index = '0;
      for (int unsigned d = 0; d < SINKS; d++) begin
        hit[d] = route_reg == SINK_ROUTE[7*d+:7];
        mine[d] = connected_reg[d] && RoundW'(select_reg[d]) == source_reg;
        blocked[d] = claimed_reg[d] && !fresh_reg;
        if (hit[d]) index = index | SinkW'(d);
      end
      holds = |(mine & hit & ~blocked);
      takes = |(hit & ~blocked & ~connected_reg);
      for (int unsigned d = 0; d < SINKS; d++) begin
        claimed_reg[d] <= hit[d] || blocked[d];
        if (hit[d] && !blocked[d]) begin
          if (takes) begin
            select_reg[d] <= source_reg[SourceW-1:0];
            connected_reg[d] <= 1'b1;
          end else if (!mine[d]) begin
            connected_reg[d] <= 1'b0;
          end
        end else if (mine[d]) begin
          connected_reg[d] <= 1'b0;
        end
      end
      for (int unsigned s = 0; s < SOURCES; s++)
        if (source_reg == RoundW'(s)) begin
          granted_reg[s] <= holds || takes;
          if (takes) sink_reg[s] <= index;
        end
    end
    // `out_ready` follows the connection by a cycle; so must the sink that listens.
    live_reg <= connected_reg;
    if (rst) begin
      connected_reg <= '0;
      live_reg <= '0;
      claimed_reg <= '0;
      granted_reg <= '0;
    end
  end

  // ---- sinks -----------------------------------------------------------------------------------

  wire [  SINKS-1:0] room;
  wire [SOURCES-1:0] fire = out_valid & out_ready;

  for (genvar d = 0; d < SINKS; d++) begin : sink
    router_sink #(
        .SOURCES(SOURCES),
        .DATA_W (DATA_W),
        .DEPTH  (DEPTH)
    ) queue (
        .clk,
        .rst,
        .flush(flush[d]),
        .enable(sink_enable[d]),
        .select(select_reg[d]),
        .live(live_reg[d]),
        .room(room[d]),
        .source_data(out_data),
        .source_user(out_user),
        .source_fire(fire),
        .in_data(in_data[DATA_W*d+:DATA_W]),
        .in_user(in_user[16*d+:16]),
        .in_valid(in_valid[d]),
        .in_ready(in_ready[d])
    );
  end

  // ---- sources ---------------------------------------------------------------------------------

  wire [SINKS-1:0] open = room & connected_reg;
  reg [SOURCES-1:0] ready_reg;
  assign out_ready = ready_reg;

  always_ff @(posedge clk) begin
    for (int unsigned s = 0; s < SOURCES; s++)
      ready_reg[s] <= granted_reg[s] && source_enable[s] && open[sink_reg[s]];
    if (rst) ready_reg <= '0;
  end

  always_ff @(posedge clk) begin
    if (!settled) begin
      turn_reg   <= turn_reg == RoundW'(Round - 1) ? '0 : turn_reg + 1'b1;
      source_reg <= turn_reg;
      fresh_reg  <= turn_reg == '0;
      route_reg  <= route_of_turn;
    end
    if (changed) settle_reg <= SettleW'(3 * Round + 3);
    else if (!settled) settle_reg <= settle_reg - 1'b1;
    if (rst) begin
      turn_reg   <= '0;
      source_reg <= '0;
      route_reg  <= '0;
      fresh_reg  <= 1'b1;
      settle_reg <= '0;
    end
  end

endmodule
`default_nettype wire
