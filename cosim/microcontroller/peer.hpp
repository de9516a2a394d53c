// SPDX-License-Identifier: GPL-2.0-only
//
// The other end of the wire for a fuzzer: it makes frames, sound or not, and judges every byte of
// what the board sends: each follows from what was sent to it, or is a number that can be checked.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "window.hpp"

namespace weighbridge::microcontroller {

// What the board must not do; one line.
class Finding : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Peer {
 public:
  enum Flag : std::uint8_t { fin = 1, syn = 2, rst = 4, push = 8, ack = 16 };
  static constexpr std::uint16_t kServed = 5201;

  // One TCP connection to the server, as this end sees it.
  struct Connection {
    std::uint32_t next = 0;         // of the bytes that are sent
    std::uint32_t taken = 0;        // as the board has acknowledged them
    std::uint32_t heard = 0;        // the board's next byte
    std::uint16_t window = 0xFFFF;  // that is said to the board
    bool mute = false;              // says nothing more: its beginning stays half open
    bool open = false;
    bool over = false;  // by a FIN or a RST of the board's
    Bytes said;         // by the server
  };

  explicit Peer(std::function<void(const Bytes&)> send) : send_(std::move(send)) {}

  // A frame of the board's; throws Finding.
  void hear(const Bytes& frame);

  // Frames to the board.
  void raw(const Bytes& frame);
  void segment(std::uint16_t port, std::uint8_t flags, const Bytes& data, std::int32_t ahead = 0);
  void datagram(std::uint16_t from, std::uint16_t to, const Bytes& data);
  void echo(const Bytes& data);
  // A segment as it would be sent, to be spoilt; `sound` sums it again.
  Bytes segment_frame(std::uint16_t port, std::uint8_t flags, const Bytes& data,
                      std::int32_t ahead = 0);
  static Bytes sound(Bytes frame);

  // Begins with a SYN; `first` is the number of the first byte.
  Connection& connect(std::uint16_t port, std::uint32_t first);
  // Sends bytes in their order.
  void say(std::uint16_t port, const Bytes& data);
  // Whether the server's words are among those that it may say; throws Finding.
  static void judge(const Connection& one);

  std::map<std::uint16_t, Connection> connections;  // by this end's port
  std::uint64_t datagrams = 0;                      // of the present flow
  std::uint64_t frames = 0;

 private:
  Bytes packet(std::uint8_t protocol, const Bytes& body);
  void send(const Bytes& frame);
  void hear_arp(const Bytes& frame);
  void hear_tcp(const Bytes& body);
  void hear_udp(const Bytes& body);
  void hear_icmp(const Bytes& body) const;

  std::function<void(const Bytes&)> send_;
  std::set<std::uint16_t> ports_;  // of all connections there were
  std::deque<Bytes> recent_;       // frames that were sent
  std::uint16_t number_ = 0;
};

}  // namespace weighbridge::microcontroller
