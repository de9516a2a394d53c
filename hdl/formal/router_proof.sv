// SPDX-License-Identifier: Apache-2.0

// router with its sinks, by induction, for three sources and two sinks, while routes change at any time:
//
//   - A word that leaves a source is taken by exactly one sink, the one that the source is connected to,
//     and no sink takes a word that did not leave; none comes to a full queue.
//   - Any word comes out of its sink once, in its turn, with its data and signal, unless that sink is
//     flushed. A word is picked by the solver as it leaves its source and followed through the sink.
//   - A sink whose `enable` is low offers nothing; what is offered stays until it is taken or flushed.
//   - Nothing waits in vain: a sink that is enabled and has a word offers it, one with a place that it
//     has not promised in the last two cycles has room, and a source that is enabled and connected to a
//     sink with room is ready.
//   - The sources' routes are looked at in turn for four rounds from a change on. Whom a route names
//     has the sink if no source before it in the round did: at once if the sink is free, else when who
//     had it has been let go. A source whose route names no sink, or one that is taken, has none.
module router_proof #(
    parameter int unsigned SOURCES = 3,
    parameter int unsigned SINKS = 2,
    parameter int unsigned DEPTH = 8,
    localparam int unsigned DW = $clog2(SINKS),
    localparam int unsigned P = $clog2(DEPTH)
) (
    input wire                  clk,
    input wire                  rst,
    input wire [ 7*SOURCES-1:0] routes,
    input wire                  changed,
    input wire [   SOURCES-1:0] source_enable,
    input wire [32*SOURCES-1:0] out_data,
    input wire [16*SOURCES-1:0] out_user,
    input wire [   SOURCES-1:0] out_valid,
    input wire [     SINKS-1:0] sink_enable,
    input wire [     SINKS-1:0] flush,
    input wire [     SINKS-1:0] in_ready,
    input wire                  pick,
    input wire [           1:0] pick_source
);

  wire settled;
  wire [SOURCES-1:0] out_ready;
  wire [32*SINKS-1:0] in_data;
  wire [16*SINKS-1:0] in_user;
  wire [SINKS-1:0] in_valid;
  router #(
      .SOURCES(SOURCES),
      .SINKS(SINKS),
      .DEPTH(DEPTH),
      .SINK_ROUTE({7'd10, 7'd9})
  ) dut (
      .clk,
      .rst,
      .routes,
      .changed,
      .settled,
      .source_enable,
      .out_data,
      .out_user,
      .out_valid,
      .out_ready,
      .sink_enable,
      .flush,
      .in_data,
      .in_user,
      .in_valid,
      .in_ready
  );

  wire [SOURCES-1:0] fire = out_valid & out_ready;

  // The registers of the sinks and sources, side by side.
  wire [SINKS-1:0] connected, live, claimed, taken, room, dut_before;
  wire [SINKS-1:0][1:0] select;
  wire [SINKS-1:0][P:0] level;
  wire [SINKS-1:0][P-1:0] write_place, read_place;
  wire [SINKS-1:0][47:0] word, at_place;
  wire [SOURCES-1:0] granted;
  wire [SOURCES-1:0][DW-1:0] sink;
  reg [P-1:0] place_reg;  // of the picked word
  for (genvar d = 0; d < SINKS; d++) begin : sinks
    assign connected[d] = dut.connected_reg[d];
    assign live[d] = dut.live_reg[d];
    assign claimed[d] = dut.claimed_reg[d];
    assign select[d] = dut.select_reg[d];
    assign taken[d] = dut.sink[d].queue.word_valid_reg;
    assign word[d] = dut.sink[d].queue.word_reg;
    assign level[d] = dut.sink[d].queue.level_reg;
    assign room[d] = dut.sink[d].queue.room_reg;
    assign dut_before[d] = dut.sink[d].queue.before_reg;
    assign write_place[d] = dut.sink[d].queue.write_reg;
    assign read_place[d] = dut.sink[d].queue.read_reg;
    assign at_place[d] = dut.sink[d].queue.ram[place_reg];
  end
  for (genvar s = 0; s < SOURCES; s++) begin : sources
    assign granted[s] = dut.granted_reg[s];
    assign sink[s] = dut.sink_reg[s];
  end

  // ---- history ---------------------------------------------------------------------------------------

  reg started_reg = 1'b0, reset_reg;
  reg [SOURCES-1:0] fired_reg, granted_reg;
  reg [SOURCES-1:0][47:0] given_reg;
  reg [SOURCES-1:0][DW-1:0] sink_reg;  // where what fires now goes, by the cycle before
  reg [SOURCES-1:0][DW-1:0] went_reg;  // where what fired went
  reg [SINKS-1:0] flush_reg, held_reg;
  reg [SOURCES-1:0] may_reg;  // enabled, with a connection, to a sink with room
  reg [SINKS-1:0] room_reg, room_before_reg;  // one and two cycles ago
  reg [SINKS-1:0][P:0] queued_level_reg;  // words that came and did not go
  reg [SINKS-1:0][47:0] shown_reg;
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    reset_reg <= rst;
    room_reg <= rst ? '0 : room;
    room_before_reg <= rst ? '0 : room_reg;
    flush_reg <= flush;
    granted_reg <= rst ? '0 : granted;
    sink_reg <= sink;
    went_reg <= sink_reg;
    fired_reg <= rst ? '0 : fire;
    for (int unsigned s = 0; s < SOURCES; s++)
      may_reg[s] <= !rst && granted[s] && source_enable[s] && connected[sink[s]] && room[sink[s]];
    for (int unsigned d = 0; d < SINKS; d++)
      queued_level_reg[d] <= rst || flush[d] ? '0 :
          queued_level_reg[d] + (P + 1)'(taken[d]) - (P + 1)'(in_valid[d] && in_ready[d]);
    held_reg <= rst ? '0 : in_valid & ~in_ready & ~flush;
    for (int unsigned s = 0; s < SOURCES; s++)
      given_reg[s] <= {out_user[16*s+:16], out_data[32*s+:32]};
    for (int unsigned d = 0; d < SINKS; d++) shown_reg[d] <= {in_user[16*d+:16], in_data[32*d+:32]};
  end

  // ---- connections, as the routes make them -----------------------------------------------------------

  reg [3:0] left_reg;  // cycles until all is settled
  reg [1:0] turn_reg, look_reg;
  reg [6:0] route_reg;
  reg [SINKS-1:0] has_reg, had_reg, named_reg;  // a source; one in the cycle before; in this round
  reg [SINKS-1:0][1:0] who_reg;
  reg [SOURCES-1:0] goes_reg;
  reg [SOURCES-1:0][DW-1:0] where_reg;
  always_ff @(posedge clk) begin
    left_reg <= changed ? 4'(3 * SOURCES + 3) : left_reg != '0 ? left_reg - 1'b1 : '0;
    had_reg  <= has_reg;
    if (left_reg != '0) begin
      turn_reg  <= turn_reg == 2'(SOURCES - 1) ? '0 : turn_reg + 1'b1;
      look_reg  <= turn_reg;
      route_reg <= routes[7*turn_reg+:7];
      goes_reg[look_reg] <= 1'b0;
      for (int unsigned d = 0; d < SINKS; d++) begin
        if (look_reg == '0) named_reg[d] <= 1'b0;
        if (route_reg == 7'(9 + d)) begin
          named_reg[d] <= 1'b1;
          if (named_reg[d] && look_reg != '0) begin
            if (who_reg[d] == look_reg) has_reg[d] <= 1'b0;
          end else if (!has_reg[d]) begin
            has_reg[d] <= 1'b1;
            who_reg[d] <= look_reg;
            goes_reg[look_reg] <= 1'b1;
            where_reg[look_reg] <= DW'(d);
          end else if (who_reg[d] == look_reg) begin
            goes_reg[look_reg] <= 1'b1;
          end else begin
            has_reg[d] <= 1'b0;
          end
        end else if (who_reg[d] == look_reg) begin
          has_reg[d] <= 1'b0;
        end
      end
    end
    if (rst) begin
      left_reg  <= '0;
      turn_reg  <= '0;
      look_reg  <= '0;
      route_reg <= '0;
      has_reg   <= '0;
      had_reg   <= '0;
      named_reg <= '0;
      goes_reg  <= '0;
    end
  end

  // ---- the picked word -------------------------------------------------------------------------------

  reg on_reg, queued_reg;  // it has left its source; it is in the queue
  reg [DW-1:0] there_reg;
  reg [1:0] from_reg;
  reg [47:0] word_reg;
  reg [P:0] ahead_reg;
  wire pops = in_valid[there_reg] && in_ready[there_reg];
  always_ff @(posedge clk) begin
    if (!on_reg && pick && pick_source < 2'(SOURCES) && fire[pick_source]) begin
      on_reg <= 1'b1;
      queued_reg <= 1'b0;
      there_reg <= sink_reg[pick_source];
      from_reg <= pick_source;
      word_reg <= {out_user[16*pick_source+:16], out_data[32*pick_source+:32]};
      if (flush[sink_reg[pick_source]]) on_reg <= 1'b0;
    end else if (on_reg && !queued_reg) begin
      queued_reg <= 1'b1;
      place_reg <= write_place[there_reg];
      ahead_reg <= level[there_reg] - (P + 1)'(pops);
      if (flush[there_reg]) on_reg <= 1'b0;
    end else if (on_reg) begin
      if (pops) ahead_reg <= ahead_reg - 1'b1;
      if ((pops && ahead_reg == '0) || flush[there_reg]) on_reg <= 1'b0;
    end
    if (rst) on_reg <= 1'b0;
  end

  logic [1:0] takers;
  always_comb begin
    takers = '0;
    if (!started_reg) assume (rst);
    if (started_reg) begin
      // Two rounds in step.
      assert (dut.source_reg < 2'(SOURCES) && dut.turn_reg < 2'(SOURCES));
      if (reset_reg)
        assert (dut.turn_reg == '0 && dut.source_reg == '0 && connected == '0 && granted == '0 &&
                live == '0 && taken == '0 && room == '0);
      else if (dut.turn_reg != '0 || dut.source_reg != '0)
        assert (dut.turn_reg == (dut.source_reg == 2'(SOURCES - 1) ? '0 : dut.source_reg + 1'b1));
      else  // before the first change, and in its first cycle
        assert (connected == '0 && granted == '0 && live == '0);
      assert (dut.fresh_reg == (dut.source_reg == '0));
      assert (dut.settle_reg == left_reg && settled == (left_reg == '0));
      assert (dut.turn_reg == turn_reg && dut.source_reg == look_reg && dut.route_reg == route_reg);
      assert (connected == has_reg && live == had_reg && claimed == named_reg);
      assert (granted == goes_reg);
      for (int unsigned d = 0; d < SINKS; d++) if (has_reg[d]) assert (select[d] == who_reg[d]);
      for (int unsigned s = 0; s < SOURCES; s++) if (goes_reg[s]) assert (sink[s] == where_reg[s]);

      for (int unsigned d = 0; d < SINKS; d++) begin
        // Who is connected knows it.
        if (connected[d])
          assert (select[d] < 2'(SOURCES) && granted[select[d]] && sink[select[d]] == DW'(d));
        // Its turn of this round has claimed the sink for the rest of the round.
        if (connected[d] && dut.source_reg > select[d]) assert (claimed[d]);
        if (live[d]) assert (select[d] < 2'(SOURCES));
        if (live[d])
          assert (granted_reg[select[d]] && sink_reg[select[d]] == DW'(d));
        assert (level[d] <= (P + 1)'(DEPTH) && level[d] == queued_level_reg[d]);
        assert (in_valid[d] == (level[d] != '0 && sink_enable[d]));
        assert (dut_before[d] == room_reg[d]);
        assert (room[d] == (level[d] + (P + 1)'(room_reg[d]) + (P + 1)'(room_before_reg[d]) <
                            (P + 1)'(DEPTH) && !flush_reg[d] && !reset_reg));
        // Each promise has its place: of now, of a word that may leave now, of one that has left.
        assert (level[d] + (P + 1)'(room[d]) + (P + 1)'(room_reg[d]) + (P + 1)'(taken[d]) <=
                (P + 1)'(DEPTH));
        if (taken[d]) assert (room_before_reg[d]);
        assert (P'(level[d]) == P'(write_place[d] - read_place[d]));
        if (taken[d]) assert (level[d] < (P + 1)'(DEPTH));
        if (!sink_enable[d]) assert (!in_valid[d]);
        if (held_reg[d] && sink_enable[d])
          assert (in_valid[d] && {in_user[16*d+:16], in_data[32*d+:32]} == shown_reg[d]);
        if (taken[d]) assert (!flush_reg[d]);
      end

      for (int unsigned s = 0; s < SOURCES; s++) begin
        // A source that was let go learns it in its turn, before another has its sink.
        if (granted[s] && connected[sink[s]]) assert (select[sink[s]] == 2'(s));
        if (granted[s] && !connected[sink[s]])
          assert (claimed[sink[s]] && !dut.fresh_reg && dut.source_reg <= 2'(s) && s != 0);
        assert (out_ready[s] == may_reg[s]);
        if (out_ready[s]) begin
          assert (room_reg[sink_reg[s]]);
          assert (granted_reg[s] && live[sink_reg[s]] && select[sink_reg[s]] == 2'(s));
          assert (level[sink_reg[s]] + (P + 1)'(taken[sink_reg[s]]) < (P + 1)'(DEPTH));
          for (int unsigned d = 0; d < SINKS; d++)
            if (live[d] && select[d] == 2'(s)) assert (sink_reg[s] == DW'(d));
        end
        if (fired_reg[s] && !flush_reg[went_reg[s]])
          assert (taken[went_reg[s]] && word[went_reg[s]] == given_reg[s]);
      end
      for (int unsigned d = 0; d < SINKS; d++) begin
        // As many words come as have left for here.
        takers = '0;
        for (int unsigned s = 0; s < SOURCES; s++)
          if (fired_reg[s] && went_reg[s] == DW'(d)) takers = takers + 1'b1;
        assert (takers <= 2'd1);
        assert (taken[d] == (takers == 2'd1 && !flush_reg[d]));
      end

      if (on_reg) begin
        if (!queued_reg) assert (taken[there_reg] && word[there_reg] == word_reg);
        else begin
          assert (ahead_reg < level[there_reg] && at_place[there_reg] == word_reg);
          assert (place_reg == P'(read_place[there_reg] + ahead_reg[P-1:0]));
          if (in_valid[there_reg] && ahead_reg == '0)
            assert ({in_user[16*there_reg+:16], in_data[32*there_reg+:32]} == word_reg);
        end
      end

      cover (on_reg && queued_reg && ahead_reg == 1 && there_reg == 1 && pops);
      cover (on_reg && queued_reg && there_reg == 0 && from_reg == 1 && fire[2] && sink_reg[2] == 0);
      cover (fire[0] && fire[1]);
      cover (level[0] == (P + 1)'(DEPTH));
    end
  end

endmodule
