// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The processor: its numbers, the ports of one, and the buffers that its programs have.
#pragma once

#include <cstdint>
#include <vector>

#include "core/component.hpp"
#include "core/fields.hpp"

namespace weighbridge {

// Where a buffer lies and how the processor may access it.
struct Buffer {
  Address base = 0;
  std::vector<std::uint32_t> frames;  // of 4 KiB pages; empty: contiguous from `base`
  bool inner = false;                 // cacheable in L1
  bool outer = false;                 // cacheable in L2
  bool ordered = false;               // strongly ordered: one access at a time
  bool allocate = true;               // a write that misses allocates

  [[nodiscard]] Address at(std::uint64_t offset) const {
    constexpr std::uint64_t kPage = 4096;
    if (frames.empty()) return base + offset;
    return frames[offset / kPage] * kPage + offset % kPage;
  }
  [[nodiscard]] bool cached() const { return inner || outer; }
};

struct ProcessorParameters {
  Fields f = {};
  Time call = f.time("call", "of a copy with everything in the first-level cache");
  std::uint32_t call_accesses =
      f.count("call_accesses", "stack and literal accesses in that call", {0, 1000});
  std::uint32_t call_accesses_ordered =
      f.count("call_accesses_ordered", "the same where bursts are split", {0, 1000});
  std::uint32_t call_fetches =
      f.count("call_fetches", "instruction lines fetched in it with the instruction cache off",
              Range{0, 1000}.or_else(0));
  std::uint32_t long_bytes =
      f.bytes("long_bytes", "from which on a copy saves more registers", {0, kGiB});
  std::uint32_t long_accesses =
      f.count("long_accesses", "stack accesses that this takes", {0, 1000});
  Time ordered_write =
      f.time("ordered_write", "of the issue of a strongly ordered store after the one before");
  Time ordered_call = f.time("ordered_call", "of a copy through a strongly ordered user mapping");
  Time short_access = f.time("short_access", "more of each access in copies of up to short_bytes");
  std::uint32_t short_bytes =
      f.bytes("short_bytes", "up to which a copy moves short_unit at a time", {0, kGiB});
  Time subword = f.time("subword", "more of an access narrower than the copy's unit");
  std::uint32_t short_unit =
      f.bytes("short_unit", "of an access in copies of up to short_bytes", {1, 64});
  std::uint32_t odd_unit = f.bytes("odd_unit", "of an access to what remains below that", {1, 64});
  std::uint32_t ordered_read =
      f.bytes("ordered_read", "of a strongly ordered load in longer copies", {1, 64});
  std::uint32_t ordered_reads = f.count("ordered_reads", "such loads issued at once", {1, 64});
  Time ordered_read_line = f.time("ordered_read_line", "of the instructions to take in a line");
  std::uint32_t preload_lines =
      f.count("preload_lines", "lines that a copy loads ahead of the one it stores", {0, 63});
  Time loop_call =
      f.time("loop_call", "of a loop over words instead of a copy", allowed::time_or_none);
  Time loop_access = f.time("loop_access", "more of each of its words", allowed::time_or_none);
  std::uint32_t line = f.bytes("line", "that a copy moves at a time", allowed::line.or_else(32));
  Time line_issue = f.time("line_issue", "of the instructions to move a line");
  Time line_read = f.time("line_read", "more for a line from a device than for one access");
  double second_half_short =
      f.ratio("second_half_short",
              "of a line's first half's time that its second takes, below block_bytes", 10);
  double second_half_block = f.ratio("second_half_block", "the same in longer copies", 10, 0);
  std::uint32_t block_bytes =
      f.bytes("block_bytes", "from which on a copy moves whole lines", {0, kGiB});
  Time block_setup = f.time("block_setup", "that such a copy needs to start");
  Time posted_response =
      f.time("posted_response", "of a line write posted to a device, outside the fabric");
  Time posted_behind_load = f.time(
      "posted_behind_load", "more of it where a load has to go past the first level meanwhile",
      allowed::time_or_none);
  std::uint32_t posted_lines_inner =
      f.count("posted_lines_inner", "lines buffered while the source is in the first level",
              allowed::latest);
  std::uint32_t posted_lines_outer = f.count(
      "posted_lines_outer", "lines buffered while loads go past it", allowed::latest.or_else(4));
  std::uint32_t store_entries =
      f.count("store_entries", "buffered device stores where they cannot be posted",
              allowed::latest.or_else(4));
  Time copy_line = f.time("copy_line", "of a line copied between user and kernel");
  std::uint32_t loads_in_flight = f.count(
      "loads_in_flight", "preloads of lines that may enter the first level", allowed::latest);
  std::uint32_t stores_in_flight =
      f.count("stores_in_flight", "lines being fetched for stores that missed", allowed::latest);
  Time copy_uncached_store = f.time("copy_uncached_store", "of a line copied to uncached memory");
  Time copy_uncached_load = f.time("copy_uncached_load", "of a line copied from uncached memory");
  Time copy_uncached_wait =
      f.time("copy_uncached_wait", "of that, what a load of a few bytes takes as well");
  Time access = f.time("access", "of a program's loop that hits the first-level cache");
};

// The state of the processor's part of the system during one transfer.
struct ProcessorPorts {
  Component* memory;  // first-level cache
  Component* device;  // towards the fabric
  bool posted;        // device writes are posted: the second-level cache is on
  bool instruction_cache;
  std::uint32_t line = 32;  // bytes that the programs move at a time
};

}  // namespace weighbridge
