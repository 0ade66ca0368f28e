#include "simulator/hazards/launch_context.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace simulator {
namespace {

uint32_t narrowest(const Program& program) {
  const bool has_narrow = std::any_of(program.sites.begin(), program.sites.end(),
                                      [](const SiteInfo& site) { return site.bytes % 4 != 0; });
  return has_narrow ? 1 : 4;
}

Strength strength_of_opcode(std::string_view opcode) {
  static const std::set<std::string_view> strong = {"volatile", "relaxed", "acquire",
                                                    "release",  "acq_rel", "cv"};
  if (opcode.starts_with("atom.") || opcode.starts_with("red.")) return Strength::atomic;
  while (!opcode.empty()) {
    const size_t dot = std::min(opcode.find('.'), opcode.size());
    if (strong.contains(opcode.substr(0, dot))) return Strength::strong;
    opcode.remove_prefix(std::min(dot + 1, opcode.size()));
  }
  return Strength::weak;
}

// Which addresses are the same: a register and a distance from it, as far as additions of constants lead back.
class Addresses {
 public:
  using Place = std::pair<std::string, int64_t>;

  explicit Addresses(const Program& program) {
    for (const SourceInstruction& source : program.sources) {
      if (!source.opcode.starts_with("add.") && !source.opcode.starts_with("mov.")) continue;
      const std::vector<std::string> words = words_of(source.text);
      const bool is_sum = words.size() == 4 && words[0].starts_with("add.") && is_number(words[3]);
      const bool is_copy = words.size() == 3 && words[0].starts_with("mov.");
      if (is_sum) sums_.insert_or_assign(words[1], Place{words[2], std::stoll(words[3])});
      if (is_copy) sums_.insert_or_assign(words[1], Place{words[2], 0});
    }
  }

  // Of an access: "ld.global.u32 %r1, [%rd1+8]".
  Place of(const std::string& text) const {
    const size_t first = std::min(text.find('['), text.size() - 1) + 1;
    const std::string inside = text.substr(first, text.find(']', first) - first);
    const size_t plus = inside.find('+');
    Place place{inside.substr(0, plus), 0};
    if (plus != std::string::npos && is_number(inside.substr(plus + 1)))
      place.second = std::stoll(inside.substr(plus + 1));
    constexpr int MOST_STEPS = 16;  // a loop's register may lead back to itself
    for (int i = 0; i < MOST_STEPS; ++i) {
      const auto sum = sums_.find(place.first);
      if (sum == sums_.end()) break;
      place = {sum->second.first, place.second + sum->second.second};
    }
    return place;
  }

 private:
  static std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words(1);
    for (const char c : text) {
      const bool is_between = c == ' ' || c == '\t' || c == ',' || c == ';';
      if (!is_between) words.back() += c;
      if (is_between && !words.back().empty()) words.emplace_back();
    }
    if (words.back().empty()) words.pop_back();
    return words;
  }
  static bool is_number(const std::string& word) {
    const size_t sign = word.starts_with('-') ? 1 : 0;
    return word.size() > sign && word.size() < 18 &&
           word.find_first_not_of("0123456789", sign) == std::string::npos;
  }

  std::map<std::string, Place> sums_;
};

// The plain load before a loop of atomicCAS, as the programming guide writes it, and the look before an atomicMax that
// may spare it: whatever they find, the atomic decides.
std::vector<uint32_t> loads_before_swaps(const Program& program) {
  const auto swaps = [](const SourceInstruction& source) {
    const bool is_atomic = source.opcode.starts_with("atom.") || source.opcode.starts_with("red.");
    const auto has = [&](const char* word) {
      return source.opcode.find(word) != std::string::npos;
    };
    return is_atomic && (has(".cas.") || has(".max.") || has(".min."));
  };
  if (std::none_of(program.sources.begin(), program.sources.end(), swaps)) return {};
  const Addresses addresses(program);
  std::set<Addresses::Place> swapped;
  for (const SourceInstruction& source : program.sources) {
    if (swaps(source)) swapped.insert(addresses.of(source.text));
  }
  std::vector<uint32_t> loads;
  for (uint32_t i = 0; i < program.sources.size(); ++i) {
    const SourceInstruction& source = program.sources[i];
    if (source.opcode.starts_with("ld.") && swapped.contains(addresses.of(source.text)))
      loads.push_back(i);
  }
  return loads;
}

}  // namespace

LaunchContext::LaunchContext(const Program& p, DeviceShadow& device, bool helpers)
    : program(p),
      has_helpers(helpers),
      number(device.begin_launch()),
      unit(narrowest(p)),
      shadow(device) {
  std::map<std::pair<std::string_view, int>, uint32_t> numbers;
  lines_.reserve(p.sources.size());
  strengths_.reserve(p.sources.size());
  for (uint32_t i = 0; i < p.sources.size(); ++i) {
    const SourceLine& where = p.sources[i].where;
    lines_.push_back(
        where.file.empty() ? i : numbers.try_emplace({where.file, where.line}, i).first->second);
    strengths_.push_back(strength_of_opcode(p.sources[i].opcode));
  }
  has_messages_ = std::any_of(strengths_.begin(), strengths_.end(),
                              [](Strength s) { return s != Strength::weak; });
  for (const uint32_t load : loads_before_swaps(p)) strengths_[load] = Strength::atomic;
}

// Where threads meet, in the order of the code.
std::vector<uint32_t> LaunchContext::meetings() const {
  std::vector<uint32_t> all;
  for (const BasicBlock& block : program.blocks) {
    if (block.leave == Leave::barrier) all.push_back(block.instruction);
    for (uint32_t i = block.first; i < block.last; ++i) {
      const uint32_t instruction = program.ops[i].instruction;
      if (program.sources[instruction].opcode.starts_with("bar.warp")) all.push_back(instruction);
    }
  }
  return all;
}

