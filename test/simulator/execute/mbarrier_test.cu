// mbarriers and bulk copies: the phases, copies that land as late as they may, wrong addresses, and waits that no
// thread can end.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "device/async_copy.cuh"
#include "device/mbarrier.cuh"
#include "simulator/execute/launch/module.hpp"
#include "simulator/runtime/api/diagnostics.hpp"
#include "test/simulator/hazards/hazard_test.hpp"
#include "test/support/managed.hpp"

namespace {

using device::Mbarrier;
using simulator::Fault;
using simulator::FaultKind;
using simulator::test::Managed;

class Mbarriers : public testing::Test {
 protected:
  void SetUp() override { simulator::set_fault_output(false); }
  void TearDown() override {
    simulator::set_schedule(0);
    simulator::clear_fault();
    simulator::set_fault_output(true);
  }

  // Expects that the launch ended with this error, at the call of a function in device/mbarrier.cuh. Returns its message.
  static std::string expect_fault(cudaError_t error, FaultKind kind) {
    const Fault fault = simulator::test::expect_fault(error, kind);
    EXPECT_EQ(fault.where.file_name(), "mbarrier_test.cu") << fault.text();
    return fault.text();
  }
};

// Every form of the instructions, as written in PTX. This one arrives and returns the state.
__device__ uint64_t arrive_for_state(Mbarrier& m, uint32_t count) {
  uint64_t state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;"
               : "=l"(state)
               : "r"(device::shared_address(&m)), "r"(count)
               : "memory");
  return state;
}
__device__ uint64_t drop(Mbarrier& m) {
  uint64_t state;
  asm volatile("mbarrier.arrive_drop.release.cta.shared::cta.b64 %0, [%1];"
               : "=l"(state)
               : "r"(device::shared_address(&m))
               : "memory");
  return state;
}
__device__ bool test_state(Mbarrier& m, uint64_t state) {
  int done;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
               : "=r"(done)
               : "r"(device::shared_address(&m)), "l"(state)
               : "memory");
  return done != 0;
}
// Waits with a generic address, and with a hint of the longest time.
__device__ bool try_parity(Mbarrier& m, int parity) {
  int done;
  asm volatile(
      "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.b64 p, [%1], %2, 1000; selp.b32 %0, 1, "
      "0, p; }"
      : "=r"(done)
      : "l"(&m), "r"(parity)
      : "memory");
  return done != 0;
}
__device__ void expect_more(Mbarrier& m, uint32_t bytes) {
  asm volatile(
      "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(device::shared_address(&m)),
      "r"(bytes)
      : "memory");
}
__device__ void complete(Mbarrier& m, uint32_t bytes) {
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(
                   device::shared_address(&m)),
               "r"(bytes)
               : "memory");
}
__device__ uint32_t pending(uint64_t state) {
  uint32_t count;
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state));
  return count;
}
__device__ void invalidate(Mbarrier& m) {
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(device::shared_address(&m)) : "memory");
}

// --- phases -------------------------------------------------------------------------------------------

__global__ void count_arrivals(int* out) {
  __shared__ Mbarrier m;
  device::init_mbarrier(m, 3);
  *out++ = device::is_complete(m, 1);  // the phase before the first counts as complete
  *out++ = device::is_complete(m, 0);
  const uint64_t first = arrive_for_state(m, 1);
  *out++ = pending(first);
  *out++ = test_state(m, first);
  const uint64_t second = arrive_for_state(m, 2);
  *out++ = pending(second);
  *out++ = test_state(m, first);
  *out++ = test_state(m, second);
  *out++ = device::is_complete(m, 0);
  *out++ = try_parity(m, 1);
  for (int i = 0; i < 3; ++i) device::arrive(m);
  *out++ = try_parity(m, 1);
  *out++ = try_parity(m, 0);  // again under way
}

