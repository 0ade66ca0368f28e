#include "simulator/decode/register_allocation.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <vector>

#include "simulator/decode/call_inlining.hpp"
#include "simulator/decode/opcodes.hpp"

namespace simulator {
namespace {

using ptx::Instruction;
using ptx::Operand;

struct MentionedNumbers {
  std::vector<size_t> reads, writes;
};

void collect(const Operand& operand, std::vector<std::string>& into) {
  if (operand.kind == Operand::Kind::reg) into.push_back(operand.name);
  for (const Operand& part : operand.parts) collect(part, into);
}

// A set of register numbers, 64 to a word. A large kernel has thousands of registers in hundreds of blocks.
class RegisterSet {
 public:
  explicit RegisterSet(size_t registers) : words_((registers + 63) / 64) {}

  bool contains(size_t r) const { return (words_[r / 64] >> (r % 64) & 1u) != 0; }
  void insert(size_t r) { words_[r / 64] |= uint64_t{1} << (r % 64); }
  void insert_all(const RegisterSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  // Inserts the members of `some` that are not in `others`. True if any is new.
  bool insert_all_but(const RegisterSet& some, const RegisterSet& others) {
    bool changed = false;
    for (size_t i = 0; i < words_.size(); ++i) {
      const uint64_t more = some.words_[i] & ~others.words_[i] & ~words_[i];
      words_[i] |= more;
      changed |= more != 0;
    }
    return changed;
  }
  template <typename Use>
  void for_each(Use&& use) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        use(64 * i + static_cast<size_t>(std::countr_zero(rest)));
      }
    }
  }

 private:
  std::vector<uint64_t> words_;
};

class Allocator {
 public:
  Allocator(const ptx::Function& function, const ControlFlow& flow)
      : function_(function), flow_(flow) {}

  RegisterMap allocate() {
    collect_mentions();
    find_live_ranges();
    cover_call_registers();
    assign_places();
    note_kept();
    return std::move(map_);
  }

 private:
  struct Range {
    size_t first = ~size_t{0}, last = 0;
    void cover(size_t position) {
      first = std::min(first, position);
      last = std::max(last, position);
    }
  };

  int width_of(const std::string& name) const {
    auto found = function_.registers.find(name);
    if (found == function_.registers.end()) {
      found =
          function_.registers.find(name.substr(0, name.find_last_not_of("0123456789") + 1) + "<>");
    }
    if (found->second == "pred") return 0;
    const uint32_t bytes = ptx::type_bytes(found->second);
    if (bytes == 0 || bytes > 8)
      throw std::runtime_error("registers of type ." + found->second + " are not supported");
    return bytes == 8 ? 8 : 4;
  }

  size_t number_of(const std::string& name) {
    const auto [found, is_new] = numbers_.try_emplace(name, names_.size());
    if (is_new) {
      names_.push_back(name);
      map_.widths[name] = width_of(name);
    }
    return found->second;
  }

  void collect_mentions() {
    for (const Instruction& instruction : function_.body) {
      const Mentions names = mentions_of(instruction);
      MentionedNumbers& m = mentions_.emplace_back();
      for (const std::string& name : names.writes) m.writes.push_back(number_of(name));
      for (const std::string& name : names.reads) m.reads.push_back(number_of(name));
    }
    keep_registers_of_products();
  }

  // Lets each wait for wgmma read the registers of all wgmma. The tensor core uses them until then, so they have their
  // places for themselves.
  void keep_registers_of_products() {
    std::set<size_t> used;
    for (size_t i = 0; i < mentions_.size(); ++i) {
      if (!is_product(function_.body[i], "mma_async")) continue;
      for (const size_t r : mentions_[i].reads) {
        if (map_.widths[names_[r]] == 4) used.insert(r);  // not a descriptor
      }
    }
    for (size_t i = 0; !used.empty() && i < mentions_.size(); ++i) {
      if (is_product(function_.body[i], "wait_group"))
        mentions_[i].reads.assign(used.begin(), used.end());
    }
  }
  static bool is_product(const Instruction& instruction, std::string_view operation) {
    return instruction.opcode.size() > 1 && instruction.opcode[0] == "wgmma" &&
           instruction.opcode[1] == operation;
  }

  // Finds for each block the registers that are read before they are written there, and the registers that are
  // written.
  void find_local_use(std::vector<RegisterSet>& read_first,
                      std::vector<RegisterSet>& written) const {
    for (size_t b = 0; b < flow_.blocks.size(); ++b) {
      for (size_t i = flow_.blocks[b].first; i < flow_.blocks[b].last; ++i) {
        for (const size_t r : mentions_[i].reads) {
          if (!written[b].contains(r)) read_first[b].insert(r);
        }
        for (const size_t r : mentions_[i].writes) written[b].insert(r);
      }
    }
  }

