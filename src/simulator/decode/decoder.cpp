#include "simulator/decode/decoder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include "simulator/decode/call_inlining.hpp"
#include "simulator/decode/control_flow.hpp"
#include "simulator/decode/opcodes.hpp"
#include "simulator/decode/register_allocation.hpp"
#include "simulator/decode/shared_bases.hpp"
#include "simulator/decode/written_parameters.hpp"

namespace simulator {
namespace {

using ptx::Instruction;
using ptx::Operand;
using Kind = Operand::Kind;

bool has_word(const std::vector<std::string>& opcode, const char* word) {
  return std::find(opcode.begin(), opcode.end(), word) != opcode.end();
}

uint64_t align_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Returns the programmer's name of a variable: "As" for _ZZ6kernelPfE2As.
std::string readable_name(const std::string& symbol) {
  const std::string name = whole_name(symbol);
  const size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

// Decodes one function, from its variables to its last instruction.
class Decoder {
 public:
  Decoder(const ptx::Function& kernel, const ptx::Module& module,
          const VariableAddresses& variables, const InstructionSet& instructions)
      : function_(inline_calls(kernel, module)),
        module_(module),
        variables_(variables),
        instructions_(instructions),
        program_(std::make_unique<Program>()) {}

  std::unique_ptr<Program> decode() {
    program_->name = function_.name;
    program_->demangled = demangled(function_.name);
    program_->target = module_.target();
    program_->max_threads = static_cast<int>(function_.max_threads);
    program_->min_blocks = static_cast<uint32_t>(function_.min_blocks);
    program_->max_registers = static_cast<uint32_t>(function_.max_registers);
    program_->most_in_cluster = function_.most_in_cluster;
    const auto& [x, y, z] = function_.cluster;
    program_->cluster = {static_cast<uint32_t>(x), static_cast<uint32_t>(y),
                         static_cast<uint32_t>(z)};
    place_parameters();
    place_variables();
    const ControlFlow flow = find_control_flow(function_);
    place_stack(flow);
    shared_base_ = find_shared_bases(function_, shared_variable_);
    program_->written_parameters = find_written_parameters(function_, program_->parameters);
    registers_ = allocate_registers(function_, flow);
    program_->register_bytes = registers_.bytes;
    program_->predicates = registers_.predicates + 2;
    program_->registers_per_thread = registers_.words_per_thread;
    for (const FlowBlock& block : flow.blocks) decode_block(block);
    for (size_t b = 0; b < flow.blocks.size(); ++b)
      program_->blocks[b].kept = std::move(registers_.kept[b]);
    return std::move(program_);
  }

 private:
  // --- memory layout ------------------------------------------------------------------------------

  void place_parameters() {
    for (const ptx::Variable& parameter : function_.parameters) {
      program_->parameter_bytes = align_up(program_->parameter_bytes, parameter.align);
      parameter_offset_[parameter.name] = program_->parameter_bytes;
      program_->parameters.push_back({program_->parameter_bytes, parameter.bytes()});
      program_->parameter_bytes += parameter.bytes();
    }
  }

  void place_variables() {
    for (const ptx::Variable& variable : function_.variables) {
      if (variable.space == "shared") place_shared(variable);
      if (variable.space == "local") {
        program_->local_bytes = align_up(program_->local_bytes, variable.align);
        symbol_[variable.name] = program_->local_bytes;
        program_->local_bytes += variable.bytes();
      }
    }
    // Shared variables at module level belong to the kernels that name them.
    for (const ptx::Variable& variable : module_.variables()) {
      if (variable.space == "shared" && variable.count != 0 && mentions(variable.name))
        place_shared(variable);
    }
    // An unsized array is the dynamic shared memory. It begins at the end of the static variables.
    for (const ptx::Variable& variable : module_.variables()) {
      if (variable.space == "shared" && variable.count == 0) place_dynamic(variable);
    }
  }

  void place_shared(const ptx::Variable& variable) {
    program_->static_shared = align_up(program_->static_shared, variable.align);
    symbol_[variable.name] = program_->static_shared;
    note_shared(variable,
                {readable_name(variable.name), program_->static_shared, variable.bytes()});
    program_->static_shared += variable.bytes();
  }

  // Places dynamic shared memory. Several unsized arrays are the same memory.
  void place_dynamic(const ptx::Variable& variable) {
    symbol_[variable.name] =
        align_up(program_->static_shared, std::max<uint64_t>(variable.align, 16));
    if (!mentions(variable.name)) return;
    std::vector<SharedVariable>& known = program_->shared_variables;
    if (!known.empty() && known.back().is_dynamic) {
      shared_variable_[variable.name] = static_cast<int32_t>(known.size() - 1);
      known.back().offset = std::min(known.back().offset, symbol_[variable.name]);
    } else {
      note_shared(variable, {readable_name(variable.name), symbol_[variable.name], 0, true});
    }
  }

  void note_shared(const ptx::Variable& variable, SharedVariable&& placed) {
    shared_variable_[variable.name] = static_cast<int32_t>(program_->shared_variables.size());
    program_->shared_variables.push_back(std::move(placed));
  }

  // Sizes the stack. Each call in progress has the variables of all functions once, whichever of them its callee
  // uses.
  void place_stack(const ControlFlow& flow) {
    program_->stack_bytes = program_->local_bytes;
    if (flow.functions.empty()) return;
    constexpr uint64_t ALIGNMENT = 64;
    constexpr size_t LEAST_BYTES = size_t{16} * 1024;
    constexpr size_t LEAST_CALLS = 64;
    constexpr uint32_t MOST_CALLS = 4096;  // if functions have no variables
    program_->call_depth = MOST_CALLS;
    if (program_->local_bytes != 0) {
      program_->local_bytes = align_up(program_->local_bytes, ALIGNMENT);
      program_->stack_bytes = std::max(LEAST_BYTES, LEAST_CALLS * program_->local_bytes);
      const size_t frames = program_->stack_bytes / program_->local_bytes;
      program_->call_depth = std::min(MOST_CALLS, static_cast<uint32_t>(frames - 1));
    }
    symbol_[FRAME_BYTES] = program_->local_bytes;
    for (const auto& [name, block] : flow.functions) {
      if (const auto address = function_address(module_, name))
        program_->function_blocks[*address] = block;
    }
  }

  bool mentions(const std::string& name) const {
    return std::any_of(
        function_.body.begin(), function_.body.end(), [&](const Instruction& instruction) {
          return std::any_of(instruction.operands.begin(), instruction.operands.end(),
                             [&](const Operand& operand) { return operand.name == name; });
        });
  }

  // Returns a symbol's number: an offset in shared, local or parameter memory, or a device address.
  std::optional<uint64_t> symbol_value(const std::string& name) const {
    if (name == "WARP_SZ") return WARP;
    if (const auto own = symbol_.find(name); own != symbol_.end()) return own->second;
    if (const auto parameter = parameter_offset_.find(name); parameter != parameter_offset_.end())
      return parameter->second;
    if (const auto global = variables_.find(name); global != variables_.end())
      return global->second;
    return function_address(module_, name);
  }

  // --- operands -----------------------------------------------------------------------------------

  Slot constant(uint64_t bits, size_t bytes) {
    const auto key = std::make_pair(bits, bytes);
    const auto known = constant_slots_.find(key);
    if (known != constant_slots_.end()) return known->second;
    const auto offset = static_cast<Slot>(program_->constants.size() * sizeof(Program::Constant));
    Program::Constant value{};
    if (bytes == 8) {
      value.lanes.fill(bits);
    } else {
      std::array<uint32_t, WARP> narrow;
      narrow.fill(static_cast<uint32_t>(bits));
      std::memcpy(&value, &narrow, sizeof narrow);
    }
    program_->constants.push_back(value);
    return constant_slots_[key] = ~offset;
  }

  // Returns the slot of a source operand of the given type, or nothing if it cannot be one.
  std::optional<Slot> source(const Operand& operand, std::string_view type) {
    if (operand.negated) return std::nullopt;
    if (operand.kind == Kind::reg) return registers_.slots.at(operand.name);
    const uint32_t bytes = ptx::type_bytes(type);
    if (operand.kind == Kind::immediate) {
      uint64_t bits = operand.bits;
      if (type == "pred") return static_cast<Slot>(registers_.predicates + (bits != 0 ? 1 : 0));
      if (bytes == 2) bits &= 0xffff;
      // A decimal constant such as 1.5 is read as double before its type is known.
      if (operand.is_double && type == "f32")
        bits = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
      return constant(bits, bytes == 8 ? 8 : 4);
    }
    if (operand.kind == Kind::symbol) {
      const auto value = symbol_value(operand.name);
      if (value)
        return constant(*value + static_cast<uint64_t>(operand.offset), bytes == 8 ? 8 : 4);
    }
    return std::nullopt;
  }

  std::optional<Slot> destination(const Operand& operand) const {
    if (operand.kind != Kind::reg) return std::nullopt;
    return registers_.slots.at(operand.name);
  }

  // Sets the register of a result that may be dropped: the sink `_`.
  bool set_result(const Operand& operand, Op& op) const {
    if (is_sink(operand)) return true;
    const auto result = destination(operand);
    if (!result) return false;
    op.d = *result;
    op.extra |= HAS_RESULT;
    return true;
  }

  static bool is_sink(const Operand& operand) {
    return operand.kind == Kind::symbol && operand.name == "_";
  }

  // Returns the place of an operand that has the right kind in all PTX from clang.
  static Slot certain(std::optional<Slot> place) {
    if (!place) throw std::logic_error("an operand of a barrier or branch is of no known kind");
    return *place;
  }

  bool is_wide(const Operand& operand) const {
    return operand.kind == Kind::reg && registers_.widths.at(operand.name) == 8;
  }

  // Sets base register and offset from [base + offset].
  bool address(const Operand& operand, Slot& base, int64_t& offset, int32_t& extra,
               int32_t narrow_flag) {
    if (operand.kind != Kind::address) return false;
    offset = operand.offset;
    if (operand.base_is_register) {
      base = registers_.slots.at(operand.name);
      if (registers_.widths.at(operand.name) == 4) extra |= narrow_flag;
      return true;
    }
    std::optional<uint64_t> value = 0;
    if (!operand.name.empty()) value = symbol_value(operand.name);
    if (!value) return false;
    base = constant(*value, 8);
    return true;
  }

  // --- blocks and instructions ----------------------------------------------------------------------

  void decode_block(const FlowBlock& flow) {
    BasicBlock block;
    block.first = static_cast<uint32_t>(program_->ops.size());
    const size_t end = flow.has_terminator ? flow.last - 1 : flow.last;
    for (size_t i = flow.first; i < end; ++i) {
      Op op;
      op.instruction = describe(function_.body[i]);
      if (is_refused(function_.body[i], op.instruction) ||
          !decode_instruction(function_.body[i], op))
        op.execute = instructions_.unknown;
      if (i == flow.first && flow.gathers) gather(function_.body[i], block);
      apply_guard(function_.body[i], op);
      program_->ops.push_back(op);
    }
    block.last = static_cast<uint32_t>(program_->ops.size());
    block.leave = flow.leave;
    block.taken = flow.taken;
    block.targets = flow.targets;
    block.reconverge = flow.reconverge;
    block.has_terminator = flow.has_terminator;
    if (flow.has_terminator) decode_terminator(function_.body[flow.last - 1], block);
    program_->blocks.push_back(std::move(block));
  }

  // True if the device or the program's target does not have the instruction. Notes the reason.
  bool is_refused(const Instruction& instruction, uint32_t number) {
    Obstacle& obstacle = program_->sources[number].obstacle;
    if (needs_newer_device(instruction.opcode)) {
      obstacle = Obstacle::newer_device;
    } else if (needs_features_of_90a(instruction.opcode) && program_->target != "sm_90a") {
      obstacle = Obstacle::features_of_90a;
    }
    return obstacle != Obstacle{};
  }

  // Records an instruction's text for people, and its facts. Returns its number.
  uint32_t describe(const Instruction& instruction) {
    SourceInstruction source;
    source.opcode = spelled(instruction.opcode);
    source.text = instruction.source;
    source.facts = facts_of(instruction.opcode);
    source.facts.spelling = number_of(spellings_, source.opcode);
    source.groups = group(instruction, source.facts.has_result);
    source.is_handed_on = instruction.is_handed_on;
    const std::vector<SourceLine>& chain = function_.lines[instruction.line].chain;
    if (!chain.empty()) {
      source.where = chain.front();
      source.called_from.assign(chain.begin() + 1, chain.end());
    }
    program_->sources.push_back(std::move(source));
    RegisterUse& use = program_->register_use.emplace_back();
    const Mentions mentions = mentions_of(instruction);
    for (const std::string& name : mentions.reads) use.reads.push_back(key_of(name));
    for (const std::string& name : mentions.writes) use.writes.push_back(key_of(name));
    return static_cast<uint32_t>(program_->sources.size() - 1);
  }

  using Numbers = std::unordered_map<std::string, uint32_t>;

  // Returns a number from 1 on.
  static uint32_t number_of(Numbers& numbers, const std::string& name) {
    return numbers.try_emplace(name, static_cast<uint32_t>(numbers.size() + 1)).first->second;
  }

  OperandGroups group(const Instruction& instruction, bool has_result) {
    OperandGroups groups;
    groups.first = static_cast<uint32_t>(program_->operands.size());
    size_t group = has_result ? OperandGroups::d : OperandGroups::a;
    for (const Operand& operand : instruction.operands) {
      const size_t before = program_->operands.size();
      note_operand(operand);
      groups.size[group] += static_cast<uint8_t>(program_->operands.size() - before);
      if (group != OperandGroups::c) ++group;
    }
    return groups;
  }

  void note_operand(const Operand& operand) {
    if (operand.kind == Kind::list || operand.kind == Kind::pair) {
      for (const Operand& part : operand.parts) note_operand(part);
      return;
    }
    OperandFact fact;
    if (operand.kind == Kind::reg || operand.kind == Kind::symbol) {
      fact.kind = OperandFact::Kind::name;
    } else if (operand.kind == Kind::address) {
      fact.kind = OperandFact::Kind::address;
    } else if (!operand.is_float && !operand.is_double) {
      fact.kind = OperandFact::Kind::constant;
    }
    if (!operand.name.empty()) fact.name = number_of(names_, operand.name);
    fact.value =
        operand.kind == Kind::immediate ? static_cast<int64_t>(operand.bits) : operand.offset;
    program_->operands.push_back(fact);
  }

  // Returns the register's key in RegisterUse.
  int32_t key_of(const std::string& name) const {
    const Slot slot = registers_.slots.at(name);
    return registers_.widths.at(name) == 0 ? RegisterUse::predicate(slot) : slot;
  }

  void apply_guard(const Instruction& instruction, Op& op) {
    if (instruction.guard.empty()) return;
    op.guarded = op.execute;
    op.execute = instructions_.guarded;
    op.guard = registers_.slots.at(instruction.guard);
    op.guard_negated = instruction.guard_negated;
  }

  // Lets the named lanes reconverge before the instruction. An instruction with a guard takes the lanes present.
  void gather(const Instruction& instruction, BasicBlock& block) {
    if (!instruction.guard.empty() || instruction.operands.empty()) return;
    const std::optional<Slot> members = source(instruction.operands.back(), "u32");
    if (!members) return;
    block.gathers = true;
    block.must_gather = facts_of(instruction.opcode).operation == Operation::meet;
    block.members = *members;
  }

  void decode_terminator(const Instruction& instruction, BasicBlock& block) {
    block.instruction = describe(instruction);
    block.has_guard = !instruction.guard.empty();
    block.guard_negated = instruction.guard_negated;
    if (block.has_guard) block.guard = registers_.slots.at(instruction.guard);
    if (block.leave == Leave::indirect)
      block.guard = certain(source(instruction.operands.at(0), "u32"));
    if (block.leave == Leave::barrier) decode_barrier(instruction, block);
    if (block.leave == Leave::registers) decode_register_request(instruction, block);
    if (block.leave == Leave::grid_wait)
      block.grid_phase = certain(source(instruction.operands.at(0), "u32"));
    if (block.leave == Leave::call) {
      block.through_pointer = instruction.operands.at(0).kind == Kind::reg;
      if (block.through_pointer) block.guard = certain(source(instruction.operands[0], "u64"));
    }
  }

  void decode_barrier(const Instruction& instruction, BasicBlock& block) {
    size_t next = 0;
    const std::vector<Operand>& operands = instruction.operands;
    const auto& opcode = instruction.opcode;
    const auto has = [&](const char* word) { return has_word(opcode, word); };
    if (has("cluster")) {
      block.barrier = BarrierKind::cluster_wait;
      block.barrier_id = constant(0, 4);
      return;
    }
    if (has("arrive")) block.barrier = BarrierKind::arrive;
    const bool reduces = has("red");
    if (reduces) {
      block.barrier = has("and")  ? BarrierKind::reduce_and
                      : has("or") ? BarrierKind::reduce_or
                                  : BarrierKind::reduce_popc;
      block.barrier_result = certain(destination(operands.at(next++)));
    }
    block.barrier_id =
        operands.size() > next ? certain(source(operands[next++], "u32")) : constant(0, 4);
    const size_t left = operands.size() - next - (reduces ? 1 : 0);
    if (left > 0) {
      block.has_barrier_count = true;
      block.barrier_count = certain(source(operands[next++], "u32"));
    }
    if (reduces) {
      block.barrier_operand = registers_.slots.at(operands.at(next).name);
      block.barrier_operand_negated = operands.at(next).negated;
    }
  }

  // setmaxnreg.inc.sync.aligned.u32 240;
  void decode_register_request(const Instruction& instruction, BasicBlock& block) {
    constexpr uint64_t LEAST = 24, MOST = 256, UNIT = 8;
    if (is_refused(instruction, block.instruction)) return;
    const std::string opcode = spelled(instruction.opcode);
    block.raises_registers = opcode == "setmaxnreg.inc.sync.aligned.u32";
    const bool is_known = block.raises_registers || opcode == "setmaxnreg.dec.sync.aligned.u32";
    if (!is_known || instruction.operands.size() != 1) return;
    const Operand& count = instruction.operands[0];
    if (count.kind == Kind::immediate && count.bits >= LEAST && count.bits <= MOST &&
        count.bits % UNIT == 0) {
      block.registers = static_cast<uint32_t>(count.bits);
    } else {
      program_->sources[block.instruction].obstacle = Obstacle::bad_register_count;
    }
  }

  SourceInstruction& source_of(const Op& op) { return program_->sources[op.instruction]; }

  // Fills in the handler and its operands. Returns false if the instruction is outside the subset.
  bool decode_instruction(const Instruction& instruction, Op& op) {
    source_of(op).kind = InstructionKind::memory;
    switch (classify(instruction.opcode).family) {
      case Family::load:
        return decode_load(instruction, op);
      case Family::store:
        return decode_store(instruction, op);
      case Family::atomic:
        return decode_atomic(instruction, op);
      case Family::async_copy:
        return decode_async_copy(instruction, op);
      case Family::bulk_copy:
        return decode_bulk_copy(instruction, op);
      case Family::async_store:
        return decode_async_store(instruction, op);
      case Family::mbarrier:
        return decode_mbarrier(instruction, op);
      case Family::texture:
        return decode_texture_fetch(instruction, op);
      case Family::prefetch:
        op.execute = instructions_.nothing;  // there is no cache to warm
        return true;
      case Family::move:
        if (const std::optional<bool> decoded = decode_move(instruction, op)) return *decoded;
        return decode_arithmetic(instruction, op);
      case Family::matrix:
        return decode_matrix_product(instruction, op);
      case Family::warpgroup:
        return decode_warpgroup(instruction, op);
      case Family::warp:
        return decode_warp_instruction(instruction, op);
      default:
        return decode_arithmetic(instruction, op);
    }
  }

  bool decode_arithmetic(const Instruction& instruction, Op& op) {
    const Arithmetic arithmetic = instructions_.arithmetic(instruction.opcode);
    const std::vector<Operand>& operands = instruction.operands;
    if (arithmetic.execute == nullptr || operands.size() != arithmetic.operands.size() + 1) {
      source_of(op).kind = InstructionKind::control;  // it faults instead of computing
      return false;
    }
    source_of(op).kind = arithmetic.kind;
    source_of(op).flops = arithmetic.flops;
    const auto result = destination(operands[0]);
    if (!result) return false;
    op.execute = arithmetic.execute;
    op.extra = arithmetic.extra;
    op.d = *result;
    const std::array<Slot*, 4> into{&op.a, &op.b, &op.c, &op.e};
    for (size_t i = 0; i < arithmetic.operands.size(); ++i) {
      const auto slot = source(operands[i + 1], arithmetic.operands[i]);
      if (!slot) return false;
      *into[i] = *slot;
    }
    if (instruction.opcode[0] == "cvt") {
      op.extra |= is_wide(operands[1]) ? CONVERT_FROM_64 : 0;
      op.extra |= is_wide(operands[0]) ? CONVERT_TO_64 : 0;
    }
    return true;
  }

  // Decodes the forms of mov and cvta that are not plain copies. Returns nothing for a plain copy or an unknown
  // form.
  std::optional<bool> decode_move(const Instruction& instruction, Op& op) {
    source_of(op).kind = InstructionKind::move;
    if (instruction.operands.size() != 2) return false;
    const Operand& to = instruction.operands[0];
    const Operand& from = instruction.operands[1];
    if (instruction.opcode[0] == "cvta") return decode_cvta(instruction, op);
    if (to.kind == Kind::list || from.kind == Kind::list) return decode_pack(instruction, op);
    if (from.kind == Kind::symbol && from.name == "%is_explicit_cluster") {
      op.execute = instructions_.warp({"%is_explicit_cluster"}).execute;
      const auto result = destination(to);
      if (result) op.d = *result;
      return result.has_value();
    }
    if (from.kind == Kind::symbol && from.name.starts_with('%')) {
      const auto result = destination(to);
      op.execute = instructions_.special_register(from.name, is_wide(to), op.extra);
      if (!result || op.execute == nullptr) return false;
      op.d = *result;
      if (from.name.starts_with("%clock") || from.name.starts_with("%globaltimer"))
        program_->looks_beyond_memory = true;
      return true;
    }
    return std::nullopt;
  }

  // Decodes cvta. A global address is its own generic address; shared and local addresses lie in windows.
  bool decode_cvta(const Instruction& instruction, Op& op) {
    const auto& opcode = instruction.opcode;
    const auto has = [&](const char* word) { return has_word(opcode, word); };
    const bool to_space = has("to");
    uint64_t window = 0;
    if (has("shared") || has("shared::cta") || has("shared::cluster")) window = SHARED_WINDOW;
    if (has("local")) window = LOCAL_WINDOW;
    if (has("param")) window = PARAMETER_WINDOW;
    const auto result = destination(instruction.operands[0]);
    const auto a = source(instruction.operands[1], "u64");
    if (!result || !a || opcode.back() != "u64") return false;
    op.execute = instructions_.arithmetic({to_space ? "sub" : "add", "u64"}).execute;
    op.d = *result;
    op.a = *a;
    op.b = constant(window, 8);
    return true;
  }

  bool decode_pack(const Instruction& instruction, Op& op) {
    const Operand& to = instruction.operands[0];
    const Operand& from = instruction.operands[1];
    const std::vector<Operand>& parts = to.kind == Kind::list ? to.parts : from.parts;
    const Operand& whole = to.kind == Kind::list ? from : to;
    op.execute = instructions_.pack(to.kind == Kind::list, is_wide(whole), parts.size());
    if (op.execute == nullptr) return false;
    const std::string part_type = is_wide(whole) && parts.size() == 2 ? "b32" : "b16";
    const auto lists = list_of(parts, part_type, to.kind == Kind::list);
    const auto slot =
        to.kind == Kind::list ? source(whole, is_wide(whole) ? "b64" : "b32") : destination(whole);
    if (lists == nullptr || !slot) return false;
    op.lists = lists;
    op.a = op.d = *slot;
    return true;
  }

  // Returns the slots of a list's parts; nothing if a part is invalid. `may_drop`: a part may be the sink `_`, and is DROPPED.
  std::optional<std::vector<Slot>> slots_of(const std::vector<Operand>& parts,
                                            std::string_view type, bool may_drop = false) {
    std::vector<Slot> slots;
    for (const Operand& part : parts) {
      if (is_sink(part) && !may_drop) return std::nullopt;
      const auto slot = is_sink(part) ? std::optional(DROPPED) : source(part, type);
      if (!slot) return std::nullopt;
      slots.push_back(*slot);
    }
    return slots;
  }

  // Returns lists with one list, as the result. Returns nullptr if a part is invalid.
  const OperandLists* list_of(const std::vector<Operand>& parts, std::string_view type,
                              bool may_drop = false) {
    auto slots = slots_of(parts, type, may_drop);
    if (!slots) return nullptr;
    return &program_->operand_lists.emplace_back(OperandLists{.d = *std::move(slots)});
  }

  // --- memory ---------------------------------------------------------------------------------------

  // The words of a memory opcode between its head and its type.
  struct MemoryWords {
    Space space = Space::generic;
    size_t count = 1;
    std::string type;
    bool known = true;
    size_t operands = 2;  // a cache policy may be the third
    // True for a load of memory that another thread may store to meanwhile.
    bool sees_others = false;
  };

  static MemoryWords memory_words(const std::vector<std::string>& opcode) {
    // Orders, scopes and cache hints need no action: execution here is stricter than all of them.
    // Half precision is never flushed (noftz).
    static const std::set<std::string, std::less<>> hints = {"nc", "ca", "cg", "cs",
                                                             "lu", "wb", "wt", "noftz"};
    MemoryWords words;
    for (size_t i = 1; i < opcode.size(); ++i) {
      const std::string& word = opcode[i];
      if (word == "L2::cache_hint") words.operands = 3;
      if (const auto space = space_of(word))
        words.space = *space;
      else if (const auto order = order_of(word))
        words.sees_others |=
            *order == Order::as_volatile || *order == Order::relaxed || *order == Order::acquire;
      else if (vector_of(word) != 0)
        words.count = vector_of(word);
      else if (ptx::type_bytes(word) != 0)
        words.type = word;
      else if (!hints.contains(word) && !scope_of(word) && !word.starts_with("L1::") &&
               !word.starts_with("L2::"))
        words.known = false;
      words.sees_others |= word == "cg";
    }
    words.known &= !words.type.empty();
    return words;
  }

  // The access kind of one instruction in each memory.
  struct Paths {
    Access global, shared, local;
  };

  // Adds counter sites. `address`: the operand; of cp.async the one in shared memory.
  void add_sites(Op& op, const Paths& paths, uint32_t bytes, const Operand& address) {
    op.first_site = static_cast<uint32_t>(program_->sites.size());
    for (const Access access : {paths.global, paths.shared, paths.local})
      program_->sites.push_back({op.instruction, access, bytes});
    const auto& variables = address.base_is_register ? shared_base_ : shared_variable_;
    const auto variable = variables.find(address.name);
    if (variable != variables.end())
      program_->sites[op.site(Site::shared)].variable = variable->second;
  }

  static uint32_t bytes_of(const MemoryWords& words) {
    return ptx::type_bytes(words.type) * static_cast<uint32_t>(words.count);
  }

  // Wraps an instruction by which a thread may wait for another thread's store.
  void poll(Op& op) const {
    op.inner = op.execute;
    op.execute = instructions_.polling;
  }

  // ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1, ...}, [%rd1];
  // stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%rd1], {%r1, ...};
  bool decode_matrix_access(const Instruction& instruction, bool is_store, Op& op) {
    const std::vector<std::string>& opcode = instruction.opcode;
    const auto has = [&](std::string_view word) {
      return std::ranges::find(opcode, word) != opcode.end();
    };
    const size_t count = has("x1") ? 1 : has("x2") ? 2 : has("x4") ? 4 : 0;
    const bool is_shared = source_of(op).facts.space == Space::shared;
    const size_t words = size_t{6} + (has("trans") ? 1 : 0) + (is_shared ? 1 : 0);
    const bool is_known = has("sync") && has("aligned") && has("m8n8") && opcode.back() == "b16" &&
                          opcode.size() == words && count != 0;
    if (!is_known || instruction.operands.size() != 2) return false;
    const Operand& registers = instruction.operands[is_store ? 1 : 0];
    const Operand& rows = instruction.operands[is_store ? 0 : 1];
    const std::vector<Operand> parts =
        registers.kind == Kind::list ? registers.parts : std::vector<Operand>{registers};
    if (parts.size() != count) return false;
    constexpr uint32_t ROW_BYTES = 16;
    add_sites(op,
              {Access::global_load, is_store ? Access::shared_store : Access::matrix_load,
               Access::local_load},
              ROW_BYTES, rows);
    op.execute = is_store ? instructions_.matrix_store(count, has("trans"))
                          : instructions_.matrix_load(count, has("trans"));
    op.lists = list_of(parts, "b32");
    return op.lists != nullptr && address(rows, op.a, op.offset, op.extra, ADDRESS_IN_32);
  }

  bool decode_load(const Instruction& instruction, Op& op) {
    if (instruction.opcode[0] == "ldmatrix") return decode_matrix_access(instruction, false, op);
    const MemoryWords words = memory_words(instruction.opcode);
    if (!words.known || instruction.operands.size() != words.operands) return false;
    const Operand& to = instruction.operands[0];
    const Operand& from = instruction.operands[1];
    if (words.space == Space::parameter) return decode_parameter_load(words, to, from, op);
    const bool wide = is_wide(to.kind == Kind::list ? to.parts.at(0) : to);
    op.execute = instructions_.load({words.space, words.type, words.count, wide});
    const Access global =
        words.space == Space::constant ? Access::constant_load : Access::global_load;
    add_sites(op, {global, Access::shared_load, Access::local_load}, bytes_of(words), from);
    if (op.execute == nullptr || !set_data(to, words, op) ||
        !address(from, op.a, op.offset, op.extra, ADDRESS_IN_32))
      return false;
    if (words.sees_others) poll(op);
    return true;
  }

  bool decode_store(const Instruction& instruction, Op& op) {
    if (instruction.opcode[0] == "stmatrix") return decode_matrix_access(instruction, true, op);
    const MemoryWords words = memory_words(instruction.opcode);
    if (!words.known || words.space == Space::parameter ||
        instruction.operands.size() != words.operands)
      return false;
    const Operand& to = instruction.operands[0];
    const Operand& from = instruction.operands[1];
    const Operand& first = from.kind == Kind::list ? from.parts.at(0) : from;
    const bool wide = first.kind == Kind::reg ? is_wide(first) : ptx::type_bytes(words.type) == 8;
    op.execute = instructions_.store({words.space, words.type, words.count, wide});
    add_sites(op, {Access::global_store, Access::shared_store, Access::local_store},
              bytes_of(words), to);
    return op.execute != nullptr && set_data(from, words, op) &&
           address(to, op.a, op.offset, op.extra, ADDRESS_IN_32);
  }

  // Sets the registers that a load fills or a store reads.
  bool set_data(const Operand& data, const MemoryWords& words, Op& op) {
    if (words.count == 1) {
      const auto slot = source(data, words.type);
      if (slot) op.d = *slot;
      return slot.has_value();
    }
    if (data.kind != Kind::list || data.parts.size() != words.count) return false;
    op.lists = list_of(data.parts, words.type);
    return op.lists != nullptr;
  }

  bool decode_parameter_load(const MemoryWords& words, const Operand& to, const Operand& from,
                             Op& op) {
    // A parameter's address is its offset. A structure's members are reached through a register that holds an
    // offset.
    if (!address(from, op.a, op.offset, op.extra, ADDRESS_IN_32)) return false;
    const std::vector<Operand> parts = to.kind == Kind::list ? to.parts : std::vector<Operand>{to};
    if (parts.size() != words.count) return false;
    op.lists = list_of(parts, words.type);
    op.execute = instructions_.parameter_load(words.type, is_wide(parts[0]));
    return op.lists != nullptr && op.execute != nullptr;
  }

  bool decode_atomic(const Instruction& instruction, Op& op) {
    const Facts& facts = source_of(op).facts;
    std::vector<std::string> opcode = instruction.opcode;
    std::erase_if(opcode, [&](const std::string& word) {
      return operation_of(instruction.opcode[0], word).has_value();
    });
    const MemoryWords words = memory_words(opcode);
    const bool has_result = facts.has_result;
    const size_t first = has_result ? 1 : 0;
    std::vector<Operand> operands = instruction.operands;
    if (words.operands == 3 && !operands.empty()) operands.pop_back();  // the cache policy
    if (!words.known || facts.operation == Operation::other || operands.size() < first + 2)
      return false;
    op.execute = instructions_.atomic(
        {words.space, words.type, 1, ptx::type_bytes(words.type) == 8}, facts.operation);
    add_sites(op, {Access::global_atomic, Access::shared_atomic, Access::local_store},
              bytes_of(words), operands[first]);
    if (op.execute == nullptr ||
        !address(operands[first], op.a, op.offset, op.extra, ADDRESS_IN_32))
      return false;
    const auto b = source(operands[first + 1], words.type);
    const auto c = operands.size() > first + 2 ? source(operands[first + 2], words.type) : b;
    if (!b || !c) return false;
    op.b = *b;
    op.c = *c;
    if (has_result && !set_result(operands[0], op)) return false;
    poll(op);
    return true;
  }

  static constexpr uint64_t MOST_GROUPS = 1 << 30;  // most groups that a wait may leave pending

  bool decode_async_copy(const Instruction& instruction, Op& op) {
    const auto& opcode = instruction.opcode;
    if (opcode.size() < 3 || opcode[1] != "async") return false;
    const std::vector<Operand>& operands = instruction.operands;
    const Operation operation = source_of(op).facts.operation;
    if (operation == Operation::commit) op.execute = instructions_.async_commit;
    if (operation == Operation::wait_all) op.execute = instructions_.async_wait_all;
    if (op.execute != nullptr) return operands.empty();
    if (operation == Operation::wait_group) {
      if (operands.size() != 1 || operands[0].kind != Kind::immediate) return false;
      op.extra = static_cast<int32_t>(std::min<uint64_t>(operands[0].bits, MOST_GROUPS));
      op.execute = instructions_.async_wait;
      return true;
    }
    if (operation != Operation::copy || operands.size() < 3 || operands[2].kind != Kind::immediate)
      return false;
    const auto bytes = static_cast<uint32_t>(operands[2].bits);
    op.execute = instructions_.async_copy(bytes);
    add_sites(op, {Access::async_copy, Access::async_copy_shared, Access::local_load}, bytes,
              operands[0]);
    // Next come the number of bytes to read, or a predicate to read none, and a cache policy.
    const size_t last = operands.size() - (has_word(opcode, "L2::cache_hint") ? 1 : 0);
    if (last > 3) {
      const bool is_predicate =
          operands[3].kind == Kind::reg && registers_.widths.at(operands[3].name) == 0;
      const auto size = source(operands[3], is_predicate ? "pred" : "u32");
      if (!size) return false;
      op.c = *size;
      op.extra |= is_predicate ? HAS_IGNORE_SOURCE : HAS_SOURCE_SIZE;
    }
    return op.execute != nullptr &&
           address(operands[0], op.a, op.offset, op.extra, ADDRESS_IN_32) &&
           address(operands[1], op.b, op.offset_b, op.extra, ADDRESS_B_IN_32);
  }

  // --- mbarriers and bulk copies --------------------------------------------------------------------

  // mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2 and its like.
  bool decode_mbarrier(const Instruction& instruction, Op& op) {
    const auto has = [&](const char* word) { return has_word(instruction.opcode, word); };
    const Facts& facts = source_of(op).facts;
    source_of(op).kind = InstructionKind::control;
    const MbarrierShape shape{facts.operation, facts.has_result && has("expect_tx"), has("parity"),
                              has("noinc")};
    op.execute = instructions_.mbarrier(shape);
    if (op.execute == nullptr) return false;
    std::vector<Operand> operands = instruction.operands;
    if (facts.has_result) {
      if (operands.empty() || !set_result(operands[0], op)) return false;
      operands.erase(operands.begin());
    }
    if (shape.operation == Operation::count_pending) {
      const auto state = operands.size() == 1 ? source(operands[0], "b64") : std::nullopt;
      if (state) op.b = *state;
      return state.has_value();
    }
    if (operands.empty() || !address(operands[0], op.a, op.offset, op.extra, ADDRESS_IN_32))
      return false;
    const bool is_wait = shape.operation == Operation::test_wait;
    const bool is_arrival =
        shape.operation == Operation::arrive || shape.operation == Operation::arrive_and_drop;
    if (operands.size() > 1) {
      const auto value = source(operands[1], is_wait && !shape.by_parity ? "b64" : "u32");
      if (!value) return false;
      op.b = *value;
    } else if (is_arrival) {
      op.b = constant(1, 4);
    }
    if (is_wait) poll(op);
    const bool needs_value =
        is_wait || shape.expects_bytes || shape.operation == Operation::initialise ||
        shape.operation == Operation::expect_bytes || shape.operation == Operation::complete_bytes;
    // The last operand of a wait is a hint of the longest time.
    return operands.size() <= (is_wait ? 3u : 2u) && (operands.size() > 1 || !needs_value);
  }

  // cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2, [%r3];
  // cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], %r2; and their groups.
  bool decode_bulk_copy(const Instruction& instruction, Op& op) {
    const auto has = [&](const char* word) { return has_word(instruction.opcode, word); };
    const std::vector<Operand>& operands = instruction.operands;
    const Operation operation = source_of(op).facts.operation;
    if (operation == Operation::commit) {
      op.execute = instructions_.bulk_commit;
      return operands.empty();
    }
    if (operation == Operation::wait_group) {
      if (operands.size() != 1 || operands[0].kind != Kind::immediate) return false;
      op.extra = static_cast<int32_t>(std::min<uint64_t>(operands[0].bits, MOST_GROUPS));
      op.execute = has("read") ? instructions_.bulk_wait_read : instructions_.bulk_wait;
      return true;
    }
    if (source_of(op).facts.is_bulk_reduction()) return decode_bulk_reduction(instruction, op);
    if (has("tensor")) return decode_tensor_copy(instruction, op);
    // The ranks of a multicast and a cache policy come last.
    const size_t count = operands.size() - (has("L2::cache_hint") ? 1 : 0);
    const std::vector<std::string>& opcode = instruction.opcode;
    if (opcode.size() < 6 || opcode[1] != "async" || operands.size() < 3) return false;
    const bool is_multicast = has(MULTICAST_WORD);
    const bool counts_bytes = opcode[5] == "mbarrier::complete_tx::bytes";
    const bool is_load = (opcode[3] == "shared::cluster" || opcode[3] == "shared::cta") &&
                         opcode[4] == "global" && counts_bytes && count == (is_multicast ? 5u : 4u);
    const bool is_between_blocks = opcode[3] == "shared::cluster" && opcode[4] == "shared::cta" &&
                                   counts_bytes && !is_multicast && count == 4;
    const bool is_store = opcode[3] == "global" && opcode[4] == "shared::cta" &&
                          opcode[5] == "bulk_group" && !is_multicast && count == 3;
    const size_t hints = (has("L2::cache_hint") ? 1 : 0) + (is_multicast ? 1 : 0);
    if (!(is_load || is_store || is_between_blocks) || opcode.size() != 6 + hints) return false;
    op.execute = is_load    ? instructions_.bulk_load
                 : is_store ? instructions_.bulk_store
                            : instructions_.copy_to_block;
    add_sites(op,
              {is_load ? Access::bulk_load : Access::bulk_store, Access::async_copy_shared,
               Access::local_load},
              0, operands[is_store ? 1 : 0]);
    const auto bytes = source(operands[2], "u32");
    if (!bytes) return false;
    op.c = *bytes;
    OperandLists lists;
    if (!is_store && !address(operands[3], op.e, lists.offset_e, op.extra, ADDRESS_E_IN_32))
      return false;
    if (is_multicast && !set_ranks(operands[4], op)) return false;
    op.lists = &program_->operand_lists.emplace_back(std::move(lists));
    return address(operands[0], op.a, op.offset, op.extra, ADDRESS_IN_32) &&
           address(operands[1], op.b, op.offset_b, op.extra, ADDRESS_B_IN_32);
  }

  // cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%rd1], [%r1], %r2;
  bool decode_bulk_reduction(const Instruction& instruction, Op& op) {
    const std::vector<Operand>& operands = instruction.operands;
    const Operation operation = source_of(op).facts.operation;
    std::vector<std::string> opcode = instruction.opcode;
    const bool has_policy = std::erase(opcode, "L2::cache_hint") != 0;
    const bool keeps_subnormals = std::erase(opcode, "noftz") != 0;
    if (opcode.size() != 9 || opcode[4] != "global" || opcode[5] != "shared::cta" ||
        opcode[6] != "bulk_group" || operation_of("red", opcode[7]) != operation ||
        operands.size() != (has_policy ? 4u : 3u))
      return false;
    // Sums of 16 bits, and no others, name their subnormals.
    const std::string& type = opcode[8];
    const bool is_half_sum = operation == Operation::add && (type == "f16" || type == "bf16");
    if (keeps_subnormals != is_half_sum) return false;
    op.execute = instructions_.bulk_reduction(type, operation);
    add_sites(op, {Access::bulk_store, Access::async_copy_shared, Access::local_load}, 0,
              operands[1]);
    const auto bytes = source(operands[2], "u32");
    if (op.execute == nullptr || !bytes) return false;
    op.c = *bytes;
    return address(operands[0], op.a, op.offset, op.extra, ADDRESS_IN_32) &&
           address(operands[1], op.b, op.offset_b, op.extra, ADDRESS_B_IN_32);
  }

  static constexpr const char* MULTICAST_WORD = "multicast::cluster";

  // Sets the mask of the blocks' ranks.
  bool set_ranks(const Operand& operand, Op& op) {
    const auto ranks = source(operand, "u16");
    if (!ranks) return false;
    op.d = *ranks;
    op.extra |= MULTICAST;
    return true;
  }

  // st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r1], {%r2, %r3}, [%r4];
  // red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, [%r3];
  bool decode_async_store(const Instruction& instruction, Op& op) {
    const bool is_reduction = instruction.opcode[0] == "red";
    std::vector<std::string> opcode;
    for (const std::string& word : instruction.opcode) {
      const bool is_fixed = word == "async" || word == "mbarrier::complete_tx::bytes" ||
                            (is_reduction && operation_of("red", word));
      if (!is_fixed) opcode.push_back(word);
    }
    const MemoryWords words = memory_words(opcode);
    const std::vector<Operand>& operands = instruction.operands;
    if (!words.known || !has_word(opcode, "shared::cluster") ||
        !has_word(instruction.opcode, "mbarrier::complete_tx::bytes") || operands.size() != 3)
      return false;
    op.execute = instructions_.remote_store(
        words.type, words.count, is_reduction ? source_of(op).facts.operation : Operation::copy);
    add_sites(op,
              {Access::global_store, is_reduction ? Access::shared_atomic : Access::shared_store,
               Access::local_store},
              bytes_of(words), operands[0]);
    const std::vector<Operand> parts =
        operands[1].kind == Kind::list ? operands[1].parts : std::vector<Operand>{operands[1]};
    auto values = slots_of(parts, words.type);
    if (op.execute == nullptr || !values || values->size() != words.count) return false;
    OperandLists lists;
    lists.d = *std::move(values);
    if (!address(operands[2], op.e, lists.offset_e, op.extra, ADDRESS_E_IN_32)) return false;
    op.lists = &program_->operand_lists.emplace_back(std::move(lists));
    return address(operands[0], op.a, op.offset, op.extra, ADDRESS_IN_32);
  }

  // cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];
  // cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r1, %r2}], [%r3];
  bool decode_tensor_copy(const Instruction& instruction, Op& op) {
    const std::vector<Operand>& operands = instruction.operands;
    std::vector<std::string> words;  // without those that change nothing here
    for (const std::string& word : instruction.opcode) {
      if (word != "tile" && word != "L2::cache_hint" && word != MULTICAST_WORD)
        words.push_back(word);
    }
    const bool is_multicast = has_word(instruction.opcode, MULTICAST_WORD);
    const size_t count = operands.size() - (has_word(instruction.opcode, "L2::cache_hint") ? 1 : 0);
    if (words.size() != 8 || words[4].size() != 2 || words[4][1] != 'd') return false;
    const bool is_load = (words[5] == "shared::cluster" || words[5] == "shared::cta") &&
                         words[6] == "global" && words[7] == "mbarrier::complete_tx::bytes" &&
                         count == (is_multicast ? 4u : 3u);
    const bool is_store = words[5] == "global" && words[6] == "shared::cta" &&
                          words[7] == "bulk_group" && !is_multicast && count == 2;
    if (!is_load && !is_store) return false;
    op.execute = is_load ? instructions_.tensor_load : instructions_.tensor_store;
    add_sites(op,
              {is_load ? Access::bulk_load : Access::bulk_store, Access::async_copy_shared,
               Access::local_load},
              0, operands[is_load ? 0 : 1]);
    const Operand& map = operands[is_load ? 1 : 0];
    OperandLists lists;
    auto coordinates = slots_of(map.parts, "b32");
    const auto dimensions = static_cast<size_t>(words[4][0] - '0');
    if (!coordinates || coordinates->size() != dimensions || dimensions < 1 || dimensions > 5)
      return false;
    lists.c = *std::move(coordinates);
    if (is_load && !address(operands[2], op.e, lists.offset_e, op.extra, ADDRESS_E_IN_32))
      return false;
    if (is_multicast && !set_ranks(operands[3], op)) return false;
    op.lists = &program_->operand_lists.emplace_back(std::move(lists));
    return address(operands[0], op.a, op.offset, op.extra, ADDRESS_IN_32) &&
           address(operands[1], op.b, op.offset_b, op.extra, ADDRESS_B_IN_32);
  }

  // --- textures -------------------------------------------------------------------------------------

  // Returns the meaning of tex.a2d.v4.f32.s32 or tld4.r.2d.v4.u32.f32; nothing if it is not one of ours.
  static std::optional<TextureFetch> texture_fetch(std::vector<std::string> opcode) {
    struct Geometry {
      uint8_t dimensions;
      bool is_layered = false, is_cube = false;
    };
    static const std::map<std::string, Geometry, std::less<>> geometries = {
        {"1d", {1}},        {"2d", {2}},        {"3d", {3}},
        {"a1d", {1, true}}, {"a2d", {2, true}}, {"cube", {3, false, true}},
    };
    TextureFetch fetch;
    if (opcode[0] == "tld4") {
      const size_t component =
          opcode.size() > 1 && opcode[1].size() == 1 ? std::string_view("rgba").find(opcode[1]) : 4;
      if (component > 3) return std::nullopt;
      fetch.gathers = true;
      fetch.component = static_cast<uint8_t>(component);
      opcode.erase(opcode.begin() + 1);
    }
    if (opcode.size() != 5 || opcode[2] != "v4") return std::nullopt;
    const auto geometry = geometries.find(opcode[1]);
    const size_t result = std::string_view("f32 s32 u32").find(opcode[3]);
    if (geometry == geometries.end() || result % 4 != 0 ||
        (opcode[4] != "f32" && opcode[4] != "s32"))
      return std::nullopt;
    fetch.dimensions = geometry->second.dimensions;
    fetch.is_layered = geometry->second.is_layered;
    fetch.is_cube = geometry->second.is_cube;
    fetch.has_whole_coordinates = opcode[4] == "s32";
    fetch.result = static_cast<TextureFetch::Result>(result / 4);
    if (fetch.gathers && (opcode[1] != "2d" || fetch.has_whole_coordinates)) return std::nullopt;
    return fetch;
  }

  // tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];
  bool decode_texture_fetch(const Instruction& instruction, Op& op) {
    const std::optional<TextureFetch> fetch = texture_fetch(instruction.opcode);
    const std::vector<Operand>& operands = instruction.operands;
    if (!fetch || operands.size() != 2 || operands[0].parts.size() != 4 ||
        operands[1].kind != Kind::address)
      return false;
    auto results = slots_of(operands[0].parts, "b32");
    auto coordinates = slots_of(operands[1].parts, "b32");
    // Vectors of three coordinates have a fourth part, which has no meaning.
    const size_t wanted = fetch->dimensions + (fetch->is_layered ? 1u : 0u);
    if (!results || !coordinates || coordinates->size() != (wanted == 3 ? 4 : wanted)) return false;
    source_of(op).fetch = *fetch;
    add_sites(op, {Access::texture_load, Access::shared_load, Access::local_load}, 0, operands[1]);
    op.lists = &program_->operand_lists.emplace_back(
        OperandLists{.d = *std::move(results), .c = *std::move(coordinates)});
    op.execute = instructions_.texture_fetch;
    return address(operands[1], op.a, op.offset, op.extra, ADDRESS_IN_32);
  }

  // --- matrices -------------------------------------------------------------------------------------

  // Returns the shape of mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 and its like, which may have .satfinite before
  // the types; nothing if it is not one of ours.
  static std::optional<MatrixShape> matrix_shape(std::vector<std::string> opcode) {
    const bool saturates = opcode.size() == 11 && opcode[6] == "satfinite";
    if (saturates) opcode.erase(opcode.begin() + 6);
    if (opcode.size() != 10 || opcode[1] != "sync" || opcode[2] != "aligned" ||
        opcode[4] != "row" || opcode[5] != "col" || opcode[7] != opcode[8] ||
        opcode[6] != opcode[9])
      return std::nullopt;
    MatrixShape shape{.factor = opcode[7], .sum = opcode[6], .saturates = saturates};
    if (std::sscanf(opcode[3].c_str(), "m%dn%dk%d", &shape.m, &shape.n, &shape.k) != 3)
      return std::nullopt;
    return shape;
  }

  bool decode_matrix_product(const Instruction& instruction, Op& op) {
    source_of(op).kind = InstructionKind::tensor;
    const std::optional<MatrixShape> shape = matrix_shape(instruction.opcode);
    if (!shape || instruction.operands.size() != 4) return false;
    source_of(op).product = *shape;
    op.execute = instructions_.matrix_product(*shape);
    OperandLists lists;
    const std::array<std::vector<Slot>*, 4> into{&lists.d, &lists.a, &lists.b, &lists.c};
    const std::array sizes{shape->registers_of_c(), shape->registers_of_a(),
                           shape->registers_of_b(), shape->registers_of_c()};
    for (size_t i = 0; i < into.size(); ++i) {
      const Operand& operand = instruction.operands[i];
      const std::vector<Operand> parts =
          operand.kind == Kind::list ? operand.parts : std::vector<Operand>{operand};
      const bool is_sum = i == 0 || i == 3;
      const bool is_wide = shape->factor == "f64";
      auto slots = slots_of(parts, is_wide ? "f64" : is_sum && shape->sum == "f32" ? "f32" : "b32");
      if (!slots || slots->size() != sizes[i]) return false;
      *into[i] = *std::move(slots);
    }
    op.lists = &program_->operand_lists.emplace_back(std::move(lists));
    return op.execute != nullptr;
  }

  // wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {D}, A, B, scale-d, imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b;
  // with A = {%r1, %r2, %r3, %r4} it has no imm-trans-a, with tf32 none of both. And wgmma.fence, commit_group, wait_group.
  bool decode_warpgroup(const Instruction& instruction, Op& op) {
    const std::vector<std::string>& opcode = instruction.opcode;
    const std::vector<Operand>& operands = instruction.operands;
    source_of(op).kind = InstructionKind::control;
    const std::string operation = opcode.size() > 1 ? opcode[1] : "";
    if (operation == "fence") op.execute = instructions_.warpgroup_fence;
    if (operation == "commit_group") op.execute = instructions_.warpgroup_commit;
    if (op.execute != nullptr) return operands.empty();
    if (operation == "wait_group") {
      if (operands.size() != 1 || operands[0].kind != Kind::immediate) return false;
      op.extra = static_cast<int32_t>(std::min<uint64_t>(operands[0].bits, MOST_GROUPS));
      op.execute = instructions_.warpgroup_wait;
      return true;
    }
    if (operation != "mma_async" || opcode.size() != 8 || opcode[5] != "f32" ||
        opcode[6] != opcode[7] || operands.size() < 6)
      return false;
    MatrixShape shape{.factor = opcode[6], .warps = 4};
    if (std::sscanf(opcode[4].c_str(), "m%dn%dk%d", &shape.m, &shape.n, &shape.k) != 3)
      return false;
    source_of(op).kind = InstructionKind::tensor;
    source_of(op).product = shape;
    program_->has_late_results = true;
    op.execute = instructions_.warpgroup_product(shape);
    OperandLists lists;
    auto d = slots_of(operands[0].parts, "f32");
    const bool a_in_registers = operands[1].kind == Kind::list;
    auto a = slots_of(operands[1].parts, "b32");
    const auto a_described = a_in_registers ? Slot{0} : source(operands[1], "b64");
    const auto b = source(operands[2], "b64"), adds = source(operands[3], "pred");
    if (!d || d->size() != shape.registers_of_c() || !a || !a_described || !b || !adds)
      return false;
    if (a_in_registers && a->size() != shape.registers_of_a()) return false;
    op.a = *a_described;
    op.b = *b;
    op.c = *adds;
    lists.d = *std::move(d);
    lists.a = *std::move(a);
    op.lists = &program_->operand_lists.emplace_back(std::move(lists));
    std::vector<uint64_t> numbers;
    for (size_t i = 4; i < operands.size(); ++i) {
      if (operands[i].kind != Kind::immediate) return false;
      numbers.push_back(operands[i].bits);
    }
    const size_t trans = shape.factor == "tf32" ? 0 : a_in_registers ? 1 : 2;
    if (numbers.size() != 2 + trans) return false;
    if (numbers[0] != 1) op.extra |= NEGATES_A;
    if (numbers[1] != 1) op.extra |= NEGATES_B;
    if (trans == 2 && numbers[2] != 0) op.extra |= A_ACROSS_K;
    if (trans > 0 && numbers.back() != 0) op.extra |= B_ACROSS_K;
    return op.execute != nullptr;
  }

  // --- warp-level -----------------------------------------------------------------------------------

  bool decode_warp_instruction(const Instruction& instruction, Op& op) {
    if (source_of(op).facts.is_fence()) {
      op.execute = instructions_.fence;
      source_of(op).kind = InstructionKind::control;
      return instruction.operands.empty();
    }
    const WarpInstruction found = instructions_.warp(instruction.opcode);
    if (found.execute == nullptr) return false;
    source_of(op).kind = found.kind;
    op.execute = found.execute;
    const Operation operation = source_of(op).facts.operation;
    if (operation == Operation::print || operation == Operation::allocate ||
        operation == Operation::free)
      program_->looks_beyond_memory = true;
    const std::vector<Operand>& operands = instruction.operands;
    if (operands.size() != found.operands.size()) return false;
    const std::array<Slot*, 5> into{&op.d, &op.a, &op.b, &op.c, &op.e};
    for (size_t i = 0; i < operands.size(); ++i) {
      const Operand& operand = operands[i];
      if (operand.kind == Kind::pair) {  // %r1|%p1: the predicate gets its own list
        const Operand& first = operand.parts.front();
        if (instruction.opcode[0] == "elect" && is_sink(first)) {
          const auto predicate = slots_of({operand.parts.back()}, found.operands[i]);
          if (!predicate) return false;
          op.lists =
              &program_->operand_lists.emplace_back(OperandLists{.d = {0, predicate->front()}});
          continue;
        }
        op.lists = list_of(operand.parts, found.operands[i]);
        if (op.lists == nullptr) return false;
        op.extra |= HAS_RESULT;
        *into[i] = op.lists->d.front();
        continue;
      }
      const auto slot = source(operand, found.operands[i]);
      if (!slot) return false;
      *into[i] = *slot;
    }
    return true;
  }

  ptx::Function function_;
  const ptx::Module& module_;
  const VariableAddresses& variables_;
  const InstructionSet& instructions_;
  std::unique_ptr<Program> program_;
  RegisterMap registers_;
  std::map<std::string, uint64_t> parameter_offset_;
  std::map<std::string, uint64_t> symbol_;
  std::map<std::string, int32_t> shared_variable_;  // by symbol; for SiteInfo
  std::map<std::string, int32_t> shared_base_;      // by register
  std::map<std::pair<uint64_t, size_t>, Slot> constant_slots_;
  Numbers spellings_, names_;  // for Facts and OperandFact
};

}  // namespace

std::unique_ptr<Program> decode(const ptx::Function& kernel, const ptx::Module& module,
                                const VariableAddresses& variables,
                                const InstructionSet& instructions) {
  try {
    return Decoder(kernel, module, variables, instructions).decode();
  } catch (const std::bad_alloc&) {  // not an error of the kernel
    throw;
  } catch (const std::exception& error) {  // a missing register, label or operand
    throw Unreadable{error.what(), {}};
  }
}

}  // namespace simulator
