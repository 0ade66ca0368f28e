#include "runner/inspect/sass.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include "app/words.hpp"
#include "runner/machine/kernel_name.hpp"

namespace runner {
namespace {

// ---- Reading.

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// Returns the text after `mark`; nothing if the line does not begin with it.
std::optional<std::string> after(std::string_view line, std::string_view mark) {
  line = trimmed(line);
  if (!line.starts_with(mark)) return std::nullopt;
  return std::string(trimmed(line.substr(mark.size())));
}

std::optional<uint64_t> hexadecimal(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  const bool is_whole = !text.empty() && end == text.data() + text.size();
  return error == std::errc{} && is_whole ? std::optional(value) : std::nullopt;
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }

//   /*0040*/              @!P0 BRA 0x110 ;            /* 0x0000000000308947 */
std::optional<SassInstruction> read_instruction(std::string_view line) {
  line = trimmed(line);
  const size_t close = line.find("*/");
  if (!line.starts_with("/*") || close == line.npos) return std::nullopt;
  const auto address = hexadecimal(line.substr(2, close - 2));
  const size_t end = line.find(';');
  if (!address || end == line.npos) return std::nullopt;
  std::string_view text = trimmed(line.substr(close + 2, end - close - 2));
  if (text.starts_with('@')) text = trimmed(text.substr(first_word(text).size()));
  SassInstruction instruction{.address = *address, .opcode = std::string(first_word(text))};
  if (instruction.opcode.starts_with("BRA")) {
    const size_t number = text.rfind("0x");
    if (number != text.npos) instruction.target = hexadecimal(text.substr(number + 2));
  }
  return instruction;
}

// Returns the number after a name in "REG:32 STACK:0 SHARED:0"; 0 if it is missing.
int figure(std::string_view line, std::string_view name) {
  const size_t at = line.find(name);
  int value = 0;
  if (at != line.npos) {
    const char* const begin = line.data() + at + name.size();
    std::from_chars(begin, line.data() + line.size(), value);
  }
  return value;
}

// ---- Loops.

struct Loop {
  size_t first = 0, last = 0;  // instructions, both included
};

// Returns the loops. A backward branch closes a loop; if several lead to one place, the last closes
// it.
std::vector<Loop> loops_of(const std::vector<SassInstruction>& code) {
  std::map<uint64_t, size_t> number_of;
  for (size_t i = 0; i < code.size(); ++i) number_of[code[i].address] = i;
  std::map<size_t, size_t> last_of;
  for (size_t i = 0; i < code.size(); ++i) {
    const std::optional<uint64_t>& address = code[i].target;
    if (!address) continue;
    const auto target = number_of.find(*address);
    if (target != number_of.end() && target->second < i) last_of[target->second] = i;
  }
  std::vector<Loop> loops;
  loops.reserve(last_of.size());
  for (const auto& [first, last] : last_of) loops.push_back({first, last});
  return loops;
}

bool lies_in(const Loop& inner, const Loop& outer) {
  const bool same = inner.first == outer.first && inner.last == outer.last;
  return !same && inner.first >= outer.first && inner.last <= outer.last;
}

std::string_view base(const SassInstruction& instruction) {
  return std::string_view(instruction.opcode).substr(0, instruction.opcode.find('.'));
}

// True for FFMA and for FFMA2, which compute capability 10.0 has and which does two.
bool is_ffma(const SassInstruction& instruction) {
  return base(instruction) == "FFMA" || base(instruction) == "FFMA2";
}

// Returns the main loop, or all of the code if no loop multiplies and adds.
Loop main_loop(const std::vector<SassInstruction>& code, bool& found) {
  const std::vector<Loop> loops = loops_of(code);
  Loop best{0, code.empty() ? 0 : code.size() - 1};
  int most = 0;
  for (const Loop& loop : loops) {
    int own = 0;
    for (size_t i = loop.first; i <= loop.last; ++i) {
      const bool is_deeper = std::ranges::any_of(loops, [&](const Loop& other) {
        return lies_in(other, loop) && i >= other.first && i <= other.last;
      });
      own += !is_deeper && is_ffma(code[i]) ? 1 : 0;
    }
    if (own <= most) continue;
    most = own;
    best = loop;
  }
  found = most > 0;
  return best;
}

// ---- Accesses.

struct Kind {
  std::string_view opcode;
  const char* name;
};
// The kinds, in the order in which they are shown.
constexpr Kind KINDS[] = {{"LDG", "global load"},  {"LDGSTS", "cp.async"},  {"STG", "global store"},
                          {"LDS", "shared load"},  {"STS", "shared store"}, {"LD", "generic load"},
                          {"ST", "generic store"}, {"LDL", "local load"},   {"STL", "local store"}};

int bytes_of(const SassInstruction& instruction) {
  for (const std::string& part : split(instruction.opcode, '.')) {
    if (part == "U8" || part == "S8") return 1;
    if (part == "U16" || part == "S16") return 2;
    if (part == "64") return 8;
    if (part == "128") return 16;
    if (part == "256") return 32;
  }
  return 4;
}

std::vector<SassAccess> accesses_of(const std::vector<SassInstruction>& code, const Loop& loop) {
  std::vector<SassAccess> accesses;
  for (const Kind& kind : KINDS) {
    std::map<int, SassAccess, std::greater<>> by_width;
    for (size_t i = 0; i < code.size(); ++i) {
      if (base(code[i]) != kind.opcode) continue;
      SassAccess& access = by_width[bytes_of(code[i])];
      if (access.kind.empty()) {
        access = {.kind = kind.name, .bytes = bytes_of(code[i]), .opcode = code[i].opcode};
      }
      ++(i >= loop.first && i <= loop.last ? access.in_loop : access.outside);
    }
    for (auto& [bytes, access] : by_width) accesses.push_back(std::move(access));
  }
  return accesses;
}

}  // namespace

std::vector<SassFunction> read_sass(std::string_view text) {
  std::vector<SassFunction> functions;
  std::string architecture;
  for (const std::string& line : split(text, '\n')) {
    if (const auto code_for = after(line, "code for ")) {
      architecture = *code_for;
    } else if (const auto name = after(line, "Function : ")) {
      functions.push_back({.name = *name, .architecture = architecture});
    } else if (auto instruction = read_instruction(line); instruction && !functions.empty()) {
      functions.back().code.push_back(std::move(*instruction));
    }
  }
  return functions;
}

std::vector<SassResources> read_resources(std::string_view text) {
  std::vector<SassResources> all;
  std::string architecture;
  bool awaited = false;  // the next line has the figures of a named function
  for (const std::string& line : split(text, '\n')) {
    if (const auto arch = after(line, "arch = ")) {
      architecture = *arch;
    } else if (const auto name = after(line, "Function "); name && name->ends_with(':')) {
      all.push_back({.name = name->substr(0, name->size() - 1), .architecture = architecture});
      awaited = true;
    } else if (awaited && line.find("REG:") != line.npos) {
      all.back().registers = figure(line, "REG:");
      all.back().stack_bytes = figure(line, "STACK:");
      awaited = false;
    }
  }
  return all;
}

SassSummary summary_of(const SassFunction& function) {
  SassSummary summary{.kernel = kernel_name(function.name), .architecture = function.architecture};
  const std::vector<SassInstruction>& code = function.code;
  const Loop loop = main_loop(code, summary.has_loop);
  for (size_t i = loop.first; i <= loop.last && i < code.size(); ++i) {
    summary.loop_instructions += base(code[i]) == "NOP" ? 0 : 1;  // NOPs fill up the last line
    summary.loop_ffma += is_ffma(code[i]) ? 1 : 0;
  }
  summary.accesses = accesses_of(code, loop);
  for (const SassAccess& access : summary.accesses) {
    if (access.kind == "local load" || access.kind == "local store")
      summary.spills += access.in_loop + access.outside;
  }
  return summary;
}

const SassAccess* load_of_width(const SassSummary& summary, int bytes) {
  const auto is_load = [](const SassAccess& access) {
    return access.kind == "global load" || access.kind == "cp.async";
  };
  const bool loop_loads = std::ranges::any_of(
      summary.accesses, [&](const SassAccess& a) { return is_load(a) && a.in_loop > 0; });
  for (const SassAccess& access : summary.accesses) {
    const bool is_wide = access.bytes == bytes || (bytes == 16 && access.bytes == 32);
    if (is_load(access) && is_wide && (access.in_loop > 0 || !loop_loads)) return &access;
  }
  return nullptr;
}

}  // namespace runner