  void find_live_ranges() {
    const size_t blocks = flow_.blocks.size();
    const RegisterSet none(names_.size());
    std::vector<RegisterSet> read_first(blocks, none), written(blocks, none);
    find_local_use(read_first, written);
    std::vector<RegisterSet> live_in = read_first, live_out(blocks, none);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t b = blocks; b-- > 0;) {
        for (const uint32_t s : flow_.blocks[b].successors) live_out[b].insert_all(live_in[s]);
        changed |= live_in[b].insert_all_but(live_out[b], written[b]);
      }
    }
    for (size_t b = 0; b < blocks; ++b) {
      const bool calls = flow_.blocks[b].leave == Leave::call;
      live_behind_call_.push_back(calls ? live_out[b] : RegisterSet(0));
    }
    // An instruction reads at 2i and writes at 2i + 1, so a result may share the place of an operand.
    ranges_.resize(names_.size());
    for (size_t b = 0; b < blocks; ++b) {
      const FlowBlock& block = flow_.blocks[b];
      live_in[b].for_each([&](size_t r) { ranges_[r].cover(2 * block.first); });
      live_out[b].for_each([&](size_t r) { ranges_[r].cover(2 * block.last); });
      for (size_t i = block.first; i < block.last; ++i) {
        for (const size_t r : mentions_[i].reads) ranges_[r].cover(2 * i);
        for (const size_t r : mentions_[i].writes) ranges_[r].cover(2 * i + 1);
      }
    }
  }

  static bool is_call_register(const std::string& name) { return name.starts_with(CALL_REGISTER); }

  // Keeps the registers between caller and callee in their place from the first instruction to the last.
  void cover_call_registers() {
    for (size_t r = 0; r < names_.size(); ++r) {
      if (!is_call_register(names_[r])) continue;
      ranges_[r].cover(0);
      ranges_[r].cover(2 * function_.body.size() + 1);
    }
  }

  void note_kept() {
    for (const RegisterSet& live : live_behind_call_) {
      std::vector<KeptRegister>& kept = map_.kept.emplace_back();
      live.for_each([&](size_t r) {
        const std::string& name = names_[r];
        if (!is_call_register(name)) kept.push_back({map_.slots[name], map_.widths[name]});
      });
    }
  }

  // Free places of one width, lowest first.
  struct Pool {
    std::set<size_t> free;
    size_t used = 0;
    size_t take() {
      if (free.empty()) return used++;
      const size_t place = *free.begin();
      free.erase(free.begin());
      return place;
    }
  };

  void assign_places() {
    std::vector<size_t> order(names_.size());
    for (size_t r = 0; r < order.size(); ++r) order[r] = r;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(ranges_[a].first, a) < std::pair(ranges_[b].first, b);
    });
    std::map<int, Pool> pools;
    std::vector<size_t> place(names_.size());
    std::multimap<size_t, size_t> ending;  // last position -> register
    for (const size_t r : order) {
      while (!ending.empty() && ending.begin()->first < ranges_[r].first) {
        const size_t done = ending.begin()->second;
        pools[map_.widths[names_[done]]].free.insert(place[done]);
        ending.erase(ending.begin());
      }
      place[r] = pools[map_.widths[names_[r]]].take();
      ending.emplace(ranges_[r].last, r);
    }
    constexpr size_t WORD = WARP * sizeof(uint32_t);
    const size_t wide_bytes = pools[8].used * 2 * WORD;
    for (size_t r = 0; r < names_.size(); ++r) {
      const int width = map_.widths[names_[r]];
      size_t slot = place[r];
      if (width == 8) slot = place[r] * 2 * WORD;
      if (width == 4) slot = wide_bytes + place[r] * WORD;
      map_.slots[names_[r]] = static_cast<Slot>(slot);
    }
    // An even number of words, so that the next warp's 64-bit registers are aligned too.
    map_.bytes = wide_bytes + (pools[4].used + 1) / 2 * 2 * WORD;
    map_.predicates = pools[0].used;
    map_.words_per_thread = static_cast<int>(2 * pools[8].used + pools[4].used);
  }

  const ptx::Function& function_;
  const ControlFlow& flow_;
  RegisterMap map_;
  std::map<std::string, size_t> numbers_;
  std::vector<std::string> names_;
  std::vector<MentionedNumbers> mentions_;
  std::vector<Range> ranges_;
  std::vector<RegisterSet> live_behind_call_;  // by block; empty unless it ends in a call
};

}  // namespace

Mentions mentions_of(const Instruction& instruction) {
  Mentions m;
  const bool has_result = classify(instruction.opcode).has_result;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    const bool is_result = i == 0 && has_result && operand.kind != Operand::Kind::address;
    collect(operand, is_result ? m.writes : m.reads);
    if (operand.kind == Operand::Kind::address && operand.base_is_register)
      m.reads.push_back(operand.name);
  }
  if (!instruction.guard.empty()) {
    m.reads.push_back(instruction.guard);
    m.reads.insert(m.reads.end(), m.writes.begin(), m.writes.end());
  }
  return m;
}

RegisterMap allocate_registers(const ptx::Function& function, const ControlFlow& flow) {
  return Allocator(function, flow).allocate();
}

}  // namespace simulator
