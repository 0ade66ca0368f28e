// Each error that a kernel can make is reported with the line, the thread and the address, and the runtime
// returns the code that a device would.
#undef NDEBUG  // assert is one of the errors
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cassert>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "simulator/runtime/api/diagnostics.hpp"

namespace {

using simulator::AddressKind;
using simulator::Fault;
using simulator::FaultKind;

// The line that a fault must name carries a mark; line_of finds it.

__global__ void out_of_bounds(float* p, int first) {
  p[first + static_cast<int>(threadIdx.x)] = 1.0f;  // mark: out of bounds
}

__global__ void misaligned(float* p) {
  *reinterpret_cast<float4*>(p + 1 + 4 * threadIdx.x) = float4{1, 2, 3, 4};  // mark: misaligned
}

__global__ void misaligned_in_shared(float* p) {
  __shared__ float tile[32];
  tile[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  const float4 v = reinterpret_cast<float4*>(&tile[threadIdx.x + 1])[0];  // mark: cast in shared
  p[threadIdx.x] = v.x + v.y + v.z + v.w;
}

__global__ void read_freed(const float* p, float* out) {
  out[threadIdx.x] = p[threadIdx.x];  // mark: read freed
}

__global__ void beyond_shared(float* out, int i) {
  __shared__ float tile[32];
  tile[threadIdx.x + i] = out[threadIdx.x];  // mark: beyond shared
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x];
}

__global__ void divergent_barrier(float* out) {
  if (threadIdx.x < 7) {
    out[threadIdx.x] = 1.0f;
    __syncthreads();  // mark: divergent barrier
  }
  out[threadIdx.x] += 2.0f;
}

__global__ void mismatched_barriers(float* out) {
  if (threadIdx.x < 32) {
    __syncthreads();  // mark: first barrier
    out[threadIdx.x] = 1.0f;
  } else {
    __syncthreads();  // mark: second barrier
    out[threadIdx.x] = 2.0f;
  }
}

__global__ void unknown_instruction(float* out) {
  float x = out[threadIdx.x];
  asm volatile("wmma.imaginary.f32 %0, %0;" : "+f"(x));  // mark: unknown
  out[threadIdx.x] = x;
}

__global__ void traps(const float* p) {
  if (p[threadIdx.x] > 0.0f) __trap();  // mark: trap
}

__global__ void asserts(const float* p) {
  assert(p[threadIdx.x] < 0.0f);  // mark: assert
}

__device__ float helper(const float* p, int i) {
  return p[i] * 2.0f;  // mark: helper
}

__global__ void calls_helper(float* p, int i) { p[0] = helper(p, i) + fmaxf(p[1], 0.0f); }

// Ends only for 1000000, a value that it never reaches.
__device__ int endless(int x, int depth) {
  if (x == 1000000) return depth;
  return 3 * endless(x / 2, depth + 1) + x;  // mark: endless
}

// Recurses like endless(), with an array for each call.
__device__ int endless_arrays(const int* outer, int i, int depth) {
  int own[20];
  for (int k = 0; k < 20; ++k) own[k] = outer[(i + k) % 20] + k;
  if (own[i % 20] == -1) return depth;
  return 3 * endless_arrays(own, i + 1, depth + 1) + own[(i + depth) % 20];  // mark: arrays
}

__global__ void recurses(float* p, int first_lane) {
  const int t = static_cast<int>(threadIdx.x);
  if (t >= first_lane) p[t] = static_cast<float>(endless(t, 0));
}

__global__ void recurses_with_arrays(float* p) {
  int zeros[20] = {};
  p[threadIdx.x] = static_cast<float>(endless_arrays(zeros, static_cast<int>(threadIdx.x), 0));
}

using Function = float (*)(float);
__device__ float third(float x) { return x / 3; }
__device__ Function a_function = third;

__global__ void calls_pointer(float* p, const Function* functions) {
  p[threadIdx.x] = functions[threadIdx.x](p[threadIdx.x]);  // mark: no function
}

// Returns the number of the line of this file that ends in "// mark: " and the name.
int line_of(const std::string& name) {
  std::ifstream file(__FILE__);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.ends_with("// mark: " + name)) return number;
  }
  ADD_FAILURE() << "no line is marked " << name;
  return 0;
}

