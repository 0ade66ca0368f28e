#include "simulator/decode/call_inlining.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulator/decode/instruction_set.hpp"
#include "simulator/decode/opcodes.hpp"

namespace simulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using Kind = Operand::Kind;

// True for ld.param and st.param of a named place. (A kernel's own parameters may be read through a register.)
bool is_parameter_access(const Instruction& instruction) {
  const auto& opcode = instruction.opcode;
  if ((opcode[0] != "ld" && opcode[0] != "st") || opcode.size() < 3 || opcode[1] != "param")
    return false;
  return std::none_of(instruction.operands.begin(), instruction.operands.end(),
                      [](const Operand& operand) { return operand.base_is_register; });
}

constexpr uint64_t WIDEST_PART = 8;  // bytes of the widest register

// A function without a body. The device knows it by name.
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
    {"__simulator_grid_is_valid", {"__simulator_grid_is_valid", true, {}}},
    {"__simulator_grid_arrive", {"__simulator_grid_arrive", true, {}}},
    {"__simulator_grid_wait", {"__simulator_grid_wait", false, {"b32"}}},  // the arrival
};

// Writes one function's body into the kernel. Names get a prefix, so that every instance of a callee has its own
// registers and labels.
class Inliner {
 public:
  Inliner(const Function& kernel, const ptx::Module& module) : module_(module), result_(kernel) {
    result_.body.clear();
    result_.labels.clear();
    result_.branch_targets.clear();
    for (const ptx::Variable& parameter : kernel.parameters)
      kernel_parameters_.insert(parameter.name);
    append(kernel, Instance{});
    if (called_.empty()) return;
    Instruction end;
    end.opcode = {"ret"};
    result_.body.push_back(end);
    for (size_t i = 0; i < called_.size(); ++i) append_called(*module_.find(called_[i]));
    give_calls_their_locals();
  }

  Function take() { return std::move(result_); }

 private:
  // For each argument's place, the offsets and types of the parts stored in it.
  using StoredParts = std::map<std::string, std::set<std::pair<int64_t, std::string>>>;

  struct Instance {
    std::string prefix;
    std::map<std::string, std::string>
        arguments;                    // the callee's parameter -> the caller's argument
    std::set<std::string> in_memory;  // the parameters in local memory, under their own names
    std::string end;                  // the label to which each ret branches
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
    const std::set<std::string> handed_on = registers_handed_on(function);
    for (size_t i = 0; i <= function.body.size(); ++i) {
      const auto [begin, end] = labels.equal_range(i);
      for (auto label = begin; label != end; ++label) {
        result_.labels[instance.prefix + label->second] = result_.body.size();
      }
      if (i == function.body.size()) break;
      Instruction instruction = function.body[i];
      const bool is_load = instruction.opcode[0] == "ld" && !instruction.operands.empty();
      if (is_load) instruction.is_handed_on = is_among(instruction.operands[0], handed_on);
      append(instruction, instance);
    }
    if (!instance.end.empty()) result_.labels[instance.end] = result_.body.size();
  }

  // Returns the registers that only st.param reads.
  static std::set<std::string> registers_handed_on(const Function& function) {
    std::set<std::string> handed_on, used;
    for (const Instruction& instruction : function.body) {
      const bool is_argument = is_parameter_access(instruction) && instruction.opcode[0] == "st";
      std::set<std::string>& into = is_argument ? handed_on : used;
      const size_t first_read = instruction.opcode[0] == "ld" ? 1 : 0;
      for (size_t i = first_read; i < instruction.operands.size(); ++i)
        note_names(instruction.operands[i], into);
    }
    for (const std::string& name : used) handed_on.erase(name);
    return handed_on;
  }

  static void note_names(const Operand& operand, std::set<std::string>& into) {
    into.insert(operand.name);
    for (const Operand& part : operand.parts) note_names(part, into);
  }

  static bool is_among(const Operand& operand, const std::set<std::string>& names) {
    return operand.parts.empty()
               ? names.contains(operand.name)
               : std::all_of(operand.parts.begin(), operand.parts.end(),
                             [&](const Operand& part) { return is_among(part, names); });
  }

