// SPDX-License-Identifier: Apache-2.0
//
// Back end of vhost-user for one User-Mode Linux guest: memory, two queues, notifications in band.
//
// In band (VHOST_USER_PROTOCOL_F_INBAND_NOTIFICATIONS) a kick is a message that the guest waits
// for, so an access to a register is over before the guest goes on, however long the logic takes.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace weighbridge::cosim {

struct TransportError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_ = -1;
};

/// A socket file for one peer. It is removed once the peer has come, or when none will.
class Listener {
 public:
  explicit Listener(const std::string& path) : path_(path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path))
      throw TransportError("the name of the socket is longer than 107 characters: " + path);
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    socket_ = Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) < 0 ||
        ::listen(socket_.get(), 1) < 0)
      throw TransportError("cannot listen at " + path + ": " + std::strerror(errno));
    bound_ = true;
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() {
    if (bound_) ::unlink(path_.c_str());
  }

  [[nodiscard]] int descriptor() const { return socket_.get(); }

  Descriptor accept() {
    Descriptor peer(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (peer.get() < 0) throw TransportError("cannot accept at " + path_);
    return peer;
  }

 private:
  std::string path_;
  Descriptor socket_;
  bool bound_ = false;
};

/// The guest's memory as far as it is shared. What lies outside is no memory for a device.
class GuestMemory {
 public:
  GuestMemory() = default;
  GuestMemory(const GuestMemory&) = delete;
  GuestMemory& operator=(const GuestMemory&) = delete;
  ~GuestMemory() { clear(); }

  /// Where `bytes` from `address` on are, or nullptr if not all of them are memory.
  [[nodiscard]] std::uint8_t* at(std::uint64_t address, std::uint64_t bytes) const {
    for (const Region& region : regions_)
      if (address >= region.base && bytes <= region.bytes &&
          address - region.base <= region.bytes - bytes)
        return region.start + (address - region.base);
    return nullptr;
  }

  void map(std::uint64_t base, std::uint64_t bytes, std::uint64_t offset, const Descriptor& file) {
    void* start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(),
                         static_cast<off_t>(offset));
    if (start == MAP_FAILED) throw TransportError("the guest's memory cannot be mapped");
    regions_.push_back({base, bytes, static_cast<std::uint8_t*>(start)});
  }

  void clear() {
    for (const Region& region : regions_) ::munmap(region.start, region.bytes);
    regions_.clear();
  }

 private:
  struct Region {
    std::uint64_t base, bytes;
    std::uint8_t* start;
  };
  std::vector<Region> regions_;
};

/// A split ring, seen from the device. While the device looks at the ring the guest stands still,
/// or it has published with a barrier what the device takes.
class Virtqueue {
 public:
  struct Buffer {
    std::uint16_t id = 0;
    std::vector<std::span<const std::uint8_t>> in;  ///< to the device
    std::span<std::uint8_t> out;                    ///< from the device
  };

  std::optional<Buffer> take(const GuestMemory& memory) {
    if (available_ == nullptr || !enabled) return std::nullopt;
    const std::uint16_t head = __atomic_load_n(available_ + 1, __ATOMIC_ACQUIRE);
    if (head == next_) return std::nullopt;
    Buffer buffer;
    buffer.id = available_[2 + next_ % size];
    ++next_;
    for (std::uint16_t at = buffer.id;;) {
      if (at >= size) throw TransportError("a descriptor outside the ring");
      const Entry& entry = entries_[at];
      std::uint8_t* data = memory.at(entry.address, entry.bytes);
      if (data == nullptr) throw TransportError("a message outside the guest's memory");
      if ((entry.flags & 2U) != 0)
        buffer.out = {data, entry.bytes};
      else
        buffer.in.emplace_back(data, entry.bytes);
      if ((entry.flags & 1U) == 0) return buffer;
      at = entry.next;
      if (buffer.in.size() > size) throw TransportError("descriptors in a circle");
    }
  }

