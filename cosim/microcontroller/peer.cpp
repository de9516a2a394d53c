// SPDX-License-Identifier: GPL-2.0-only
#include "peer.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace weighbridge::microcontroller {
namespace {

const Bytes kBoard = {2, 0, 0, 0, 0, 1}, kOwn = {2, 0, 0, 0, 0, 2};
const Bytes kBoardIp = {10, 55, 0, 1}, kOwnIp = {10, 55, 0, 2};
constexpr std::size_t kEthernet = 14, kIp = 20, kTcp = 20, kUdp = 8;
constexpr std::size_t kShortest = 60, kLongest = 1514;
constexpr std::size_t kRemembered = 64;

void put(Bytes& to, std::uint64_t value, unsigned bytes) {
  while (bytes-- > 0) to.push_back(static_cast<std::uint8_t>(value >> 8 * bytes));
}

void put(Bytes& to, const Bytes& more) { to.insert(to.end(), more.begin(), more.end()); }

std::uint32_t get(const Bytes& from, std::size_t at, unsigned bytes) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value = value << 8 | from.at(at + i);
  return value;
}

Bytes part(const Bytes& of, std::size_t from, std::size_t to) {
  return {of.begin() + static_cast<std::ptrdiff_t>(std::min(from, of.size())),
          of.begin() + static_cast<std::ptrdiff_t>(std::min(to, of.size()))};
}

