// Reads nvcc's machine code as cuobjdump prints it: a kernel's accesses, their widths and places. Pure functions of the
// text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runner {

struct SassInstruction {
  uint64_t address = 0;
  std::string opcode{};              // "LDG.E.128"
  std::optional<uint64_t> target{};  // of a branch
  bool operator==(const SassInstruction&) const = default;
};

struct SassFunction {
  std::string name{};          // mangled
  std::string architecture{};  // "sm_90a"
  std::vector<SassInstruction> code{};
};

/// Parses the output of `cuobjdump -sass`.
std::vector<SassFunction> read_sass(std::string_view text);

struct SassResources {
  std::string name{};  // mangled
  std::string architecture{};
  int registers = 0;
  int stack_bytes = 0;
  bool operator==(const SassResources&) const = default;
};

/// Parses the output of `cuobjdump -res-usage`.
std::vector<SassResources> read_resources(std::string_view text);

/// The instructions of one kind and width.
struct SassAccess {
  std::string kind{};    // "global load"
  int bytes = 0;         // bytes for each lane
  std::string opcode{};  // the first instruction's: "LDG.E.128"
  int in_loop = 0, outside = 0;
  bool operator==(const SassAccess&) const = default;
};

/// A kernel's code in figures. Its main loop is the loop with the most FFMA outside of inner loops. In code without a
/// loop the fields `loop_...` count all instructions.
struct SassSummary {
  std::string kernel{};  // named like kernel_name()
  std::string architecture{};
  int registers = 0;
  int stack_bytes = 0;
  int spills = 0;  // loads and stores of local memory
  bool has_loop = false;
  int loop_instructions = 0;
  int loop_ffma = 0;
  std::vector<SassAccess> accesses{};  // in the order of their kinds, the widest first
  bool operator==(const SassSummary&) const = default;
};

SassSummary summary_of(const SassFunction& function);

/// Returns an access that shows that a lane's loads from global memory (or its cp.async) are `bytes` wide, or nullptr. Looks
/// in the main loop, or in all code if the main loop has no loads. An access of 32 bytes counts as 16: compute
/// capability 10.0 has such instructions.
const SassAccess* load_of_width(const SassSummary& summary, int bytes);

}  // namespace runner
