// SPDX-License-Identifier: GPL-2.0-only
#include "window.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>

#include "stopped.hpp"

namespace weighbridge::microcontroller {

struct Window::Calls {
  decltype(&fmc_open) open;
  decltype(&fmc_close) close;
  decltype(&fmc_write) write;
  decltype(&fmc_read) read;
  decltype(&fmc_run) run;
  decltype(&fmc_frame) frame;
  decltype(&fmc_arrive) arrive;
  decltype(&fmc_ready) ready;
  decltype(&fmc_quiet) quiet;
  decltype(&fmc_fault) fault;
};

Window::Window(const std::string& library, Component& bus, Clock bus_clock, Time wire_period)
    : bus_(bus), clock_(bus_clock), calls_(new Calls{}) {
  library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw std::invalid_argument(std::string("no logic: ") + dlerror());
  const auto find = [&](auto& call, const char* name) {
    call = reinterpret_cast<std::remove_reference_t<decltype(call)>>(dlsym(library_, name));
    if (call == nullptr) throw std::invalid_argument(library + " has no " + name);
  };
  find(calls_->open, "fmc_open");
  find(calls_->close, "fmc_close");
  find(calls_->write, "fmc_write");
  find(calls_->read, "fmc_read");
  find(calls_->run, "fmc_run");
  find(calls_->frame, "fmc_frame");
  find(calls_->arrive, "fmc_arrive");
  find(calls_->ready, "fmc_ready");
  find(calls_->quiet, "fmc_quiet");
  find(calls_->fault, "fmc_fault");
  logic_ = calls_->open(bus_clock.period(), wire_period, 1);
}

Window::~Window() {
  if (logic_ != nullptr) calls_->close(logic_);
  delete calls_;
}

Time Window::done(Time at, Time logic, bool write, unsigned bits) {
  const Reply reply =
      bus_.access({.address = 0, .bytes = bits / 8, .beat_bytes = bits / 8, .write = write}, at);
  const Time twin = reply.accepted;
  const Time by_logic = logic - std::max(at, logic_free_);
  const Time by_engine = twin - std::max(at, twin_free_);
  logic_free_ = logic;
  twin_free_ = twin;
  ++accesses;
  logic_busy += by_logic;
  twin_busy += by_engine;
  if (std::abs(by_logic - by_engine) > clock_.period()) ++apart;
  look();
  return by_twin ? twin : logic;
}

Time Window::write(Time at, std::uint32_t offset, unsigned bits, std::uint64_t data) {
  Time taken = at;
  const std::size_t words = bits > 32 ? 2 : 1;
  while (waiting_.size() + words > kFifo) {
    taken = std::max(taken, waiting_.front());
    waiting_.pop_front();
  }
  const Time over = done(taken, calls_->write(logic_, taken, offset, data, bits), true, bits);
  waiting_.insert(waiting_.end(), words, over);
  while (waiting_.front() < taken) waiting_.pop_front();
  return taken;
}

Time Window::read(Time at, std::uint32_t offset, unsigned bits, std::uint64_t& value) {
  return done(at, calls_->read(logic_, at, offset, bits, &value), false, bits);
}

void Window::run(Time until) {
  calls_->run(logic_, until);
  look();
}

void Window::arrive(Time at, const Bytes& frame) {
  calls_->arrive(logic_, at, frame.data(), static_cast<unsigned>(frame.size()));
}

bool Window::ready() const { return calls_->ready(logic_) != 0; }
bool Window::quiet() const { return calls_->quiet(logic_) != 0; }

void Window::look() {
  std::array<std::uint8_t, 1518> bytes;
  Time end = 0;
  while (const unsigned length = calls_->frame(logic_, bytes.data(), &end)) {
    if (sent) sent({{bytes.begin(), bytes.begin() + length}, end});
  }
  if (const char* fault = calls_->fault(logic_)) throw Stopped(std::string("the logic: ") + fault);
}

}  // namespace weighbridge::microcontroller
