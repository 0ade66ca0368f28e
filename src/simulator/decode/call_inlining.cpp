#include "simulator/decode/call_inlining.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "simulator/decode/instruction_set.hpp"

namespace simulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using Kind = Operand::Kind;

/// ld.param and st.param of a named place. (A kernel's own parameters may be read through a register.)
bool is_parameter_access(const Instruction& instruction) {
  const auto& opcode = instruction.opcode;
  if ((opcode[0] != "ld" && opcode[0] != "st") || opcode.size() < 3 || opcode[1] != "param")
    return false;
  return std::none_of(instruction.operands.begin(), instruction.operands.end(),
                      [](const Operand& operand) { return operand.base_is_register; });
}

/// A function without a body that the device knows by name.
struct SystemCall {
  std::string name;
  bool has_result;
  std::vector<std::string> argument_types;
  std::string result_type = "b32";
};

const std::map<std::string, SystemCall> SYSTEM_CALLS = {
    {"vprintf", {"vprintf", true, {"b64", "b64"}}},  // format, arguments
    {"__assertfail",
     {"__assertfail", false, {"b64", "b64", "b32", "b64"}}},  // message, file, line, function
    {"__simulator_malloc", {"__simulator_malloc", true, {"b64"}, "b64"}},
    {"__simulator_free", {"__simulator_free", false, {"b64"}}},
};

/// Rewrites one function's body into the kernel. Names get a prefix, so that every instance of a callee has
/// registers and labels of its own.
class Inliner {
 public:
  Inliner(const Function& kernel, const ptx::Module& module) : module_(module), result_(kernel) {
    result_.body.clear();
    result_.labels.clear();
    result_.branch_targets.clear();
    for (const ptx::Variable& parameter : kernel.parameters)
      kernel_parameters_.insert(parameter.name);
    append(kernel, Instance{});
  }

  Function take() { return std::move(result_); }

 private:
  struct Instance {
    std::string prefix;
    std::map<std::string, std::string>
        arguments;    // the callee's parameter -> the caller's argument
    std::string end;  // the label that a ret becomes a branch to
    uint32_t first_line = 0;
  };

  void append(const Function& function, const Instance& instance) {
    std::multimap<size_t, std::string> labels;
    for (const auto& [label, position] : function.labels) labels.emplace(position, label);
    for (const auto& [table, targets] : function.branch_targets) {
      for (const std::string& target : targets) {
        result_.branch_targets[instance.prefix + table].push_back(instance.prefix + target);
      }
    }
    for (size_t i = 0; i <= function.body.size(); ++i) {
      const auto [begin, end] = labels.equal_range(i);
      for (auto label = begin; label != end; ++label) {
        result_.labels[instance.prefix + label->second] = result_.body.size();
      }
      if (i < function.body.size()) append(function.body[i], instance);
    }
    if (!instance.end.empty()) result_.labels[instance.end] = result_.body.size();
  }

  void append(const Instruction& original, const Instance& instance) {
    Instruction instruction = rename(original, instance);
    if (instruction.opcode[0] == "call") {
      append_call(instruction);
    } else if (is_parameter_access(instruction) && !names_kernel_parameter(instruction)) {
      append_argument_moves(instruction);
    } else if (instruction.opcode[0] == "ret" && !instance.end.empty()) {
      instruction.opcode = {"bra"};
      instruction.operands = {symbol(instance.end)};
      result_.body.push_back(std::move(instruction));
    } else {
      result_.body.push_back(std::move(instruction));
    }
  }

  Instruction rename(const Instruction& original, const Instance& instance) const {
    Instruction instruction = original;
    instruction.line += instruction.line == 0 ? 0 : instance.first_line;
    if (instance.prefix.empty()) return instruction;
    if (!instruction.guard.empty()) instruction.guard = instance.prefix + instruction.guard;
    const bool is_branch = instruction.opcode[0] == "bra" || instruction.opcode[0] == "brx";
    for (Operand& operand : instruction.operands) rename(operand, instance, is_branch);
    return instruction;
  }

  static void rename(Operand& operand, const Instance& instance, bool is_branch) {
    const bool is_register =
        operand.kind == Kind::reg || (operand.kind == Kind::address && operand.base_is_register);
    if (is_register || (is_branch && operand.kind == Kind::symbol)) {
      operand.name = instance.prefix + operand.name;
    } else if (const auto argument = instance.arguments.find(operand.name);
               argument != instance.arguments.end()) {
      operand.name = argument->second;
    }
    for (Operand& part : operand.parts) rename(part, instance, is_branch);
  }

  bool names_kernel_parameter(const Instruction& instruction) const {
    return std::any_of(
        instruction.operands.begin(), instruction.operands.end(),
        [&](const Operand& operand) { return kernel_parameters_.contains(operand.name); });
  }

  /// An argument at a byte offset is a register of its own: "param0+8.b64". Every call of a kernel has a
  /// param0, and the next one's may be of another width.
  Operand argument_register(const std::string& argument, int64_t offset, const std::string& type) {
    const std::string width = ptx::type_bytes(type) == 8 ? "b64" : "b32";
    Operand operand;
    operand.kind = Kind::reg;
    operand.name = argument + "+" + std::to_string(offset) + "." + width;
    result_.registers[operand.name] = width;
    return operand;
  }

  static Operand symbol(const std::string& name) {
    Operand operand;
    operand.kind = Kind::symbol;
    operand.name = name;
    return operand;
  }

  /// The type that a register was declared with; %r1 is one of the family %r<>.
  const std::string& declared_type(const std::string& name) const {
    const auto own = result_.registers.find(name);
    if (own != result_.registers.end()) return own->second;
    return result_.registers.at(name.substr(0, name.find_last_not_of("0123456789") + 1) + "<>");
  }

