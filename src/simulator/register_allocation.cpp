#include "simulator/register_allocation.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

namespace simulator {
namespace {

using ptx::Instruction;
using ptx::Operand;

struct Mentions {
  std::vector<size_t> reads, writes;  // register numbers
};

/// Instructions whose first operand is no result.
bool writes_nothing(const Instruction& instruction) {
  static const std::set<std::string, std::less<>> heads = {
      "st",   "red",      "bra",       "brx", "ret",       "exit", "membar",      "fence",
      "trap", "prefetch", "prefetchu", "cp",  "nanosleep", "call", "__assertfail"};
  const std::string& head = instruction.opcode[0];
  if (heads.contains(head)) return true;
  if (head != "bar" && head != "barrier") return false;
  return std::find(instruction.opcode.begin(), instruction.opcode.end(), "red") ==
         instruction.opcode.end();
}

class Allocator {
 public:
  Allocator(const ptx::Function& function, const ControlFlow& flow)
      : function_(function), flow_(flow) {}

  RegisterMap allocate() {
    collect_mentions();
    find_live_ranges();
    assign_places();
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

  void collect(const Operand& operand, std::vector<size_t>& into) {
    if (operand.kind == Operand::Kind::reg) into.push_back(number_of(operand.name));
    for (const Operand& part : operand.parts) collect(part, into);
  }

  void collect_mentions() {
    for (const Instruction& instruction : function_.body) {
      Mentions& m = mentions_.emplace_back();
      for (size_t i = 0; i < instruction.operands.size(); ++i) {
        const Operand& operand = instruction.operands[i];
        const bool is_result =
            i == 0 && !writes_nothing(instruction) && operand.kind != Operand::Kind::address;
        collect(operand, is_result ? m.writes : m.reads);
        if (operand.kind == Operand::Kind::address && operand.base_is_register) {
          m.reads.push_back(number_of(operand.name));
        }
      }
      if (!instruction.guard.empty()) {
        m.reads.push_back(number_of(instruction.guard));
        m.reads.insert(m.reads.end(), m.writes.begin(),
                       m.writes.end());  // lanes that sit it out keep the old value
      }
    }
  }

  using Set = std::vector<bool>;

  void find_live_ranges() {
    const size_t blocks = flow_.blocks.size();
    const size_t registers = names_.size();
    std::vector<Set> read_first(blocks, Set(registers)), written(blocks, Set(registers));
    for (size_t b = 0; b < blocks; ++b) {
      for (size_t i = flow_.blocks[b].first; i < flow_.blocks[b].last; ++i) {
        for (const size_t r : mentions_[i].reads) {
          if (!written[b][r]) read_first[b][r] = true;
        }
        for (const size_t r : mentions_[i].writes) written[b][r] = true;
      }
    }
    std::vector<Set> live_in(blocks, Set(registers)), live_out(blocks, Set(registers));
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t b = blocks; b-- > 0;) {
        for (const uint32_t s : flow_.blocks[b].successors) {
          for (size_t r = 0; r < registers; ++r) {
            if (live_in[s][r]) live_out[b][r] = true;
          }
        }
        for (size_t r = 0; r < registers; ++r) {
          const bool live = read_first[b][r] || (live_out[b][r] && !written[b][r]);
          if (live && !live_in[b][r]) {
            live_in[b][r] = true;
            changed = true;
          }
        }
      }
    }
    ranges_.resize(registers);
    for (size_t b = 0; b < blocks; ++b) {
      const FlowBlock& block = flow_.blocks[b];
      for (size_t r = 0; r < registers; ++r) {
        // An instruction reads at 2i and writes at 2i + 1, so a result may take the place of an operand.
        if (live_in[b][r]) ranges_[r].cover(2 * block.first);
        if (live_out[b][r]) ranges_[r].cover(2 * block.last);
      }
      for (size_t i = block.first; i < block.last; ++i) {
        for (const size_t r : mentions_[i].reads) ranges_[r].cover(2 * i);
        for (const size_t r : mentions_[i].writes) ranges_[r].cover(2 * i + 1);
      }
    }
  }

  /// Free places of one width, lowest first.
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
    constexpr size_t WORD = sizeof(Lanes<uint32_t>);
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
  std::vector<Mentions> mentions_;
  std::vector<Range> ranges_;
};

}  // namespace

RegisterMap allocate_registers(const ptx::Function& function, const ControlFlow& flow) {
  return Allocator(function, flow).allocate();
}

}  // namespace simulator