class FaultTest : public testing::Test {
 protected:
  static constexpr int COUNT = 64;

  void SetUp() override {
    simulator::set_fault_output(false);
    ASSERT_EQ(cudaMalloc(&memory_, COUNT * sizeof(float)), cudaSuccess);
    ASSERT_EQ(cudaMemset(memory_, 0x3f, COUNT * sizeof(float)), cudaSuccess);
  }

  void TearDown() override {
    simulator::clear_fault();
    cudaFree(memory_);
    simulator::set_fault_output(true);
  }

  // Returns the fault of the launch just made. Its error must be `expected`.
  Fault fault(cudaError_t expected) {
    EXPECT_EQ(cudaDeviceSynchronize(), expected);
    const auto last = simulator::last_fault();
    EXPECT_TRUE(last.has_value());
    return last.value_or(Fault{});
  }

  uint64_t address(int i) const { return reinterpret_cast<uint64_t>(memory_ + i); }

  float* memory_ = nullptr;
};

void expect_line(const Fault& fault, int line) {
  EXPECT_TRUE(fault.where.file.ends_with("fault_test.cu")) << fault.where.file;
  EXPECT_EQ(fault.where.line, line) << fault.text();
  EXPECT_NE(fault.text().find("fault_test.cu:" + std::to_string(line)), std::string::npos)
      << fault.text();
}

TEST_F(FaultTest, OutOfBoundsNamesTheFirstThreadBeyondTheEnd) {
  out_of_bounds<<<3, 32>>>(memory_, COUNT - 20);
  const Fault f = fault(cudaErrorIllegalAddress);
  EXPECT_EQ(f.kind, FaultKind::out_of_bounds);
  expect_line(f, line_of("out of bounds"));
  EXPECT_EQ(f.thread.x, 20u);
  EXPECT_EQ(f.block.x, 0u);
  EXPECT_EQ(f.address, address(COUNT));
  EXPECT_NE(f.text().find("256 bytes"), std::string::npos)
      << "the nearest allocation: " << f.text();
  EXPECT_NE(f.kernel.find("out_of_bounds"), std::string::npos);
}

TEST_F(FaultTest, BelowTheBeginningAndFarAwayAreOutOfBoundsToo) {
  out_of_bounds<<<1, 32>>>(memory_, -1);
  Fault before = fault(cudaErrorIllegalAddress);
  EXPECT_EQ(before.thread.x, 0u);
  EXPECT_EQ(before.place.kind, AddressKind::before);
  simulator::clear_fault();
  out_of_bounds<<<1, 32>>>(nullptr, 0);
  const Fault f = fault(cudaErrorIllegalAddress);
  EXPECT_EQ(f.kind, FaultKind::out_of_bounds);
  EXPECT_NE(f.text().find("0x0"), std::string::npos) << "a null pointer is shown: " << f.text();
  EXPECT_EQ(f.place.kind, AddressKind::null);
}

TEST_F(FaultTest, TheErrorStaysUntilTheDeviceIsGivenUp) {
  out_of_bounds<<<1, 32>>>(memory_, COUNT);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  float* more = nullptr;
  EXPECT_EQ(cudaMalloc(&more, 4), cudaErrorIllegalAddress);
}

TEST_F(FaultTest, MisalignedVectorAccess) {
  misaligned<<<1, 4>>>(memory_);
  const Fault f = fault(cudaErrorMisalignedAddress);
  EXPECT_EQ(f.kind, FaultKind::misaligned);
  expect_line(f, line_of("misaligned"));
  EXPECT_EQ(f.address, address(1));
  EXPECT_NE(f.text().find("multiple of 16, this leaves a remainder of 4, 4 bytes into buffer"),
            std::string::npos)
      << f.text();
  EXPECT_NE(f.message().advice.find("float4"), std::string::npos) << f.text();
}