  /// From an argument's register to one that may be wider than what is loaded: extended as the type says.
  std::vector<std::string> extension(const Operand& to, const std::string& type) const {
    const uint32_t bytes = ptx::type_bytes(type);
    const bool into_wide = to.kind == Kind::reg && ptx::type_bytes(declared_type(to.name)) == 8;
    if (bytes == 8) return {"mov", "b64"};
    if (bytes == 4 && !into_wide) return {"mov", "b32"};
    const std::string sign = type[0] == 's' ? "s" : "u";
    return {"cvt", sign + (into_wide ? "64" : "32"), sign + std::to_string(8 * bytes)};
  }

  /// ld.param / st.param of an argument: a move for each part.
  void append_argument_moves(const Instruction& instruction) {
    const bool is_load = instruction.opcode[0] == "ld";
    const Operand& place = instruction.operands.at(is_load ? 1 : 0);
    const Operand& data = instruction.operands.at(is_load ? 0 : 1);
    const std::string& type = instruction.opcode.back();
    const std::vector<Operand> parts =
        data.kind == Kind::list ? data.parts : std::vector<Operand>{data};
    for (size_t i = 0; i < parts.size(); ++i) {
      const auto offset = place.offset + static_cast<int64_t>(i * ptx::type_bytes(type));
      const Operand argument = argument_register(place.name, offset, type);
      Instruction move = instruction;
      if (is_load) {
        move.opcode = extension(parts[i], type);
        move.operands = {parts[i], argument};
      } else {
        move.opcode = {"mov", ptx::type_bytes(type) == 8 ? "b64" : "b32"};
        move.operands = {argument, parts[i]};
      }
      result_.body.push_back(std::move(move));
    }
  }

  void append_call(const Instruction& call) {
    const bool has_result = call.operands.at(0).kind == Kind::list;
    const Operand& target = call.operands.at(has_result ? 1 : 0);
    const std::vector<Operand> results =
        has_result ? call.operands[0].parts : std::vector<Operand>{};
    const size_t next = has_result ? 2 : 1;
    const std::vector<Operand> arguments =
        call.operands.size() > next ? call.operands[next].parts : std::vector<Operand>{};
    if (const auto known = SYSTEM_CALLS.find(target.name); known != SYSTEM_CALLS.end()) {
      return append_system_call(call, known->second, results, arguments);
    }
    if (target.name.starts_with(MATHEMATICS_PREFIX)) {
      return append_mathematics(call, target.name, results, arguments);
    }
    const Function* const callee = module_.find(target.name);
    const bool can_inline = callee != nullptr && callee->has_body && !callee->is_entry;
    if (!can_inline || being_inlined_.contains(target.name)) {
      result_.body.push_back(call);
      return;
    }
    being_inlined_.insert(target.name);
    append(*callee, enter(*callee, results, arguments));
    being_inlined_.erase(target.name);
  }

  /// A function that the device itself provides becomes an instruction of its name, with plain registers.
  void append_system_call(const Instruction& call, const SystemCall& known,
                          const std::vector<Operand>& results,
                          const std::vector<Operand>& arguments) {
    Instruction instruction = call;
    instruction.opcode = {known.name};
    instruction.operands.clear();
    if (known.has_result)
      instruction.operands.push_back(argument_register(results.at(0).name, 0, known.result_type));
    for (size_t i = 0; i < known.argument_types.size(); ++i) {
      instruction.operands.push_back(
          argument_register(arguments.at(i).name, 0, known.argument_types[i]));
    }
    result_.body.push_back(std::move(instruction));
  }

  /// The same for a mathematical function; its types are those of its declaration.
  void append_mathematics(const Instruction& call, const std::string& name,
                          const std::vector<Operand>& results,
                          const std::vector<Operand>& arguments) {
    const Function* const declared = module_.find(name);
    if (declared == nullptr) {
      result_.body.push_back(call);
      return;
    }
    SystemCall function{name, true, {}, declared->results.at(0).type};
    for (const ptx::Variable& parameter : declared->parameters)
      function.argument_types.push_back(parameter.type);
    append_system_call(call, function, results, arguments);
  }

  Instance enter(const Function& callee, const std::vector<Operand>& results,
                 const std::vector<Operand>& arguments) {
    Instance instance;
    instance.prefix = "@" + std::to_string(++instances_);
    instance.end = instance.prefix + "end";
    for (size_t i = 0; i < std::min(callee.parameters.size(), arguments.size()); ++i) {
      instance.arguments[callee.parameters[i].name] = arguments[i].name;
    }
    for (size_t i = 0; i < std::min(callee.results.size(), results.size()); ++i) {
      instance.arguments[callee.results[i].name] = results[i].name;
    }
    // lines[0] stands for "no line" in both.
    instance.first_line = static_cast<uint32_t>(result_.lines.size() - 1);
    result_.lines.insert(result_.lines.end(), callee.lines.begin() + 1, callee.lines.end());
    for (const auto& [name, type] : callee.registers)
      result_.registers[instance.prefix + name] = type;
    for (const ptx::Variable& variable : callee.variables) {
      const bool known =
          std::any_of(result_.variables.begin(), result_.variables.end(),
                      [&](const ptx::Variable& v) { return v.name == variable.name; });
      if (!known) result_.variables.push_back(variable);
    }
    return instance;
  }

  const ptx::Module& module_;
  Function result_;
  std::set<std::string> kernel_parameters_;
  std::set<std::string> being_inlined_;
  int instances_ = 0;
};

}  // namespace

Function inline_calls(const Function& kernel, const ptx::Module& module) {
  return Inliner(kernel, module).take();
}

}  // namespace simulator
