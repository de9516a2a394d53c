// SPDX-License-Identifier: Apache-2.0

// beat_split at 128 bit, by induction: of each beat the words that are kept come out, lowest first,
// each once, as many at a time as there is room for, from lane 0 on, with the beat's signal; none waits,
// and the beat goes with its last word. Beats stay until they are taken, and what they keep lies side by
// side.
module beat_split_proof #(
    parameter  int unsigned STREAM_W = 32,
    localparam int unsigned Out = STREAM_W / 32
) (
    input wire         clk,
    input wire         rst,
    input wire [127:0] s_data,
    input wire [  3:0] s_keep,
    input wire [ 15:0] s_user,
    input wire         s_valid,
    input wire         m_ready
);

  wire s_ready, m_valid;
  wire [STREAM_W-1:0] m_data;
  wire [Out-1:0] m_keep;
  wire [15:0] m_user;
  beat_split #(
      .DATA_W(128),
      .STREAM_W(STREAM_W)
  ) dut (
      .clk,
      .rst,
      .s_data,
      .s_keep,
      .s_user,
      .s_valid,
      .s_ready,
      .m_data,
      .m_keep,
      .m_user,
      .m_valid,
      .m_ready
  );

  // First and last word of the beat, and those of it that are out.
  logic [1:0] first, last;
  logic [3:0] kept, out;
  reg [1:0] out_reg;
  wire [1:0] next = first + out_reg;
  wire [2:0] left = 3'(last) + 3'd1 - 3'(next);  // words of it that are not
  wire [2:0] go = left < 3'(Out) ? left : 3'(Out);
  always_comb begin
    first = '0;
    last = '0;
    kept = '0;
    out = '0;
    for (int unsigned i = 0; i < 4; i++) if (s_keep[i]) last = 2'(i);
    for (int unsigned i = 0; i < 4; i++) if (s_keep[3-i]) first = 2'(3 - i);
    for (int unsigned i = 0; i < 4; i++) begin
      kept[i] = first <= 2'(i) && 2'(i) <= last;
      out[i]  = first <= 2'(i) && 2'(i) < next;
    end
  end

  reg started_reg = 1'b0;
  reg held_reg;
  reg [127:0] data_reg;
  reg [3:0] keep_reg;
  reg [15:0] user_reg;
  always_ff @(posedge clk) begin
    started_reg <= 1'b1;
    held_reg <= s_valid && !s_ready && !rst;
    data_reg <= s_data;
    keep_reg <= s_keep;
    user_reg <= s_user;
    if (m_valid && m_ready) out_reg <= s_ready ? '0 : out_reg + go[1:0];
    if (rst) out_reg <= '0;
  end

  always_comb begin
    if (!started_reg) assume (rst);
    if (s_valid) assume (s_keep != '0 && s_keep == kept);
    if (held_reg)
      assume (s_valid && s_data == data_reg && s_keep == keep_reg && s_user == user_reg);
    if (started_reg) begin
      if (!held_reg) assert (out_reg == '0);
      assert (out_reg == '0 || (held_reg && out_reg <= last - first));
      assert (dut.given_reg == (out_reg == '0 ? '0 : out));
      assert (m_valid == s_valid);
      if (m_valid) begin
        for (int unsigned i = 0; i < Out; i++) begin
          assert (m_keep[i] == (3'(i) < go));
          if (m_keep[i]) assert (m_data[32*i+:32] == s_data[32*2'(next+2'(i))+:32]);
        end
        assert (m_user == s_user && s_ready == (m_ready && go == left));
      end
      cover (m_valid && m_ready && s_keep == 4'b1111 && s_ready);
      cover (m_valid && !m_ready && s_keep == 4'b0110 && (out_reg == 2'd1 || Out > 1));
    end
  end

endmodule