// The array promises only a float's alignment; the cast needs the alignment of a float4.
TEST_F(FaultTest, MisalignedCastInSharedMemory) {
  misaligned_in_shared<<<1, 32>>>(memory_);
  const Fault f = fault(cudaErrorMisalignedAddress);
  EXPECT_EQ(f.kind, FaultKind::misaligned);
  expect_line(f, line_of("cast in shared"));
  EXPECT_EQ(f.place.kind, AddressKind::shared);
  EXPECT_NE(f.message().where.find(", byte 4 of shared memory"), std::string::npos) << f.text();
}

TEST_F(FaultTest, UseAfterFree) {
  float* freed = nullptr;
  ASSERT_EQ(cudaMalloc(&freed, 128), cudaSuccess);
  ASSERT_EQ(cudaFree(freed), cudaSuccess);
  read_freed<<<1, 32>>>(freed, memory_);
  const Fault f = fault(cudaErrorIllegalAddress);
  EXPECT_EQ(f.kind, FaultKind::use_after_free);
  expect_line(f, line_of("read freed"));
  EXPECT_EQ(f.address, reinterpret_cast<uint64_t>(freed));
}

TEST_F(FaultTest, APointerToHostMemory) {
  float on_the_stack[32] = {};
  read_freed<<<1, 32>>>(on_the_stack, memory_);
  const Fault f = fault(cudaErrorIllegalAddress);
  EXPECT_EQ(f.kind, FaultKind::out_of_bounds);
  EXPECT_EQ(f.place.kind, AddressKind::host);
  EXPECT_NE(f.message().advice.find("pointer to host memory"), std::string::npos) << f.text();
}

TEST_F(FaultTest, BeyondSharedMemory) {
  beyond_shared<<<2, 32>>>(memory_, 3);
  const Fault f = fault(cudaErrorIllegalAddress);
  EXPECT_EQ(f.kind, FaultKind::out_of_bounds);
  expect_line(f, line_of("beyond shared"));
  EXPECT_EQ(f.thread.x, 29u);
  EXPECT_NE(f.text().find("128 bytes"), std::string::npos) << f.text();
  EXPECT_EQ(f.place.kind, AddressKind::shared);
}

TEST_F(FaultTest, BarrierThatPartOfAWarpReaches) {
  divergent_barrier<<<1, 32>>>(memory_);
  const Fault f = fault(cudaErrorLaunchFailure);
  EXPECT_EQ(f.kind, FaultKind::barrier_divergence);
  expect_line(f, line_of("divergent barrier"));
}

