// The requests that the simulator records: their warps and their addresses.
#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lens/request.hpp"
#include "simulator/execute/launch/module.hpp"
#include "simulator/runtime/api/diagnostics.hpp"
#include "simulator/runtime/api/simulated_device.hpp"

namespace {

using lens::Request;
using lens::Wanted;
using simulator::record_requests;
using simulator::recorded_requests;

constexpr int COUNT = 1 << 16;

__global__ void strided(const float* from, float* to, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 32 == 5) return;
  to[i] = from[i * stride];
}
constexpr int STRIDED_LINE = __LINE__ - 2;

// Makes one warp leap, and only from its second step on.
__global__ void one_leaps(const float* from, float* to, unsigned int block) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int step = 0; step < 6; ++step) {
    const bool leaps = blockIdx.x == block && threadIdx.x / 32 == 1 && step >= 1;
    sum += from[leaps ? (i + step) % 32 * 64 : i];
  }
  to[i] = sum;
}
constexpr int LEAP_LINE = __LINE__ - 4;

// Accesses two arrays on one line, with a barrier in between. Several warps have the worst conflicts alike.
__global__ void mixed(const float* A, const float* B, float* C) {
  __shared__ float tile[2048];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  for (int round = 0; round < 3; ++round) {
    tile[t * (blockIdx.x % 3 + 1)] = A[i] + B[(i * 7 + round) % 4096];
    __syncthreads();
    C[i] += tile[(t * 8 + round) % 256];
    __syncthreads();
  }
}

__global__ void unrolled(const float* from, float* to) {
  float sum = 0;
#pragma unroll
  for (int step = 0; step < 4; ++step) sum += from[threadIdx.x + 32 * step];
  to[threadIdx.x] = sum;
}

