// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Microcode as text: printed and parsed.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <stdexcept>

#include "pl330/encoding.hpp"
#include "pl330/microcode.hpp"

namespace weighbridge::pl330 {
namespace {

constexpr std::array<std::string_view, 3> kRegisterNames{"SAR", "CCR", "DAR"};

std::string hex(std::uint32_t value) {
  std::array<char, 8> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  return "0x" + std::string(digits.data(), end);
}

std::string burst_text(char side, const Burst& burst) {
  const std::string s(1, side);
  return s + "B" + std::to_string(burst.beats) + " " + s + "S" +
         std::to_string(8 * burst.beat_bytes) + " " + s + (burst.increment ? "AI" : "AF") + " " +
         s + "P" + std::to_string(burst.protection) + " " + s + "C" + std::to_string(burst.cache);
}

std::string ccr_text(std::uint32_t value) {
  const ChannelControl ccr = ChannelControl::decode(value);
  std::string text = burst_text('S', ccr.source) + " " + burst_text('D', ccr.destination);
  if (ccr.swap_bytes != 1) text += " ES" + std::to_string(8 * ccr.swap_bytes);
  return text;
}

std::uint32_t parse_number(std::string_view word) {
  const bool is_hex = word.starts_with("0X") || word.starts_with("0x");
  if (is_hex) word.remove_prefix(2);
  std::uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), value, is_hex ? 16 : 10);
  if (error != std::errc() || end != word.data() + word.size()) {
    fail("'" + std::string(word) + "' is not a number of 32 bits");
  }
  return value;
}

// Words of a line, upper case, without comment; commas count as blanks.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  bool open = false;
  for (const char c : line.substr(0, line.find(';'))) {
    if (c == ',' || std::isspace(static_cast<unsigned char>(c))) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    words.back() += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return words;
}

unsigned parse_bits_as_bytes(std::string_view word) {
  const std::uint32_t bits = parse_number(word);
  require(bits % 8 == 0, "CCR: a size is in bits, a multiple of 8");
  return bits / 8;
}

std::uint32_t parse_ccr(std::span<const std::string> words) {
  ChannelControl ccr;
  for (const std::string& word : words) {
    Burst& burst = word.front() == 'S' ? ccr.source : ccr.destination;
    const std::string_view tail =
        std::string_view(word).substr(std::min<std::size_t>(2, word.size()));
    if (word == "SAI" || word == "DAI") {
      burst.increment = true;
    } else if (word == "SAF" || word == "DAF") {
      burst.increment = false;
    } else if (word.starts_with("SB") || word.starts_with("DB")) {
      burst.beats = parse_number(tail);
    } else if (word.starts_with("SS") || word.starts_with("DS")) {
      burst.beat_bytes = parse_bits_as_bytes(tail);
    } else if (word.starts_with("SP") || word.starts_with("DP")) {
      burst.protection = parse_number(tail);
    } else if (word.starts_with("SC") || word.starts_with("DC")) {
      burst.cache = parse_number(tail);
    } else if (word.starts_with("ES")) {
      ccr.swap_bytes = parse_bits_as_bytes(tail);
    } else {
      fail("CCR has no field '" + word + "'");
    }
  }
  return ccr.encode();
}

// One line at a time; remembers where the open loops begin.
class Parser {
 public:
  void line(std::string_view text) {
    words_ = words_of(text);
    if (words_.empty()) return;
    next_ = 1;
    if (words_[0] == "DMALPFE") {
      loops_.push_back({.index = 0, .forever = true, .body = offset_});
    } else {
      const Instruction in = instruction();
      std::vector<std::uint8_t> bytes;
      encode(in, bytes);  // refuses operands out of range while the line is known
      offset_ += bytes.size();
      if (in.op == Op::kLoop) {
        loops_.push_back({.index = in.index, .forever = false, .body = offset_});
      }
      program_.push_back(in);
    }
    if (next_ != words_.size()) fail("'" + words_[next_] + "' is one word too many");
  }

  std::vector<Instruction> take() { return std::move(program_); }

 private:
  struct Loop {
    std::uint8_t index;
    bool forever;
    std::size_t body;  // byte offset
  };

  const std::string& word(const char* what) {
    if (next_ == words_.size()) fail(words_[0] + " needs " + what);
    return words_[next_++];
  }

  bool accept(std::string_view wanted) {
    if (next_ == words_.size() || words_[next_] != wanted) return false;
    ++next_;
    return true;
  }

  std::uint8_t index(const char* what) {
    const std::uint32_t value = parse_number(word(what));
    require(value <= 31, "an event, a peripheral or a channel is at most 31");
    return static_cast<std::uint8_t>(value);
  }

  std::uint8_t counter() {
    const std::string& name = word("lc0 or lc1");
    require(name == "LC0" || name == "LC1", "a loop counter is lc0 or lc1");
    return name == "LC1";
  }