TEST_F(FaultTest, BarriersOnDifferentLinesRunAsOnADeviceWithOneWarningOfBothLines) {
  testing::internal::CaptureStderr();
  mismatched_barriers<<<3, 64>>>(memory_);
  mismatched_barriers<<<1, 64>>>(memory_);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const std::string said = testing::internal::GetCapturedStderr();
  float values[64];
  ASSERT_EQ(cudaMemcpy(values, memory_, sizeof values, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(values[31], 1.0f);
  EXPECT_EQ(values[32], 2.0f);
  for (const char* mark : {"first barrier", "second barrier"}) {
    const std::string place = "fault_test.cu:" + std::to_string(line_of(mark));
    EXPECT_NE(said.find(place), std::string::npos) << said;
    EXPECT_EQ(said.find(place), said.rfind(place)) << "once: " << said;
  }
  EXPECT_NE(said.find("guide forbids"), std::string::npos) << said;
}

TEST_F(FaultTest, AnInstructionOutsideTheSubset) {
  unknown_instruction<<<1, 32>>>(memory_);
  const Fault f = fault(cudaErrorIllegalInstruction);
  EXPECT_EQ(f.kind, FaultKind::unknown_instruction);
  expect_line(f, line_of("unknown"));
  EXPECT_NE(f.instruction.find("wmma.imaginary.f32"), std::string::npos) << f.instruction;
}

TEST_F(FaultTest, TrapAndAssert) {
  traps<<<1, 32>>>(memory_);
  Fault f = fault(cudaErrorLaunchFailure);
  EXPECT_EQ(f.kind, FaultKind::trap);
  expect_line(f, line_of("trap"));
  simulator::clear_fault();
  asserts<<<1, 32>>>(memory_);
  f = fault(cudaErrorAssert);
  EXPECT_EQ(f.kind, FaultKind::failed_assert);
  expect_line(f, line_of("assert"));
  EXPECT_NE(f.text().find("p[threadIdx.x] < 0.0f"), std::string::npos) << f.text();
}

TEST_F(FaultTest, AHelpersLineIsTheHelpers) {
  calls_helper<<<1, 1>>>(memory_, 1000);
  expect_line(fault(cudaErrorIllegalAddress), line_of("helper"));
}

TEST_F(FaultTest, RecursionWithoutEndOverflowsTheStack) {
  recurses<<<1, 32>>>(memory_, 9);
  Fault f = fault(cudaErrorHardwareStackError);
  EXPECT_EQ(f.kind, FaultKind::stack_overflow);
  expect_line(f, line_of("endless"));
  EXPECT_EQ(f.thread.x, 9u);
  EXPECT_NE(f.text().find("4096 nested calls"), std::string::npos) << f.text();
  simulator::clear_fault();
  recurses_with_arrays<<<1, 32>>>(memory_);
  f = fault(cudaErrorHardwareStackError);
  EXPECT_EQ(f.kind, FaultKind::stack_overflow);
  expect_line(f, line_of("arrays"));
}

__global__ void multiplies_with_a_part_of_a_warp(float* p) {
  if (threadIdx.x >= 20) return;
  float c0, c1, c2, c3;
  asm volatile(  // mark: part of a warp
      "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %4}, {%4}, {%5, "
      "%5, %5, %5};"
      : "=f"(c0), "=f"(c1), "=f"(c2), "=f"(c3)
      : "r"(0), "f"(0.0f));
  p[threadIdx.x] = c0 + c1 + c2 + c3;
}

TEST_F(FaultTest, AMatrixProductNeedsAWholeWarp) {
  multiplies_with_a_part_of_a_warp<<<1, 32>>>(memory_);
  const Fault f = fault(cudaErrorIllegalInstruction);
  EXPECT_EQ(f.kind, FaultKind::incomplete_warp);
  expect_line(f, line_of("part of a warp"));
  EXPECT_EQ(f.lanes_here, 20u);
}

// Loads a matrix whose rows are `distance` floats apart.
__global__ void loads_a_matrix(float* p, unsigned distance, unsigned lanes) {
  __shared__ __align__(16) float tile[64];
  tile[threadIdx.x] = tile[threadIdx.x + 32] = p[threadIdx.x];
  __syncwarp();
  if (threadIdx.x >= lanes) return;
  const auto row =
      static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x % 8 * distance]));
  unsigned fragment;
  asm volatile(  // mark: loads a matrix
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
      : "=r"(fragment)
      : "r"(row)
      : "memory");
  p[threadIdx.x] = __uint_as_float(fragment);
}

TEST_F(FaultTest, ARowOfALoadedMatrixLiesOn16BytesWithinSharedMemory) {
  loads_a_matrix<<<1, 32>>>(memory_, 4, 32);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  loads_a_matrix<<<1, 32>>>(memory_, 5, 32);
  Fault f = fault(cudaErrorMisalignedAddress);
  EXPECT_EQ(f.kind, FaultKind::misaligned);
  EXPECT_EQ(f.alignment, 16u);
  expect_line(f, line_of("loads a matrix"));
  EXPECT_EQ(f.thread.x, 1u);
  simulator::clear_fault();
  loads_a_matrix<<<1, 32>>>(memory_, 12, 32);
  f = fault(cudaErrorIllegalAddress);
  EXPECT_EQ(f.kind, FaultKind::out_of_bounds);
  expect_line(f, line_of("loads a matrix"));
  EXPECT_EQ(f.thread.x, 6u);
  simulator::clear_fault();
  loads_a_matrix<<<1, 32>>>(memory_, 4, 31);
  f = fault(cudaErrorIllegalInstruction);
  EXPECT_EQ(f.kind, FaultKind::incomplete_warp);
  EXPECT_EQ(f.lanes_here, 31u);
}

