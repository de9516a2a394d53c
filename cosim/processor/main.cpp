// SPDX-License-Identifier: GPL-2.0-only
//
//   processor PLATFORM PROGRAM [--input FILE] [--call SYMBOL] [--report FILE] [--trace N] [--most
//   N]
//
// Executes an ELF file on the components of a platform (cosim/description_file.hpp). What the
// program sends to its serial port goes to standard output, the input's bytes arrive there. Exit
// status 0: the program has ended, waiting for an interrupt that nothing will raise; 3: it has been
// stopped, and a line says where and why; 2: it could not be started.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "confinement.hpp"
#include "core.hpp"
#include "description_file.hpp"
#include "dma_controller.hpp"
#include "dma_security.hpp"
#include "fabric_controllers.hpp"
#include "fabric_dma_registers.h"
#include "report.hpp"

namespace {

using namespace weighbridge;
using namespace weighbridge::processor;

struct Asked {
  std::string platform;
  std::string program;
  std::string input;
  std::string call;
  std::string report;
  std::size_t trace = 0;  // accesses and calls that the report has one by one
  std::uint64_t most = ~0ULL;
};

Asked parsed(int count, char** words) {
  Asked asked;
  std::vector<std::string> plain;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (!word.starts_with("--")) {
      plain.push_back(word);
      continue;
    }
    if (i + 1 >= count) throw std::invalid_argument(word + " wants a value");
    const std::string value = words[++i];
    if (word == "--input") {
      asked.input = value;
    } else if (word == "--call") {
      asked.call = value;
    } else if (word == "--report") {
      asked.report = value;
    } else if (word == "--trace") {
      asked.trace = std::stoull(value);
    } else if (word == "--most") {
      asked.most = std::stoull(value);
    } else {
      throw std::invalid_argument("unknown option " + word);
    }
  }
  if (plain.size() != 2) throw std::invalid_argument("usage: processor PLATFORM PROGRAM [OPTIONS]");
  asked.platform = plain[0];
  asked.program = plain[1];
  return asked;
}

constexpr std::streamoff kLargestFile = 256 << 20;

template <typename Bytes>
Bytes contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  if (size < 0) throw std::invalid_argument("cannot read " + path);
  if (size > kLargestFile) throw std::invalid_argument(path + " is larger than 256 MiB");
  Bytes bytes(static_cast<std::size_t>(size), 0);
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()), size);
  return bytes;
}

CoreParameters parameters_of(const DescriptionFile& file, Clock clock) {
  CoreParameters p;
  const auto number = [&](const char* name) { return file.number(std::string("core.") + name); };
  p.costs.issue = number("issue");
  p.costs.branch = number("branch");
  p.costs.branch_unpredicted = number("branch_unpredicted");
  p.costs.multiply = number("multiply");
  p.costs.float_ = number("float");
  p.costs.transfer = number("transfer");
  p.costs.system = number("system");
  p.port.store_slots = static_cast<std::uint32_t>(number("store_slots"));
  p.port.reads_in_flight = static_cast<std::uint32_t>(number("reads_in_flight"));
  p.port.join_window = clock.cycles(number("join_window"));
  p.maintenance = number("maintenance");
  p.private_access = number("private_access");
  p.register_access = number("register_access");
  p.fetch_lines = static_cast<std::uint32_t>(number("fetch_lines"));
  return p;
}

// What a line of the description lists, with commas between; none: nothing.
std::vector<std::string> words(const DescriptionFile& file, const std::string& name) {
  std::vector<std::string> all;
  std::istringstream stream(file.word(name));
  for (std::string one; std::getline(stream, one, ',');) {
    if (one != "none") all.push_back(one);
  }
  return all;
}

std::vector<unsigned> numbers(const DescriptionFile& file, const std::string& name) {
  std::vector<unsigned> all;
  for (const std::string& one : words(file, name)) {
    all.push_back(static_cast<unsigned>(std::stoul(one)));
  }
  return all;
}

