#include "simulator/decode/written_parameters.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "simulator/decode/opcodes.hpp"
#include "simulator/decode/register_allocation.hpp"

namespace simulator {
namespace {

using ptx::Instruction;
using ptx::Operand;

// Where a register's value may come from: a bit for each 8 bytes of the parameters, one for all else that may be a pointer, and one for
// what may be a piece of a pointer.
using Origins = uint64_t;
constexpr Origins ELSEWHERE = uint64_t{1} << 63;
constexpr Origins PIECE = uint64_t{1} << 62;
constexpr uint64_t MOST_PARTS = 62;
constexpr uint64_t PART = 8;

bool has(const Instruction& instruction, std::string_view word) {
  return std::ranges::find(instruction.opcode, word) != instruction.opcode.end();
}

// An instruction's results have the origins of what it reads, and its own.
struct Step {
  std::vector<size_t> results, reads;
  Origins own = 0;
  bool joins = false;  // makes 8 bytes of pieces
};

class Tracking {
 public:
  Tracking(const ptx::Function& function, const std::vector<ParameterInfo>& parameters)
      : function_(function), parameters_(parameters) {
    for (size_t i = 0; i < parameters.size(); ++i)
      place_of_[function.parameters[i].name] = parameters[i].offset;
  }

  std::optional<std::vector<uint64_t>> find() {
    for (const ParameterInfo& parameter : parameters_) {
      if (parameter.offset + parameter.bytes > MOST_PARTS * PART) return std::nullopt;
    }
    for (const Instruction& instruction : function_.body) add_step(instruction);
    origins_.assign(numbers_.size(), 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Step& step : steps_) changed |= carry_out(step);
    }
    Origins written = written_itself_;
    for (const size_t address : addresses_) written |= origins_[address];
    if ((written & ELSEWHERE) != 0) return std::nullopt;
    std::vector<uint64_t> places;
    for (uint64_t part = 0; part < MOST_PARTS; ++part) {
      if ((written >> part & 1) != 0) places.push_back(part * PART);
    }
    return places;
  }

 private:
  size_t number_of(const std::string& name) {
    return numbers_.try_emplace(name, numbers_.size()).first->second;
  }

  // A load of 8 bytes may fetch a pointer, one of fewer a piece of it.
  Origins loaded_by(const Instruction& load) const {
    const std::string& type = load.opcode.back();
    const uint64_t bytes = ptx::type_bytes(type);
    if (load.operands.size() < 2) return ELSEWHERE;  // the decoder refuses it
    const Operand& address = load.operands[1];
    const auto parameter = place_of_.find(address.name);
    if (parameter == place_of_.end() || address.base_is_register)
      return bytes < PART ? PIECE : type[0] != 'f' ? ELSEWHERE : 0;
    const uint64_t first = parameter->second + static_cast<uint64_t>(address.offset);
    const uint64_t last = first + bytes * std::max<size_t>(load.operands[0].parts.size(), 1) - 1;
    Origins origins = 0;
    for (uint64_t part = first / PART; part <= std::min(last / PART, MOST_PARTS - 1); ++part)
      origins |= Origins{1} << part;
    return origins;
  }

  // `mov.b64 %rd, {%r1, %r2}`, and what joins bytes. A sum with an index that was loaded does not.
  static bool joins(const Instruction& instruction) {
    const std::string& head = instruction.opcode[0];
    const bool packs =
        head == "mov" && instruction.operands.size() > 1 && !instruction.operands[1].parts.empty();
    return instruction.opcode.back().ends_with("64") && (packs || head == "or" || head == "bfi");
  }

  void add_step(const Instruction& instruction) {
    const Facts facts = classify(instruction.opcode);
    note_written(instruction, facts.family);
    const Mentions mentions = mentions_of(instruction);
    if (mentions.writes.empty()) return;
    Step step;
    for (const std::string& name : mentions.writes) step.results.push_back(number_of(name));
    switch (facts.family) {
      case Family::load:
        step.own = loaded_by(instruction);
        break;
      case Family::atomic:
        step.own = ptx::type_bytes(instruction.opcode.back()) == PART ? ELSEWHERE : 0;
        break;
      default:
        step.joins = joins(instruction);
        for (const std::string& name : mentions.reads) step.reads.push_back(number_of(name));
    }
    steps_.push_back(std::move(step));
  }

  bool carry_out(const Step& step) {
    Origins all = step.own;
    for (const size_t read : step.reads) all |= origins_[read];
    if (step.joins && (all & PIECE) != 0) all |= ELSEWHERE;
    bool changed = false;
    for (const size_t result : step.results) {
      changed |= (all & ~origins_[result]) != 0;
      origins_[result] |= all;
    }
    return changed;
  }

  // Notes where the instruction writes in global memory.
  void note_written(const Instruction& instruction, Family family) {
    const auto is_shared = [](const std::string& word) { return word.starts_with("shared"); };
    if (family == Family::call || family == Family::unavailable) written_itself_ |= ELSEWHERE;
    if (family == Family::bulk_copy) {
      const auto target = std::ranges::find_if(instruction.opcode, [&](const std::string& word) {
        return word == "global" || is_shared(word);
      });
      if (target != instruction.opcode.end() && *target == "global") written_itself_ |= ELSEWHERE;
    }
    if ((family != Family::store && family != Family::atomic) || has(instruction, "local") ||
        has(instruction, "param") || std::ranges::any_of(instruction.opcode, is_shared))
      return;
    const auto address =
        std::ranges::find(instruction.operands, Operand::Kind::address, &Operand::kind);
    if (address == instruction.operands.end()) {
      written_itself_ |= ELSEWHERE;
    } else if (address->base_is_register) {  // else a variable
      addresses_.push_back(number_of(address->name));
    }
  }

  const ptx::Function& function_;
  const std::vector<ParameterInfo>& parameters_;
  std::unordered_map<std::string, uint64_t> place_of_;  // of a parameter
  std::unordered_map<std::string, size_t> numbers_;     // of a register
  std::vector<Step> steps_;
  std::vector<size_t> addresses_;  // the registers that hold an address that is written
  Origins written_itself_ = 0;     // of what is written through no register
  std::vector<Origins> origins_;   // by register
};

}  // namespace

std::optional<std::vector<uint64_t>> find_written_parameters(
    const ptx::Function& function, const std::vector<ParameterInfo>& parameters) {
  return Tracking(function, parameters).find();
}

}  // namespace simulator