  Register reg() {
    const auto name = std::ranges::find(kRegisterNames, word("SAR, DAR or CCR"));
    if (name == kRegisterNames.end()) fail("no register '" + words_[next_ - 1] + "'");
    return static_cast<Register>(name - kRegisterNames.begin());
  }

  // The mnemonic, with its suffix S or B where it takes one.
  Instruction mnemonic() const {
    const std::string& name = words_[0];
    for (const Format& format : kFormats) {
      if (name == format.mnemonic) return {.op = format.op};
      const bool takes_suffix =
          takes_any_condition(format.op) || takes_peripheral_condition(format.op);
      if (takes_suffix && name.size() == format.mnemonic.size() + 1 &&
          name.starts_with(format.mnemonic) && (name.back() == 'S' || name.back() == 'B')) {
        return {.op = format.op,
                .condition = name.back() == 'S' ? Condition::kSingle : Condition::kBurst};
      }
    }
    fail("no instruction '" + name + "'");
  }

  Instruction instruction() {
    Instruction in = mnemonic();
    switch (format_of(in.op).operands) {
      case Operands::kNone:
        break;
      case Operands::kIndex:
        in.index = index("a number");
        if (in.op == Op::kWaitPeripheral) {
          const std::string& type = word("single, burst or periph");
          in.condition = type == "SINGLE"   ? Condition::kSingle
                         : type == "BURST"  ? Condition::kBurst
                         : type == "PERIPH" ? Condition::kPeripheral
                                            : Condition::kAlways;
        }
        in.flag = in.op == Op::kWaitEvent && accept("INVALID");
        break;
      case Operands::kLoop:
        in.index = counter();
        in.immediate = parse_number(word("a number of iterations"));
        break;
      case Operands::kLoopEnd:
        loop_end(in);
        break;
      case Operands::kHalfword:
        in.reg = reg();
        in.immediate = parse_number(word("a value"));
        break;
      case Operands::kMove:
        in.reg = reg();
        if (in.reg == Register::kChannelControl) {
          in.immediate = parse_ccr(std::span(words_).subspan(next_));
          next_ = words_.size();
        } else {
          in.immediate = parse_number(word("a value"));
        }
        break;
      case Operands::kGo:
        in.index = index("a channel");
        in.immediate = parse_number(word("an address"));
        in.flag = accept("NS");
        break;
    }
    return in;
  }

  void loop_end(Instruction& in) {
    std::optional<Loop> open;
    if (!loops_.empty()) {
      open = loops_.back();
      loops_.pop_back();
    }
    if (next_ < words_.size()) {
      in.flag = accept("FOREVER");
      if (!in.flag) in.index = counter();
    } else if (open) {
      in.index = open->index;
      in.flag = open->forever;
    }
    if (next_ < words_.size()) {
      in.immediate = parse_number(words_[next_++]);
    } else {
      require(open.has_value(), "DMALPEND without a loop to close");
      in.immediate = static_cast<std::uint32_t>(offset_ - open->body);
    }
  }

  std::vector<std::string> words_;
  std::size_t next_ = 0;
  std::size_t offset_ = 0;
  std::vector<Loop> loops_;
  std::vector<Instruction> program_;
};

}  // namespace

std::string to_text(const Instruction& in) {
  const Format& format = format_of(in.op);
  std::string text(format.mnemonic);
  if (in.op != Op::kWaitPeripheral) {
    if (in.condition == Condition::kSingle) text += "S";
    if (in.condition == Condition::kBurst) text += "B";
  }
  const std::string index = std::to_string(in.index);
  const std::string reg(kRegisterNames.at(static_cast<std::size_t>(in.reg)));
  switch (format.operands) {
    case Operands::kNone:
      return text;
    case Operands::kIndex:
      text += " " + index;
      if (in.op == Op::kWaitPeripheral) {
        text += in.condition == Condition::kSingle  ? ", single"
                : in.condition == Condition::kBurst ? ", burst"
                                                    : ", periph";
      }
      return text + (in.flag ? ", invalid" : "");
    case Operands::kLoop:
      return text + " lc" + index + ", " + std::to_string(in.immediate);
    case Operands::kLoopEnd:
      return text + (in.flag ? " forever, " : " lc" + index + ", ") + std::to_string(in.immediate);
    case Operands::kHalfword:
      return text + " " + reg + ", " + hex(in.immediate);
    case Operands::kMove:
      return text + " " + reg + ", " +
             (in.reg == Register::kChannelControl ? ccr_text(in.immediate) : hex(in.immediate));
    case Operands::kGo:
      return text + " " + index + ", " + hex(in.immediate) + (in.flag ? ", ns" : "");
  }
  return text;
}

std::vector<Instruction> parse_text(std::string_view text) {
  Parser parser;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    try {
      parser.line(text.substr(0, end));
    } catch (const std::invalid_argument& fault) {
      fail("line " + std::to_string(number) + ": " + fault.what());
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parser.take();
}

}  // namespace weighbridge::pl330