TEST_F(Mbarriers, CompleteAPhaseWithItsLastArrival) {
  const Managed<int> out(11);
  count_arrivals<<<1, 1>>>(out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const std::vector<int> seen(out.get(), out.get() + 11);
  EXPECT_EQ(seen, (std::vector<int>{1, 0, 3, 0, 2, 1, 1, 1, 0, 1, 0}));
}

__global__ void drop_out(int* out) {
  __shared__ Mbarrier m;
  device::init_mbarrier(m, 2);
  drop(m);
  *out++ = device::is_complete(m, 0);
  device::arrive(m);
  *out++ = device::is_complete(m, 0);
  device::arrive(m);  // the phases from now on expect one
  *out++ = device::is_complete(m, 1);
}

TEST_F(Mbarriers, ThatADroppedThreadLeavesExpectFewer) {
  const Managed<int> out(3);
  drop_out<<<1, 1>>>(out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(std::vector<int>(out.get(), out.get() + 3), (std::vector<int>{0, 1, 1}));
}

__global__ void count_bytes(int* out) {
  __shared__ Mbarrier m;
  device::init_mbarrier(m, 1);
  expect_more(m, 32);
  device::expect(m, 64);  // and arrives
  *out++ = device::is_complete(m, 0);
  complete(m, 64);
  *out++ = device::is_complete(m, 0);
  complete(m, 32);
  *out++ = device::is_complete(m, 0);
  complete(m, 16);  // before it is expected
  expect_more(m, 16);
  *out++ = device::is_complete(m, 1);
  device::arrive(m);
  *out++ = device::is_complete(m, 1);
  invalidate(m);
  device::init_mbarrier(m, 5);
  *out++ = pending(arrive_for_state(m, 1));
}

TEST_F(Mbarriers, WaitForTheBytesToo) {
  const Managed<int> out(6);
  count_bytes<<<1, 1>>>(out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(std::vector<int>(out.get(), out.get() + 6), (std::vector<int>{0, 0, 1, 0, 1, 5}));
}

__global__ void elect_leaders(int* out) {
  int leader, is_leader;
  asm volatile("{ .reg .pred p; elect.sync %0|p, %2; selp.b32 %1, 1, 0, p; }"
               : "=r"(leader), "=r"(is_leader)
               : "r"(0xffffffffu));
  out[threadIdx.x] = leader + 100 * is_leader;
  if (threadIdx.x >= 5) {
    int alone;
    asm volatile("{ .reg .pred p; elect.sync _|p, %1; selp.b32 %0, 1, 0, p; }"
                 : "=r"(alone)
                 : "r"(0xffffffe0u));
    out[threadIdx.x] += 1000 * alone;
  }
}

TEST_F(Mbarriers, ElectOneLaneOfTheMask) {
  const Managed<int> out(32);
  elect_leaders<<<1, 32>>>(out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int lane = 0; lane < 32; ++lane)
    EXPECT_EQ(out[lane], lane == 0 ? 100 : lane == 5 ? 1000 : 0) << lane;
}

// --- copies -------------------------------------------------------------------------------------------

constexpr int WORDS = 64;

__global__ void load_late(const int* in, int* before, int* after) {
  __shared__ alignas(16) int tile[WORDS];
  __shared__ Mbarrier full;
  for (int i = 0; i < WORDS; ++i) tile[i] = -1;
  device::init_mbarrier(full, 1);
  device::fence_mbarriers();
  device::fence_for_copies();
  device::expect(full, sizeof tile);
  device::load_bulk(tile, in, sizeof tile / 2, full);
  device::load_bulk(tile + WORDS / 2, in + WORDS / 2, sizeof tile / 2, full);
  for (int i = 0; i < WORDS; ++i) before[i] = *const_cast<volatile int*>(&tile[i]);
  device::wait(full, 0);
  for (int i = 0; i < WORDS; ++i) after[i] = tile[i];
}

TEST_F(Mbarriers, ACopyLandsAtTheWaitForIt) {
  const Managed<int> in(WORDS), before(WORDS), after(WORDS);
  std::iota(in.get(), in.get() + WORDS, 1000);
  load_late<<<1, 1>>>(in.get(), before.get(), after.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < WORDS; ++i) {
    EXPECT_EQ(before[i], -1);
    EXPECT_EQ(after[i], 1000 + i);
  }
  simulator::current_device().hazards.clear();  // the early read is one
}

__global__ void store_late(int* out, int* seen) {
  __shared__ alignas(16) int tile[WORDS];
  for (int i = 0; i < WORDS; ++i) tile[i] = i;
  device::fence_for_copies();
  device::store_bulk(out, tile, sizeof tile / 2);
  device::commit_bulk();
  device::store_bulk(out + WORDS / 2, tile + WORDS / 2, sizeof tile / 2);
  device::commit_bulk();
  device::wait_bulk_read<1>();
  for (int i = 0; i < WORDS / 2; ++i) tile[i] = -1;  // the first group was read
  *seen++ = out[0];
  device::wait_bulk<1>();
  *seen++ = out[0];
  *seen++ = out[WORDS / 2];
  device::wait_bulk<0>();
  *seen++ = out[WORDS / 2];
}

TEST_F(Mbarriers, AStoreIsReadAndWrittenAtTheWaitsForIt) {
  const Managed<int> out(WORDS), seen(4);
  std::fill_n(out.get(), WORDS, -7);
  store_late<<<1, 1>>>(out.get(), seen.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < WORDS; ++i) EXPECT_EQ(out[i], i);
  EXPECT_EQ(std::vector<int>(seen.get(), seen.get() + 4), (std::vector<int>{-7, 0, -7, WORDS / 2}));
}

// Copies an element in each thread. The phase counts the threads when their copies have landed.
template <bool IS_COUNTED>
__global__ void arrive_when_copied(const float* in, float* out) {
  __shared__ float tile[64];
  __shared__ Mbarrier full;
  if (threadIdx.x == 0) {
    device::init_mbarrier(full, IS_COUNTED ? 64 : 1);
    device::fence_mbarriers();
  }
  __syncthreads();
  device::copy_async(&tile[threadIdx.x], &in[threadIdx.x]);
  if (IS_COUNTED) {
    asm volatile(
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(device::shared_address(&full))
        : "memory");
  } else {
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(device::shared_address(&full))
                 : "memory");
    __syncthreads();  // all have added their copies to the phase
    if (threadIdx.x == 0) device::arrive(full);
  }
  device::wait(full, 0);
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

TEST_F(Mbarriers, AThreadMayArriveWhenItsCopiesHaveLanded) {
  const Managed<float> in(64), out(64);
  std::iota(in.get(), in.get() + 64, 0.0f);
  for (uint64_t seed = 0; seed < 5; ++seed) {
    simulator::set_schedule(seed);
    for (const auto kernel : {arrive_when_copied<true>, arrive_when_copied<false>}) {
      std::fill_n(out.get(), 64, -1.0f);
      kernel<<<1, 64>>>(in.get(), out.get());
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      for (int i = 0; i < 64; ++i) EXPECT_EQ(out[i], 63 - i);
    }
  }
}

// Waits with the PTX of books, which repeats its labels in every place.
__device__ void wait_by_labels(Mbarrier& m, int parity) {
  asm volatile(
      "{\n.reg .pred P1;\nLAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
      "@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(device::shared_address(&m)),
      "r"(parity)
      : "memory");
}

__global__ void two_loops(const int* in, int* out) {
  __shared__ alignas(16) int tile[2][4];
  __shared__ Mbarrier full[2];
  for (Mbarrier& m : full) device::init_mbarrier(m, 1);
  device::fence_mbarriers();
  for (int i = 0; i < 2; ++i) {
    device::expect(full[i], 16);
    device::load_bulk(tile[i], in + 4 * i, 16, full[i]);
  }
  wait_by_labels(full[1], 0);
  out[1] = tile[1][0];
  wait_by_labels(full[0], 0);
  out[0] = tile[0][0];
}

TEST_F(Mbarriers, LabelsInInlineAssemblyBelongToTheirPlace) {
  const Managed<int> in(8), out(2);
  std::iota(in.get(), in.get() + 8, 5);
  two_loops<<<1, 1>>>(in.get(), out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[0], 5);
  EXPECT_EQ(out[1], 9);
}

// --- wrong addresses ----------------------------------------------------------------------------------

__global__ void load_from(const char* in, int target, uint32_t bytes, int mbarrier) {
  extern __shared__ __align__(16) char memory[];
  auto& full = *reinterpret_cast<Mbarrier*>(memory);
  device::init_mbarrier(full, 1);
  device::expect(full, bytes);
  device::load_bulk(memory + target, in, bytes, *reinterpret_cast<Mbarrier*>(memory + mbarrier));
  device::wait(full, 0);
}

TEST_F(Mbarriers, ACopyRefusesWrongAddresses) {
  const Managed<char> in(256);
  const auto expect = [&](FaultKind kind, const char* what) {
    const cudaError_t error =
        kind == FaultKind::misaligned ? cudaErrorMisalignedAddress : cudaErrorIllegalAddress;
    EXPECT_NE(expect_fault(error, kind), "") << what;
  };
  load_from<<<1, 1, 256>>>(in.get(), 16, 64, 0);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  load_from<<<1, 1, 256>>>(in.get() + 4, 16, 64, 0);
  expect(FaultKind::misaligned, "the source");
  load_from<<<1, 1, 256>>>(in.get(), 24, 64, 0);
  expect(FaultKind::misaligned, "the target");
  load_from<<<1, 1, 256>>>(in.get(), 16, 64, 4);
  expect(FaultKind::misaligned, "the mbarrier");
  load_from<<<1, 1, 256>>>(in.get() + 240, 16, 64, 0);
  expect(FaultKind::out_of_bounds, "the source's end");
  load_from<<<1, 1, 256>>>(in.get(), 208, 64, 0);
  expect(FaultKind::out_of_bounds, "the target's end");
  load_from<<<1, 1, 256>>>(in.get(), 16, 64, 256);
  expect(FaultKind::out_of_bounds, "the mbarrier beyond shared memory");
}

// As on an H200: no error, and the phase is never complete.
TEST_F(Mbarriers, ACopyMovesWholePiecesOf16Bytes) {
  const Managed<char> in(256);
  load_from<<<1, 1, 256>>>(in.get(), 16, 60, 0);
  const std::string said = expect_fault(cudaErrorLaunchTimeout, FaultKind::endless_wait);
  EXPECT_NE(said.find("60 bytes, and copies brought 48"), std::string::npos) << said;
}

// --- waits without end --------------------------------------------------------------------------------

__global__ void expect_wrongly(const int* in, uint32_t expected) {
  __shared__ alignas(16) int tile[32];
  __shared__ Mbarrier full;
  device::init_mbarrier(full, 1);
  device::expect(full, expected);
  device::load_bulk(tile, in, 128, full);
  while (!device::is_complete(full, 0)) {
  }
}

TEST_F(Mbarriers, ExpectTxThatDoesNotFitNamesBothNumbers) {
  const Managed<int> in(32);
  for (const uint32_t expected : {64u, 256u}) {
    expect_wrongly<<<1, 1>>>(in.get(), expected);
    const std::string text = expect_fault(cudaErrorLaunchTimeout, FaultKind::endless_wait);
    EXPECT_NE(text.find("expect " + std::to_string(expected) + " bytes, and copies brought 128"),
              std::string::npos)
        << text;
    simulator::current_device().hazards.clear();
  }
}

__global__ void one_arrival_too_few() {
  __shared__ Mbarrier m;
  if (threadIdx.x == 0) {
    device::init_mbarrier(m, 64);
    device::fence_mbarriers();
  }
  __syncthreads();
  if (threadIdx.x != 7) device::arrive(m);
  while (!device::is_complete(m, 0)) {
  }
}

TEST_F(Mbarriers, AMissingArrivalIsCounted) {
  one_arrival_too_few<<<1, 64>>>();
  const std::string text = expect_fault(cudaErrorLaunchTimeout, FaultKind::endless_wait);
  EXPECT_NE(text.find("has 63 of its 64 arrivals"), std::string::npos) << text;
}

}  // namespace
