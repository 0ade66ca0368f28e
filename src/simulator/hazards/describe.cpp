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

std::string shared_place(const Program& program, uint64_t offset) {
  for (const SharedVariable& variable : program.shared_variables) {
    const bool reaches = variable.is_dynamic || offset < variable.offset + variable.bytes;
    if (offset >= variable.offset && reaches)
      return "byte " + std::to_string(offset - variable.offset) + " of " + variable.name;
  }
  return "byte " + std::to_string(offset) + " of shared memory";
}

std::string mask_text(uint32_t lanes) {
  std::array<char, 16> text;
  std::snprintf(text.data(), text.size(), "0x%08x", lanes);
  return text.data();
}

std::string intrinsic_of(const Program& program, uint32_t instruction) {
  const std::string& opcode = program.sources[instruction].opcode;
  if (opcode.starts_with("bar")) return "__syncwarp";
  if (opcode.starts_with("shfl.sync.idx")) return "__shfl_sync";
  if (opcode.starts_with("shfl.sync.bfly")) return "__shfl_xor_sync";
  // vote.sync.ballot.b32, match.any.sync.b32, redux.sync.add.s32: the word that is neither the first nor sync
  const size_t first = opcode.find('.') + 1;
  std::string word = opcode.substr(first, opcode.find('.', first) - first);
  if (word == "sync") {
    const size_t second = first + word.size() + 1;
    word = opcode.substr(second, opcode.find('.', second) - second);
  }
  if (opcode.starts_with("shfl")) return "__shfl_" + word + "_sync";
  if (opcode.starts_with("match")) return "__match_" + word + "_sync";
  if (opcode.starts_with("redux")) return "__reduce_" + word + "_sync";
  if (opcode.starts_with("vote")) return "__" + word + "_sync";
  return opcode;
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
