// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The engine as the Python module weighbridge._engine.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <utility>

#include "core/kinds.hpp"
#include "core/system.hpp"
#include "pl330/copy_program.hpp"
#include "pl330/microcode.hpp"
#include "programs/device_transfer.hpp"
#include "programs/engine_copy.hpp"
#include "programs/fabric_transfer.hpp"
#include "programs/frames.hpp"
#include "programs/loads.hpp"
#include "programs/port_load.hpp"
#include "programs/stream.hpp"
#include "programs/transfer.hpp"
#include "programs/word_transfer.hpp"

namespace nb = nanobind;
using namespace weighbridge;  // NOLINT: a binding names everything

namespace {

std::span<const std::uint8_t> view(const nb::bytes& code) {
  return {reinterpret_cast<const std::uint8_t*>(code.c_str()), code.size()};
}

nb::bytes bytes(const std::vector<std::uint8_t>& code) {
  return nb::bytes(code.data(), code.size());
}

// The phases at once, for whoever reads all of them: a call for each number takes longer than many
// an answer.
nb::list told(const Outcome& outcome) {
  nb::list phases;
  for (const Phase& phase : outcome.phases) {
    nb::list uses;
    for (const ComponentUse& use : phase.components) {
      uses.append(nb::make_tuple(use.name, use.transactions, use.bytes, use.busy, use.waiting));
    }
    phases.append(
        nb::make_tuple(phase.name, phase.seconds, phase.processor, phase.moves, std::move(uses)));
  }
  return phases;
}

Outcome with_trace(System& system, Outcome outcome) {
  outcome.trace = traced(system);
  return outcome;
}

}  // namespace

