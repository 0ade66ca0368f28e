#include "simulator/decode/shared_bases.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simulator/decode/opcodes.hpp"
#include "simulator/decode/register_allocation.hpp"

namespace simulator {
namespace {

using ptx::Instruction;
using ptx::Operand;
using Kind = Operand::Kind;

// A register's possible content: nothing yet, a value that is no shared address, an address within the variable
// of this number, or unknown. A register only moves down this list.
constexpr int32_t NOTHING = -3;
constexpr int32_t PLAIN = -1;
constexpr int32_t ANYTHING = -2;

int32_t either(int32_t a, int32_t b) {
  if (a == b || b == NOTHING) return a;
  if (a == NOTHING) return b;
  if (a == ANYTHING || b == ANYTHING) return ANYTHING;
  if (a == PLAIN) return b;
  return b == PLAIN ? a : ANYTHING;
}

// An instruction for the analysis of addresses.
struct Step {
  std::vector<size_t> results;
  int32_t own = NOTHING;        // its own contribution
  std::vector<size_t> carried;  // operands that the result may equal, or be a distance from
  std::vector<size_t> used_up;  // operands whose address does not survive in the result
};

class Derivation {
 public:
  Derivation(const ptx::Function& function, const std::map<std::string, int32_t>& variables)
      : function_(function), variables_(variables) {}

  std::map<std::string, int32_t> find() {
    for (const Instruction& instruction : function_.body) add_step(instruction);
    values_.assign(numbers_.size(), NOTHING);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Step& step : steps_) changed |= carry_out(step);
    }
    std::map<std::string, int32_t> bases;
    for (const auto& [name, number] : numbers_) {
      if (values_[number] >= 0) bases[name] = values_[number];
    }
    return bases;
  }

 private:
  size_t number_of(const std::string& name) {
    return numbers_.try_emplace(name, numbers_.size()).first->second;
  }

  // Records an operand of a computation.
  void take(const Operand& operand, Step& step, std::vector<size_t>& into) {
    if (operand.kind == Kind::reg) {
      into.push_back(number_of(operand.name));
    } else if (operand.kind == Kind::symbol) {
      const auto variable = variables_.find(operand.name);
      int32_t address = PLAIN;
      if (variable != variables_.end())
        address = &into == &step.carried ? variable->second : ANYTHING;
      step.own = either(step.own, address);
    } else {
      step.own = either(step.own, PLAIN);
    }
    for (const Operand& part : operand.parts) take(part, step, into);
  }

  bool is_of_kernel(const Operand& address) const {
    return std::any_of(
        function_.parameters.begin(), function_.parameters.end(),
        [&](const ptx::Variable& parameter) { return parameter.name == address.name; });
  }

  void add_step(const Instruction& instruction) {
    static const std::set<std::string_view> carriers = {"mov", "cvta", "cvt", "add",
                                                        "sub", "or",   "and", "xor"};
    const Facts opcode = classify(instruction.opcode);
    const Mentions mentions = mentions_of(instruction);
    if (mentions.writes.empty()) return;
    Step step;
    for (const std::string& name : mentions.writes) step.results.push_back(number_of(name));
    const std::string& head = instruction.opcode[0];
    const std::vector<Operand>& operands = instruction.operands;
    if (opcode.family == Family::load || opcode.family == Family::atomic) {
      // The memory may hold a pointer.
      const bool is_argument = operands.size() > 1 && is_of_kernel(operands[1]);
      const bool is_wide = ptx::type_bytes(instruction.opcode.back()) == 8;
      step.own = is_wide && !is_argument ? ANYTHING : PLAIN;
    } else {
      for (size_t i = 1; i < operands.size(); ++i) {
        const bool is_carried = carriers.contains(head) || (head == "selp" && i <= 2) ||
                                (head == "mad" && i == 3) || (head == "shfl" && i == 1);
        const bool is_in_one_piece =
            operands[i].kind != Kind::list && operands[0].kind != Kind::list;
        take(operands[i], step, is_carried && is_in_one_piece ? step.carried : step.used_up);
      }
      if (operands.size() == 1) step.own = PLAIN;
    }
    steps_.push_back(std::move(step));
  }

  bool carry_out(const Step& step) {
    int32_t value = step.own;
    for (const size_t r : step.carried) value = either(value, values_[r]);
    for (const size_t r : step.used_up)
      value = either(value, values_[r] >= 0 ? ANYTHING : values_[r] == NOTHING ? NOTHING : PLAIN);
    bool changed = false;
    for (const size_t r : step.results) {
      const int32_t joined = either(values_[r], value);
      changed |= joined != values_[r];
      values_[r] = joined;
    }
    return changed;
  }

  const ptx::Function& function_;
  const std::map<std::string, int32_t>& variables_;
  std::unordered_map<std::string, size_t> numbers_;
  std::vector<Step> steps_;
  std::vector<int32_t> values_;  // by register
};

}  // namespace

std::map<std::string, int32_t> find_shared_bases(const ptx::Function& function,
                                                 const std::map<std::string, int32_t>& variables) {
  if (variables.empty()) return {};
  return Derivation(function, variables).find();
}

}  // namespace simulator
