// SPDX-License-Identifier: Apache-2.0

#include "pl330/microcode.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <optional>
#include <stdexcept>

namespace weighbridge::pl330 {
namespace {

// What follows the opcode byte.
enum class Operands : std::uint8_t { kNone, kIndex, kLoop, kLoopEnd, kHalfword, kMove, kGo };

struct Format {
  Op op;
  std::string_view mnemonic;
  std::uint8_t opcode;    // with every variable bit 0
  std::uint8_t variable;  // bits of the opcode byte that carry an operand
  Operands operands;
};

// Ordered as Op, so that a format is found by its index. Variable bits: 0x03 condition (0 none,
// 1 single, 3 burst), 0x02 condition of the peripheral forms or a register or a flag.
constexpr std::array<Format, 20> kFormats{{
    {Op::kEnd, "DMAEND", 0x00, 0x00, Operands::kNone},
    {Op::kKill, "DMAKILL", 0x01, 0x00, Operands::kNone},
    {Op::kNop, "DMANOP", 0x18, 0x00, Operands::kNone},
    {Op::kReadBarrier, "DMARMB", 0x12, 0x00, Operands::kNone},
    {Op::kWriteBarrier, "DMAWMB", 0x13, 0x00, Operands::kNone},
    {Op::kLoad, "DMALD", 0x04, 0x03, Operands::kNone},
    {Op::kStore, "DMAST", 0x08, 0x03, Operands::kNone},
    {Op::kStoreZero, "DMASTZ", 0x0C, 0x00, Operands::kNone},
    {Op::kLoadPeripheral, "DMALDP", 0x25, 0x02, Operands::kIndex},
    {Op::kStorePeripheral, "DMASTP", 0x29, 0x02, Operands::kIndex},
    {Op::kFlushPeripheral, "DMAFLUSHP", 0x35, 0x00, Operands::kIndex},
    {Op::kWaitPeripheral, "DMAWFP", 0x30, 0x03, Operands::kIndex},
    {Op::kLoop, "DMALP", 0x20, 0x02, Operands::kLoop},
    {Op::kLoopEnd, "DMALPEND", 0x28, 0x17, Operands::kLoopEnd},
    {Op::kSendEvent, "DMASEV", 0x34, 0x00, Operands::kIndex},
    {Op::kWaitEvent, "DMAWFE", 0x36, 0x00, Operands::kIndex},
    {Op::kAddHalfword, "DMAADDH", 0x54, 0x02, Operands::kHalfword},
    {Op::kAddNegativeHalfword, "DMAADNH", 0x5C, 0x02, Operands::kHalfword},
    {Op::kMove, "DMAMOV", 0xBC, 0x00, Operands::kMove},
    {Op::kGo, "DMAGO", 0xA0, 0x02, Operands::kGo},
}};

constexpr bool ordered_as_op() {
  for (std::size_t i = 0; i < kFormats.size(); ++i) {
    if (kFormats[i].op != static_cast<Op>(i)) return false;
  }
  return true;
}
static_assert(ordered_as_op());

// DMALPEND: clear when the loop runs for ever. The counter's bit is then set, because without it
// the conditional forms would be DMASTP.
constexpr std::uint8_t kCounted = 0x10;
constexpr std::uint8_t kLoopCounter = 0x04;  // DMALPEND: which counter
constexpr std::uint8_t kInvalidate = 0x02;   // DMAWFE's second byte

[[noreturn]] void fail(const std::string& what) { throw std::invalid_argument(what); }

void require(bool condition, const char* what) {
  if (!condition) fail(what);
}

const Format& format_of(Op op) { return kFormats.at(static_cast<std::size_t>(op)); }

bool takes_any_condition(Op op) {
  return op == Op::kLoad || op == Op::kStore || op == Op::kLoopEnd;
}

bool takes_peripheral_condition(Op op) {
  return op == Op::kLoadPeripheral || op == Op::kStorePeripheral;
}

// --- bits of the opcode byte <-> condition ---------------------------------------------------

std::uint8_t condition_bits(const Instruction& in) {
  const bool single = in.condition == Condition::kSingle;
  const bool burst = in.condition == Condition::kBurst;
  if (in.op == Op::kWaitPeripheral) {
    require(in.condition != Condition::kAlways, "DMAWFP needs single, burst or periph");
    return single ? 0x00 : burst ? 0x02 : 0x01;
  }
  if (takes_peripheral_condition(in.op)) {
    require(single || burst, "DMALDP and DMASTP need the suffix S or B");
    return burst ? 0x02 : 0x00;
  }
  if (takes_any_condition(in.op)) {
    require(in.condition != Condition::kPeripheral, "only DMAWFP takes periph");
    return single ? 0x01 : burst ? 0x03 : 0x00;
  }
  require(in.condition == Condition::kAlways, "this instruction has no condition");
  return 0;
}

Condition condition_from(Op op, std::uint8_t byte) {
  const unsigned bits = byte & 0x03U;
  if (op == Op::kWaitPeripheral) {
    require(bits != 3, "reserved condition");
    return bits == 0 ? Condition::kSingle : bits == 2 ? Condition::kBurst : Condition::kPeripheral;
  }
  if (takes_peripheral_condition(op)) return bits & 2 ? Condition::kBurst : Condition::kSingle;
  if (takes_any_condition(op)) {
    require(bits != 2, "reserved condition");
    return bits == 0 ? Condition::kAlways : bits == 1 ? Condition::kSingle : Condition::kBurst;
  }
  return Condition::kAlways;
}

// --- one instruction <-> bytes ---------------------------------------------------------------

void put(std::vector<std::uint8_t>& code, std::uint32_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) code.push_back((value >> (8 * i)) & 0xFFU);
}

void encode(const Instruction& in, std::vector<std::uint8_t>& code) {
  const Format& format = format_of(in.op);
  const unsigned opcode = format.opcode | condition_bits(in);
  const bool has_flag = in.op == Op::kLoopEnd || in.op == Op::kGo || in.op == Op::kWaitEvent;
  require(has_flag || !in.flag, "this instruction has no flag");
  switch (format.operands) {
    case Operands::kNone:
      put(code, opcode, 1);
      break;
    case Operands::kIndex:
      require(in.index < 32, "event or peripheral above 31");
      put(code, opcode, 1);
      put(code, in.index << 3 | (in.flag ? kInvalidate : 0), 1);
      break;
    case Operands::kLoop:
      require(in.index < 2, "loop counter above 1");
      require(in.immediate >= 1 && in.immediate <= 256, "loop count outside 1..256");
      put(code, opcode | in.index << 1, 1);
      put(code, in.immediate - 1, 1);
      break;
    case Operands::kLoopEnd:
      require(in.index < 2, "loop counter above 1");
      require(in.immediate <= 255, "loop body longer than 255 bytes");
      require(!in.flag || in.index == 0, "a loop for ever has no counter");
      put(code, opcode | (in.flag ? kLoopCounter : kCounted | (in.index ? kLoopCounter : 0)), 1);
      put(code, in.immediate, 1);
      break;
    case Operands::kHalfword:
      require(in.reg != Register::kChannelControl, "CCR cannot be added to");
      require(in.immediate <= 0xFFFF, "immediate above 16 bits");
      put(code, opcode | static_cast<unsigned>(in.reg), 1);
      put(code, in.immediate, 2);
      break;
    case Operands::kMove:
      if (in.reg == Register::kChannelControl) ChannelControl::decode(in.immediate);
      put(code, opcode, 1);
      put(code, static_cast<unsigned>(in.reg), 1);
      put(code, in.immediate, 4);
      break;
    case Operands::kGo:
      require(in.index < 8, "channel above 7");
      put(code, opcode | (in.flag ? 2U : 0U), 1);
      put(code, in.index, 1);
      put(code, in.immediate, 4);
      break;
  }
}

Instruction decode_checked(std::span<const std::uint8_t> code) {
  const std::uint8_t opcode = code.front();
  const auto format = std::ranges::find_if(
      kFormats, [opcode](const Format& f) { return (opcode & ~f.variable) == f.opcode; });
  if (format == kFormats.end()) fail("no such opcode");
  require(code.size() >= encoded_bytes(format->op), "instruction cut short");

  Instruction in{.op = format->op, .condition = condition_from(format->op, opcode)};
  const auto little_endian = [code](std::size_t first, unsigned bytes) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
      value |= static_cast<std::uint32_t>(code[first + i]) << (8 * i);
    }
    return value;
  };
  switch (format->operands) {
    case Operands::kNone:
      break;
    case Operands::kIndex:
      in.index = code[1] >> 3;
      in.flag = in.op == Op::kWaitEvent && (code[1] & kInvalidate) != 0;
      require((code[1] & 0x07U) == (in.flag ? kInvalidate : 0U), "reserved bits set");
      break;
    case Operands::kLoop:
      in.index = opcode >> 1 & 1U;
      in.immediate = code[1] + 1U;
      break;
    case Operands::kLoopEnd:
      in.flag = (opcode & kCounted) == 0;
      require(!in.flag || (opcode & kLoopCounter) != 0, "no such opcode");
      in.index = !in.flag && (opcode & kLoopCounter) != 0;
      in.immediate = code[1];
      break;
    case Operands::kHalfword:
      in.reg = opcode & 2U ? Register::kDestAddress : Register::kSourceAddress;
      in.immediate = little_endian(1, 2);
      break;
    case Operands::kMove:
      require(code[1] <= 2, "no such register");
      in.reg = static_cast<Register>(code[1]);
      in.immediate = little_endian(2, 4);
      if (in.reg == Register::kChannelControl) ChannelControl::decode(in.immediate);
      break;
    case Operands::kGo:
      require(code[1] < 8, "channel above 7");
      in.index = code[1];
      in.flag = (opcode & 2U) != 0;
      in.immediate = little_endian(2, 4);
      break;
  }
  return in;
}