__global__ void wide_shared(float4* to) {
  __shared__ float4 tile[32];
  tile[threadIdx.x] = to[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = tile[31 - threadIdx.x];
}

__global__ void async(const float4* from, float4* to) {
  __shared__ float4 tile[32];
  __pipeline_memcpy_async(&tile[threadIdx.x], &from[threadIdx.x * 2], sizeof(float4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  to[threadIdx.x] = tile[threadIdx.x];
}

__global__ void outside(const float* from, float* to) {
  to[threadIdx.x] = from[threadIdx.x + COUNT];
}

struct Buffer {
  explicit Buffer(const char* name) {
    EXPECT_EQ(cudaMalloc(&data, COUNT * sizeof(float)), cudaSuccess);
    EXPECT_EQ(cudaMemset(data, 0, COUNT * sizeof(float)), cudaSuccess);
    simulator::current_device().memory.set_name(address(), name);
  }
  ~Buffer() { cudaFree(data); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  uint64_t address() const { return reinterpret_cast<uint64_t>(data); }
  float* data = nullptr;
};

class Recorder : public ::testing::Test {
 protected:
  ~Recorder() override {
    record_requests({});
    simulator::set_worker_threads(0);
    simulator::set_schedule(0);
  }

  static Wanted worst(uint64_t count = 1) {
    Wanted wanted;
    wanted.any = true;
    wanted.count = count;
    return wanted;
  }
  static Wanted chosen(uint64_t block, uint32_t warp, uint64_t first, uint64_t count) {
    Wanted wanted = worst(count);
    wanted.chosen = true;
    wanted.block = block;
    wanted.warp = warp;
    wanted.first = first;
    return wanted;
  }
  static std::vector<Request> of(const std::string& instruction) {
    std::vector<Request> some;
    for (const Request& r : recorded_requests()) {
      if (r.instruction == instruction) some.push_back(r);
    }
    return some;
  }

  Buffer A{"A"}, B{"B"}, C{"C"};
};

TEST_F(Recorder, KnowsWhoAskedForWhichBytes) {
  record_requests(chosen(3, 1, 0, 1));
  strided<<<dim3(2, 4), 64>>>(A.data, B.data, 2);  // block 3 is (1, 1): numbered x first
  const std::vector<Request> all = recorded_requests();
  ASSERT_EQ(all.size(), 2u);
  const Request& load = all[0];
  const Request& store = all[1];
  EXPECT_EQ(load.kernel, "strided");
  EXPECT_TRUE(lens::is_file(load.file, "test/simulator/count/recorder_test.cu")) << load.file;
  EXPECT_EQ(load.line, STRIDED_LINE);
  EXPECT_EQ(load.instruction, "ld.global.f32");
  EXPECT_EQ(load.path, lens::Path::global);
  EXPECT_EQ(load.action, lens::Action::load);
  EXPECT_EQ(load.buffer, "A");
  EXPECT_EQ(load.buffer_base, A.address());
  EXPECT_EQ(load.buffer_bytes, COUNT * sizeof(float));
  EXPECT_EQ(load.bytes_per_lane, 4u);
  EXPECT_EQ(load.launch, 1u);
  EXPECT_EQ(load.grid, (std::array<uint32_t, 3>{2, 4, 1}));
  EXPECT_EQ(load.block, (std::array<uint32_t, 3>{1, 1, 0}));
  EXPECT_EQ(load.block_size, (std::array<uint32_t, 3>{64, 1, 1}));
  EXPECT_EQ(load.warp, 1u);
  EXPECT_EQ(load.nth, 0u);
  EXPECT_EQ(load.active, ~(1u << 5)) << "its lane 5 has left";
  EXPECT_EQ(load.sectors, 8u);
  EXPECT_EQ(load.lines, 2u);
  EXPECT_EQ(load.bytes_used, 31u * 4);
  EXPECT_EQ(store.buffer, "B");
  EXPECT_EQ(store.action, lens::Action::store);
  for (uint64_t lane = 0; lane < 32; ++lane) {
    const uint64_t i = 64 + 32 + lane;
    EXPECT_EQ(load.addresses[lane], lane == 5 ? 0 : A.address() + i * 2 * 4) << lane;
    EXPECT_EQ(store.addresses[lane], lane == 5 ? 0 : B.address() + i * 4) << lane;
  }
}

TEST_F(Recorder, KeepsTheWorstAndWhatTheSameWarpDidNext) {
  record_requests(worst(3));
  one_leaps<<<8, 64>>>(A.data, B.data, 5);
  const std::vector<Request> loads = of("ld.global.f32");
  ASSERT_EQ(loads.size(), 3u);
  for (uint64_t step = 0; step < 3; ++step) {
    const Request& r = loads[step];
    EXPECT_EQ(r.line, LEAP_LINE);
    EXPECT_EQ(r.block[0], 5u);
    EXPECT_EQ(r.warp, 1u);
    EXPECT_EQ(r.nth, 1 + step);
    EXPECT_EQ(r.sectors, 32u);
    EXPECT_EQ(r.addresses[0], A.address() + (5 * 64 + 32 + 1 + step) % 32 * 64 * 4);
  }
  const std::vector<Request> stores = of("st.global.f32");
  ASSERT_EQ(stores.size(), 1u) << "a warp makes no more";
  EXPECT_EQ(stores[0].block[0], 0u) << "of equal ones the lowest block's";
  EXPECT_EQ(stores[0].warp, 0u);
}

TEST_F(Recorder, GivesTheChosenRequests) {
  record_requests(chosen(5, 1, 2, 2));
  one_leaps<<<8, 64>>>(A.data, B.data, 5);
  const std::vector<Request> loads = of("ld.global.f32");
  ASSERT_EQ(loads.size(), 2u);
  EXPECT_EQ(loads[0].nth, 2u);
  EXPECT_EQ(loads[1].nth, 3u);
  EXPECT_TRUE(of("st.global.f32").empty()) << "it made no second one";
}

TEST_F(Recorder, CountsAnUnrolledLoopAsOneInstruction) {
  record_requests(chosen(0, 0, 0, 10));
  unrolled<<<1, 32>>>(A.data, B.data);
  const std::vector<Request> loads = of("ld.global.f32");
  ASSERT_EQ(loads.size(), 4u);
  for (uint64_t step = 0; step < 4; ++step) {
    EXPECT_EQ(loads[step].nth, step);
    EXPECT_EQ(loads[step].addresses[0], A.address() + step * 128);
  }
}

TEST_F(Recorder, DoesNotDependOnThreadsOrTurns) {
  for (const Wanted& wanted : {worst(4), chosen(7, 3, 1, 2)}) {
    std::vector<Request> first;
    for (const int workers : {1, 2, 5}) {
      for (const uint64_t schedule : {0, 1, 7, 1234}) {
        simulator::set_worker_threads(workers);
        simulator::set_schedule(schedule);
        record_requests(wanted);
        mixed<<<20, 256>>>(A.data, B.data, C.data);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        const std::vector<Request> all = recorded_requests();
        if (first.empty()) first = all;
        ASSERT_FALSE(first.empty());
        EXPECT_EQ(all == first, true) << workers << " threads, schedule " << schedule;
      }
    }
  }
}

TEST_F(Recorder, OrdersThemAsTheCountersAre) {
  record_requests(worst(2));
  simulator::reset_counters();
  mixed<<<20, 256>>>(A.data, B.data, C.data);
  std::vector<std::string> seen, rows;
  for (const Request& r : recorded_requests()) {
    const std::string row = std::to_string(r.line) + r.instruction + r.buffer;
    if (seen.empty() || seen.back() != row) seen.push_back(row);
  }
  for (const auto& row : simulator::counters().accesses)
    rows.push_back(std::to_string(row.where.line) + row.instruction + row.buffer);
  EXPECT_EQ(seen, rows);
}

TEST_F(Recorder, LeavesTheCountersAsTheyAre) {
  const auto counted = [&](const Wanted& wanted) {
    record_requests(wanted);
    simulator::reset_counters();
    mixed<<<20, 256>>>(A.data, B.data, C.data);
    strided<<<8, 256>>>(A.data, B.data, 3);
    async<<<2, 32>>>(reinterpret_cast<float4*>(A.data), reinterpret_cast<float4*>(B.data));
    return simulator::counters();
  };
  const simulator::Counters without = counted({});
  Wanted one_line = worst();
  one_line.file = "recorder_test.cu";
  one_line.line = STRIDED_LINE;
  for (const Wanted& wanted : {worst(), worst(5), chosen(1, 0, 0, 3), one_line}) {
    const simulator::Counters with = counted(wanted);
    EXPECT_FALSE(recorded_requests().empty());
    EXPECT_EQ(with.accesses == without.accesses, true);
    EXPECT_EQ(with.instructions == without.instructions, true);
    EXPECT_EQ(with.warp_instructions, without.warp_instructions);
    EXPECT_EQ(with.barriers, without.barriers);
  }
}

TEST_F(Recorder, RecordsNothingUnlessAsked) {
  strided<<<1, 32>>>(A.data, B.data, 1);
  EXPECT_TRUE(recorded_requests().empty());
  record_requests(worst());
  strided<<<1, 32>>>(A.data, B.data, 1);
  EXPECT_EQ(recorded_requests().size(), 2u);
  record_requests({});
  EXPECT_TRUE(recorded_requests().empty()) << "what was recorded before is forgotten";
}

TEST_F(Recorder, RecordsOneLineAlone) {
  Wanted wanted = worst();
  wanted.file = "recorder_test.cu";
  wanted.line = LEAP_LINE;
  record_requests(wanted);
  one_leaps<<<8, 64>>>(A.data, B.data, 5);
  strided<<<1, 32>>>(A.data, B.data, 1);
  const std::vector<Request> all = recorded_requests();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].line, LEAP_LINE);
  wanted.file = "other_test.cu";
  record_requests(wanted);
  one_leaps<<<8, 64>>>(A.data, B.data, 5);
  EXPECT_TRUE(recorded_requests().empty());
}

TEST_F(Recorder, KeepsTheFirstLaunchOfEqualOnes) {
  record_requests(worst());
  strided<<<1, 32>>>(A.data, B.data, 1);
  strided<<<1, 32>>>(A.data, B.data, 4);
  strided<<<1, 32>>>(A.data, B.data, 4);
  const std::vector<Request> all = recorded_requests();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].buffer, "A");
  EXPECT_EQ(all[0].launch, 2u) << "the load is worst there";
  EXPECT_EQ(all[1].launch, 1u) << "the store is the same in all";

  record_requests(worst());
  one_leaps<<<8, 64>>>(A.data, B.data, 5);
  one_leaps<<<8, 64>>>(A.data, B.data, 2);
  EXPECT_EQ(recorded_requests()[0].launch, 1u) << "though a lower block did the same later";
  EXPECT_EQ(recorded_requests()[0].block[0], 5u);

  record_requests(chosen(0, 0, 0, 1));
  strided<<<1, 32>>>(A.data, B.data, 1);
  strided<<<1, 32>>>(A.data, B.data, 4);
  EXPECT_EQ(recorded_requests()[0].launch, 1u);
}

