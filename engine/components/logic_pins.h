// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The interface between a Verilated DMA node and the engine that drives it: a library of C
// functions, one cycle at a time. Index 0 is to logic (memory is read), 1 from logic (memory is
// written). No data cross the interface, because times do not depend on them.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct LogicPins {
  // To the node, before datra_node_settle().
  uint64_t command_address[2];
  uint32_t command_bytes[2];
  uint8_t command_valid[2];
  uint8_t arready, rvalid, rlast, rid;
  uint8_t awready, wready, bvalid, bid;
  // From it, after.
  uint8_t command_ready[2];
  uint8_t done[2];
  uint8_t arvalid, arid, arbeats;
  uint8_t awvalid, awid, awbeats;
  uint8_t wvalid, wlast;
  uint64_t araddress, awaddress;
};

typedef struct DatraNode DatraNode;

DatraNode* datra_node_new(void);
void datra_node_delete(DatraNode* node);
// The outputs of this cycle, which follow the inputs within it.
void datra_node_settle(DatraNode* node, struct LogicPins* pins);
// The clock's edge at its end.
void datra_node_clock(DatraNode* node);

#ifdef __cplusplus
}
#endif