// --- CCR -------------------------------------------------------------------------------------

constexpr unsigned kSourceShift = 0;
constexpr unsigned kDestShift = 14;
constexpr unsigned kSwapShift = 28;

// 1, 2, 4, 8, 16 as 0..4.
std::uint32_t size_code(unsigned bytes, const char* what) {
  require(std::has_single_bit(bytes) && bytes <= 16, what);
  return static_cast<std::uint32_t>(std::countr_zero(bytes));
}

std::uint32_t encode_burst(const Burst& burst) {
  require(burst.beats >= 1 && burst.beats <= 16, "CCR: burst length outside 1..16");
  require(burst.protection <= 7, "CCR: protection above 7");
  require(burst.cache <= 7, "CCR: cache control above 7");
  return (burst.increment ? 1U : 0U) |
         size_code(burst.beat_bytes, "CCR: beat not of 1, 2, 4, 8 or 16 bytes") << 1 |
         (burst.beats - 1) << 4 | burst.protection << 8 | burst.cache << 11;
}

Burst decode_burst(std::uint32_t bits) {
  require((bits >> 1 & 7U) <= 4, "CCR: reserved beat size");
  return {.increment = (bits & 1U) != 0,
          .beat_bytes = 1U << (bits >> 1 & 7U),
          .beats = (bits >> 4 & 15U) + 1,
          .protection = bits >> 8 & 7U,
          .cache = bits >> 11 & 7U};
}