// "0xC0000000:262144,0xFF240000:262144": base and bytes.
std::vector<std::pair<std::uint32_t, std::uint32_t>> regions(const DescriptionFile& file,
                                                             const std::string& name) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
  for (const std::string& one : words(file, name)) {
    const auto colon = one.find(':');
    all.emplace_back(static_cast<std::uint32_t>(std::stoull(one, nullptr, 0)),
                     static_cast<std::uint32_t>(std::stoull(one.substr(colon + 1), nullptr, 0)));
  }
  return all;
}

void furnish(Core& core, const DescriptionFile& file, Clock clock, const std::string& input) {
  for (const auto& [base, bytes] : regions(file, "ram")) core.add_ram(base, bytes);
  const auto at = [&](const char* name) {
    return static_cast<std::uint32_t>(
        std::stoull(file.word(std::string("peripheral.") + name), nullptr, 0));
  };
  core.add_peripheral(
      {"uart", at("uart"), 0x1000, Place::bus, uart(file.word("uart_kind"), input)});
  core.add_peripheral(
      {"private", at("private"), 0x2000, Place::near, private_region(clock, core.interrupts())});
  core.add_peripheral({"cache controller", at("cache_controller"), 0x1000, Place::near,
                       cache_controller(core.port(), false)});
}

// The first component of a kind; null where the platform has none.
const ComponentSpec* of_kind(const DescriptionFile& file, const std::string& kind) {
  const auto& all = file.description.components;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ComponentSpec& one) { return one.kind == kind; });
  return found == all.end() ? nullptr : &*found;
}

// Where memory is seen through the coherency port, if it is.
std::optional<Address> coherent_window(const DescriptionFile& file) {
  const ComponentSpec* port = of_kind(file, "coherency_port");
  if (port == nullptr || port->numbers.at("window") == 0) return std::nullopt;
  return static_cast<Address>(port->numbers.at("window"));
}

// Where the platform has a PL330, its registers: those of both security states.
std::unique_ptr<DmaController> dma(Core& core, System& system, const DescriptionFile& file) {
  const ComponentSpec* found = of_kind(file, "pl330");
  if (found == nullptr) return nullptr;
  const std::string& name = found->name;
  const std::optional<Address> coherent = coherent_window(file);
  auto controller =
      std::make_unique<DmaController>(system, name, core, coherent, numbers(file, "interrupts"));
  core.add_companion(*controller);
  for (const bool nonsecure : {false, true}) {
    const char* place = nonsecure ? "peripheral.pl330_nonsecure" : "peripheral.pl330";
    core.add_peripheral({"PL330", static_cast<std::uint32_t>(std::stoull(file.word(place))), 0x1000,
                         Place::bus, registers_of(*controller, nonsecure)});
  }
  return controller;
}

// Where the board says whether the PL330 is secure: "system_manager:4291854336,...", kind and base.
std::unique_ptr<DmaSecurity> dma_security(Core& core, DmaController* controller,
                                          const DescriptionFile& file) {
  if (controller == nullptr) return nullptr;
  auto security = std::make_unique<DmaSecurity>(*controller);
  for (const std::string& one : words(file, "dma_security")) {
    const auto colon = one.find(':');
    const std::string kind = one.substr(0, colon);
    const auto base = static_cast<std::uint32_t>(std::stoull(one.substr(colon + 1)));
    core.add_peripheral({kind, base, 0x1000, Place::bus, security_registers(kind, *security)});
  }
  return security;
}

// Who goes first at the memory: by its controller's registers, or as a boot loader leaves them.
void memory_schedule(Core& core, System& system, const DescriptionFile& file) {
  const ComponentSpec* found = of_kind(file, "sdram");
  const std::string& base = file.word("peripheral.sdram_controller");
  if (found == nullptr || base == "none") return;
  auto& memory = system.as<Sdram>(found->name);
  if (file.word("sdram") == "processor") memory.schedule({});
  core.add_peripheral({"SDRAM controller", static_cast<std::uint32_t>(std::stoull(base)), 0x1000,
                       Place::bus, memory_controller(memory)});
}