// Then each of the line's accesses to memory is there several times. Of `s[t] += s[u]` only the load is.
bool LaunchContext::is_unrolled(uint32_t instruction) const {
  std::map<std::string_view, int> copies;
  for (uint32_t i = 0; i < lines_.size(); ++i) {
    const std::string& opcode = program.sources[i].opcode;
    const bool is_access = opcode.starts_with("ld.") || opcode.starts_with("st.") ||
                           opcode.starts_with("cp.async.c") || opcode.starts_with("atom.");
    if (lines_[i] == lines_[instruction] && is_access) ++copies[opcode];
  }
  return !copies.empty() &&
         std::all_of(copies.begin(), copies.end(), [](const auto& of) { return of.second > 1; });
}

// A branch back makes a loop of the blocks between; a loop that was unrolled has its instruction once for each turn.
LaunchContext::Loop LaunchContext::loop_around(uint32_t instruction) const {
  uint32_t first = instruction;
  uint32_t last = instruction;
  for (uint32_t i = 0; i < lines_.size() && is_unrolled(instruction); ++i) {
    const bool is_copy = lines_[i] == lines_[instruction] &&
                         program.sources[i].opcode == program.sources[instruction].opcode;
    if (is_copy) first = std::min(first, i);
    if (is_copy) last = std::max(last, i);
  }
  if (first == last) {
    uint32_t shortest = ~0u;
    for (const BasicBlock& block : program.blocks) {
      const bool jumps = block.leave == Leave::jump || block.leave == Leave::branch;
      if (!jumps || block.instruction < instruction) continue;
      const BasicBlock& target = program.blocks[block.taken];
      const uint32_t begin =
          target.first < target.last ? program.ops[target.first].instruction : target.instruction;
      if (begin > instruction || block.instruction - begin >= shortest) continue;
      shortest = block.instruction - begin;
      first = begin;
      last = block.instruction;
    }
  }
  if (first == last) return Loop::none;
  const std::vector<uint32_t> all = meetings();
  const bool has_barrier =
      std::any_of(all.begin(), all.end(), [&](uint32_t m) { return first <= m && m <= last; });
  return has_barrier ? Loop::with_barrier : Loop::without_barrier;
}

uint32_t LaunchContext::block_of(uint32_t instruction) const {
  for (uint32_t i = 0; i < program.blocks.size(); ++i) {
    const BasicBlock& block = program.blocks[i];
    if (block.has_terminator && block.instruction == instruction) return i;
    if (block.first == block.last) continue;
    const bool inside = program.ops[block.first].instruction <= instruction &&
                        instruction <= program.ops[block.last - 1].instruction;
    if (inside) return i;
  }
  return 0;
}

std::vector<uint32_t> LaunchContext::blocks_after(uint32_t at) const {
  const BasicBlock& block = program.blocks[at];
  std::vector<uint32_t> after = block.targets;
  const bool is_to_another =
      block.leave == Leave::jump || block.leave == Leave::branch || block.leave == Leave::call;
  if (is_to_another) after.push_back(block.taken);
  const bool ends = block.leave == Leave::jump || block.leave == Leave::indirect ||
                    block.leave == Leave::function_return ||
                    (block.leave == Leave::exit && !block.has_guard);
  if (!ends) after.push_back(at + 1);
  std::erase_if(after, [&](uint32_t next) { return next >= program.blocks.size(); });
  return after;
}

// Whether a way from one of the blocks comes to `to` without passing `around`.
bool LaunchContext::leads_to(std::vector<uint32_t> blocks, uint32_t to, uint32_t around) const {
  std::set<uint32_t> seen;
  while (!blocks.empty()) {
    const uint32_t block = blocks.back();
    blocks.pop_back();
    if (block == to) return true;
    if (block == around || !seen.insert(block).second) continue;
    for (const uint32_t next : blocks_after(block)) blocks.push_back(next);
  }
  return false;
}

bool LaunchContext::comes_next_turn(uint32_t instruction, uint32_t other) const {
  const uint32_t here = block_of(instruction);
  const uint32_t there = block_of(other);
  const auto none = static_cast<uint32_t>(program.blocks.size());
  if (leads_to(blocks_after(here), there, none) && leads_to(blocks_after(there), here, none))
    return true;
  return first_copy_of(other) < std::min(instruction, other);
}

uint32_t LaunchContext::first_copy_of(uint32_t instruction) const {
  const SourceInstruction& source = program.sources[instruction];
  for (uint32_t i = 0; i < instruction; ++i) {
    const SourceInstruction& copy = program.sources[i];
    if (copy.where == source.where && copy.called_from == source.called_from &&
        copy.opcode == source.opcode)
      return i;
  }
  return instruction;
}

// The order of the code says little: a compiler may put a loop's end before its beginning.
bool LaunchContext::comes_first(uint32_t start, uint32_t instruction, uint32_t other) const {
  const uint32_t here = block_of(instruction);
  const uint32_t there = block_of(other);
  if (here == there) return instruction <= other;
  const uint32_t none = static_cast<uint32_t>(program.blocks.size());
  const std::vector<uint32_t> from =
      start == 0 ? std::vector<uint32_t>{0} : blocks_after(block_of(start));
  const bool here_first = leads_to(from, here, there);
  if (here_first != leads_to(from, there, here)) return here_first;
  // Either may be first, as the branches go: one that leads to the other then is.
  const bool goes_on = leads_to(blocks_after(here), there, none);
  if (goes_on != leads_to(blocks_after(there), here, none)) return goes_on;
  return instruction <= other;
}

LaunchContext::~LaunchContext() { shadow.end_launch(); }

}  // namespace simulator