NB_MODULE(_engine, m) {
  m.doc() = "Transaction-level engine of the twin; units: nanoseconds, cycles, bytes, MHz.";

  nb::class_<WindowSpec>(m, "Window")
      .def(nb::init<>())
      .def_rw("target", &WindowSpec::target)
      .def_rw("base", &WindowSpec::base)
      .def_rw("bytes", &WindowSpec::bytes);
  nb::class_<ComponentSpec>(m, "Component")
      .def(nb::init<>())
      .def_rw("name", &ComponentSpec::name)
      .def_rw("kind", &ComponentSpec::kind)
      .def_rw("clock", &ComponentSpec::clock)
      .def_rw("numbers", &ComponentSpec::numbers)
      .def_rw("choices", &ComponentSpec::choices)
      .def_rw("to", &ComponentSpec::to)
      .def_rw("windows", &ComponentSpec::windows)
      .def_rw("ideal", &ComponentSpec::ideal);
  nb::class_<Range>(m, "Range")
      .def_ro("least", &Range::least)
      .def_ro("most", &Range::most)
      .def_ro("power", &Range::power)
      .def_ro("standard", &Range::standard)
      .def_ro("among", &Range::among);
  nb::enum_<Dimension>(m, "Dimension")
      .value("time", Dimension::time)
      .value("cycles", Dimension::cycles)
      .value("bytes", Dimension::bytes)
      .value("count", Dimension::count)
      .value("choice", Dimension::choice)
      .value("flag", Dimension::flag);
  nb::class_<Field>(m, "Field")
      .def_ro("name", &Field::name)
      .def_ro("meaning", &Field::meaning)
      .def_ro("dimension", &Field::dimension)
      .def_ro("whole", &Field::whole)
      .def_ro("range", &Field::range)
      .def_ro("words", &Field::words);
  nb::class_<Moves>(m, "Moves")
      .def_ro("chunked", &Moves::chunked)
      .def_ro("ported", &Moves::ported)
      .def_ro("through", &Moves::through);
  nb::class_<Kind>(m, "Kind")
      .def_ro("name", &Kind::name)
      .def_ro("neighbours", &Kind::neighbours)
      .def_ro("fields", &Kind::fields)
      .def_ro("moves", &Kind::moves)
      .def_prop_ro("master", &Kind::master);
  nb::class_<Description>(m, "Description")
      .def(nb::init<>())
      .def_rw("reference_clock", &Description::reference_clock)
      .def_rw("clocks_mhz", &Description::clocks_mhz)
      .def_rw("components", &Description::components)
      .def_rw("trace_slices", &Description::trace_slices);
  nb::class_<Buffer>(m, "Buffer")
      .def(nb::init<>())
      .def_rw("base", &Buffer::base)
      .def_rw("frames", &Buffer::frames)
      .def_rw("inner", &Buffer::inner)
      .def_rw("outer", &Buffer::outer)
      .def_rw("ordered", &Buffer::ordered)
      .def_rw("allocate", &Buffer::allocate);
  nb::class_<DmaSoftware>(m, "DmaSoftware")
      .def(nb::init<>())
      .def_rw("start_work", &DmaSoftware::start_work)
      .def_rw("start_device", &DmaSoftware::start_device)
      .def_rw("poll_work", &DmaSoftware::poll_work)
      .def_rw("poll_device", &DmaSoftware::poll_device)
      .def_rw("poll_lead", &DmaSoftware::poll_lead)
      .def_rw("dummy_work", &DmaSoftware::dummy_work)
      .def_rw("dummy_lead", &DmaSoftware::dummy_lead)
      .def_rw("dummy_interval", &DmaSoftware::dummy_interval)
      .def_rw("fetch", &DmaSoftware::fetch)
      .def_rw("system_call", &DmaSoftware::system_call)
      .def_rw("prepare", &DmaSoftware::prepare)
      .def_rw("prepare_instruction", &DmaSoftware::prepare_instruction)
      .def_rw("prepare_burst", &DmaSoftware::prepare_burst)
      .def_rw("slowdown", &DmaSoftware::slowdown)
      .def_rw("burst", &DmaSoftware::burst)
      .def_rw("beat", &DmaSoftware::beat)
      .def_rw("early_end", &DmaSoftware::early_end)
      .def_rw("bufferable", &DmaSoftware::bufferable);
  nb::enum_<Consume>(m, "Consume")
      .value("none", Consume::none)
      .value("stream", Consume::stream)
      .value("random", Consume::random);
  nb::enum_<PortSchedule::First>(m, "First")
      .value("processor", PortSchedule::First::processor)
      .value("by_weight", PortSchedule::First::by_weight)
      .value("other", PortSchedule::First::other);
  nb::class_<PortSchedule>(m, "PortSchedule")
      .def(nb::init<>())
      .def_rw("first", &PortSchedule::first)
      .def_rw("weight", &PortSchedule::weight);
  nb::class_<TransferJob>(m, "TransferJob")
      .def(nb::init<>())
      .def(nb::init<const TransferJob&>())
      .def_rw("to_fabric", &TransferJob::to_fabric)
      .def_rw("bytes", &TransferJob::bytes)
      .def_rw("chunk_bytes", &TransferJob::chunk_bytes)
      .def_rw("fabric", &TransferJob::fabric)
      .def_rw("processor", &TransferJob::processor)
      .def_rw("master", &TransferJob::master)
      .def_rw("inner_enabled", &TransferJob::inner_enabled)
      .def_rw("outer_enabled", &TransferJob::outer_enabled)
      .def_rw("instruction_cache", &TransferJob::instruction_cache)
      .def_rw("inner_cache", &TransferJob::inner_cache)
      .def_rw("outer_cache", &TransferJob::outer_cache)
      .def_rw("locked_processor", &TransferJob::locked_processor)
      .def_rw("locked_coherent", &TransferJob::locked_coherent)
      .def_rw("lock_prepared", &TransferJob::lock_prepared)
      .def_rw("buffer", &TransferJob::buffer)
      .def_rw("fabric_ordered", &TransferJob::fabric_ordered)
      .def_rw("word_loop", &TransferJob::word_loop)
      .def_rw("checked_bytes", &TransferJob::checked_bytes)
      .def_rw("kernel_footprint", &TransferJob::kernel_footprint)
      .def_rw("through_kernel", &TransferJob::through_kernel)
      .def_rw("kernel", &TransferJob::kernel)
      .def_rw("memory_window", &TransferJob::memory_window)
      .def_rw("prepared", &TransferJob::prepared)
      .def_rw("software", &TransferJob::software)
      .def_rw("dummy_traffic", &TransferJob::dummy_traffic)
      .def_rw("memory", &TransferJob::memory)
      .def_rw("schedule", &TransferJob::schedule)
      .def_rw("poll_samples", &TransferJob::poll_samples)
      .def_rw("consume", &TransferJob::consume);
  nb::class_<ComponentUse>(m, "ComponentUse")
      .def_ro("name", &ComponentUse::name)
      .def_ro("transactions", &ComponentUse::transactions)
      .def_ro("bytes", &ComponentUse::bytes)
      .def_ro("busy", &ComponentUse::busy)
      .def_ro("waiting", &ComponentUse::waiting);
  nb::class_<Phase>(m, "Phase")
      .def(nb::init<>())
      .def_rw("name", &Phase::name)
      .def_rw("seconds", &Phase::seconds)
      .def_rw("components", &Phase::components)
      .def_rw("processor", &Phase::processor)
      .def_rw("moves", &Phase::moves);
  nb::class_<TracedSlice>(m, "TracedSlice")
      .def_ro("component", &TracedSlice::component)
      .def_ro("start", &TracedSlice::start)
      .def_ro("busy", &TracedSlice::busy)
      .def_ro("waiting", &TracedSlice::waiting)
      .def_ro("bytes", &TracedSlice::bytes)
      .def_ro("write", &TracedSlice::write);
  nb::class_<TracedPhase>(m, "TracedPhase")
      .def_ro("name", &TracedPhase::name)
      .def_ro("start", &TracedPhase::start)
      .def_ro("seconds", &TracedPhase::seconds);
  nb::class_<Traced>(m, "Traced")
      .def_ro("components", &Traced::components)
      .def_ro("slices", &Traced::slices)
      .def_ro("phases", &Traced::phases)
      .def_ro("dropped", &Traced::dropped);
  nb::class_<Outcome>(m, "Outcome")
      .def(nb::init<>())
      .def_rw("seconds", &Outcome::seconds)
      .def_rw("phases", &Outcome::phases)
      .def("told", &told,
           nb::sig("def told(self) -> list[tuple[str, float, bool, bool, "
                   "list[tuple[str, int, int, float, float]]]]"),
           "Name, seconds, processor and moves of each phase; of its components the name, "
           "transactions, bytes, and seconds busy and waiting.")
      .def_ro("samples", &Outcome::samples)
      .def_ro("repeats", &Outcome::repeats)
      .def_ro("trace", &Outcome::trace)
      .def_ro("preparation", &Outcome::preparation);

  m.def(
      "transfer",
      [](const Description& description, const TransferJob& job) {
        System system(description);
        return with_trace(system, transfer(system, job));
      },
      nb::arg("description"), nb::arg("job"), nb::call_guard<nb::gil_scoped_release>(),
      "One timed transfer on a system built from the description.");

  nb::class_<FabricPort>(m, "FabricPort")
      .def(nb::init<>())
      .def_rw("component", &FabricPort::component)
      .def_rw("memory_window", &FabricPort::memory_window)
      .def_rw("run_beats", &FabricPort::run_beats);
  nb::class_<FabricJob>(m, "FabricJob")
      .def(nb::init<>())
      .def(nb::init<const FabricJob&>())
      .def_rw("to_fabric", &FabricJob::to_fabric)
      .def_rw("bytes", &FabricJob::bytes)
      .def_rw("beat_bytes", &FabricJob::beat_bytes)
      .def_rw("ports", &FabricJob::ports)
      .def_rw("controller", &FabricJob::controller)
      .def_rw("processor", &FabricJob::processor)
      .def_rw("control", &FabricJob::control)
      .def_rw("buffer_align", &FabricJob::buffer_align)
      .def_rw("outer_enabled", &FabricJob::outer_enabled)
      .def_rw("outer_cache", &FabricJob::outer_cache)
      .def_rw("buffer", &FabricJob::buffer)
      .def_rw("through_kernel", &FabricJob::through_kernel)
      .def_rw("kernel", &FabricJob::kernel)
      .def_rw("kernel_stride", &FabricJob::kernel_stride)
      .def_rw("allocate", &FabricJob::allocate)
      .def_rw("ordered_control", &FabricJob::ordered_control)
      .def_rw("base", &FabricJob::base)
      .def_rw("start_work", &FabricJob::start_work)
      .def_rw("poll_work", &FabricJob::poll_work)
      .def_rw("poll_lead", &FabricJob::poll_lead)
      .def_rw("phase", &FabricJob::phase)
      .def_rw("next_work", &FabricJob::next_work)
      .def_rw("drain", &FabricJob::drain)
      .def_rw("system_call", &FabricJob::system_call)
      .def_rw("consume", &FabricJob::consume);

  m.def(
      "fabric_transfer",
      [](const Description& description, const FabricJob& job) {
        System system(description);
        return with_trace(system, fabric_transfer(system, job));
      },
      nb::arg("description"), nb::arg("job"), nb::call_guard<nb::gil_scoped_release>(),
      "One timed transfer by DMA controllers in the fabric.");

  nb::class_<Frame>(m, "Frame")
      .def(nb::init<>())
      .def_rw("bytes", &Frame::bytes)
      .def_rw("prepare", &Frame::prepare);
  nb::class_<FrameJob>(m, "FrameJob")
      .def(nb::init<>())
      .def_rw("frames", &FrameJob::frames)
      .def_rw("master", &FrameJob::master)
      .def_rw("target", &FrameJob::target)
      .def_rw("store", &FrameJob::store)
      .def_rw("copy_word", &FrameJob::copy_word)
      .def_rw("start", &FrameJob::start)
      .def_rw("node", &FrameJob::node)
      .def_rw("word", &FrameJob::word)
      .def_rw("overlapped", &FrameJob::overlapped)
      .def_rw("outstanding", &FrameJob::outstanding)
      .def_rw("single", &FrameJob::single);

  m.def(
      "transmit",
      [](const Description& description, const FrameJob& job) {
        System system(description);
        return with_trace(system, transmit(system, job));
      },
      nb::arg("description"), nb::arg("job"), nb::call_guard<nb::gil_scoped_release>(),
      "One message of a steady flow to a transmitter in the fabric.");
  nb::enum_<Loop>(m, "Loop")
      .value("chain", Loop::chain)
      .value("read", Loop::read)
      .value("write", Loop::write)
      .value("copy", Loop::copy);
  nb::class_<LoadJob>(m, "LoadJob")
      .def(nb::init<>())
      .def_rw("loop", &LoadJob::loop)
      .def_rw("core", &LoadJob::core)
      .def_rw("port", &LoadJob::port)
      .def_rw("base", &LoadJob::base)
      .def_rw("working_set", &LoadJob::working_set)
      .def_rw("stride", &LoadJob::stride)
      .def_rw("cached", &LoadJob::cached)
      .def_rw("held", &LoadJob::held)
      .def_rw("hog", &LoadJob::hog)
      .def_rw("single", &LoadJob::single)
      .def_rw("seed", &LoadJob::seed)
      .def_rw("runs", &LoadJob::runs);
  nb::class_<CopyEngineJob>(m, "CopyEngineJob")
      .def(nb::init<>())
      .def_rw("master", &CopyEngineJob::master)
      .def_rw("source", &CopyEngineJob::source)
      .def_rw("target", &CopyEngineJob::target)
      .def_rw("bytes", &CopyEngineJob::bytes);

  m.def(
      "load_loop",
      [](const Description& description, const LoadJob& job) {
        System system(description);
        return with_trace(system, load_loop(system, job));
      },
      nb::arg("description"), nb::arg("job"), nb::call_guard<nb::gil_scoped_release>(),
      "A loop of loads or stores over a working set.");
  m.def(
      "engine_copy",
      [](const Description& description, const CopyEngineJob& job) {
        System system(description);
        return with_trace(system, engine_copy(system, job));
      },
      nb::arg("description"), nb::arg("job"), nb::call_guard<nb::gil_scoped_release>(),
      "A block by a DMA engine that reads and writes over one bus.");

  nb::class_<DeviceJob>(m, "DeviceJob")
      .def(nb::init<>())
      .def_rw("bytes", &DeviceJob::bytes)
      .def_rw("reads", &DeviceJob::reads)
      .def_rw("writes", &DeviceJob::writes)
      .def_rw("latency", &DeviceJob::latency)
      .def_rw("single", &DeviceJob::single)
      .def_rw("master", &DeviceJob::master)
      .def_rw("memory", &DeviceJob::memory);

  m.def(
      "device_transfer",
      [](const Description& description, const DeviceJob& job) {
        System system(description);
        return with_trace(system, device_transfer(system, job));
      },
      nb::arg("description"), nb::arg("job"), nb::call_guard<nb::gil_scoped_release>(),
      "One request of a device's steady flow, or its latency.");

  nb::class_<DriverCall>(m, "DriverCall")
      .def(nb::init<>())
      .def_rw("call", &DriverCall::call)
      .def_rw("work", &DriverCall::work)
      .def_rw("reads", &DriverCall::reads)
      .def_rw("writes", &DriverCall::writes);
  nb::class_<StreamJob>(m, "StreamJob")
      .def(nb::init<>())
      .def_rw("to_fabric", &StreamJob::to_fabric)
      .def_rw("duplex", &StreamJob::duplex)
      .def_rw("bytes", &StreamJob::bytes)
      .def_rw("pieces", &StreamJob::pieces)
      .def_rw("blocks", &StreamJob::blocks)
      .def_rw("streams", &StreamJob::streams)
      .def_rw("master", &StreamJob::master)
      .def_rw("logic", &StreamJob::logic)
      .def_rw("every_cycle", &StreamJob::every_cycle)
      .def_rw("single", &StreamJob::single)
      .def_rw("without", &StreamJob::without)
      .def_rw("port", &StreamJob::port)
      .def_rw("window", &StreamJob::window)
      .def_rw("processor", &StreamJob::processor)
      .def_rw("control", &StreamJob::control)
      .def_rw("inner_cache", &StreamJob::inner_cache)
      .def_rw("outer_cache", &StreamJob::outer_cache)
      .def_rw("block", &StreamJob::block)
      .def_rw("copies", &StreamJob::copies)
      .def_rw("user", &StreamJob::user)
      .def_rw("maintain", &StreamJob::maintain)
      .def_rw("clean", &StreamJob::clean)
      .def_rw("invalidate", &StreamJob::invalidate)
      .def_rw("maintain_call", &StreamJob::maintain_call)
      .def_rw("resident_bytes", &StreamJob::resident_bytes)
      .def_rw("polling", &StreamJob::polling)
      .def_rw("enqueue_to_fabric", &StreamJob::enqueue_to_fabric)
      .def_rw("dequeue_to_fabric", &StreamJob::dequeue_to_fabric)
      .def_rw("enqueue_from_fabric", &StreamJob::enqueue_from_fabric)
      .def_rw("dequeue_from_fabric", &StreamJob::dequeue_from_fabric)
      .def_rw("wait", &StreamJob::wait)
      .def_rw("consume", &StreamJob::consume);
  nb::class_<WordJob>(m, "WordJob")
      .def(nb::init<>())
      .def_rw("to_fabric", &WordJob::to_fabric)
      .def_rw("words", &WordJob::words)
      .def_rw("node", &WordJob::node)
      .def_rw("interval", &WordJob::interval)
      .def_rw("processor", &WordJob::processor)
      .def_rw("control", &WordJob::control)
      .def_rw("waits", &WordJob::waits)
      .def_rw("call", &WordJob::call)
      .def_rw("wait", &WordJob::wait);

  m.def(
      "stream",
      [](const Description& description, const StreamJob& job) {
        System system(description);
        return with_trace(system, stream(system, job));
      },
      nb::arg("description"), nb::arg("job"), nb::call_guard<nb::gil_scoped_release>(),
      "One block of a stream in its steady state.");
  m.def(
      "word_transfer",
      [](const Description& description, const WordJob& job) {
        System system(description);
        return with_trace(system, word_transfer(system, job));
      },
      nb::arg("description"), nb::arg("job"), nb::call_guard<nb::gil_scoped_release>(),
      "Words through a FIFO, one access each.");

  nb::enum_<DdrController::Map>(m, "AddressMap")
      .value("row_bank_column", DdrController::Map::row_bank_column)
      .value("bank_row_column", DdrController::Map::bank_row_column);
  nb::class_<LoadBlock>(m, "LoadBlock")
      .def(nb::init<>())
      .def_rw("port", &LoadBlock::port)
      .def_rw("window", &LoadBlock::window);
  nb::class_<PortLoadJob>(m, "PortLoadJob")
      .def(nb::init<>())
      .def_rw("generator", &PortLoadJob::generator)
      .def_rw("blocks", &PortLoadJob::blocks)
      .def_rw("video", &PortLoadJob::video)
      .def_rw("reads", &PortLoadJob::reads)
      .def_rw("writes", &PortLoadJob::writes)
      .def_rw("burst_bytes", &PortLoadJob::burst_bytes)
      .def_rw("stride", &PortLoadJob::stride)
      .def_rw("bytes", &PortLoadJob::bytes)
      .def_rw("single", &PortLoadJob::single)
      .def_rw("map", &PortLoadJob::map);
  nb::class_<BlockLoad>(m, "BlockLoad")
      .def_ro("read", &BlockLoad::read)
      .def_ro("write", &BlockLoad::write);
  m.def(
      "port_load",
      [](const Description& description, const PortLoadJob& job) {
        System system(description);
        std::vector<BlockLoad> loads = port_load(system, job);
        const Traced trace = traced(system);
        for (BlockLoad& load : loads) load.read.trace = load.write.trace = trace;
        return loads;
      },
      nb::arg("description"), nb::arg("job"), nb::call_guard<nb::gil_scoped_release>(),
      "Blocks in the fabric that read and write memory at once.");

  m.def("kinds", &kinds, "What a platform may be made of, with the fields of each kind.");
  m.attr("MAX_PROGRAM_BYTES") = pl330::kMaxCopyBytes;
  m.def(
      "assemble", [](std::string text) { return bytes(pl330::assemble(pl330::parse_text(text))); },
      nb::arg("text"), "PL330 assembly text to microcode.");
  m.def(
      "disassemble",
      [](const nb::bytes& code) {
        std::vector<std::string> lines;
        for (const auto& instruction : pl330::disassemble(view(code))) {
          lines.push_back(pl330::to_text(instruction));
        }
        return lines;
      },
      nb::arg("code"), "PL330 microcode to a list of assembly lines.");
  m.def(
      "build_copy",
      [](std::uint32_t source, std::uint32_t destination, std::uint32_t count) {
        return bytes(pl330::build_copy(source, destination, count).code);
      },
      nb::arg("source"), nb::arg("destination"), nb::arg("count"),
      "The microcode with which the study's driver copies `count` bytes.");
}
