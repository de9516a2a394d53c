// SPDX-License-Identifier: Apache-2.0

// The registers of the DMA node: what software sees of its two directions, and the node's interrupt.
//
// An access takes two cycles: it has its effect in the first and its answer in the second. Element 0 of
// a packed port is the direction to logic, element 1 that from logic. The node has the queues, rings,
// packers and counters; this page tells them what software wants, and software what they say. See
// registers/datra.rdl.
`default_nettype none
module dma_page #(
    parameter int unsigned ADDR_W = 32,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned LEN_W = 24,
    parameter int unsigned INDEX_W = 16,
    parameter bit [3:0] AXCACHE = 4'b0011,  // until software says otherwise
    parameter bit REALIGN = 1'b0
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

    output wire [1:0]       run,
    output wire [1:0]       flush,      // a reset, until its direction is at rest
    input  wire [1:0]       idle,
    output wire [1:0][15:0] attributes, // of bursts

    // The command queues.
    output wire [1:0][ADDR_W-1:0] new_addr,
    output wire      [ LEN_W-1:0] new_len,
    output wire [1:0][      15:0] new_user,
    output wire [1:0]             new_valid,
    input  wire [1:0][       3:0] free,
    input  wire [1:0][       3:0] results,
    input  wire [1:0][ADDR_W-1:0] result_addr,
    input  wire [1:0][ LEN_W-1:0] result_len,
    input  wire [1:0][      15:0] result_user,
    input  wire [1:0][       1:0] result_error,
    output wire [1:0]             result_pop,

    // The rings, and the modules that tell software of their completions.
    output wire [1:0]              ring_enable,
    output wire [1:0]              ring_cyclic,
    output wire [1:0][ ADDR_W-1:0] ring_descriptors,
    output wire [1:0][ ADDR_W-1:0] ring_statuses,
    output wire [1:0][INDEX_W-1:0] ring_mask,
    output wire [1:0][INDEX_W-1:0] ring_tail,
    input  wire [1:0][INDEX_W-1:0] ring_written,
    input  wire [1:0]              ring_fault,
    output wire [1:0][       15:0] ring_patience,
    output wire [1:0][       15:0] tell_frames,
    output wire [1:0][       15:0] tell_ticks,
    output wire [1:0]              tell_acknowledge,
    input  wire [1:0]              ring_tell,
    output wire                    tick,
    output wire             [15:0] now,

    // The partial frame from logic: `cut` ends it, by hand or after the time without a word.
    input  wire partial,
    input  wire word,
    output wire cut,

    input  wire [1:0][4:0][31:0] counted,
    output wire [1:0]            clear
);

  if (ADDR_W < 32 || ADDR_W > 64) $fatal(0, "dma_page: ADDR_W %0d", ADDR_W);
  if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) $fatal(0, "dma_page: DATA_W %0d", DATA_W);
  if (LEN_W < 5 || LEN_W > 24) $fatal(0, "dma_page: LEN_W %0d", LEN_W);
  if (INDEX_W < 1 || INDEX_W > 16) $fatal(0, "dma_page: INDEX_W %0d", INDEX_W);

  localparam int unsigned Lsb = $clog2(DATA_W / 8);
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
      32'(INDEX_W) << datra_registers::DMA_CAPABILITIES_RING_LOG2_LOW |
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
  reg [1:0][INDEX_W-1:0] mask_reg, tail_reg;
  reg [1:0][15:0] status_patience_reg, frames_reg, ticks_reg;
  reg [15:0] timeout_reg;
  reg [1:0][15:0] attributes_reg;
  reg cut_reg;

  // Byte counts start a command; addresses of results pop to logic, lengths from logic.
  assign new_valid = {
    write && original && low == datra_registers::DMA_FROM_LOGIC_BYTES,
    write && original && low == datra_registers::DMA_TO_LOGIC_BYTES
  };
  assign result_pop = {
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
    level[datra_registers::DMA_IRQ_TO_LOGIC_FAULT_LOW] = ring_fault[0];
    level[datra_registers::DMA_IRQ_TO_LOGIC_RESET_LOW] = reset_reg[0] && flush_reg[0] && idle[0];
    level[datra_registers::DMA_IRQ_FROM_LOGIC_RESULT_LOW] = results[1] != '0;
    level[datra_registers::DMA_IRQ_FROM_LOGIC_RING_LOW] = ring_tell[1];
    level[datra_registers::DMA_IRQ_FROM_LOGIC_FAULT_LOW] = ring_fault[1];
    level[datra_registers::DMA_IRQ_FROM_LOGIC_RESET_LOW] = reset_reg[1] && flush_reg[1] && idle[1];
  end
  wire [31:0] pending = level & armed_reg;
  wire set = write && original && low == datra_registers::DMA_IRQ_SET;
  wire acknowledge = write && original && low == datra_registers::DMA_IRQ_CLEAR;
  assign irq = |pending;

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
      // Each direction by a constant: an index of `side` would become shifters.
      for (int unsigned i = 0; i < 2; i++)
        if (side == i[0]) begin
          case (in_ring)
            datra_registers::DMA_RING_CONTROL:
            value = 32'(ring_reg[i]) << datra_registers::DMA_RING_CONTROL_ENABLE_LOW |
                32'(cyclic_reg[i]) << datra_registers::DMA_RING_CONTROL_CYCLIC_LOW;
            datra_registers::DMA_RING_STATE:
            value = 32'(idle[i]) << datra_registers::DMA_RING_STATE_IDLE_LOW |
                32'(ring_fault[i]) << datra_registers::DMA_RING_STATE_FAULT_LOW;
            datra_registers::DMA_RING_DESCRIPTORS: value = descriptors_reg[i][31:0];
            DescriptorsHigh: value = descriptors_reg[i][63:32];
            datra_registers::DMA_RING_STATUSES: value = statuses_reg[i][31:0];
            StatusesHigh: value = statuses_reg[i][63:32];
            datra_registers::DMA_RING_MASK: value = 32'(mask_reg[i]);
            datra_registers::DMA_RING_TAIL: value = 32'(tail_reg[i]);
            datra_registers::DMA_RING_WRITTEN: value = 32'(ring_written[i]);
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
  reg [15:0] quiet_reg;
  assign tick = now_reg[5:0] == '0;
  assign now  = now_reg[19:4];
  wire expired = timeout_reg != '0 && quiet_reg >= timeout_reg;

  always_ff @(posedge clk) begin
    done_reg  <= access;
    rdata_reg <= value;
    // An access of less than a word could pop or command by half: it is refused.
    error_reg <= bus_write && !whole;
    now_reg   <= now_reg + 1'b1;

    if (set) armed_reg <= armed_reg | bus_wdata;
    if (acknowledge) armed_reg <= armed_reg & ~bus_wdata;
    if (result_pop[0]) popped_high_reg <= 32'(64'(result_addr[0]) >> 32);

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
    // By a constant here, too.
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
          datra_registers::DMA_RING_MASK: mask_reg[i] <= bus_wdata[INDEX_W-1:0];
          datra_registers::DMA_RING_TAIL: tail_reg[i] <= bus_wdata[INDEX_W-1:0];
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

    if (!partial || word) quiet_reg <= '0;
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
      mask_reg <= {2{INDEX_W'(15)}};
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

  // ---- what the node is told ----------------------------------------------------------------------

  assign run = run_reg;
  assign flush = flush_reg;
  assign attributes = attributes_reg;
  assign ring_enable = ring_reg;
  assign ring_cyclic = cyclic_reg;
  assign ring_mask = mask_reg;
  assign ring_tail = tail_reg;
  assign ring_patience = status_patience_reg;
  assign tell_frames = frames_reg;
  assign tell_ticks = ticks_reg;
  assign cut = cut_reg;
  for (genvar i = 0; i < 2; i++) begin : told
    assign new_addr[i] = ADDR_W'(addr_reg[i]);
    assign new_user[i] = user_reg[i];
    assign ring_descriptors[i] = descriptors_reg[i][ADDR_W-1:0];
    assign ring_statuses[i] = statuses_reg[i][ADDR_W-1:0];
    assign clear[i] = rst || (write && extension && side == i && in_ring >= First && in_ring <= Last);
  end
  assign tell_acknowledge[0] = acknowledge && bus_wdata[datra_registers::DMA_IRQ_TO_LOGIC_RING_LOW];
  assign tell_acknowledge[1] = acknowledge && bus_wdata[datra_registers::DMA_IRQ_FROM_LOGIC_RING_LOW];

  // The engines get only lengths that they can do: part of a unit counts as a whole one, a length of zero
  // as one unit, and a length without room as the longest.
  localparam int unsigned UnitW = REALIGN ? 0 : 2;  // log2 of the bytes of a unit
  localparam logic [LEN_W-1:0] Longest = LEN_W'(2 ** LEN_W - 2 ** UnitW);
  wire [LEN_W:0] rounded = (LEN_W + 1)'(bus_wdata[LEN_W-1:0]) + (LEN_W + 1)'(2 ** UnitW - 1);
  logic [LEN_W-1:0] asked;
  always_comb begin
    asked = rounded[LEN_W-1:0] & Longest;
    if (bus_wdata == '0) asked = LEN_W'(2 ** UnitW);
    if (rounded[LEN_W] || bus_wdata >> LEN_W != '0) asked = Longest;
  end
  assign new_len = asked;

endmodule
`default_nettype wire
