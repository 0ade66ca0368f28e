// setmaxnreg: warpgroups that hand on their registers, in every order, and sums that never fit. __maxnreg__: the number of registers
// at the launch.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>

#include "test/simulator/hazards/hazard_test.hpp"
#include "test/support/managed.hpp"

namespace {

using simulator::Fault;
using simulator::FaultKind;
using simulator::Obstacle;
using simulator::test::expect_fault;
using simulator::test::Managed;

constexpr int WARPGROUP = 128;
constexpr uint64_t SEEDS = 20;

class Setmaxnreg : public simulator::test::HazardTest {
 protected:
  Setmaxnreg() : HazardTest(__FILE__, {}) {}
};

template <int REGISTERS>
__device__ void lower() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS) : "memory");
}
template <int REGISTERS>
__device__ void raise() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS) : "memory");  // mark: raises
}

// The first warpgroup lowers its registers, and the others raise theirs. Then the warpgroups meet.
template <int LOWER, int RAISE>
__device__ void share_out(int* out, bool meets = true) {
  if (threadIdx.x < WARPGROUP) {
    if (LOWER != 0) lower<LOWER != 0 ? LOWER : 24>();
  } else {
    raise<RAISE>();
  }
  if (meets) __syncthreads();
  atomicAdd(out, 1);
}

template <int LOWER, int RAISE, int WARPGROUPS>
__global__ void __launch_bounds__(WARPGROUPS* WARPGROUP, 1) bounded(int* out, bool meets) {
  share_out<LOWER, RAISE>(out, meets);
}
// nvcc drops setmaxnreg here: it does not know how many registers the kernel is launched with.
template <int LOWER, int RAISE, int WARPGROUPS>
__global__ void __launch_bounds__(WARPGROUPS* WARPGROUP) bounded_in_threads(int* out, bool meets) {
  share_out<LOWER, RAISE>(out, meets);
}
__global__ void __launch_bounds__(2 * WARPGROUP, 2) two_blocks(int* out, bool meets) {
  share_out<40, 216>(out, meets);
}

// nvcc knows the number from __maxnreg__, which cannot stand beside __launch_bounds__.
template <int LOWER, int RAISE, int AT_LAUNCH>
__global__ void __maxnreg__(AT_LAUNCH) limited(int* out, bool meets) {
  share_out<LOWER, RAISE>(out, meets);
}
__global__ void __cluster_dims__(2, 1, 1) __maxnreg__(128)
    limited_in_clusters(int* out, bool meets) {
  share_out<40, 168>(out, meets);
}

using Kernel = void (*)(int*, bool);

void expect_all(const Managed<int>& out, Kernel kernel, int warpgroups) {
  for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
    simulator::set_schedule(seed);
    *out.get() = 0;
    kernel<<<2, warpgroups * WARPGROUP>>>(out.get(), true);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << "seed " << seed;
    EXPECT_EQ(*out.get(), 2 * warpgroups * WARPGROUP);
  }
}

TEST_F(Setmaxnreg, OfTheUsualKernelsFitsInEveryOrder) {
  const Managed<int> out(1);
  expect_all(out, bounded<24, 240, 3>, 3);
  expect_all(out, bounded<40, 232, 3>, 3);
  expect_all(out, bounded<32, 160, 4>, 4);
  expect_all(out, bounded<56, 256, 2>, 2);  // a thread has at most 256 from the start
  expect_all(out, two_blocks, 2);           // 128 for each thread
  expect_all(out, bounded_in_threads<0, 240, 3>, 3);
  expect_all(out, limited<40, 168, 128>, 3);
  expect_all(out, limited_in_clusters, 3);
}

TEST_F(Setmaxnreg, WaitsForEverIfTheSumDoesNotFit) {
  const Managed<int> out(1);
  for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
    simulator::set_schedule(seed);
    bounded<80, 224, 3><<<1, 3 * WARPGROUP>>>(out.get(), true);
    const Fault fault = expect_fault(cudaErrorLaunchTimeout, FaultKind::endless_wait);
    EXPECT_EQ(fault.where.line, line_of("raises"));
    EXPECT_EQ(fault.message().what.substr(fault.message().what.find(": ")),
              ": setmaxnreg.inc to 224 registers brings the block to 67584, and it was launched "
              "with 64512 (384 threads of 168)");
    EXPECT_NE(fault.message().advice.find("168 on average"), std::string::npos);
  }
}

