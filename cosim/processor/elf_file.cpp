// SPDX-License-Identifier: GPL-2.0-only
#include "elf_file.hpp"

#include <elf.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace weighbridge::processor {
namespace {

constexpr std::size_t kLongestName = 200;

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

// The table entry or header at an offset; refused where it leaves the file.
template <typename Part>
Part at(const std::vector<std::uint8_t>& file, std::uint64_t offset) {
  Part part;
  if (offset > file.size() || file.size() - offset < sizeof part) {
    refuse("the ELF file ends before what its header announces");
  }
  std::memcpy(&part, file.data() + offset, sizeof part);
  return part;
}

std::string text_at(const std::vector<std::uint8_t>& file, std::uint64_t offset,
                    std::uint64_t end) {
  end = std::min<std::uint64_t>(end, file.size());
  std::string text;
  for (; offset < end && file[offset] != 0 && text.size() < kLongestName; ++offset) {
    const std::uint8_t letter = file[offset];
    text += letter > ' ' && letter < 0x7F ? static_cast<char>(letter) : '?';
  }
  return text;
}

}  // namespace

ElfFile::ElfFile(const std::vector<std::uint8_t>& file, const std::string& path) {
  if (file.size() < sizeof(Elf32_Ehdr) || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0) {
    refuse(path + " is not an ELF file");
  }
  const auto header = at<Elf32_Ehdr>(file, 0);
  if (header.e_ident[EI_CLASS] != ELFCLASS32 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != EM_ARM) {
    refuse(path + " is not a 32-bit little-endian ELF file for ARM");
  }
  if (header.e_type != ET_EXEC) refuse(path + " is not linked: it is no executable");
  entry = header.e_entry;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto program =
        at<Elf32_Phdr>(file, header.e_phoff + std::uint64_t{i} * sizeof(Elf32_Phdr));
    if (program.p_type != PT_LOAD || program.p_memsz == 0) continue;
    if (program.p_filesz > program.p_memsz) refuse(path + ": a segment is larger than its memory");
    if (program.p_offset > file.size() || file.size() - program.p_offset < program.p_filesz) {
      refuse(path + ": a segment lies outside the file");
    }
    const auto* first = file.data() + program.p_offset;
    segments.push_back({program.p_paddr, program.p_memsz, {first, first + program.p_filesz}});
  }
  if (segments.empty()) refuse(path + " has nothing to load");
  if (header.e_shoff != 0 && header.e_shentsize == sizeof(Elf32_Shdr)) read_symbols(file);
}

void ElfFile::read_symbols(const std::vector<std::uint8_t>& file) {
  const auto header = at<Elf32_Ehdr>(file, 0);
  const auto section = [&](unsigned number) {
    return at<Elf32_Shdr>(file, header.e_shoff + std::uint64_t{number} * sizeof(Elf32_Shdr));
  };
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const Elf32_Shdr table = section(i);
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= header.e_shnum) continue;
    const Elf32_Shdr names = section(table.sh_link);
    const std::uint64_t end = std::uint64_t{names.sh_offset} + names.sh_size;
    for (std::uint32_t j = 0; j < table.sh_size / sizeof(Elf32_Sym); ++j) {
      const auto symbol =
          at<Elf32_Sym>(file, table.sh_offset + std::uint64_t{j} * sizeof(Elf32_Sym));
      const std::string name = text_at(file, std::uint64_t{names.sh_offset} + symbol.st_name, end);
      if (name.empty() || name[0] == '$') continue;  // marks of code and data
      if (symbol.st_shndx == SHN_UNDEF) continue;
      symbols_[name] = symbol.st_value;
      if (ELF32_ST_TYPE(symbol.st_info) == STT_FUNC) functions[symbol.st_value & ~1U] = name;
      if (ELF32_ST_TYPE(symbol.st_info) == STT_OBJECT) objects[symbol.st_value] = symbol.st_size;
    }
  }
}

std::uint32_t ElfFile::symbol(const std::string& name) const {
  const auto found = symbols_.find(name);
  if (found == symbols_.end()) refuse("the program has no symbol '" + name + "'");
  return found->second;
}

std::string ElfFile::where(std::uint32_t address) const {
  char text[64];
  auto after = functions.upper_bound(address);
  if (after == functions.begin()) {
    std::snprintf(text, sizeof text, "0x%08x", address);
    return text;
  }
  --after;
  std::snprintf(text, sizeof text, "0x%08x (", address);
  std::string words = text + after->second;
  std::snprintf(text, sizeof text, "+0x%x)", address - after->first);
  return words + text;
}

}  // namespace weighbridge::processor