TEST_F(Recorder, KnowsBanksAndPhasesOfSharedMemory) {
  record_requests(worst());
  wide_shared<<<1, 32>>>(reinterpret_cast<float4*>(A.data));
  const std::vector<Request> loads = of("ld.shared.v4.f32");
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_EQ(loads[0].path, lens::Path::shared);
  EXPECT_EQ(loads[0].buffer, "shared");
  EXPECT_EQ(loads[0].buffer_base, 0u);
  EXPECT_EQ(loads[0].buffer_bytes, 512u);
  EXPECT_EQ(loads[0].addresses[0], 31u * 16);
  EXPECT_EQ(loads[0].addresses[31], 0u);
  EXPECT_EQ(loads[0].wavefronts, 4u);
  EXPECT_EQ(loads[0].bank_conflicts, 0u);
  EXPECT_EQ(loads[0].phases, (std::array<uint32_t, 4>{0xff, 0xff00, 0xff0000, 0xff000000}));
  EXPECT_EQ(loads[0].sectors, 0u);
}

TEST_F(Recorder, SeesBothSidesOfAnAsynchronousCopy) {
  record_requests(worst());
  async<<<1, 32>>>(reinterpret_cast<float4*>(A.data), reinterpret_cast<float4*>(B.data));
  std::vector<Request> copies;
  for (const Request& r : recorded_requests()) {
    if (r.instruction.starts_with("cp.async")) copies.push_back(r);
  }
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(copies[0].path, lens::Path::global);
  EXPECT_EQ(copies[0].action, lens::Action::load);
  EXPECT_EQ(copies[0].buffer, "A");
  EXPECT_EQ(copies[0].addresses[3], A.address() + 3 * 32);
  EXPECT_EQ(copies[0].sectors, 32u);
  EXPECT_EQ(copies[1].path, lens::Path::shared);
  EXPECT_EQ(copies[1].action, lens::Action::store);
  EXPECT_EQ(copies[1].buffer, "shared");
  EXPECT_EQ(copies[1].addresses[3], 3u * 16);
  EXPECT_EQ(copies[1].wavefronts, 4u);
}

TEST_F(Recorder, LeavesFaultsAsTheyAre) {
  simulator::set_fault_output(false);
  const auto fault = [&] {
    outside<<<1, 32>>>(A.data, B.data);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    const std::string text = simulator::last_fault()->text();
    simulator::clear_fault();
    return text;
  };
  const std::string without = fault();
  record_requests(worst());
  EXPECT_EQ(fault(), without);
  EXPECT_TRUE(recorded_requests().empty()) << "an access that never happened";
  simulator::set_fault_output(true);
}

}  // namespace