TEST_F(Setmaxnreg, KnowsTheNumberFromMaxnreg) {
  const Managed<int> out(1);
  limited<40, 176, 128><<<1, 3 * WARPGROUP>>>(out.get(), true);
  const Fault fault = expect_fault(cudaErrorLaunchTimeout, FaultKind::endless_wait);
  EXPECT_EQ(fault.message().what.substr(fault.message().what.find(": ")),
            ": setmaxnreg.inc to 176 registers brings the block to 50176, and it was launched "
            "with 49152 (384 threads of 128)");
}

// A thread keeps 100 sums, and __maxnreg__ lets it have 32 registers.
__device__ void add_up(float* out) {
  constexpr int SUMS = 100;
  float sum[SUMS];
#pragma unroll
  for (int i = 0; i < SUMS; ++i) sum[i] = out[i];
  for (int step = 0; step < 10; ++step) {
#pragma unroll
    for (int i = 0; i < SUMS; ++i) sum[i] += sum[(i + 1) % SUMS] * out[step];
  }
#pragma unroll
  for (int i = 0; i < SUMS; ++i) out[i] = sum[i];
}
__global__ void unlimited(float* out) { add_up(out); }
__global__ void __maxnreg__(32) limited_to_32(float* out) { add_up(out); }

TEST_F(Setmaxnreg, AKernelWithMaxnregHasNoMoreRegisters) {
  cudaFuncAttributes attributes{};
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, unlimited), cudaSuccess);
  EXPECT_GT(attributes.numRegs, 100);
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, limited_to_32), cudaSuccess);
  EXPECT_EQ(attributes.numRegs, 32);
  const Managed<float> out(100);
  limited_to_32<<<1, 1024>>>(out.get());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(Setmaxnreg, WaitsForEverIfNobodyLowersItsRegisters) {
  const Managed<int> out(1);
  bounded<0, 176, 3><<<1, 3 * WARPGROUP>>>(out.get(), true);
  const Fault fault = expect_fault(cudaErrorLaunchTimeout, FaultKind::endless_wait);
  EXPECT_EQ(fault.registers.asked, 176u);
}

// A warp that exits keeps its registers until the block ends: so on an H100, in five kernels.
TEST_F(Setmaxnreg, WaitsForEverEvenIfTheOthersEnd) {
  const Managed<int> out(1);
  for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
    simulator::set_schedule(seed);
    bounded<80, 224, 3><<<1, 3 * WARPGROUP>>>(out.get(), false);
    expect_fault(cudaErrorLaunchTimeout, FaultKind::endless_wait);
  }
}

// ptxas refuses such a program if it knows the number. If not, an H100 comes to an illegal instruction.
TEST_F(Setmaxnreg, CannotLowerTheNumberUpwards) {
  const Managed<int> out(1);
  bounded<240, 168, 3><<<1, 3 * WARPGROUP>>>(out.get(), true);
  const Fault fault = expect_fault(cudaErrorIllegalInstruction, FaultKind::unknown_instruction);
  EXPECT_EQ(fault.obstacle, Obstacle::raising_decrease);
  EXPECT_NE(
      fault.text().find("the thread has 168 registers, and .dec cannot raise the number to 240"),
      std::string::npos)
      << fault.text();
  bounded<168, 168, 3><<<1, 3 * WARPGROUP>>>(out.get(), true);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

template <int REGISTERS>
__global__ void ask_for() {
  lower<REGISTERS>();
}

TEST_F(Setmaxnreg, TakesMultiplesOf8From24To256) {
  const auto expect_refused = [](void (*kernel)(), const char* text) {
    kernel<<<1, WARPGROUP>>>();
    const Fault fault = expect_fault(cudaErrorIllegalInstruction, FaultKind::unknown_instruction);
    EXPECT_EQ(fault.obstacle, Obstacle::bad_register_count);
    EXPECT_NE(fault.text().find(text), std::string::npos) << fault.text();
  };
  expect_refused(ask_for<16>, "u32 16`: the number must be a multiple of 8 from 24 to 256");
  expect_refused(ask_for<28>, "u32 28`");
  expect_refused(ask_for<264>, "u32 264`");
  ask_for<24><<<1, WARPGROUP>>>();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  ask_for<256><<<1, WARPGROUP>>>();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

}  // namespace