// --- text ------------------------------------------------------------------------------------

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

// --- the copy program ------------------------------------------------------------------------

constexpr std::uint32_t kBeatBytes = 8;
constexpr std::uint32_t kBurstBeats = 16;
constexpr std::uint32_t kMaxIterations = 256;
// Bufferable, cacheable, allocate: what the study sets on both sides.
constexpr unsigned kCache = 0b111;

class CopyBuilder {
 public:
  void move(Register reg, std::uint32_t value) {
    program_.instructions.push_back({.op = Op::kMove, .reg = reg, .immediate = value});
  }

  void shape(std::uint32_t beat_bytes, std::uint32_t beats) {
    const Burst burst{.beat_bytes = beat_bytes, .beats = beats, .cache = kCache};
    move(Register::kChannelControl, ChannelControl{.source = burst, .destination = burst}.encode());
  }

  void transfer(std::uint32_t iterations) {
    auto& list = program_.instructions;
    if (iterations > 1) list.push_back({.op = Op::kLoop, .immediate = iterations});
    list.push_back({.op = Op::kLoad});
    list.push_back({.op = Op::kStore});
    if (iterations > 1) list.push_back({.op = Op::kLoopEnd, .immediate = 2});
  }

  Program finish() {
    program_.instructions.push_back({.op = Op::kEnd});
    program_.code = assemble(program_.instructions);
    return std::move(program_);
  }

 private:
  Program program_;
};

}  // namespace

std::uint32_t ChannelControl::encode() const {
  return encode_burst(source) << kSourceShift | encode_burst(destination) << kDestShift |
         size_code(swap_bytes, "CCR: endian swap not within 1, 2, 4, 8 or 16 bytes") << kSwapShift;
}

