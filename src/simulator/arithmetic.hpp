// The instructions that compute: from an opcode to the function that carries it out on a warp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/warp.hpp"

namespace simulator {

/// What the counters call an instruction.
enum class InstructionKind {
  ffma,  // fused multiply-add, FP32
  fp32,  // other FP32 arithmetic
  fp64,
  integer,  // integer and logic, address arithmetic included
  convert,
  move,
  compare,  // setp, selp
  memory,
  warp,     // shuffles, votes
  control,  // branches, barriers, exits
};

/// How an instruction's operands lie in registers.
struct Arithmetic {
  Execute execute = nullptr;
  InstructionKind kind{};
  std::string_view result;                 // type of the result: "s32", "f64", "pred"
  std::vector<std::string_view> operands;  // types of the operands that follow it
  int32_t extra = 0;                       // for Op::extra
  uint32_t flops = 0;                      // FP32 operations per lane
};

/// Op::extra of a cvt: which of its registers hold 8 bytes a lane. The decoder knows; the opcode does not.
constexpr int32_t CONVERT_FROM_64 = 16, CONVERT_TO_64 = 32;

/// The instruction with this opcode, or one with execute == nullptr if it is outside the subset.
/// Rounding is as the opcode says, by default to nearest even; subnormals are kept; the .approx functions are computed in double precision
/// and rounded, which is closer to the true value than a device's.
Arithmetic find_arithmetic(const std::vector<std::string>& opcode);

}  // namespace simulator
