// SPDX-License-Identifier: Apache-2.0
//
// The DMA core as a library that is run a cycle at a time. Its neighbours in the fabric take and
// give a beat in every cycle, so that what is measured is the node and its port.
#include <memory>

#include "Vtop.h"
#include "axi_memory.hpp"
#include "components/logic_pins.h"

using weighbridge::cosim::assign;
using weighbridge::cosim::Beat;

struct DatraNode {
  VerilatedContext context;
  Vtop top{&context};

  void clock() {
    top.clk = 1;
    top.eval();
    top.clk = 0;
  }
};

DatraNode* datra_node_new() {
  auto node = std::make_unique<DatraNode>();
  Vtop& top = node->top;
  top.m_ready = 1;
  top.s_keep = (1U << (DATA_W / 32)) - 1;
  assign(top.s_data, Beat{});
  top.rst = 1;
  for (int i = 0; i < 4; ++i) {
    top.eval();
    node->clock();
  }
  top.rst = 0;
  top.s_valid = 1;
  return node.release();
}

void datra_node_delete(DatraNode* node) { delete node; }

void datra_node_settle(DatraNode* node, LogicPins* pins) {
  Vtop& top = node->top;
  top.cmd_valid = pins->command_valid[0] | pins->command_valid[1] << 1;
  top.cmd_addr = pins->command_address[1] << 32U | (pins->command_address[0] & 0xFFFF'FFFFU);
  top.cmd_len = std::uint64_t{pins->command_bytes[1]} << 24U | pins->command_bytes[0];
  top.axi_arready = pins->arready;
  top.axi_rvalid = pins->rvalid;
  top.axi_rlast = pins->rlast;
  top.axi_rid = pins->rid;
  top.axi_awready = pins->awready;
  top.axi_wready = pins->wready;
  top.axi_bvalid = pins->bvalid;
  top.axi_bid = pins->bid;
  top.eval();
  for (unsigned i = 0; i < 2; ++i) {
    pins->command_ready[i] = top.cmd_ready >> i & 1U;
    pins->done[i] = top.done_valid >> i & 1U;
  }
  pins->arvalid = top.axi_arvalid;
  pins->arid = top.axi_arid;
  pins->araddress = top.axi_araddr;
  pins->arbeats = top.axi_arlen + 1;
  pins->awvalid = top.axi_awvalid;
  pins->awid = top.axi_awid;
  pins->awaddress = top.axi_awaddr;
  pins->awbeats = top.axi_awlen + 1;
  pins->wvalid = top.axi_wvalid;
  pins->wlast = top.axi_wlast;
}

void datra_node_clock(DatraNode* node) { node->clock(); }
