// The instruction set that the decoder uses: the function behind each opcode, and the place of its operands in
// registers. There is one instruction set for each kind of vector unit that a host may have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/decode/program.hpp"

namespace simulator {

/// A call of a function without a body becomes an arithmetic instruction, if its name has this prefix.
constexpr std::string_view MATHEMATICS_PREFIX = "__simulator_math_";

/// An instruction that computes. In this file, `execute` is nullptr if the instruction is outside the subset.
struct Arithmetic {
  Execute execute = nullptr;
  InstructionKind kind{};
  std::string_view result;                 // type of the result: "s32", "f64", "pred"
  std::vector<std::string_view> operands;  // types of the operands after it
  int32_t extra = 0;                       // for Op::extra
  uint32_t flops = 0;                      // FP32 operations per lane
};

/// An instruction that looks beyond one lane, or queries the device.
struct WarpInstruction {
  Execute execute = nullptr;
  InstructionKind kind = InstructionKind::warp;
  std::vector<std::string_view> operands;  // the result first, if there is one
};

/// A load, store or atomic of `count` elements of a PTX type. `wide`: its registers hold 8 bytes a lane.
struct MemoryShape {
  Space space = Space::generic;
  std::string_view type;
  size_t count = 1;
  bool wide = false;
};

/// An instruction on an mbarrier. The barrier's address is in Op::a; a count, a parity or a state in Op::b.
struct MbarrierShape {
  Operation operation = Operation::other;
  bool expects_bytes = false;  // of an arrival: Op::b holds bytes to expect first
  bool by_parity = false;      // of a wait: Op::b holds a parity, not a state
  bool is_counted = false;     // of an arrival after copies: the phase already counts it
};

struct InstructionSet {
  Arithmetic (*arithmetic)(const std::vector<std::string>& opcode);
  /// shfl, vote, activemask, redux, match, fences, trap, and calls that the device itself answers.
  WarpInstruction (*warp)(const std::vector<std::string>& opcode);
  /// mov from %tid.x and other special registers; `extra` says which one.
  Execute (*special_register)(const std::string& name, bool wide, int32_t& extra);
  /// mov between one register and a list of its parts. `unpack`: from the register to the parts.
  Execute (*pack)(bool unpack, bool wide, size_t parts);
  Execute (*load)(const MemoryShape& shape);
  Execute (*store)(const MemoryShape& shape);
  Execute (*atomic)(const MemoryShape& shape, Operation operation);
  Execute (*matrix_product)(const MatrixShape& shape);
  /// ldmatrix of 1, 2 or 4 matrices, into the registers of Op::lists.
  Execute (*matrix_load)(size_t count, bool transposed);
  /// stmatrix of 1, 2 or 4 matrices, from the registers of Op::lists.
  Execute (*matrix_store)(size_t count, bool transposed);
  /// Returns the wgmma.mma_async of this shape. D's registers are in OperandLists::d. A is in OperandLists::a, or described by
  /// Op::a; B is described by Op::b. Op::c: the predicate scale-d. Op::extra: see NEGATES_A.
  Execute (*warpgroup_product)(const MatrixShape& shape);
  Execute warpgroup_fence;   // the tensor core sees the registers as they are now
  Execute warpgroup_commit;  // ends a group of products
  Execute warpgroup_wait;    // for all groups of products but the last Op::extra
  Execute (*async_copy)(uint32_t bytes);
  Execute async_commit;    // ends a group of copies
  Execute async_wait;      // waits for all groups but the last Op::extra
  Execute async_wait_all;  // waits for all copies
  Execute (*mbarrier)(const MbarrierShape& shape);
  /// cp.async.bulk: to Op::a from Op::b, the number of bytes in Op::c. The mbarrier of a load is at Op::e.
  Execute bulk_load;   // from global to shared memory
  Execute bulk_store;  // from shared to global memory
  /// Returns cp.reduce.async.bulk from shared to global memory, or nullptr if it is outside the subset.
  Execute (*bulk_reduction)(std::string_view type, Operation operation);
  Execute copy_to_block;  // from shared memory to the shared memory of a block of the cluster
  /// st.async to Op::a of `count` elements in the registers OperandLists::d, or red.async. The mbarrier is at Op::e.
  Execute (*remote_store)(std::string_view type, size_t count, Operation operation);
  /// cp.async.bulk.tensor: a load to Op::a with the tensor map at Op::b and the mbarrier at Op::e, a store with the map at
  /// Op::a from Op::b. The coordinates are in OperandLists::c.
  Execute tensor_load, tensor_store;
  Execute bulk_commit;  // ends a group of bulk stores
  /// Waits for all groups of bulk stores but the last Op::extra, or until they have read their sources.
  Execute bulk_wait, bulk_wait_read;
  /// ld.param of a kernel, into the registers of Op::lists.
  Execute (*parameter_load)(std::string_view type, bool wide);
  Execute texture_fetch;  // see SourceInstruction::fetch
  Execute nothing;        // a prefetch: no effect here
  Execute fence;
  Execute unknown;  // faults
  Execute guarded;  // narrows the active lanes, then calls Op::inner
  Execute polling;  // notes that the warp polls memory that others may change, then calls Op::inner
};

}  // namespace simulator
