// SPDX-License-Identifier: GPL-2.0-only
#include "fuzz.hpp"

#include <algorithm>
#include <string>

namespace weighbridge::microcontroller {
namespace {

constexpr std::size_t kMost = 1460;      // bytes of a segment
constexpr std::uint64_t kEpisode = 100;  // messages
constexpr std::uint64_t kEpisodes = 10;  // until the memory is put back
constexpr unsigned kTalk = 10;           // messages of a connection
constexpr double kLong = 300;
constexpr double kPatience = 1000;   // in which all are
constexpr unsigned kRoom = 7;        // connections beside a client's
constexpr double kForgotten = 25e6;  // us after which nobody is waited for
constexpr std::uint16_t kFirstPort = 40000;
constexpr std::uint8_t kTestEnd = 4, kDone = 16;

Bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

}  // namespace

Fuzz::Fuzz(Core& core, Window& window, Pass pass, std::uint64_t seed)
    : peer([&core, &window](const Bytes& frame) { window.arrive(core.now(), frame); }),
      core_(core),
      pass_(std::move(pass)),
      random_(seed) {}

Bytes Fuzz::noise(std::size_t bytes) {
  Bytes all(bytes);
  for (auto& one : all) one = byte();
  return all;
}

Bytes Fuzz::text(std::size_t bytes) {
  static const std::string kLetters = "{}[]\",:\\ 0123456789.eE-+truefalsn\t\n\0x";
  Bytes all(bytes);
  for (auto& one : all) one = static_cast<std::uint8_t>(kLetters[below(kLetters.size())]);
  return all;
}

Bytes Fuzz::announced(const Bytes& text, std::uint64_t bytes) {
  Bytes all;
  for (unsigned shift = 32; shift > 0; shift -= 8)
    all.push_back(static_cast<std::uint8_t>(bytes >> (shift - 8)));
  all.insert(all.end(), text.begin(), text.end());
  return all;
}

Bytes Fuzz::parameters() {
  const std::uint64_t length = chance(80) ? 16 + below(1457) : below(3000);
  std::string words = R"({"udp":true,"omit":0,"time":10,"num":0,"blockcount":0,"parallel":1,)";
  words += R"("reverse":true,"len":)" + std::to_string(length);
  if (chance(70)) words += R"(,"bandwidth":)" + std::to_string(chance(50) ? 1048576 : random_());
  if (chance(30)) words += R"(,"udp_counters_64bit":1)";
  if (chance(10)) words += R"(,"parallel":)" + std::to_string(below(4));
  if (chance(10)) words += R"(,"bidirectional":)" + std::to_string(below(2));
  words += R"(,"pacing_timer":1000,"client_version":"3.12"})";
  return announced(bytes_of(words), words.size());
}

Bytes Fuzz::results() {
  std::string words = R"({"cpu_util_total":1.5,"streams":[{"id":1,"bytes":)";
  words += std::to_string(random_()) + R"(,"jitter":0.1,"errors":0,"packets":)";
  words += std::to_string(below(1000)) + "}]";
  words += std::string(below(4) * 300, ' ') + "}";
  return announced(bytes_of(words), words.size());
}

Bytes Fuzz::spoilt(Bytes bytes) {
  for (std::uint64_t changes = 1 + below(8); changes > 0 && !bytes.empty(); --changes) {
    const auto at = static_cast<std::ptrdiff_t>(below(bytes.size()));
    switch (below(5)) {
      case 0:
        bytes[at] ^= static_cast<std::uint8_t>(1U << below(8));
        break;
      case 1:
        bytes[at] = std::array<std::uint8_t, 5>{0, 0x7F, 0x80, 0xFF, byte()}[below(5)];
        break;
      case 2:
        bytes.erase(bytes.begin() + at, bytes.begin() + at + 1);
        break;
      case 3:
        bytes.insert(bytes.begin() + at, byte());
        break;
      default:
        bytes.resize(chance(50) ? below(bytes.size()) : bytes.size());
    }
  }
  return bytes;
}

void Fuzz::connect() {
  if (++port_ < kFirstPort) port_ = kFirstPort;
  ++connections;
  step_ = told_ = 0;
  peer.connect(port_, static_cast<std::uint32_t>(random_()));
  answers();
}

void Fuzz::sound() {
  switch (step_++) {
    case 0:
      peer.say(port_, noise(37));
      break;
    case 1:
      peer.say(port_, parameters());
      break;
    case 2:
      peer.datagram(port_, Peer::kServed, {'9', '8', '7', '6'});
      break;
    case 3:
      answers(static_cast<double>(below(100)));
      peer.say(port_, {kTestEnd});
      break;
    case 4:
      peer.say(port_, results());
      break;
    default:
      peer.say(port_, {kDone});
      step_ = 0;
  }
}

// Bytes of the connection that no client would send.
void Fuzz::hostile_bytes(unsigned kind) {
  constexpr std::uint64_t kLengths[] = {0,          1,          3,          4,          5,
                                        8187,       8188,       8189,       8192,       8193,
                                        0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFC, 0xFFFF};
  switch (kind) {
    case 0:
      return peer.say(port_, noise(1 + below(kMost)));
    case 1:
      return peer.say(port_, spoilt(step_ >= 4 ? results() : parameters()));
    case 2:
      return peer.say(port_,
                      announced(text(below(kMost - 4)), kLengths[below(std::size(kLengths))]));
    case 3: {
      const std::size_t bytes = below(kMost - 4);
      return peer.say(port_, announced(text(bytes), bytes));
    }
    case 4:
      return peer.say(port_, {byte()});
    case 5: {  // slowly
      Bytes all = step_ == 0 ? noise(37) : parameters();
      all.resize(std::min<std::size_t>(all.size(), 1 + below(12)));
      for (const std::uint8_t one : all) peer.say(port_, {one});
      return;
    }
    case 6: {  // as much as a message may be long, and more
      Bytes first = announced(text(kMost - 4), 8000 + below(400));
      peer.say(port_, first);
      for (std::uint64_t more = below(7); more > 0; --more) {
        answers();
        peer.say(port_, text(kMost));
      }
      return;
    }
    default: {  // nested, or a string without its end
      Bytes all(1 + below(kMost - 5), "{[\"\\"[below(4)]);
      all[0] = '{';
      return peer.say(port_, announced(all, all.size()));
    }
  }
}

// Frames that no client would send.
void Fuzz::hostile_frame(unsigned kind) {
  const auto flags = static_cast<std::uint8_t>(below(64));
  const auto ahead = static_cast<std::int32_t>(below(6000)) - 3000;
  switch (kind) {
    case 0:
      return peer.segment(port_, Peer::ack, noise(below(kMost)), ahead);
    case 1:
      return peer.segment(port_, flags, noise(below(100)));
    case 2:
      return peer.segment(port_, flags, {}, ahead);
    case 3: {  // headers spoilt, sums right again or not
      Bytes frame = peer.segment_frame(port_, Peer::ack | Peer::push, noise(below(200)));
      for (std::uint64_t changes = 1 + below(4); changes > 0; --changes)
        frame[12 + below(42)] = byte();
      // An address of somebody else's is none of this wire's.
      const Bytes sound = peer.segment_frame(port_, Peer::ack, {});
      std::copy(sound.begin() + 26, sound.begin() + 36, frame.begin() + 26);
      return peer.raw(chance(60) ? Peer::sound(frame) : frame);
    }
    case 4: {  // options
      Bytes frame = peer.segment_frame(port_, chance(50) ? Peer::syn : Peer::ack, noise(40));
      frame[46] = static_cast<std::uint8_t>((5 + below(11)) << 4U);
      return peer.raw(Peer::sound(frame));
    }
    case 5: {
      Bytes frame = peer.segment_frame(port_, Peer::ack, noise(below(kMost)));
      frame.resize(below(frame.size()));
      return peer.raw(frame);
    }
    case 6:
      return peer.raw(noise(1 + below(1600)));
    case 7:
      return peer.datagram(chance(50) ? port_ : static_cast<std::uint16_t>(below(65536)),
                           chance(80) ? Peer::kServed : static_cast<std::uint16_t>(below(65536)),
                           noise(chance(50) ? 4 : below(1473)));
    case 8:
      return peer.echo(noise(below(1473)));
    case 9: {  // ARP
      Bytes frame = noise(14 + below(64));
      std::fill(frame.begin(), frame.begin() + 6, std::uint8_t{0xFF});
      frame[12] = 8;
      frame[13] = 6;
      if (frame.size() > 41 && chance(50)) {
        const std::uint8_t head[] = {0, 1, 8, 0, 6, 4, 0, static_cast<std::uint8_t>(1 + below(2))};
        std::copy(std::begin(head), std::end(head), frame.begin() + 14);
      }
      return peer.raw(frame);
    }
    case 10:  // a window of nothing, or next to nothing
      peer.connections[port_].window = static_cast<std::uint16_t>(below(3) * below(20));
      return peer.segment(port_, Peer::ack, {});
    case 11: {  // a flood of beginnings
      for (std::uint64_t more = 1 + below(8); more > 0; --more) {
        ++connections;
        const auto port = static_cast<std::uint16_t>(20000 + below(10000));
        peer.connect(port, static_cast<std::uint32_t>(random_())).mute = chance(50);
      }
      return;
    }
    case 12:  // a second client
      connect();
      return;
    case 13:  // fragments
    {
      Bytes frame = peer.segment_frame(port_, Peer::ack, noise(64));
      frame[20] = static_cast<std::uint8_t>(byte() & 0x3FU);
      frame[21] = byte();
      return peer.raw(Peer::sound(frame));
    }
    default:
      if (!core_.waits()) return answers(kLong);  // a flow goes on, which takes long to simulate
      pass_(1000.0 * static_cast<double>(below(600)), true);
  }
}

void Fuzz::hostile() {
  constexpr unsigned kBytes = 8, kFrames = 15;
  const auto kind = static_cast<unsigned>(below(kBytes + kFrames));
  if (kind < kBytes) {
    hostile_bytes(kind);
  } else {
    hostile_frame(kind - kBytes);
  }
}

void Fuzz::drop() {
  switch (below(4)) {
    case 0:
      peer.segment(port_, Peer::fin | Peer::ack, {});
      ++peer.connections[port_].next;
      break;
    case 1:
      peer.segment(port_, Peer::rst | Peer::ack, {});
      break;
    default:
      break;  // left as it is
  }
  answers();
}

void Fuzz::episode(std::uint64_t count) {
  peer.connections.clear();
  connect();
  for (; count > 0; --count) {
    if (peer.connections[port_].over || told_ == kTalk) {
      if (told_ == kTalk) drop();
      connect();
    }
    ++told_;
    ++messages;
    if (chance(60)) {
      sound();
    } else {
      hostile();
    }
    if (chance(80)) answers();
  }
  // Whoever is left goes: twice, because the first says where the board really is.
  for (int turn = 0; turn < 2; ++turn) {
    for (auto& [port, one] : peer.connections) {
      one.next = one.taken;
      peer.segment(port, Peer::rst | Peer::ack, {});
      answers(kPatience);
    }
  }
  for (const auto& [port, one] : peer.connections) Peer::judge(one);
  peer.connections.clear();
}

void Fuzz::well_meant() {
  connect();
  answers(kPatience);
  if (const auto& one = peer.connections[port_]; !one.open || !one.said.empty()) {
    // Somebody is served, or there is no room: for as long as nobody is given up.
    pass_(kForgotten, true);
    connect();
  }
  const auto said = [&](std::uint8_t last) {
    answers(kPatience);
    const Bytes& all = peer.connections[port_].said;
    if (all.empty() || all.back() != last) throw Finding("the server does not serve any more");
  };
  peer.say(port_, Bytes(37, 'x'));
  said(9);
  const std::string asked = R"({"udp":1,"reverse":1,"len":64})";
  peer.say(port_, announced(bytes_of(asked), asked.size()));
  said(10);
  peer.datagram(port_, Peer::kServed, {'9', '8', '7', '6'});
  said(2);
  if (peer.datagrams == 0) throw Finding("the server sends no datagrams any more");
  peer.say(port_, {kTestEnd});
  said(13);
  peer.say(port_, announced(bytes_of("{}"), 2));
  said(14);
  Peer::judge(peer.connections[port_]);
  peer.say(port_, {kDone});
  answers(kPatience);
  if (!peer.connections[port_].over) throw Finding("the server does not close");
  peer.segment(port_, Peer::fin | Peer::ack, {});
  answers();
  ++clients;
}

void Fuzz::silent() {
  connect();
  peer.say(port_, noise(37));
  for (unsigned more = 0; more < kRoom; ++more) connect();
  pass_(kForgotten, true);
  for (const auto& [port, one] : peer.connections) {
    if (!one.over) throw Finding("a connection without a word is kept for ever");
  }
  peer.connections.clear();
}

void Fuzz::run(std::uint64_t count) {
  try {
    well_meant();
    silent();
    well_meant();
    core_.save();
    for (std::uint64_t number = 1; messages < count; ++number) {
      episode(std::min(kEpisode, count - messages));
      well_meant();
      if (number % kEpisodes == 0) {
        peer.connections.clear();
        core_.restore();
      }
    }
  } catch (const Finding& finding) {
    throw Finding("message " + std::to_string(messages) + ": " + finding.what());
  } catch (const std::exception& error) {
    throw Finding("message " + std::to_string(messages) + ": " + error.what());
  }
}

}  // namespace weighbridge::microcontroller
