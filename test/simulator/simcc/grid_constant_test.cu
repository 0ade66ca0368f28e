// __grid_constant__: all threads use the parameter itself, at an address in the memory of parameters. Any other
// parameter whose address is taken is copied into each thread's local memory, as nvcc does.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "simulator/execute/launch/module.hpp"
#include "simulator/runtime/api/diagnostics.hpp"
#include "test/support/managed.hpp"

namespace {

using simulator::Fault;
using simulator::FaultKind;
using simulator::test::Managed;

struct Map {
  alignas(64) uint32_t words[32];
};

Map map_from(uint32_t first) {
  Map map;
  for (uint32_t i = 0; i < 32; ++i) map.words[i] = first + i;
  return map;
}

// Loads with a generic address, as a tensor copy takes the address of its map.
__device__ uint32_t load_at(const void* address) {
  uint32_t word;
  asm volatile("ld.u32 %0, [%1];" : "=r"(word) : "l"(address) : "memory");
  return word;
}
__device__ bool is_parameter(const void* address) {
  int is;
  asm("{ .reg .pred p; isspacep.param p, %1; selp.b32 %0, 1, 0, p; }" : "=r"(is) : "l"(address));
  return is != 0;
}
__device__ bool is_local(const void* address) {
  int is;
  asm("{ .reg .pred p; isspacep.local p, %1; selp.b32 %0, 1, 0, p; }" : "=r"(is) : "l"(address));
  return is != 0;
}
__device__ __noinline__ uint32_t sum_of(const Map& map) {
  uint32_t sum = 0;
  for (const uint32_t word : map.words) sum += word;
  return sum;
}

// Stores the kind of a parameter's address, its words, and the words of the parameter after it.
__global__ void in_place(const __grid_constant__ Map map, uint32_t* out,
                         const __grid_constant__ Map other) {
  const uint32_t t = threadIdx.x;
  out[t] = load_at(&map.words[t]);
  out[32 + t] = load_at(&other.words[31 - t]);
  if (t == 0) {
    out[64] = is_parameter(&map);
    out[65] = is_local(&map);
    out[66] = sum_of(map);
  }
}
__global__ void copied(const Map map, uint32_t* out) {
  if (threadIdx.x != 0) return;
  out[0] = load_at(&map.words[5]);
  out[64] = is_parameter(&map);
  out[65] = is_local(&map);
}
// Has the word before const, in a template.
template <int N>
__global__ void of_a_template(__grid_constant__ const Map map, uint32_t* out) {
  if (threadIdx.x == 0) out[0] = load_at(&map.words[N]);
}

class GridConstants : public testing::Test {
 protected:
  static bool uses_local_memory() {
    const auto accesses = simulator::counters().accesses;
    return std::any_of(accesses.begin(), accesses.end(),
                       [](const auto& access) { return is_local(access.access); });
  }
  const Managed<uint32_t> out_{128};
};

TEST_F(GridConstants, AreUsedInPlace) {
  simulator::reset_counters();
  in_place<<<1, 32>>>(map_from(100), out_.get(), map_from(500));
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (uint32_t t = 0; t < 32; ++t) {
    EXPECT_EQ(out_[t], 100 + t);
    EXPECT_EQ(out_[32 + t], 531 - t);
  }
  EXPECT_EQ(out_[64], 1u);
  EXPECT_EQ(out_[65], 0u);
  EXPECT_EQ(out_[66], 32u * 100 + 31 * 16);
  EXPECT_FALSE(uses_local_memory());
}

TEST_F(GridConstants, OtherParametersAreCopied) {
  simulator::reset_counters();
  copied<<<1, 32>>>(map_from(7), out_.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out_[0], 12u);
  EXPECT_EQ(out_[64], 0u);
  EXPECT_EQ(out_[65], 1u);
  EXPECT_TRUE(uses_local_memory());
}

TEST_F(GridConstants, OfTemplates) {
  simulator::reset_counters();
  of_a_template<3><<<1, 32>>>(map_from(40), out_.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out_[0], 43u);
  EXPECT_FALSE(uses_local_memory());
}

// --- wrong addresses ------------------------------------------------------------------------------------

__global__ void write_to(const __grid_constant__ Map map) {
  asm volatile("st.u32 [%0], 1;" ::"l"(&map.words[threadIdx.x]) : "memory");
}
__global__ void read_beyond(const __grid_constant__ Map map, uint32_t* out) {
  out[0] = load_at(reinterpret_cast<const char*>(&map) + 4096);
}

TEST_F(GridConstants, CannotBeWrittenNorReadBeyond) {
  simulator::set_fault_output(false);
  const auto expect_fault = [](const char* says) {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    const std::optional<Fault> fault = simulator::last_fault();
    ASSERT_TRUE(fault.has_value());
    EXPECT_EQ(fault->kind, FaultKind::out_of_bounds);
    EXPECT_NE(fault->text().find(says), std::string::npos) << fault->text();
    simulator::clear_fault();
  };
  write_to<<<1, 32>>>(map_from(0));
  expect_fault("byte 0 of the kernel's parameters, which have 128 bytes and are constant");
  read_beyond<<<1, 1>>>(map_from(0), out_.get());
  expect_fault("byte 4096 of the kernel's parameters, which have 136 bytes");
  simulator::set_fault_output(true);
}

}  // namespace