  void append(const Instruction& original, const Instance& instance) {
    Instruction instruction = rename(original, instance);
    if (instruction.opcode[0] == "call") {
      append_call(instruction);
    } else if (reads_parameter_in_memory(instruction, instance)) {
      instruction.opcode[1] = "local";
      result_.body.push_back(std::move(instruction));
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

  // --- structures in memory -------------------------------------------------------------------------

  // An argument is a few registers, one for each part of a structure. A function that computes an offset in a
  // structure needs the structure in memory. Then the parameter is a variable in local memory, which the caller
  // fills.

  // Returns the parameters whose address the function takes: instructions other than ld.param name them.
  static std::set<std::string> parameters_with_address(const Function& function) {
    std::set<std::string> named;
    for (const Instruction& instruction : function.body) {
      if (instruction.opcode[0] == "call" || is_parameter_access(instruction)) continue;
      for (const Operand& operand : instruction.operands) named.insert(operand.name);
    }
    std::set<std::string> parameters;
    for (const ptx::Variable& parameter : function.parameters) {
      if (named.contains(parameter.name)) parameters.insert(parameter.name);
    }
    return parameters;
  }

  // True if the function loads parts of the parameter other than the stored ones, for example both halves of 8
  // bytes at once.
  static bool loads_other_parts(const Function& function, const std::string& parameter,
                                const StoredParts& stored, const std::string& argument) {
    const auto parts = stored.find(argument);
    if (parts == stored.end()) return false;
    std::set<std::pair<int64_t, uint32_t>> sizes;
    for (const auto& [offset, type] : parts->second) sizes.emplace(offset, ptx::type_bytes(type));
    bool loads_others = false;
    for_each_part(function, parameter, [&](int64_t offset, const std::string& type, const auto&) {
      loads_others |= !sizes.contains({offset, ptx::type_bytes(type)});
    });
    return loads_others;
  }

  static bool reads_parameter_in_memory(const Instruction& instruction, const Instance& instance) {
    if (instruction.opcode.size() < 3 || instruction.opcode[0] != "ld" ||
        instruction.opcode[1] != "param" || instance.prefix.empty())
      return false;
    const Operand& place = instruction.operands.at(1);
    return place.base_is_register || instance.in_memory.contains(place.name);
  }

  void add_local_variable(const std::string& name, const ptx::Variable& parameter) {
    const auto known = std::find_if(result_.variables.begin(), result_.variables.end(),
                                    [&](const ptx::Variable& v) { return v.name == name; });
    if (known != result_.variables.end()) {
      known->count = std::max(known->count, parameter.bytes());
      return;
    }
    ptx::Variable variable;
    variable.name = name;
    variable.space = "local";
    variable.type = "b8";
    variable.align = WIDEST_PART;
    variable.count = parameter.bytes();
    variable.is_array = true;
    result_.variables.push_back(std::move(variable));
  }

  static Operand place_in(const std::string& variable, int64_t offset) {
    Operand place;
    place.kind = Kind::address;
    place.name = variable;
    place.offset = offset;
    return place;
  }

  void append_local(const char* load_or_store, const std::string& type,
                    std::vector<Operand> operands, const Instruction& of) {
    Instruction access = of;
    access.guard.clear();
    access.opcode = {load_or_store, "local", type};
    access.operands = std::move(operands);
    result_.body.push_back(std::move(access));
  }

  // Stores the caller's parts, and zeros in the structure's gaps: a copy of the whole structure may read them.
  void fill(const std::string& variable, uint64_t bytes, const std::string& argument,
            const StoredParts& stored, const Instruction& of) {
    std::vector<bool> is_part(bytes);
    const auto parts = stored.find(argument);
    if (parts != stored.end()) {
      for (const auto& [offset, type] : parts->second) {
        // A call through a pointer reaches one of several functions. A part beyond this parameter's end belongs
        // to another of them.
        if (static_cast<uint64_t>(offset) + ptx::type_bytes(type) > bytes) continue;
        append_local("st", "b" + std::to_string(8 * ptx::type_bytes(type)),
                     {place_in(variable, offset), argument_register(argument, offset, type)}, of);
        for (uint64_t i = 0; i < ptx::type_bytes(type); ++i)
          is_part.at(static_cast<uint64_t>(offset) + i) = true;
      }
    }
    Operand zero;
    zero.kind = Kind::immediate;
    for (uint64_t i = 0; i < bytes; ++i) {
      if (!is_part[i])
        append_local("st", "b8", {place_in(variable, static_cast<int64_t>(i)), zero}, of);
    }
  }

  static std::string call_memory(size_t number) {
    return std::string(CALL_REGISTER) + "memory" + std::to_string(number);
  }

  // --- calls that stay calls ------------------------------------------------------------------------

  // True if a call of the function may lead to another call of it.
  bool is_recursive(const std::string& name) {
    const auto known = recursive_.find(name);
    if (known != recursive_.end()) return known->second;
    std::set<std::string> reached;
    std::vector<std::string> left{name};
    while (!left.empty()) {
      const Function* const function = module_.find(left.back());
      left.pop_back();
      if (function == nullptr) continue;
      for (const Instruction& instruction : function->body) {
        if (instruction.opcode[0] != "call") continue;
        const std::string& callee = target_of(instruction).name;
        if (reached.insert(callee).second) left.push_back(callee);
      }
    }
    return recursive_[name] = reached.contains(name);
  }

  static const Operand& target_of(const Instruction& call) {
    return call.operands.at(call.operands.at(0).kind == Kind::list ? 1 : 0);
  }

  // Returns the label at which the function will begin.
  std::string called_label(const std::string& name) {
    if (std::find(called_.begin(), called_.end(), name) == called_.end()) called_.push_back(name);
    return std::string(FUNCTION_LABEL) + name;
  }

  // Adds all functions that a pointer may hold: an instruction or a variable's initial value names them.
  void call_all_with_address() {
    if (std::exchange(addresses_called_, true)) return;
    std::set<std::string> named;
    const auto note = [&](const Operand& operand) {
      if (operand.kind == Kind::symbol) named.insert(operand.name);
    };
    for (const ptx::Variable& variable : module_.variables()) {
      for (const auto& [offset, symbol] : variable.addresses) note(symbol);
    }
    for (const std::string& name : module_.functions()) {
      const Function* const function = find_readable(name);
      if (function == nullptr) continue;
      for (const Instruction& instruction : function->body) {
        if (instruction.opcode[0] == "call") continue;
        for (const Operand& operand : instruction.operands) note(operand);
      }
    }
    for (const std::string& name : named) {
      const Function* const function = find_readable(name);
      if (function != nullptr && function->has_body && !function->is_entry) called_label(name);
    }
  }

  // Returns nullptr for a function that cannot be read. It cannot run and passes no address on. A call of it
  // finds no function.
  const Function* find_readable(const std::string& name) const {
    try {
      return module_.find(name);
    } catch (const Unreadable&) {
      return nullptr;
    }
  }

  static Operand plain_register(const std::string& name) {
    Operand operand;
    operand.kind = Kind::reg;
    operand.name = name;
    return operand;
  }

  void append_move(const Operand& to, const Operand& from, const Instruction& of) {
    Instruction move = of;
    move.guard.clear();
    move.opcode = {"mov", declared_type(to.name)};
    move.operands = {to, from};
    result_.body.push_back(std::move(move));
  }

  static std::string call_argument(size_t number) {
    return std::string(CALL_REGISTER) + "argument" + std::to_string(number);
  }
  static std::string call_result() { return std::string(CALL_REGISTER) + "result"; }

  // Returns the functions that a call through a pointer may reach, or the function that the call names.
  std::vector<const Function*> reached_by(const Operand& target) const {
    if (target.kind != Kind::reg) return {module_.find(target.name.substr(FUNCTION_LABEL.size()))};
    std::vector<const Function*> functions;
    for (const std::string& name : called_) functions.push_back(module_.find(name));
    return functions;
  }

  // Appends a call. Arguments go to registers that the callee knows, or to memory if the callee needs them there.
  // The result is read from a register at once: in PTX the loads of a call's result follow it directly.
  void append_real_call(const Instruction& call, const Operand& target,
                        const std::vector<Operand>& results, const std::vector<Operand>& arguments,
                        const StoredParts& stored) {
    std::map<size_t, uint64_t> bytes_in_memory;  // by argument number
    for (const Function* const callee : reached_by(target)) {
      const std::set<std::string> in_memory = parameters_with_address(*callee);
      for (size_t i = 0; i < std::min(arguments.size(), callee->parameters.size()); ++i) {
        const ptx::Variable& parameter = callee->parameters[i];
        if (!in_memory.contains(parameter.name)) continue;
        add_local_variable(call_memory(i), parameter);
        bytes_in_memory[i] = std::max(bytes_in_memory[i], parameter.bytes());
      }
    }
    for (const auto& [number, bytes] : bytes_in_memory)
      fill(call_memory(number), bytes, arguments[number].name, stored, call);
    for (size_t i = 0; i < arguments.size(); ++i) {
      const auto parts = stored.find(arguments[i].name);
      if (parts == stored.end()) continue;
      for (const auto& [offset, type] : parts->second) {
        append_move(argument_register(call_argument(i), offset, type),
                    argument_register(arguments[i].name, offset, type), call);
      }
    }
    Instruction real = call;
    real.opcode = {CALL};
    real.operands = {target};
    result_.body.push_back(std::move(real));
    if (!results.empty()) result_in_register_ = results[0].name;
  }

  // Appends a function that is called. It takes its arguments from the caller's places before any other call, and
  // has one exit.
  void append_called(const Function& function) {
    std::vector<Operand> results(function.results.size());
    for (Operand& result : results) result.name = call_result();
    std::vector<Operand> arguments(function.parameters.size());
    Instance instance = enter(function, results, arguments);
    instance.in_memory = parameters_with_address(function);
    result_.labels[std::string(FUNCTION_LABEL) + function.name] = result_.body.size();
    result_in_register_.clear();
    for (size_t i = 0; i < arguments.size(); ++i) {
      const std::string& parameter = function.parameters[i].name;
      if (instance.in_memory.contains(parameter)) {
        instance.arguments.erase(parameter);
        add_local_variable(call_memory(i), function.parameters[i]);
        take_from_memory(function, i, instance);
        continue;
      }
      const std::string own = instance.prefix + parameter;
      instance.arguments[parameter] = own;
      for (const auto& [part, instruction] : loaded_parts(function, parameter)) {
        append_move(argument_register(own, part.first, part.second),
                    argument_register(call_argument(i), part.first, part.second),
                    rename(*instruction, instance));
      }
    }
    append(function, instance);
    Instruction back;
    if (!function.body.empty()) back = rename(function.body.back(), instance);
    back.guard.clear();
    back.opcode = {FUNCTION_RETURN};
    back.operands.clear();
    back.source = "ret";
    result_.body.push_back(std::move(back));
  }

  // Copies a parameter from the call's place to a place that calls in this function cannot overwrite.
  void take_from_memory(const Function& function, size_t number, const Instance& instance) {
    const ptx::Variable& parameter = function.parameters[number];
    add_local_variable(parameter.name, parameter);
    if (function.body.empty()) return;
    const Instruction first = rename(function.body.front(), instance);
    const Operand piece = plain_register(std::string(CALL_REGISTER) + "piece");
    result_.registers[piece.name] = "b64";
    for (uint64_t at = 0; at < parameter.bytes();) {
      uint64_t bytes = WIDEST_PART;
      while (at + bytes > parameter.bytes()) bytes /= 2;
      const std::string type = "b" + std::to_string(8 * bytes);
      const auto offset = static_cast<int64_t>(at);
      append_local("ld", type, {piece, place_in(call_memory(number), offset)}, first);
      append_local("st", type, {place_in(parameter.name, offset), piece}, first);
      at += bytes;
    }
  }

  // Returns the parts of a parameter that the function reads, each with an instruction that reads it.
  static std::map<std::pair<int64_t, std::string>, const Instruction*> loaded_parts(
      const Function& function, const std::string& parameter) {
    std::map<std::pair<int64_t, std::string>, const Instruction*> parts;
    for_each_part(function, parameter,
                  [&](int64_t offset, const std::string& type, const Instruction& instruction) {
                    parts.try_emplace({offset, register_type(type)}, &instruction);
                  });
    return parts;
  }

  // Calls each(offset, type, instruction) for each part of the parameter that the function loads.
  template <typename Each>
  static void for_each_part(const Function& function, const std::string& parameter, Each each) {
    for (const Instruction& instruction : function.body) {
      if (!is_parameter_access(instruction) || instruction.opcode[0] != "ld" ||
          instruction.operands.at(1).name != parameter)
        continue;
      const Operand& data = instruction.operands[0];
      const std::string& type = instruction.opcode.back();
      const size_t count = data.kind == Kind::list ? data.parts.size() : 1;
      for (size_t i = 0; i < count; ++i) {
        const auto offset =
            instruction.operands[1].offset + static_cast<int64_t>(i * ptx::type_bytes(type));
        each(offset, type, instruction);
      }
    }
  }

  // Moves local variables by the bytes that the calls in progress use. A register holds this distance: 0 in the
  // kernel, one frame more in each called function.
  void give_calls_their_locals() {
    std::set<std::string> locals;
    for (const ptx::Variable& variable : result_.variables) {
      if (variable.space == "local" && !variable.name.starts_with(CALL_REGISTER))
        locals.insert(variable.name);
    }
    if (locals.empty()) return;
    const Operand base = plain_register(std::string(CALL_REGISTER) + "locals");
    result_.registers[base.name] = "b64";
    std::set<size_t> entries;
    for (const auto& [label, position] : result_.labels) {
      if (label.starts_with(FUNCTION_LABEL)) entries.insert(position);
    }
    std::vector<Instruction> body;
    std::vector<size_t> position;  // old -> new
    const auto emit = [&](const Instruction& of, std::vector<std::string> opcode,
                          std::vector<Operand> operands) {
      Instruction instruction = of;
      instruction.guard.clear();
      instruction.opcode = std::move(opcode);
      instruction.operands = std::move(operands);
      body.push_back(std::move(instruction));
    };
    for (size_t i = 0; i < result_.body.size(); ++i) {
      position.push_back(body.size());
      Instruction& instruction = result_.body[i];
      Operand none;
      none.kind = Kind::immediate;
      if (i == 0) emit(instruction, {"mov", "b64"}, {base, none});
      if (entries.contains(i)) emit(instruction, {"add", "s64"}, {base, base, symbol(FRAME_BYTES)});
      if (instruction.opcode[0] == FUNCTION_RETURN)
        emit(instruction, {"sub", "s64"}, {base, base, symbol(FRAME_BYTES)});
      for (size_t o = 0; o < instruction.operands.size(); ++o) {
        Operand& operand = instruction.operands[o];
        if (operand.kind == Kind::reg || operand.base_is_register || !locals.contains(operand.name))
          continue;
        const Operand address = plain_register("@local" + std::to_string(o));
        result_.registers[address.name] = "b64";
        emit(instruction, {"add", "s64"}, {address, base, symbol(operand.name)});
        if (operand.kind == Kind::address) {
          operand.name = address.name;
          operand.base_is_register = true;
        } else {
          Operand of_symbol;
          of_symbol.kind = Kind::immediate;
          of_symbol.bits = static_cast<uint64_t>(operand.offset);
          if (of_symbol.bits != 0) emit(instruction, {"add", "s64"}, {address, address, of_symbol});
          operand = address;
        }
      }
      body.push_back(std::move(instruction));
    }
    position.push_back(body.size());
    for (auto& [label, at] : result_.labels) at = position[at];
    result_.body = std::move(body);
  }

  // --- inlined calls --------------------------------------------------------------------------------

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

  static std::string register_type(const std::string& type) {
    return ptx::type_bytes(type) == 8 ? "b64" : "b32";
  }

  // Returns the register of an argument at a byte offset: "param0+8.b64". Each has its own width, because every
  // call of a kernel has a param0, and the next one may have another width.
  Operand argument_register(const std::string& argument, int64_t offset, const std::string& type) {
    const std::string width = register_type(type);
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

  // Returns the type that a register was declared with; %r1 belongs to the family %r<>.
  const std::string& declared_type(const std::string& name) const {
    const auto own = result_.registers.find(name);
    if (own != result_.registers.end()) return own->second;
    return result_.registers.at(name.substr(0, name.find_last_not_of("0123456789") + 1) + "<>");
  }

  // Returns the opcode that copies an argument's register into one that may be wider than the loaded value,
  // extended by its type.
  std::vector<std::string> extension(const Operand& to, const std::string& type) const {
    const uint32_t bytes = ptx::type_bytes(type);
    const bool into_wide = to.kind == Kind::reg && ptx::type_bytes(declared_type(to.name)) == 8;
    if (bytes == 8) return {"mov", "b64"};
    if (bytes == 4 && !into_wide) return {"mov", "b32"};
    const std::string sign = type[0] == 's' ? "s" : "u";
    return {"cvt", sign + (into_wide ? "64" : "32"), sign + std::to_string(8 * bytes)};
  }

  // Appends ld.param / st.param of an argument as a move for each part.
  void append_argument_moves(const Instruction& instruction) {
    const bool is_load = instruction.opcode[0] == "ld";
    const Operand& place = instruction.operands.at(is_load ? 1 : 0);
    const Operand& data = instruction.operands.at(is_load ? 0 : 1);
    const std::string& type = instruction.opcode.back();
    const std::vector<Operand> parts =
        data.kind == Kind::list ? data.parts : std::vector<Operand>{data};
    for (size_t i = 0; i < parts.size(); ++i) {
      const auto offset = place.offset + static_cast<int64_t>(i * ptx::type_bytes(type));
      const bool in_register = is_load && place.name == result_in_register_;
      const Operand argument =
          argument_register(in_register ? call_result() : place.name, offset, type);
      if (!is_load) stored_[place.name].emplace(offset, type);
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
    const StoredParts stored = std::exchange(stored_, {});
    result_in_register_.clear();
    if (const auto known = SYSTEM_CALLS.find(target.name); known != SYSTEM_CALLS.end()) {
      return append_system_call(call, known->second, results, arguments);
    }
    if (target.name.starts_with(MATHEMATICS_PREFIX)) {
      return append_mathematics(call, target.name, results, arguments);
    }
    const Function* const callee = module_.find(target.name);
    const bool can_inline = callee != nullptr && callee->has_body && !callee->is_entry;
    if (call.guard.empty() && target.kind == Kind::reg) {
      call_all_with_address();
      return append_real_call(call, target, results, arguments, stored);
    }
    if (!can_inline || (is_recursive(target.name) && !call.guard.empty())) {
      result_.body.push_back(call);
      return;
    }
    if (is_recursive(target.name)) {
      return append_real_call(call, symbol(called_label(target.name)), results, arguments, stored);
    }
    Instance instance = enter(*callee, results, arguments);
    instance.in_memory = parameters_with_address(*callee);
    for (size_t i = 0; i < std::min(callee->parameters.size(), arguments.size()); ++i) {
      const ptx::Variable& parameter = callee->parameters[i];
      if (loads_other_parts(*callee, parameter.name, stored, arguments[i].name))
        instance.in_memory.insert(parameter.name);
      if (!instance.in_memory.contains(parameter.name)) continue;
      instance.arguments.erase(parameter.name);
      add_local_variable(parameter.name, parameter);
      fill(parameter.name, parameter.bytes(), arguments[i].name, stored, call);
    }
    append(*callee, instance);
  }

  // Appends a call of a function that the device provides, as an instruction of its name with plain registers.
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

  // Appends a call of a mathematical function in the same way. Its declaration gives its types.
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
    // The places of the callee's own outgoing arguments differ from its parameters' places, though the names are
    // the same.
    for (const ptx::Variable& variable : callee.variables) {
      if (variable.space == "param")
        instance.arguments[variable.name] = instance.prefix + variable.name;
    }
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
  int instances_ = 0;
  std::map<std::string, bool> recursive_;
  std::vector<std::string> called_;  // functions that are not inlined
  bool addresses_called_ = false;    // True if they include all functions whose address is taken
  StoredParts stored_;               // since the last call
  std::string result_in_register_;   // the last call's result, if the call was not inlined
};

}  // namespace

std::optional<uint64_t> function_address(const ptx::Module& module, std::string_view name) {
  const std::vector<std::string>& functions = module.functions();
  const auto found = std::find(functions.begin(), functions.end(), name);
  if (found == functions.end() || module.find(name)->is_entry) return std::nullopt;
  return FUNCTION_WINDOW + FUNCTION_STRIDE * static_cast<uint64_t>(found - functions.begin());
}

Function inline_calls(const Function& kernel, const ptx::Module& module) {
  return Inliner(kernel, module).take();
}

}  // namespace simulator
