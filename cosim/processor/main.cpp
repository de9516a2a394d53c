// SPDX-License-Identifier: GPL-2.0-only
//
//   processor PLATFORM PROGRAM [--input FILE] [--call SYMBOL] [--report FILE] [--most N]
//
// Executes an ELF file on the components of a platform (cosim/description_file.hpp). What the
// program sends to its serial port goes to standard output, the input's bytes arrive there. Exit
// status 0: the program has ended, waiting for an interrupt that nothing will raise; 3: it has been
// stopped, and a line says where and why; 2: it could not be started.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "confinement.hpp"
#include "core.hpp"
#include "description_file.hpp"
#include "dma_controller.hpp"
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

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::invalid_argument("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
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

// "0xC0000000:262144 0xFF240000:262144": base and bytes.
std::vector<std::pair<std::uint32_t, std::uint32_t>> regions(const DescriptionFile& file,
                                                             const std::string& name) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
  std::string words = file.word(name);
  std::replace(words.begin(), words.end(), ',', ' ');
  std::istringstream stream(words);
  for (std::string one; stream >> one;) {
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
  core.add_peripheral({"uart", at("uart"), 0x1000, false, uart(file.word("uart_kind"), input)});
  core.add_peripheral({"private", at("private"), 0x2000, true, private_region(clock)});
  core.add_peripheral({"cache controller", at("cache_controller"), 0x1000, true,
                       cache_controller(core.port(), false)});
}

// Where the platform has a PL330, its registers: those of both security states.
std::unique_ptr<DmaController> dma(Core& core, System& system, const DescriptionFile& file) {
  const auto& components = file.description.components;
  std::optional<Address> coherent;
  std::string name;
  for (const ComponentSpec& one : components) {
    if (one.kind == "pl330") name = one.name;
    if (one.kind == "coherency_port" && one.numbers.at("window") != 0) {
      coherent = static_cast<Address>(one.numbers.at("window"));
    }
  }
  if (name.empty()) return nullptr;
  auto controller = std::make_unique<DmaController>(system, name, core, coherent);
  core.add_companion(*controller);
  for (const char* place : {"peripheral.pl330", "peripheral.pl330_nonsecure"}) {
    const auto base = static_cast<std::uint32_t>(std::stoull(file.word(place), nullptr, 0));
    core.add_peripheral({"PL330", base, 0x1000, false, registers_of(*controller)});
  }
  return controller;
}

int run(const Asked& asked) {
  const DescriptionFile file(asked.platform);
  const ElfFile program(asked.program);
  System system(file.description);
  const Clock clock(
      system.timebase().period(file.description.clocks_mhz.at(file.description.reference_clock)));
  Core core(system, file.word("processor"), parameters_of(file, clock), clock, program);
  core.port().memory_bytes = static_cast<Address>(file.number("memory"));
  core.most_instructions = asked.most;
  furnish(core, file, clock, asked.input.empty() ? "" : contents(asked.input));
  const auto controller = dma(core, system, file);
  core.port().stale = [&](const Stale& found) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%08llx", static_cast<unsigned long long>(found.address));
    core.stop(std::string("stale: ") + text + ": " + found.why);
  };
  // Opened before nothing can be opened any more.
  const std::unique_ptr<FILE, int (*)(FILE*)> told(
      asked.report.empty() ? nullptr : std::fopen(asked.report.c_str(), "w"), &std::fclose);
  if (!asked.report.empty() && !told) throw std::invalid_argument("cannot write " + asked.report);
  confine();
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