  void give_back(std::uint16_t id, std::uint32_t written) {
    const std::uint16_t place = used_[1];
    std::uint32_t element[2] = {id, written};
    std::memcpy(used_ + 2 + std::size_t{place} % size * 4, element, sizeof(element));
    __atomic_store_n(used_ + 1, static_cast<std::uint16_t>(place + 1), __ATOMIC_RELEASE);
  }

  void place(const GuestMemory& memory, std::uint64_t entries, std::uint64_t used,
             std::uint64_t available) {
    entries_ = reinterpret_cast<Entry*>(memory.at(entries, std::uint64_t{16} * size));
    available_ = reinterpret_cast<std::uint16_t*>(memory.at(available, 6 + 2 * size));
    used_ = reinterpret_cast<std::uint16_t*>(memory.at(used, 6 + 8 * size));
    if (entries_ == nullptr || available_ == nullptr || used_ == nullptr)
      throw TransportError("a ring outside the guest's memory");
  }

  std::uint16_t size = 0;
  bool enabled = false;
  [[nodiscard]] std::uint16_t next() const { return next_; }
  void start_at(std::uint16_t next) { next_ = next; }

 private:
  struct Entry {
    std::uint64_t address;
    std::uint32_t bytes;
    std::uint16_t flags, next;
  };
  Entry* entries_ = nullptr;
  std::uint16_t *available_ = nullptr, *used_ = nullptr;
  std::uint16_t next_ = 0;
};

class VhostUser {
 public:
  /// `kicked` is called with the number of a queue; the guest waits until it returns.
  VhostUser(const std::string& path, std::function<void(unsigned)> kicked)
      : listener_(path), kicked_(std::move(kicked)) {}

  [[nodiscard]] bool connected() const { return peer_.get() >= 0; }
  /// To be polled for what serve() takes.
  [[nodiscard]] int descriptor() const {
    return connected() ? peer_.get() : listener_.descriptor();
  }
  /// Where the guest answers calls, -1 before it has said so.
  [[nodiscard]] int back_channel() const { return back_.get(); }

  /// Serves one message, or the guest's coming, which must be there. False when it has gone.
  bool serve() {
    if (!connected()) {
      peer_ = listener_.accept();
      return true;
    }
    Header header{};
    std::vector<Descriptor> files;
    if (!receive(&header, sizeof(header), &files)) return false;
    Payload payload{};
    if (header.bytes > sizeof(payload)) throw TransportError("a message that is too long");
    if (header.bytes > 0 && !receive(&payload, header.bytes, &files)) return false;
    handle(header, payload, files);
    return true;
  }

  /// Tells the guest that a queue has something for it. With `acknowledged`, the guest will answer
  /// on the back channel; see take_acknowledgement(). Otherwise the device does not wait for the
  /// guest, which may be waiting itself: a call that finds no room is left out, because the calls
  /// before it say the same. Only one queue may be called.
  void call(unsigned queue, bool acknowledged) {
    if (back_.get() < 0) return;
    struct {
      Header header;
      std::uint32_t index, number;
    } message{{4, version | (acknowledged ? need_reply : 0U), 8}, queue, 0};
    const int flags = MSG_NOSIGNAL | (acknowledged ? 0 : MSG_DONTWAIT);
    if (::send(back_.get(), &message, sizeof(message), flags) != sizeof(message) &&
        errno != EPIPE && errno != ECONNRESET && errno != EAGAIN)
      throw TransportError("the guest cannot be interrupted");
  }

  bool take_acknowledgement() {
    std::array<std::uint8_t, sizeof(Header) + 8> answer{};
    return ::recv(back_.get(), answer.data(), answer.size(), MSG_WAITALL) ==
           static_cast<ssize_t>(answer.size());
  }

  GuestMemory memory;
  std::array<Virtqueue, 2> queues;

