// SPDX-License-Identifier: GPL-2.0-only
#include "mdma.hpp"

#include <algorithm>
#include <cstring>

#include "stopped.hpp"

namespace weighbridge::microcontroller {
namespace {

constexpr std::uint32_t kActive = 1U << 16;   // CRQA, and SWRQ of the control register
constexpr std::uint32_t kComplete = 1U << 1;  // CTCIF
constexpr std::uint32_t kEnable = 1U;
constexpr std::uint32_t kTellComplete = 1U << 2;  // CTCIE
constexpr std::uint32_t kWord = 4;

// Source by halfwords, two a burst, packed; destination by words or double words, one a buffer
// transfer; the whole linked list by one request of software; writes may be buffered.
constexpr std::uint32_t transfer(std::uint32_t bytes) {
  const std::uint32_t size = bytes == 8 ? 0b11U : 0b10U;
  return 0b10U | 0b10U << 2 | 0b01U << 4 | size << 6 | 0b01U << 8 | size << 10 | 0b001U << 12 |
         (bytes - 1) << 18 | 1U << 25 | 3U << 28 | 1U << 30 | 1U << 31;
}
constexpr std::uint32_t kFromTcm = 1U << 16;

std::string text(std::uint32_t value) {
  char words[16];
  std::snprintf(words, sizeof words, "0x%08x", value);
  return words;
}

}  // namespace

Mdma::Mdma(const Times& times, Memory memory, Store store)
    : times_(times), memory_(std::move(memory)), store_(std::move(store)) {}

std::optional<std::uint32_t> Mdma::read(std::uint32_t offset, Time now) {
  advance(now);
  if (offset == 0) return raised();
  const std::uint32_t word = (offset - kFirst) % kStride / kWord;
  if (offset < kFirst || (offset - kFirst) / kStride >= kChannels || word >= words) return {};
  return channels_.at((offset - kFirst) / kStride)[word];
}

bool Mdma::write(std::uint32_t offset, std::uint32_t value, Time now) {
  advance(now);
  const std::uint32_t word = (offset - kFirst) % kStride / kWord;
  if (offset < kFirst || (offset - kFirst) / kStride >= kChannels || word >= words) return false;
  Channel& channel = channels_.at((offset - kFirst) / kStride);
  if (word == isr || word == esr || word == reserved) return false;
  if (word == ifcr) {
    channel[isr] &= ~(value & 0x1FU);
    line(raised() != 0);
    return true;
  }
  if (&channel == active_) throw Stopped("a register of an MDMA channel is written while it runs");
  channel[word] = word == cr ? value & ~kActive : value;
  if (word == cr && (value & kActive) != 0) {
    if ((value & kEnable) == 0) throw Stopped("an MDMA channel is asked that is not enabled");
    if (active_ != nullptr) throw Stopped("a second MDMA channel at once is not modelled");
    active_ = &channel;
    begin(now);
  }
  line(raised() != 0);
  return true;
}

std::uint32_t Mdma::raised() const {
  std::uint32_t all = 0;
  for (unsigned i = 0; i < kChannels; ++i) {
    const Channel& one = channels_.at(i);
    if ((one[isr] & kComplete) != 0 && (one[cr] & kTellComplete) != 0) all |= 1U << i;
  }
  return all;
}

void Mdma::begin(Time now) {
  (*active_)[isr] = ((*active_)[isr] | kActive) & ~kComplete;
  next_ = now + times_.start;
  node();
}

void Mdma::node() {
  const Channel& channel = *active_;
  bytes_ = channel[tcr] == transfer(8) ? 8 : kWord;
  if (channel[tcr] != transfer(bytes_))
    throw Stopped("a transfer of the MDMA like " + text(channel[tcr]) + " is not modelled");
  if ((channel[bndtr] & 0x1FFFFU) != bytes_ || channel[brur] != 0)
    throw Stopped("blocks of the MDMA other than of a store each are not modelled");
  left_ = (channel[bndtr] >> 20) + 1;
  from_ = channel[sar];
  to_ = channel[dar];
  if (to_ % bytes_ != 0) throw Stopped("the MDMA's stores to " + text(to_) + " are not aligned");
  next_ += times_.node;
}

void Mdma::step() {
  Channel& channel = *active_;
  const std::uint8_t* bytes = memory_(from_, bytes_, (channel[tbr] & kFromTcm) != 0);
  std::uint64_t data = 0;
  std::memcpy(&data, bytes, bytes_);
  next_ = std::max(store_(next_, to_, bytes_, data), next_ + times_.word * (bytes_ / kWord));
  from_ += bytes_;
  to_ += bytes_;
  if (--left_ > 0) return;
  const std::uint32_t link = channel[lar];
  if (link == 0) {
    channel[isr] = (channel[isr] & ~kActive) | kComplete;
    channel[cr] &= ~kEnable;
    active_ = nullptr;
    line(raised() != 0);
    return;
  }
  if (link % 8 != 0) throw Stopped("a node of the MDMA's list is not aligned: " + text(link));
  std::memcpy(&channel[tcr], memory_(link, (words - tcr) * kWord, false), (words - tcr) * kWord);
  node();
}

void Mdma::advance(Time now) {
  while (active_ != nullptr && next_ <= now) step();
}

}  // namespace weighbridge::microcontroller
