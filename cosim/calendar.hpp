// SPDX-License-Identifier: Apache-2.0
//
// The calendar of a guest in external time travel (time-travel=ext:SOCKET): who owns its clock.
//
// The guest runs at one instant until it says that it waits, and asks for the instant at which it
// wants to run again. The holder of the calendar lets time pass meanwhile, and lets the guest run
// no later than at that instant.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>

#include <optional>

#include "vhost_user.hpp"

namespace weighbridge::cosim {

class Calendar {
 public:
  explicit Calendar(const std::string& path) : listener_(path) {}

  [[nodiscard]] int descriptor() const {
    return peer_.get() >= 0 ? peer_.get() : listener_.descriptor();
  }

  /// Serves one message, or the guest's coming, which must be there. False when it has gone.
  bool serve() {
    if (peer_.get() < 0) {
      peer_ = listener_.accept();
      return true;
    }
    Message message{};
    if (::recv(peer_.get(), &message, sizeof(message), MSG_WAITALL) != sizeof(message))
      return false;
    ++messages;
    std::uint64_t answer = 0;
    switch (message.op) {
      case ack:  // of a run()
        return true;
      case start:
        acknowledge_start(message.seq);
        return true;
      case request:
        requested = message.time;
        break;
      case wait:
        waiting = true;
        break;
      case get:
        answer = now;
        break;
      case update:
        now = message.time;
        break;
      default:  // the time of day: every run begins at the same
        break;
    }
    send({ack, message.seq, answer});
    return true;
  }

  /// Lets the guest, which waits, run at this instant.
  void run() {
    waiting = false;
    requested.reset();
    send({run_at, ++sequence_, now});
  }

  std::uint64_t now = 0;                   ///< ns
  std::optional<std::uint64_t> requested;  ///< when the guest wants to run, if it has said so
  bool waiting = false;
  std::uint64_t messages = 0;

 private:
  struct Message {
    std::uint32_t op, seq;
    std::uint64_t time;
  };
  enum : std::uint32_t { ack, start, request, wait, get, update, run_at };

  void send(const Message& message) {
    if (::send(peer_.get(), &message, sizeof(message), MSG_NOSIGNAL) != sizeof(message) &&
        errno != EPIPE && errno != ECONNRESET)
      throw TransportError("the guest does not take its time");
  }

  /// Two files go with it, of shared memory and of a log: the guest closes them, used or not.
  void acknowledge_start(std::uint32_t seq) {
    const Descriptor memory(::memfd_create("calendar", MFD_CLOEXEC));
    const Descriptor log(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    if (memory.get() < 0 || log.get() < 0 || ::ftruncate(memory.get(), 4096) != 0)
      throw TransportError("no files for the calendar");
    Message message{ack, seq, 0};
    iovec part{&message, sizeof(message)};
    const int files[2] = {memory.get(), log.get()};
    alignas(cmsghdr) std::array<std::uint8_t, CMSG_SPACE(sizeof(files))> control{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(files));
    std::memcpy(CMSG_DATA(rights), files, sizeof(files));
    if (::sendmsg(peer_.get(), &header, MSG_NOSIGNAL) != sizeof(message))
      throw TransportError("the guest does not take its calendar");
  }

  Listener listener_;
  Descriptor peer_;
  std::uint32_t sequence_ = 0;
};

}  // namespace weighbridge::cosim
