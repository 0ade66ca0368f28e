#include "simulator/hazards/describe.hpp"

#include <array>
#include <cstdio>

namespace simulator {
Dim3 thread_at(const Dim3& block_size, uint32_t thread) {
  return {thread % block_size.x, thread / block_size.x % block_size.y,
          thread / block_size.x / block_size.y};
}

std::string line_of(const Program& program, uint32_t instruction) {
  const SourceInstruction& source = program.sources[instruction];
  if (source.where.file.empty()) return "`" + source.text + "`";
  return source.where.file_name() + ":" + std::to_string(source.where.line);
}

std::string place_of(const Program& program, uint32_t instruction, const Dim3& block,
                     const Dim3& thread) {
  return line_of(program, instruction) + " in " + program.demangled + ": thread " + triple(thread) +
         " of block " + triple(block);
}

const SharedVariable* shared_variable_at(const Program& program, uint64_t offset) {
  for (const SharedVariable& variable : program.shared_variables) {
    const bool reaches = variable.is_dynamic || offset < variable.offset + variable.bytes;
    if (offset >= variable.offset && reaches) return &variable;
  }
  return nullptr;
}

std::string shared_place(const Program& program, uint64_t offset) {
  const SharedVariable* const variable = shared_variable_at(program, offset);
  if (variable == nullptr) return "byte " + std::to_string(offset) + " of shared memory";
  return "byte " + std::to_string(offset - variable->offset) + " of " + variable->name;
}

std::string element_of_shared(const Program& program, uint64_t offset, uint64_t bytes) {
  const SharedVariable* const variable = shared_variable_at(program, offset);
  if (variable == nullptr || variable->is_dynamic) return shared_place(program, offset);
  if (variable->bytes == bytes) return variable->name;
  if ((offset - variable->offset) % bytes != 0) return shared_place(program, offset);
  return variable->name + "[" + std::to_string((offset - variable->offset) / bytes) + "]";
}

bool is_counted_copy(const Facts& facts) {
  return facts.family == Family::bulk_copy || facts.family == Family::async_store;
}

std::string copy_name(const Facts& facts) {
  if (facts.family == Family::async_store)
    return facts.operation == Operation::other ? "remote store" : "remote reduction";
  if (facts.is_bulk_reduction()) return "bulk reduction";
  return facts.is_tensor ? "tensor copy" : "bulk copy";
}

std::string mask_text(uint32_t lanes) {
  std::array<char, 16> text;
  std::snprintf(text.data(), text.size(), "0x%08x", lanes);
  return text.data();
}

std::string intrinsic_of(const Program& program, uint32_t instruction) {
  const SourceInstruction& source = program.sources[instruction];
  switch (source.facts.operation) {
    case Operation::meet:
      return "__syncwarp";
    case Operation::shuffle_index:
      return "__shfl_sync";
    case Operation::shuffle_up:
      return "__shfl_up_sync";
    case Operation::shuffle_down:
      return "__shfl_down_sync";
    case Operation::shuffle_butterfly:
      return "__shfl_xor_sync";
    case Operation::vote_all:
      return "__all_sync";
    case Operation::vote_any:
      return "__any_sync";
    case Operation::vote_uniform:
      return "__uni_sync";
    case Operation::ballot:
      return "__ballot_sync";
    case Operation::match_any:
      return "__match_any_sync";
    case Operation::match_all:
      return "__match_all_sync";
    case Operation::add:
      return "__reduce_add_sync";
    case Operation::minimum:
      return "__reduce_min_sync";
    case Operation::maximum:
      return "__reduce_max_sync";
    case Operation::logical_and:
      return "__reduce_and_sync";
    case Operation::logical_or:
      return "__reduce_or_sync";
    case Operation::logical_xor:
      return "__reduce_xor_sync";
    default:
      return source.opcode;
  }
}

Hazard hazard_at(HazardKind kind, const Program& program, uint32_t instruction) {
  Hazard hazard;
  hazard.kind = kind;
  hazard.kernel = program.demangled;
  hazard.where = program.sources[instruction].where;
  if (hazard.where.file.empty()) hazard.code = program.sources[instruction].text;
  return hazard;
}

Hazard hazard_between(HazardKind kind, const Program& program, uint32_t instruction,
                      uint32_t other) {
  Hazard hazard = hazard_at(kind, program, instruction);
  hazard.other = program.sources[other].where;
  if (hazard.other.file.empty()) hazard.code += " / " + program.sources[other].text;
  return hazard;
}

}  // namespace simulator
