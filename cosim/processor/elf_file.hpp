// SPDX-License-Identifier: GPL-2.0-only
//
// A program as a linker leaves it: a 32-bit little-endian ELF for ARM.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace weighbridge::processor {

struct Segment {
  std::uint32_t physical = 0;
  std::uint32_t memory_bytes = 0;
  std::vector<std::uint8_t> bytes;
};

class ElfFile {
 public:
  // Throws std::invalid_argument with one line that says what is wrong with the file.
  ElfFile(const std::vector<std::uint8_t>& file, const std::string& path);

  std::uint32_t entry = 0;
  std::vector<Segment> segments;  // that are to be loaded
  // Functions by address, without the bit that marks Thumb code.
  std::map<std::uint32_t, std::string> functions;
  // Bytes of each variable, by address.
  std::map<std::uint32_t, std::uint32_t> objects;
  // Address of a symbol, with that bit. Throws std::invalid_argument where there is none.
  [[nodiscard]] std::uint32_t symbol(const std::string& name) const;
  // "name+0x12", or the address alone.
  [[nodiscard]] std::string where(std::uint32_t address) const;

 private:
  void read_symbols(const std::vector<std::uint8_t>& file);
  std::map<std::string, std::uint32_t> symbols_;
};

}  // namespace weighbridge::processor
