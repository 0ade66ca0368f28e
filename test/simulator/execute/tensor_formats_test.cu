// Tensor loads with conversions and interleaves. All expectations are answers of an H100 (CUDA 13.0, 2026-11-25).
#include <cuda.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "device/mbarrier.cuh"
#include "device/tensor_copy.cuh"
#include "test/simulator/hazards/hazard_test.hpp"
#include "test/support/managed.hpp"

namespace {

using device::Mbarrier;
using simulator::Fault;
using simulator::FaultKind;
using simulator::HazardKind;
using simulator::Obstacle;
using simulator::test::expect_fault;
using simulator::test::Managed;

constexpr int WORDS = 8192;  // of shared memory that a test looks at
constexpr uint32_t UNTOUCHED = 0xdddddddd;

class TensorFormats : public simulator::test::HazardTest {
 protected:
  TensorFormats() : HazardTest(__FILE__, {HazardKind::refused_call}) {}
};

struct Place {
  int at[4];
};

// Copies all words of shared memory to `out`, after a load of a box.
template <int RANK>
__global__ void bring(const __grid_constant__ CUtensorMap map, Place place, uint32_t bytes,
                      uint32_t* out) {
  __shared__ alignas(1024) uint32_t box[WORDS];
  __shared__ Mbarrier full;
  for (int i = threadIdx.x; i < WORDS; i += blockDim.x) box[i] = UNTOUCHED;
  if (threadIdx.x == 0) {
    device::init_mbarrier(full, 1);
    device::fence_mbarriers();
  }
  device::fence_for_copies();
  __syncthreads();
  if (threadIdx.x == 0) {
    int at[RANK];
    for (int i = 0; i < RANK; ++i) at[i] = place.at[i];
    device::expect(full, bytes);
    device::load_tensor(box, map, at, full);
  }
  __syncthreads();
  device::wait(full, 0);
  for (int i = threadIdx.x; i < WORDS; i += blockDim.x) out[i] = box[i];
}

// --- TFLOAT32 -----------------------------------------------------------------------------------------

constexpr std::pair<uint32_t, uint32_t> ROUNDED[] = {
    {0x00000000, 0x00000000}, {0x80000000, 0x80000000}, {0x00000fff, 0x00000000},
    {0x00001000, 0x00000000},  // a tie: to even
    {0x00001001, 0x00002000}, {0x00003000, 0x00004000}, {0x007fefff, 0x007fe000},
    {0x007ff000, 0x00800000}, {0x3f801000, 0x3f800000}, {0x3f801001, 0x3f802000},
    {0x3f803000, 0x3f804000}, {0x3f805000, 0x3f804000}, {0xbf801000, 0xbf800000},
    {0xbf803000, 0xbf804000}, {0x7f7fefff, 0x7f7fe000}, {0x7f7ff000, 0x7f800000},
    {0xff7fffff, 0xff800000}, {0xff800000, 0xff800000}, {0x7f800001, 0x7fffe000},
    {0x7fc00001, 0x7fffe000}, {0xff800001, 0x7fffe000},  // the NaN loses its sign
    {0xffc00000, 0x7fffe000}, {0x40490fdb, 0x40490000}, {0x0000ffff, 0x00010000}};

TEST_F(TensorFormats, Tfloat32IsRoundedToNearestEvenAndFloat32IsKept) {
  constexpr uint32_t COUNT = std::size(ROUNDED);
  const Managed<uint32_t> in(COUNT), out(WORDS);
  for (uint32_t i = 0; i < COUNT; ++i) in[i] = ROUNDED[i].first;
  for (const auto& [type, is_rounded] :
       {std::pair{CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, true},
        {CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, true},  // keeps subnormal numbers, too
        {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, false},
        {CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, false}}) {
    CUtensorMap map{};
    const cuuint64_t sizes[] = {COUNT, 1}, strides[] = {COUNT * sizeof(uint32_t)};
    const cuuint32_t box[] = {COUNT, 1}, steps[] = {1, 1};
    ASSERT_EQ(
        cuTensorMapEncodeTiled(&map, type, 2, in.get(), sizes, strides, box, steps,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        CUDA_SUCCESS);
    bring<2><<<1, 32>>>(map, {}, COUNT * sizeof(uint32_t), out.get());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (uint32_t i = 0; i < COUNT; ++i)
      EXPECT_EQ(out[i], is_rounded ? ROUNDED[i].second : ROUNDED[i].first) << type << ": " << i;
  }
}

// --- interleaves --------------------------------------------------------------------------------------

struct Box {
  CUtensorMapDataType type;
  std::vector<cuuint64_t> sizes, strides;
  std::vector<cuuint32_t> box;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  Place place;
  uint32_t bytes;
  uint64_t hash;  // of the words of shared memory
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  std::vector<cuuint32_t> steps{1, 1, 1, 1};
};

CUresult encode(CUtensorMap& map, const Box& box, void* words) {
  return cuTensorMapEncodeTiled(&map, box.type, static_cast<cuuint32_t>(box.sizes.size()), words,
                                box.sizes.data(), box.strides.data(), box.box.data(),
                                box.steps.data(), box.interleave, box.swizzle,
                                CU_TENSOR_MAP_L2_PROMOTION_NONE, box.fill);
}

uint64_t hash_of(const uint32_t* words) {  // FNV-1a
  uint64_t hash = 0xcbf29ce484222325;
  for (int i = 0; i < WORDS * 4; ++i)
    hash = (hash ^ (words[i / 4] >> i % 4 * 8 & 0xff)) * 0x100000001b3;
  return hash;
}

constexpr auto F16 = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
constexpr auto BY_16 = CU_TENSOR_MAP_INTERLEAVE_16B, BY_32 = CU_TENSOR_MAP_INTERLEAVE_32B;
constexpr auto NONE = CU_TENSOR_MAP_SWIZZLE_NONE, S32 = CU_TENSOR_MAP_SWIZZLE_32B,
               S64 = CU_TENSOR_MAP_SWIZZLE_64B, S128 = CU_TENSOR_MAP_SWIZZLE_128B;
constexpr auto NANS = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
constexpr auto ZEROS = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;

// clang-format off
const std::vector<Box> BOXES = {
    {CU_TENSOR_MAP_DATA_TYPE_UINT8, {16, 8, 4}, {16, 128}, {16, 4, 2}, BY_16, NONE, {}, 512, 0xd60aa4e5778648a5},
    {F16, {16, 8, 4}, {256, 2048}, {8, 4, 2}, BY_16, NONE, {2, 3, 1}, 256, 0x72123fb6574d2905},
    {F16, {16, 8, 4}, {256, 2048}, {8, 4, 2}, BY_16, NONE, {12, 3, 1}, 256, 0xf6bab3ab41b69b55},
    {F16, {16, 8, 4}, {256, 2048}, {8, 4, 2}, BY_16, NONE, {-3, 3, 3}, 256, 0xe46149bba7df9b79},
    {F16, {16, 8, 4}, {256, 2048}, {8, 4, 2}, BY_16, NONE, {0, 8, 0}, 256, 0x1db0934b1a7d7225},
    {F16, {16, 8, 4}, {256, 2048}, {8, 4, 2}, BY_16, NONE, {-3, 3, 3}, 256, 0xff831004fe2eb609, NANS},
    {F16, {16, 8, 4}, {256, 2048}, {8, 4, 4}, BY_16, NONE, {}, 256, 0x056dd1af931e0865, ZEROS, {1, 1, 2}},
    {F16, {16, 8, 4}, {256, 2048}, {8, 4, 4}, BY_16, NONE, {}, 512, 0xea185accac49d0e5, ZEROS, {1, 2, 1}},
    {F16, {16, 6, 4, 3}, {256, 1536, 6144}, {16, 3, 2, 2}, BY_16, S32, {3, 1, 2, 1}, 1536, 0xb00f8bbe07bc1cb5},
    {F16, {16, 6, 4, 3}, {256, 1536, 6144}, {16, 3, 2, 2}, BY_16, S128, {3, 4, 2, 1}, 1536, 0xc634da416020ea45},
    {F16, {16, 8, 4}, {512, 4096}, {16, 4, 2}, BY_32, S32, {1, 1, 1}, 1024, 0xcc21121f8db938f5},
    {F16, {16, 8, 4}, {512, 4096}, {16, 4, 2}, BY_32, NONE, {1, 1, 1}, 1024, 0xfb0d5e18684105d5},
    {F16, {16, 8, 4}, {512, 4096}, {16, 4, 2}, BY_32, S128, {1, 1, 1}, 1024, 0x24442289970e8e75},
    {F16, {16, 6, 4, 3}, {512, 3072, 12288}, {16, 3, 2, 2}, BY_32, S64, {3, 4, 2, 1}, 3072, 0x584f5f8c50bd3405},
};
// clang-format on

TEST_F(TensorFormats, AnInterleavedBoxHasOneSliceOfChannels) {
  constexpr int GLOBAL_WORDS = 1 << 16;
  const Managed<uint32_t> in(GLOBAL_WORDS), out(WORDS);
  for (int i = 0; i < GLOBAL_WORDS; ++i) in[i] = 1000000 + i;
  for (size_t i = 0; i < BOXES.size(); ++i) {
    const Box& box = BOXES[i];
    CUtensorMap map{};
    ASSERT_EQ(encode(map, box, in.get()), CUDA_SUCCESS) << i;
    const auto kernel = box.sizes.size() == 3 ? bring<3> : bring<4>;
    kernel<<<1, 64>>>(map, box.place, box.bytes, out.get());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << i;
    EXPECT_EQ(hash_of(out.get()), box.hash) << i;
  }
}

TEST_F(TensorFormats, AnInterleaveIsRefusedAsByTheDriver) {
  const Managed<uint32_t> in(1024);
  CUtensorMap map{};
  Box box = BOXES[1];
  box.box[0] = 4;  // eight bytes, if they were elements
  EXPECT_EQ(encode(map, box, in.get()), CUDA_ERROR_INVALID_VALUE);
  box = BOXES[1];
  box.sizes.pop_back();
  EXPECT_EQ(encode(map, box, in.get()), CUDA_ERROR_INVALID_VALUE);
  box = BOXES[10];
  box.strides[0] = 48;
  EXPECT_EQ(encode(map, box, in.get()), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(TensorFormats, AnInterleaveThatLeavesOutSlicesIsRefusedInOneLine) {
  const Managed<uint32_t> in(1 << 14), out(WORDS);
  Box box = BOXES[1];
  box.steps[0] = 2;
  CUtensorMap map{};
  ASSERT_EQ(encode(map, box, in.get()), CUDA_SUCCESS);
  bring<3><<<1, 64>>>(map, {}, box.bytes / 2, out.get());
  const Fault fault = expect_fault(cudaErrorIllegalInstruction, FaultKind::unknown_instruction);
  EXPECT_EQ(fault.obstacle, Obstacle::interleave);
  EXPECT_NE(fault.text().find("comes to a tensor copy by a tensor map with an interleave and "
                              "elementStrides[0] above 1: the simulated GPU leaves out no slices"),
            std::string::npos)
      << fault.text();
}

}  // namespace
