// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Copy kernels of the processor: between memory and the fabric, and between user and kernel
// buffers. Costs are those of the loads and stores themselves, as the memory attributes allow them
// to overlap, plus what the code around them takes.
#pragma once

#include <array>
#include <cstdint>

#include "components/processor.hpp"
#include "core/component.hpp"
#include "core/contents.hpp"
#include "core/scheduler.hpp"
#include "core/system.hpp"

namespace weighbridge {

// The stack of a program whose buffer this is: memory of the same kind, just below it.
Buffer stack_of(const Buffer& buffer);

// Times of the latest few events, by their running number.
using Ring = std::array<Time, 64>;

enum class Direction { cpu_to_fpga, fpga_to_cpu };
enum class Code { memcpy, word_loop };

// memcpy between a buffer and the fabric; finishes when the last access has been accepted.
class FabricCopy : public Process {
 public:
  FabricCopy(const ProcessorParameters& parameters, const ProcessorPorts& ports,
             const Buffer& buffer, std::uint64_t buffer_offset, Address fabric, bool fabric_ordered,
             Direction direction, std::uint32_t bytes, Code code = Code::memcpy);
  Time step(Time now) override;

 private:
  Time begin(Time now);
  Time load(Time now, std::uint32_t bytes);
  Time load_ahead(Time now);
  [[nodiscard]] std::uint32_t ordered_bytes(std::uint32_t unit) const;
  [[nodiscard]] Time after_ordered(Time now, std::uint32_t bytes) const;
  Time store(Time now, std::uint32_t bytes);
  [[nodiscard]] Time with_second_half(Time now, Time first_done, std::uint32_t bytes) const;
  Time to_fabric_ordered(Time now);
  Time to_fabric_posted(Time now);
  Time to_fabric_buffered(Time now);
  Time from_fabric_ordered(Time now);
  Time from_fabric_lines(Time now);

  static constexpr std::uint32_t kUnit = 8;

  const ProcessorParameters& p_;
  const ProcessorPorts& ports_;
  const Buffer& buffer_;
  std::uint64_t buffer_offset_;
  Address fabric_;
  bool fabric_ordered_;
  Direction direction_;
  std::uint32_t bytes_;
  Code code_;
  std::uint32_t done_ = 0;
  bool started_ = false;
  Time slot_free_ = -1;  // the one posted write on its way
  Ring drained_{};       // completion of the latest buffered writes, a ring
  Ring loaded_{};        // when the latest source lines were there, a ring
  std::uint32_t lines_ = 0;
  std::uint64_t stores_ = 0;
};

// copy_from_user / copy_to_user, a line at a time.
class UserCopy : public Process {
 public:
  UserCopy(const ProcessorParameters& parameters, const ProcessorPorts& ports, const Buffer& source,
           std::uint64_t source_offset, const Buffer& target, std::uint64_t target_offset,
           std::uint32_t bytes);
  Time step(Time now) override;

 private:
  const ProcessorParameters& p_;
  const ProcessorPorts& ports_;
  const Buffer& source_;
  const Buffer& target_;
  std::uint64_t source_offset_;
  std::uint64_t target_offset_;
  std::uint32_t bytes_;
  std::uint32_t done_ = 0;
  std::uint64_t lines_ = 0;
  Ring consumed_{};  // when a line's data had been used: its place for a preload is free again
  Ring stored_{};    // when a line's store was complete
};

// All that a digest of a phase has to know of the buffers' first bytes, and of the processor.
void describe(Digest& key, const Buffer& buffer, std::uint64_t bytes);

// Runs a UserCopy by itself, from rest; returns its end. What the components did is counted.
Time copy_by_itself(System& system, const std::string& processor, const ProcessorParameters& p,
                    const ProcessorPorts& ports, const Buffer& source, std::uint64_t source_offset,
                    const Buffer& target, std::uint64_t target_offset, std::uint32_t bytes);

// Writes or reads a buffer through the caches to bring them into the state a program leaves.
void touch(const ProcessorPorts& ports, const Buffer& buffer, std::uint64_t offset,
           std::uint64_t bytes, bool write);
// The same for a UserCopy.
void touch_copy(const ProcessorPorts& ports, const Buffer& source, std::uint64_t source_offset,
                const Buffer& target, std::uint64_t target_offset, std::uint32_t bytes);

}  // namespace weighbridge