// The controllers in the fabric, "0:fh:16:1,1:fs:16:40": number, port, bytes of a beat, beats of
// a run.
std::vector<std::unique_ptr<FabricController>> fabric(Core& core, System& system,
                                                      const DescriptionFile& file) {
  std::vector<std::unique_ptr<FabricController>> made;
  const ComponentSpec* found = of_kind(file, "fabric_dma");
  const std::vector<std::string> wired = words(file, "fabric");
  if (found == nullptr || wired.empty()) return made;
  const auto base = static_cast<std::uint32_t>(std::stoull(file.word("peripheral.fabric_dma")));
  const FabricDmaParameters parameters{system.master(found->name).fields};
  std::vector<std::pair<std::uint32_t, FabricController*>> numbered;
  for (std::string one : wired) {
    std::replace(one.begin(), one.end(), ':', ' ');
    std::istringstream parts(one);
    FabricWiring wiring;
    std::string port;
    parts >> wiring.number >> port >> wiring.beat_bytes >> wiring.run_beats;
    wiring.port = &system.instance(port, made.size());
    const std::uint32_t memory = base + FABRIC_DMA_MEMORY(wiring.number);
    wiring.memory = memory;
    core.add_ram(memory, FABRIC_DMA_MEMORY_BYTES);
    made.push_back(
        std::make_unique<FabricController>(parameters, wiring, core, coherent_window(file)));
    core.add_companion(*made.back());
    numbered.emplace_back(wiring.number, made.back().get());
  }
  core.add_peripheral({"fabric DMA", base, 0x1000, Place::fabric, registers_of(numbered)});
  return made;
}

int run(const Asked& asked) {
  DescriptionFile file(asked.platform);
  file.description.trace_slices = asked.trace;
  const auto image = contents<std::vector<std::uint8_t>>(asked.program);
  const std::string input = asked.input.empty() ? "" : contents<std::string>(asked.input);
  // Opened before nothing can be opened any more: what is hostile is read behind that.
  const std::unique_ptr<FILE, int (*)(FILE*)> told(
      asked.report.empty() ? nullptr : std::fopen(asked.report.c_str(), "w"), &std::fclose);
  if (!asked.report.empty() && !told) throw std::invalid_argument("cannot write " + asked.report);
  confine();
  const ElfFile program(image, asked.program);
  System system(file.description);
  const Clock clock(
      system.timebase().period(file.description.clocks_mhz.at(file.description.reference_clock)));
  Core core(system, file.word("processor"), parameters_of(file, clock), clock, program);
  core.port().memory_bytes = static_cast<Address>(file.number("memory"));
  core.most_instructions = asked.most;
  core.follows_calls = !asked.report.empty();
  core.most_spans = asked.trace;
  furnish(core, file, clock, input);
  const auto controller = dma(core, system, file);
  const auto security = dma_security(core, controller.get(), file);
  const auto controllers = fabric(core, system, file);
  memory_schedule(core, system, file);
  core.port().stale = [&](const Stale& found) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%08llx", static_cast<unsigned long long>(found.address));
    core.stop(std::string("stale: ") + text + ": " + found.why);
  };
  int status = 0;
  try {
    if (asked.call.empty()) {
      core.run(program.entry);
    } else {
      core.prepare_flat();
      core.call(program.symbol(asked.call), static_cast<std::uint32_t>(core.port().memory_bytes));
    }
  } catch (const Stopped& stopped) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", stopped.what());
    status = 3;
  }
  std::fflush(stdout);
  if (told) write_report(core, system, *told);
  return status;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(parsed(count, words));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
