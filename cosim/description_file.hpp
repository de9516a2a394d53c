// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A platform's hardware as a file of lines, for programs that have the engine in them:
//
//   reference CLOCK               clock NAME MHZ
//   component NAME KIND CLOCK     of the lines that follow:
//     number FIELD VALUE  choice FIELD WORD  to NAME  window NAME BASE BYTES  master
//   said NAME VALUE               what else the program asks for, by name: a component, a figure
//
// weighbridge.backends.description_file writes it from a platform file.
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

#include "core/system.hpp"

namespace weighbridge {

class DescriptionFile {
 public:
  explicit DescriptionFile(const std::string& path) : path_(path) {
    std::ifstream file(path);
    if (!file) throw std::invalid_argument("cannot read " + path);
    std::string line;
    for (unsigned number = 1; std::getline(file, line); ++number) {
      std::istringstream words(line);
      std::string what;
      if (!(words >> what)) continue;
      if (!take(what, words) || words.fail())
        throw std::invalid_argument(path + ", line " + std::to_string(number) + ": " + line);
    }
  }

  [[nodiscard]] const std::string& word(const std::string& name) const {
    const auto found = said_.find(name);
    if (found == said_.end()) throw std::invalid_argument(path_ + " says no " + name);
    return found->second;
  }

  [[nodiscard]] double number(const std::string& name) const {
    std::istringstream text(word(name));
    double value = 0;
    if (!(text >> value) || !text.eof())
      throw std::invalid_argument(path_ + ": " + name + " is no number: " + word(name));
    return value;
  }

  Description description;

 private:
  bool take(const std::string& what, std::istream& words) {
    auto& components = description.components;
    std::string name;
    if (what == "reference") {
      words >> description.reference_clock;
    } else if (what == "clock") {
      words >> name >> description.clocks_mhz[name];
    } else if (what == "component") {
      ComponentSpec& spec = components.emplace_back();
      words >> spec.name >> spec.kind >> spec.clock;
    } else if (what == "said") {
      words >> name >> said_[name];
    } else if (components.empty()) {
      return false;
    } else if (what == "number") {
      words >> name;
      words >> components.back().numbers[name];
    } else if (what == "choice") {
      words >> name;
      words >> components.back().choices[name];
    } else if (what == "to") {
      words >> components.back().to.emplace_back();
    } else if (what == "window") {
      WindowSpec& window = components.back().windows.emplace_back();
      words >> window.target >> window.base >> window.bytes;
    } else {
      return false;
    }
    return true;
  }

  std::string path_;
  std::map<std::string, std::string> said_;
};

}  // namespace weighbridge
