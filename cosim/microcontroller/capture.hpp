// SPDX-License-Identifier: GPL-2.0-only
//
// Frames and when they were on the wire, as tcpdump and Wireshark read them: pcap, nanoseconds.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include "window.hpp"

namespace weighbridge::microcontroller {

class Capture {
 public:
  explicit Capture(const std::string& path) : file_(std::fopen(path.c_str(), "wb"), &std::fclose) {
    if (!file_) throw std::invalid_argument("cannot write " + path);
    constexpr std::uint32_t kHeader[] = {0xA1B23C4D, 0x00040002, 0, 0, 65535, 1};
    std::fwrite(kHeader, sizeof kHeader, 1, file_.get());
  }

  void add(const Bytes& frame, double seconds) {
    const auto ns = static_cast<std::uint64_t>(seconds * 1e9 + 0.5);
    const auto length = static_cast<std::uint32_t>(frame.size());
    const std::uint32_t record[] = {static_cast<std::uint32_t>(ns / 1'000'000'000),
                                    static_cast<std::uint32_t>(ns % 1'000'000'000), length, length};
    std::fwrite(record, sizeof record, 1, file_.get());
    std::fwrite(frame.data(), 1, frame.size(), file_.get());
  }

 private:
  std::unique_ptr<FILE, int (*)(FILE*)> file_;
};

}  // namespace weighbridge::microcontroller