ChannelControl ChannelControl::decode(std::uint32_t value) {
  require(value >> kSwapShift <= 4, "CCR: reserved endian swap");
  return {.source = decode_burst(value >> kSourceShift),
          .destination = decode_burst(value >> kDestShift),
          .swap_bytes = 1U << (value >> kSwapShift)};
}

std::size_t encoded_bytes(Op op) {
  switch (format_of(op).operands) {
    case Operands::kNone:
      return 1;
    case Operands::kIndex:
    case Operands::kLoop:
    case Operands::kLoopEnd:
      return 2;
    case Operands::kHalfword:
      return 3;
    case Operands::kMove:
    case Operands::kGo:
      return 6;
  }
  fail("no such operation");
}

std::vector<std::uint8_t> assemble(std::span<const Instruction> instructions) {
  std::vector<std::uint8_t> code;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    try {
      encode(instructions[i], code);
    } catch (const std::invalid_argument& fault) {
      fail("instruction " + std::to_string(i) + ": " + fault.what());
    }
  }
  return code;
}

Instruction decode(std::span<const std::uint8_t> code, std::size_t offset) {
  try {
    require(offset < code.size(), "past the end");
    return decode_checked(code.subspan(offset));
  } catch (const std::invalid_argument& fault) {
    fail("byte " + std::to_string(offset) + ": " + fault.what());
  }
}

std::vector<Instruction> disassemble(std::span<const std::uint8_t> code) {
  std::vector<Instruction> instructions;
  for (std::size_t offset = 0; offset < code.size();) {
    instructions.push_back(decode(code, offset));
    offset += encoded_bytes(instructions.back().op);
  }
  return instructions;
}

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

namespace {

// Full bursts; of few, bursts a beat shorter if only those leave no rest: the second shape that a
// rest needs takes longer to build than such a copy takes to run.
std::uint32_t beats_per_burst(std::uint32_t beats) {
  constexpr std::uint32_t kFew = 32;
  constexpr std::uint32_t kShorter = kBurstBeats - 1;
  const bool few = beats <= kFew * kBurstBeats;
  const bool shorter = few && beats % kBurstBeats != 0 && beats % kShorter == 0;
  return shorter ? kShorter : kBurstBeats;
}

}  // namespace

Program build_copy(std::uint32_t source, std::uint32_t destination, std::uint32_t bytes,
                   CopyShape shape) {
  if (bytes == 0 || bytes > kMaxCopyBytes) {
    fail("a copy program moves 1.." + std::to_string(kMaxCopyBytes) + " bytes, not " +
         std::to_string(bytes));
  }
  require(source % kBeatBytes == destination % kBeatBytes,
          "source and destination must be congruent modulo 8");

  const std::uint32_t beat_bytes = shape.beat_bytes;
  require(std::has_single_bit(beat_bytes) && beat_bytes <= kBeatBytes,
          "beats have 1, 2, 4 or 8 bytes");
  require(shape.burst_bytes >= beat_bytes, "bursts have at least one beat");

  CopyBuilder builder;
  builder.move(Register::kSourceAddress, source);
  builder.move(Register::kDestAddress, destination);

  std::uint32_t left = bytes;
  if (const std::uint32_t beyond = source % beat_bytes; beyond != 0) {
    const std::uint32_t head = std::min(beat_bytes - beyond, left);
    builder.shape(1, head);
    builder.transfer(1);
    left -= head;
  }
  const std::uint32_t burst_beats =
      std::min(beats_per_burst(left / beat_bytes), shape.burst_bytes / beat_bytes);
  std::uint32_t bursts = left / (beat_bytes * burst_beats);
  if (bursts > 0) builder.shape(beat_bytes, burst_beats);
  while (bursts > 0) {
    const std::uint32_t iterations = std::min(bursts, kMaxIterations);
    builder.transfer(iterations);
    bursts -= iterations;
  }
  if (const std::uint32_t beats = left / beat_bytes % burst_beats; beats > 0) {
    builder.shape(beat_bytes, beats);
    builder.transfer(1);
  }
  if (const std::uint32_t tail = left % beat_bytes; tail > 0) {
    builder.shape(1, tail);
    builder.transfer(1);
  }
  return builder.finish();
}

}  // namespace weighbridge::pl330
