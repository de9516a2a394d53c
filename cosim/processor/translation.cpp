// SPDX-License-Identifier: GPL-2.0-only
//
// Source of the layouts: ARM DDI 0406 (ARMv7-A), section B3.5; Cortex-A9 TRM for what becomes of
// shareable memory where the core takes no part in coherency.
#include "translation.hpp"

namespace weighbridge::processor {
namespace {

Page fault(std::string why) {
  Page page;
  page.fault = std::move(why);
  return page;
}

Attributes attributes_of(unsigned tex, bool c, bool b, bool shareable, const Control& control) {
  Attributes a;
  unsigned inner = 0;
  unsigned outer = 0;
  if ((tex & 4U) != 0) {
    outer = tex & 3U;
    inner = (c ? 2U : 0U) | (b ? 1U : 0U);
  } else if (tex == 0 && !c && !b) {
    a.ordered = true;
    return a;
  } else if ((tex == 0 && !c) || (tex == 2 && !c && !b)) {
    a.device = true;
    return a;
  } else if (tex == 0) {
    inner = outer = b ? 3 : 2;
  } else if (tex == 1 && c == b) {
    inner = outer = c ? 1 : 0;
  }
  // 0: not cacheable, 1: write-back with allocation, 2: write-through, 3: write-back without.
  a.inner = inner != 0;
  a.outer = outer != 0;
  a.allocate = inner == 1 || outer == 1;
  // A core outside the coherent domain keeps nothing shared in its own cache.
  if (shareable && !control.coherent()) a.inner = false;
  return a;
}

// Access permissions, for privileged code.
bool readable(unsigned ap) { return (ap & 7U) != 0 && (ap & 7U) != 4; }
bool writable(unsigned ap) { return ap >= 1 && ap <= 3; }

}  // namespace

Page translate(const Control& control, std::uint32_t address, bool fetch, const ReadWord& read) {
  Page page;
  page.physical = address;
  if (!control.mmu()) {
    // Data is strongly ordered. Instructions may still be cached.
    page.attributes.ordered = true;
    return page;
  }
  if ((control.ttbcr & 7U) != 0 || control.ttbcr >> 31 != 0) {
    return fault("TTBCR other than 0 is not modelled");
  }
  if ((control.sctlr >> 28 & 1U) != 0) return fault("TEX remap is not modelled");
  const auto first = read((control.ttbr0 & ~0x3FFFU) | (address >> 20 << 2));
  if (!first) return fault("the page table lies outside memory");
  const std::uint32_t d = *first;
  const auto manager = [&](unsigned domain) { return (control.dacr >> (2 * domain) & 3U) == 3; };
  const auto closed = [&](unsigned domain) { return (control.dacr >> (2 * domain) & 1U) == 0; };
  unsigned ap = 0;
  bool never = false;
  unsigned domain = d >> 5 & 0xFU;
  switch (d & 3U) {
    case 2:
      if ((d >> 18 & 1U) != 0) return fault("supersections are not modelled");
      page.physical = (d & 0xFFF0'0000U) | (address & 0x000F'FFFFU);
      page.attributes = attributes_of(d >> 12 & 7U, (d >> 3 & 1U) != 0, (d >> 2 & 1U) != 0,
                                      (d >> 16 & 1U) != 0, control);
      ap = (d >> 10 & 3U) | (d >> 13 & 4U);
      never = (d >> 4 & 1U) != 0;
      break;
    case 1: {
      const auto second = read((d & ~0x3FFU) | (address >> 12 & 0xFFU) << 2);
      if (!second) return fault("the page table lies outside memory");
      const std::uint32_t e = *second;
      if ((e & 3U) == 0) return fault("no page is mapped there");
      const bool small = (e & 2U) != 0;
      page.physical =
          small ? (e & ~0xFFFU) | (address & 0xFFFU) : (e & ~0xFFFFU) | (address & 0xFFFFU);
      page.attributes = attributes_of(small ? e >> 6 & 7U : e >> 12 & 7U, (e >> 3 & 1U) != 0,
                                      (e >> 2 & 1U) != 0, (e >> 10 & 1U) != 0, control);
      ap = (e >> 4 & 3U) | (e >> 7 & 4U);
      never = small ? (e & 1U) != 0 : (e >> 15 & 1U) != 0;
      break;
    }
    default:
      return fault("no section is mapped there");
  }
  if (manager(domain)) return page;
  if (closed(domain)) return fault("its domain is closed");
  if (!readable(ap)) return fault("its permissions forbid it");
  if (fetch && never) return fault("its permissions forbid execution");
  page.writable = writable(ap);
  page.executable = !never;
  return page;
}

}  // namespace weighbridge::processor