// Stores a matrix whose rows are `distance` floats apart.
__global__ void stores_a_matrix(float* p, unsigned distance, unsigned lanes) {
  __shared__ __align__(16) float tile[64];
  if (threadIdx.x >= lanes) return;
  const auto row =
      static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x % 8 * distance]));
  asm volatile(  // mark: stores a matrix
      "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(row), "r"(threadIdx.x)
      : "memory");
  __syncwarp();
  p[threadIdx.x] = tile[threadIdx.x % 8 * distance];
}

TEST_F(FaultTest, ARowOfAStoredMatrixLiesOn16BytesWithinSharedMemory) {
  stores_a_matrix<<<1, 32>>>(memory_, 4, 32);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  stores_a_matrix<<<1, 32>>>(memory_, 5, 32);
  Fault f = fault(cudaErrorMisalignedAddress);
  EXPECT_EQ(f.kind, FaultKind::misaligned);
  EXPECT_EQ(f.action, simulator::FaultAction::writes);
  EXPECT_EQ(f.alignment, 16u);
  expect_line(f, line_of("stores a matrix"));
  EXPECT_EQ(f.thread.x, 1u);
  simulator::clear_fault();
  stores_a_matrix<<<1, 32>>>(memory_, 12, 32);
  f = fault(cudaErrorIllegalAddress);
  EXPECT_EQ(f.kind, FaultKind::out_of_bounds);
  EXPECT_EQ(f.action, simulator::FaultAction::writes);
  expect_line(f, line_of("stores a matrix"));
  EXPECT_EQ(f.thread.x, 6u);
  simulator::clear_fault();
  stores_a_matrix<<<1, 32>>>(memory_, 4, 31);
  f = fault(cudaErrorIllegalInstruction);
  EXPECT_EQ(f.kind, FaultKind::incomplete_warp);
  EXPECT_EQ(f.lanes_here, 31u);
}

TEST_F(FaultTest, ACallThroughAPointerToNoFunction) {
  Function third_of = nullptr;
  ASSERT_EQ(cudaMemcpyFromSymbol(&third_of, a_function, sizeof third_of), cudaSuccess);
  Function* functions = nullptr;
  ASSERT_EQ(cudaMalloc(&functions, 32 * sizeof *functions), cudaSuccess);
  std::vector<Function> all(32, third_of);
  const auto run = [&] {
    cudaMemcpy(functions, all.data(), 32 * sizeof *functions, cudaMemcpyHostToDevice);
    calls_pointer<<<1, 32>>>(memory_, functions);
  };
  run();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (const uintptr_t no_function :
       {uintptr_t{0}, uintptr_t{0x1234}, reinterpret_cast<uintptr_t>(functions),
        reinterpret_cast<uintptr_t>(third_of) + 1}) {
    all[7] = reinterpret_cast<Function>(no_function);
    run();
    const Fault f = fault(cudaErrorInvalidPc);
    EXPECT_EQ(f.kind, FaultKind::no_function);
    expect_line(f, line_of("no function"));
    EXPECT_EQ(f.thread.x, 7u);
    EXPECT_EQ(f.address, no_function);
    simulator::clear_fault();
  }
  cudaFree(functions);
}

__global__ void reads_function(float* p, const float* function) { p[0] = *function; }

TEST_F(FaultTest, AFunctionsAddressIsNoAddressOfData) {
  Function third_of = nullptr;
  ASSERT_EQ(cudaMemcpyFromSymbol(&third_of, a_function, sizeof third_of), cudaSuccess);
  reads_function<<<1, 1>>>(memory_, reinterpret_cast<const float*>(third_of));
  EXPECT_EQ(fault(cudaErrorIllegalAddress).kind, FaultKind::out_of_bounds);
}

}  // namespace