 private:
  struct Header {
    std::uint32_t request, flags, bytes;
  };
  union Payload {
    std::uint64_t number;
    struct {
      std::uint32_t index, value;
    } state;
    struct {
      std::uint32_t index, flags;
      std::uint64_t entries, used, available, log;
    } address;
    struct {
      std::uint32_t count, padding;
      struct {
        std::uint64_t base, bytes, user, offset;
      } region[8];
    } table;
  };
  static constexpr std::uint32_t version = 1, reply = 4, need_reply = 8;
  static constexpr std::uint64_t features = 1ULL << 32U | 1ULL << 30U;  // version 1, protocol
  // Acknowledgements, the back channel, notifications in band.
  static constexpr std::uint64_t protocol = 1ULL << 3U | 1ULL << 5U | 1ULL << 14U;

  bool receive(void* to, std::size_t bytes, std::vector<Descriptor>* files) {
    auto* at = static_cast<std::uint8_t*>(to);
    while (bytes > 0) {
      iovec part{at, bytes};
      alignas(cmsghdr) std::array<std::uint8_t, CMSG_SPACE(8 * sizeof(int))> control{};
      msghdr message{};
      message.msg_iov = &part;
      message.msg_iovlen = 1;
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      const ssize_t got = ::recvmsg(peer_.get(), &message, MSG_CMSG_CLOEXEC);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
        for (std::size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++i) {
          int fd = -1;
          std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
          files->emplace_back(fd);
        }
      }
      at += got;
      bytes -= static_cast<std::size_t>(got);
    }
    return true;
  }

  void answer(std::uint32_t request, const void* data, std::uint32_t bytes) {
    struct {
      Header header;
      std::array<std::uint8_t, 16> data;
    } message{{request, version | reply, bytes}, {}};
    std::memcpy(message.data.data(), data, bytes);
    const auto whole = static_cast<ssize_t>(sizeof(Header) + bytes);
    if (::send(peer_.get(), &message, static_cast<std::size_t>(whole), MSG_NOSIGNAL) != whole &&
        errno != EPIPE && errno != ECONNRESET)
      throw TransportError("the guest does not take an answer");
  }

  Virtqueue& queue(std::uint64_t index) {
    if (index >= queues.size()) throw TransportError("a queue that there is not");
    return queues[index];
  }

  void handle(const Header& header, const Payload& payload, std::vector<Descriptor>& files) {
    switch (header.request) {
      case 1:  // GET_FEATURES
        return answer(1, &features, 8);
      case 15:  // GET_PROTOCOL_FEATURES
        return answer(15, &protocol, 8);
      case 5:  // SET_MEM_TABLE
        memory.clear();
        if (payload.table.count > 8 || files.size() < payload.table.count)
          throw TransportError("a memory table without its files");
        for (std::uint32_t i = 0; i < payload.table.count; ++i) {
          const auto& region = payload.table.region[i];
          memory.map(region.base, region.bytes, region.offset, files[i]);
        }
        break;
      case 8:  // SET_VRING_NUM
        queue(payload.state.index).size = static_cast<std::uint16_t>(payload.state.value);
        break;
      case 9:  // SET_VRING_ADDR
        queue(payload.address.index)
            .place(memory, payload.address.entries, payload.address.used,
                   payload.address.available);
        break;
      case 10:  // SET_VRING_BASE
        queue(payload.state.index).start_at(static_cast<std::uint16_t>(payload.state.value));
        break;
      case 11: {  // GET_VRING_BASE
        const std::uint32_t base[2] = {payload.state.index, queue(payload.state.index).next()};
        queue(payload.state.index).enabled = false;
        return answer(11, base, 8);
      }
      case 18:  // SET_VRING_ENABLE
        queue(payload.state.index).enabled = payload.state.value != 0;
        break;
      case 21:  // SET_SLAVE_REQ_FD
        if (!files.empty()) back_ = std::move(files[0]);
        break;
      case 35:  // VRING_KICK
        kicked_(payload.state.index);
        break;
      default:
        break;
    }
    const std::uint64_t success = 0;
    if ((header.flags & need_reply) != 0) answer(header.request, &success, 8);
  }

  Listener listener_;
  Descriptor peer_, back_;
  std::function<void(unsigned)> kicked_;
};

}  // namespace weighbridge::cosim