// The Internet's checksum without its complement.
std::uint16_t summed(const Bytes& data, std::uint32_t sum = 0) {
  for (std::size_t i = 0; i < data.size(); ++i) sum += data[i] << (i % 2 == 0 ? 8 : 0);
  while (sum >> 16 != 0) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

// Of the addresses, protocol and length that TCP and UDP sum as well.
std::uint32_t pseudo(std::uint8_t protocol, std::size_t bytes) {
  return std::uint32_t{summed(kBoardIp)} + summed(kOwnIp) + protocol +
         static_cast<std::uint32_t>(bytes);
}

void store16(Bytes& to, std::size_t at, std::uint16_t value) {
  to.at(at) = static_cast<std::uint8_t>(value >> 8);
  to.at(at + 1) = static_cast<std::uint8_t>(value);
}

void demand(bool holds, const char* otherwise) {
  if (!holds) throw Finding(otherwise);
}

bool zeros(const Bytes& frame, std::size_t from) {
  return std::all_of(frame.begin() + static_cast<std::ptrdiff_t>(from), frame.end(),
                     [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace

void Peer::send(const Bytes& frame) {
  recent_.push_back(frame);
  if (recent_.size() > kRemembered) recent_.pop_front();
  send_(frame);
}

void Peer::raw(const Bytes& frame) { send(frame); }

Bytes Peer::packet(std::uint8_t protocol, const Bytes& body) {
  Bytes frame = kBoard;
  put(frame, kOwn);
  put(frame, 0x0800, 2);
  put(frame, 0x4500, 2);
  put(frame, kIp + body.size(), 2);
  put(frame, ++number_, 2);
  put(frame, 0x4000, 2);
  put(frame, 64 << 8 | protocol, 2);
  put(frame, 0, 2);
  put(frame, kOwnIp);
  put(frame, kBoardIp);
  put(frame, body);
  return sound(frame);
}

Bytes Peer::sound(Bytes frame) {
  if (frame.size() < kEthernet + kIp) return frame;
  store16(frame, kEthernet + 10, 0);
  const std::size_t header = std::min<std::size_t>(4U * (frame[kEthernet] & 15U), frame.size());
  store16(frame, kEthernet + 10,
          static_cast<std::uint16_t>(~summed(part(frame, kEthernet, kEthernet + header))));
  const std::uint8_t protocol = frame[kEthernet + 9];
  const std::size_t sum = protocol == 6 ? 16 : protocol == 17 ? 6 : protocol == 1 ? 2 : 0;
  const std::size_t body = kEthernet + kIp;
  if (sum == 0 || frame.size() < body + sum + 2) return frame;
  store16(frame, body + sum, 0);
  const std::uint32_t covered = protocol == 1 ? 0 : pseudo(protocol, frame.size() - body);
  store16(frame, body + sum,
          static_cast<std::uint16_t>(~summed(part(frame, body, frame.size()), covered)));
  return frame;
}

Bytes Peer::segment_frame(std::uint16_t port, std::uint8_t flags, const Bytes& data,
                          std::int32_t ahead) {
  const Connection& one = connections[port];
  Bytes body;
  put(body, port, 2);
  put(body, kServed, 2);
  put(body, one.next + static_cast<std::uint32_t>(ahead), 4);
  put(body, (flags & ack) != 0 ? one.heard : 0, 4);
  put(body, 5 << 12 | flags, 2);
  put(body, one.window, 2);
  put(body, 0, 4);
  put(body, data);
  return packet(6, body);
}

void Peer::segment(std::uint16_t port, std::uint8_t flags, const Bytes& data, std::int32_t ahead) {
  send(segment_frame(port, flags, data, ahead));
}

void Peer::datagram(std::uint16_t from, std::uint16_t to, const Bytes& data) {
  Bytes body;
  put(body, from, 2);
  put(body, to, 2);
  put(body, kUdp + data.size(), 2);
  put(body, 0, 2);
  put(body, data);
  send(packet(17, body));
}

void Peer::echo(const Bytes& data) {
  Bytes body = {8, 0, 0, 0, 0, 1, 0, 1};
  put(body, data);
  send(packet(1, body));
}

Peer::Connection& Peer::connect(std::uint16_t port, std::uint32_t first) {
  Connection& one = connections[port] = {};
  ports_.insert(port);
  one.next = one.taken = first;
  segment(port, syn, {});
  ++one.next;
  return one;
}

void Peer::say(std::uint16_t port, const Bytes& data) {
  segment(port, ack | push, data);
  connections[port].next += static_cast<std::uint32_t>(data.size());
}

void Peer::hear(const Bytes& frame) {
  ++frames;
  demand(frame.size() >= kShortest && frame.size() <= kLongest, "a frame of no length that may be");
  demand(part(frame, 6, 12) == kBoard, "a frame that is not from the board");
  const std::uint32_t type = get(frame, 12, 2);
  if (type == 0x0806) return hear_arp(frame);
  demand(part(frame, 0, 6) == kOwn, "a frame for nobody");
  demand(type == 0x0800 && frame[kEthernet] == 0x45, "a frame that is neither ARP nor IPv4");
  const std::size_t bytes = get(frame, kEthernet + 2, 2);
  demand(bytes >= kIp && kEthernet + bytes <= frame.size(), "a packet longer than its frame");
  demand(zeros(frame, kEthernet + bytes), "a frame whose filling is not zeros");
  demand(summed(part(frame, kEthernet, kEthernet + kIp)) == 0xFFFF, "a wrong sum of an IP header");
  demand(
      part(frame, kEthernet + 12, kEthernet + 20) ==
          [] {
            Bytes both = kBoardIp;
            put(both, kOwnIp);
            return both;
          }(),
      "a packet of other addresses");
  const Bytes body = part(frame, kEthernet + kIp, kEthernet + bytes);
  const std::uint8_t protocol = frame[kEthernet + 9];
  if (protocol == 6) return hear_tcp(body);
  if (protocol == 17) return hear_udp(body);
  demand(protocol == 1, "a packet of another protocol");
  hear_icmp(body);
}

void Peer::hear_arp(const Bytes& frame) {
  demand(zeros(frame, kEthernet + 28), "an ARP frame whose filling is not zeros");
  demand(get(frame, kEthernet, 4) == 0x00010800 && get(frame, kEthernet + 4, 2) == 0x0604 &&
             part(frame, kEthernet + 8, kEthernet + 14) == kBoard &&
             part(frame, kEthernet + 14, kEthernet + 18) == kBoardIp,
         "an ARP frame of somebody else");
  const std::uint32_t what = get(frame, kEthernet + 6, 2);
  demand(what == 1 || what == 2, "an ARP frame that neither asks nor answers");
  if (what == 2 || part(frame, kEthernet + 24, kEthernet + 28) != kOwnIp) return;
  demand(part(frame, kEthernet + 18, kEthernet + 24) == Bytes(6, 0),
         "an ARP question with an answer in it");
  Bytes answer = kBoard;
  put(answer, kOwn);
  put(answer, 0x0806, 2);
  put(answer, 0x0001080006040002, 8);
  put(answer, kOwn);
  put(answer, kOwnIp);
  put(answer, kBoard);
  put(answer, kBoardIp);
  send(answer);
}

void Peer::hear_tcp(const Bytes& body) {
  demand(body.size() >= kTcp, "a segment without its header");
  demand(summed(body, pseudo(6, body.size())) == 0xFFFF, "a wrong sum of a segment");
  const std::uint8_t flags = body[13];
  const std::size_t header = body[12] >> 4U << 2U;
  demand(header >= kTcp && header <= body.size(), "a segment of no length that may be");
  // lwIP has no options but the longest segment, in a SYN.
  if ((flags & syn) != 0) {
    demand(header == kTcp + 4 && get(body, kTcp, 2) == 0x0204, "a SYN with other options");
  } else {
    demand(header == kTcp, "options that nobody has agreed upon");
  }
  const Bytes data = part(body, header, body.size());
  const auto found = connections.find(static_cast<std::uint16_t>(get(body, 2, 2)));
  if ((flags & rst) != 0) {
    demand(data.empty(), "a RST with bytes");
    const bool served = get(body, 0, 2) == kServed;
    if (served && found != connections.end()) found->second.over = true;
    return;
  }
  const auto port = static_cast<std::uint16_t>(get(body, 2, 2));
  demand(get(body, 0, 2) == kServed && ports_.contains(port), "a segment for nobody");
  if (found == connections.end()) {  // it has been forgotten here, and not by the board
    connections[port].next = get(body, 8, 4);
    segment(port, rst, {});
    connections.erase(port);
    return;
  }
  Connection& one = found->second;
  const std::uint32_t from = get(body, 4, 4);
  if ((flags & ack) != 0) one.taken = get(body, 8, 4);
  if ((flags & syn) != 0) {
    demand(data.empty(), "a SYN with bytes");
    if (!one.open) one.heard = from + 1;
    one.open = true;
    if (one.mute) return;
    return segment(found->first, ack, {});
  }
  const bool new_one = one.open && from == one.heard;
  if (new_one) {
    put(one.said, data);
    one.heard += static_cast<std::uint32_t>(data.size()) + ((flags & fin) != 0 ? 1 : 0);
    one.over |= (flags & fin) != 0;
  }
  if (!data.empty() || (flags & fin) != 0) segment(found->first, ack, {});
}

void Peer::hear_udp(const Bytes& body) {
  demand(body.size() >= kUdp && get(body, 4, 2) == body.size(), "a datagram of another length");
  demand(summed(body, pseudo(17, body.size())) == 0xFFFF, "a wrong sum of a datagram");
  demand(get(body, 0, 2) == kServed, "a datagram of another port");
  const Bytes data = part(body, kUdp, body.size());
  if (data == Bytes{'6', '7', '8', '9'}) {
    datagrams = 0;
    return;
  }
  demand(data.size() >= 16 && data.size() <= 1472, "a datagram that nobody has asked for");
  const bool wide = get(data, 12, 4) != 0;
  demand(get(data, wide ? 12 : 8, 4) == ++datagrams, "a datagram of another number");
  demand(get(data, 4, 4) < 1'000'000, "a datagram of no time");
  for (std::size_t i = 16; i < data.size(); ++i) {
    const std::size_t word = i / 4;
    demand(data[i] == static_cast<std::uint8_t>(word >> 8 * (i % 4)),
           "a datagram with other bytes than its filling");
  }
}

// An echo, or the begin of a packet that was refused: bytes of a frame that was sent.
void Peer::hear_icmp(const Bytes& body) const {
  demand(body.size() >= kUdp && (body[0] == 0 || body[0] == 3), "an ICMP message of another kind");
  demand(summed(body) == 0xFFFF, "a wrong sum of an ICMP message");
  const Bytes data = part(body, 8, body.size());
  const bool known = std::any_of(recent_.begin(), recent_.end(), [&](const Bytes& frame) {
    return std::search(frame.begin(), frame.end(), data.begin(), data.end()) != frame.end();
  });
  demand(known, "an ICMP message with bytes that nobody has sent");
}

void Peer::judge(const Connection& one) {
  const Bytes& said = one.said;
  std::size_t at = 0;
  const auto ended = [&] { return at == said.size(); };
  const auto next = [&](std::uint8_t byte) {
    const bool is = !ended() && said[at] == byte;
    at += is;
    return is;
  };
  const auto refused = [&] {  // an error with its two numbers
    if (!next(0xFE)) return false;
    demand(said.size() - at <= 8, "the server says something behind an error");
    return true;
  };
  const auto states = [&](std::initializer_list<std::uint8_t> all) {
    for (const std::uint8_t state : all) {
      if (ended()) return false;
      demand(next(state), "the server says a state that is not the next one");
    }
    return true;
  };
  if (next(0xFF)) {
    demand(ended(), "the server says something behind a refusal");
    return;
  }
  if (!states({9}) || refused() || !states({10, 1, 2, 13}) || refused()) return;
  if (said.size() - at < 4) return;
  const std::size_t bytes = get(said, at, 4);
  at += 4;
  demand(bytes > 100 && bytes <= 512, "results of no length that may be");
  const Bytes text = part(said, at, at + bytes);
  at += text.size();
  const auto printed = [](std::uint8_t letter) { return letter >= ' ' && letter < 0x7F; };
  demand(text.empty() || (std::all_of(text.begin(), text.end(), printed) && text[0] == '{'),
         "results that are no text");
  if (text.size() < bytes) return;
  demand(text.back() == '}', "results without their end");
  states({14});
  demand(ended(), "the server says something behind its results");
}

}  // namespace weighbridge::microcontroller
