// SPDX-License-Identifier: Apache-2.0

// Datra's DMA node (type 6): one stream of words out of memory, one into it, independent.
//
// Registers: the original's command and result queues at their offsets, and for each direction a block
// of our own for its ring; see registers/datra.rdl. A look at the original's takes nothing.
//
// Interrupts of each direction: a result, and its reset done, as in the original; completions of the
// ring, coalesced, and its faults.
//
// With REALIGN addresses and lengths are of any number of bytes. The first byte of a frame is then the
// lowest of its first word; where the length is no multiple of 4 the last word to logic is filled up with
// zeros, and of that from logic only what the length asks for is written. Layout 2: see dma_ring.
//
// RESET in CONTROL of a direction resets it and leaves the other alone: commands, results, rings and what
// is on its way are thrown away, whether or not anyone takes the stream. Change addresses of a ring
// only while it is not enabled.
module dma_node #(
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 24,
    parameter int unsigned FIFO_DEPTH = 512,
    parameter int unsigned AW_LEAD = 1,
    parameter bit [3:0] AXCACHE = 4'b0011,  // until software says otherwise
    parameter bit REALIGN = 1'b0,
    parameter bit CUT_THROUGH = 1'b0  // of writes
) (
    input wire clk,
    input wire rst,

    input  wire [10:0] bus_address,
    input  wire        bus_write,
    input  wire [31:0] bus_wdata,
    input  wire [ 3:0] bus_strobe,
    input  wire        bus_select,
    output wire        bus_done,
    output wire [31:0] bus_rdata,
    output wire        bus_error,
    output wire        irq,

    output wire [31:0] m_data,
    output wire [15:0] m_user,
    output wire        m_valid,
    input  wire        m_ready,
    input  wire [31:0] s_data,
    input  wire [15:0] s_user,
    input  wire        s_valid,
    output wire        s_ready,
    output wire        s_flush,  // a reset: what is queued on the way to here goes with it

    output wire [         1:0] axi_arid,
    output wire [  ADDR_W-1:0] axi_araddr,
    output wire [         3:0] axi_arlen,
    output wire [         3:0] axi_arcache,
    output wire [         2:0] axi_arprot,
    output wire [         7:0] axi_aruser,
    output wire                axi_arvalid,
    input  wire                axi_arready,
    input  wire [         1:0] axi_rid,
    input  wire [  DATA_W-1:0] axi_rdata,
    input  wire [         1:0] axi_rresp,
    input  wire                axi_rlast,
    input  wire                axi_rvalid,
    output wire                axi_rready,
    output wire [         1:0] axi_awid,
    output wire [  ADDR_W-1:0] axi_awaddr,
    output wire [         3:0] axi_awlen,
    output wire [         2:0] axi_awsize,
    output wire [         3:0] axi_awcache,
    output wire [         2:0] axi_awprot,
    output wire [         7:0] axi_awuser,
    output wire                axi_awvalid,
    input  wire                axi_awready,
    output wire [         1:0] axi_wid,
    output wire [  DATA_W-1:0] axi_wdata,
    output wire [DATA_W/8-1:0] axi_wstrb,
    output wire                axi_wlast,
    output wire                axi_wvalid,
    input  wire                axi_wready,
    input  wire [         1:0] axi_bid,
    input  wire [         1:0] axi_bresp,
    input  wire                axi_bvalid,
    output wire                axi_bready
);

  localparam int unsigned IndexW = 16;
  localparam int unsigned Lsb = $clog2(DATA_W / 8);
  localparam int unsigned Words = DATA_W / 32;
  localparam int unsigned PackW = REALIGN ? LEN_W + 1 : LEN_W;
  // Where the registers of the original end; those of a direction's ring.
  localparam logic [15:0] Low = datra_registers::DMA_LOOK_BYTES - 16'd1;
  localparam logic [15:0] Span =
      datra_registers::DMA_FROM_LOGIC_RING - datra_registers::DMA_TO_LOGIC_RING;
  localparam logic [15:0] DescriptorsHigh =
      datra_registers::DMA_RING_DESCRIPTORS + datra_registers::DMA_RING_DESCRIPTORS_STEP;
  localparam logic [15:0] StatusesHigh =
      datra_registers::DMA_RING_STATUSES + datra_registers::DMA_RING_STATUSES_STEP;
  localparam logic [15:0] First = datra_registers::DMA_RING_COUNTERS;
  localparam logic [15:0] Last = First + 16'd4 * datra_registers::DMA_RING_COUNTERS_STEP;
  localparam bit [31:0] Capabilities =
      32'(IndexW) << datra_registers::DMA_CAPABILITIES_RING_LOG2_LOW |
      32'(LEN_W) << datra_registers::DMA_CAPABILITIES_LENGTH_BITS_LOW |
      32'(Lsb) << datra_registers::DMA_CAPABILITIES_BUS_LOG2_LOW |
      (REALIGN ? 32'd2 : 32'd1) << datra_registers::DMA_CAPABILITIES_LAYOUT_LOW |
      32'(ADDR_W) << datra_registers::DMA_CAPABILITIES_ADDRESS_BITS_LOW |
      32'd1 << datra_registers::DMA_CAPABILITIES_RINGS_LOW;

  // ---- one access a cycle; the answer comes in the next one ------------------------------------

  reg done_reg, error_reg;
  reg [31:0] rdata_reg;
  wire access = bus_select && !done_reg;
  wire whole = &bus_strobe;
  wire write = access && bus_write && whole;
  wire read = access && !bus_write;
  wire [15:0] at = {5'd0, bus_address};
  wire [15:0] low = at & Low;
  wire [15:0] block = at & ~Low;
  // Looks at the registers of the original without popping.
  wire peek = block == datra_registers::DMA_LOOK;
  wire original = block == '0;
  wire [15:0] in_ring = at & (Span - 16'd1);  // the registers of a ring
  wire extension = block == datra_registers::DMA_TO_LOGIC_RING;
  wire side = |(at & Span);

  assign bus_done  = done_reg;
  assign bus_error = error_reg;
  assign bus_rdata = rdata_reg;

  // ---- registers of a direction -----------------------------------------------------------------

  reg [1:0] run_reg, reset_reg, flush_reg;
  reg [1:0][63:0] addr_reg;
  reg [1:0][15:0] user_reg;  // only to logic's is written
  reg [1:0] ring_reg, cyclic_reg;
  reg [1:0][63:0] descriptors_reg, statuses_reg;
  reg [1:0][IndexW-1:0] mask_reg, tail_reg;
  reg [1:0][15:0] status_patience_reg, frames_reg, ticks_reg;
  reg [15:0] timeout_reg;
  reg [1:0][15:0] attributes_reg;
  reg cut_reg;

  wire [1:0] idle, fault, ring_tell;
  wire [1:0][IndexW-1:0] written;
  wire [1:0][3:0] free, results;
  wire [1:0][ADDR_W-1:0] result_addr;
  wire [1:0][LEN_W-1:0] result_len;
  wire [1:0][15:0] result_user;
  wire [1:0][1:0] result_error;
  wire [1:0][4:0][31:0] counted;

  // Byte counts start a command; addresses of results pop to logic, lengths from logic.
  wire [1:0] command = {
    write && original && low == datra_registers::DMA_FROM_LOGIC_BYTES,
    write && original && low == datra_registers::DMA_TO_LOGIC_BYTES
  };
  wire [1:0] pop = {
    read && original && low == datra_registers::DMA_FROM_LOGIC_RESULT_BYTES,
    read && original && low == datra_registers::DMA_TO_LOGIC_RESULT
  };
  reg [31:0] popped_high_reg;

  // ---- interrupts -------------------------------------------------------------------------------

  reg [31:0] armed_reg;
  logic [31:0] level;
  always_comb begin
    level = '0;
    level[datra_registers::DMA_IRQ_TO_LOGIC_RESULT_LOW] = results[0] != '0;
    level[datra_registers::DMA_IRQ_TO_LOGIC_RING_LOW] = ring_tell[0];
    level[datra_registers::DMA_IRQ_TO_LOGIC_FAULT_LOW] = fault[0];
    level[datra_registers::DMA_IRQ_TO_LOGIC_RESET_LOW] = reset_reg[0] && flush_reg[0] && idle[0];
    level[datra_registers::DMA_IRQ_FROM_LOGIC_RESULT_LOW] = results[1] != '0;
    level[datra_registers::DMA_IRQ_FROM_LOGIC_RING_LOW] = ring_tell[1];
    level[datra_registers::DMA_IRQ_FROM_LOGIC_FAULT_LOW] = fault[1];
    level[datra_registers::DMA_IRQ_FROM_LOGIC_RESET_LOW] = reset_reg[1] && flush_reg[1] && idle[1];
  end
  wire [31:0] pending = level & armed_reg;
  wire set = write && original && low == datra_registers::DMA_IRQ_SET;
  wire acknowledge = write && original && low == datra_registers::DMA_IRQ_CLEAR;
  assign irq = |pending;
  assign s_flush = flush_reg[1];

  // ---- reading ----------------------------------------------------------------------------------

  wire [1:0][31:0] control, status;
  for (genvar i = 0; i < 2; i++) begin : words_of
    assign control[i] = 32'(run_reg[i]) << datra_registers::DMA_CONTROL_RUN_LOW |
        32'(reset_reg[i]) << datra_registers::DMA_CONTROL_RESET_LOW;
    assign status[i] = 32'(results[i]) << datra_registers::DMA_STATUS_RESULTS_LOW |
        32'(free[i]) << datra_registers::DMA_STATUS_FREE_LOW |
        32'(idle[i] && free[i] == 4'd8) << datra_registers::DMA_STATUS_IDLE_LOW;
  end

  logic [31:0] value;
  always_comb begin
    value = '0;
    if (original || peek) begin
      case (low)
        datra_registers::DMA_NODE_TYPE: value = datra_registers::DMA_NODE_TYPE_RESET;
        datra_registers::DMA_VERSION: value = datra_registers::DMA_VERSION_RESET;
        datra_registers::DMA_QUEUES: value = datra_registers::DMA_QUEUES_RESET;
        datra_registers::DMA_IRQ_MASK: value = armed_reg;
        datra_registers::DMA_IRQ_STATUS: value = pending;
        datra_registers::DMA_TO_LOGIC_CONTROL: value = control[0];
        datra_registers::DMA_TO_LOGIC_STATUS: value = status[0];
        datra_registers::DMA_TO_LOGIC_ADDRESS: value = addr_reg[0][31:0];
        datra_registers::DMA_TO_LOGIC_SIGNAL: value = 32'(user_reg[0]);
        datra_registers::DMA_TO_LOGIC_ADDRESS_HIGH: value = addr_reg[0][63:32];
        datra_registers::DMA_TO_LOGIC_RESULT: value = 32'(result_addr[0]);
        datra_registers::DMA_TO_LOGIC_RESULT_HIGH:
          value = peek ? 32'(64'(result_addr[0]) >> 32) : popped_high_reg;
        datra_registers::DMA_FROM_LOGIC_CONTROL: value = control[1];
        datra_registers::DMA_FROM_LOGIC_STATUS: value = status[1];
        datra_registers::DMA_FROM_LOGIC_ADDRESS: value = addr_reg[1][31:0];
        datra_registers::DMA_FROM_LOGIC_ADDRESS_HIGH: value = addr_reg[1][63:32];
        datra_registers::DMA_FROM_LOGIC_RESULT: value = 32'(result_addr[1]);
        datra_registers::DMA_FROM_LOGIC_RESULT_SIGNAL: value = 32'(result_user[1]);
        datra_registers::DMA_FROM_LOGIC_RESULT_BYTES: value = 32'(result_len[1]);
        datra_registers::DMA_FROM_LOGIC_RESULT_HIGH: value = 32'(64'(result_addr[1]) >> 32);
        // Ours: of the result that waits, its length and error; a look sees them as well.
        datra_registers::DMA_TO_LOGIC_RESULT_BYTES: value = 32'(result_len[0]);
        datra_registers::DMA_TO_LOGIC_RESULT_ERROR: value = 32'(result_error[0]);
        datra_registers::DMA_FROM_LOGIC_RESULT_ERROR: value = 32'(result_error[1]);
        default: value = '0;
      endcase
    end else if (extension) begin
      // By constants, each direction: what is indexed by `side` is read through shifters.
      for (int unsigned i = 0; i < 2; i++)
        if (side == i[0]) begin
          case (in_ring)
            datra_registers::DMA_RING_CONTROL:
            value = 32'(ring_reg[i]) << datra_registers::DMA_RING_CONTROL_ENABLE_LOW |
                32'(cyclic_reg[i]) << datra_registers::DMA_RING_CONTROL_CYCLIC_LOW;
            datra_registers::DMA_RING_STATE:
            value = 32'(idle[i]) << datra_registers::DMA_RING_STATE_IDLE_LOW |
                32'(fault[i]) << datra_registers::DMA_RING_STATE_FAULT_LOW;
            datra_registers::DMA_RING_DESCRIPTORS: value = descriptors_reg[i][31:0];
            DescriptorsHigh: value = descriptors_reg[i][63:32];
            datra_registers::DMA_RING_STATUSES: value = statuses_reg[i][31:0];
            StatusesHigh: value = statuses_reg[i][63:32];
            datra_registers::DMA_RING_MASK: value = 32'(mask_reg[i]);
            datra_registers::DMA_RING_TAIL: value = 32'(tail_reg[i]);
            datra_registers::DMA_RING_WRITTEN: value = 32'(written[i]);
            datra_registers::DMA_RING_PATIENCE: value = 32'(status_patience_reg[i]);
            datra_registers::DMA_RING_COALESCE:
            value = 32'(frames_reg[i]) << datra_registers::DMA_RING_COALESCE_FRAMES_LOW |
                32'(ticks_reg[i]) << datra_registers::DMA_RING_COALESCE_TICKS_LOW;
            datra_registers::DMA_RING_TIMEOUT: value = i == 1 ? 32'(timeout_reg) : '0;
            datra_registers::DMA_RING_ATTRIBUTES: value = 32'(attributes_reg[i]);
            default: value = '0;
          endcase
          for (int unsigned k = 0; k < 5; k++)
            if (in_ring == First + 16'(k) * datra_registers::DMA_RING_COUNTERS_STEP)
              value = counted[i][k];
        end
    end else if (at == datra_registers::DMA_IDENTIFICATION) begin
      value = datra_registers::DMA_IDENTIFICATION_RESET;
    end else if (at == datra_registers::DMA_CAPABILITIES) begin
      value = Capabilities;
    end
  end

  // ---- the tick, the time stamp, the end of partial frames ----------------------------------------

  reg [19:0] now_reg;
  wire tick = now_reg[5:0] == '0;
  reg [15:0] quiet_reg;
  wire partial;
  wire expired = timeout_reg != '0 && quiet_reg >= timeout_reg;

  always_ff @(posedge clk) begin
    done_reg  <= access;
    rdata_reg <= value;
    // An access of less than a word could pop or command by half: it is refused.
    error_reg <= bus_write && !whole;
    now_reg   <= now_reg + 1'b1;

    if (set) armed_reg <= armed_reg | bus_wdata;
    if (acknowledge) armed_reg <= armed_reg & ~bus_wdata;
    if (pop[0]) popped_high_reg <= 32'(64'(result_addr[0]) >> 32);

    if (write && original) begin
      case (low)
        datra_registers::DMA_TO_LOGIC_CONTROL: begin
          run_reg[0]   <= bus_wdata[datra_registers::DMA_CONTROL_RUN_LOW];
          reset_reg[0] <= bus_wdata[datra_registers::DMA_CONTROL_RESET_LOW];
        end
        datra_registers::DMA_TO_LOGIC_ADDRESS: addr_reg[0][31:0] <= bus_wdata;
        datra_registers::DMA_TO_LOGIC_SIGNAL: user_reg[0] <= bus_wdata[15:0];
        datra_registers::DMA_TO_LOGIC_ADDRESS_HIGH:
          if (ADDR_W > 32) addr_reg[0][63:32] <= bus_wdata;
        datra_registers::DMA_FROM_LOGIC_CONTROL: begin
          run_reg[1]   <= bus_wdata[datra_registers::DMA_CONTROL_RUN_LOW];
          reset_reg[1] <= bus_wdata[datra_registers::DMA_CONTROL_RESET_LOW];
        end
        datra_registers::DMA_FROM_LOGIC_ADDRESS: addr_reg[1][31:0] <= bus_wdata;
        datra_registers::DMA_FROM_LOGIC_ADDRESS_HIGH:
          if (ADDR_W > 32) addr_reg[1][63:32] <= bus_wdata;
        default: ;
      endcase
    end
    // By constants here, too.
    for (int unsigned i = 0; i < 2; i++)
      if (write && extension && side == i[0]) begin
        case (in_ring)
          datra_registers::DMA_RING_CONTROL: begin
            ring_reg[i]   <= bus_wdata[datra_registers::DMA_RING_CONTROL_ENABLE_LOW];
            cyclic_reg[i] <= bus_wdata[datra_registers::DMA_RING_CONTROL_CYCLIC_LOW];
          end
          datra_registers::DMA_RING_DESCRIPTORS: descriptors_reg[i][31:0] <= bus_wdata;
          DescriptorsHigh: if (ADDR_W > 32) descriptors_reg[i][63:32] <= bus_wdata;
          datra_registers::DMA_RING_STATUSES: statuses_reg[i][31:0] <= bus_wdata;
          StatusesHigh: if (ADDR_W > 32) statuses_reg[i][63:32] <= bus_wdata;
          datra_registers::DMA_RING_MASK: mask_reg[i] <= bus_wdata[IndexW-1:0];
          datra_registers::DMA_RING_TAIL: tail_reg[i] <= bus_wdata[IndexW-1:0];
          datra_registers::DMA_RING_PATIENCE: status_patience_reg[i] <= bus_wdata[15:0];
          datra_registers::DMA_RING_COALESCE: begin
            frames_reg[i] <= bus_wdata[datra_registers::DMA_RING_COALESCE_FRAMES_LOW+:16];
            ticks_reg[i]  <= bus_wdata[datra_registers::DMA_RING_COALESCE_TICKS_LOW+:16];
          end
          datra_registers::DMA_RING_TIMEOUT: if (i == 1) timeout_reg <= bus_wdata[15:0];
          datra_registers::DMA_RING_ATTRIBUTES: attributes_reg[i] <= bus_wdata[15:0];
          default: ;
        endcase
      end

    if (!partial || (s_valid && s_ready)) quiet_reg <= '0;
    else if (tick && !(&quiet_reg)) quiet_reg <= quiet_reg + 1'b1;
    if (expired || (write && extension && side && in_ring == datra_registers::DMA_RING_CUT))
      cut_reg <= 1'b1;
    if (!partial) cut_reg <= 1'b0;

    for (int unsigned i = 0; i < 2; i++) begin
      // Once begun a reset is finished, even if software takes it back.
      if (reset_reg[i]) flush_reg[i] <= 1'b1;
      else if (idle[i]) flush_reg[i] <= 1'b0;
      if (flush_reg[i]) begin
        ring_reg[i] <= 1'b0;
        tail_reg[i] <= '0;
      end
    end

    if (rst) begin
      done_reg <= 1'b0;
      armed_reg <= '0;
      now_reg <= '0;
      run_reg <= '0;
      reset_reg <= '0;
      flush_reg <= '0;
      addr_reg <= '0;
      user_reg <= '0;
      ring_reg <= '0;
      cyclic_reg <= '0;
      descriptors_reg <= '0;
      statuses_reg <= '0;
      mask_reg <= {2{IndexW'(15)}};
      tail_reg <= '0;
      status_patience_reg <= '0;
      frames_reg <= '0;
      ticks_reg <= '0;
      timeout_reg <= '0;
      attributes_reg <= {2{16'(AXCACHE) << datra_registers::DMA_RING_ATTRIBUTES_CACHE_LOW}};
      cut_reg <= 1'b0;
      quiet_reg <= '0;
    end
  end

  // ---- queues -----------------------------------------------------------------------------------

  wire [1:0][ADDR_W-1:0] cmd_addr;
  wire [1:0][LEN_W-1:0] cmd_len;
  // What the engines cannot do is no command: parts of a word count as one, nothing as one unit, and
  // what has no room as the longest.
  localparam int unsigned UnitW = REALIGN ? 0 : 2;  // log2 of the bytes of a unit
  localparam logic [LEN_W-1:0] Longest = LEN_W'(2 ** LEN_W - 2 ** UnitW);
  wire [LEN_W:0] rounded = (LEN_W + 1)'(bus_wdata[LEN_W-1:0]) + (LEN_W + 1)'(2 ** UnitW - 1);
  logic [LEN_W-1:0] new_len;
  always_comb begin
    new_len = rounded[LEN_W-1:0] & Longest;
    if (bus_wdata == '0) new_len = LEN_W'(2 ** UnitW);
    if (rounded[LEN_W] || bus_wdata >> LEN_W != '0) new_len = Longest;
  end

  wire [1:0][15:0] cmd_user, done_user;
  wire [1:0] cmd_valid, cmd_ready, done_valid, done_eob;
  wire [1:0][LEN_W-1:0] done_len;
  wire [1:0][1:0] done_error;
  // The completions of rings that software acknowledges.
  wire [1:0] told = {
    bus_wdata[datra_registers::DMA_IRQ_FROM_LOGIC_RING_LOW],
    bus_wdata[datra_registers::DMA_IRQ_TO_LOGIC_RING_LOW]
  };
  for (genvar i = 0; i < 2; i++) begin : queues
    command_queue #(
        .ADDR_W(ADDR_W),
        .LEN_W (LEN_W)
    ) queue (
        .clk,
        .rst(rst || flush_reg[i]),
        .run(run_reg[i]),
        .new_addr(ADDR_W'(addr_reg[i])),
        .new_len,
        .new_user(user_reg[i]),
        .new_valid(command[i]),
        .free(free[i]),
        .results(results[i]),
        .go_addr(cmd_addr[i]),
        .go_len(cmd_len[i]),
        .go_user(cmd_user[i]),
        .go_valid(cmd_valid[i]),
        .go_ready(cmd_ready[i]),
        .done(done_valid[i]),
        .done_len(done_len[i]),
        .done_user(done_user[i]),
        .done_error(done_error[i]),
        .result_addr(result_addr[i]),
        .result_len(result_len[i]),
        .result_user(result_user[i]),
        .result_error(result_error[i]),
        .result_pop(pop[i])
    );
    coalesce #(
        .INDEX_W(IndexW)
    ) teller (
        .clk,
        .rst(rst || !ring_reg[i]),
        .tick,
        .frames(frames_reg[i]),
        .patience(ticks_reg[i]),
        .finished(written[i]),
        .drained(written[i] == tail_reg[i] && !cyclic_reg[i]),
        .acknowledge(acknowledge && told[i]),
        .tell(ring_tell[i])
    );
  end

  // ---- data -------------------------------------------------------------------------------------

  wire [DATA_W-1:0] to_data, from_data;
  wire [Words-1:0] to_keep, from_keep;  // by words
  wire [15:0] to_user, from_user;
  wire to_valid, to_ready, from_last, from_valid, from_ready;
  wire [ADDR_W-1:0] next_addr;
  wire [LEN_W-1:0] next_len;
  wire next_taken;
  wire [1:0] ended;

  // The core's `keep`, by words or by bytes.
  wire [DATA_W-1:0] core_data;
  wire [(REALIGN ? 4 : 1)*Words-1:0] core_keep, pack_keep;
  wire [PackW-1:0] pack_len;
  if (REALIGN) begin : bytes
    for (genvar i = 0; i < Words; i++) begin : word
      assign to_keep[i] = core_keep[4*i];
      assign pack_keep[4*i+:4] = {4{from_keep[i]}};
    end
    for (genvar i = 0; i < DATA_W / 8; i++) begin : lane
      assign to_data[8*i+:8] = core_keep[i] ? core_data[8*i+:8] : '0;
    end
    assign pack_len = PackW'(next_len) + PackW'(3);
  end else begin : words
    assign to_data = core_data;
    assign to_keep = core_keep;
    assign pack_keep = from_keep;
    assign pack_len = next_len;
  end

  dma_core #(
      .ADDR_W(ADDR_W),
      .DATA_W(DATA_W),
      .LEN_W(LEN_W),
      .FIFO_DEPTH(FIFO_DEPTH),
      .AW_LEAD(AW_LEAD),
      .WORD_ALIGNED(1'b1),
      .REALIGN(REALIGN),
      .CUT_THROUGH(CUT_THROUGH),
      .INDEX_W(IndexW)
  ) core (
      .clk,
      .rst,
      .flush(flush_reg),
      .idle,
      .ring_enable(ring_reg & run_reg),
      .ring_cyclic(cyclic_reg),
      .ring_descriptors({descriptors_reg[1][ADDR_W-1:0], descriptors_reg[0][ADDR_W-1:0]}),
      .ring_statuses({statuses_reg[1][ADDR_W-1:0], statuses_reg[0][ADDR_W-1:0]}),
      .ring_mask(mask_reg),
      .ring_tail(tail_reg),
      .ring_written(written),
      .ring_fault(fault),
      .ring_patience(status_patience_reg),
      .now(now_reg[19:4]),
      .cmd_addr,
      .cmd_len,
      .cmd_user,
      .cmd_valid,
      .cmd_ready,
      .done_valid,
      .done_len,
      .done_user,
      .done_eob,
      .done_error,
      .ended,
      .m_data(core_data),
      .m_keep(core_keep),
      .m_user(to_user),
      .m_last(),
      .m_valid(to_valid),
      .m_ready(to_ready),
      .s_data(from_data),
      .s_keep(pack_keep),
      .s_user(from_user),
      .s_last(from_last),
      .s_valid(from_valid),
      .s_ready(from_ready),
      .next_addr,
      .next_len,
      .next_taken,
      .axi_arid,
      .axi_araddr,
      .axi_arlen,
      .axi_arvalid,
      .axi_arready,
      .axi_rid,
      .axi_rdata,
      .axi_rresp,
      .axi_rlast,
      .axi_rvalid,
      .axi_rready,
      .axi_awid,
      .axi_awaddr,
      .axi_awlen,
      .axi_awsize,
      .axi_awvalid,
      .axi_awready,
      .axi_wid,
      .axi_wdata,
      .axi_wstrb,
      .axi_wlast,
      .axi_wvalid,
      .axi_wready,
      .axi_bid,
      .axi_bresp,
      .axi_bvalid,
      .axi_bready
  );

  beat_split #(
      .DATA_W(DATA_W)
  ) split (
      .clk,
      .rst(rst || flush_reg[0]),
      .s_data(to_data),
      .s_keep(to_keep),
      .s_user(to_user),
      .s_valid(to_valid),
      .s_ready(to_ready),
      .m_data,
      .m_user,
      .m_valid,
      .m_ready
  );

  frame_pack #(
      .DATA_W(DATA_W),
      .LEN_W (PackW)
  ) pack (
      .clk,
      .rst(rst || flush_reg[1]),
      .frame_place(REALIGN ? Lsb'(0) : next_addr[Lsb-1:0]),
      .frame_len(pack_len),
      .frame_valid(next_taken),
      .cut(cut_reg),
      .partial,
      .s_data,
      .s_user,
      .s_valid,
      .s_ready,
      .m_data(from_data),
      .m_keep(from_keep),
      .m_user(from_user),
      .m_last(from_last),
      .m_valid(from_valid),
      .m_ready(from_ready)
  );

  // Descriptors and statuses are as their direction says.
  wire [15:0] read_attributes = attributes_reg[axi_arid==2'd1];
  wire [15:0] write_attributes = attributes_reg[axi_awid!=2'd0];
  assign axi_arcache = read_attributes[datra_registers::DMA_RING_ATTRIBUTES_CACHE_LOW+:4];
  assign axi_arprot  = read_attributes[datra_registers::DMA_RING_ATTRIBUTES_PROT_LOW+:3];
  assign axi_aruser  = read_attributes[datra_registers::DMA_RING_ATTRIBUTES_USER_LOW+:8];
  assign axi_awcache = write_attributes[datra_registers::DMA_RING_ATTRIBUTES_CACHE_LOW+:4];
  assign axi_awprot  = write_attributes[datra_registers::DMA_RING_ATTRIBUTES_PROT_LOW+:3];
  assign axi_awuser  = write_attributes[datra_registers::DMA_RING_ATTRIBUTES_USER_LOW+:8];

  // ---- counters ---------------------------------------------------------------------------------

  for (genvar i = 0; i < 2; i++) begin : counters
    wire clear = rst || (write && extension && side == i && in_ring >= First && in_ring <= Last);
    wire [4:0] count;
    assign count[0] = ended[i];
    // From logic beats are counted as they come out of the packer.
    assign count[1] = i == 0 ? axi_rvalid && axi_rid == 2'd2 : from_valid && from_ready;
    assign count[2] = i == 0 ? m_ready && !m_valid : s_valid && !s_ready;
    assign count[3] = i == 0 ? m_valid && !m_ready : s_ready && !s_valid;
    assign count[4] = ended[i] && done_error[i] != 2'b00;
    for (genvar k = 0; k < 5; k++) begin : each
      saturating_counter counter (
          .clk,
          .clear,
          .count(count[k]),
          .value(counted[i][k])
      );
    end
  end

endmodule
