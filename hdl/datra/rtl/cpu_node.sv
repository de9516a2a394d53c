// SPDX-License-Identifier: Apache-2.0

// Node through which the processor writes and reads words: FIFOs to the logic and from it.
//
// See registers/datra.rdl. FREE counts the words that fit, AVAILABLE those with the user signal of the
// head. A reset of FIFOs is done when its write is. In the window any write pushes and any read pops,
// one word a cycle.
//
// A write to a full FIFO and a read of an empty one have no effect. They are no bus error: that would
// bring down a processor that only looks at a window. A FIFO from logic is also active when it is full,
// or when words of another signal follow the first: no more words of the first signal can come.
`default_nettype none
module cpu_node #(
    parameter int unsigned TO_LOGIC = 4,
    parameter int unsigned FROM_LOGIC = 4,
    parameter int unsigned DEPTH = 512,  // words of each FIFO, a power of two
    parameter logic [31:0] VERSION = datra_registers::CPU_VERSION_RESET
) (
    input wire clk,
    input wire rst,

    input  wire [15:0] bus_address,
    input  wire        bus_window,
    input  wire        bus_write,
    input  wire [31:0] bus_wdata,
    input  wire        bus_select,
    output wire        bus_done,
    output wire [31:0] bus_rdata,
    output wire        irq,

    output wire [32*TO_LOGIC-1:0] out_data,
    output wire [16*TO_LOGIC-1:0] out_user,
    output wire [   TO_LOGIC-1:0] out_valid,
    input  wire [   TO_LOGIC-1:0] out_ready,

    input  wire [32*FROM_LOGIC-1:0] in_data,
    input  wire [16*FROM_LOGIC-1:0] in_user,
    input  wire [   FROM_LOGIC-1:0] in_valid,
    output wire [   FROM_LOGIC-1:0] in_ready,
    output wire [   FROM_LOGIC-1:0] in_flush   // also what the router holds for the queue
);

  localparam int unsigned CountW = $clog2(DEPTH) + 2;

  if (TO_LOGIC < 1 || TO_LOGIC > 4) $fatal(0, "cpu_node: TO_LOGIC %0d", TO_LOGIC);
  if (FROM_LOGIC < 1 || FROM_LOGIC > 4) $fatal(0, "cpu_node: FROM_LOGIC %0d", FROM_LOGIC);
  if (DEPTH < 256 || DEPTH > 512) $fatal(0, "cpu_node: DEPTH %0d outside 256..512", DEPTH);

  // ---- accesses: the page takes two cycles, the data ports one -----------------------------------

  reg done_reg;
  reg [31:0] rdata_reg;
  wire page_write = bus_select && !bus_window && bus_write && !done_reg;
  wire [15:0] place = {4'd0, bus_address[11:2], 2'b00};
  wire [15:0] row = {4'd0, bus_address[11:4], 4'd0};  // of registers of which there are four
  wire [1:0] index = bus_address[3:2];
  wire port = bus_select && bus_window && bus_address[15:12] == '0;
  wire [3:0] port_hit = 4'b1 << bus_address[11:10];

  // ---- to logic ----------------------------------------------------------------------------------

  logic [4*16-1:0] user_all, free_all, free_above_all;
  logic [3:0] free_active, free_ok;
  wire [3:0] reset_to =
      page_write && place == datra_registers::CPU_RESET_TO_LOGIC ? bus_wdata[3:0] : '0;

  for (genvar i = 0; i < 4; i++) begin : to_logic
    if (i < TO_LOGIC) begin : fifo
      reg [15:0] user_reg;
      reg [CountW-1:0] free_reg, above_reg;
      wire push = port && bus_write && port_hit[i] && free_reg != '0;
      wire leave = out_valid[i] && out_ready[i];

      fifo_block #(
          .WIDTH(48),
          .DEPTH(DEPTH)
      ) queue (
          .clk,
          .rst,
          .clear(reset_to[i]),
          .in_data({user_reg, bus_wdata}),
          .in_valid(push),
          .in_ready(),  // free says so
          .out_data({out_user[16*i+:16], out_data[32*i+:32]}),
          .out_valid(out_valid[i]),
          .out_ready(out_ready[i])
      );

      always_ff @(posedge clk) begin
        free_reg <= free_reg + CountW'(leave) - CountW'(push);
        if (page_write && place == datra_registers::CPU_USER_SIGNAL + 16'(4 * i))
          user_reg <= bus_wdata[15:0];
        if (page_write && place == datra_registers::CPU_FREE_ABOVE + 16'(4 * i))
          above_reg <= bus_wdata[CountW-1:0];
        if (rst || reset_to[i]) free_reg <= CountW'(DEPTH);
        if (rst) begin
          user_reg  <= '0;
          above_reg <= '0;
        end
      end

      assign user_all[16*i+:16] = user_reg;
      assign free_all[16*i+:16] = 16'(free_reg);
      assign free_above_all[16*i+:16] = 16'(above_reg);
      assign free_active[i] = free_reg > above_reg;
      assign free_ok[i] = free_reg != '0;
    end else begin : none
      assign user_all[16*i+:16] = '0;
      assign free_all[16*i+:16] = '0;
      assign free_above_all[16*i+:16] = '0;
      assign free_active[i] = 1'b0;
      assign free_ok[i] = 1'b0;
    end
  end

  // ---- from logic ----------------------------------------------------------------------------------

  logic [4*32-1:0] head_all;
  logic [4*16-1:0] head_user_all, available_all, available_above_all;
  logic [3:0] available_active, available_ok;
  wire [3:0] reset_from =
      page_write && place == datra_registers::CPU_RESET_FROM_LOGIC ? bus_wdata[3:0] : '0;
  assign in_flush = reset_from[FROM_LOGIC-1:0];

  for (genvar i = 0; i < 4; i++) begin : from_logic
    if (i < FROM_LOGIC) begin : fifo
      reg [CountW-1:0] above_reg;
      wire [CountW-1:0] available;
      wire valid, mixed, full;
      wire pop = port && !bus_write && port_hit[i] && valid;

      fifo_signal #(
          .DEPTH(DEPTH)
      ) queue (
          .clk,
          .rst,
          .clear(reset_from[i]),
          .in_data(in_data[32*i+:32]),
          .in_user(in_user[16*i+:16]),
          .in_valid(in_valid[i]),
          .in_ready(in_ready[i]),
          .head_data(head_all[32*i+:32]),
          .head_user(head_user_all[16*i+:16]),
          .valid,
          .available,
          .mixed,
          .full,
          .pop
      );

      always_ff @(posedge clk) begin
        if (page_write && place == datra_registers::CPU_AVAILABLE_ABOVE + 16'(4 * i))
          above_reg <= bus_wdata[CountW-1:0];
        if (rst) above_reg <= '0;
      end

      assign available_all[16*i+:16] = 16'(available);
      assign available_above_all[16*i+:16] = 16'(above_reg);
      assign available_active[i] = available > above_reg || mixed || full;
      assign available_ok[i] = valid;
    end else begin : none
      assign head_all[32*i+:32] = '0;
      assign head_user_all[16*i+:16] = '0;
      assign available_all[16*i+:16] = '0;
      assign available_above_all[16*i+:16] = '0;
      assign available_active[i] = 1'b0;
      assign available_ok[i] = 1'b0;
    end
  end

  // ---- interrupts and the registers of the whole node ----------------------------------------------

  reg [7:0] mask_reg, mask_next;  // from logic above to logic
  reg irq_reg;
  wire [7:0] status = {available_active, free_active} & mask_reg;
  assign irq = irq_reg;

  reg [31:0] read_count_reg, written_count_reg;
  reg [15:0] refused_writes_reg, refused_reads_reg;
  wire port_write = port && bus_write && |(port_hit & free_ok);
  wire port_read = port && !bus_write && |(port_hit & available_ok);

  // Its bits in a register, from logic above to logic.
  function automatic logic [31:0] spread(input logic [7:0] irqs);
    spread = 32'(irqs[3:0]) << datra_registers::CPU_IRQ_TO_LOGIC_LOW |
        32'(irqs[7:4]) << datra_registers::CPU_IRQ_FROM_LOGIC_LOW;
  endfunction
  wire [7:0] changed = {
    bus_wdata[datra_registers::CPU_IRQ_FROM_LOGIC_LOW+:4],
    bus_wdata[datra_registers::CPU_IRQ_TO_LOGIC_LOW+:4]
  };

  always_comb begin
    mask_next = mask_reg;
    if (page_write && place == datra_registers::CPU_IRQ_SET)
      mask_next = mask_reg | changed;
    if (page_write && place == datra_registers::CPU_IRQ_CLEAR)
      mask_next = mask_reg & ~changed;
  end

  logic [31:0] read;
  always_comb begin
    read = '0;
    unique case (row)
      datra_registers::CPU_USER_SIGNAL: read = 32'(user_all[16*index+:16]);
      datra_registers::CPU_NEXT_WORD: read = available_ok[index] ? head_all[32*index+:32] : '0;
      datra_registers::CPU_AVAILABLE:
      read = 32'(available_all[16*index+:16]) << datra_registers::CPU_AVAILABLE_WORDS_LOW |
          32'(head_user_all[16*index+:16]) << datra_registers::CPU_AVAILABLE_USER_SIGNAL_LOW;
      datra_registers::CPU_AVAILABLE_ABOVE: read = 32'(available_above_all[16*index+:16]);
      datra_registers::CPU_FREE: read = 32'(free_all[16*index+:16]);
      datra_registers::CPU_FREE_ABOVE: read = 32'(free_above_all[16*index+:16]);
      default:
      unique case (place)
        datra_registers::CPU_NODE_TYPE: read = datra_registers::CPU_NODE_TYPE_RESET;
        datra_registers::CPU_VERSION: read = VERSION;
        datra_registers::CPU_QUEUES:
        read = 32'(FROM_LOGIC) << datra_registers::CPU_QUEUES_INPUTS_LOW |
            32'(TO_LOGIC) << datra_registers::CPU_QUEUES_OUTPUTS_LOW;
        datra_registers::CPU_IRQ_MASK: read = spread(mask_reg);
        datra_registers::CPU_IRQ_STATUS: read = spread(status);
        datra_registers::CPU_READ_COUNT: read = read_count_reg;
        datra_registers::CPU_WRITE_COUNT: read = written_count_reg;
        datra_registers::CPU_REFUSED:
        read = 32'(refused_writes_reg) << datra_registers::CPU_REFUSED_WRITES_WHEN_FULL_LOW |
            32'(refused_reads_reg) << datra_registers::CPU_REFUSED_READS_WHEN_EMPTY_LOW;
        default: ;
      endcase
    endcase
  end

  wire [1:0] port_index = bus_address[11:10];
  assign bus_done = bus_window ? bus_select : done_reg;
  assign bus_rdata = bus_window ? (port_read ? head_all[32*port_index+:32] : '0) : rdata_reg;

  always_ff @(posedge clk) begin
    done_reg  <= bus_select && !bus_window && !done_reg;
    rdata_reg <= read;
    mask_reg  <= mask_next;
    irq_reg   <= status != '0;

    if (port_read) read_count_reg <= read_count_reg + 1'b1;
    if (port_write) written_count_reg <= written_count_reg + 1'b1;
    if (port && bus_write && !port_write && !(&refused_writes_reg))
      refused_writes_reg <= refused_writes_reg + 1'b1;
    if (port && !bus_write && !port_read && !(&refused_reads_reg))
      refused_reads_reg <= refused_reads_reg + 1'b1;
    if (page_write && place == datra_registers::CPU_REFUSED) begin
      refused_writes_reg <= '0;
      refused_reads_reg  <= '0;
    end

    if (rst) begin
      done_reg <= 1'b0;
      mask_reg <= '0;
      irq_reg <= 1'b0;
      read_count_reg <= '0;
      written_count_reg <= '0;
      refused_writes_reg <= '0;
      refused_reads_reg <= '0;
    end
  end

endmodule
`default_nettype wire
